// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) package import PropertyListFormat

/// An archive's bytes with what was proved about them: what a decoder reads from and never changes.
///
/// The bytes are copied once into an array, whose span is had for a nanosecond; that of `Data` takes twenty. What is
/// not needed for each object is kept in one block of memory. There is one owner, for a copy would be made for nearly every
/// call that the compiler cannot see through.
package struct ArchiveSource: ~Copyable, Sendable {
  package let bytes: [UInt8]
  let table: BinaryTable
  /// How many elements `$objects` has.
  package let objectCount: Int
  private let objects: BinaryItem
  private let frame: Frame

  private final class Frame: Sendable {
    let envelope: ArchiveEnvelope
    let limits: ReadLimits
    let isBinary: Bool

    init(_ envelope: ArchiveEnvelope, _ limits: ReadLimits, isBinary: Bool) {
      self.envelope = envelope
      self.limits = limits
      self.isBinary = isBinary
    }
  }

  package var envelope: ArchiveEnvelope { frame.envelope }
  var limits: ReadLimits { frame.limits }
  /// Whether places in ``bytes`` are places in the file.
  var isBinary: Bool { frame.isBinary }
  @inline(__always)
  var maximumDepth: Int { frame.limits.maximumDepth }

  /// Takes a copy of an archive.
  init(_ data: Data, limits: ReadLimits, archivers: AcceptedArchivers) throws(KeyedArchiveError) {
    let span = data.span
    let isBinary = BinaryTable.recognizes(span)
    let bytes = isBinary ? span.array(in: 0..<span.count) : try Self.binaryForm(of: data, limits)
    try self.init(binary: bytes, isBinary: isBinary, limits: limits, archivers: archivers)
  }

  /// Takes over the bytes of an archive.
  init(bytes: consuming [UInt8], limits: ReadLimits, archivers: AcceptedArchivers) throws(KeyedArchiveError) {
    let isBinary = BinaryTable.recognizes(bytes.span)
    let binary = isBinary ? bytes : try Self.binaryForm(of: Data(bytes), limits)
    try self.init(binary: binary, isBinary: isBinary, limits: limits, archivers: archivers)
  }

  /// The binary form of an XML archive, in which it is decoded.
  private static func binaryForm(of data: Data, _ limits: ReadLimits) throws(KeyedArchiveError) -> [UInt8] {
    do {
      return try [UInt8](PropertyList(data, limits: limits).bytes)
    } catch {
      throw KeyedArchiveError(error, reading: data)
    }
  }

  private init(
    binary bytes: [UInt8], isBinary: Bool, limits: ReadLimits, archivers: AcceptedArchivers
  ) throws(KeyedArchiveError) {
    let table: BinaryTable
    do {
      table = try BinaryTable(parsing: bytes.span, limits: limits)
    } catch {
      throw KeyedArchiveError(error)
    }
    let envelope: ArchiveEnvelope
    do {
      envelope = try ArchiveEnvelope(of: table, in: bytes.span)
    } catch {
      throw isBinary ? error : error.withoutByteOffset
    }
    try archivers.check(envelope.archiverName)
    frame = Frame(envelope, limits, isBinary: isBinary)
    objects = envelope.objects
    objectCount = envelope.objects.count
    self.bytes = bytes
    self.table = table
  }

  /// What may be made of the archive.
  package var room: ExpansionBudget { ExpansionBudget(byteCount: bytes.count, limits: limits) }

  @inline(never)
  package func tooLarge() -> KeyedArchiveError {
    KeyedArchiveError(
      .limitReached,
      "what is made of the archive would take more than \(limits.maximumExpansion) times its \(bytes.count) bytes, for "
        + "its parts are shared many times over",
      remedy: "Raise ReadLimits.maximumExpansion if the archive is to be trusted")
  }

  /// The element of `$objects` with number `uid`, which is in range.
  @inline(__always)
  package func entry(_ uid: UInt32) throws(KeyedArchiveError) -> BinaryItem {
    let bytes = bytes.span
    do {
      return try table.item(table.element(Int(uid), of: objects, in: bytes), in: bytes)
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  /// The element of a container.
  @inline(__always)
  package func element(_ place: Int, of item: BinaryItem) throws(KeyedArchiveError) -> BinaryItem {
    let bytes = bytes.span
    do {
      return try table.item(table.element(place, of: item, in: bytes), in: bytes)
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  /// The object that a UID item names.
  @inline(__always)
  package func uid(_ item: BinaryItem) throws(KeyedArchiveError) -> UInt32 {
    guard item.kind == .uid else { throw notAReference(item) }
    let uid = table.uid(item, in: bytes.span)
    guard uid < UInt64(objectCount) else { throw dangling(uid, item) }
    return UInt32(truncatingIfNeeded: uid)
  }

  package func string(_ item: BinaryItem) throws(KeyedArchiveError) -> String {
    do {
      return try table.string(item, in: bytes.span)
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  /// Checks a string without making it.
  func checkText(_ item: BinaryItem) throws(KeyedArchiveError) {
    do {
      try table.checkText(item, in: bytes.span)
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  /// Whether a string is `text`, which is ASCII and not empty.
  func isText(_ item: BinaryItem, _ text: String) -> Bool { table.isString(item, text, in: bytes.span) }

  /// Whether an element of `$objects` is the string that stands for nil.
  @inline(__always)
  package func isNull(_ item: BinaryItem) -> Bool {
    item.kind == .ascii && item.count == 5 && table.isString(item, "$null", in: bytes.span)
  }

  @inline(never)
  private func notAReference(_ item: BinaryItem) -> KeyedArchiveError {
    KeyedArchiveError(
      .typeMismatch, "expected a reference to an object, found an inline value of kind \(item.kind.name)",
      byteOffset: item.content - 1,
      remedy: "A number that is stored inline is read with decodeInteger, decodeDouble and their like")
  }

  @inline(never)
  private func dangling(_ uid: UInt64, _ item: BinaryItem) -> KeyedArchiveError {
    KeyedArchiveError(
      .damagedArchive, "a reference to object #\(uid), where '$objects' holds \(objectCount)",
      byteOffset: item.content - 1)
  }
}

extension ArchiveSource {
  /// The row of an element of a container.
  package func row(_ place: Int, of item: BinaryItem) throws(KeyedArchiveError) -> UInt32 {
    do {
      return try table.element(place, of: item, in: bytes.span).rawValue
    } catch {
      throw KeyedArchiveError(error)
    }
  }
}
