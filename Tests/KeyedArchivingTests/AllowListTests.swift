// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import SystemFiles
import TestSupport
import Testing

/// A class that must never come to life: its initialiser counts how often it ran.
private final class Canary: SecureKeyedCoding {
  static let births = Locked(0)
  static var archiveClassName: String { "Canary" }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) { Canary.births.withLock { $0 += 1 } }
}

/// A class that may come out, with a child of any kind that it asks for itself.
private final class Holder: SecureKeyedCoding {
  static var archiveClassName: String { "Holder" }
  var child: Holder?
  var items: [Holder] = []
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) {
    child = coder.decodeObject(of: Holder.self, forKey: "child")
    items = coder.decodeObject(of: [Holder].self, forKey: "items") ?? []
  }
}

private final class Renamed: SecureKeyedCoding {
  static var archiveClassName: String { "New" }
  static var archiveClassAliases: [String] { ["Old"] }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) {}
}

private final class Insecure: KeyedCoding {
  static let births = Locked(0)
  static var archiveClassName: String { "Insecure" }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) { Insecure.births.withLock { $0 += 1 } }
}

/// Declares that it took secure coding back.
private final class Disclaiming: SecureKeyedCoding {
  static let births = Locked(0)
  static var supportsSecureCoding: Bool { false }
  static var archiveClassName: String { "Disclaiming" }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) { Disclaiming.births.withLock { $0 += 1 } }
}

private class Shape: SecureKeyedCoding {
  class var archiveClassName: String { "Shape" }
  class var archiveSubclasses: [any KeyedCoding.Type] { [Circle.self] }
  func encode(with coder: KeyedArchiver) {}
  required init?(coder: KeyedUnarchiver) {}
}
private final class Circle: Shape {
  override class var archiveClassName: String { "Circle" }
  override class var archiveSubclasses: [any KeyedCoding.Type] { [] }
}
private final class Square: Shape {
  override class var archiveClassName: String { "Square" }
  override class var archiveSubclasses: [any KeyedCoding.Type] { [] }
}

@Suite("What was not asked for never comes to life", .serialized)
struct AllowListTests {
  private let canary: HandmadeList = .classRecord("Canary", "NSObject")
  private let holder: HandmadeList = .classRecord("Holder", "NSObject")

  /// Runs a decode that must be refused for a class, and proves that the canary stayed unborn.
  private func expectRefused(
    _ className: String, at path: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ decode: () throws -> Any?
  ) {
    let before = Canary.births.withLock { $0 }
    let error = #expect(throws: KeyedArchiveError.self, sourceLocation: sourceLocation) { _ = try decode() }
    #expect(error?.code == .classNotAllowed, "\(String(describing: error))", sourceLocation: sourceLocation)
    #expect(error?.className == className, "\(String(describing: error))", sourceLocation: sourceLocation)
    if let path { #expect(error?.keyPath == path, sourceLocation: sourceLocation) }
    #expect(Canary.births.withLock { $0 } == before, "an initialiser ran", sourceLocation: sourceLocation)
  }

  @Test("at the root")
  func root() {
    let data = HandmadeList.archive([["$class": .uid(2)], canary])
    expectRefused("Canary", at: "root") { try KeyedUnarchiver.unarchivedObject(ofClass: Holder.self, from: data) }
    expectRefused("Canary", at: "root") {
      try KeyedUnarchiver.unarchivedObject(ofClasses: [Holder.self, String.self], from: data)
    }
    expectRefused("Canary", at: "root") { try KeyedUnarchiver.unarchivedObject(ofClasses: [], from: data) }
  }

  @Test("nested in an object that may come out")
  func nested() {
    let data = HandmadeList.archive([
      ["child": .uid(3), "$class": .uid(2)], holder, ["$class": .uid(4)], canary,
    ])
    expectRefused("Canary", at: "root.child") { try KeyedUnarchiver.unarchivedObject(ofClass: Holder.self, from: data) }
    // The list a caller gives does not leak into what an object asks for itself.
    expectRefused("Canary", at: "root.child") {
      try KeyedUnarchiver.unarchivedObject(ofClasses: [Holder.self, Canary.self], from: data)
    }
  }

  @Test("in an array, typed or not")
  func inArray() {
    let data = HandmadeList.archive([
      ["NS.objects": [.uid(3), .uid(5)], "$class": .uid(2)], .classRecord("NSArray", "NSObject"),
      ["$class": .uid(4)], holder, ["$class": .uid(6)], canary,
    ])
    expectRefused("Canary", at: "root[1]") { try KeyedUnarchiver.unarchivedObject(ofClass: [Holder].self, from: data) }
    expectRefused("Canary", at: "root[1]") {
      try KeyedUnarchiver.unarchivedObject(ofClasses: [ArchivedArray.self, Holder.self], from: data)
    }
    // An array is a class too.
    expectRefused("NSArray", at: "root") {
      try KeyedUnarchiver.unarchivedObject(ofClasses: [Holder.self, Canary.self], from: data)
    }
  }

  @Test("as a dictionary's value or key")
  func inDictionary() {
    func data(_ key: UInt64, _ value: UInt64) -> Data {
      HandmadeList.archive([
        ["NS.keys": [.uid(key)], "NS.objects": [.uid(value)], "$class": .uid(2)],
        .classRecord("NSDictionary", "NSObject"), "name", ["$class": .uid(5)], canary,
      ])
    }
    let request: [any KeyedCoding.Type] = [ArchivedDictionary.self, String.self]
    expectRefused("Canary", at: "root[\"name\"]") {
      try KeyedUnarchiver.unarchivedObject(ofClass: [String: Holder].self, from: data(3, 4))
    }
    expectRefused("Canary", at: "root.NS.keys[0]") {
      try KeyedUnarchiver.unarchivedObject(ofClass: [String: Holder].self, from: data(4, 3))
    }
    expectRefused("Canary") { try KeyedUnarchiver.unarchivedObject(ofClasses: request, from: data(3, 4)) }
    expectRefused("Canary") { try KeyedUnarchiver.unarchivedObject(ofClasses: request, from: data(4, 3)) }
  }

  @Test("met again after it was decoded under another list")
  func metAgain() throws {
    let data = HandmadeList.archive(
      [["$class": .uid(2)], holder], top: [("a", .uid(1)), ("b", .uid(1)), ("c", .uid(1))])
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.decodingFailurePolicy = .raiseException
    let first = try unarchiver.decode(Holder.self, forKey: "a")
    #expect(throws: KeyedArchiveError.self) { try unarchiver.decode(Renamed.self, forKey: "b") }
    #expect(throws: KeyedArchiveError.self) { try unarchiver.decodeTopLevelObject(of: [Renamed.self], forKey: "b") }
    #expect(try unarchiver.decode(Holder.self, forKey: "c") === first)
  }

  @Test("as a collection met again under a narrower list")
  func collectionMetAgain() throws {
    let data = HandmadeList.archive(
      [
        ["NS.objects": [.uid(3)], "$class": .uid(2)], .classRecord("NSArray", "NSObject"), ["$class": .uid(4)], holder,
      ], top: [("a", .uid(1)), ("b", .uid(1)), ("c", .uid(1))])
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.decodingFailurePolicy = .raiseException
    for key in ["a", "b", "a"] {
      let array = try unarchiver.decodeTopLevelObject(of: [ArchivedArray.self, Holder.self], forKey: key)
      #expect((array as? ArchivedArray)?.elements.first is Holder)
    }
    #expect(throws: KeyedArchiveError.self) {
      try unarchiver.decodeTopLevelObject(of: [ArchivedArray.self, String.self], forKey: "c")
    }
  }

