// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import TestSupport
import Testing

@Suite("The forms of a request agree")
struct RequestFormTests {
  /// A struct that is archived as an array.
  private struct Tags: KeyedCodable, Equatable {
    static var archiveClassName: String { "Tags" }
    var all: [String]
    init(from decoder: any Decoder) throws { all = try decoder.singleValueContainer().decode([String].self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(all)
    }
  }

  /// A struct that decodes another type.
  private struct Title: SecureKeyedCoding, Equatable {
    static var archiveClassName: String { "Title" }
    var all: [String]
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) { nil }
    init(_ all: [String]) { self.all = all }
    static func decode(_ uid: ArchiveUID, in coder: KeyedUnarchiver) throws -> Title? {
      try [String].decode(uid, in: coder).map(Title.init)
    }
  }

  /// Decodes the value for `value`, directly or with a closure.
  private final class Owner<Value: KeyedCoding>: SecureKeyedCoding {
    static var archiveClassName: String { "Owner" }
    let direct: Value?
    var delivered: [Value] = []
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws {
      direct = try? coder.decodeIfPresent(Value.self, forKey: "value")
      coder.decodeObject(of: Value.self, forKey: "value") { self.delivered.append($0) }
    }
  }

  private func owner<Value: KeyedCoding>(_ type: Value.Type, _ value: [HandmadeList]) throws -> Owner<Value> {
    let data = HandmadeList.archive(
      [Hostile.object(2, [("value", .uid(3))]), .classRecord("Owner", "NSObject")] + value)
    return try Hostile.decoder(data).decode(Owner<Value>.self, forKey: "root")
  }

  private let array = [Hostile.object(4, [("NS.objects", .array([.uid(5)]))]), Hostile.array, "text"]

  @Test("for a struct that is archived in another form than an object of its class, with a closure and without")
  func otherForms() throws {
    let tags = try owner(Tags.self, array)
    #expect(tags.direct?.all == ["text"] && tags.delivered == tags.direct.map { [$0] })
    let title = try owner(Title.self, array)
    #expect(title.direct == Title(["text"]) && title.delivered == [Title(["text"])])
  }

  @Test("for an optional for which the archive has NSNull or an object, with a closure and without")
  func null() throws {
    let none = try owner(Parent?.self, [Hostile.object(4), .classRecord("NSNull", "NSObject")])
    #expect(none.delivered.count == 1 && none.delivered.first.flatMap { $0 } == nil)
    let some = try owner(Parent?.self, [Hostile.object(4), Hostile.parent])
    #expect(some.delivered.count == 1 && some.delivered.first.flatMap { $0 } === some.direct.flatMap { $0 })
  }

