// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import CorpusChecks
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

@Suite("An archive as data")
struct KeyedArchiveTests {
  private func creatures() throws -> KeyedArchive {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    let ghost = Creature(title: "Ghost", rating: 5)
    archiver.encode([ghost, Creature(title: "Yeti", rating: 3), ghost], forKey: "creatures")
    archiver.encode(["made": Date(timeIntervalSinceReferenceDate: 1)], forKey: "info")
    archiver.encode(7, forKey: "count")
    archiver.encode(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"), forKey: "id")
    archiver.encode(URL(string: "b?c", relativeTo: URL(string: "http://a/x/")), forKey: "link")
    archiver.encode(Data([1, 2]), forKey: "data")
    return try KeyedArchive(archiver.encodedData)
  }

  @Test("is walked by keys and indexes, through references")
  func walking() throws {
    let archive = try creatures()
    #expect(Set(archive.topKeys) == ["creatures", "info", "count", "id", "link", "data"])
    #expect(archive["creatures"][1]["Title"].string == "Yeti")
    #expect(archive["creatures"][1]["Rating"].number == .float(3))
    #expect(archive["creatures"][0].uid == archive["creatures"][2].uid)
    #expect(archive["creatures"].array?.count == 3)
    #expect(archive["creatures"][0].className == "ScaryCreatures.ScaryCreatureData")
    #expect(archive["creatures"][0].keys == ["Title", "Rating"])
    #expect(archive["info"]["made"].date == Date(timeIntervalSinceReferenceDate: 1))
    #expect(archive["count"].number?.integer == 7)
    #expect(archive["id"].uuid?.uuidString == "00010203-0405-0607-0809-0A0B0C0D0E0F")
    #expect(archive["link"].url?.absoluteString == "http://a/x/b?c")
    #expect(archive["data"].data == Data([1, 2]))
    #expect(
      archive.classNames == [
        "NSArray", "NSDate", "NSDictionary", "NSURL", "NSUUID", "ScaryCreatures.ScaryCreatureData",
      ])
  }

  /// An archive whose top-level keys are given by their rows; each has the object with UID 1.
  private func archive(keys: [String], order: [UInt32]) throws -> KeyedArchive {
    let names = ["$archiver", "$version", "$top", "$objects", "NSKeyedArchiver", "$null", "text"] + keys
    let ref = { (index: Int) in ObjectRef(rawValue: UInt32(index)) }
    let count = names.count
    var rows = names.map { PropertyListObject.string($0) }
    rows += [.integer(100_000), .uid(1), .array([ref(5), ref(6)])]
    let values = [ObjectRef](repeating: ref(count + 1), count: order.count)
    rows.append(.dictionary(keys: order.map { ref(7 + Int($0)) }, values: values))
    rows.append(
      .dictionary(keys: (0..<4).map(ref), values: [ref(4), ref(count), ref(count + 3), ref(count + 2)]))
    return try KeyedArchive(PropertyList(table: rows, top: ref(count + 4)).data())
  }

  @Test("has each top-level key once, also if the file repeats it")
  func repeatedTopKeys() throws {
    let decomposed = "e\u{301}"
    let repeated = try archive(keys: ["b", "a", "é", "b", decomposed], order: [0, 1, 0, 2, 3, 1, 4, 0])
    #expect(repeated.topKeys.map { Array($0.utf8) } == ["b", "a", "é", decomposed].map { Array($0.utf8) })
    #expect(repeated["b"].string == "text")
    let long = String(repeating: "k", count: 20_000)
    #expect(try archive(keys: [long], order: [UInt32](repeating: 0, count: 200)).topKeys == [long])
  }

