// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchivedClasses
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// What may be done with a file. Each way ends, in a value or an error.
struct CostDoor: Sendable {
  /// The form in which a file is handed over.
  enum Form { case binary, xml, json }

  let name: String
  var form = Form.binary
  /// Whether it is a process of its own.
  var isCommand = false
  /// How many times as large inputs are as for other doors.
  var scale: Int { isCommand ? 8 : 1 }
  /// The processor time that an input takes, in seconds.
  let cost: @Sendable (Data) -> Double

  init(_ name: String, _ form: Form = .binary, _ enter: @escaping @Sendable (Data) throws -> Void) {
    self.name = name
    self.form = form
    cost = { data in
      let start = System.threadTime()
      try? enter(data)
      return System.threadTime() - start
    }
  }

  /// A door at which bytes are written, each of which counts as one of the file's: a value may hold as much as
  /// ``ReadLimits/maximumExpansion`` says, and what is archived of it is not less.
  init(writing name: String, _ enter: @escaping @Sendable (Data) throws -> Int) {
    self.name = name
    cost = { data in
      let start = System.threadTime()
      let written = (try? enter(data)) ?? 0
      return (System.threadTime() - start) * Double(data.count) / Double(max(data.count, written))
    }
  }

  /// A command, with `FILE` for the file among its arguments. What it takes to start is not counted, and inputs are larger
  /// than those of other doors, so that they take longer than that.
  init(command: String, _ form: Form = .binary) {
    name = "command " + command
    self.form = form
    isCommand = true
    cost = { CommandTool.cost(of: command.split(separator: " ").map(String.init), $0) }
  }

