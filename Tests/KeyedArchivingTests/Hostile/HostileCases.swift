// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport

/// A file that must be refused, and how it is looked at.
struct HostileCase: Sendable {
  var name: String
  var read: @Sendable () throws -> Void
}

/// Fifty ways to be broken, from the first byte to the last object. Each changes one thing of a sound file.
enum HostileCases {
  static let all: [HostileCase] = containers + texts + envelopes + objects + lists + values + limits

  private static func list(_ name: String, _ bytes: @autoclosure @escaping @Sendable () -> Data) -> HostileCase {
    HostileCase(name: name) { try PropertyList(bytes()).validate() }
  }

  private static func archive<Value: KeyedCoding & SendableMetatype>(
    _ name: String, as type: Value.Type, _ objects: [HandmadeList]
  ) -> HostileCase {
    HostileCase(name: name) {
      _ = try KeyedUnarchiver.unarchivedObject(ofClass: type, from: HandmadeList.archive(objects))
    }
  }

  /// A small sound list with bytes at some places changed; places below zero count from the end.
  private static func changed(_ changes: [(Int, UInt8)]) -> Data {
    var bytes = HandmadeList.array(["text", 5, .real(0.5)]).binary
    for (place, byte) in changes { bytes[place < 0 ? bytes.count + place : place] = byte }
    return bytes
  }

  private static let containers = [
    list("no bytes", Data()),
    list("some other file", Data("PK\u{3}\u{4} and so on".utf8)),
    list("a header and no more", Data("bplist00".utf8)),
    list("the last byte is missing", changed([]).dropLast().withNewIndices),
    list("offsets of no bytes", changed([(-26, 0)])),
    list("references of 9 bytes", changed([(-25, 9)])),
    list("more objects than offsets", changed([(-17, 200)])),
    list("a top object that is not there", changed([(-9, 9)])),
    list("an offset table in the header", changed([(-1, 3)])),
    list("an offset into the trailer", changed([(-33, 250)])),
    list("a reference to no object", changed([(12, 99)])),
    list("an unknown marker", HandmadeList.array([.raw([0x70])]).binary),
    list("an integer of 32 bytes", HandmadeList.array([.raw([0x15] + [UInt8](repeating: 0, count: 32))]).binary),
    list("a string longer than the file", HandmadeList.array([.raw([0x5F, 0x12, 0x7F, 0xFF, 0xFF, 0xFF])]).binary),
    list("an array longer than the file", HandmadeList.array([.raw([0xAE])]).binary),
    list("a count that is no integer", HandmadeList.array([.raw([0x5F, 0x51, 0x41])]).binary),
    list("ASCII that is none", HandmadeList.array([.raw([0x51, 0xE9])]).binary),
    list("half a surrogate pair", HandmadeList.array([.raw([0x61, 0xD8, 0x00])]).binary),
    list("an array that contains itself", HandmadeList.array([.raw([0xA1, 0, 0, 0, 0])]).binary),
    list("a key that is a number", HandmadeList.array([.raw([0xD1, 0, 0, 0, 2, 0, 0, 0, 2]), 5]).binary),
  ]

  private static func xml(_ name: String, _ text: String) -> HostileCase {
    list(name, Data("<?xml version=\"1.0\"?>\n<plist version=\"1.0\">\n\(text)".utf8))
  }

  private static let texts = [
    xml("XML that ends early", "<array><string>text"),
    xml("XML with a tag that closes another", "<array></dict></plist>"),
    xml("XML with an unknown element", "<uid>5</uid></plist>"),
    xml("XML with a key and no value", "<dict><key>a</key></dict></plist>"),
    xml("XML with a value and no key", "<dict><true/></dict></plist>"),
    xml("XML with an integer that is none", "<integer>five</integer></plist>"),
    xml("XML with an integer that is too large", "<integer>18446744073709551616</integer></plist>"),
    xml("XML with a date that is none", "<date>tomorrow</date></plist>"),
    xml("XML with data that is none", "<data>*</data></plist>"),
    xml("XML with an unknown entity", "<string>&lol;</string></plist>"),
    xml("XML with two values", "<true/><false/></plist>"),
  ]

  private static func envelope(_ name: String, _ pairs: [(String, HandmadeList)]) -> HostileCase {
    HostileCase(name: name) { _ = try KeyedUnarchiver(forReadingFrom: HandmadeList.dictionary(pairs).binary) }
  }

