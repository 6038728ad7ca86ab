// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import ArchivedClasses
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

// How long bombs take is measured by `archive-torture limits`, in release mode. Here is shown that each ends, and how.

@Suite("Values that are shared many times over end in a value that is small or in an error")
struct ExpansionTests {
  private typealias Rows = [[UInt8]]

  /// A list of rows, each with its bytes; references have four bytes. Rows may be there twice without taking room twice.
  private struct Table {
    var rows: [[UInt8]] = []
    var twins: [Int: Int] = [:]

    mutating func add(_ bytes: [UInt8]) -> Int {
      rows.append(bytes)
      return rows.count - 1
    }
    mutating func text(_ text: String) -> Int { add(Self.head(0x50, text.utf8.count) + Array(text.utf8)) }
    mutating func uid(_ uid: Int) -> Int { add([0x83] + Self.number(uid, 4)) }
    mutating func array(_ rows: [Int]) -> Int { add(Self.head(0xA0, rows.count) + rows.flatMap { Self.number($0, 4) }) }
    mutating func dictionary(_ pairs: [(Int, Int)]) -> Int {
      add(Self.head(0xD0, pairs.count) + (pairs.map(\.0) + pairs.map(\.1)).flatMap { Self.number($0, 4) })
    }
    mutating func twin(of row: Int) -> Int {
      twins[rows.count] = row
      return add([])
    }

    func data(top: Int) -> Data {
      var bytes = Array("bplist00".utf8)
      var offsets: [Int] = []
      for (number, row) in rows.enumerated() {
        offsets.append(twins[number].map { offsets[$0] } ?? bytes.count)
        bytes += row
      }
      let table = bytes.count
      for offset in offsets { bytes += Self.number(offset, 4) }
      bytes += [0, 0, 0, 0, 0, 0, 4, 4]
      for value in [rows.count, top, table] { bytes += Self.number(value, 8) }
      return Data(bytes)
    }

    static func head(_ marker: UInt8, _ count: Int) -> [UInt8] {
      count < 15 ? [marker | UInt8(count)] : [marker | 15, 0x12] + number(count, 4)
    }
    static func number(_ value: Int, _ width: Int) -> [UInt8] {
      var bytes: [UInt8] = []
      // A loop over a range takes much longer without optimization.
      var shift = 8 * (width - 1)
      while shift >= 0 {
        bytes.append(UInt8(value &>> shift & 0xFF))
        shift -= 8
      }
      return bytes
    }
  }

  /// An archive of an array of `count` objects of a class, all of which share one value for a key.
  private static func archive(_ count: Int, of className: String, _ key: String, _ shared: (inout Table) -> Int) -> Data
  {
    var table = Table()
    let null = table.text("$null")
    let names = [className, "NSArray"].map { name in
      let pair = (table.text("$classname"), table.text(name))
      return table.dictionary([pair])
    }
    let (classKey, own, array) = (table.text("$class"), table.uid(1), table.uid(2))
    let value = shared(&table)
    let valueKey = table.text(key)
    let objects = (0..<count).map { _ in table.dictionary([(valueKey, value), (classKey, own)]) }
    let references = (0..<count).map { table.uid(4 + $0) }
    let elements = table.array(references)
    let elementsKey = table.text("NS.objects")
    let root = table.dictionary([(elementsKey, elements), (classKey, array)])
    let list = table.array([null] + names + [root] + objects)
    let rootPair = (table.text("root"), table.uid(3))
    let top = table.dictionary([rootPair])
    let version = (table.text("$version"), table.add([0x12] + Table.number(100_000, 4)))
    let archiver = (table.text("$archiver"), table.text("NSKeyedArchiver"))
    let whole = table.dictionary([version, archiver, (table.text("$top"), top), (table.text("$objects"), list)])
    return table.data(top: whole)
  }

  /// Two thousand objects that share something of about as many bytes as they take themselves.
  private static let bombs: [(name: String, data: Data)] =
    [
      (
        "texts", archive(4000, of: "NSMutableString", "NS.string") { $0.text(String(repeating: "text", count: 20_000)) }
      ),
      (
        "data",
        archive(4000, of: "NSMutableData", "NS.data") {
          $0.add(Table.head(0x40, 80_000) + [UInt8](repeating: 1, count: 80_000))
        }
      ),
      (
        "elements",
        archive(4000, of: "NSArray", "NS.objects") { table in
          let null = table.uid(3 + 1)
          return table.array([Int](repeating: null, count: 20_000))
        }
      ),
    ]