  static let all: [CostDoor] =
    [
      CostDoor("read-binary") { try read($0) },
      CostDoor("read-xml", .xml) { try read($0) },
      CostDoor("write-xml") { _ = try PropertyList($0).data(format: .xml) },
      CostDoor("write-binary") { _ = try PropertyList($0).rewritten() },
      CostDoor("open") {
        _ = try? KeyedArchive($0)
        _ = try KeyedUnarchiver(forReadingFrom: $0)
      },
      CostDoor("decode-typed") { data in
        each([
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: [[String]].self, from: data) },
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: [String: [String]].self, from: data) },
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: [[[[Int]]]].self, from: data) },
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: Set<String>.self, from: data) },
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: [Letter].self, from: data) },
        ])
      },
      CostDoor("decode-deferred") { data in
        each([
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: HNode.self, from: data) },
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: [HNode].self, from: data) },
        ])
      },
      CostDoor("decode-list") {
        _ = try KeyedUnarchiver.unarchivedObject(ofClasses: KeyedUnarchiver.valueTypes, from: $0)
      },
      CostDoor("decode-codable") { data in
        each([
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: Note.self, from: data) },
          { _ = try KeyedUnarchiver(forReadingFrom: data).decodeTopLevelDecodable([[Note]].self, forKey: "root") },
          {
            _ = try KeyedUnarchiver(forReadingFrom: data).decodeTopLevelDecodable(
              [String: [String]].self, forKey: "root")
          },
        ])
      },
      CostDoor("decode-data") { _ = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: $0) },
      CostDoor("look") { try look(KeyedArchive($0)) },
      CostDoor("key-paths") { data in
        let archive = try KeyedArchive(data)
        for step in 1...4 { _ = archive.keyPath(to: ArchiveUID(rawValue: UInt32(archive.objectCount * step / 5))) }
        _ = archive.isCyclic
      },
      CostDoor("check") { data in
        let archive = try KeyedArchive(data)
        _ = archive.check()
        _ = archive.classNames
      },
      CostDoor("compare") { data in
        let archive = try KeyedArchive(data)
        each([
          { _ = try archive.differences(from: archive) },
          { _ = try archive.differences(from: KeyedArchive(changed(data))) },
        ])
      },
      CostDoor(writing: "encode-again") { data in
        let value = try KeyedUnarchiver.unarchivedObject(ofClasses: KeyedUnarchiver.valueTypes, from: data)
        guard let value else { return 0 }
        return try ArchiveLayout.allCases.map {
          try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false, layout: $0).count
        }.max() ?? 0
      },
      CostDoor("rebuild") { _ = try RebuiltArchive(of: $0) },
      CostDoor("audit") { _ = try ArchiveAudit(of: KeyedArchive($0)) },
      CostDoor("generate") { _ = GeneratedSwift(try ArchiveAudit(of: KeyedArchive($0))).types },
      CostDoor("migrate") { data in
        let rules: MigrationRules = [
          .renameClass("Box", to: "Crate"), .renameTopLevelKey("root", to: "top"),
          .storeNumbers(as: .objects, of: ClassSelector(["NSObject"], includingSubclasses: true)),
        ]
        _ = try KeyedArchive(data).migrated(by: rules)
      },
      CostDoor("edit") { data in
        var archive = try KeyedArchive(data)
        for number in stride(from: 0, to: archive.objectCount, by: 16) {
          try? archive.setValue(.integer(1), forKey: "added", of: ArchiveUID(rawValue: UInt32(number)))
        }
        _ = try archive.addClass(ClassDescription(name: "Added", chain: ["Added", "NSObject"]))
        _ = try archive.discardUnreachableObjects()
        _ = try archive.data()
      },
    ] + commands

  private static let commands = [
    CostDoor(command: "tree FILE"), CostDoor(command: "info FILE"), CostDoor(command: "validate FILE"),
    CostDoor(command: "convert FILE --to json"), CostDoor(command: "convert FILE --to json --plain"),
    CostDoor(command: "convert FILE --to binary", .json), CostDoor(command: "roundtrip FILE"),
    CostDoor(command: "audit FILE"), CostDoor(command: "generate FILE"), CostDoor(command: "diff FILE CHANGED"),
    CostDoor(command: "graph FILE --to html"), CostDoor(command: "graph FILE --to svg"),
    CostDoor(command: "graph FILE --to dot"), CostDoor(command: "scan --nested FILE"),
    CostDoor(command: "migrate FILE --dry-run --objects NSObject --rename-class Box=Crate"),
  ]

  /// Does each of several things, whatever becomes of the others.
  private static func each(_ ways: [() throws -> Void]) { for way in ways { try? way() } }

  private static func read(_ data: Data) throws {
    let list = try PropertyList(data)
    try list.validate()
    _ = try list.tree()
  }

  /// Every object with what it holds, as a program looks that does not know what it looks for.
  private static func look(_ archive: KeyedArchive) throws {
    for number in 0..<UInt32(archive.objectCount) {
      let node = archive[ArchiveUID(rawValue: number)]
      _ = (node.kind, node.className, node.string, node.data, node.date, node.url, node["absent"].exists)
      if let key = node.keys.last { _ = node[key].string }
      if let array = node.array { _ = (array.last?.string, node[array.count - 1].kind) }
      if let pair = node.dictionary?.last { _ = node[pair.key.string ?? ""].kind }
    }
    _ = archive.root[0]["NS.objects"][0].string
  }

  /// The archive with one byte changed in its middle.
  static func changed(_ data: Data) -> Data {
    var bytes = [UInt8](data)
    bytes[bytes.count / 3] ^= 1
    return Data(bytes)
  }

  /// A value of Codable with what Codable values have.
  private struct Note: KeyedCodable {
    static var archiveClassName: String { "NSArray" }
    var tags: Set<String>?
    var next: [Note]?
    var number: Int?
  }

  /// A struct with collections.
  private struct Letter: SecureKeyedCoding {
    static var archiveClassName: String { "NSDictionary" }
    let items: ArchivedArray?
    let names: [String]?
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) {
      items = coder.decodeObject(of: ArchivedArray.self, forKey: "NS.objects")
      names = coder.decodeObject(of: [String].self, forKey: "NS.keys")
    }
  }
}