  @Test("several properties of one node search for its class once")
  func classSearch() throws {
    let names = ["$archiver", "$version", "$top", "$objects", "NSKeyedArchiver", "$null", "root"]
    var rows = names.map { PropertyListObject.string($0) }
    let ref = { (index: Int) in ObjectRef(rawValue: UInt32(index)) }
    let add = { (object: PropertyListObject) in
      rows.append(object)
      return ref(rows.count - 1)
    }
    let keys = (0..<1000).map { add(.string("key \($0)")) } + [add(.string("$class"))]
    let text = add(.string("text"))
    let record = add(
      .dictionary(
        keys: [add(.string("$classname")), add(.string("$classes"))],
        values: [add(.string("Big")), add(.array([add(.string("Big"))]))]))
    let uids = (0...3).map { add(.uid(UInt64($0))) }
    let big = { add(.dictionary(keys: keys, values: [ObjectRef](repeating: uids[0], count: 1000) + [uids[3]])) }
    let objects = add(.array([ref(5), big(), big(), record]))
    let top = add(.dictionary(keys: [ref(6), text], values: [uids[1], uids[2]]))
    let version = add(.integer(100_000))
    let whole = add(.dictionary(keys: (0..<4).map(ref), values: [ref(4), version, top, objects]))
    let archive = try KeyedArchive(PropertyList(table: rows, top: whole).data())
    let (first, second) = (archive.root, archive["text"])
    #expect(first.className == "Big" && second.className == "Big" && first.kind == .object)
    let one = System.leastTime { for _ in 0..<100 { _ = (first.className, first.className) } }
    let both = System.leastTime { for _ in 0..<100 { _ = (first.className, second.className) } }
    #expect(one * 3 < both)
  }

  @Test("a way that leads nowhere ends in a node that does not exist")
  func missing() throws {
    let node = try creatures()["creatures"][17]["Title"]["x"]
    #expect(!node.exists)
    #expect(node.kind == .missing)
    #expect(node.string == nil && node.array == nil && node.number == nil && node.keys.isEmpty)
  }

  @Test("an element is the one that the array of all elements has, before and after an edit; others are none")
  func elements() throws {
    var archive = try creatures()
    for _ in 0..<2 {
      let list = archive["creatures"]
      let all = try #require(list.array)
      for (place, element) in all.enumerated() { #expect(list[place].uid == element.uid) }
      #expect(!list[-1].exists && !list[all.count].exists && !list[.max].exists && !list[.min].exists)
      #expect(!archive["count"][0].exists && !list[0][0].exists)
      let uid = try #require(list.uid)
      guard all.count == 3, case .instance(_, let entries) = try archive.object(uid),
        case .array(let values)? = entries.first(where: { $0.key == "NS.objects" })?.value
      else { continue }
      try archive.setValue(.array(values.dropLast()), forKey: "NS.objects", of: uid)
    }
    #expect(archive["creatures"].array?.count == 2)
  }

  @Test("knows whether it is cyclic, and the way to any object")
  func graph() throws {
    let archive = try creatures()
    #expect(!archive.isCyclic)
    let yeti = try #require(archive["creatures"][1]["Title"].uid)
    #expect(archive.keyPath(to: yeti) == "creatures[1].Title")
    let ring = Ring()
    ring.next = ring
    defer { ring.next = nil }
    #expect(
      try KeyedArchive(KeyedArchiver.archivedData(withRootObject: ring, requiringSecureCoding: true)).isCyclic)
  }

