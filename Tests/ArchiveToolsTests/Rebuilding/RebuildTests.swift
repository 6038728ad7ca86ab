// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import ArchiveTools
import ArchivedClasses
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

/// A type that does not decode the values of its objects.
private struct ForgetfulBox: SecureKeyedCoding {
  static var archiveClassName: String { "Box" }

  init?(coder: KeyedUnarchiver) {}

  func encode(with coder: KeyedArchiver) {}
}

@Suite("An archive that was archived anew from its values")
struct RebuiltArchiveTests {
  private let dateClass: HandmadeList = .classRecord("NSDate", "NSObject")

  private func difference(_ objects: [HandmadeList]) throws -> RebuildDifference? {
    try RebuiltArchive(of: HandmadeList.archive(objects)).difference
  }

  @Test("is the same for the owner's URL, which is made as one, and is made of nothing else")
  func url() throws {
    let data = try Data(contentsOf: Locations.fixtures.appending(path: "apple/NSURL.plist"))
    #expect(try RebuiltArchive(of: data).difference == nil)
    #expect(try RebuiltArchive(of: data).data == data)
    let top = try KeyedUnarchiver(forReadingFrom: data).decodeTopLevel(makingValues: KeyedUnarchiver.valueTypes)
    guard case .value(let instance as ArchivedInstance)? = top["root"] else { throw CocoaError(.coderInvalidValue) }
    #expect(instance.value as? URL == URL(string: "https://nuomi1.github.io/"))
  }

  @Test("says what the values do not tell")
  func reasons() throws {
    // The handmade list has wider integers than need be, so it never comes out with the same bytes.
    #expect(try difference([.dictionary([("NS.time", 1.5), ("$class", .uid(2))]), dateClass]) == .sharedValues)
    #expect(try difference([.dictionary([("$class", .uid(2)), ("NS.time", 1.5)]), dateClass]) == .keyOrder)
    #expect(try difference([["NS.time": 1.5, "$class": .uid(2)], dateClass, "nobody's"]) == .unreferencedObjects)
    // A date keeps no trace of being stored as an integer.
    #expect(try difference([["NS.time": 3, "$class": .uid(2)], dateClass]) == .storedValues)
    #expect(
      try difference([
        ["NS.base": .uid(0), "NS.relative": .uid(3), "$class": .uid(2)], .classRecord("NSURL", "NSObject"), "http://a",
      ]) == .objectNumbers)
    let url: HandmadeList = ["NS.base": .uid(0), "NS.relative": .uid(3), "$class": .uid(4)]
    #expect(
      try difference([
        ["NS.objects": [.uid(2), .uid(5)], "$class": .uid(6)], url, "http://a.long.one",
        .classRecord("NSURL", "NSObject"),
        url, .classRecord("NSArray", "NSObject"),
      ]) == .sharedObjects)
    let older = HandmadeList.dictionary([
      ("$archiver", "NSKeyedArchiver"), ("$version", 100_000), ("$top", ["root": .uid(1)]),
      ("$objects", ["$null", "x"]),
    ])
    #expect(try RebuiltArchive(of: older.binary).difference == .olderGeneration)
  }

  @Test("keeps the bookmark of a URL of a file reference, and generated types do, too")
  func bookmark() throws {
    let data = HandmadeList.archive([
      ["NS.relative": .uid(2), "NS.base": .uid(0), "NS.minimalBookmarkData": .uid(3), "$class": .uid(4)],
      "file:///.file/id=1.2/", .data([0x62, 0x6F, 0x6F, 0x6B]), .classRecord("NSURL", "NSObject"),
    ])
    let root = try KeyedArchive(RebuiltArchive(of: data).data).root
    #expect(root.className == "NSURL" && root["NS.relative"].string == "file:///.file/id=1.2/")
    #expect(root["NS.minimalBookmarkData"].data == Data([0x62, 0x6F, 0x6F, 0x6B]))
    let types = try GeneratedSwift(ArchiveAudit(of: KeyedArchive(data))).types
    #expect(types.contains("class NSURL") && types.contains("NS.minimalBookmarkData"), "\(types)")
  }

  @Test("is made if an object is damaged that decoding does not read")
  func unreadDamage() throws {
    // The null of property lists, which no archive has.
    #expect(try difference([["NS.time": 1.5, "$class": .uid(2)], dateClass, .raw([0])]) == .unreferencedObjects)
  }

  @Test("is refused before values that share bytes of the file are read many times")
  func sharedBytes() throws {
    var file = ArchiveFile()
    let text = file.text(String(repeating: "x", count: 100_000))
    let texts = file.row(.array((0..<2000).map { _ in file.row(.same(text)) }))
    let names = file.row(.array([file.text("Box"), file.text("NSObject")]))
    // Decoding does not read the additional key.
    let record = file.row(
      .dictionary([
        (file.text("$classname"), file.text("Box")), (file.text("$classes"), names), (file.text("$odd"), texts),
      ]))
    let box = file.object(row: record)
    let data = file.data(root: file.object(row: file.fields(box, [])))
    let time = System.time {
      let error = #expect(throws: KeyedArchiveError.self) { try RebuiltArchive(of: data) }
      #expect(error?.code == .limitReached)
    }
    #expect(time < .seconds(5))
  }

  @Test("reports lost values if they change the number of objects")
  func lostObject() throws {
    let box = HandmadeList.archive([["name": .uid(2), "$class": .uid(3)], "Yeti", .classRecord("Box", "NSObject")])
    #expect(try RebuiltArchive(of: box, makingValues: []).difference != .storedValues)
    #expect(try RebuiltArchive(of: box, makingValues: [ForgetfulBox.self]).difference == .storedValues)
  }

  @Test("keeps a value that two refer to one object, and one that holds itself is an error")
  func identity() throws {
    let data = try KeyedArchiver.archivedData(
      withRootObject: ["a": ArchivedObject(classes: "Box", "NSObject", entries: [.init("url", .null)])],
      requiringSecureCoding: true)
    #expect(try RebuiltArchive(of: data).difference == nil)
    let shared = HandmadeList.archive([
      ["NS.objects": [.uid(2), .uid(2)], "$class": .uid(4)], ["NS.time": 1.5, "$class": .uid(3)], dateClass,
      .classRecord("NSArray", "NSObject"),
    ])
    let archive = try KeyedArchive(RebuiltArchive(of: shared).data)
    #expect(archive.root[0].uid == archive.root[1].uid && archive.objectCount == 5)
    let circle = HandmadeList.archive([
      ["NSDomain": .uid(3), "NSCode": 1, "NSUserInfo": .uid(4), "$class": .uid(2)],
      .classRecord("NSError", "NSObject"), "d", ["NS.keys": [.uid(3)], "NS.objects": [.uid(1)], "$class": .uid(5)],
      .classRecord("NSDictionary", "NSObject"),
    ])
    let error = #expect(throws: KeyedArchiveError.self) { try RebuiltArchive(of: circle) }
    #expect(error?.code == .cycle)
    #expect(throws: Never.self) { try RebuiltArchive(of: circle, makingValues: []) }
  }
}

