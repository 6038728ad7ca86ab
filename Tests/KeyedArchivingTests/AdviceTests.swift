// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

private class Team: SecureKeyedCoding {
  class var archiveClassName: String { "App.Team" }
  init() {}
  func encode(with coder: KeyedArchiver) {}
  required init?(coder: KeyedUnarchiver) {}
}

/// Swift does not find its aliases, because its superclass declares none.
private final class RenamedTeam: Team {
  override class var archiveClassName: String { "App.RenamedTeam" }
  class var archiveClassAliases: [String] { ["Old.Team"] }
}

private class League: SecureKeyedCoding {
  class var archiveClassName: String { "App.League" }
  class var archiveClassAliases: [String] { [] }
  init() {}
  func encode(with coder: KeyedArchiver) {}
  required init?(coder: KeyedUnarchiver) {}
}

private final class RenamedLeague: League {
  override class var archiveClassName: String { "App.RenamedLeague" }
  override class var archiveClassAliases: [String] { ["Old.League"] }
}

private final class Person: SecureKeyedCoding {
  static var archiveClassName: String { "App.Person" }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) {
    guard coder.containsValue(forKey: "age"), coder.decodeObject(of: String.self, forKey: "Name") != nil,
      coder.decodeString(forKey: "nick") != nil
    else { return nil }
  }
}

/// Requests keys by its kind, and others after its child is decoded.
private final class Picky: SecureKeyedCoding {
  static var archiveClassName: String { "App.Picky" }
  let kind: Int
  let child: Picky?
  init(_ kind: Int, child: Picky? = nil) {
    self.kind = kind
    self.child = child
  }
  func encode(with coder: KeyedArchiver) {
    coder.encode(kind, forKey: "kind")
    coder.encode(child, forKey: "child")
  }
  init?(coder: KeyedUnarchiver) {
    kind = coder.decodeInteger(forKey: "kind")
    switch kind {
    case 0: _ = coder.decodeString(forKey: "nickname")
    case 1: guard coder.decodeString(forKey: "title") != nil else { return nil }
    case 2: for number in 0..<16 { _ = coder.decodeString(forKey: "other\(number)") }
    default: _ = coder.decodeString(forKey: "outer")
    }
    child = coder.decodeObject(of: Picky.self, forKey: "child")
    if kind == 3 { return nil }
  }
}

/// A type whose name depends on the name of a module of Foundation.
private struct Generic<Argument>: SecureKeyedCoding {
  init() {}
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) {}
}
private enum MyFoundationEssentials { struct Inner {} }

@Suite("Advice in errors")
struct AdviceTests {
  private func error<Value: KeyedCoding>(_ type: Value.Type, _ data: Data) throws -> KeyedArchiveError {
    try #require(
      #expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver.unarchivedObject(ofClass: type, from: data) })
  }

  private func object(_ record: HandmadeList) -> Data { HandmadeList.archive([["$class": .uid(2)], record]) }