  @Test("for a struct of another class, with a closure and without: an error that names the key")
  func otherClass() throws {
    for isStruct in [true, false] {
      let error = #expect(throws: KeyedArchiveError.self) {
        if isStruct {
          _ = try owner(Title.self, [Hostile.object(4), Hostile.canary])
        } else {
          _ = try owner(Parent.self, [Hostile.object(4), Hostile.canary])
        }
      }
      #expect(error?.code == .classNotAllowed && error?.className == "Canary" && error?.keyPath == "root.value")
    }
  }

  /// A node that refers to the next one by a closure.
  private final class Node: SecureKeyedCoding {
    static var archiveClassName: String { "Node" }
    var next: Node?
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) { coder.decodeObject(of: Node.self, forKey: "next") { self.next = $0 } }
  }

  private let nodes = HandmadeList.archive(
    [Hostile.object(2, [("next", .uid(3))]), .classRecord("Node", "NSObject"), Hostile.object(2)],
    top: [("root", .uid(1)), ("other", .uid(3))])

  @Test("by a UID and by a key: deferred references are delivered before the call returns")
  func uids() throws {
    let coder = try Hostile.decoder(nodes)
    let node = try #require(try Node.decode(ArchiveUID(rawValue: 1), in: coder))
    let next = try #require(node.next)
    #expect(try coder.decode(Node.self, forKey: "other") === next)
    #expect(try Node.decode(ArchiveUID(rawValue: 1), in: coder) === node)
    #expect(throws: KeyedArchiveError.self) { try Node.decode(ArchiveUID(rawValue: 9), in: coder) }
  }

  @Test("by a UID and by a key: nothing is decoded after the end")
  func finished() throws {
    let coder = try Hostile.decoder(nodes)
    coder.finishDecoding()
    let byUID = #expect(throws: KeyedArchiveError.self) { try Node.decode(ArchiveUID(rawValue: 1), in: coder) }
    #expect(byUID?.code == .alreadyFinished)
    let byKey = #expect(throws: KeyedArchiveError.self) { try coder.decode(Node.self, forKey: "root") }
    #expect(byKey?.code == .alreadyFinished)
  }

  enum Kind: Int, KeyedCodable { case low, high }

  /// An object with inline values, which it decodes with closures.
  private final class Meter: SecureKeyedCoding {
    static var archiveClassName: String { "Meter" }
    var kind: Kind?
    var count: Int?
    var bytes: Data?
    var isOn: Bool?
    init() {}
    func encode(with coder: KeyedArchiver) {
      coder.encode(Kind.high, forKey: "kind")
      coder.encode(7, forKey: "count")
      coder.encodeBytes(Data([1, 2, 3]), forKey: "bytes")
      coder.encode(true, forKey: "isOn")
    }
    init(coder: KeyedUnarchiver) throws {
      coder.decodeObject(of: Kind.self, forKey: "kind") { self.kind = $0 }
      coder.decodeObject(of: Int.self, forKey: "count") { self.count = $0 }
      coder.decodeObject(of: Data.self, forKey: "bytes") { self.bytes = $0 }
      coder.decodeObject(of: Bool.self, forKey: "isOn") { self.isOn = $0 }
    }
  }

  @Test("for values inside their object, with a closure and without")
  func inline() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Meter(), requiringSecureCoding: true)
    let meter = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Meter.self, from: data))
    #expect(meter.kind == .high && meter.count == 7 && meter.bytes == Data([1, 2, 3]) && meter.isOn == true)
  }

  private final class Holder: SecureKeyedCoding {
    static var archiveClassName: String { "Holder" }
    var answers: [Bool] = []
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws {
      answers.append(coder.decodeObject(of: Meter.self, forKey: "none") { _ in self.answers.append(true) })
      answers.append(coder.decodeObject(of: [Meter.self], forKey: "none") { _ in self.answers.append(true) })
      answers.append(coder.decodeObject(of: Meter.self, forKey: "reserved") { _ in self.answers.append(true) })
      answers.append(coder.decodeObject(of: [Meter.self], forKey: "reserved") { _ in self.answers.append(true) })
    }
  }

  @Test("for nil, and for a place that was reserved for an object that was never archived")
  func reserved() throws {
    let data = HandmadeList.archive([
      ["none": .uid(0), "reserved": .uid(3), "$class": .uid(2)], .classRecord("Holder", "NSObject"), "$null",
    ])
    let holder = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Holder.self, from: data))
    #expect(holder.answers == [false, false, false, false])
  }

  @Test("for a real in a list of types, in either order")
  func reals() throws {
    let data = try KeyedArchiver.archivedData(
      withRootObject: ArchivedArray([Double.pi, 0.5, Float(1.5)]), requiringSecureCoding: true)
    for types: [any KeyedCoding.Type] in [[Float.self, Double.self], [Double.self, Float.self]] {
      let reals = try KeyedUnarchiver.unarchivedArrayOfObjects(ofClasses: types, from: data)
      #expect(reals?.first as? Double == Double.pi, "\(types)")
    }
    let rounded = try KeyedUnarchiver.unarchivedArrayOfObjects(ofClasses: [Float.self], from: data)
    #expect(rounded?.first as? Float == Float(Double.pi))
  }

  private final class Box: SecureKeyedCoding {
    static var archiveClassName: String { "Box" }
    var parts: [ArchivedDictionary] = []
    let isListed: Bool
    init(_ parts: [ArchivedDictionary]) { (self.parts, isListed) = (parts, false) }
    func encode(with coder: KeyedArchiver) {
      for (index, part) in parts.enumerated() { coder.encode(part, forKey: "part\(index)") }
      coder.encode(isListed, forKey: "isListed")
    }
    init(coder: KeyedUnarchiver) throws {
      isListed = !coder.userInfo.isEmpty
      for index in 0..<3 {
        let part =
          isListed
          ? coder.decodeDictionary(
            withKeysOfClasses: [String.self], objectsOfClasses: [ArchiveNumber.self], forKey: "part\(index)")
          : coder.decodeObject(
            of: [ArchivedDictionary.self, String.self, ArchiveNumber.self], forKey: "part\(index)")
            as? ArchivedDictionary
        if let part { parts.append(part) }
      }
    }
  }

  @Test("for a shared mutable dictionary, with one list and with two", arguments: [false, true])
  func dictionary(_ isListed: Bool) throws {
    let part = ArchivedDictionary([("a", ArchiveNumber.integer(1))], isMutable: true)
    let data = try KeyedArchiver.archivedData(withRootObject: Box([part, part, part]), requiringSecureCoding: true)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    if isListed { unarchiver.userInfo[try #require(CodingUserInfoKey(rawValue: "isListed"))] = true }
    let box = try #require(try unarchiver.decodeTopLevelObject(of: Box.self, forKey: "root"))
    #expect(box.parts.count == 3 && box.parts.allSatisfy(\.isMutable))
    #expect(
      try KeyedArchiver.archivedData(withRootObject: Box(box.parts), requiringSecureCoding: true) == data)
  }

  // An object as two types.

  private final class Whole: SecureKeyedCoding {
    static var archiveClassName: String { "X" }
    let child: Child?
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws { child = try coder.decodeIfPresent(Child.self, forKey: "child") }
  }

  private final class Part: SecureKeyedCoding {
    static var archiveClassName: String { "X" }
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) {}
  }

  private final class Child: SecureKeyedCoding {
    static var archiveClassName: String { "Child" }
    let x: Part
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws { x = try coder.decode(Part.self, forKey: "x") }
  }

  @Test("for an instance that is decoded as another type meanwhile, in either order")
  func twoTypes() throws {
    let data = HandmadeList.archive(
      [
        Hostile.object(2, [("child", .uid(3))]), .classRecord("X", "NSObject"),
        Hostile.object(4, [("x", .uid(1))]), .classRecord("Child", "NSObject"),
      ], top: [("root", .uid(1)), ("child", .uid(3))])
    let coder = try Hostile.decoder(data)
    let part = try coder.decode(Part.self, forKey: "root")
    #expect(try coder.decode(Whole.self, forKey: "root").child?.x === part)
    let other = try Hostile.decoder(data)
    let child = try other.decode(Child.self, forKey: "child")
    #expect(try other.decode(Whole.self, forKey: "root").child === child)
    // Without an earlier instance, the reference closes a cycle.
    let error = #expect(throws: KeyedArchiveError.self) {
      try Hostile.decoder(data).decode(Cyclic.self, forKey: "root")
    }
    #expect(error?.code == .cycle)
  }

  private final class Cyclic: SecureKeyedCoding {
    static var archiveClassName: String { "X" }
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws { _ = try coder.decodeIfPresent(CyclicChild.self, forKey: "child") }
  }

  private final class CyclicChild: SecureKeyedCoding {
    static var archiveClassName: String { "Child" }
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws { _ = try coder.decode(Cyclic.self, forKey: "x") }
  }
}
