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