  @Test("through a decoder")
  func decoding() throws {
    for (name, data) in Self.bombs {
      // Objects that share one text or data are given the same one; that weighs little, however many they are.
      guard name == "elements" else {
        let array = try KeyedUnarchiver.unarchivedObject(ofClasses: KeyedUnarchiver.valueTypes, from: data)
        #expect((array as? ArchivedArray)?.elements.count == 4000, "\(name)")
        let object = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data)
        #expect(object?.entries.count == 1)
        continue
      }
      let asData = #expect(throws: KeyedArchiveError.self) {
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data)
      }
      #expect(asData?.code == .limitReached, "\(String(describing: asData))")
      #expect(asData?.remedy?.contains("maximumExpansion") == true)
      let error = #expect(throws: KeyedArchiveError.self) {
        _ = try KeyedUnarchiver.unarchivedObject(ofClasses: KeyedUnarchiver.valueTypes, from: data)
      }
      // Arrays that hold one of themselves are circles for those who make values.
      #expect(error?.code == .cycle)
      let top = #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver(forReadingFrom: data).decodeTopLevel(makingValues: KeyedUnarchiver.valueTypes)
      }
      #expect(top?.code == .limitReached)
    }
  }

  @Test("through a check of the archive and the list of its classes")
  func checking() throws {
    for (name, data) in Self.bombs {
      let archive = try KeyedArchive(data)
      #expect(archive.classNames.contains("NSArray"), "\(name)")
      let findings = archive.check()
      if name == "elements" {
        #expect(findings.last?.code == "limitReached" && findings.count == 1)
        #expect(throws: KeyedArchiveError.self) { try archive.validate() }
      } else {
        #expect(findings.isEmpty, "\(name)")
        try archive.validate()
      }
      // A single object is within the limit.
      #expect(throws: Never.self) { try archive.object(ArchiveUID(rawValue: 5)) }
    }
  }

  @Test("through rows that share their bytes")
  func twins() throws {
    var table = Table()
    let text = table.text(String(repeating: "text", count: 20_000))
    let rows = (0..<4000).map { _ in table.twin(of: text) }
    let top = table.array(rows)
    let list = try PropertyList(table.data(top: top))
    for way in [{ try list.validate() }, { _ = try list.rewritten() }, { _ = try list.data(format: .xml) }]
      as [() throws -> Void]
    {
      let error = #expect(throws: PropertyListError.self) { try way() }
      #expect(error?.code == .limitReached)
    }
  }

  /// An archive of arrays that share one list of elements; they stand in one array, or under a top-level key each.
  private func sharedLists(underKeys: Bool) -> Data {
    var file = ArchiveFile()
    let array = file.classUID("NSArray", "NSObject")
    let number = file.reference(file.object(row: file.row(.integer(5))))
    let list = file.row(.array([Int](repeating: number, count: 1000)))
    let arrays = (0..<4000).map { _ in file.object(row: file.fields(array, [("NS.objects", list)])) }
    if underKeys { return file.data(top: arrays.enumerated().map { ("\($0)", $1) }) }
    let elements = file.row(.array(arrays.map { file.reference($0) }))
    return file.data(root: file.object(row: file.fields(array, [("NS.objects", elements)])))
  }

  @Test("through arrays of a type")
  func typed() throws {
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: [[Int]].self, from: sharedLists(underKeys: false))
    }
    #expect(error?.code == .limitReached)
  }

  @Test("through top-level keys that are asked for one after another")
  func keys() throws {
    let unarchiver = try Hostile.decoder(sharedLists(underKeys: true))
    let error = #expect(throws: KeyedArchiveError.self) {
      for number in 0..<4000 { _ = try unarchiver.decodeTopLevelObject(of: [Int].self, forKey: "\(number)") }
    }
    #expect(error?.code == .limitReached)
  }

  @Test("the limit is one on what is made in a call; a caller may ask again")
  func again() throws {
    let texts = HandmadeList.archive([
      Hostile.object(2, [("NS.objects", .array((0..<20_000).map { _ in .uid(3) }))]), Hostile.array, "text",
    ])
    let unarchiver = try Hostile.decoder(texts)
    // Each list of types makes the array anew.
    let lists: [[any KeyedCoding.Type]] = [
      [ArchivedArray.self, String.self], [ArchivedArray.self, String.self, Data.self],
      [ArchivedArray.self, String.self, Date.self], [ArchivedArray.self, Data.self, String.self],
      [ArchivedArray.self, Parent.self, String.self],
    ]
    for _ in 0..<20 {
      for list in lists {
        let array = try unarchiver.decodeTopLevelObject(of: list, forKey: "root") as? ArchivedArray
        #expect(array?.elements.count == 20_000)
      }
    }
  }

  @Test("strings and data that are too long", arguments: [false, true])
  func longValues(_ isXML: Bool) throws {
    for (value, limits) in [
      (HandmadeList.string(String(repeating: "a", count: 101)), ReadLimits(maximumStringByteCount: 100)),
      (.string(String(repeating: "ä", count: 51)), ReadLimits(maximumStringByteCount: 100)),
      (.data([UInt8](repeating: 1, count: 101)), ReadLimits(maximumDataByteCount: 100)),
    ] {
      let sound = HandmadeList.archive([value])
      let data = isXML ? try PropertyList(sound).data(format: .xml) : sound
      #expect(throws: Never.self) { try PropertyList(data).validate() }
      let error = #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClasses: [String.self, Data.self], from: data, limits: limits)
      }
      #expect(error?.code == .limitReached, "\(String(describing: error))")
      #expect(error?.remedy?.contains("ByteCount") == true)
    }
  }
}
