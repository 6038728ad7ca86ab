// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Edits of an archive")
struct EditingTests {
  private let uid = ArchiveUID(rawValue: 1)

  private func archive() throws -> KeyedArchive {
    try KeyedArchive(HandmadeList.archive([["a": 1, "$class": .uid(2)], .classRecord("Box", "NSObject")]))
  }

  /// An array around arrays.
  private static func nested(_ depth: Int) -> KeyedArchive.StoredValue {
    (1..<depth).reduce(.array([])) { value, level in
      level.isMultiple(of: 2) ? .array([value]) : .dictionary([.init("k", value)])
    }
  }

  @Test("reject objects that no reader would read as they are, and change nothing")
  func unreadable() throws {
    let box = ArchiveUID(rawValue: 2)
    let objects: [(KeyedArchive.Object, KeyedArchiveError.Code)] = [
      (.primitive(.string("$null")), .typeMismatch), (.primitive(.reference(uid)), .typeMismatch),
      (.primitive(.array([])), .typeMismatch), (.primitive(.dictionary([])), .typeMismatch),
      (.primitive(.date(1)), .typeMismatch), (.instance(class: box, [.init("$class", .integer(1))]), .typeMismatch),
      (.instance(class: box, [.init("$classname", .string("X"))]), .typeMismatch),
      (.instance(class: box, [.init("x", Self.nested(33))]), .limitReached),
    ]
    for (object, code) in objects {
      var archive = try archive()
      let data = try archive.data()
      #expect(throws: KeyedArchiveError.self) { try archive.addObject(object) }
      let error = try #require(throws: KeyedArchiveError.self) { try archive.setObject(uid, to: object) }
      #expect(error.code == code && error.remedy != nil, "\(object)")
      #expect(try archive.data() == data)
    }
    var archive = try archive()
    #expect(throws: KeyedArchiveError.self) { try archive.setValue(Self.nested(33), forKey: "x", of: uid) }
    #expect(throws: KeyedArchiveError.self) { try archive.setTopValue(Self.nested(33), forKey: "x") }
    #expect(archive.topKeys == ["root"])
  }

  @Test("accept what readers read, and it is read as it was passed")
  func readable() throws {
    let box = ArchiveUID(rawValue: 2)
    let objects: [KeyedArchive.Object] = [
      .null, .primitive(.string("text")), .primitive(.boolean(true)), .primitive(.integer(-1)),
      .primitive(.wideInteger(high: 0, low: .max)), .primitive(.float(0.5)), .primitive(.double(0.5)),
      .primitive(.data(Data([1]))), .instance(class: box, [.init("x", Self.nested(32))]),
      .instance(
        class: box, [.init("$null", .string("$null")), .init("d", .date(1)), .init("$$class", .boolean(false))]),
      .classRecord(ClassDescription(name: "New", chain: ["New", "NSObject"])),
    ]
    var archive = try archive()
    for object in objects {
      let uid = try archive.addObject(object)
      let read = try KeyedArchive(archive.data())
      #expect(try read.object(uid) == object && archive.object(uid) == object)
    }
    try archive.setTopValue(Self.nested(32), forKey: "deep")
    #expect(try KeyedArchive(archive.data()).top.last?.value == Self.nested(32))
  }

  @Test("discarding many equal class records takes as long as discarding other objects")
  func equalRecords() throws {
    func time(_ isRecord: Bool) throws -> Double {
      var file = ArchiveFile()
      let box = file.classUID("Box", "NSObject")
      let root = file.object(row: file.fields(box, []))
      let names = file.row(.array([file.text("Other"), file.text("NSObject")]))
      let record = [(file.text("$classname"), file.text("Other")), (file.text("$classes"), names)]
      // Reading takes no more memory than a multiple of the file.
      let text = file.object(row: file.text(String(repeating: "x", count: 200_000)))
      for _ in 0..<6000 {
        _ = file.object(
          row: isRecord ? file.row(.dictionary(record)) : file.fields(box, [("text", file.reference(text))]))
      }
      let archive = try KeyedArchive(file.data(root: root))
      return try System.leastTime { () throws(KeyedArchiveError) in
        var archive = archive
        // Searches all objects for class records.
        let uid = try archive.addClass(ClassDescription(name: "New", chain: ["New"]))
        let count = try archive.discardUnreachableObjects()
        #expect(uid.rawValue == 6004 && count == 6002)
      }
    }
    #expect(try time(true) < 10 * time(false))
  }

  @Test("adding a class finds the first equal record, whatever was discarded and replaced before")
  func firstRecord() throws {
    let description = ClassDescription(name: "Other", chain: ["Other", "NSObject"])
    var random = SeededRandom(seed: 7)
    var archive = try archive()
    for _ in 0..<20 { _ = try archive.addObject(.classRecord(description)) }
    for _ in 0..<200 {
      let number = UInt32.random(in: 3..<23, using: &random)
      let object: KeyedArchive.Object =
        Bool.random(using: &random) ? .null : .classRecord(description)
      try archive.setObject(ArchiveUID(rawValue: number), to: object)
      let count = archive.objectCount
      let first = try (0..<UInt32(count)).map { ArchiveUID(rawValue: $0) }.first {
        try archive.object($0) == .classRecord(description)
      }
      let found = try archive.addClass(description)
      #expect(found == first ?? ArchiveUID(rawValue: UInt32(count)))
    }
  }
}
