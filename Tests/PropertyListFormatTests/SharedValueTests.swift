// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
@_spi(Archiving) import PropertyListFormat
import Testing

// Costs are times of one thread compared with each other, so a busy machine and a debug build change both sides alike.

@Suite("Shared values")
struct SharedValueTests {
  @Test("a UID that many references share is written to XML, but not with the tabs of deep containers")
  func sharedUID() throws {
    func xml(depth: Int) throws -> Data {
      var table = TableFile()
      let uid = table.add(.uid(1))
      var row = table.add(.array([Int](repeating: uid, count: 40_000)))
      for _ in 1..<depth { row = table.add(.array([row])) }
      return try PropertyList(table.data(top: row)).data(format: .xml)
    }
    // The references have two bytes each.
    #expect(try xml(depth: 4).count > 64 * 40_000)
    let error = #expect(throws: PropertyListError.self) { try xml(depth: 500) }
    #expect(error?.code == .limitReached)
  }

  /// Makes a list from a tree of values, with one object for each container that an array or dictionary has.
  private struct Rows {
    var rows: [PropertyListObject] = []

    mutating func add(_ object: PropertyListObject) -> ObjectRef {
      rows.append(object)
      return ObjectRef(rawValue: UInt32(rows.count - 1))
    }

    func list(top: ObjectRef) throws -> PropertyList { try PropertyList(table: rows, top: top) }

    /// Returns the list with an object of its own for each reference.
    func separated(top: ObjectRef) throws -> PropertyList {
      var separate = Rows()
      func copy(_ ref: ObjectRef) -> ObjectRef {
        switch rows[ref.index] {
        case .array(let values): separate.add(.array(values.map(copy)))
        case .dictionary(let keys, let values):
          separate.add(.dictionary(keys: keys.map(copy), values: values.map(copy)))
        case let leaf: separate.add(leaf)
        }
      }
      let top = copy(top)
      return try separate.list(top: top)
    }
  }

  /// A list whose arrays, dictionaries, long texts and long data are each referred to at several levels of nesting.
  private static func nested(with leaf: PropertyListObject) -> (rows: Rows, top: ObjectRef) {
    var rows = Rows()
    let keys = ["z", "a<b", "m", "😀", "\u{FF5E}"].map { rows.add(.string($0)) }
    let text = rows.add(.string(String(repeating: "<&>\r ä", count: 40)))
    let data = rows.add(.data(Data((0..<200).map { UInt8($0) })))
    let leaves = rows.add(.array([text, data, rows.add(.integer(7)), rows.add(leaf), text, data]))
    let empty = rows.add(.array([]))
    var part = rows.add(.dictionary(keys: keys, values: [leaves, text, empty, data, leaves]))
    var parts = [part, part, part, leaves]
    for _ in 0..<2 {
      part = rows.add(.array([part, leaves, part]))
      parts += [part, part]
    }
    let top = rows.add(.array(parts))
    return (rows, top)
  }

  @Test(
    "have the XML form of separate values at each level of nesting",
    arguments: [PropertyListObject.uid(3), .double(1), .date(0.5)])
  func xml(leaf: PropertyListObject) throws {
    let (rows, top) = Self.nested(with: leaf)
    #expect(try rows.list(top: top).data(format: .xml) == rows.separated(top: top).data(format: .xml))
  }

  @Test("are read from XML by Foundation as from the binary form")
  func foundation() throws {
    let (rows, top) = Self.nested(with: .double(0.5))
    let list = try rows.list(top: top)
    let read = { try unsafe PropertyListSerialization.propertyList(from: $0, format: nil) as? NSArray }
    let values = try read(list.data(format: .xml))
    #expect(values?.count == 8)
    #expect(try values == read(list.data(format: .binary)))
  }

  @Test("have their XML form also if they are long keys of many dictionaries")
  func longKeys() throws {
    var rows = Rows()
    let keys =
      ["z", "ä", "😀", "a<&>"].map { rows.add(.string(String(repeating: $0, count: 100))) } + [rows.add(.string("k"))]
    let value = rows.add(.integer(1))
    let parts = (1...keys.count).flatMap { count in
      [Array(keys.prefix(count)), keys.suffix(count).reversed()].map {
        rows.add(.dictionary(keys: $0, values: [ObjectRef](repeating: value, count: count)))
      }
    }
    let top = rows.add(.array(parts))
    #expect(try rows.list(top: top).data(format: .xml) == rows.separated(top: top).data(format: .xml))
  }

