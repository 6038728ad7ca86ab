// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import Dispatch
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import KeyedArchiving
import SystemFiles

/// Kills a migration of a tree at random moments, and checks every file after each kill. A file must be the old one or
/// the new one, and each replaced one must have a backup. At the end the tree must equal that of an undisturbed run.
struct MigrationKills {
  private let folder: URL
  private let count: Int
  private let seed: Int
  private var random: SeededRandom
  /// The original files.
  private var old: [Data] = []
  /// The result of an undisturbed run for each file.
  private var new: [Data] = []
  private var isNew: [Bool]

  static func run(_ arguments: inout Arguments) throws {
    let count = max(1, try arguments.number("files", 100_000))
    let kills = try arguments.number("kills", 200)
    let seed = try arguments.number("seed", 1)
    let place = arguments.folder()
    try arguments.finish()
    try place.use { folder in
      var run = MigrationKills(
        folder: folder, count: count, seed: seed, random: SeededRandom(seed: UInt64(seed)),
        isNew: [Bool](repeating: false, count: count))
      do {
        try run.run(kills: kills)
      } catch {
        throw Breach("seed \(seed): \(error)")
      }
    }
  }

  private mutating func run(kills: Int) throws {
    old = try (0..<count).map { try MigrationTree.content($0) }
    let (calm, killed) = (folder.appending(path: "calm"), folder.appending(path: "killed"))
    for tree in [calm, killed] { try MigrationTree(tree, count: count).make() }
    let start = ContinuousClock.now
    let summary = try MigrationTree(calm, count: count).migrate { _ in }
    let time = (ContinuousClock.now - start) / .seconds(1)
    print("undisturbed: \(summary.text), \(Int((Double(count) / max(time, 0.001)).rounded())) files a second")
    let undisturbed = try MigrationTree(calm, count: count).files()
    new = (0..<count).map { undisturbed["tree/\(MigrationTree.path($0))"]?.data ?? Data() }
    // The run must be killed often enough before it ends.
    let step = max(1, (count - count / 8) / max(1, kills))
    var done = 0
    var early = 0
    for kill in 0..<kills {
      let worker = try Child(["migration-worker", killed.path, "--files", "\(count)"])
      let target = Int.random(in: 0...step, using: &random)
      let delay = Int.random(in: 0...3000, using: &random)
      while done < step * kill + target {
        guard let line = try worker.line(), let number = Int(line) else { break }
        done = max(done, number)
      }
      System.sleep(microseconds: delay)
      worker.kill()
      let end = worker.end()
      guard end == -9 || end == 0 else { throw Breach("kill \(kill): the worker ended by itself: \(end)") }
      if end == 0 { early += 1 }
      try check(killed, after: kill)
      if (kill + 1) % 50 == 0 { print("\(kill + 1) kills, \(isNew.count { $0 }) files are new") }
    }
    guard early < kills else { throw Breach("each of \(kills) runs ended before its signal") }
    let last = try Child(["migration-worker", killed.path, "--files", "\(count)"])
    while try last.line(timeout: 600) != nil {}
    guard last.end() == 0 else { throw Breach("the last run did not end well") }
    let found = try MigrationTree(killed, count: count).files()
    guard found.count == undisturbed.count else {
      let names = Set(found.keys).symmetricDifference(undisturbed.keys).sorted().prefix(5)
      throw Breach("\(found.count) files instead of \(undisturbed.count); \(names)")
    }
    for (name, file) in undisturbed where found[name] != file {
      throw Breach("\(name) is another file than after an undisturbed run")
    }
    let again = try MigrationTree(killed, count: count).migrate { _ in }
    guard again.migrated == 0 else { throw Breach("a run after the last one migrates \(again.migrated) files") }
    print(
      "\(count) files, \(kills - early) kills, \(early) runs that ended before; the tree is that of the undisturbed run, "
        + "0 breaches")
  }

  /// Checks that every file is complete, old or new, that new files stay new, and that replaced files have backups.
  private mutating func check(_ tree: URL, after kill: Int) throws {
    let (count, olds, new) = (count, old, new)
    let before = isNew
    let problems = Locked<[String]>([])
    let states = Locked(before)
    let slices = 64
    DispatchQueue.concurrentPerform(iterations: slices) { slice in
      var found: [(Int, Bool)] = []
      for number in stride(from: slice, to: count, by: slices) {
        let path = MigrationTree.path(number)
        let data = try? Data(contentsOf: tree.appending(path: "tree").appending(path: path))
        let old = olds[number]
        if data == old, old == new[number] || !before[number] { continue }
        let kept = try? Data(contentsOf: tree.appending(path: "old/tree").appending(path: path))
        if data == new[number], kept == old {
          found.append((number, true))
        } else {
          let what = data == nil ? "is lost" : data == old ? "is old again" : kept == old ? "is broken" : "is not kept"
          problems.withLock { $0.append("\(path) \(what)") }
        }
      }
      states.withLock { for (number, state) in found { $0[number] = state } }
    }
    if let problem = problems.withLock({ $0.min() }) { throw Breach("after kill \(kill): \(problem)") }
    isNew = states.withLock { $0 }
  }
}

/// Migrates a tree until it is killed, and prints the number of files reported.
enum MigrationWorker {
  static func run(_ arguments: inout Arguments) throws {
    let folder = URL(filePath: try arguments.operand(), directoryHint: .isDirectory)
    let count = try arguments.number("files", 1)
    try arguments.finish()
    var migrated = 0
    _ = try MigrationTree(folder, count: count).migrate { number in
      migrated = number
      if migrated % 16 == 0 { System.say("\(migrated)") }
    }
    System.say("\(migrated)")
  }
}
