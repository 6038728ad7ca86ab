// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

/// A built-in value as we have it and as the toolchain's Foundation has it.
private struct Row: Sendable, CustomTestStringConvertible {
  var name: String
  /// Our archive of the value.
  var archive: @Sendable (ArchiveLayout) throws -> Data
  /// Whether our reader finds the value in an archive.
  var matches: @Sendable (Data) throws -> Bool
  /// The value as an object of Foundation's.
  var object: @Sendable () -> NSObject

  var testDescription: String { name }

  init<Value: KeyedCoding & Equatable & Sendable>(
    _ name: String, _ value: Value, _ object: @escaping @Sendable () -> NSObject
  ) {
    self.name = name
    archive = { try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true, layout: $0) }
    matches = { try KeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: $0) == value }
    self.object = object
  }
}

private let date = Date(timeIntervalSinceReferenceDate: 123_456.75)
private let uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

private let rows: [Row] = [
  Row("Bool true", true) { NSNumber(value: true) },
  Row("Bool false", false) { NSNumber(value: false) },
  Row("Int", -5) { NSNumber(value: -5) },
  Row("Int8", Int8(-128)) { NSNumber(value: Int8(-128)) },
  Row("Int16", Int16(300)) { NSNumber(value: Int16(300)) },
  Row("Int32", Int32.min) { NSNumber(value: Int32.min) },
  Row("Int64", Int64.max) { NSNumber(value: Int64.max) },
  Row("UInt", UInt(7)) { NSNumber(value: UInt(7)) },
  Row("UInt8", UInt8(255)) { NSNumber(value: UInt8(255)) },
  Row("UInt16", UInt16(65_535)) { NSNumber(value: UInt16(65_535)) },
  Row("UInt32", UInt32.max) { NSNumber(value: UInt32.max) },
  Row("UInt64", UInt64(1) << 63 - 1) { NSNumber(value: UInt64(1) << 63 - 1) },
  Row("Float", Float(2.5)) { NSNumber(value: Float(2.5)) },
  Row("Double", 0.1) { NSNumber(value: 0.1) },
  Row("empty string", "") { "" as NSString },
  Row("short string", "tagged") { "tagged" as NSString },
  Row("ASCII string", "a string of some length") { "a string of some length" as NSString },
  Row("other string", "Kreatür № 5 😀 e\u{301}") { "Kreatür № 5 😀 e\u{301}" as NSString },
  Row("string with control characters", "a\u{1}\n\t\u{7F}") { "a\u{1}\n\t\u{7F}" as NSString },
  Row("Data", Data([0, 1, 255])) { Data([0, 1, 255]) as NSData },
  Row("empty Data", Data()) { Data() as NSData },
  Row("Date", date) { date as NSDate },
  Row("URL", URL(filePath: "/folder/a b")) { URL(filePath: "/folder/a b") as NSURL },
  Row("URL with a base", URL(string: "b?c#d", relativeTo: URL(string: "http://a/x/"))) {
    NSURL(string: "b?c#d", relativeTo: URL(string: "http://a/x/")) ?? NSURL(fileURLWithPath: "/")
  },
  Row("UUID", uuid) { uuid as NSUUID },
  Row("Array", ["a", "b", ""]) { ["a", "b", ""] as NSArray },
  Row("empty Array", [String]()) { NSArray() },
  Row("Array of arrays", [[1, 2], [], [3]]) { [[1, 2], [], [3]] as NSArray },
  Row("Dictionary", ["a": 1.5, "b": 2.5]) { ["a": 1.5, "b": 2.5] as NSDictionary },
  Row("Dictionary of dictionaries", ["x": ["y": date]]) { ["x": ["y": date]] as NSDictionary },
  Row("Set", Set(["x", "y", "z"])) { Set(["x", "y", "z"]) as NSSet },
  Row("null", ArchiveNull()) { NSNull() },
  Row("Optionals", ["a", nil, "c"] as [String?]) { ["a", NSNull(), "c"] as NSArray },
]

private let foundationClasses: [AnyClass] = [
  NSString.self, NSNumber.self, NSData.self, NSDate.self, NSURL.self, NSUUID.self, NSArray.self, NSDictionary.self,
  NSSet.self, NSNull.self, FoundationCreature.self,
]

