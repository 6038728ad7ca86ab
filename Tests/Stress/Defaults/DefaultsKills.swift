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

/// Kills a process at random moments while it writes, and checks the file that remains.
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
      var (last, acknowledged, survived) = (0, 0, 0)
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
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      let others = Set(names).subtracting([
        "defaults.plist", ".defaults.plist.lock", ".defaults.plist.new", ".defaults.plist.last",
      ])
      guard others.isEmpty else { throw Breach("left: \(others.sorted())") }
      let time = (ContinuousClock.now - start) / .seconds(1)
      print(
        "\(rounds) kills, \(acknowledged) acknowledged changes, \(survived) unacknowledged survived, 0 breaches, "
          + "\(Int(time.rounded())) s")
    }
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
    try arguments.finish()
    var options = FileStore.Options()
    options.patience = .seconds(600)
    options.reports = { System.say("\($0)") }
    let store = try FileStore(at: file, options: options)
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
