// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("The verdict on an object is the same whatever was decoded before")
struct SameVerdictTests {
  private enum Cage {}
  private typealias Bird = CagedCanary<Cage>

  /// One object of each kind under a key of its own: a parent, a canary, an array with a canary in it, and a text.
  private let data = HandmadeList.archive(
    [
      Hostile.object(2), Hostile.parent, Hostile.object(4), Hostile.canary,
      Hostile.object(6, [("NS.objects", [.uid(3)])]), Hostile.array, "text",
    ],
    top: [("parent", .uid(1)), ("bird", .uid(3)), ("array", .uid(5)), ("text", .uid(7))])

  private struct Step: Sendable, CustomTestStringConvertible {
    var name: String
    var decode: @Sendable (KeyedUnarchiver) throws -> Any?
    var testDescription: String { name }
  }

  private static let steps: [Step] = [
    Step(name: "parent as Parent") { try $0.decodeTopLevelObject(of: Parent.self, forKey: "parent") },
    Step(name: "bird as Parent") { try $0.decodeTopLevelObject(of: Parent.self, forKey: "bird") },
    Step(name: "bird under [Parent]") { try $0.decodeTopLevelObject(of: [Parent.self], forKey: "bird") },
    Step(name: "bird as data") { try $0.decodeTopLevelObject(of: ArchivedObject.self, forKey: "bird") },
    Step(name: "array of Parent") { try $0.decodeTopLevelObject(of: [Parent].self, forKey: "array") },
    Step(name: "array under [NSArray, Parent]") {
      try $0.decodeTopLevelObject(of: [ArchivedArray.self, Parent.self], forKey: "array")
    },
    Step(name: "array of data") { try $0.decodeTopLevelObject(of: [ArchivedObject].self, forKey: "array") },
    Step(name: "array as Parent") { try $0.decodeTopLevelObject(of: Parent.self, forKey: "array") },
    Step(name: "text as Int") { try $0.decodeTopLevelObject(of: Int.self, forKey: "text") },
    Step(name: "text as String") { try $0.decodeTopLevelObject(of: String.self, forKey: "text") },
    Step(name: "text under [Parent]") { try $0.decodeTopLevelObject(of: [Parent.self], forKey: "text") },
    Step(name: "everything as data") { try $0.decodeTopLevel() },
  ]

  /// What each step must come to, on whatever decoder.
  private static let expected = [
    "made", "classNotAllowed", "classNotAllowed", "made", "classNotAllowed", "classNotAllowed", "made",
    "classNotAllowed", "classNotAllowed", "made", "classNotAllowed", "made",
  ]

  @Test("any two steps on one decoder, in both orders", arguments: steps.indices)
  func pairs(_ first: Int) throws {
    for second in Self.steps.indices {
      for known in [nil, Bird.self, CagedEgg<Cage>.self] as [(any KeyedCoding.Type)?] {
        let unarchiver = try Hostile.decoder(data, knowing: known)
        for step in [first, second, first] {
          let verdict = Hostile.verdict { try Self.steps[step].decode(unarchiver) }
          #expect(verdict == Self.expected[step], "\(Self.steps[step].name) after \(Self.steps[first].name)")
        }
      }
    }
    #expect(Bird.births == 0 && CagedEgg<Cage>.births == 0)
  }

  @Test("a canary that was allowed once is refused where it is not")
  func allowedOnce() throws {
    enum Other {}
    typealias Loud = CagedCanary<Other>
    let unarchiver = try Hostile.decoder(data)
    for _ in 0..<2 {
      #expect(try unarchiver.decodeTopLevelObject(of: [Loud.self], forKey: "bird") is Loud)
      #expect(try unarchiver.decodeTopLevelObject(of: [ArchivedArray.self, Loud.self], forKey: "array") != nil)
      expectRefused(Cage.self, "Canary", at: "bird") {
        try unarchiver.decodeTopLevelObject(of: [Parent.self], forKey: "bird")
      }
      expectRefused(Cage.self, "Canary", at: "array[0]") {
        try unarchiver.decodeTopLevelObject(of: [ArchivedArray.self, Parent.self], forKey: "array")
      }
    }
    // It was made when it was asked for first, and by nobody else.
    #expect(Loud.births == 1)
  }

