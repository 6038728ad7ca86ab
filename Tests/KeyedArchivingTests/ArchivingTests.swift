// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

private final class Insecure: KeyedCoding {
  init() {}
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) {}
}

private struct Failing: SecureKeyedCoding {
  struct Reason: Error {}
  init() {}
  func encode(with coder: KeyedArchiver) throws { throw Reason() }
  init(coder: KeyedUnarchiver) throws { throw Reason() }
}

@Suite("Archiving")
struct ArchivingTests {
  @Test("the owner's URL archive, written by iOS 14.1, is produced byte for byte")
  func nsURL() throws {
    let expected = try Data(contentsOf: Locations.fixtures.appending(path: "apple/NSURL.plist"))
    let url = try #require(URL(string: "https://nuomi1.github.io/"))
    #expect(try KeyedArchiver.archivedData(withRootObject: url, requiringSecureCoding: true) == expected)
  }

  @Test("a type without secure coding is refused where it is required, and no output is left")
  func insecure() throws {
    let error = try #require(
      #expect(throws: KeyedArchiveError.self) {
        try KeyedArchiver.archivedData(withRootObject: ["a": [Insecure()]], requiringSecureCoding: true)
      })
    #expect(error.code == .classNotSecure)
    #expect(error.className == "KeyedArchivingTests.Insecure")
    #expect(error.keyPath == "root[\"a\"][0]")
    #expect(error.remedy?.contains("SecureKeyedCoding") == true)

    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode("fine", forKey: "first")
    archiver.encode(Insecure(), forKey: "second")
    archiver.encode("too late", forKey: "third")
    #expect(archiver.error?.code == .classNotSecure)
    #expect(throws: KeyedArchiveError.self) { try archiver.encodedData }
    #expect(throws: KeyedArchiveError.self) { try archiver.finishEncoding() }
    #expect(try KeyedArchiver.archivedData(withRootObject: Insecure(), requiringSecureCoding: false).isEmpty == false)
  }

  @Test("what encode(with:) throws, the archiver throws")
  func failing() throws {
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: ["ok", "x"].map { _ in Failing() }, requiringSecureCoding: true)
    }
    #expect(error?.code == .reportedByClass)
    #expect(error?.underlying is Failing.Reason)
    #expect(error?.keyPath?.hasPrefix("root") == true)
  }

  @Test("several top-level keys, scalars among them")
  func topLevel() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.repeatedKeyPolicy = .keepLast
    archiver.encode("text", forKey: "string")
    archiver.encode(true, forKey: "flag")
    archiver.encode(42, forKey: "number")
    archiver.encode(2.5, forKey: "real")
    archiver.encode(nil, forKey: "nothing")
    archiver.encode("replaced", forKey: "string")
    archiver.encode("first")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.decodeString(forKey: "string") == "replaced")
    #expect(unarchiver.decodeBool(forKey: "flag"))
    #expect(unarchiver.decodeInteger(forKey: "number") == 42)
    #expect(unarchiver.decodeDouble(forKey: "real") == 2.5)
    #expect(unarchiver.decodeObject(of: String.self) == "first")
    #expect(unarchiver.error == nil)
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: String.self, from: archiver.encodedData)
    }
    #expect(error?.remedy?.contains("flag") == true)
  }

  @Test("what is encoded after the end makes the next call for the archive throw")
  func lateValues() throws {
    func late(_ archiver: KeyedArchiver) throws {
      #expect(throws: KeyedArchiveError.self) { try archiver.finishEncoding() }
      let error = #expect(throws: KeyedArchiveError.self) { try archiver.encodedData }
      #expect(error?.code == .alreadyFinished)
      #expect(error?.detail.contains("'late'") == true)
    }
    let read = KeyedArchiver(requiringSecureCoding: true)
    read.encode(1, forKey: "a")
    let data = try read.encodedData
    #expect(try read.encodedData == data)
    try read.finishEncoding()
    read.encode(2, forKey: "late")
    try late(read)

    let finished = KeyedArchiver(requiringSecureCoding: true)
    finished.encode(1, forKey: "a")
    try finished.finishEncoding()
    #expect(try finished.encodedData == data)
    finished.encode("text", forKey: "late")
    try late(finished)

    // From within the call that ends the archiving.
    final class Late: KeyedArchiverDelegate {
      func archiverDidFinish(_ archiver: KeyedArchiver) { archiver.encode("text", forKey: "late") }
    }
    let delegate = Late()
    let watched = KeyedArchiver(requiringSecureCoding: true)
    watched.delegate = delegate
    watched.encode(1, forKey: "a")
    try late(watched)
  }

  @Test("nothing can be encoded after the end, nor decoded")
  func finished() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode("text", forKey: "root")
    let data = try archiver.encodedData
    archiver.encode("more", forKey: "more")
    #expect(archiver.error?.code == .alreadyFinished)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.finishDecoding()
    #expect(unarchiver.decodeString(forKey: "root") == nil)
    #expect(unarchiver.error?.code == .alreadyFinished)
  }

  @Test("the text $null is a string like any other, as value, element and key", arguments: ArchiveLayout.allCases)
  func nullText(_ layout: ArchiveLayout) throws {
    let value: [String: [String?]] = ["$null": ["$null", nil, "x"]]
    let data = try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true, layout: layout)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [String: [String?]].self, from: data) == value)
  }

  @Test("sets and dictionaries are archived in an order that does not differ from run to run")
  func stableOrder() throws {
    let strings = ["b", "a", "é", "aa", "", "B"]
    let archive = try KeyedArchive(
      KeyedArchiver.archivedData(withRootObject: Set(strings), requiringSecureCoding: true))
    #expect(archive.root.array?.compactMap(\.string) == ["", "B", "a", "aa", "b", "é"])
    let numbers = try KeyedArchive(
      KeyedArchiver.archivedData(withRootObject: [3: "c", -1: "a", 2: "b"], requiringSecureCoding: true))
    #expect(numbers.root.dictionary?.compactMap { $0.key.number?.integer } == [-1, 2, 3])
    #expect(numbers.root.dictionary?.compactMap { $0.value.string } == ["a", "b", "c"])
    let dates = Set((0..<20).map { Date(timeIntervalSinceReferenceDate: Double($0)) })
    let once = try KeyedArchiver.archivedData(withRootObject: dates, requiringSecureCoding: true)
    var again = Set<Date>(minimumCapacity: 1000)
    for date in dates.sorted(by: >) { again.insert(date) }
    #expect(try KeyedArchiver.archivedData(withRootObject: again, requiringSecureCoding: true) == once)
  }

  @Test("an array in which Apple's archiver would share is laid out as Apple's is")
  func appleLayout() throws {
    // Seven characters are kept in a pointer, so equal texts are one object; long texts are objects of their own.
    let archive = try KeyedArchive(
      KeyedArchiver.archivedData(
        withRootObject: ["seven77", "seven77", "a longer text", "a longer text"], requiringSecureCoding: true))
    let numbers = try #require(archive.root.array).map(\.uid)
    #expect(numbers[0] == numbers[1])
    #expect(numbers[2] != numbers[3])
    let ints = try KeyedArchive(
      KeyedArchiver.archivedData(withRootObject: [5, 5, 1 << 60, 1 << 60], requiringSecureCoding: true))
    let uids = try #require(ints.root.array).map(\.uid)
    #expect(uids[0] == uids[1])
    #expect(uids[2] != uids[3])
  }

  @Test("the compact layout is the smallest, and all layouts say the same")
  func layouts() throws {
    let value = ["a": [1.5, 1.5, 0], "b": [2, 2]]
    var sizes: [ArchiveLayout: Int] = [:]
    for layout in ArchiveLayout.allCases {
      let data = try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true, layout: layout)
      sizes[layout] = data.count
      #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [String: [Double]].self, from: data) == value)
    }
    #expect(sizes[.compact] ?? 0 < sizes[.apple] ?? 0)
    #expect(sizes[.apple] == sizes[.appleLegacy])
  }

  @Test("both stored forms of collections, strings and data are read")
  func storedForms() throws {
    let numbered: HandmadeList = ["NS.object.0": .uid(3), "NS.object.1": .uid(4), "$class": .uid(2)]
    let array = HandmadeList.archive([numbered, .classRecord("NSMutableArray", "NSArray", "NSObject"), "a", "b"])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [String].self, from: array) == ["a", "b"])
    let set = HandmadeList.archive([numbered, .classRecord("NSSet", "NSObject"), "a", "b"])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Set<String>.self, from: set) == ["a", "b"])
    let pairs: HandmadeList = ["NS.key.0": .uid(3), "NS.object.0": .uid(4), "$class": .uid(2)]
    let dictionary = HandmadeList.archive([pairs, .classRecord("NSMutableDictionary", "NSDictionary"), "a", "b"])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [String: String].self, from: dictionary) == ["a": "b"])
    let string = HandmadeList.archive([["NS.string": "text", "$class": .uid(2)], .classRecord("NSMutableString")])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: String.self, from: string) == "text")
    let bytes = HandmadeList.archive([
      ["NS.bytes": .data(Array("téxt".utf8)), "$class": .uid(2)], .classRecord("NSString"),
    ])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: String.self, from: bytes) == "téxt")
    for key in ["NS.data", "NS.bytes"] {
      let data = HandmadeList.archive([
        .dictionary([(key, .data([1, 2])), ("$class", .uid(2))]), .classRecord("NSMutableData", "NSData"),
      ])
      #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Data.self, from: data) == Data([1, 2]))
    }
    let outside = HandmadeList.archive([
      ["NS.data": .uid(3), "$class": .uid(2)], .classRecord("NSMutableData", "NSData"), .data([3]),
    ])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Data.self, from: outside) == Data([3]))
  }

  /// Payloads that make no valid object.
  static let malformed: [(String, HandmadeList, any (KeyedCoding & SendableMetatype).Type)] = [
    ("NSUUID", ["NS.uuidbytes": .data([1, 2, 3])], UUID.self),
    ("NSUUID", [:], UUID.self),
    ("NSDate", ["NS.time": .real(.nan)], Date.self),
    ("NSDate", [:], Date.self),
    ("NSDate", ["NS.time": "now"], Date.self),
    ("NSURL", ["NS.base": .uid(0)], URL.self),
    ("NSURL", ["NS.base": .uid(1), "NS.relative": .uid(3)], URL.self),
    ("NSArray", ["NS.objects": "none"], [String].self),
    ("NSArray", ["NS.objects": [1]], [String].self),
    ("NSArray", ["NS.objects": [.uid(0)]], [String].self),
    ("NSArray", ["NS.objects": [.uid(77)]], [String].self),
    ("NSArray", ["other": 1], [String].self),
    ("NSDictionary", ["NS.keys": [.uid(3), .uid(3)], "NS.objects": [.uid(3)]], [String: String].self),
    ("NSDictionary", ["NS.keys": [.uid(3), .uid(3)], "NS.objects": [.uid(3), .uid(3)]], [String: String].self),
    ("NSDictionary", ["NS.objects": [.uid(3)]], [String: String].self),
    ("NSSet", ["NS.objects": [.uid(3), .uid(3)]], Set<String>.self),
    ("NSMutableString", ["NS.string": .data([1])], String.self),
    ("NSMutableString", ["NS.bytes": .data([0xFF])], String.self),
    ("NSMutableData", ["NS.data": "text"], Data.self),
    ("NSNumber", ["NS.intval": 1], Int.self),
  ]

  @Test("a payload that makes no valid object is an error, never a default", arguments: 0..<20)
  func malformedPayload(_ row: Int) throws {
    let (name, payload, type) = Self.malformed[row]
    guard case .dictionary(let values) = payload else { return }
    let data = HandmadeList.archive([
      .dictionary(values + [("$class", .uid(2))]), .classRecord(name, "NSObject"), "text",
    ])
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClasses: [type], from: data)
    }
    #expect(error?.keyPath?.hasPrefix("root") == true, "\(String(describing: error))")
  }
}