  @Test("an edited archive keeps everything else and reads back with the edit")
  func editing() throws {
    var archive = try creatures()
    let before = archive
    let yeti = try #require(archive["creatures"][1].uid)
    let title = try archive.addObject(.primitive(.string("Abominable Snowman")))
    try archive.setValue(.reference(title), forKey: "Title", of: yeti)
    try archive.setValue(.float(4), forKey: "Rating", of: yeti)
    try archive.setValue(.boolean(true), forKey: "Seen", of: yeti)
    try archive.setTopValue(nil, forKey: "count")
    try archive.setTopValue(.integer(8), forKey: "total")
    let written = try KeyedArchive(archive.data())
    for archive in [archive, written] {
      #expect(archive["creatures"][1]["Title"].string == "Abominable Snowman")
      #expect(archive["creatures"][1]["Rating"].number == .float(4))
      #expect(archive["creatures"][1]["Seen"].number == .boolean(true))
      #expect(archive["creatures"][0]["Title"].string == "Ghost")
      #expect(!archive["count"].exists)
      #expect(archive["total"].number?.integer == 8)
    }
    #expect(before["creatures"][1]["Title"].string == "Yeti")
    #expect(try before.data() == creatures().data())
    // The old title is out of sight, but nothing is dropped unless that is asked for.
    #expect(try archive.data().range(of: Data("Yeti".utf8)) != nil)
    #expect(try archive.discardUnreachableObjects() == 1)
    #expect(try archive.data().range(of: Data("Yeti".utf8)) == nil)
    // What stands in the place of the title is nothing to complain of.
    #expect(try KeyedArchive(archive.data()).check() == before.check())
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archive.data())
    #expect(unarchiver.decodeObject(of: [Creature].self, forKey: "creatures")?[1].rating == 4)
  }

  @Test("an object's class is changed by a reference to a class record, and by nothing else")
  func classOfObject() throws {
    var archive = try KeyedArchive(
      HandmadeList.archive([["a": 1, "$class": .uid(2)], .classRecord("Box", "NSObject")]))
    let (object, record) = (ArchiveUID(rawValue: 1), ArchiveUID(rawValue: 2))
    for value in [KeyedArchive.StoredValue.integer(3), .reference(object), .reference(.null), nil] {
      let error = #expect(throws: KeyedArchiveError.self) { try archive.setValue(value, forKey: "$class", of: object) }
      #expect(error?.code == .typeMismatch)
    }
    try archive.setValue(.reference(record), forKey: "$class", of: object)
    let other = try archive.addClass(ClassDescription(name: "Other", chain: ["Other", "NSObject"]))
    try archive.setValue(.reference(other), forKey: "$class", of: object)
    #expect(archive.root.className == "Other" && archive.root["a"].number == .integer(1))
  }

  @Test("an object that is one row with others, as all `$null` are in Apple's files, is edited alone")
  func sharedRows() throws {
    // An array of two strings, both of which are written once.
    var archive = try KeyedArchive(
      HandmadeList.archive([
        ["a": .uid(3), "b": .uid(4), "$class": .uid(2)], HandmadeList.classRecord("Box"), "text", "text",
      ]))
    var list = archive.propertyList
    guard case .dictionary(let keys, let values) = try list.object(list.top),
      let place = try keys.firstIndex(where: { try list.object($0) == .string("$objects") }),
      case .array(var rows) = try list.object(values[place])
    else {
      Issue.record("no '$objects'")
      return
    }
    rows[4] = rows[3]
    rows.append(rows[0])
    list.replace(values[place], with: .array(rows))
    archive = try KeyedArchive(list)
    let (first, second, null) = (ArchiveUID(rawValue: 3), ArchiveUID(rawValue: 4), ArchiveUID(rawValue: 5))
    try archive.setObject(second, to: .primitive(.string("other")))
    try archive.setObject(null, to: .primitive(.integer(1)))
    archive = try KeyedArchive(archive.data())
    #expect(archive[first].string == "text" && archive[second].string == "other")
    #expect(archive[.null].isNull && archive[null].number == .integer(1))
  }

  @Test("a damaged text has a kind and no value, its object can be discarded, and it hides nothing else")
  func damage() throws {
    // A string is damaged by a byte that is not ASCII. "zzzzz" is as long as "$null".
    for text in ["some text", "zzzzz"] {
      var data = HandmadeList.archive([
        ["Box": .uid(2), "$class": .uid(3)], .string(text), HandmadeList.classRecord("Box"),
      ])
      let place = try #require(data.range(of: Data(text.utf8))?.lowerBound)
      data[place] = 0xFF
      var archive = try KeyedArchive(data)
      let node = archive.root["Box"]
      #expect(node.kind == .primitive(.string) && node.exists && node.string == nil)
      #expect(archive.classNames == ["Box"])
      #expect(!archive.check().isEmpty)
      #expect(throws: KeyedArchiveError.self) { try archive.object(ArchiveUID(rawValue: 2)) }
      try archive.setValue(nil, forKey: "Box", of: ArchiveUID(rawValue: 1))
      #expect(try archive.discardUnreachableObjects() == 1)
      #expect(archive[ArchiveUID(rawValue: 2)].isNull)
      let left = try KeyedArchive(archive.data()).check()
      #expect(left.isEmpty)
    }
  }

  @Test("only instances have keys that can be set")
  func keysOfOthers() throws {
    var archive = try KeyedArchive(
      HandmadeList.archive([
        ["a": .uid(2), "$class": .uid(3)], "text", HandmadeList.classRecord("Box"), ["$class": 3, "a": .uid(2)],
      ]))
    for number: UInt32 in [0, 2, 3, 4] {
      let error = #expect(throws: KeyedArchiveError.self) {
        try archive.setValue(.integer(1), forKey: "a", of: ArchiveUID(rawValue: number))
      }
      #expect(error?.code == .typeMismatch && error?.description.contains("only instances") == true)
    }
    try archive.setValue(.integer(1), forKey: "a", of: ArchiveUID(rawValue: 1))
    #expect(archive.root["a"].number == .integer(1))
  }

  @Test("a class is renamed by its record alone")
  func renaming() throws {
    var archive = try creatures()
    let record = (0..<archive.objectCount).map { ArchiveUID(rawValue: UInt32($0)) }.first {
      (try? archive.classDescription($0))?.name == "ScaryCreatures.ScaryCreatureData"
    }
    try archive.setObject(try #require(record), to: .classRecord(ClassDescription(name: "New", chain: ["New"])))
    #expect(try KeyedArchive(archive.data())["creatures"][2].className == "New")
  }

  @Test("plain values on top, records without lists, hints, null anywhere, unkeyed values")
  func oddities() throws {
    let data = HandmadeList.archive(
      [
        ["$0": .uid(4), "$1": 5, "NS.window": .uid(3), "$class": .uid(2)], ["$classname": "Bare"], "$null", "first",
        ["$class": .uid(6)],
        ["$classname": "UIColor", "$classes": ["UIColor", "NSObject"], "$classhints": ["NSColor"]],
      ], top: [("root", .uid(1)), ("flag", true), ("$0", .uid(4)), ("color", .uid(5))])
    let archive = try KeyedArchive(data)
    #expect(try archive.data() == data)
    #expect(archive.root.classDescription == ClassDescription(name: "Bare", chain: []))
    #expect(archive.root["$0"].string == "first")
    #expect(archive.root["$1"].number?.integer == 5)
    #expect(archive.root["NS.window"].isNull)
    #expect(archive["flag"].number == .boolean(true))
    #expect(archive["color"].classDescription?.hints == ["NSColor"])
    #expect(archive.check().isEmpty)
  }

  @Test("other archivers' names are accepted if they are known, or if any is asked for")
  func archiverNames() throws {
    func data(_ name: String) -> Data {
      HandmadeList.dictionary([
        ("$version", 100_000), ("$archiver", .string(name)), ("$top", ["root": .uid(0)]), ("$objects", ["$null"]),
      ]).binary
    }
    for name in ["NSKeyedArchiver", "SCNKeyedArchiver", "MSArchiver"] {
      #expect(try KeyedArchive(data(name)).archiverName == name)
    }
    for name in ["NSArchiver", "DummyArchiver", ""] {
      let error = #expect(throws: KeyedArchiveError.self) { try KeyedArchive(data(name)) }
      #expect(error?.code == .unknownArchiver)
      #expect(try KeyedArchive(data(name), archivers: .any).archiverName == name)
    }
  }

  /// What is no archive, and the code of the error.
  static let refused: [(HandmadeList, KeyedArchiveError.Code)] = [
    ([], .notAnArchive),
    ("text", .notAnArchive),
    ([:], .notAnArchive),
    (["$version": 100_000, "$archiver": "NSKeyedArchiver", "$objects": ["$null"]], .notAnArchive),
    (["$version": 1, "$archiver": "NSKeyedArchiver", "$objects": ["$null"], "$top": [:]], .unsupportedVersion),
    (["$version": "1", "$archiver": "NSKeyedArchiver", "$objects": ["$null"], "$top": [:]], .notAnArchive),
    (["$version": 100_000, "$archiver": 5, "$objects": ["$null"], "$top": [:]], .notAnArchive),
    (["$version": 100_000, "$archiver": "NSKeyedArchiver", "$objects": [], "$top": [:]], .notAnArchive),
    (["$version": 100_000, "$archiver": "NSKeyedArchiver", "$objects": [:], "$top": [:]], .notAnArchive),
    (["$version": 100_000, "$archiver": "NSKeyedArchiver", "$objects": ["$null"], "$top": []], .notAnArchive),
  ]

  @Test("what is no archive is refused", arguments: 0..<10)
  func refused(_ row: Int) {
    let (list, code) = Self.refused[row]
    #expect(#expect(throws: KeyedArchiveError.self) { try KeyedArchive(list.binary) }?.code == code)
    #expect(#expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver(forReadingFrom: list.binary) }?.code == code)
  }

  @Test("a check finds what decoders would stumble over")
  func checking() throws {
    func codes(_ objects: [HandmadeList], top: [(String, HandmadeList)] = [("root", .uid(1))]) throws -> [String] {
      try KeyedArchive(HandmadeList.archive(objects, top: top)).check().map(\.code)
    }
    let record = HandmadeList.classRecord("A", "NSObject")
    #expect(try codes([["$class": .uid(2)], record]) == [])
    #expect(try codes([["$class": .uid(2)], record], top: [("root", .uid(9))]).contains("danglingReference"))
    #expect(try codes([["a": .uid(9), "$class": .uid(2)], record]) == ["danglingReference"])
    #expect(try codes([["a": 1]]) == ["noClass"])
    #expect(try codes([["$class": .uid(2)], "A"]) == ["badClassRecord"])
    #expect(try codes([["$class": .uid(1)]]) == ["badClassRecord"])
    #expect(try codes([["$class": .uid(2)], ["$classname": 5]]).contains("badClassRecord"))
    #expect(try codes([.uid(1)]) == ["badObject"])
    #expect(try codes(["text", "alone"]) == ["unreferencedObject"])
    #expect(try codes(["text"], top: [("rooty", .uid(1))]) == ["misspelledRoot"])
    #expect(try codes(["text"], top: [("State", .uid(1))]) == [])
    // Of a key that occurs twice, the first counts.
    let twice: [(String, HandmadeList)] = [
      ("NS.keys", [.uid(3)]), ("NS.keys", [.uid(3), .uid(3)]), ("NS.objects", [.uid(3), .uid(3)]), ("$class", .uid(2)),
    ]
    let dictionary = HandmadeList.classRecord("NSDictionary", "NSObject")
    #expect(try codes([.dictionary(twice), dictionary, "k"]).sorted() == ["duplicateKey", "unequalCounts"])
    let sound = try KeyedArchive(HandmadeList.archive([["$class": .uid(2)], record]))
    #expect(sound.check(allowing: ["B"]).map(\.code) == ["classNotAllowed"])
    #expect(throws: KeyedArchiveError.self) { try KeyedArchive(HandmadeList.archive([["a": 1]])).validate() }
  }

  @Test("an error names the byte at which the object begins, whatever its length", arguments: [2, 14, 15, 20, 300])
  func byteOffsets(count: Int) throws {
    let date: [UInt8] = [0x33, 0, 0, 0, 0, 0, 0, 0, 1]
    let keys = HandmadeList.dictionary((0..<count).map { ("k\($0)", 1) })
    let data = HandmadeList.archive([keys, .raw(date), .array([HandmadeList](repeating: 1, count: count))])
    // Only the object itself begins with these bytes.
    let length: [UInt8] = count < 15 ? [] : [0x12, 0, 0, UInt8(count >> 8), UInt8(count & 0xFF)]
    let low = UInt8(min(count, 15))
    let dictionary = try #require(data.firstRange(of: Data([0xD0 | low] + length), in: 20..<data.count)).lowerBound
    let array = try #require(data.lastRange(of: Data([0xA0 | low] + length))).lowerBound
    let archive = try KeyedArchive(data)
    for (index, place) in [dictionary, data.firstRange(of: Data(date))?.lowerBound, array].enumerated() {
      let uid = ArchiveUID(rawValue: UInt32(index + 1))
      let error = #expect(throws: KeyedArchiveError.self) { try archive.object(uid) }
      #expect(error?.byteOffset == place, "\(uid)")
      #expect(archive.check().first { $0.uid == uid }?.byteOffset == place, "\(uid)")
    }
  }
}

