// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) package import PropertyListFormat

/// Where the parts of a keyed archive lie in a binary property list: what tells an archive from any other list.
package struct ArchiveEnvelope: Sendable {
  /// The only `$version` there is.
  static let version: Int128 = 100_000

  package let archiverName: String
  /// The dictionary `$top`.
  package let top: BinaryItem
  /// The array `$objects`.
  package let objects: BinaryItem
  /// The rows of the four values in the object table.
  package let rows: EnvelopeValues<ObjectRef>

  /// Checks the outermost dictionary and its four values; nothing else is read.
  init(of table: BinaryTable, in bytes: Span<UInt8>) throws(KeyedArchiveError) {
    do {
      let outer = try table.item(table.top, in: bytes)
      guard outer.kind == .dictionary else {
        throw KeyedArchiveError(
          .notAnArchive, "an archive is a dictionary, this property list is of kind \(outer.kind.name)",
          byteOffset: outer.content - 1)
      }
      var values = EnvelopeValues<BinaryItem>()
      var rows = EnvelopeValues<ObjectRef>()
      for place in 0..<outer.count {
        let key = try table.item(table.element(place, of: outer, in: bytes), in: bytes)
        if let name = EnvelopeKey(key, of: table, in: bytes), values[name] == nil {
          let row = try table.element(outer.count + place, of: outer, in: bytes)
          rows[name] = row
          values[name] = try table.item(row, in: bytes)
        }
      }
      func value(_ key: EnvelopeKey) throws(KeyedArchiveError) -> BinaryItem {
        guard let item = values[key] else {
          throw KeyedArchiveError(
            .notAnArchive, "the outermost dictionary has no '\(key.rawValue)', which every keyed archive has",
            byteOffset: outer.content)
        }
        return item
      }
      func refuse(_ key: EnvelopeKey, _ item: BinaryItem, _ expected: String) -> KeyedArchiveError {
        KeyedArchiveError(
          .notAnArchive, "'\(key.rawValue)' must be \(expected), it is of kind \(item.kind.name)",
          byteOffset: item.content - 1)
      }
      let archiver = try value(.archiver)
      guard archiver.kind == .ascii || archiver.kind == .utf16 else { throw refuse(.archiver, archiver, "a string") }
      archiverName = try table.string(archiver, in: bytes)
      let version = try value(.version)
      guard version.kind == .integer else { throw refuse(.version, version, "the integer 100000") }
      let number = table.wideInteger(version, in: bytes)
      guard number == Self.version else {
        throw KeyedArchiveError(
          .unsupportedVersion, "'$version' must be \(Self.version), it is \(number)", byteOffset: version.content - 1)
      }
      top = try value(.top)
      guard top.kind == .dictionary else { throw refuse(.top, top, "a dictionary") }
      objects = try value(.objects)
      guard objects.kind == .array else { throw refuse(.objects, objects, "an array") }
      guard objects.count > 0 else {
        throw KeyedArchiveError(
          .notAnArchive, "'$objects' is empty, it must begin with '$null'", byteOffset: objects.content - 1)
      }
      self.rows = rows
    } catch let error as PropertyListError {
      throw KeyedArchiveError(error)
    } catch let error as KeyedArchiveError {
      throw error
    } catch {
      throw KeyedArchiveError(wrapping: error)
    }
  }

  /// The same for a list in either format. Places in an XML file are not known here.
  package init(of list: PropertyList) throws(KeyedArchiveError) {
    do {
      try self.init(of: list.table, in: list.bytes.span)
    } catch {
      throw list.format == .binary ? error : error.withoutByteOffset
    }
  }
}

extension KeyedArchiveError {
  var withoutByteOffset: KeyedArchiveError {
    var error = self
    error.byteOffset = nil
    return error
  }
}

/// Something for each of the envelope's keys.
package struct EnvelopeValues<Value: Sendable>: Sendable {
  private var version: Value?
  private var archiver: Value?
  private var top: Value?
  private var objects: Value?

  package subscript(key: EnvelopeKey) -> Value? {
    get {
      switch key {
      case .version: version
      case .archiver: archiver
      case .top: top
      case .objects: objects
      }
    }
    set {
      switch key {
      case .version: version = newValue
      case .archiver: archiver = newValue
      case .top: top = newValue
      case .objects: objects = newValue
      }
    }
  }
}

extension EnvelopeKey {
  /// The texts of the keys as big-endian numbers, which compare at a glance.
  private enum Text {
    static let version: UInt64 = 0x2476_6572_7369_6F6E
    static let objects: UInt64 = 0x246F_626A_6563_7473
    /// Without its last letter.
    static let archiver: UInt64 = 0x2461_7263_6869_7665
    static let top: UInt64 = 0x2474_6F70
  }

  /// The key that an item of a property list is.
  init?(_ item: BinaryItem, of table: BinaryTable, in bytes: Span<UInt8>) {
    guard item.kind == .ascii else { return nil }
    switch item.count {
    case 4 where bytes.bigEndian(at: item.content, width: 4) == Text.top: self = .top
    case 8 where bytes.bigEndian(at: item.content, width: 8) == Text.version: self = .version
    case 8 where bytes.bigEndian(at: item.content, width: 8) == Text.objects: self = .objects
    case 9 where bytes.bigEndian(at: item.content, width: 8) == Text.archiver:
      guard bytes[item.content &+ 8] == UInt8(ascii: "r") else { return nil }
      self = .archiver
    default: return nil
    }
  }
}
