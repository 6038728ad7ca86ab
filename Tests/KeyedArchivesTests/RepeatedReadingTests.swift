// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import Testing

@Suite("Values that an archive names many times")
struct RepeatedReadingTests {
  /// What reading an object results in.
  private enum Outcome: Equatable {
    case object(KeyedArchive.Object)
    case failure(String)

    init(_ archive: KeyedArchive, _ uid: ArchiveUID) {
      do {
        self = try .object(archive.object(uid))
      } catch {
        self = .failure(error.description)
      }
    }

    var isFailure: Bool { if case .failure = self { true } else { false } }
  }

  private static let values: [TableFile.Row] = [
    .string("text"), .string(String(repeating: "long", count: 50)), .string(String(repeating: "é", count: 100)),
    .data(150), .integer(1), .boolean(true), .real(0.5), .uid(1), .array([]),
  ]

  @Test(
    "an array of one row many times is read and charged like one of two equal rows in turns", arguments: values.indices)
  func repeatedElement(_ index: Int) throws {
    var failures = 0
    for count in stride(from: 1, through: 241, by: 4) {
      // Both files have both rows and therefore the same size and budget.
      let outcomes = try [true, false].map { isRepeated in
        var file = ArchiveFile()
        let rows = (0..<2).map { _ in file.row(Self.values[index]) }
        let elements = file.row(.array((0..<count).map { isRepeated ? rows[0] : rows[$0 % 2] }))
        let uid = file.object(row: file.fields(file.classUID("Box", "NSObject"), [("list", elements)]))
        let data = file.data(root: uid)
        let archive = try KeyedArchive(data, limits: ReadLimits(maximumExpansion: 1))
        return Outcome(archive, ArchiveUID(rawValue: UInt32(uid)))
      }
      #expect(outcomes[0] == outcomes[1])
      failures += outcomes[0].isFailure ? 1 : 0
    }
    // Some are within the limit, and some are not.
    #expect(1..<61 ~= failures)
  }

  @Test("a long key is found in each of many look-ups, and what is looked up later as well")
  func manyLookUps() throws {
    let key = String(repeating: "k", count: 300)
    var file = ArchiveFile()
    let (one, two) = (file.row(.integer(1)), file.row(.integer(2)))
    let box = file.object(row: file.fields(file.classUID("Box", "NSObject"), [(key, one)]))
    let pairs = [("NS.keys", file.text(key)), ("NS.objects", two)].map { name, row in
      (name, file.row(.array([file.reference(file.object(row: row))])))
    }
    let dictionary = file.object(row: file.fields(file.classUID("NSDictionary", "NSObject"), pairs))
    let archive = try KeyedArchive(file.data(top: [("root", box), ("pairs", dictionary), (key, dictionary)]))
    var missing = 0
    for _ in 0..<10_000 where archive.root[key].number != .integer(1) || archive[key][key].number != .integer(2) {
      missing += 1
    }
    #expect(missing == 0)
    #expect(archive.root.className == "Box" && archive["pairs"].className == "NSDictionary")
  }

