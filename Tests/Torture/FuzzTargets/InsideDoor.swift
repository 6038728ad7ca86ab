// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Data in a property list or an archive, as `--inside` finds it by the paths that `scan --nested` prints.
///
/// Data that is replaced is found again at its path.
enum InsideDoor {
  /// The maximum number of data objects of a list, and of lists around data.
  private static let most = 16
  private static let depth = 3

  static func enter(_ bytes: Data) throws { try enter(bytes, in: bytes, at: []) }

  /// Sends bytes through as data in a property list.
  static func enter(archive: Data) throws {
    let list: PropertyListValue = ["a": .data(archive), "b": .data(archive)]
    for format in [PropertyList.Format.binary, .xml] {
      let file = try list.propertyList(format)
      guard try NestedData(at: GraphPath.nested("a"), in: file).data == archive else {
        throw Breach("data of a property list is read as other bytes")
      }
      try enter(file)
    }
  }

  private static func enter(_ bytes: Data, in file: Data, at paths: [GraphPath]) throws {
    guard paths.count < depth, let list = try? PropertyList(bytes) else { return }
    var budget = ExpansionBudget(byteCount: Int64(bytes.count), limits: .default)
    let isArchive = (try? KeyedArchive(list, archivers: .any)) != nil
    var walk = DataWalk(list, isArchive: isArchive)
    for _ in 0..<most {
      guard walk.next(budget: &budget) != nil else { return }
      guard let text = walk.path(budget: &budget) else { continue }
      let inner = paths + (try GraphPath.nested(text))
      // Another object can have the path, such as the first of two values for one key.
      guard let found = try? NestedData(at: inner, in: file) else { continue }
      for new in [Data("changed".utf8), found.data] {
        guard let changed = try? found.file(replacing: new) else { continue }
        guard try NestedData(at: inner, in: changed).data == new else {
          throw Breach("data that was replaced is not at its path '\(NestedData.text(inner))'")
        }
      }
      try enter(found.data, in: file, at: inner)
    }
  }
}