@Suite(
  "The macOS 10.14 fixtures of the corpus, rebuilt from values alone",
  .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
struct FixtureRebuildTests {
  private static let fixtures = Corpus.valid.filter { $0.name.contains("swift-corelibs-foundation__") }

  private func short(_ file: TestFile) -> String {
    String(file.name.drop { $0 != "_" }.dropFirst(2).prefix { $0 != "." })
  }

  /// Two empty strings in it were two constants of the formatter's; as values nothing tells that they are two.
  private static let exception = "DateIntervalFormatter-Default"

  @Test("come out with the same bytes")
  func sameBytes() throws {
    #expect(Self.fixtures.count == 18)
    for file in Self.fixtures {
      let difference = try RebuiltArchive(of: file.data()).difference
      #expect((difference == nil) != (short(file) == Self.exception), "\(file.name) \(difference?.name ?? "")")
    }
  }

  @Test("have the order of members that a hash set lost in two files, which Swift's set does not give back")
  func hashSets() throws {
    var found: [String] = []
    for file in Self.fixtures {
      let root = try KeyedArchive(file.data()).root
      guard ["NSSet", "NSMutableSet", "NSCountedSet"].contains(root.className) else { continue }
      if (root["NS.objects"].array?.count ?? root["NS.count"].number?.integer ?? 0) > 1 { found.append(short(file)) }
    }
    #expect(found == ["NSCountedSet-NumbersAppearingSeveralTimes", "NSSet-Numbers"])
    let file = try #require(Self.fixtures.first { short($0) == "NSSet-Numbers" })
    let numbers = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Set<Int>.self, from: file.data()))
    let anew = try KeyedArchiver.archivedData(
      withRootObject: numbers, requiringSecureCoding: true, layout: .appleLegacy)
    #expect(try anew != file.data())
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Set<Int>.self, from: anew) == numbers)
  }
}
