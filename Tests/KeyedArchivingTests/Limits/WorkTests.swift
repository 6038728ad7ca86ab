// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import ArchivedClasses
import Foundation
import HarnessSupport
import KeyedArchives
import PropertyListFormat
import TestSupport
import Testing

@testable import KeyedArchiving

// Costs are times of one thread compared with each other, so a busy machine and a debug build change both sides alike.

/// An object that requests all of its values, and continues after errors.
private final class Keen: SecureKeyedCoding {
  static var archiveClassName: String { "Keen" }
  let number: Int

  init(coder: KeyedUnarchiver) {
    number = (0..<3000).count { (try? coder.decode(Relative.self, forKey: "k\($0)")) != nil }
  }

  func encode(with coder: KeyedArchiver) {}

  /// Returns the number of values that the root object decoded; 0 if it decoded the object of a plain file.
  static func number(in data: Data, isMapping: Bool = false) throws -> Int {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    if isMapping { unarchiver.setClass(Son.self, forClassName: "Child") }
    let list: [any KeyedCoding.Type] = [Keen.self] + KeyedUnarchiver.valueTypes
    return (try unarchiver.decodeTopLevelObject(of: list, forKey: "root") as? Keen)?.number ?? 0
  }
}

private class Relative: SecureKeyedCoding {
  class var archiveClassName: String { "Relative" }
  class var archiveSubclasses: [any KeyedCoding.Type] { [Son.self, Daughter.self, Cousin.self, Uncle.self] }
  required init(coder: KeyedUnarchiver) {}
  func encode(with coder: KeyedArchiver) {}
}

private final class Son: Relative { override class var archiveClassName: String { "Son" } }
private final class Daughter: Relative { override class var archiveClassName: String { "Daughter" } }
private final class Cousin: Relative { override class var archiveClassName: String { "Cousin" } }
private final class Uncle: Relative { override class var archiveClassName: String { "Uncle" } }

@Suite("The cost of an input", .serialized)
struct WorkTests {
  /// How many times the time per byte of a plain file a call takes. The plain file is smaller than a large one.
  private func ratio(_ data: Data, _ body: (Data) throws -> Void) rethrows -> Double {
    let plain = Bombs.plain.map { $0(min(data.count, 40_000)) }
    let times = try plain.map { plain in try System.leastTime(of: 2) { try body(plain) } / Double(plain.count) }
    let plainest = (times.max() ?? 0) * Double(data.count)
    let time = try System.leastTime(of: 1) { try body(data) }
    // What takes long by chance takes less again.
    return try time < 20 * plainest ? time / plainest : System.leastTime(of: 1) { try body(data) } / plainest
  }

  @Test("stays within the promise for numbered elements beside one long key of one letter")
  func numberedElements() throws {
    var file = ArchiveFile()
    let array = file.classUID("NSArray", "NSObject")
    let text = file.reference(file.object(row: file.text("text")))
    let long = "N" + String(repeating: "\u{301}", count: 8000)
    let row = file.fields(array, [("NS.object.0", text), (long, text)])
    let arrays = (0..<8000).map { _ in file.reference(file.object(row: row)) }
    let root = file.object(row: file.fields(array, [("NS.objects", file.row(.array(arrays)))]))
    let ratio = try ratio(file.data(root: root)) {
      _ = try KeyedUnarchiver.unarchivedObject(ofClass: [[String]].self, from: $0)
    }
    #expect(ratio < 20)
  }

  @Test("does not depend on whether keys have equal hashes")
  func equalHashes() {
    // The hash is one of 32 units at the beginning, in the middle and at the end.
    func keys(_ start: Int) -> [String] {
      (0..<3000).map { number in
        let digits = String(number)
        let middle = String(repeating: "0", count: 8 - digits.count) + digits
        let text = String(repeating: "a", count: 34) + middle + String(repeating: "b", count: 140)
        return String(text.dropFirst(start)) + String(text.prefix(start))
      }
    }
    let colliding = keys(0)
    let others = keys(34)
    #expect(Set(colliding.map(KeyOrder.hash)).count == 1)
    #expect(Set(others.map(KeyOrder.hash)).count > 1000)
    let plain = System.leastTime(of: 2) { _ = KeyOrder.enumeration(of: others) }
    #expect(System.leastTime(of: 2) { _ = KeyOrder.enumeration(of: colliding) } < 5 * plain)
  }

