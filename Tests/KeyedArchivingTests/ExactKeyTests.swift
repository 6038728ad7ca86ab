// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import Testing

@testable import KeyedArchiving

@Suite("Keys and classes are the same only if they are exactly")
struct ExactKeyTests {
  /// The sign for kelvin, which Swift holds equal to the letter.
  private static let kelvin = "\u{212A}"

  @Test("the sign for kelvin is not the letter K")
  func kelvinIsNoLetter() throws {
    #expect(Self.kelvin == "K")
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(1, forKey: "K")
    archiver.encode(2, forKey: Self.kelvin)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: try archiver.encodedData)
    for _ in 0..<3 {
      #expect(unarchiver.decodeInteger(forKey: "K") == 1)
      #expect(unarchiver.decodeInteger(forKey: Self.kelvin) == 2)
    }
  }

  @Test("a key that is absent stays absent, and those beside it stay present")
  func absentKeys() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(1, forKey: "a")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: try archiver.encodedData)
    for _ in 0..<3 {
      #expect(!unarchiver.containsValue(forKey: "b"))
      #expect(!unarchiver.containsValue(forKey: ""))
      #expect(unarchiver.containsValue(forKey: "a"))
      #expect(!unarchiver.containsValue(forKey: "c"))
    }
  }

  private static let longKeys = [31, 63, 64, 65, 66, 300].flatMap { length in
    ["a", "b", "é"].map { String(repeating: "k", count: length) + $0 } + ["$" + String(repeating: "k", count: length)]
  }

  /// An object that shares the long keys, in another order.
  private struct Sharing: SecureKeyedCoding {
    static var archiveClassName: String { "Sharing" }
    let values: [Int]
    init(values: [Int]) { self.values = values }
    init(coder: KeyedUnarchiver) { values = ExactKeyTests.longKeys.map { coder.decodeInteger(forKey: $0) } }
    func encode(with coder: KeyedArchiver) {
      for (key, value) in zip(ExactKeyTests.longKeys, values).reversed() { coder.encode(value, forKey: key) }
    }
  }

  @Test("long keys that differ in the last letter are told apart, also among many", arguments: [0, 40])
  func longKeys(_ others: Int) throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    for (index, key) in Self.longKeys.enumerated() { archiver.encode(index, forKey: key) }
    for index in 0..<others { archiver.encode(-1, forKey: "short \(index)") }
    archiver.encode(Sharing(values: Array(100..<100 + Self.longKeys.count)), forKey: "object")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: try archiver.encodedData)
    for (index, key) in Self.longKeys.enumerated() {
      #expect(unarchiver.decodeInteger(forKey: key) == index)
      #expect(!unarchiver.containsValue(forKey: key + "b"))
      #expect(!unarchiver.containsValue(forKey: String(key.dropLast()) + "c"))
    }
    #expect(try unarchiver.decode(Sharing.self, forKey: "object").values == Array(100..<100 + Self.longKeys.count))
  }

  private class Base {}
  private final class Derived: Base {}

  @Test("an object of a subclass is not exactly of its superclass")
  func exactCasts() {
    let object = Derived()
    #expect(CheckedCast.exactly(Derived.self, object) === object)
    #expect(CheckedCast.exactly(Base.self, object) == nil)
    #expect(CheckedCast.exactly(Base.self, Base()) != nil)
  }
}
