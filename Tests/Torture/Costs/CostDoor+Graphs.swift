// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchives
import KeyedArchiving

extension CostDoor {
  /// The entry points that use an archive as data.
  static let graphs: [CostDoor] = [
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
  ]

  /// Visits every object and some of its contents, as a program does that does not know what it searches for.
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
}