  /// The table of CoreFoundation as it is defined: each key goes to the first free slot.
  private func probed(_ hashes: [UInt64], size: Int, capacity: Int) -> [Int]? {
    guard hashes.count <= capacity else { return nil }
    var table = [Int](repeating: -1, count: size)
    for place in hashes.indices {
      var slot = Int(hashes[place] % UInt64(size))
      while table[slot] >= 0 { slot = (slot + 1) % size }
      table[slot] = place
    }
    return table
  }

  @Test("the order of keys is that of open addressing with linear probing, for random and for colliding keys")
  func order() {
    let grades = [(3, 3), (7, 6), (13, 11), (23, 19), (41, 32), (71, 52), (127, 85), (191, 118), (251, 155)]
    for round in Sample.cases(0..<300, each: 10) {
      var random = SeededRandom(seed: UInt64(round))
      let count = Int.random(in: 1...155, using: &random)
      let keys = (0..<count).map { number in
        switch round % 3 {
        case 0: "key \(UInt32.random(in: 0 ... .max, using: &random))"
        // One hash for all, and few hashes for all.
        case 1: String(repeating: "a", count: 40) + "\(1000 + number)" + String(repeating: "b", count: 140)
        default:
          String(repeating: "a", count: 40 + number % 3) + "\(1000 + number)" + String(repeating: "b", count: 140)
        }
      }
      // Keys that were in a smaller table are inserted again in the order of its slots.
      var table: [Int] = []
      var inserted: [Int] = []
      for place in 0..<count {
        guard let grade = grades.first(where: { place + 1 <= $0.1 }) else { return }
        if table.count != grade.0 {
          inserted = table.filter { $0 >= 0 }
          table = [Int](repeating: -1, count: grade.0)
        } else {
          inserted = []
        }
        for key in inserted + [place] {
          var slot = Int(KeyOrder.hash(keys[key]) % UInt64(grade.0))
          while table[slot] >= 0 { slot = (slot + 1) % grade.0 }
          table[slot] = key
        }
      }
      #expect(KeyOrder.enumeration(of: keys) == table.filter { $0 >= 0 })
    }
  }

  @Test("of adding classes grows as their number does")
  func classes() throws {
    var archive = try KeyedArchive(HandmadeList.archive(["text"]))
    func add(_ count: Int) throws -> Double {
      let start = archive.objectCount
      return try System.leastTime(of: 2) {
        for number in start..<start + count {
          let uid = try archive.addClass(ClassDescription(name: "Z\(number)", chain: ["Z\(number)", "NSObject"]))
          _ = try archive.addObject(.instance(class: uid, [.init("i", .integer(1))]))
        }
      }
    }
    let first = try add(200)
    _ = try add(1500)
    #expect(try add(200) < 5 * first)
  }

  @Test("of adding a class grows as the number of equal class records does")
  func equalClasses() throws {
    func time(_ count: Int) throws -> Double {
      var file = ArchiveFile()
      let record = file.row(.dictionary([(file.text("$classname"), file.text("X"))]))
      let uids = (0..<count).map { _ in file.object(row: record) }
      let opened = try KeyedArchive(file.data(root: uids[0]), limits: ReadLimits(maximumExpansion: 10_000))
      return try System.leastTime(of: count > 2000 ? 1 : 2) {
        var archive = opened
        let added = try archive.addClass(ClassDescription(name: "New", chain: ["New"]))
        let known = try archive.addClass(ClassDescription(name: "X", chain: []))
        #expect(added.index == count + 1 && known.index == uids[0])
      }
    }
    // 8 times as many records; a scan of the earlier ones for each takes 64 times the time.
    #expect(try time(16_000) < 24 * time(2000))
  }

