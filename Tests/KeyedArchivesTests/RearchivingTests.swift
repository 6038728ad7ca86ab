// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

/// A type that is archived as a number where no reference is needed.
private enum Kind: Int, KeyedCodable {
  case small = 3
  case large = 70_000
}

/// Encodes a value in the call that records it, which is an error.
private struct Intruder: SecureKeyedCoding {
  init() {}
  func record(in coder: KeyedArchiver) -> RecordedValue {
    coder.encode(77, forKey: "side")
    return "text".record(in: coder)
  }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) { nil }
}

/// Refers to a primitive conditionally, before or after another reference to it.
private struct BoxHolder: SecureKeyedCoding {
  let box: BoxedPrimitive
  let conditionalFirst: Bool
  init(_ box: BoxedPrimitive, conditionalFirst: Bool) { (self.box, self.conditionalFirst) = (box, conditionalFirst) }
  func encode(with coder: KeyedArchiver) {
    if conditionalFirst { coder.encodeConditionalObject(box, forKey: "back") }
    coder.encode(box, forKey: "object")
    if !conditionalFirst { coder.encodeConditionalObject(box, forKey: "back") }
  }
  init?(coder: KeyedUnarchiver) { nil }
}

@Suite("Archiving decoded and built objects")
struct RearchivingTests {
  private func root(_ value: some KeyedCoding) throws -> KeyedArchive.Node {
    try KeyedArchive(KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)).root
  }

  private func list(_ elements: [ArchivedObject.Value]) -> ArchivedObject {
    ArchivedObject(classes: "NSArray", "NSObject", entries: [.init("NS.objects", .references(elements))])
  }

  @Test("archives structs and enums among references as objects, also those that become a single value")
  func singleValues() throws {
    let box = BoxedPrimitive(.string("a text that no pointer holds"))
    let values: [ArchivedObject.Value] = [.value(Kind.small), .boxed(box), .value(Kind.large), .null, .value(2.5)]
    let elements = try #require(try root(list(values)).array)
    #expect(elements.map(\.number) == [.integer(3), nil, .integer(70_000), nil, .double(2.5)])
    #expect(elements[1].string == "a text that no pointer holds" && elements[3].isNull)
    // Under a key of its own, such a value is inline, as a property is.
    let object = ArchivedObject(classes: "Owner", "NSObject", entries: [.init("kind", .value(Kind.large))])
    #expect(try root(object)["kind"].number == .integer(70_000) && root(object)["kind"].uid == nil)
  }

  @Test("rejects a value that is encoded while references are recorded")
  func sideEffect() throws {
    let box = BoxedPrimitive(.string("a text that no pointer holds"))
    for values in [[.value(Intruder())], [.value(Intruder()), .boxed(box)], [.boxed(box), .value(Intruder())]]
      as [[ArchivedObject.Value]]
    {
      let error = #expect(throws: KeyedArchiveError.self) { try root(list(values)) }
      #expect(error?.code == .notEncodable && error?.remedy?.contains("record(in:)") == true)
    }
  }

  @Test("rejects references that are encoded outside of any object")
  func outside() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    try list([.value(1)]).encode(with: archiver)
    #expect(archiver.error?.code == .notEncodable)
    #expect(throws: KeyedArchiveError.self) { try archiver.encodedData }
  }

  @Test("archives each object under its class, although decoders and objects before it were released")
  func releasedLayouts() throws {
    let archives = try (0..<200).map { number in
      let object = ArchivedObject(
        classes: "Class \(number)", "NSObject",
        entries: [.init("x", .number(.integer(1))), .init("key \(number)", .number(.integer(1)))])
      return try KeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    }
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    for (number, data) in archives.enumerated() {
      let object = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data))
      archiver.encode(object, forKey: "object \(number)")
      // The object lets go of its layout.
      object.archivedClass = ClassDescription(name: "Other", chain: ["Other", "NSObject"])
    }
    let archive = try KeyedArchive(archiver.encodedData)
    for number in archives.indices {
      #expect(archive["object \(number)"].className == "Class \(number)")
      #expect(archive["object \(number)"]["key \(number)"].number == .integer(1))
    }
  }

  @Test(
    "lets a conditional reference to a primitive lead to it, before and after other references",
    arguments: [false, true])
  func conditionalPrimitive(isFirst: Bool) throws {
    for value in [.string("a text that no pointer holds"), .number(.integer(1 << 60)), .data(Data([1, 2]))]
      as [ArchivePrimitive]
    {
      let archive = try KeyedArchive(
        KeyedArchiver.archivedData(
          withRootObject: BoxHolder(BoxedPrimitive(value), conditionalFirst: isFirst), requiringSecureCoding: true))
      #expect(archive.root["back"].uid == archive.root["object"].uid && !archive.root["back"].isNull)
      // `$null`, the holder, the primitive and the class.
      #expect(archive.objectCount == 4)
    }
  }

  @Test("archives a boxed string that would be read as nil as an object", arguments: [false, true])
  func nullText(isFirst: Bool) throws {
    let box = BoxedPrimitive(.string("$null"))
    let holder = BoxHolder(box, conditionalFirst: isFirst)
    let data = try KeyedArchiver.archivedData(withRootObject: [holder, holder], requiringSecureCoding: true)
    let nodes = try #require(try KeyedArchive(data).root.array)
    #expect(Set(nodes.flatMap { [$0["back"].uid, $0["object"].uid] }).count == 1)
    #expect(try root([box, BoxedPrimitive(.string("a"))]).array?.map(\.string) == ["$null", "a"])
    #expect(try root(["$null"])[0].className == root([box])[0].className)
  }
}