  @Test("suggests an optional for nil in a collection")
  func null() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: [nil, "a"] as [String?], requiringSecureCoding: true)
    let error = try error([String].self, data)
    #expect(error.remedy?.contains("[String?]") == true, "\(error)")
    #expect(error.remedy?.contains("archiveClassAliases") == false)
    let listed = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClasses: [ArchivedArray.self, String.self], from: data)
    }
    #expect(listed?.remedy?.contains("ArchiveNull") == true)
  }

  @Test("suggests no alias of a type that the program does not declare")
  func collection() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Team(), requiringSecureCoding: true)
    for error in [try error([Team].self, data), try error(Date.self, data), try error(ArchivedArray.self, data)] {
      #expect(error.remedy?.contains("archiveClassAliases") == false, "\(error)")
      #expect(error.remedy?.contains("'App.Team'") == true, "\(error)")
    }
  }

  @Test("suggests archiveSubclasses, and no alias, for a class that the archive calls a subclass")
  func subclass() throws {
    let error = try error(Team.self, object(.classRecord("App.Squad", "App.Team", "NSObject")))
    #expect(error.remedy?.contains("archiveSubclasses") == true)
    #expect(error.remedy?.contains("archiveClassAliases") == false)
    let other = try self.error(Team.self, object(.classRecord("Old.Team", "NSObject")))
    #expect(other.remedy?.contains("archiveClassAliases") == true)
  }

  private class Animal: Codable { var name = "" }
  private final class Cat: Animal {}
  private final class Stone: SecureKeyedCoding {
    static var archiveClassName: String { "Stone" }
    func encode(with coder: KeyedArchiver) {}
    init() {}
    init?(coder: KeyedUnarchiver) {}

    final class Pebble: SecureKeyedCoding {
      static var archiveClassName: String { "Pebble" }
      func encode(with coder: KeyedArchiver) {}
      init() {}
      init?(coder: KeyedUnarchiver) {}
    }
  }

  @Test("suggests no accepted name for a subclass that is only Codable, and the end of a mapping to another class")
  func otherRemedies() throws {
    let cats = try KeyedArchiveEncoder().encode([Cat()])
    do {
      _ = try KeyedArchiveDecoder().decode([Animal].self, from: cats)
      Issue.record("a subclass was decoded")
    } catch DecodingError.typeMismatch(_, let context) {
      let error = try #require(context.underlyingError as? KeyedArchiveError)
      #expect(error.remedy?.contains("archiveSubclasses") == true && error.remedy?.contains("accept(") == false)
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Stone.Pebble(), requiringSecureCoding: true)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.setClass(Stone.self, forClassName: "Pebble")
    let error = #expect(throws: KeyedArchiveError.self) {
      try unarchiver.decodeTopLevelObject(of: Stone.Pebble.self, forKey: "root")
    }
    #expect(error?.remedy == "Request Stone, or remove the mapping with setClass(nil, forClassName:)")
  }

  @Test("states the rule for aliases of a subclass, unless the subclass obeys it")
  func inheritedAliases() throws {
    let rule = "In a subclass they must be an override: Team declares 'class var archiveClassAliases', and RenamedTeam"
    let error = try error(RenamedTeam.self, object(.classRecord("Old.Team", "NSObject")))
    #expect(error.remedy?.contains(rule) == true, "\(error)")
    let old = object(.classRecord("Old.League", "NSObject"))
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: RenamedLeague.self, from: old) != nil)
    for type in [RenamedLeague.self, League.self, Team.self] as [any KeyedCoding.Type] {
      let other = try self.error(type, object(.classRecord("Old.Other", "NSObject")))
      #expect(other.remedy?.contains("override") == false, "\(other)")
    }
  }

  @Test("names the keys that an initializer missed before it returned nil, and those that are there")
  func missingKeys() throws {
    let keys = (0..<20).map { "key\($0)" }
    for present in [["age"], ["age", "name"], ["age"] + keys] {
      let values = present.map { ($0, HandmadeList.integer(1)) } + [("$class", .uid(2))]
      let error = try error(
        Person.self, HandmadeList.archive([.dictionary(values), .classRecord("App.Person", "NSObject")]))
      #expect(error.detail.contains("not in the archive: 'Name';"), "\(error)")
      #expect(error.detail.contains("'age'"))
      #expect(!error.detail.contains("nick"))
      #expect(error.detail.contains("and 13 more") == (present.count == 21))
    }
  }

  @Test("names no key that only another object requested")
  func otherObjects() throws {
    func detail(_ objects: [Picky]) throws -> String {
      try error([Picky].self, KeyedArchiver.archivedData(withRootObject: objects, requiringSecureCoding: true)).detail
    }
    // All have the same keys.
    #expect(try detail([Picky(0), Picky(1)]).contains("not in the archive: 'title';"))
    // One key after another takes the place of the parent's.
    for child in [Picky(2), Picky(2, child: Picky(0))] {
      let nested = try detail([Picky(3, child: child)])
      #expect(!nested.contains("other") && !nested.contains("nickname"), "\(nested)")
    }
    #expect(try detail([Picky(3, child: Picky(0))]).contains("not in the archive: 'outer';"))
  }

  @Test(
    "names the format of data that is no property list",
    arguments: [
      ("JSON", Array(#" {"a": [1, 2]}"#.utf8)), ("JSON", Array("[1,2]".utf8)),
      ("PNG", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), ("gzip", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0]),
      ("ZIP", [0x50, 0x4B, 3, 4, 20, 0]), ("SQLite", Array("SQLite format 3\0".utf8)),
      ("typedstream", [4, 11] + Array("streamtyped".utf8) + [0x81, 0xE8, 3]), ("empty", []),
      ("JSON", Array("{}".utf8)), ("zeros", [UInt8](repeating: 0, count: 100)),
      ("Interface Builder", Array("NIBArchive".utf8) + [1, 0, 0, 0]), ("another version", Array("bplist16".utf8)),
      ("OpenStep", Array("{ name = Soup; }".utf8)), ("OpenStep", Array(#"{"name" = "Soup";}"#.utf8)),
      ("AppleDouble", [0, 5, 0x16, 7, 0, 2, 0, 0]), ("Base64", Array(Data("bplist00".utf8).base64EncodedString().utf8)),
      ("HTML", Array("<!DOCTYPE html><html></html>".utf8)), ("HTML", Array("<!-- <plist> -->\n<HTML>".utf8)),
      ("'svg'", Array("<?xml version=\"1.0\"?><svg xmlns=\"x\"></svg>".utf8)),
      ("HEIC", [0, 0, 0, 0x18] + Array("ftypheic".utf8)), ("JPEG", [0xFF, 0xD8, 0xFF, 0xE0]),
      ("bzip2", Array("BZh91AY".utf8)), ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]), ("zstd", [0x28, 0xB5, 0x2F, 0xFD]),
      ("7-Zip", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]), ("RTF", Array("{\\rtf1".utf8)), ("PDF", Array("%PDF-1.7".utf8)),
      ("Git LFS", Array("version https://git-lfs.github.com/spec/v1\n".utf8)),
      ("tar", [UInt8](repeating: 0x61, count: 257) + Array("ustar".utf8)),
    ] as [(String, [UInt8])])
  func formats(_ format: String, _ bytes: [UInt8]) throws {
    let error = try error(String.self, Data(bytes))
    #expect(error.code == .notAnArchive)
    #expect(error.detail.contains(format), "\(error)")
    let opened = #expect(throws: KeyedArchiveError.self) { try KeyedArchive(Data(bytes)) }
    #expect(opened?.code == .notAnArchive)
  }

  @Test("says in plain words that a file is missing")
  func missingFile() {
    let url = URL(fileURLWithPath: "/nonexistent/file.plist")
    for open in [{ _ = try KeyedUnarchiver(contentsOf: url) }, { _ = try KeyedArchive(contentsOf: url) }] {
      let error = #expect(throws: KeyedArchiveError.self) { try open() }
      #expect(error?.code == .fileAccess)
      #expect(error?.detail == "could not read '/nonexistent/file.plist': no such file")
    }
  }

  @Test("prints an archive and its nodes in a few lines")
  func printing() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(["a": 1, "b": 2], forKey: "pairs")
    archiver.encode(Array(repeating: "x", count: 10_000), forKey: "list")
    archiver.encode(String(repeating: "e\u{301}", count: 10_000), forKey: "text")
    archiver.encode(Team(), forKey: "team")
    for place in 0..<100 { archiver.encode(place, forKey: "number\(place)") }
    let archive = try KeyedArchive(archiver.encodedData)
    // 40 lines, and one that tells of more.
    #expect("\(archive)".split(separator: "\n").count == 41)
    #expect("\(archive)".hasSuffix("\n…"))
    #expect("\(archive)".utf8.count < 10_000)
    let list = "\(archive["list"])".split(separator: "\n")
    #expect(list.count == 10 && list[0].hasPrefix("NSArray (10000 elements) #") && list[9] == "  … 9992 more")
    let pairs = "\(archive["pairs"])".split(separator: "\n")
    #expect(pairs.count == 3 && pairs[0].hasPrefix("NSDictionary (2 pairs) #"))
    #expect(Set(pairs.dropFirst().map { $0.prefix(8) }) == ["  \"a\": 1", "  \"b\": 2"])
    #expect("\(archive["team"])".hasPrefix("App.Team #"))
    #expect("\(archive["number7"])" == "7")
    #expect("\(archive["absent"])" == "missing")
    for node in [archive["list"], archive["text"], archive["pairs"], archive["team"]] {
      var text = ""
      dump(node, to: &text, maxDepth: 2)
      #expect(text.utf8.count < 2000, "\(text)")
      #expect(!node.debugDescription.contains("\n"))
    }
  }

  @Test("collections of any types name their elements, and end where an object refers back")
  func untypedCollections() {
    #expect(
      "\(ArchivedArray([1, "a\u{202E}", Team(), ArchiveNumber.double(1.5)]))"
        == "NSArray of 4 elements: 1, \"a\\u{202e}\", Team, 1.5")
    #expect("\(ArchivedArray([], isMutable: true))" == "NSMutableArray of 0 elements")
    #expect("\(ArchivedSet([Data([1, 2])]))" == "NSSet of 1 element: 2 bytes")
    #expect("\(ArchivedDictionary([("k", Team())]))" == "NSDictionary of 1 key: \"k\"")
    #expect("\(ArchivedArray(Array(repeating: 0, count: 1000)))".hasSuffix(" and 992 more"))
  }

  @Test("types have the names that they have where Foundation is one module")
  func typeNames() {
    #expect(Generic<UUID>.archiveClassName == "KeyedArchivingTests.Generic<Foundation.UUID>")
    #expect(
      Generic<[UUID: Locale]>.archiveClassName
        == "KeyedArchivingTests.Generic<Swift.Dictionary<Foundation.UUID, Foundation.Locale>>")
    #expect(
      Generic<MyFoundationEssentials.Inner>.archiveClassName
        == "KeyedArchivingTests.Generic<KeyedArchivingTests.MyFoundationEssentials.Inner>")
  }
}
