// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
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
      (.instance(class: box, [.init("x", .integer(1)), .init("x", .integer(2))]), .typeMismatch),
      (.instance(class: .null, []), .typeMismatch),
      (.instance(class: ArchiveUID(rawValue: .max), []), .typeMismatch),
      (.instance(class: box, [.init("x", .array([.reference(ArchiveUID(rawValue: .max))]))]), .typeMismatch),
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
    // Values with which readers take the object for another one, and an object that readers take for nil.
    for value in [.string("Box"), .integer(3), nil] as [KeyedArchive.StoredValue?] {
      #expect(throws: KeyedArchiveError.self) { try archive.setValue(value, forKey: "$classname", of: uid) }
    }
    #expect(throws: KeyedArchiveError.self) { try archive.setObject(.null, to: .primitive(.string("text"))) }
    try archive.setObject(.null, to: .null)
    #expect(archive.check().isEmpty && archive.root["a"].number == .integer(1))
  }

  @Test("of objects that share a long key replace its value or fail, and add no second key", arguments: [true, false])
  func sharedLongKey(isSet: Bool) throws {
    let key = String(repeating: "k", count: 20_000)
    var file = ArchiveFile()
    let pair = (file.text(key), file.row(.integer(1)))
    let classPair = (file.text("$class"), file.reference(file.classUID("Box", "NSObject")))
    let uids = (0..<6000).map { _ in file.object(row: file.row(.dictionary([pair, classPair]))) }
    var archive = try KeyedArchive(file.data(top: [("root", uids[0]), ("other", uids[1])]))
    var failures = 0
    for uid in uids {
      do {
        try archive.setValue(isSet ? .integer(2) : nil, forKey: key, of: ArchiveUID(rawValue: UInt32(uid)))
      } catch {
        #expect(error.code == .limitReached)
        failures += 1
      }
    }
    #expect(1..<6000 ~= failures)
    // Counted without a comparison of keys.
    let list = try PropertyList(archive.data())
    var counts: [Int: Int] = [:]
    for row in 0..<list.objectCount {
      if case .dictionary(let keys, let values) = try list.object(ObjectRef(rawValue: UInt32(row))), values.count < 3 {
        let isEdited = try keys.count == 1 || list.object(values[0]) == .integer(2)
        counts[isEdited ? keys.count : 0, default: 0] += 1
      }
    }
    #expect(counts[isSet ? 2 : 1] == 6000 - failures, "\(counts)")
  }

  @Test("removing a key that occurs twice removes both")
  func removesBoth() throws {
    var archive = try KeyedArchive(
      HandmadeList.archive(
        [.dictionary([("k", 1), ("x", 2), ("k", 3), ("$class", .uid(2))]), .classRecord("Box", "NSObject")],
        top: [("root", .uid(1)), ("other", 1), ("other", 2)]))
    try archive.setValue(nil, forKey: "k", of: uid)
    try archive.setTopValue(nil, forKey: "other")
    #expect(!archive.root["k"].exists && archive.root["x"].number == .integer(2) && archive.root.keys == ["x"])
    #expect(archive.topKeys == ["root"])
  }

  @Test("a reader shows all objects that edits added to a small archive")
  func showsAddedObjects() throws {
    var archive = try archive()
    for number in 0..<1000 {
      _ = try archive.addObject(.primitive(.string("\(number)" + String(repeating: "x", count: 5000))))
    }
    var reader = GraphReader(archive)
    for number in 3..<UInt32(archive.objectCount) {
      if case .damaged = reader.shape(of: .reference(ArchiveUID(rawValue: number))) {
        Issue.record("object \(number) is shown as damaged")
        break
      }
    }
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

  @Test("a node finds the same keys of an edited dictionary before and after writing")
  func dictionaryKeys() throws {
    let objects: [HandmadeList] = [
      ["NS.keys": [.uid(3), .uid(4), "inline"], "NS.objects": [.uid(5), .uid(6), .uid(5)], "$class": .uid(2)],
      .classRecord("NSDictionary", "NSObject"), "alpha", "beta", "one", "two",
    ]
    let texts = ["alpha", "beta", "inline", "gamma", "delta", "é", "e\u{301}", "$null", "7", "missing"]
    var random = SeededRandom(seed: 11)
    for round in 0..<40 {
      var archive = try KeyedArchive(HandmadeList.archive(objects))
      let string = try archive.addClass(ClassDescription(name: "NSMutableString", chain: ["NSMutableString"]))
      var (keys, values): ([KeyedArchive.StoredValue], [KeyedArchive.StoredValue]) = ([], [])
      for (number, text) in texts.dropLast().shuffled(using: &random).prefix(4).enumerated() {
        switch random.next() % 4 {
        case 0 where text != "$null": keys.append(.reference(try archive.addObject(.primitive(.string(text)))))
        case 1:
          keys.append(
            .reference(try archive.addObject(.instance(class: string, [.init("NS.string", .string(text))]))))
        case 2: keys.append(.reference(try archive.addObject(.primitive(.integer(7)))))
        default: keys.append(.string(text))
        }
        values.append(.integer(Int64(number)))
      }
      if round.isMultiple(of: 2) {
        try archive.setValue(.array(keys), forKey: "NS.keys", of: uid)
        try archive.setValue(.array(values), forKey: "NS.objects", of: uid)
      } else {
        try archive.setObject(ArchiveUID(rawValue: 3), to: .primitive(.string("gamma")))
      }
      let read = try KeyedArchive(archive.data())
      for text in texts {
        #expect(archive.root[text].number == read.root[text].number, "round \(round), key \(text)")
        #expect(archive.root[text].string == read.root[text].string, "round \(round), key \(text)")
      }
      if round.isMultiple(of: 2) {
        for (key, value) in zip(keys, values) {
          if case .string(let text) = key { #expect(archive.root[text].exists, "round \(round), \(value)") }
        }
      } else {
        #expect(archive.root["gamma"].string == "one" && !archive.root["alpha"].exists)
      }
    }
  }

  @Test("values that XML cannot hold are errors of writing XML, and other numbers are equal")
  func unwritableInXML() throws {
    let values: [(KeyedArchive.StoredValue, isWritable: Bool)] = [
      (.dictionary([.init("CF$UID", .integer(1))]), false), (.date(0.5), false), (.date(-0.0), false),
      (.double(Double(bitPattern: 0x7FF8_0000_0000_0001)), false), (.float(Float(bitPattern: 0x7FC0_0001)), false),
      (.float(0.1), true), (.double(0.1), true), (.date(5), true), (.wideInteger(high: 0, low: 5), true),
      (.wideInteger(high: 0, low: .max), true), (.string("CF$UID"), true),
      (.dictionary([.init("CF$UID", .string("1"))]), true),
    ]
    let folder = try ScratchFolder()
    for format in [PropertyList.Format.binary, .xml] {
      for (value, isWritable) in values {
        var archive = try KeyedArchive(archive().data(format: format))
        try archive.setValue(value, forKey: "v", of: uid)
        let url = folder.url.appending(path: "a.plist")
        guard isWritable else {
          for call in [
            { _ = try archive.data(format: .xml) }, { try archive.write(to: url, format: .xml) },
            { if format == .xml { _ = try archive.data() } else { _ = try archive.data(format: .xml) } },
          ] {
            let error = #expect(throws: KeyedArchiveError.self) { try call() }
            #expect(error?.remedy != nil && error?.detail.contains(" at #1.v: ") == true, "\(value)")
          }
          #expect(!FileManager.default.fileExists(atPath: url.path))
          _ = try archive.data(format: .binary)
          continue
        }
        let read = try KeyedArchive(archive.data(format: .xml))
        #expect(read.root["v"].number?.real == archive.root["v"].number?.real, "\(value)")
        #expect(read.root["v"].exists)
      }
    }
  }

  @Test("discarded objects share the row of object 0, and a later edit of one changes no other")
  func discardedRows() throws {
    var archive = try archive()
    let uids = try (0..<3).map { try archive.addObject(.primitive(.string("text \($0)"))) }
    #expect(try archive.discardUnreachableObjects() == 3 && archive.discardUnreachableObjects() == 0)
    let null = try archive.row(of: .null)
    #expect(try uids.allSatisfy { try archive.row(of: $0) == null })
    try archive.setObject(uids[1], to: .primitive(.string("new")))
    let read = try KeyedArchive(archive.data())
    #expect(try uids.map { try read.object($0) } == [.null, .primitive(.string("new")), .null])
    #expect(try read.object(.null) == .null)
  }

  @Test("discarded objects become nil also if a damaged archive has another object 0")
  func discardedWithoutNull() throws {
    let file = HandmadeList.dictionary([
      ("$version", 100_000), ("$archiver", "NSKeyedArchiver"), ("$top", ["root": .uid(1)]),
      ("$objects", ["first", "root", "unused", "unused"]),
    ])
    var archive = try KeyedArchive(file.binary)
    #expect(try archive.discardUnreachableObjects() == 2)
    let objects = try (0..<4).map { try archive.object(ArchiveUID(rawValue: $0)) }
    #expect(objects == [.primitive(.string("first")), .primitive(.string("root")), .null, .null])
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
      return try System.leastTime(of: 5) { () throws(KeyedArchiveError) in
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
