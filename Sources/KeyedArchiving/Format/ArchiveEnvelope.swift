// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) package import PropertyListFormat

/// The envelope of a keyed archive: the dictionary that distinguishes an archive from other property lists.
package struct ArchiveEnvelope: Sendable {
  /// The only known `$version`.
  static let version: Int64 = 100_000
  /// The `$archiver` of Apple's archivers.
  static let defaultArchiverName = "NSKeyedArchiver"

  package let archiverName: String
  /// The dictionary `$top`.
  package let top: BinaryItem
  /// The array `$objects`.
  package let objects: BinaryItem
  /// The object indexes of the four values.
  package let rows: EnvelopeValues<ObjectRef>

  /// Checks the envelope and its four values, and reads nothing else.
  init(of table: BinaryTable, in bytes: Span<UInt8>) throws(KeyedArchiveError) {
    do {
      if let known = try ArchiveEnvelope.prepared(table, in: bytes) {
        self = known
        return
      }
      let outer = try table.item(table.top, in: bytes)
      guard outer.kind == .dictionary else {
        throw KeyedArchiveError(
          .notAnArchive,
          "not a keyed archive: the property list's top-level object is of kind \(outer.kind.name); expected a dictionary",
          byteOffset: outer.content - 1, remedy: Self.otherListRemedy)
      }
      var values = EnvelopeValues<BinaryItem>()
      var rows = EnvelopeValues<ObjectRef>()
      for position in 0..<outer.count {
        let key = try table.item(table.element(position, of: outer, in: bytes), in: bytes)
        if let name = EnvelopeKey(key, of: table, in: bytes), values[name] == nil {
          let row = try table.element(outer.count + position, of: outer, in: bytes)
          rows[name] = row
          values[name] = try table.item(row, in: bytes)
        }
      }
      // Not inlined, because four values are read.
      @inline(never)
      func value(_ key: EnvelopeKey) throws(KeyedArchiveError) -> BinaryItem {
        guard let item = values[key] else {
          if key == .archiver {
            throw KeyedArchiveError(
              .notAnArchive,
              "not a keyed archive: the property list's top-level dictionary has no '$archiver'; "
                + Self.keys(of: outer, table, bytes),
              byteOffset: outer.content, remedy: Self.otherListRemedy)
          }
          throw KeyedArchiveError(
            .notAnArchive, "not a keyed archive: the top-level dictionary has no '\(key.rawValue)'",
            byteOffset: outer.content, remedy: "Check that the right file was opened")
        }
        return item
      }
      @inline(never)
      func refuse(_ key: EnvelopeKey, _ item: BinaryItem, _ expected: String) -> KeyedArchiveError {
        KeyedArchiveError(
          .notAnArchive, "not a keyed archive: '\(key.rawValue)' is of kind \(item.kind.name); expected \(expected)",
          byteOffset: item.content - 1, remedy: "Check that the right file was opened")
      }
      let archiver = try value(.archiver)
      guard archiver.kind == .ascii || archiver.kind == .utf16 else { throw refuse(.archiver, archiver, "a string") }
      // The most frequent name needs no new string.
      archiverName =
        table.isString(archiver, Self.defaultArchiverName, in: bytes)
        ? Self.defaultArchiverName : try table.string(archiver, in: bytes)
      let version = try value(.version)
      guard version.kind == .integer else { throw refuse(.version, version, "the integer 100000") }
      let number = table.wideInteger(version, in: bytes)
      guard number == WideInteger(Self.version) else {
        throw KeyedArchiveError(
          .unsupportedVersion, "unsupported archive version: '$version' is \(number); expected \(Self.version)",
          byteOffset: version.content - 1, remedy: "Check which program wrote the file")
      }
      top = try value(.top)
      guard top.kind == .dictionary else { throw refuse(.top, top, "a dictionary") }
      objects = try value(.objects)
      guard objects.kind == .array else { throw refuse(.objects, objects, "an array") }
      guard objects.count > 0 else {
        throw KeyedArchiveError(
          .notAnArchive, "not a keyed archive: '$objects' is empty; expected '$null' as its first element",
          byteOffset: objects.content - 1, remedy: "Check that the right file was opened")
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

  /// Reads an envelope that begins as most do. Returns nil for any other, and for an invalid one.
  private static func prepared(_ table: BinaryTable, in bytes: Span<UInt8>) throws(PropertyListError) -> Self? {
    switch table.referenceWidth {
    case 1: try ArchiveEnvelope(PreparedEnvelope.narrow, of: table, in: bytes)
    case 2: try ArchiveEnvelope(PreparedEnvelope.wide, of: table, in: bytes)
    default: nil
    }
  }

  private init?(
    _ prepared: borrowing PreparedEnvelope, of table: BinaryTable, in bytes: Span<UInt8>
  ) throws(PropertyListError) {
    guard table.top.rawValue == 0,
      table.begins(with: prepared.objects, except: prepared.reference, in: bytes),
      table.objectCount > Int(PreparedEnvelope.topIndex)
    else { return nil }
    let rowOfTop = ObjectRef(rawValue: PreparedEnvelope.topIndex)
    let rowOfObjects = try table.reference(
      at: BinaryLayout.headerLength + prepared.reference.lowerBound, in: bytes)
    let (top, objects) = (try table.item(rowOfTop, in: bytes), try table.item(rowOfObjects, in: bytes))
    guard top.kind == .dictionary, objects.kind == .array, objects.count > 0 else { return nil }
    archiverName = Self.defaultArchiverName
    self.top = top
    self.objects = objects
    rows = EnvelopeValues(
      version: ObjectRef(rawValue: PreparedEnvelope.versionIndex),
      archiver: ObjectRef(rawValue: PreparedEnvelope.archiverIndex), top: rowOfTop, objects: rowOfObjects)
  }

  /// The remedy for other property lists.
  private static let otherListRemedy =
    "Check that the right file was opened; read another property list with PropertyList or PropertyListDecoder"

  /// Returns the keys of a dictionary for a message.
  private static func keys(of dictionary: BinaryItem, _ table: BinaryTable, _ bytes: Span<UInt8>) -> String {
    guard dictionary.count > 0 else { return "it is empty" }
    var keys: [String] = []
    for position in 0..<min(dictionary.count, 9) {
      guard let row = try? table.element(position, of: dictionary, in: bytes),
        let key = try? table.item(row, in: bytes), key.count <= 1000, let name = try? table.string(key, in: bytes)
      else { continue }
      keys.append(name)
    }
    return "it has the keys " + MessageText.list(keys.prefix(8)) + (dictionary.count > 8 ? " and others" : "")
  }

  /// Checks the envelope of a list in either format. Errors in an XML list have no byte offset.
  package init(of list: PropertyList) throws(KeyedArchiveError) {
    do {
      let file = list.bytes
      try self.init(of: list.table, in: file.span)
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

/// A value for each of the envelope's keys.
package struct EnvelopeValues<Value: Sendable>: Sendable {
  private var version: Value?
  private var archiver: Value?
  private var top: Value?
  private var objects: Value?

  init() {}

  init(version: Value, archiver: Value, top: Value, objects: Value) {
    (self.version, self.archiver, self.top, self.objects) = (version, archiver, top, objects)
  }

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
  /// The texts of the keys as big-endian integers, so that a comparison takes one word.
  private enum Text {
    static let version: UInt64 = 0x2476_6572_7369_6F6E
    static let objects: UInt64 = 0x246F_626A_6563_7473
    /// `$archiver` without its last letter.
    static let archiver: UInt64 = 0x2461_7263_6869_7665
    static let top: UInt64 = 0x2474_6F70
  }

  /// Creates the key whose text an item of a property list is.
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
