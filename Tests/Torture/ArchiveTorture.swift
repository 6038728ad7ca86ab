// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport

// Hostile files, each of which must end in a value or a typed error.
//
//   swift run -c release archive-torture DIR [--no-rules] [--only CASE] [--messages] [--workers N]
//
//   swift run -c release archive-torture mutate [--executions 1000000] [--seed 1] [--workers N] FILE-OR-DIR ...
//
//   swift run -c release archive-torture limits [--bytes 200000] [--file-bytes 100000000] [--deep]
//
//   swift run -c release archive-torture costs [--minutes 10] [--door NAME,...] [--keep DIR] [--instructions] [--table]
//
//   swift run -c release archive-torture replay [--door DOOR] FILE-OR-DIR ...
//
//   swift run -c release archive-torture corpus [--file TEXT] [--check TEXT] [--workers N] DIR
//
//   swift run -c release archive-torture sets [--graphs 1000] [--processes 4] [--seed 1]
//
// DIR holds files and a manifest.json that says what is owed to each, and rules by which many more are made of some. The
// exit code is 0 if all is as it should be, 1 if not, 2 if the arguments are wrong.

#if !FUZZING
  @main
#endif
enum ArchiveTorture {
  private static let usage = """
    usage: archive-torture DIR [--no-rules] [--only CASE] [--messages] [--workers N]
           archive-torture mutate [--executions N] [--seed S] [--workers N] FILE-OR-DIR ...
           archive-torture limits [--bytes N] [--file-bytes N] [--deep] [--memory]
           archive-torture costs [--keep DIR] [--door NAME,...] [--instructions]
           archive-torture costs --minutes N [--keep DIR] [--door NAME,...] [--commands] [--instructions]
                                 [--seconds N] [--seed S] [--bytes N] [--seeds DIR]
           archive-torture costs --table [--keep DIR]
           archive-torture replay [--door DOOR] FILE-OR-DIR ...
           archive-torture sets [--graphs N] [--processes N] [--seed S]
           archive-torture corpus [--file TEXT] [--check TEXT] [--workers N] DIR

      --no-rules   run the files only, not what the rules make of them
      --only       run one file
      --messages   print the error of each file that has one
      --deep       of limits, only that what is deep needs no stack
      --memory     of limits, only the memory for large files, in this process and of commands
      --file-bytes of limits, the size of the file that is read with the least memory
      --minutes    of costs, how long to search at each entry point, in processor time; without it, the inputs that
                   are kept are measured again, and one above 20 times a plain file is a failure
      --seconds    the same in seconds
      --keep       of costs, the folder with the costliest inputs: a search begins with these and replaces them, and
                   adds its time (default without --minutes: Fixtures/costs)
      --commands   of costs --minutes, also the commands, each run of which is a process
      --door       of costs, the names of entry points, separated by commas; all unless given
      --instructions
                   of costs, also count the instructions of the costliest inputs, with valgrind
      --table      of costs, print the table of the page on untrusted input, without a measurement
      --seed       of costs, the seed; unless given, one that depends on the time searched before
      --seeds      of costs, a folder with more files to begin with

                   archive-torture costs --minutes 30 --door read-xml,open --keep Fixtures/costs

      --file       of corpus, only files with this text in their names
      --check      of corpus, only checks with this text in their names
      --workers    so many processes at a time; one for each processor unless given
      --door       of replay, one of \(Door.allCases.map(\.rawValue).joined(separator: ", ")); all unless given
    """

  static func main() {
    do {
      let flags: Set = ["no-rules", "messages", "deep", "memory", "commands", "instructions", "table"]
      var arguments = try Arguments(CommandLine.arguments.dropFirst(), flags: flags)
      if arguments.command == "worker" {
        try Worker.run(&arguments)
      } else if arguments.command == "mutate" {
        try MutationRun.run(&arguments)
      } else if arguments.command == "limits" {
        try LimitsRun.run(&arguments)
      } else if arguments.command == "limits-worker" {
        try LimitsRun.work(&arguments)
      } else if arguments.command == "costs" {
        try CostRun.run(&arguments)
      } else if arguments.command == "costs-worker" {
        try CostRun.work(&arguments)
      } else if arguments.command == "costs-once" {
        try CostInstructions.work(&arguments)
      } else if arguments.command == "file-memory-worker" {
        try FileMemoryRun.work(&arguments)
      } else if arguments.command == "command-memory-file" {
        try CommandMemoryRun.writeFile(&arguments)
      } else if arguments.command == "deep-worker" {
        try DeepRun.work(&arguments)
      } else if arguments.command == "sets" {
        try SetOrderRun.run(&arguments)
      } else if arguments.command == "sets-worker" {
        try SetOrderRun.work(&arguments)
      } else if arguments.command == "corpus" {
        try CorpusRun.run(&arguments)
      } else if arguments.command == "replay" {
        try Replay.run(&arguments)
      } else if arguments.command == "mutate-worker" {
        try MutationWorker.run(&arguments)
      } else {
        try Supervisor.run(&arguments)
      }
    } catch is UsageError {
      print(usage)
      System.end(2)
    } catch {
      print("archive-torture: \(error)")
      System.end(1)
    }
  }
}