/// The tutorial's model for the toolchain's Foundation, whose archiver takes no private classes.
final class FoundationCreature: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let title: String
  let rating: Float
  let friend: FoundationCreature?

  init(title: String, rating: Float, friend: FoundationCreature? = nil) {
    self.title = title
    self.rating = rating
    self.friend = friend
  }

  func encode(with coder: NSCoder) {
    coder.encode(title as NSString, forKey: "Title")
    coder.encode(rating, forKey: "Rating")
    coder.encode(NSNumber(value: rating), forKey: "Boxed")
    coder.encode(true, forKey: "Flag")
    coder.encode(Int32(-7), forKey: "Int32")
    coder.encode(Int64(1) << 40, forKey: "Int64")
    coder.encode(2.5, forKey: "Double")
    coder.encode(friend, forKey: "Friend")
  }

  init?(coder: NSCoder) {
    guard let title = coder.decodeObject(of: NSString.self, forKey: "Title") else { return nil }
    self.title = title as String
    rating = coder.decodeFloat(forKey: "Rating")
    guard coder.decodeObject(of: NSNumber.self, forKey: "Boxed")?.floatValue == rating,
      coder.decodeBool(forKey: "Flag"), coder.decodeInt32(forKey: "Int32") == -7,
      coder.decodeInt64(forKey: "Int64") == 1 << 40, coder.decodeDouble(forKey: "Double") == 2.5
    else { return nil }
    friend = coder.decodeObject(of: FoundationCreature.self, forKey: "Friend")
  }
}

/// The same for us.
private final class OurCreature: SecureKeyedCoding {
  static var archiveClassName: String { "KeyedArchivingTests.FoundationCreature" }
  let title: String
  let rating: Float
  let friend: OurCreature?

  init(title: String, rating: Float, friend: OurCreature? = nil) {
    self.title = title
    self.rating = rating
    self.friend = friend
  }

  func encode(with coder: KeyedArchiver) {
    coder.encode(title, forKey: "Title")
    coder.encode(rating, forKey: "Rating")
    coder.encodeObject(rating, forKey: "Boxed")
    coder.encode(true, forKey: "Flag")
    coder.encode(Int32(-7), forKey: "Int32")
    coder.encode(Int64(1) << 40, forKey: "Int64")
    coder.encode(2.5, forKey: "Double")
    coder.encode(friend, forKey: "Friend")
  }

  init?(coder: KeyedUnarchiver) {
    guard let title = coder.decodeObject(of: String.self, forKey: "Title") else { return nil }
    self.title = title
    rating = coder.decodeFloat(forKey: "Rating")
    guard coder.decodeObject(of: Float.self, forKey: "Boxed") == rating, coder.decodeBool(forKey: "Flag"),
      coder.decodeInt32(forKey: "Int32") == -7, coder.decodeInt64(forKey: "Int64") == 1 << 40,
      coder.decodeDouble(forKey: "Double") == 2.5
    else { return nil }
    friend = coder.decodeObject(of: OurCreature.self, forKey: "Friend")
  }
}

@Suite("The toolchain's Foundation and we read each other")
struct FoundationInteropTests {
  private func read(_ data: Data) throws -> NSObject? {
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    unarchiver.requiresSecureCoding = true
    unarchiver.setClass(FoundationCreature.self, forClassName: "KeyedArchivingTests.FoundationCreature")
    return unarchiver.decodeObject(of: foundationClasses, forKey: NSKeyedArchiveRootObjectKey) as? NSObject
  }

  @Test("Foundation reads what we write, in every layout and in XML", arguments: rows)
  fileprivate func foundationReads(_ row: Row) throws {
    for layout in ArchiveLayout.allCases {
      let data = try row.archive(layout)
      #expect(try read(data) == row.object(), "\(layout)")
      let xml = try PropertyList(data).data(format: .xml)
      #expect(try read(xml) == row.object(), "\(layout) in XML")
    }
  }