  /// Expects that a list is not written to XML, in less time than it takes to read its first string so many times.
  private func expectRefusal(_ bytes: [UInt8], _ offsets: [Int], inTimeOf count: Int) throws {
    let table = bytes.count
    var bytes = bytes + offsets.flatMap { [UInt8($0 >> 16), UInt8($0 >> 8 & 255), UInt8($0 & 255)] }
    bytes += [0, 0, 0, 0, 0, 0, 3, 2]
    for number in [offsets.count, offsets.count - 1, table] {
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
    let list = try PropertyList(Data(bytes))
    let reading = try System.leastTime { for _ in 0..<count { _ = try list.object(ObjectRef(rawValue: 0)) } }
    let refusal = System.leastTime {
      #expect(throws: PropertyListError(.limitReached, "")) { try list.data(format: .xml) }
    }
    #expect(refusal < reading)
  }

  private func references(_ numbers: some Sequence<Int>) -> [UInt8] {
    numbers.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
  }

  @Test("that overlap are refused as keys of nested dictionaries before they take the memory of all")
  func overlappingKeysInNestedDictionaries() throws {
    // Every fourth byte is the head of a string of 24,929 letters and heads. All keys together have 100 MB.
    let (levels, keysInLevel) = (40, 100)
    var bytes = Array("bplist00".utf8)
    let heads = bytes.count
    let keyCount = levels * keysInLevel
    bytes += (0..<keyCount + 6300).flatMap { _ in [0x5F, 0x11, 0x61, 0x61] as [UInt8] }
    var offsets = (0..<keyCount).map { heads + 4 * $0 }
    // The key before all others leads to the next level.
    offsets.append(bytes.count)
    bytes += [0x51, 0x20]
    offsets.append(bytes.count)
    bytes += [0x09]
    for level in 0..<levels {
      offsets.append(bytes.count)
      let keys = (0..<keysInLevel).map { level * keysInLevel + $0 }
      // The object before the first dictionary is the Boolean.
      let next = keyCount + 1 + level
      bytes += [0xDF, 0x10, UInt8(keysInLevel + 1)] + references([keyCount] + keys)
      bytes += references([next] + [Int](repeating: keyCount + 1, count: keysInLevel))
    }
    try expectRefusal(bytes, offsets, inTimeOf: 50_000)
  }

  @Test("that overlap are refused as keys before they take the memory of all")
  func overlappingKeys() throws {
    // Every fourth byte is the head of a string of 20,000 letters and heads. All keys together have 400 MB.
    let count = 20_000
    var bytes = Array("bplist00".utf8)
    var offsets = (0..<count).map { bytes.count + 4 * $0 }
    let length = references([count])
    bytes += (0..<count).flatMap { _ in [0x5F, 0x11] + length } + [UInt8](repeating: 0x41, count: count)
    offsets.append(bytes.count)
    bytes += [0x09]
    offsets.append(bytes.count)
    bytes += [0xDF, 0x11] + length + references(0..<count) + references([Int](repeating: count, count: count))
    try expectRefusal(bytes, offsets, inTimeOf: 20_000)
  }

  @Test("are written to XML in a third of the time of separate ones")
  func xmlTime() throws {
    var rows = Rows()
    let keys = (0..<200).map { rows.add(.string("key \($0)")) }
    let values = (0..<200).map { rows.add(.double(Double($0) / 3)) }
    let part = rows.add(.dictionary(keys: keys, values: values))
    let top = rows.add(.array([ObjectRef](repeating: part, count: 40)))
    let (shared, separate) = try (rows.list(top: top), rows.separated(top: top))
    let once = try System.leastTime { _ = try shared.data(format: .xml) }
    let each = try System.leastTime { _ = try separate.data(format: .xml) }
    #expect(once * 3 < each)
  }

  @Test(
    "that take long to format are formatted once for XML",
    arguments: [PropertyListObject.double(-1.2345678901234567e-300), .float(1e-30), .date(-1e14)])
  func slowLeaves(leaf: PropertyListObject) throws {
    func time(_ leaf: PropertyListObject) throws -> Double {
      var rows = Rows()
      let value = rows.add(leaf)
      let top = rows.add(.array([ObjectRef](repeating: value, count: 1000)))
      let list = try rows.list(top: top)
      return try System.leastTime { _ = try list.data(format: .xml) }
    }
    #expect(try time(leaf) < 2 * time(.integer(7)))
  }

  @Test("in XML count to the limit of what a file may expand to")
  func xmlLimit() throws {
    var rows = Rows()
    let text = rows.add(.string(String(repeating: "x", count: 40_000)))
    let part = rows.add(.array([text, text]))
    let few = rows.add(.array([ObjectRef](repeating: part, count: 20)))
    #expect(try rows.list(top: few).data(format: .xml).count > 40 * 40_000)
    let many = rows.add(.array([ObjectRef](repeating: part, count: 60)))
    #expect(throws: PropertyListError(.limitReached, "")) { try rows.list(top: many).data(format: .xml) }
  }

  @Test("of long text, data and keys count to the work of reading", arguments: [false, true])
  func readingLimit(asKey: Bool) throws {
    func file(_ count: Int, _ references: Int) throws -> Data {
      var rows = Rows()
      let (text, data) = (
        rows.add(.string(String(repeating: "x", count: count))), rows.add(.data(Data(repeating: 1, count: count)))
      )
      let parts = (0..<references).map { index in
        asKey ? rows.add(.dictionary(keys: [text], values: [text])) : index % 2 == 0 ? text : data
      }
      let top = rows.add(.array(parts))
      return try rows.list(top: top).data(format: .binary)
    }
    guard case .array(let few) = try PropertyListValue(propertyList: file(100, 2000)) else {
      Issue.record("no array")
      return
    }
    #expect(few.count == 2000)
    let hostile = try file(20_000, 20_000)
    #expect(throws: PropertyListError(.limitReached, "")) { try PropertyListValue(propertyList: hostile) }
    #expect(throws: PropertyListError(.limitReached, "")) {
      try PropertyListValueDecoder().decode(Set<String>.self, from: hostile)
    }
  }

