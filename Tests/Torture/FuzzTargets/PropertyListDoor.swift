// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import PropertyListFormat

/// Property lists in one of the formats.
enum PropertyListDoor {
  static func enter(_ bytes: Data, _ format: PropertyList.Format) throws {
    guard let list = try? PropertyList(bytes), list.format == format, (try? list.validate()) != nil else { return }
    // Rows that nothing refers to may be damaged, and are written too.
    let rows = (0..<UInt32(list.objectCount)).map(ObjectRef.init(rawValue:))
    guard rows.allSatisfy({ (try? list.object($0)) != nil }), let written = try written(list, as: format) else {
      return
    }
    let again = try PropertyList(written)
    try again.validate()
    guard try again.rewritten() == written else {
      throw Breach("a list that is read and written is not the same twice")
    }
    let other: PropertyList.Format = format == .binary ? .xml : .binary
    guard let translated = try self.written(again, as: other) else { return }
    let back = try PropertyList(translated)
    try back.validate()
    guard try self.written(back, as: other) == translated else {
      throw Breach("a list that is translated, read and written is not the same twice")
    }
  }

  /// The list written anew; nil for what a file of the format cannot hold.
  private static func written(_ list: PropertyList, as format: PropertyList.Format) throws -> Data? {
    do {
      return try list.rewritten(as: format)
    } catch {
      guard error.code == .limitReached || error.code == .notRepresentable else { throw error }
      return nil
    }
  }
}
