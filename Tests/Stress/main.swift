// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport

// Stress tests and measurements of a document library, with several processes that are killed.
//
//   swift run -c release library-stress kills   [--rounds 2000] [--seed 1] [--at DIR]
//   swift run -c release library-stress crowd   [--processes 8] [--documents 500] [--kill-every 200ms] [--at DIR]
//   swift run -c release library-stress edits   [--processes 8] [--edits 500] [--at DIR]
//   swift run -c release library-stress listing [--documents 100000] [--rounds 9] [--gallery 3s] [--tool PATH] [--at DIR]
//   swift run -c release library-stress watching [--documents 20000] [--seconds 20] [--interval 200ms]
//                                                [--at-most-ppm 1000] [--at DIR]
//   swift run -c release library-stress interrupts [--rounds 20] [--creatures 40] [--tool PATH] [--at DIR]
//   swift run -c release library-stress memory [--megabytes 200] [--tool PATH] [--at DIR]
//   swift run -c release library-stress fulldisk DIR
//   swift run -c release library-stress migration [--files 100000] [--kills 200] [--seed 1] [--at DIR]
//
// The same for stores of typed defaults:
//
//   swift run -c release library-stress defaults-threads   [--threads 16] [--changes 100000] [--at DIR]
//   swift run -c release library-stress defaults-processes [--processes 2] [--changes 10000] [--at DIR]
//   swift run -c release library-stress defaults-kills     [--rounds 1000] [--seed 1] [--at DIR]
//   swift run -c release library-stress defaults-exits     [--rounds 20] [--window 2s] [--at DIR]
//
// The exit code is 0 on success, 1 on failure and 2 for invalid arguments.

let usage = """
  usage: library-stress kills    [--rounds N] [--seed S] [--at DIR]
         library-stress crowd    [--processes N] [--documents N] [--kill-every TIME] [--at DIR]
         library-stress edits    [--processes N] [--edits N] [--at DIR]
         library-stress listing  [--documents N] [--rounds N] [--gallery TIME] [--tool PATH] [--at DIR]
         library-stress watching [--documents N] [--seconds N] [--interval TIME] [--at-most-ppm N] [--at DIR]
         library-stress interrupts [--rounds N] [--creatures N] [--tool PATH] [--at DIR]
         library-stress memory [--megabytes N] [--tool PATH] [--at DIR]
         library-stress fulldisk DIR
         library-stress migration [--files N] [--kills N] [--seed S] [--at DIR]
         library-stress defaults-threads   [--threads N] [--changes N] [--at DIR]
         library-stress defaults-processes [--processes N] [--changes N] [--at DIR]
         library-stress defaults-kills     [--rounds N] [--seed S] [--at DIR]
         library-stress defaults-exits     [--rounds N] [--window TIME] [--at DIR]
  """

do {
  var arguments = try Arguments(CommandLine.arguments.dropFirst())
  switch arguments.command {
  case "kills": try Kills.run(&arguments)
  case "kills-worker": try KillsWorker.run(&arguments)
  case "crowd": try Crowd.run(&arguments)
  case "crowd-worker": try CrowdWorker.run(&arguments)
  case "edits": try Edits.run(&arguments)
  case "edits-worker": try EditsWorker.run(&arguments)
  case "edits-reader": try EditsReader.run(&arguments)
  case "listing": try Listing.run(&arguments)
  case "listing-worker": try Adding.work(&arguments)
  case "watching": try Watching.run(&arguments)
  case "interrupts": try Interrupts.run(&arguments)
  case "interrupts-worker": try Interrupts.work(&arguments)
  case "memory": try Memory.run(&arguments)
  case "fulldisk": try FullDisk.run(&arguments)
  case "migration": try MigrationKills.run(&arguments)
  case "migration-worker": try MigrationWorker.run(&arguments)
  case "defaults-threads": try DefaultsThreads.run(&arguments)
  case "defaults-processes": try DefaultsProcesses.run(&arguments)
  case "defaults-processes-worker": try DefaultsProcesses.work(&arguments)
  case "defaults-kills": try DefaultsKills.run(&arguments)
  case "defaults-kills-worker": try DefaultsKills.work(&arguments)
  case "defaults-exits": try DefaultsExits.run(&arguments)
  case "defaults-exits-worker": try DefaultsExits.work(&arguments)
  default: throw UsageError()
  }
} catch is UsageError {
  print(usage)
  System.end(2)
} catch {
  print("library-stress: \(error)")
  System.end(1)
}