/// An object that refers to itself.
private final class Ring: SecureKeyedCoding {
  static var archiveClassName: String { "Ring" }
  var next: Ring?
  init() {}
  func encode(with coder: KeyedArchiver) { coder.encode(next, forKey: "next") }
  init?(coder: KeyedUnarchiver) { next = coder.decodeObject(of: Ring.self, forKey: "next") }
}

@Suite("A sample of the corpus", .enabled(if: Corpus.isPresent, Comment(rawValue: Locations.sharedIsAbsent)))
struct CorpusTests {
  private static let folder = Locations.shared.map { CorpusFolder($0.appending(path: "corpus")) }

  @Test("passes each check of the whole corpus", arguments: CorpusCheck.graph.indices)
  func sample(index: Int) throws {
    let check = CorpusCheck.graph[index]
    let findings = check.findingsInSample(of: try #require(Self.folder))
    #expect(findings.failures == [], "\(check.name)")
    #expect(findings.counts["files of the sample", default: 0] > 10, "\(check.name)")
  }

  @Test("every broken archive is refused", arguments: Corpus.invalid.filter { $0.name.hasSuffix(".bplist") })
  func refused(_ file: TestFile) throws {
    let error = #expect(throws: KeyedArchiveError.self) { try KeyedArchive(file.data()).validate() }
    #expect(error?.detail.isEmpty == false)
  }
}