  @Test("a string or number where another kind is allowed")
  func bareValues() {
    let text = HandmadeList.archive(["text"])
    let number = HandmadeList.archive([5])
    expectRefused("NSString") { try KeyedUnarchiver.unarchivedObject(ofClass: Int.self, from: text) }
    expectRefused("NSString") { try KeyedUnarchiver.unarchivedObject(ofClasses: [Int.self, Holder.self], from: text) }
    expectRefused("NSNumber") { try KeyedUnarchiver.unarchivedObject(ofClass: String.self, from: number) }
    expectRefused("NSNumber") { try KeyedUnarchiver.unarchivedObject(ofClasses: [String.self], from: number) }
    expectRefused("NSString") { try KeyedUnarchiver.unarchivedObject(ofClass: Holder.self, from: text) }
  }

  @Test("aliases and names set on the decoder choose among the types asked for, never beyond")
  func names() throws {
    let old = HandmadeList.archive([["$class": .uid(2)], .classRecord("Old", "NSObject")])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Renamed.self, from: old) != nil)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClasses: [Holder.self, Renamed.self], from: old) is Renamed)
    expectRefused("Old") { try KeyedUnarchiver.unarchivedObject(ofClass: Holder.self, from: old) }

    let unarchiver = try KeyedUnarchiver(forReadingFrom: old)
    unarchiver.decodingFailurePolicy = .raiseException
    unarchiver.setClass(Canary.self, forClassName: "Old")
    expectRefused("Old") { try unarchiver.decode(Renamed.self, forKey: "root") }
    expectRefused("Old") { try unarchiver.decodeTopLevelObject(of: [Renamed.self], forKey: "root") }
    unarchiver.setClass(Holder.self, forClassName: "Old")
    #expect(try unarchiver.decode(Holder.self, forKey: "root").child == nil)
    #expect(try unarchiver.decodeTopLevelObject(of: [Holder.self], forKey: "root") is Holder)
  }

  @Test(
    "names that look alike",
    arguments: ["holder", "Holder ", "Holder\u{0}", "Нolder", "App.Holder", "Holde\u{301}r", ""])
  func lookAlikes(_ name: String) {
    let data = HandmadeList.archive([["$class": .uid(2)], .classRecord(name, "Holder", "NSObject")])
    expectRefused(name) { try KeyedUnarchiver.unarchivedObject(ofClass: Holder.self, from: data) }
  }

  @Test("superclasses and hints in the class record make nothing of the class itself")
  func claims() throws {
    let ancestry = HandmadeList.archive([["$class": .uid(2)], .classRecord("Canary", "Holder", "NSObject")])
    expectRefused("Canary") { try KeyedUnarchiver.unarchivedObject(ofClass: Holder.self, from: ancestry) }
    // A hint may name what was asked for, for that is what is made then.
    let hinted: HandmadeList = ["$classname": "Unknown", "$classes": ["Unknown"], "$classhints": ["Canary", "Holder"]]
    let data = HandmadeList.archive([["$class": .uid(2)], hinted])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Holder.self, from: data) != nil)
    #expect(Canary.births.withLock { $0 } == 0)
    expectRefused("Unknown") { try KeyedUnarchiver.unarchivedObject(ofClass: Renamed.self, from: data) }
  }

  @Test("subclasses come out only where the type they stand for names them")
  func subclasses() throws {
    func data(_ name: String) -> Data {
      HandmadeList.archive([["$class": .uid(2)], .classRecord(name, "Shape", "NSObject")])
    }
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Shape.self, from: data("Circle")) is Circle)
    expectRefused("Square") { try KeyedUnarchiver.unarchivedObject(ofClass: Shape.self, from: data("Square")) }
    expectRefused("Shape") { try KeyedUnarchiver.unarchivedObject(ofClass: Circle.self, from: data("Shape")) }
    #expect(try KeyedUnarchiver.unarchivedObject(ofClasses: [Square.self], from: data("Square")) is Square)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data("Square"))
    unarchiver.setClass(Square.self, forClassName: "Square")
    #expect(unarchiver.decodeObject(of: Shape.self, forKey: "root") is Square)
  }

  @Test("deferred references are judged before they wait")
  func deferred() throws {
    let data = HandmadeList.archive([["$class": .uid(2)], canary])
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    var delivered = false
    let found = unarchiver.decodeObject(of: Holder.self, forKey: "root") { _ in delivered = true }
    #expect(!found && !delivered)
    #expect(unarchiver.error?.code == .classNotAllowed)
    #expect(Canary.births.withLock { $0 } == 0)
  }

  @Test("a delegate may offer only what was asked for")
  func delegate() throws {
    final class Offering: KeyedUnarchiverDelegate {
      let offer: any KeyedCoding.Type
      init(_ offer: any KeyedCoding.Type) { self.offer = offer }
      func unarchiver(
        _ unarchiver: KeyedUnarchiver, cannotDecodeObjectOfClassName name: String, originalClasses: [String]
      ) -> (any KeyedCoding.Type)? { offer }
    }
    let data = HandmadeList.archive([["$class": .uid(2)], .classRecord("Lost", "NSObject")])
    for (offer, isAllowed) in [(Holder.self, true), (Canary.self, false)] as [(any KeyedCoding.Type, Bool)] {
      let delegate = Offering(offer)
      for isList in [false, true] {
        let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
        unarchiver.delegate = delegate
        func decode() throws -> Any? {
          isList
            ? try unarchiver.decodeTopLevelObject(of: [Holder.self], forKey: "root")
            : try unarchiver.decode(Holder.self, forKey: "root")
        }
        if isAllowed { #expect(try decode() is Holder) } else { expectRefused("Lost") { try decode() } }
      }
    }
  }

  @Test("hooks may put only a fitting object in another's place")
  func replacement() throws {
    final class Swapping: KeyedUnarchiverDelegate {
      func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: any KeyedCoding) -> (any KeyedCoding)? { "text" }
    }
    let data = HandmadeList.archive([["$class": .uid(2)], holder])
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let delegate = Swapping()
    unarchiver.delegate = delegate
    #expect(throws: KeyedArchiveError.self) { try unarchiver.decode(Holder.self, forKey: "root") }
  }

  @Test("types that do not adopt secure coding come out only where it is not required")
  func insecure() throws {
    for (name, type) in [("Insecure", Insecure.self), ("Disclaiming", Disclaiming.self)]
      as [(String, any KeyedCoding.Type)]
    {
      let data = HandmadeList.archive([["$class": .uid(2)], .classRecord(name, "NSObject")])
      let error = #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClasses: [type], from: data)
      }
      #expect(error?.code == .classNotSecure)
      #expect(error?.className == name)
      #expect(Insecure.births.withLock { $0 } == 0 && Disclaiming.births.withLock { $0 } == 0)
    }
    let data = HandmadeList.archive([["$class": .uid(2)], .classRecord("Insecure", "NSObject")])
    #expect(try KeyedUnarchiver.unarchiveTopLevelObjectWithData(data, classes: [Insecure.self]) is Insecure)
    expectRefused("Insecure") { try KeyedUnarchiver.unarchiveTopLevelObjectWithData(data, classes: [Holder.self]) }
  }

  @Test("the error names the class and what to do")
  func message() throws {
    let data = HandmadeList.archive([["child": .uid(3), "$class": .uid(2)], holder, ["$class": .uid(4)], canary])
    let error = try #require(
      #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClass: Holder.self, from: data)
      })
    #expect(error.description.contains("'Canary'"))
    #expect(error.description.contains("root.child"))
    #expect(error.remedy?.contains("archiveClassAliases") == true)
  }
}
