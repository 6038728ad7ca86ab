// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat
import TypedDefaults

extension CostDoor {
  /// The entry points that read and write property lists, and those that open archives.
  static let reading: [CostDoor] = [
    CostDoor("read-binary") { try read($0) },
    CostDoor("read-xml", .xml) { try read($0) },
    CostDoor("write-xml") { _ = try PropertyList($0).data(format: .xml) },
    CostDoor("write-binary") { _ = try PropertyList($0).rewritten() },
    CostDoor("decode-property-list") { _ = try PropertyListValueDecoder().decode(CostList.self, from: $0) },
    CostDoor("open") {
      _ = try? KeyedArchive($0)
      _ = try KeyedUnarchiver(forReadingFrom: $0)
    },
    CostDoor("records", .record) { data in
      let record = Record([UInt8](data.dropLast()), form: .base64)
      let archive = try KeyedArchive(record.content.get(), archivers: .any)
      var line = JSONWriter()
      line.beginObject()
      line.field("record", record.name)
      line.field("topKeys", archive.topKeys)
      line.endObject()
    },
    CostDoor("inside", .nested) { data in
      let inside = try NestedData(at: GraphPath.nested("a"), in: data)
      try searchData(inside.data)
      _ = try inside.file(replacing: changed(inside.data))
    },
    CostDoor("defaults-file") { try useDefaults($0) },
  ]

  /// The commands of `keyedarchive`.
  static let commands: [CostDoor] = [
    CostDoor(command: "tree FILE"), CostDoor(command: "tree --inside a FILE", .nested), CostDoor(command: "info FILE"),
    CostDoor(command: "info --records", .record), CostDoor(command: "validate FILE"),
    CostDoor(command: "convert FILE --to json"), CostDoor(command: "convert FILE --to json --plain"),
    CostDoor(command: "convert FILE --to binary", .json), CostDoor(command: "roundtrip FILE"),
    CostDoor(command: "audit FILE"), CostDoor(command: "generate FILE"), CostDoor(command: "diff FILE CHANGED"),
    CostDoor(command: "graph FILE --to html"), CostDoor(command: "graph FILE --to svg"),
    CostDoor(command: "graph FILE --to dot"), CostDoor(command: "scan --nested FILE"),
    CostDoor(command: "migrate FILE --dry-run --objects NSObject --rename-class Box=Crate"),
  ]

  private static func read(_ data: Data) throws {
    let list = try PropertyList(data)
    try list.validate()
    _ = try list.tree()
  }

  /// Finds the data in a property list or an archive, and the archives in it.
  private static func searchData(_ file: Data) throws {
    let list = try PropertyList(file)
    var budget = ExpansionBudget(byteCount: Int64(file.count), limits: .default)
    var walk = DataWalk(list, isArchive: (try? KeyedArchive(list, archivers: .any)) != nil)
    while let data = walk.next(budget: &budget) {
      guard (try? KeyedArchive(data, archivers: .any)) != nil else { continue }
      _ = walk.path(budget: &budget)
    }
  }

  private static let folder = FileManager.default.temporaryDirectory
    .appending(path: "costs-defaults-\(ProcessInfo.processInfo.processIdentifier)")

  /// Opens a file of typed defaults, reads its values and changes one.
  private static func useDefaults(_ data: Data) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "defaults.plist")
    try data.write(to: file)
    var options = FileStore.Options()
    options.reports = { _ in }
    let store = try FileStore(at: file, options: options)
    let names = DefaultsKey<[String: [String]]>("$top", default: [:])
    let lists = DefaultsKey<[[String]]>("$objects", default: [])
    each([
      { _ = try store.value(for: names) }, { _ = try store.value(for: lists) },
      { try store.set(1, for: DefaultsKey<Int>("added", default: 0)) },
    ])
    _ = store.snapshot()
  }
}