  @Test("of long data are one object, whether they are in one memory or not")
  func equalData() throws {
    let whole = Data((0..<400).map { UInt8($0 % 251) })
    let copy = Data([UInt8](whole))
    let parts: [Data] = [whole, copy, whole, whole[0..<100], whole[0..<200], whole[100..<200], copy[100..<200]]
    let file = try PropertyListValue.array(parts.map { .data($0) }).propertyList()
    let read = try unsafe PropertyListSerialization.propertyList(from: file, format: nil) as? [Data]
    #expect(read == parts)
    // The array, and four different data.
    #expect(try PropertyList(file).objectCount == 5)
  }

  @Test("of long text are one object, whether they are in one memory or not")
  func equalTexts() throws {
    let whole = String(repeating: "text ä", count: 60)
    let copy = String(decoding: [UInt8](whole.utf8), as: UTF8.self)
    let (short, precomposed, decomposed) = ("a" + whole.prefix(40), "é" + whole, "e\u{301}" + whole)
    let parts = [whole, copy, whole, short, "a" + whole.prefix(40), precomposed, decomposed]
    let dictionary = PropertyListDictionary([(copy, .string(whole))])
    let file = try PropertyListValue.array(parts.map { .string($0) } + [.dictionary(dictionary)]).propertyList()
    let read = try unsafe PropertyListSerialization.propertyList(from: file, format: nil) as? [Any]
    #expect(read?.dropLast().map { ($0 as? String).map { Array($0.utf8) } } == parts.map { Array($0.utf8) })
    #expect(read?.last as? [String: String] == [whole: whole])
    // The array, the dictionary, and four different texts.
    #expect(try PropertyList(file).objectCount == 6)
  }