  private static let envelopes = [
    HostileCase(name: "a list that is no archive") { _ = try KeyedArchive(HandmadeList.array([5]).binary) },
    envelope("an archive without objects", [("$version", 100_000), ("$archiver", "NSKeyedArchiver"), ("$top", [:])]),
    envelope(
      "an archive of another version",
      [("$version", 7), ("$archiver", "NSKeyedArchiver"), ("$top", [:]), ("$objects", ["$null"])]),
    envelope(
      "an archive by something else",
      [("$version", 100_000), ("$archiver", "Zip"), ("$top", [:]), ("$objects", ["$null"])]),
    envelope(
      "an archive with a text for its objects",
      [("$version", 100_000), ("$archiver", "NSKeyedArchiver"), ("$top", [:]), ("$objects", "none")]),
    HostileCase(name: "an archive without a root") {
      let data = HandmadeList.archive(["text"], top: [("document", .uid(1))])
      _ = try KeyedUnarchiver.unarchivedObject(ofClass: String.self, from: data)
    },
  ]

  private static let objects = [
    archive("a root that is not there", as: Parent.self, []),
    archive("an object without a class", as: Parent.self, [["child": .uid(0)]]),
    archive("an object whose class is a text", as: Parent.self, [Hostile.object(2), "Parent"]),
    archive("a class record without a name", as: Parent.self, [Hostile.object(2), ["$classes": ["Parent"]]]),
    archive("an object of another class", as: Parent.self, [Hostile.object(2), Hostile.canary]),
    archive("a text where an object is due", as: Parent.self, ["text"]),
    archive("a text where a number is due", as: Int.self, ["text"]),
    archive("a number that does not fit", as: Int8.self, [500]),
    archive(
      "an object that holds itself", as: Parent.self, [Hostile.object(2, [("child", .uid(1))]), Hostile.parent]),
    archive(
      "an object that holds a value stored inline", as: Parent.self,
      [Hostile.object(2, [("child", "text")]), Hostile.parent]),
    archive(
      "a name that looks like another", as: Parent.self, [Hostile.object(2), .classRecord("Pаrent", "NSObject")]),
  ]

  private static let lists = [
    HostileCase(name: "a class that is not on the list") {
      let data = HandmadeList.archive([
        Hostile.object(2, [("NS.objects", [.uid(3), .uid(4)])]), Hostile.array, "text", Hostile.object(5),
        Hostile.canary,
      ])
      _ = try KeyedUnarchiver.unarchivedObject(ofClasses: [ArchivedArray.self, String.self], from: data)
    },
    HostileCase(name: "a number where texts are on the list") {
      _ = try KeyedUnarchiver.unarchivedObject(ofClasses: [String.self], from: HandmadeList.archive([5]))
    },
  ]

  private static let values = [
    archive(
      "an array whose elements are a text", as: [String].self,
      [Hostile.object(2, [("NS.objects", "text")]), Hostile.array]),
    archive(
      "a dictionary with a key too many", as: [String: String].self,
      [Hostile.object(2, [("NS.keys", [.uid(3), .uid(3)]), ("NS.objects", [.uid(3)])]), Hostile.dictionary, "text"]),
    archive(
      "an array with nothing in it", as: [String].self,
      [Hostile.object(2, [("NS.objects", [.uid(0)])]), Hostile.array]),
    archive(
      "a UUID of three bytes", as: UUID.self,
      [Hostile.object(2, [("NS.uuidbytes", .data([1, 2, 3]))]), .classRecord("NSUUID", "NSObject")]),
    archive(
      "a date that is no number", as: Date.self,
      [Hostile.object(2, [("NS.time", .real(.nan))]), .classRecord("NSDate", "NSObject")]),
    archive("a date without a time", as: Date.self, [Hostile.object(2), .classRecord("NSDate", "NSObject")]),
    archive(
      "a set of parents with a text in it", as: Set<String>.self,
      [Hostile.object(2, [("NS.objects", [.uid(3)])]), Hostile.set, 5]),
  ]

  private static let limits = [
    HostileCase(name: "objects in objects, too many levels") {
      var objects: [HandmadeList] = [Hostile.parent]
      for place in 0..<600 { objects.append(Hostile.object(1, [("child", .uid(UInt64(place + 3)))])) }
      let data = HandmadeList.archive(objects + [Hostile.object(1)], top: [("root", .uid(2))])
      _ = try KeyedUnarchiver.unarchivedObject(ofClass: Parent.self, from: data)
    },
    HostileCase(name: "arrays in arrays, too many levels") {
      let open = String(repeating: "<array>", count: 600)
      _ = try PropertyList(Data("<plist>\(open)".utf8))
    },
    HostileCase(name: "more bytes than may be read") {
      _ = try PropertyList(HandmadeList.archive(["text"]), limits: ReadLimits(maximumByteCount: 100))
    },
    HostileCase(name: "more objects than may be read") {
      _ = try PropertyList(HandmadeList.archive(["text"]), limits: ReadLimits(maximumObjectCount: 5))
    },
  ]
}

extension Data {
  /// The same bytes, counted from 0.
  fileprivate var withNewIndices: Data { Data([UInt8](self)) }
}