  @Test("a class is found again whatever edits did to its record, and first where it is first")
  func classIndex() throws {
    let a = ClassDescription(name: "A", chain: ["A", "NSObject"])
    let b = ClassDescription(name: "B", chain: ["B", "NSObject"], hints: ["A"])
    var archive = try KeyedArchive(
      HandmadeList.archive(["text", .classRecord("A", "NSObject"), .classRecord("A", "NSObject")]))
    let uid = { (number: UInt32) in ArchiveUID(rawValue: number) }
    #expect(try archive.addClass(a) == uid(2))
    #expect(try archive.addClass(b) == uid(4))
    #expect(try archive.addClass(a) == uid(2))
    try archive.setObject(uid(2), to: .classRecord(b))
    #expect(try archive.addClass(a) == uid(3))
    #expect(try archive.addClass(b) == uid(2))
    try archive.setObject(uid(3), to: .null)
    #expect(try archive.addClass(a) == uid(5))
    try archive.setObject(uid(1), to: .classRecord(a))
    #expect(try archive.addClass(a) == uid(1))
    let copy = archive
    try archive.setObject(uid(1), to: .null)
    #expect(try archive.addClass(a) == uid(5))
    var other = copy
    #expect(try other.addClass(a) == uid(1))
    // Names that only look alike are of two classes.
    let composed = try archive.addClass(ClassDescription(name: "\u{E9}", chain: []))
    #expect(try archive.addClass(ClassDescription(name: "e\u{301}", chain: [])) != composed)
  }

