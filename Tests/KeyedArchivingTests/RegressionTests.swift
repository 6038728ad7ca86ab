// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchives
import PropertyListFormat
import TestSupport
import Testing

@testable import KeyedArchiving

@Suite("What once went wrong")
struct RegressionTests {
  /// An object with one value.
  private struct Box: SecureKeyedCoding {
    static let archiveClassName = "Box"
    var data = Data()

    func encode(with coder: KeyedArchiver) { coder.encodeBytes(data, forKey: "data") }
    init(_ data: Data) { self.data = data }
    init(coder: KeyedUnarchiver) { data = coder.decodeBytes(forKey: "data") ?? Data() }
  }

  @Test("an archive of one's own meets no limit on the way to XML, however often it shares its values")
  func sharedInXML() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true, layout: .compact)
    archiver.outputFormat = .xml
    let bytes = Data(repeating: 7, count: 30_000)
    archiver.encode((0..<100).map { _ in Box(bytes) }, forKey: "root")
    let boxes = try KeyedArchive(archiver.encodedData).root
    #expect(boxes.array?.count == 100 && boxes[99]["data"].data == bytes)
  }

  @Test("unreachable objects are not looked for below a damaged top")
  func damagedTop() throws {
    let bytes = HandmadeList.archive(["text", "more"], top: [("root", .uid(1)), ("x", .raw([0x00]))])
    var archive = try KeyedArchive(bytes)
    #expect(throws: KeyedArchiveError.self) { try archive.discardUnreachableObjects() }
    #expect(try archive.data() == bytes)
  }

  @Test("of two values under one key the one that is read is set")
  func duplicateKey() throws {
    let object = HandmadeList.dictionary([("k", 1), ("k", 2), ("$class", .uid(2))])
    var archive = try KeyedArchive(HandmadeList.archive([object, .classRecord("Box")]))
    #expect(archive.root["k"].number?.integer == 1)
    try archive.setValue(.integer(3), forKey: "k", of: ArchiveUID(rawValue: 1))
    #expect(archive.root["k"].number?.integer == 3)
  }

  @Test("an empty dictionary among the objects is damage, and no class record")
  func emptyObject() throws {
    let archive = try KeyedArchive(HandmadeList.archive([.dictionary([]), .classRecord("Box")]))
    #expect(archive.root.kind == .missing && !archive.root.exists)
  }

  @Test("a top-level key whose value is damaged is not said to be missing")
  func damagedRoot() throws {
    let bytes = HandmadeList.archive(["text"], top: [("root", .raw([0x70]))])
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: String.self, from: bytes)
    }
    #expect(error?.code == .damagedPropertyList)
  }

  @Test("calls that throw do so after the end, too")
  func afterTheEnd() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: "text", requiringSecureCoding: true)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.finishDecoding()
    let error = #expect(throws: KeyedArchiveError.self) { try unarchiver.decode(String.self, forKey: "root") }
    #expect(error?.code == .alreadyFinished)
  }

  @Test("a dictionary with fewer values than keys, or more, is not archived", arguments: [0, 2])
  func unequal(count: Int) {
    var dictionary = ArchivedDictionary([("key", 1)])
    dictionary.values = Array(repeating: 5, count: count)
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: dictionary, requiringSecureCoding: true)
    }
    #expect(error?.code == .notEncodable)
  }

  @Test("values without keys cost the same however many there are", .notHanging)
  func manyUnkeyed() throws {
    struct Many: SecureKeyedCoding {
      var sum = 0
      func encode(with coder: KeyedArchiver) { for number in 0..<10_000 { coder.encode(number) } }
      init() {}
      init(coder: KeyedUnarchiver) {
        while coder.containsNextValue { sum += coder.decodeObject(of: Int.self) ?? 0 }
      }
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Many(), requiringSecureCoding: true)
    var many: Many?
    let time = try System.time { many = try KeyedUnarchiver.unarchivedObject(ofClass: Many.self, from: data) }
    #expect(many?.sum == 10_000 * 9999 / 2)
    // A search through all of them for each took half a minute.
    #expect(time < .seconds(10))
  }

  @Test("a file whose name has 249 bytes can be written, and a private one stays private")
  func names() throws {
    let scratch = try ScratchFolder()
    let url = scratch.url.appending(path: String(repeating: "名", count: 83))
    for text in ["one", "two"] {
      try KeyedArchiver.archive(text, to: url, requiringSecureCoding: true)
      #expect(try KeyedUnarchiver.unarchivedObject(ofClass: String.self, from: Data(contentsOf: url)) == text)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    }
    try KeyedArchiver.archive("three", to: url, requiringSecureCoding: true)
    #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path).count == 1)
  }

  @Test("a date interval or a calendar that a decoder would reject is not archived")
  func decodableValues() throws {
    func check<Value: SecureKeyedCoding & Equatable>(_ value: Value, isArchived: Bool) throws {
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      archiver.encode(value, forKey: "root")
      #expect((archiver.error?.code == nil) == isArchived, "\(value)")
      guard isArchived else {
        #expect(archiver.error?.code == .notEncodable)
        return
      }
      #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: archiver.encodedData) == value)
    }
    for (start, duration, isArchived) in [
      (0, 1, true), (1.5e308, 1.5e308, false), (-1.5e308, 1.5e308, true), (.greatestFiniteMagnitude, 0, true),
      (.greatestFiniteMagnitude, 1e300, false), (.infinity, 0, false), (0, .infinity, false),
    ] as [(Double, Double, Bool)] {
      let interval = DateInterval(start: Date(timeIntervalSinceReferenceDate: start), duration: duration)
      try check(interval, isArchived: isArchived)
    }
    for days in [-1, 0, 1, 7, 8, .max] {
      try check(ArchivedCalendar(identifier: "gregorian", firstWeekday: days), isArchived: 1...7 ~= days)
      try check(ArchivedCalendar(identifier: "gregorian", minimumDaysInFirstWeek: days), isArchived: 1...7 ~= days)
    }
  }

  @Test("keys of nested containers are the same when their bytes are")
  func exactNestedKeys() throws {
    struct Nested: KeyedCodable, Equatable {
      struct Key: CodingKey, ExpressibleByStringLiteral {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
        init(stringLiteral value: String) { stringValue = value }
      }
      var values = [1, 2]

      init() {}
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var nested = container.nestedContainer(keyedBy: Key.self, forKey: "nested")
        try nested.encode(values[0], forKey: "\u{E9}")
        try nested.encode(values[1], forKey: "e\u{301}")
      }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let nested = try container.nestedContainer(keyedBy: Key.self, forKey: "nested")
        values = try [nested.decode(Int.self, forKey: "\u{E9}"), nested.decode(Int.self, forKey: "e\u{301}")]
      }
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Nested(), requiringSecureCoding: true)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Nested.self, from: data)?.values == [1, 2])
  }
}
