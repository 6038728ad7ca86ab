// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TypedDefaults

/// What it takes to store and read a small value, here and as it is mostly done: as JSON in Foundation's `UserDefaults`.
struct DefaultsComparison {
  private struct Profile: Codable, Equatable, Sendable {
    var name: String
    var age: Int
    var isActive: Bool
    var score: Double
    var city: String
  }

  /// How many times faster storing and reading must be.
  private static let leastFactor = 5.0
  /// What reading an integer may take more than looking it up in a dictionary, in nanoseconds.
  private static let mostOverhead = 100.0

  /// Nanoseconds for one call: the best of some turns, which neighbours disturb least.
  private static func cost(_ calls: Int, turns: Int = 7, _ body: (Int) throws -> Void) rethrows -> Double {
    var best = Double.infinity
    for turn in 0..<turns {
      let time = try CPUTime.of { for number in 0..<calls { try body(turn * calls + number) } }
      best = min(best, time / Double(calls) * 1e9)
    }
    return best
  }

  /// Prints the figures.
  /// - Parameter slack: how many times worse than promised a figure may be, where others are at work on the machine.
  /// - Returns: whether all are as they must be.
  /// - Throws: what the stores throw.
  static func run(slack: Int) throws -> Bool {
    let folder = FileManager.default.temporaryDirectory.appending(path: "defaults-benchmark-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var options = FileStore.Options()
    options.durability = .deferred(.seconds(60))
    let stores: [(String, any DefaultsStore)] = [
      ("in memory", MemoryStore()),
      ("with a file written later", try FileStore(at: folder.appending(path: "defaults.plist"), options: options)),
    ]
    let suite = "defaults-benchmark-\(UUID().uuidString)"
    guard let defaults = UserDefaults(suiteName: suite) else { throw BenchmarkError("no UserDefaults") }
    let profiles = (0..<64).map { number in
      Profile(name: "Ada Lovelace \(number)", age: number, isActive: true, score: 0.5 + Double(number), city: "London")
    }
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    let theirSet = try cost(100) { defaults.set(try encoder.encode(profiles[$0 % 64]), forKey: "profile") }
    let theirGet = try cost(100) { _ in
      guard let data = defaults.data(forKey: "profile") else { throw BenchmarkError("no data") }
      _ = try decoder.decode(Profile.self, from: data)
    }
    print("Nanoseconds of processor time for a struct of five properties, and how many times that Foundation takes.\n")
    print(pad("", 32) + pad("set", -9) + pad("", -9) + pad("get", -9))
    print(pad("JSON in Foundation's", 32) + pad("\(Int(theirSet))", -9) + pad("", -9) + pad("\(Int(theirGet))", -9))
    let key = DefaultsKey("profile", default: profiles[0])
    let count = DefaultsKey("count", default: 0)
    var isGood = true
    for (name, store) in stores {
      let set = try cost(20_000) { try store.set(profiles[$0 % 64], for: key) }
      let get = try cost(20_000) { _ in _ = try store.value(for: key) }
      let factors = (theirSet / set, theirGet / get)
      print(
        pad("a store \(name)", 32) + pad("\(Int(set))", -9) + pad(number(factors.0), -9) + pad("\(Int(get))", -9)
          + pad(number(factors.1), -9))
      if min(factors.0, factors.1) * Double(slack) < leastFactor {
        print("TOO SLOW \(name): at least \(number(leastFactor)) times expected")
        isGood = false
      }
    }
    // As many values as a program has, and keys that are not all there is to look at.
    var dictionary: [String: Int] = [:]
    for place in 0..<100 {
      dictionary["setting.\(place)"] = place
      for (_, store) in stores { try store.setRawValue(.integer(Int64(place)), for: "setting.\(place)") }
    }
    dictionary["count"] = 5
    var sum = 0
    let lookUp = cost(100_000, turns: 70) { _ in sum &+= dictionary["count"] ?? 0 }
    print("\nan Int in a dictionary of 101: \(number(lookUp))")
    for (name, store) in stores {
      try store.set(5, for: count)
      let read = try cost(100_000, turns: 70) { _ in sum &+= try store.value(for: count) }
      print("an Int in a store \(name): \(number(read)), that is \(number(read - lookUp)) more")
      if read - lookUp > mostOverhead * Double(slack) {
        print("TOO SLOW \(name): at most \(number(mostOverhead)) more expected")
        isGood = false
      }
    }
    if sum == 0 { throw BenchmarkError("nothing was read") }
    return isGood
  }
}