  @Test(
    "of long text or data are hashed once",
    arguments: [
      PropertyListValue.data(Data(repeating: 1, count: 1 << 17)), .string(String(repeating: "a", count: 1 << 20)),
      .dictionary([String(repeating: "a", count: 1 << 17): .integer(1)]),
    ])
  func longTime(value: PropertyListValue) throws {
    let one = System.leastTime { _ = try? PropertyListValue.array([value]).propertyList() }
    let repeated = PropertyListValue.array([PropertyListValue](repeating: value, count: 100))
    let many = System.leastTime { _ = try? repeated.propertyList() }
    #expect(many < 10 * one)
  }
}

@Suite("What an encoder writes can be read: many equal")
struct EqualValueTests {
  @Test(
    "texts and data",
    arguments: [
      PropertyListValue.array(.init(repeating: .string(String(repeating: "x", count: 10_000)), count: 300)),
      .array(.init(repeating: .data(Data(count: 4096)), count: 384)),
      .array(.init(repeating: .string(String(repeating: "x", count: 150)), count: 20_000)),
      .array(.init(repeating: .string(String(repeating: "x", count: 1000)), count: 2500)),
    ])
  func many(value: PropertyListValue) throws {
    for format in [PropertyList.Format.binary, .xml] {
      let data = try value.propertyList(format)
      #expect(try PropertyListValue(propertyList: data) == value)
      // Both doors of the module convert it.
      let list = try PropertyList(data)
      #expect(try PropertyListValue(propertyList: list.data(format: .xml)) == value)
      #expect(try PropertyListValue(propertyList: list.data(format: .binary)) == value)
    }
  }

  @Test("keys in XML, of which the binary form has one")
  func keys() throws {
    let key = String(repeating: "k", count: 3000)
    let value = PropertyListValue.array(.init(repeating: .dictionary([key: .integer(1)]), count: 2000))
    let file = try value.propertyList(.xml)
    #expect(try PropertyListValue(propertyList: file) == value)
    #expect(try PropertyListValue(propertyList: PropertyList(file).data(format: .xml)) == value)
  }
}

@Suite("The bytes of a list")
struct ListBytesTests {
  @Test("are those that it was opened with, whatever becomes of the caller's copy", arguments: [0, 5, 5000])
  func copies(length: Int) throws {
    let value = PropertyListValue.array([.string(String(repeating: "a", count: length)), .integer(7)])
    var data = try value.propertyList()
    let bytes = [UInt8](data)
    let list = try PropertyList(data)
    let tree = try list.tree()
    data[data.count / 2] ^= 0xFF
    data.removeFirst(8)
    data = Data()
    #expect(try [UInt8](list.data()) == bytes)
    #expect(try PropertyListValue(propertyList: list.data()) == value)
    #expect(tree.elements(of: tree.top).count == 2)
    #expect(try list.object(tree.elements(of: tree.top)[1]) == tree[tree.elements(of: tree.top)[1]])
  }

  @Test("may be a part of other data", arguments: [0, 5, 5000])
  func slice(length: Int) throws {
    let value = PropertyListValue.array([.string(String(repeating: "a", count: length)), .integer(7)])
    let file = try value.propertyList()
    let whole = Data(repeating: 9, count: 100) + file + Data(repeating: 9, count: 100)
    #expect(try PropertyList(whole[100..<100 + file.count]).data() == file)
    #expect(try PropertyListValue(propertyList: whole[100..<100 + file.count]) == value)
  }

  @Test("are refused if they are too few to have an address", arguments: 0...41)
  func few(count: Int) {
    let header = Data(("bplist00" + String(repeating: "\0", count: 40)).utf8)
    #expect(throws: PropertyListError.self) { try PropertyList(header.prefix(count)) }
  }

  @Test("may be those of a mapped file")
  func mapped() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "list-\(UUID().uuidString).plist")
    defer { try? FileManager.default.removeItem(at: file) }
    let value = PropertyListValue.array((0..<20_000).map { .integer($0) })
    try value.propertyList().write(to: file)
    let list = try PropertyList(Data(contentsOf: file, options: .alwaysMapped))
    #expect(try PropertyListValue(propertyList: list.data()) == value)
  }
}
