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
  /// The object indexes of `$top` and `$objects`.
  package let (topRow, objectsRow): (ObjectRef, ObjectRef)

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
          byteOffset: outer.offset(in: bytes), remedy: Self.otherListRemedy)
      }
      var values: [EnvelopeKey: (row: ObjectRef, item: BinaryItem)] = [:]
      for position in 0..<outer.count {
        let text = try table.item(table.element(position, of: outer, in: bytes), in: bytes)
        for key in EnvelopeKey.allCases where values[key] == nil && table.isString(text, key.rawValue, in: bytes) {
          let row = try table.element(outer.count + position, of: outer, in: bytes)
          values[key] = (row, try table.item(row, in: bytes))
        }
      }
      func value(_ key: EnvelopeKey) throws(KeyedArchiveError) -> (row: ObjectRef, item: BinaryItem) {
        guard let value = values[key] else {
          if key == .archiver {
            throw KeyedArchiveError(
              .notAnArchive,
              "not a keyed archive: the property list's top-level dictionary has no '$archiver'; "
                + Self.keys(of: outer, table, bytes),
              byteOffset: outer.offset(in: bytes), remedy: Self.otherListRemedy)
          }
          throw KeyedArchiveError(
            .notAnArchive, "not a keyed archive: the top-level dictionary has no '\(key.rawValue)'",
            byteOffset: outer.offset(in: bytes), remedy: "Check that the right file was opened")
        }
        return value
      }
      func refuse(_ key: EnvelopeKey, _ item: BinaryItem, _ expected: String) -> KeyedArchiveError {
        KeyedArchiveError(
          .notAnArchive, "not a keyed archive: '\(key.rawValue)' is of kind \(item.kind.name); expected \(expected)",
          byteOffset: item.offset(in: bytes), remedy: "Check that the right file was opened")
      }
      let archiver = try value(.archiver).item
      guard archiver.kind == .ascii || archiver.kind == .utf16 else { throw refuse(.archiver, archiver, "a string") }
      // The most frequent name needs no new string.
      archiverName =
        table.isString(archiver, Self.defaultArchiverName, in: bytes)
        ? Self.defaultArchiverName : try table.string(archiver, in: bytes)
      let version = try value(.version).item
      guard version.kind == .integer else { throw refuse(.version, version, "the integer 100000") }
      let number = table.wideInteger(version, in: bytes)
      guard number == WideInteger(Self.version) else {
        throw KeyedArchiveError(
          .unsupportedVersion, "unsupported archive version: '$version' is \(number); expected \(Self.version)",
          byteOffset: version.offset(in: bytes), remedy: "Check which program wrote the file")
      }
      (topRow, top) = try value(.top)
      guard top.kind == .dictionary else { throw refuse(.top, top, "a dictionary") }
      (objectsRow, objects) = try value(.objects)
      guard objects.kind == .array else { throw refuse(.objects, objects, "an array") }
      guard objects.count > 0 else {
        throw KeyedArchiveError(
          .notAnArchive, "not a keyed archive: '$objects' is empty; expected '$null' as its first element",
          byteOffset: objects.offset(in: bytes), remedy: "Check that the right file was opened")
      }
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
    topRow = ObjectRef(rawValue: PreparedEnvelope.topIndex)
    objectsRow = try table.reference(at: BinaryLayout.headerLength + prepared.reference.lowerBound, in: bytes)
    (top, objects) = (try table.item(topRow, in: bytes), try table.item(objectsRow, in: bytes))
    guard top.kind == .dictionary, objects.kind == .array, objects.count > 0 else { return nil }
    archiverName = Self.defaultArchiverName
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

  /// Checks the envelope of a list in either format. Errors in an XML list have a line.
  package init(of list: PropertyList) throws(KeyedArchiveError) {
    do {
      let file = list.bytes
      try self.init(of: list.table, in: file.span)
    } catch {
      throw list.format == .binary ? error : error.inXML(list.lines)
    }
  }
}

extension KeyedArchiveError {
  /// Returns the error about a value in the converted form of an XML file: with its line in place of the offset.
  func inXML(_ lines: XMLLines?) -> KeyedArchiveError {
    guard let byteOffset else { return self }
    var error = self
    error.byteOffset = nil
    if let line = lines?.line(ofByte: byteOffset) { error.line = line }
    return error
  }
}

/// The first objects of nearly every archive: the envelope's dictionary, its keys, the version and the archiver's name.
///
/// In the layout ``ArchiveLayout/apple``, they differ only in the reference to `$objects`. An archiver copies them, and a
/// decoder compares them, instead of going through each object. All other envelopes are written and read by parts.
///
/// The type is noncopyable, because copies would change reference counts that all threads share.
struct PreparedEnvelope: ~Copyable, Sendable {
  /// The object indexes of the version and of `$top`.
  static let (versionIndex, topIndex): (UInt32, UInt32) = (5, 7)

  let objects: EncodedObjects
  /// The bytes of the reference to `$objects`, counted from the first object.
  let reference: Range<Int>

  /// The envelope with references of one byte. Only large archives have references of more than two.
  static let narrow = PreparedEnvelope(referenceWidth: 1)
  /// The envelope with references of two bytes.
  static let wide = PreparedEnvelope(referenceWidth: 2)

  private init(referenceWidth: Int) {
    let order = ArchiveLayout.apple.envelopeOrder
    // The references follow the marker.
    let last = 1 + (2 * order.count - 1) * referenceWidth
    reference = last..<last + referenceWidth
    objects = EncodedObjects(referenceWidth: referenceWidth) { writer in
      writer.beginContainer(BinaryLayout.dictionary, count: order.count)
      for index in 1...Self.topIndex { writer.put(reference: index) }
      writer.put(reference: 0)
      for key in order { writer.put(key.rawValue) }
      writer.put(ArchiveEnvelope.version)
      writer.put(ArchiveEnvelope.defaultArchiverName)
    }
  }
}
