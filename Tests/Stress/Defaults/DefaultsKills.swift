// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import HarnessSupport
import PropertyListFormat
import TypedDefaults

/// Kills a process at random moments while it writes, and checks the file that remains, and the state before its last
/// write. From time to time it damages the file, and kills a process at a random moment while it repairs the file.
///
/// Change n stores n as `last`, n under one of 20 keys, and data whose length depends on n. The file thus determines
/// its expected content.
enum DefaultsKills {
  private static let keyCount = 20

  static func run(_ arguments: inout Arguments) throws {
    let rounds = try arguments.number("rounds", 1000)
    let seed = try arguments.number("seed", 1)
    let place = arguments.folder()
    try arguments.finish()
    try place.use { folder in
      let start = ContinuousClock.now
      var random = SeededRandom(seed: UInt64(seed))
      let file = folder.appending(path: "defaults.plist")
      var (last, acknowledged, survived, repairs, completed) = (0, 0, 0, 0, 0)
      let keptFile = folder.appending(path: ".defaults.plist.last")
      for round in 1...max(1, rounds) {
        let worker = try Child(["defaults-kills-worker", file.path, "--first", "\(last + 1)"])
        var told = last
        let target = last + Int.random(in: 0...3, using: &random)
        func take(_ line: String) throws {
          guard let number = Int(line), number == told + 1 else { throw Breach("round \(round): \(line)") }
          told = number
        }
        while told < target, let line = try worker.line(timeout: 600) { try take(line) }
        System.sleep(microseconds: Int.random(in: 0...8000, using: &random))
        worker.kill()
        while let line = try worker.line(timeout: 600) { try take(line) }
        guard worker.end() == -9 else { throw Breach("round \(round): the worker ended by itself") }
        let found = try check(file, round)
        guard found == told || found == told + 1 else {
          throw Breach("seed \(seed), round \(round): \(told) was acknowledged, the file holds \(found)")
        }
        acknowledged += told - last
        survived += found - told
        last = found
        let kept = try check(keptFile, round)
        guard kept == found || kept == found - 1 else {
          throw Breach("seed \(seed), round \(round): the file holds \(found), the kept one \(kept)")
        }
        if kept > 0, round.isMultiple(of: 4) {
          repairs += 1
          if try repair(file, to: kept, round, &random) { completed += 1 }
          last = kept
        }
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      let others = Set(names).subtracting([
        "defaults.plist", ".defaults.plist.lock", ".defaults.plist.new", ".defaults.plist.last",
        ".defaults.plist.last.new",
      ])
      guard others.isEmpty else { throw Breach("left: \(others.sorted())") }
      let time = (ContinuousClock.now - start) / .seconds(1)
      print(
        "\(rounds) kills, \(acknowledged) acknowledged changes, \(survived) unacknowledged survived, \(repairs) kills "
          + "of repairs, \(completed) of them after the end, 0 breaches, \(Int(time.rounded())) s")
    }
  }

  /// Damages the file, kills a process that repairs it, and repairs it if that has not done it.
  /// - Returns: Whether the process was killed after its repair.
  private static func repair(_ file: URL, to kept: Int, _ round: Int, _ random: inout SeededRandom) throws -> Bool {
    let whole = try Data(contentsOf: file)
    let damaged = whole.prefix(whole.count / 2)
    // A new file, because the kept one can be a link to the old one after a kill.
    try damaged.write(to: file, options: .atomic)
    let worker = try Child(["defaults-kills-worker", file.path, "--repair", "1"])
    guard try worker.line(timeout: 600) == "ready" else { throw Breach("round \(round): the store does not open") }
    System.sleep(microseconds: Int.random(in: 0...12_000, using: &random))
    worker.kill()
    var isCompleted = false
    while let line = try worker.line(timeout: 600) {
      guard line == "repaired" else { throw Breach("round \(round): \(line)") }
      isCompleted = true
    }
    guard worker.end() == -9 else { throw Breach("round \(round): the repairing worker ended by itself") }
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw Breach("round \(round): after a kill of a repair, there is no file")
    }
    if try Data(contentsOf: file) == damaged {
      guard !isCompleted else { throw Breach("round \(round): the repaired file is damaged") }
      var options = FileStore.Options()
      options.reports = { _ in }
      guard try FileStore(at: file, options: options).repair() != nil else {
        throw Breach("round \(round): the damaged file is not repaired")
      }
    }
    let found = try check(file, round)
    guard found == kept else { throw Breach("round \(round): repaired to \(found), \(kept) was kept") }
    let folder = file.deletingLastPathComponent()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains(".damaged-") }
    guard names.count == 1, try Data(contentsOf: folder.appending(path: names[0])) == damaged else {
      throw Breach("round \(round): the damaged file is not there once: \(names)")
    }
    try FileManager.default.removeItem(at: folder.appending(path: names[0]))
    return isCompleted
  }

  /// The number of the last change in the file, which must be complete.
  private static func check(_ file: URL, _ round: Int) throws -> Int {
    guard FileManager.default.fileExists(atPath: file.path) else { return 0 }
    guard case .dictionary(let values) = try PropertyListValue(propertyList: Data(contentsOf: file)) else {
      throw Breach("round \(round): the file holds no dictionary")
    }
    guard case .integer(let last)? = values["last"] else { throw Breach("round \(round): there is no last change") }
    for number in max(1, Int(last) - keyCount + 1)...max(1, Int(last)) {
      guard values["key.\(number % keyCount)"] == .integer(Int64(number)) else {
        throw Breach("round \(round): change \(number) is lost, the last one is \(last)")
      }
    }
    guard case .data(let data)? = values["data"], data == Self.data(Int(last)) else {
      throw Breach("round \(round): the data is of another change")
    }
    return Int(last)
  }

  private static func data(_ number: Int) -> Data {
    Data(repeating: UInt8(truncatingIfNeeded: number), count: number &* 7919 % 40_000)
  }

  static func work(_ arguments: inout Arguments) throws {
    let file = URL(filePath: try arguments.operand())
    var number = try arguments.number("first", 1)
    let isRepair = try arguments.number("repair", 0) == 1
    try arguments.finish()
    var options = FileStore.Options()
    options.patience = .seconds(600)
    // A store that is repaired reports that it is damaged.
    options.reports = { if !isRepair { System.say("\($0)") } }
    let store = try FileStore(at: file, options: options)
    if isRepair {
      System.say("ready")
      if try store.repair() != nil { System.say("repaired") }
      while true { System.sleep(microseconds: 100_000) }
    }
    while true {
      try store.update { transaction in
        transaction.setRawValue(.integer(Int64(number)), for: "last")
        transaction.setRawValue(.integer(Int64(number)), for: "key.\(number % keyCount)")
        transaction.setRawValue(.data(data(number)), for: "data")
      }
      System.say("\(number)")
      number += 1
    }
  }
}