  @Test("of one object as data is not that of the whole archive")
  func oneObject() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    let nodes = (0..<8000).map { ArchivedObject(classes: "Node", entries: [.init("i", .number(.integer($0)))]) }
    archiver.encode(ArchivedArray(nodes), forKey: "root")
    archiver.encode(ArchivedObject(classes: "Small", entries: [.init("i", .number(.integer(1)))]), forKey: "x")
    let data = try archiver.encodedData
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let small = try System.leastTime(of: 2) {
      _ = try #require(try unarchiver.decodeTopLevelObject(of: ArchivedObject.self, forKey: "x"))
    }
    let list: [any KeyedCoding.Type] = [ArchivedArray.self, ArchivedObject.self]
    let all = try System.leastTime(of: 2) {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      _ = try #require(try unarchiver.decodeTopLevelObject(of: list, forKey: "root"))
    }
    #expect(small < all / 20)
  }

  @Test("one object by itself is archived with the numbers that it has in the whole")
  func oneObjectAgain() throws {
    for name in ["apple/NSURL.plist", "made/creatures.plist"] {
      let data = try Data(contentsOf: Locations.fixtures.appending(path: name))
      guard let object = try? KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data) else {
        continue
      }
      let top = try KeyedUnarchiver(forReadingFrom: data).decodeTopLevel()
      let archiver = KeyedArchiver(requiringSecureCoding: false)
      try archiver.encodeTopLevel(top)
      #expect(
        try KeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false) == archiver.encodedData)
    }
  }

  @Test("stays within the promise for nodes of many objects that share their bytes")
  func nodes() throws {
    for bomb in Bombs.all where bomb.name.contains("under many numbers") || bomb.name.contains("long name") {
      let ratio = try ratio(bomb.make(40_000)) { data in
        let archive = try KeyedArchive(data)
        for number in 0..<UInt32(archive.objectCount) {
          let node = archive[ArchiveUID(rawValue: number)]
          _ = (node.kind, node.className, node.keys.count, node.array?.count, node.string?.count, node["absent"].exists)
        }
      }
      #expect(ratio < 20, "\(bomb.name)")
    }
  }

  @Test("stays within the promise for an archive that was edited")
  func edits() throws {
    for bomb in Bombs.all where bomb.name.contains("under many numbers") || bomb.name.contains("many references") {
      let ratio = try ratio(bomb.make(20_000)) { data in
        var archive = try KeyedArchive(data)
        let uid = ArchiveUID(rawValue: UInt32(archive.objectCount / 2))
        try? archive.setValue(.integer(1), forKey: "added", of: uid)
        _ = try? archive.addClass(ClassDescription(name: "Added", chain: ["Added", "NSObject"]))
        _ = try? archive.discardUnreachableObjects()
        _ = archive.classNames
      }
      #expect(ratio < 20, "\(bomb.name)")
    }
  }

  @Test("an edit gives an object keys of its own, which is limited where many objects share them")
  func editsOfAll() throws {
    func editAll(_ data: Data) throws -> Int {
      var archive = try KeyedArchive(data)
      var count = 0
      for number in 0..<UInt32(archive.objectCount) {
        let uid = ArchiveUID(rawValue: number)
        do {
          for value in 1...3 { try archive.setValue(.integer(Int64(value)), forKey: "added", of: uid) }
          count += 1
        } catch {
          // Texts and class records have no such keys.
          guard error.code == .typeMismatch else { throw error }
        }
      }
      return count
    }
    for bomb in Bombs.all where bomb.name == "one object with many keys under many numbers" {
      let error = #expect(throws: KeyedArchiveError.self) { try editAll(bomb.make(40_000)) }
      #expect(error?.code == .limitReached)
    }
    for make in Bombs.plain { #expect(try editAll(make(40_000)) > 0) }
  }

  @Test("stays within the promise for many references to one class with many superclasses")
  func classRecords() throws {
    var file = ArchiveFile()
    let name = file.text("NSObject")
    let names = file.row(.array(Array(repeating: name, count: 1000)))
    let record = file.object(
      row: file.row(.dictionary([(file.text("$classname"), name), (file.text("$classes"), names)])))
    let uids = Array(repeating: file.reference(record), count: 2000)
    let list = file.row(.array(uids))
    let data = file.data(
      root: file.object(row: file.fields(file.classUID("NSArray", "NSObject"), [("NS.objects", list)])))
    let compared = try ratio(data) {
      let archive = try KeyedArchive($0)
      _ = try archive.differences(from: archive)
    }
    #expect(compared < 20)
    // A program that goes through the objects asks for the class of each.
    let asked = try ratio(data) {
      let archive = try KeyedArchive($0)
      let first = (1..<archive.objectCount).map { ArchiveUID(rawValue: UInt32($0)) }.first {
        (try? archive.classDescription($0)) != nil
      }
      let uid = try #require(first)
      for _ in 0..<4000 { #expect(try !archive.classDescription(uid).chain.isEmpty) }
    }
    #expect(asked < 20)
  }

  /// A large part of a class record, which is read for each class that has the record.
  enum RecordPart: CaseIterable {
    case name, superclass, key, entries
  }

  @Test("counts each part of a class record that many classes share", arguments: RecordPart.allCases)
  func sharedRecords(_ part: RecordPart) throws {
    var file = ArchiveFile()
    let long = file.text(String(repeating: "a", count: 100_000))
    let name = part == .name ? long : file.text("Thing")
    let chain = file.row(.array([file.text("Thing"), part == .superclass ? long : file.text("NSObject")]))
    var pairs = [(key: file.text("$classname"), value: name), (key: file.text("$classes"), value: chain)]
    let number = file.row(.integer(1))
    if part == .key { pairs.append((long, number)) }
    if part == .entries { pairs += Array(repeating: (number, number), count: 20_000) }
    let record = file.row(.dictionary(pairs))
    let objects = (0..<3000).map { _ in
      let uid = file.object(row: record)
      return file.reference(file.object(row: file.fields(uid, [])))
    }
    let list = file.row(.array(objects))
    let data = file.data(
      root: file.object(row: file.fields(file.classUID("NSArray", "NSObject"), [("NS.objects", list)])))
    let error = try #require(throws: KeyedArchiveError.self) {
      _ = try KeyedUnarchiver.unarchivedObject(ofClass: [ArchivedObject].self, from: data)
    }
    #expect(error.code == .limitReached, "\(error)")
  }

  /// How a text that many objects share is stored.
  enum TextForm: CaseIterable {
    case string, bytes
  }

  @Test("counts a text that many objects share for each of them", arguments: TextForm.allCases)
  func sharedText(_ form: TextForm) throws {
    var file = ArchiveFile()
    let text = String(repeating: "a", count: 100_000)
    let row =
      switch form {
      case .string: file.text(text)
      case .bytes:
        file.fields(file.classUID("NSString", "NSObject"), [("NS.bytes", file.row(.data(text.utf8.count)))])
      }
    let objects = (0..<3000).map { _ in file.reference(file.object(row: row)) }
    let list = file.row(.array(objects))
    let data = file.data(
      root: file.object(row: file.fields(file.classUID("NSArray", "NSObject"), [("NS.objects", list)])))
    let error = try #require(throws: KeyedArchiveError.self) {
      _ = try KeyedUnarchiver.unarchivedObject(ofClass: [String].self, from: data)
    }
    #expect(error.code == .limitReached, "\(error)")
  }

  @Test("stays within the promise for one array under many keys of an object that is decoded as data")
  func oneArrayUnderManyKeys() throws {
    var file = ArchiveFile()
    let text = file.reference(file.object(row: file.text("text")))
    let list = file.row(.array(Array(repeating: text, count: 6000)))
    let fields = (0..<1000).map { ("key \($0)", list) }
    let data = file.data(root: file.object(row: file.fields(file.classUID("Box", "NSObject"), fields)))
    let ratio = ratio(data) {
      _ = try? KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: $0)
    }
    #expect(ratio < 20)
  }

  @Test("stays within the promise for texts that share many attributes")
  func attributes() throws {
    var file = ArchiveFile()
    let texts = (0..<2000).map { file.reference(file.object(row: file.text("name \($0)"))) }
    let list = file.row(.array(texts))
    let set = file.reference(
      file.object(
        row: file.fields(file.classUID("NSDictionary", "NSObject"), [("NS.keys", list), ("NS.objects", list)])))
    let fields = file.fields(
      file.classUID("NSAttributedString", "NSObject"), [("NSString", texts[0]), ("NSAttributes", set)])
    let objects = (0..<2000).map { _ in file.reference(file.object(row: fields)) }
    let data = file.data(
      root: file.object(
        row: file.fields(file.classUID("NSArray", "NSObject"), [("NS.objects", file.row(.array(objects)))])))
    let types: [any KeyedCoding.Type] = [AttributedString.self, ArchivedArray.self, String.self]
    let ratio = try ratio(data) { (data: Data) throws in
      let value = try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: data)
      #expect(value is ArchivedArray)
    }
    #expect(ratio < 20)
  }

  @Test("stays within the promise for classes with one list of many hints", arguments: [1, 3000], [false, true])
  func hints(_ classCount: Int, _ isMapping: Bool) throws {
    var file = ArchiveFile()
    let hintCount = classCount == 1 ? 20_000 : 3000
    let names = file.row(.array(Array(repeating: file.text("Other"), count: hintCount)))
    let records = (0..<classCount).map { _ in
      file.object(
        row: file.row(.dictionary([(file.text("$classname"), file.text("Lost")), (file.text("$classhints"), names)])))
    }
    let fields = (0..<3000).map { number in
      ("k\(number)", file.reference(file.object(row: file.fields(records[number % classCount], []))))
    }
    let root = file.object(row: file.fields(file.classUID("Keen", "NSObject"), fields))
    let ratio = try ratio(file.data(root: root)) { (data: Data) throws in
      #expect(try Keen.number(in: data, isMapping: isMapping) == 0)
    }
    #expect(ratio < 20)
  }

  // The argument tells whether the class record has the name, or hints that share it.
  @Test("stays within the promise for classes that share a mangled name", arguments: [false, true])
  func mangledNames(_ isHint: Bool) throws {
    var file = ArchiveFile()
    let name = file.text("_TtGC1M1C" + String(repeating: "Sb", count: 2040) + "_")
    let hints = file.row(.array(Array(repeating: name, count: 8000)))
    let records = (0..<(isHint ? 1 : 3000)).map { _ in
      file.object(
        row: file.row(
          isHint
            ? .dictionary([(file.text("$classname"), file.text("Lost")), (file.text("$classhints"), hints)])
            : .dictionary([(file.text("$classname"), name)])))
    }
    let fields = (0..<3000).map { number in
      ("k\(number)", file.reference(file.object(row: file.fields(records[number % records.count], []))))
    }
    let root = file.object(row: file.fields(file.classUID("Keen", "NSObject"), fields))
    let ratio = try ratio(file.data(root: root)) { (data: Data) throws in
      #expect(try Keen.number(in: data) == 0)
    }
    #expect(ratio < 20)
  }

  @Test("stays within the promise for one object with long keys, of which the last is none, that is requested often")
  func damagedKeys() throws {
    var file = ArchiveFile()
    let value = file.row(.integer(1))
    let classUID = file.classUID("Relative", "NSObject")
    var pairs = (0..<1000).map { (file.text("a key of more than 32 characters \($0)"), value) }
    pairs += [(file.text("$class"), file.reference(classUID)), (value, value)]
    let damaged = file.reference(file.object(row: file.row(.dictionary(pairs))))
    let fields = (0..<3000).map { ("k\($0)", damaged) }
    let root = file.object(row: file.fields(file.classUID("Keen", "NSObject"), fields))
    let ratio = try ratio(file.data(root: root)) { (data: Data) throws in
      #expect(try Keen.number(in: data) == 0)
    }
    #expect(ratio < 20)
  }

  @Test("a damaged class record gives the same error each time, and an edit to a record is seen")
  func classRecordAgain() throws {
    var archive = try KeyedArchive(
      HandmadeList.archive([
        ["$class": .uid(2)], ["$classname": .array([]), "$classes": .array([])], .classRecord("Thing", "NSObject"),
      ]))
    let errors = try (0..<2).map { _ in
      try #require(throws: KeyedArchiveError.self) { try archive.classDescription(ArchiveUID(rawValue: 2)) }
    }
    #expect(errors[0].code == .damagedArchive && "\(errors[0])" == "\(errors[1])")
    #expect(try archive.classDescription(ArchiveUID(rawValue: 3)).name == "Thing")
    try archive.setObject(
      ArchiveUID(rawValue: 3), to: .classRecord(ClassDescription(name: "Other", chain: ["Other", "NSObject"])))
    #expect(try archive.classDescription(ArchiveUID(rawValue: 3)).name == "Other")
  }

  @Test("an edited archive is still limited")
  func editedExpansion() throws {
    var file = ArchiveFile()
    let array = file.classUID("NSArray", "NSObject")
    let list = file.row(.array((0..<2000).map { _ in file.reference(1) }))
    let arrays = (0..<2000).map { _ in file.object(row: file.fields(array, [("NS.objects", list)])) }
    var archive = try KeyedArchive(file.data(root: arrays[0]))
    try archive.setValue(.integer(1), forKey: "added", of: ArchiveUID(rawValue: 5))
    #expect(archive.check().contains { $0.code == "limitReached" })
  }

  @Test("a key that many objects share is compared as often as the limit allows, and then counts as missing")
  func sharedKey() throws {
    var file = ArchiveFile()
    let (thing, value) = (file.classUID("Thing", "NSObject"), file.row(.integer(1)))
    let key = String(repeating: "a", count: 8192)
    let uids = (0..<4000).map { _ in file.object(row: file.fields(thing, [(key, value)])) }
    let archive = try KeyedArchive(file.data(root: uids[0]))
    let found = uids.count { archive[ArchiveUID(rawValue: UInt32($0))][key].exists }
    #expect(found > 1000 && found < 4000)
  }

  @Test("a string and data that stand in themselves have no text and no bytes")
  func stringInItself() throws {
    let archive = try KeyedArchive(
      HandmadeList.archive([
        ["text": .uid(2), "bytes": .uid(4), "$class": .uid(6)],
        ["NS.string": .uid(2), "$class": .uid(3)], .classRecord("NSMutableString", "NSString", "NSObject"),
        ["NS.data": .uid(4), "NS.bytes": .uid(4), "$class": .uid(5)],
        .classRecord("NSMutableData", "NSData", "NSObject"), .classRecord("Thing", "NSObject"),
      ]))
    #expect(archive.root["text"].string == nil && archive.root["bytes"].data == nil)
    #expect(archive.root["text"].className == "NSMutableString" && archive.root["bytes"]["NS.bytes"].exists)
  }

  @Test("a caller may look at the same node as often as it likes")
  func sameNode() throws {
    let elements = (0..<8000).map { _ in HandmadeList.uid(3) }
    let archive = try KeyedArchive(
      HandmadeList.archive([Hostile.object(2, [("NS.objects", .array(elements))]), Hostile.array, "text"]))
    for _ in 0..<50 { #expect(archive.root.array?.count == 8000) }
  }

  /// A value with a nested container.
  private struct Opening: KeyedCodable {
    static var archiveClassName: String { "Opening" }
    enum CodingKeys: CodingKey { case table, key }
    func encode(to encoder: any Encoder) {}
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      #expect(try !container.nestedContainer(keyedBy: CodingKeys.self, forKey: .table).contains(.key))
    }
  }

  @Test("counts the keys of a dictionary for each nested container", arguments: [(100, true), (3000, false)])
  func nestedContainers(_ count: Int, _ isRead: Bool) throws {
    var file = ArchiveFile()
    let keys = (0..<15).map {
      file.reference(file.object(row: file.text(String(repeating: "k", count: 5000) + "\($0)")))
    }
    let list = file.row(.array(keys))
    let fields = file.fields(file.classUID("NSDictionary", "NSObject"), [("NS.keys", list), ("NS.objects", list)])
    let table = file.reference(file.object(row: fields))
    let opening = file.fields(file.classUID("Opening", "NSObject"), [("table", table)])
    let openings = file.row(.array((0..<count).map { _ in file.reference(file.object(row: opening)) }))
    let array = file.fields(file.classUID("NSArray", "NSObject"), [("NS.objects", openings)])
    let unarchiver = try Hostile.decoder(file.data(root: file.object(row: array)))
    if isRead {
      #expect(try unarchiver.decode([Opening].self, forKey: "root").count == count)
    } else {
      let error = #expect(throws: KeyedArchiveError.self) { try unarchiver.decode([Opening].self, forKey: "root") }
      #expect(error?.code == .limitReached, "\(String(describing: error))")
    }
  }

  @Test("a valid list whose dictionaries share a long key is read")
  func longKey() throws {
    var table = TableFile()
    let key = table.add(.string(String(repeating: "key", count: 7000)))
    let value = table.add(.integer(1))
    let rows = (0..<3000).map { _ in table.add(.dictionary([(key, value)])) }
    let list = try PropertyList(table.data(top: table.add(.array(rows))))
    try list.validate()
    #expect(try list.tree().keys(of: ObjectRef(rawValue: 2)).count == 1)
    #expect(try PropertyList(list.rewritten()).objectCount == 3003)
  }

  /// Lists in lists, the innermost of which has numbers.
  private struct Nest: Codable {
    static let depth = 300
    var numbers: [Int]
    init(_ count: Int) { numbers = Array(0..<count) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for _ in 1..<Self.depth { container = container.nestedUnkeyedContainer() }
      for number in numbers { try container.encode(number) }
    }
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      for _ in 1..<Self.depth { container = try container.nestedUnkeyedContainer() }
      numbers = []
      while !container.isAtEnd { numbers.append(try container.decode(Int.self)) }
    }
  }

  @Test("counts the containers around an element for each element")
  func deepContainers() throws {
    let few = try KeyedArchiveEncoder().encode(Nest(100))
    #expect(try KeyedArchiveDecoder().decode(Nest.self, from: few).numbers.count == 100)
    let many = try KeyedArchiveEncoder().encode(Nest(20_000))
    #expect(throws: DecodingError.self) { try KeyedArchiveDecoder().decode(Nest.self, from: many) }
  }

  @Test("a search for paths stores the containers around references once")
  func searchedContainers() throws {
    let count = 1000
    let depth = 400
    var file = ArchiveFile()
    let numbers = (0..<count + 4).map { number in file.object(row: file.text("text \(number)")) }
    let uids = numbers.map { file.reference($0) }
    var deep = file.row(.array(Array(uids[4...])))
    for _ in 1..<depth { deep = file.row(.array([deep])) }
    let inner = file.row(.array([uids[1]]))
    let last = file.row(.array([uids[3]]))
    let mixed = file.row(.array([file.row(.array([uids[0], inner])), uids[2], last]))
    let empty = file.row(.array([file.row(.array([uids[0]]))]))
    let fields = file.fields(
      file.classUID("Root", "NSObject"), [("mixed", mixed), ("empty", empty), ("deep", deep)])
    let data = file.data(root: file.object(row: fields))
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    var search = ReferenceSearch(budget: unarchiver.storage.state.source.budget)
    search.run(in: unarchiver.storage.state.source)
    // Those of `mixed` and of `deep`. The ones of `empty` have no first reference to an object.
    #expect(search.containers.count == 4 + depth)
    let paths = try KeyedUnarchiver.paths(to: numbers.map { UInt32($0) }, in: data)
    let places = ["[0][0]", "[0][1][0]", "[1]", "[2][0]"]
    for (number, place) in zip(numbers, places) { #expect(paths[UInt32(number)] == "root.mixed" + place) }
    let prefix = "root.deep" + String(repeating: "[0]", count: depth - 1)
    for index in 0..<count { #expect(paths[UInt32(numbers[4 + index])] == prefix + "[\(index)]") }
  }
}
