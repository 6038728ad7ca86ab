// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import ScaryCreatures
import TestSupport
import Testing

@Suite("Creature archive")
struct ArchiveTests {
  /// Titles that other programs lose.
  static let titles = [
    "Ghost", "", "\u{E9}", "e\u{301}", "two\nlines", "$null", "👻 👩‍👩‍👧", "a\u{0}b", "<script>",
    String(repeating: "x", count: 300),
  ]

  /// A creature's file as written by the library.
  private func written(_ title: String, _ rating: Float) throws -> Data {
    let room = try CreatureRoom()
    try room.database().addCreature(title: title, rating: rating)
    return try room.bytes("1.scarycreature/Data.plist")
  }

  @Test("is readable with Foundation and secure coding")
  func foundationReads() throws {
    for (title, rating) in [("Ghost", 5), ("Kreatür 👻", 2.5), ("e\u{301}", 0)] as [(String, Float)] {
      let creature = try #require(try FoundationApp.readSecurely(written(title, rating)))
      #expect(creature.title.unicodeScalars.elementsEqual(title.unicodeScalars))
      #expect(creature.rating == rating)
    }
  }

  @Test(
    "has a superclass chain, a boxed title and a boxed 4-byte rating in Python",
    .enabled(if: Python.isPresent, Comment(rawValue: Python.isAbsent)))
  func pythonSees() throws {
    let program = """
      import plistlib, sys, struct
      b = sys.stdin.buffer.read()
      p = plistlib.loads(b)
      assert sorted(p) == ['$archiver', '$objects', '$top', '$version'], p
      assert p['$archiver'] == 'NSKeyedArchiver' and p['$version'] == 100000 and list(p['$top']) == ['root']
      o = p['$objects']
      c = o[p['$top']['root'].data]
      assert sorted(c) == ['$class', 'Rating', 'Title'], c
      assert all(isinstance(v, plistlib.UID) for v in c.values()), c
      assert o[c['Title'].data] == 'Ghost' and o[c['Rating'].data] == 2.5
      k = o[c['$class'].data]
      assert k == {'$classname': 'ScaryCreatures.ScaryCreatureData',
                   '$classes': ['ScaryCreatures.ScaryCreatureData', 'NSObject']}, k
      # plistlib makes a float of either width: the marker of the object tells.
      assert b.count(b'\\x22' + struct.pack('>f', 2.5)) == 1 and struct.pack('>d', 2.5) not in b
      print('fine')
      """
    #expect(try Python.run(program, input: written("Ghost", 2.5)) == Data("fine\n".utf8))
  }

  @Test("has equal bytes for equal creatures")
  func deterministic() throws {
    #expect(try written("Ghost", 5) == written("Ghost", 5))
  }

  @Test("is read from Foundation's secure, insecure and mixed archives")
  func foundationWrites() throws {
    for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      for rating in [Float(0), 2.5, 5] {
        let files: [(Data, String)] = [
          (try FoundationApp.archive(SecureRecord(title: "Ghost", rating: rating), secure: true, format), ""),
          (
            try FoundationApp.archive(LegacyRecord(title: "Ghost", rating: rating), secure: false, format),
            "insecure"
          ),
          (
            try FoundationApp.archive(HybridRecord(title: "Ghost", rating: rating), secure: true, format),
            "insecure"
          ),
        ]
        for (file, difference) in files {
          let stored = try ScaryCreatureData.stored(in: file, limits: .default)
          #expect(stored.model == ScaryCreatureData(title: "Ghost", rating: rating))
          #expect(stored.warnings.isEmpty)
          #expect(stored.layout.contains("insecure") == (difference == "insecure"), "\(stored.layout)")
          if format == .binary { #expect(stored.isCurrent == difference.isEmpty) }
        }
      }
    }
  }

  @Test("is read from Foundation's archives with older names")
  func foundationWritesOldNames() throws {
    for (top, name) in [("Data", "ScaryBugData"), ("Data", "RWTScaryBugData"), ("root", "Renamed.ScaryCreatureData")] {
      let file = try FoundationApp.archive(
        LegacyRecord(title: "Potato Bug", rating: 4), secure: false, topKey: top, className: name, .xml)
      let stored = try ScaryCreatureData.stored(in: file, limits: .default)
      #expect(stored.model == ScaryCreatureData(title: "Potato Bug", rating: 4))
      #expect(!stored.isCurrent)
    }
  }

  @Test("keeps titles scalar by scalar", arguments: titles)
  func title(_ title: String) throws {
    let room = try CreatureRoom()
    try room.database().addCreature(title: title, rating: 1)
    let doc = try room.database().document(1)
    #expect(try doc.data?.title.unicodeScalars.elementsEqual(title.unicodeScalars) == true)
    // And from a file of another writer.
    let stored = try ScaryCreatureData.stored(in: HandmadeCreature(title: title).data, limits: .default)
    #expect(stored.model.title.unicodeScalars.elementsEqual(title.unicodeScalars))
    #expect(stored.isCurrent)
  }

  @Test("keeps the title '$null' as a string")
  func nullTitle() throws {
    let archive = try KeyedArchive(written("$null", 1))
    #expect(archive.root["Title"].uid.map { $0.rawValue != 0 } == true)
    #expect(archive.root["Title"].string == "$null")
    // A reference to `$null` is not a title.
    let nothing = HandmadeList.archive([
      ["Title": .uid(0), "Rating": .uid(2), "$class": .uid(3)], .float(1),
      HandmadeList.classRecord("ScaryCreatures.ScaryCreatureData", "NSObject"),
    ])
    #expect(throws: KeyedArchiveError.self) { try ScaryCreatureData.stored(in: nothing, limits: .default) }
  }

  @Test("is decoded by the unarchiver")
  func unarchiver() throws {
    let data = try written("Ghost", 2.5)
    let creature = try KeyedUnarchiver.unarchivedObject(ofClass: ScaryCreatureData.self, from: data)
    #expect(creature == ScaryCreatureData(title: "Ghost", rating: 2.5))
  }
}