  @Test("a value that was allowed, and kept for the next who ask, is refused where it is not")
  func keptOnce() throws {
    enum Other {}
    typealias Egg = CagedEgg<Other>
    let data = HandmadeList.archive(
      [
        Hostile.object(2), Hostile.canary, Hostile.object(4, [("NS.objects", [.uid(1), .uid(1), .uid(1)])]),
        Hostile.array, Hostile.object(6, [("NS.keys", [.uid(7)]), ("NS.objects", [.uid(1)])]), Hostile.dictionary,
        "key",
      ], top: [("egg", .uid(1)), ("array", .uid(3)), ("dictionary", .uid(5))])
    let unarchiver = try Hostile.decoder(data)
    // Allowed, more often than it takes to be kept.
    for _ in 0..<3 {
      #expect(try unarchiver.decodeTopLevelObject(of: [Egg.self], forKey: "egg") is Egg)
      #expect(try unarchiver.decodeTopLevelObject(of: [Egg].self, forKey: "array")?.count == 3)
      #expect(try unarchiver.decodeTopLevelObject(of: [ArchivedArray.self, Egg.self], forKey: "array") != nil)
      #expect(try unarchiver.decodeTopLevelObject(of: [String: Egg].self, forKey: "dictionary")?.count == 1)
      #expect(
        unarchiver.decodeDictionary(
          withKeysOfClasses: [String.self], objectsOfClasses: [Egg.self], forKey: "dictionary") != nil)
    }
    let births = Egg.births
    expectRefused(Cage.self, "Canary", at: "egg") {
      try unarchiver.decodeTopLevelObject(of: [Parent.self], forKey: "egg")
    }
    expectRefused(Cage.self, "Canary", at: "egg") { try unarchiver.decode(Parent.self, forKey: "egg") }
    expectRefused(Cage.self, "Canary", at: "array[0]") {
      try unarchiver.decodeTopLevelObject(of: [ArchivedArray.self, Parent.self], forKey: "array")
    }
    expectRefused(Cage.self, "Canary", at: "array[0]") {
      try unarchiver.decodeTopLevelObject(of: [Parent].self, forKey: "array")
    }
    expectRefused(Cage.self, "Canary") {
      try unarchiver.decodeTopLevelObject(of: [String: Parent].self, forKey: "dictionary")
    }
    // The list of the keys has it, that of the values has not.
    #expect(
      unarchiver.decodeDictionary(
        withKeysOfClasses: [String.self, Egg.self], objectsOfClasses: [Parent.self], forKey: "dictionary") == nil)
    #expect(unarchiver.error?.code == .classNotAllowed)
    #expect(Egg.births == births)
  }

  @Test("a type that took the place of another by a former name does not come out as that other")
  func formerName() throws {
    final class Thief: SecureKeyedCoding {
      static var archiveClassName: String { "Thief" }
      static var archiveClassAliases: [String] { ["Parent"] }
      func encode(with coder: KeyedArchiver) {}
      init?(coder: KeyedUnarchiver) {}
    }
    let list: [any KeyedCoding.Type] = [Parent.self, ArchivedArray.self]
    for isThiefFirst in [false, true] {
      let unarchiver = try Hostile.decoder(data)
      for isThief in [isThiefFirst, !isThiefFirst, isThiefFirst] {
        // An object is one object: who asks for it as something else than it was made gets an error, or another one.
        let made =
          isThief
          ? try? unarchiver.decodeTopLevelObject(of: [Thief.self], forKey: "parent")
          : try? unarchiver.decodeTopLevelObject(of: list, forKey: "parent")
        #expect(made == nil || (made is Thief) == isThief)
        if isThief == isThiefFirst { #expect(made != nil) }
      }
    }
  }
}