  @Test("a date whose time is an integer is the one that a decoder reads")
  func integerDate() throws {
    var file = ArchiveFile()
    let date = file.classUID("NSDate", "NSObject")
    let data = file.data(root: file.object(row: file.fields(date, [("NS.time", file.row(.integer(86_400)))])))
    let decoded = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Date.self, from: data))
    #expect(try KeyedArchive(data).root.date == decoded && decoded.timeIntervalSinceReferenceDate == 86_400)
  }

  @Test("each reference to nothing is a finding of its own, with its key and its target")
  func danglingReferences() throws {
    var file = ArchiveFile()
    let targets = [70, 70, 80, 70, 80, 80]
    let list = file.row(.array(targets.map { file.reference($0) }))
    let box = file.classUID("Box", "NSObject")
    let uid = file.object(row: file.fields(box, [("one", list), ("two", list), ("three", file.reference(80))]))
    let findings = try KeyedArchive(file.data(top: [("root", uid), ("three", 80)])).check()
    func expected(_ key: String, _ target: Int) -> String {
      "'\(key)': dangling reference to object #\(target); '$objects' has only objects #0 to #2"
    }
    #expect(
      findings.map(\.detail)
        == [expected("$top.three", 80)] + targets.map { expected("one", $0) } + targets.map { expected("two", $0) }
        + [expected("three", 80)])
  }

  @Test("a reference to nothing is a missing node, in its place")
  func missingElements() throws {
    var file = ArchiveFile()
    let text = file.reference(file.object(row: file.text("text")))
    let elements = file.row(.array((0..<100).map { $0 % 3 == 0 ? text : file.reference(1000 + $0) }))
    let array = file.classUID("NSArray", "NSObject")
    let archive = try KeyedArchive(file.data(root: file.object(row: file.fields(array, [("NS.objects", elements)]))))
    let nodes = try #require(archive.root.array)
    #expect(nodes.map(\.string) == (0..<100).map { $0 % 3 == 0 ? "text" : nil })
    #expect(nodes.map(\.exists) == (0..<100).map { $0 % 3 == 0 })
  }

  @Test("a damaged object has its UID and no value, however many UIDs name it")
  func damagedObject() throws {
    var file = ArchiveFile()
    let row = file.row(.real(0.123))
    let uids = (0..<5).map { _ in file.object(row: row) }
    let elements = file.row(.array(uids.map { file.reference($0) }))
    let array = file.classUID("NSArray", "NSObject")
    var data = file.data(root: file.object(row: file.fields(array, [("NS.objects", elements)])))
    let bits = (0.123).bitPattern
    let value = try #require(data.range(of: Data((0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) })))
    data[value.lowerBound - 1] = 0x2F
    let archive = try KeyedArchive(data)
    let nodes = try #require(archive.root.array)
    #expect(nodes.map(\.uid) == uids.map { ArchiveUID(rawValue: UInt32($0)) })
    for node in nodes + uids.map({ archive[ArchiveUID(rawValue: UInt32($0))] }) {
      #expect(node.kind == .missing)
      #expect(node.number == nil && node.string == nil && node.data == nil && node.className == nil)
      #expect(node.array == nil && node.dictionary == nil && node.keys == [])
      #expect(!node["key"].exists && !node[0].exists)
    }
    #expect(archive.check().filter { $0.code == "badObject" }.count == 5)
  }

  @Test("a class is listed once, also if its name is a text of the archive or of several records")
  func classNames() throws {
    var file = ArchiveFile()
    let (box, crate) = (file.text("Box"), file.text("Crate"))
    let name = file.text("$classname")
    // A writer that stores equal texts once uses the row of the first one for all.
    let texts = [box, crate].map { file.object(row: $0) }
    for row in [box, box, crate, file.row(.string("Crate"))] {
      _ = file.object(row: file.row(.dictionary([(name, row)])))
    }
    _ = file.object(row: box)
    #expect(try KeyedArchive(file.data(root: texts[0])).classNames == ["Box", "Crate"])
  }

  @Test("a node beyond the limit has no value at any time, and one within it has it at any time")
  func limitIsStable() throws {
    var file = ArchiveFile()
    let box = file.classUID("Box", "NSObject")
    let list = file.row(.array([Int](repeating: file.reference(0), count: 20)))
    let row = file.fields(box, [("a", list), ("b", list), ("c", file.text("text"))])
    let uids = (0..<200).map { _ in file.object(row: row) }
    let archive = try KeyedArchive(file.data(root: uids[0]), limits: ReadLimits(maximumExpansion: 1))
    func look(_ uid: Int) -> [String?] {
      let node = archive[ArchiveUID(rawValue: UInt32(uid))]
      let count = node["a"].array.map { "\($0.count)" }
      return [node.className, node["c"].string, count, node.keys.joined(separator: " ")]
    }
    let first = uids.map(look)
    #expect(first[0] == ["Box", "text", "20", "a b c"])
    #expect(first[199] == [nil, nil, nil, ""])
    // The second time in another order, so that each object is asked for after others.
    #expect(uids.reversed().map(look) == first.reversed())
    // Two objects in turns.
    for _ in 0..<3 {
      #expect(look(uids[0]) == first[0])
      #expect(look(uids[199]) == first[199])
    }
  }

  @Test("a class record is charged for each of its names, though it has one long text many times")
  func repeatedNames() throws {
    func description(_ count: Int) throws -> ClassDescription {
      var file = ArchiveFile()
      let name = file.text(String(repeating: "long", count: 1000))
      let names = file.row(.array([Int](repeating: name, count: count)))
      let uid = file.object(
        row: file.row(.dictionary([(file.text("$classname"), name), (file.text("$classes"), names)])))
      let archive = try KeyedArchive(file.data(root: uid))
      return try archive.classDescription(ArchiveUID(rawValue: UInt32(uid)))
    }
    let chain = try description(50).chain
    #expect(chain.count == 50 && chain.allSatisfy { $0.utf8.count == 4000 })
    // 64 times 8 KiB are less than 100 names of 4000 bytes, which cost 8000.
    let error = #expect(throws: KeyedArchiveError.self) { try description(100) }
    #expect(error?.code == .limitReached)
  }
}