  @Test("we read what Foundation writes, in both formats", arguments: rows)
  fileprivate func weRead(_ row: Row) throws {
    for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      let archiver = NSKeyedArchiver(requiringSecureCoding: true)
      archiver.outputFormat = format
      archiver.encode(row.object(), forKey: NSKeyedArchiveRootObjectKey)
      archiver.finishEncoding()
      // In XML a Float is a real like any other; its value is the same.
      #expect(try row.matches(archiver.encodedData))
    }
  }

  @Test("objects, their scalars and what they share go both ways", arguments: ArchiveLayout.allCases)
  func objects(_ layout: ArchiveLayout) throws {
    let ghost = OurCreature(title: "Ghost", rating: 4.5)
    let ours = [ghost, OurCreature(title: "Yeti", rating: 3, friend: ghost)]
    let data = try KeyedArchiver.archivedData(withRootObject: ours, requiringSecureCoding: true, layout: layout)
    let theirs = try #require(try read(data) as? [FoundationCreature])
    #expect(theirs.map(\.title) == ["Ghost", "Yeti"])
    #expect(theirs.map(\.rating) == [4.5, 3])
    #expect(theirs[1].friend === theirs[0])

    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    let theirGhost = FoundationCreature(title: "Ghost", rating: 4.5)
    let array = [theirGhost, FoundationCreature(title: "Yeti", rating: 3, friend: theirGhost)] as NSArray
    archiver.encode(array, forKey: NSKeyedArchiveRootObjectKey)
    archiver.finishEncoding()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let made = try unarchiver.decode([OurCreature].self, forKey: "root")
    #expect(made.map(\.title) == ["Ghost", "Yeti"])
    #expect(made.map(\.rating) == [4.5, 3])
    #expect(made[1].friend === made[0])
  }

  @Test("a hundred random nests of values go both ways", arguments: 0..<100)
  func random(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let value = RandomValue(depth: 3, &random)
    let data = try KeyedArchiver.archivedData(withRootObject: value.ours, requiringSecureCoding: true)
    #expect(try read(data) == value.theirs)
    let theirs = try NSKeyedArchiver.archivedData(withRootObject: value.theirs, requiringSecureCoding: true)
    let types: [any KeyedCoding.Type] = [
      ArchivedArray.self, ArchivedDictionary.self, String.self, Double.self, Data.self, Date.self, UUID.self,
    ]
    let made = try #require(try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: theirs))
    #expect(RandomValue.foundation(made) == value.theirs)
  }

  @Test("an archive that Foundation wrote stays readable", arguments: ["dictionary.plist", "dictionary.xml"])
  func fixture(_ name: String) throws {
    let data = try Data(contentsOf: Locations.fixtures.appending(path: "foundation/\(name)"))
    let archive = try KeyedArchive(data)
    #expect(archive.root["title"].string == "Kreatür № 5")
    #expect(archive.root["rating"].number == .double(4.5))
    #expect(archive.root["tags"].array?.map(\.string) == ["a", "b"])
    #expect(archive.root["made"].date == date)
    #expect(archive.root["link"].url?.absoluteString == "http://a/b?c")
    #expect(archive.root["id"].uuid == uuid)
    #expect(archive.root["data"].data == Data([0, 1, 255]))
    let types: [any KeyedCoding.Type] = [
      ArchivedDictionary.self, ArchivedArray.self, String.self, Double.self, Date.self, URL.self, UUID.self, Data.self,
    ]
    let made = try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: data) as? ArchivedDictionary
    #expect(made?["title"] as? String == "Kreatür № 5")
    #expect(made?["made"] as? Date == date)
    #expect(made?["id"] as? UUID == uuid)
  }
}

/// The same random value twice: as ours and as Foundation's.
private struct RandomValue {
  var ours: any KeyedCoding
  var theirs: NSObject

  init(depth: Int, _ random: inout SeededRandom) {
    switch Int.random(in: depth > 0 ? 0..<7 : 2..<7, using: &random) {
    case 0:
      let elements = (0..<Int.random(in: 0..<5, using: &random)).map { _ in RandomValue(depth: depth - 1, &random) }
      ours = ArchivedArray(elements.map(\.ours))
      theirs = elements.map(\.theirs) as NSArray
    case 1:
      let elements = (0..<Int.random(in: 0..<5, using: &random)).map {
        ("key \($0)", RandomValue(depth: depth - 1, &random))
      }
      ours = ArchivedDictionary(elements.map { ($0.0, $0.1.ours) })
      theirs = Dictionary(uniqueKeysWithValues: elements.map { ($0.0, $0.1.theirs) }) as NSDictionary
    case 2:
      // Not 0 or 1: Foundation takes those for booleans, whatever they were.
      let number = Double.random(in: 2...1e6, using: &random)
      ours = number
      theirs = NSNumber(value: number)
    case 3:
      let bytes = Data(
        (0..<Int.random(in: 0..<9, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
      ours = bytes
      theirs = bytes as NSData
    case 4:
      let date = Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &random))
      ours = date
      theirs = date as NSDate
    case 5:
      let text = String(
        (0..<Int.random(in: 0..<20, using: &random)).map { _ in "aé😀 z".randomElement(using: &random) ?? "a" })
      ours = text
      theirs = text as NSString
    default:
      let text = "id \(Int.random(in: 0..<1_000_000, using: &random))"
      ours = text
      theirs = text as NSString
    }
  }

  /// A value that our reader made, as Foundation's.
  static func foundation(_ value: any KeyedCoding) -> NSObject {
    switch value {
    case let array as ArchivedArray: array.elements.map(foundation) as NSArray
    case let dictionary as ArchivedDictionary:
      Dictionary(
        uniqueKeysWithValues: zip(dictionary.keys, dictionary.values).map { ($0 as? String ?? "", foundation($1)) })
        as NSDictionary
    case let text as String: text as NSString
    case let number as Double: NSNumber(value: number)
    case let data as Data: data as NSData
    case let date as Date: date as NSDate
    default: NSNull()
    }
  }
}

extension KeyedArchiver {
  /// The archive of a value whose type is not known here.
  fileprivate static func archivedData(withRootObject value: any KeyedCoding, requiringSecureCoding: Bool) throws
    -> Data
  {
    let archiver = KeyedArchiver(requiringSecureCoding: requiringSecureCoding)
    archiver.encode(value, forKey: "root")
    return try archiver.encodedData
  }
}
