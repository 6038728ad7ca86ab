// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) package import PropertyListFormat
import SystemFiles

/// An archive's bytes and validated envelope, which a decoder reads and never changes.
///
/// The bytes are copied once into a `ContiguousArray`. Taking its span is about ten times cheaper than taking that of
/// `Data`, and works on older systems than `Array.span`. The type is noncopyable, because the compiler would otherwise copy
/// it around nearly every call it cannot inline. Rarely used properties are in ``Frame``, which keeps the type small.
package struct ArchiveSource: ~Copyable, Sendable {
  package private(set) var bytes: ContiguousArray<UInt8>
  let table: BinaryTable
  /// The number of elements of `$objects`.
  package let objectCount: Int
  private let objects: BinaryItem
  private let frame: Frame

  private final class Frame: Sendable {
    let envelope: ArchiveEnvelope
    let limits: ReadLimits
    /// The lines of an XML file; nil for a binary one.
    let lines: XMLLines?
    let lentData = Locked(LentData())

    init(_ envelope: ArchiveEnvelope, _ limits: ReadLimits, _ lines: XMLLines?) {
      self.envelope = envelope
      self.limits = limits
      self.lines = lines
    }
  }

  package var envelope: ArchiveEnvelope { frame.envelope }
  var limits: ReadLimits { frame.limits }
  /// Whether offsets in ``bytes`` are offsets in the file.
  var isBinary: Bool { frame.lines == nil }
  /// The lines of an XML file; nil for a binary one.
  var lines: XMLLines? { frame.lines }
  @inline(__always)
  var maximumDepth: Int { frame.limits.maximumDepth }

  /// Copies the bytes of an archive.
  init(_ data: Data, limits: ReadLimits, archivers: AcceptedArchivers) throws(KeyedArchiveError) {
    let span = data.span
    let (bytes, lines) =
      BinaryTable.recognizes(span) ? (span.array(in: 0..<span.count), nil) : try Self.binaryForm(of: data, limits)
    try self.init(binary: bytes, lines, limits: limits, archivers: archivers)
  }

  /// Takes ownership of the bytes of an archive.
  init(bytes: consuming [UInt8], limits: ReadLimits, archivers: AcceptedArchivers) throws(KeyedArchiveError) {
    // Both kinds of arrays have the same storage, so this copies nothing.
    let bytes = ContiguousArray(bytes)
    let (binary, lines) =
      BinaryTable.recognizes(bytes.span) ? (bytes, nil) : try Self.binaryForm(of: Data(bytes), limits)
    try self.init(binary: binary, lines, limits: limits, archivers: archivers)
  }

  /// Converts an XML archive to binary.
  private static func binaryForm(
    of data: Data, _ limits: ReadLimits
  ) throws(KeyedArchiveError) -> (bytes: ContiguousArray<UInt8>, lines: XMLLines?) {
    do {
      let list = try PropertyList(data, limits: limits)
      return (ContiguousArray(list.bytes), list.lines)
    } catch {
      throw KeyedArchiveError(error, reading: data)
    }
  }

  private init(
    binary bytes: ContiguousArray<UInt8>, _ lines: XMLLines?, limits: ReadLimits, archivers: AcceptedArchivers
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
      throw lines == nil ? error : error.inXML(lines)
    }
    try archivers.check(envelope.archiverName)
    frame = Frame(envelope, limits, lines)
    objects = envelope.objects
    objectCount = envelope.objects.count
    self.bytes = bytes
    self.table = table
  }

  /// Releases the bytes. The source must not be read afterwards.
  mutating func removeBytes() { bytes = [] }

  /// The decoding budget: the estimated memory that values decoded from this archive may take.
  package var budget: ExpansionBudget { ExpansionBudget(byteCount: Int64(bytes.count), limits: limits) }

  /// The budget for coding paths: more steps than a few errors need, and not many for each byte.
  var pathBudget: Int { bytes.count &+ 16_384 }

  @inline(never)
  package func tooLarge() -> KeyedArchiveError {
    KeyedArchiveError(
      .limitReached,
      "expansion limit reached: the shared values would take more than \(limits.maximumExpansion) times the file's "
        + "\(bytes.count) bytes"
    ).advising(.raiseLimit, "If you trust the file, raise ReadLimits.maximumExpansion")
  }

  /// Returns large data that shares the bytes of this source, or nil if it must be copied.
  func lentData(_ item: BinaryItem) -> Data? {
    let (table, bytes) = (table, bytes)
    return frame.lentData.withLock { $0.data(item, of: table, in: bytes) }
  }

  /// Returns the element of `$objects` with a UID that a caller may have made.
  @inline(__always)
  package func checkedEntry(_ uid: UInt32) throws(KeyedArchiveError) -> BinaryItem {
    guard uid < UInt32(truncatingIfNeeded: objectCount) else { throw outOfRange(uid) }
    return try entry(uid)
  }

  /// Returns the element of `$objects` with a UID, which must be in range.
  @inline(__always)
  package func entry(_ uid: UInt32) throws(KeyedArchiveError) -> BinaryItem {
    let bytes = bytes.span
    do {
      return try table.item(table.element(Int(uid), of: objects, in: bytes), in: bytes)
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  /// Returns an element of a container.
  @inline(__always)
  package func element(_ index: Int, of item: BinaryItem) throws(KeyedArchiveError) -> BinaryItem {
    let bytes = bytes.span
    do {
      return try table.item(table.element(index, of: item, in: bytes), in: bytes)
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  /// Returns the UID in an item, which must refer to an element of `$objects`.
  @inline(__always)
  package func uid(_ item: BinaryItem) throws(KeyedArchiveError) -> UInt32 {
    guard item.kind == .uid else { throw notAReference(item) }
    let uid = table.uid(item, in: bytes.span)
    guard uid < UInt64(objectCount) else { throw dangling(uid, item) }
    return UInt32(truncatingIfNeeded: uid)
  }

  /// Returns the UID in an element of a container; nil if ``element(_:of:)`` and ``uid(_:)`` throw, or if the element is of
  /// another kind.
  @inline(__always)
  func uidElement(_ index: Int, of item: BinaryItem) -> UInt32? {
    guard let uid = table.uidElement(index, of: item, in: bytes.span), uid < UInt64(objectCount) else { return nil }
    return UInt32(truncatingIfNeeded: uid)
  }

  /// Returns the UID in an element of a container, which must refer to an element of `$objects`.
  @inline(__always)
  func uid(at index: Int, of item: BinaryItem) throws(KeyedArchiveError) -> UInt32 {
    if let uid = uidElement(index, of: item) { return uid }
    return try uid(element(index, of: item))
  }

  /// Reads the bytes, and converts an error.
  @inline(__always)
  private func read<Value>(
    _ body: (Span<UInt8>) throws(PropertyListError) -> Value
  ) throws(KeyedArchiveError) -> Value {
    do {
      return try body(bytes.span)
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  package func string(_ item: BinaryItem) throws(KeyedArchiveError) -> String {
    try read { bytes throws(PropertyListError) in try table.string(item, in: bytes) }
  }

  /// Checks a string without decoding it.
  func checkText(_ item: BinaryItem) throws(KeyedArchiveError) {
    try read { bytes throws(PropertyListError) in try table.checkText(item, in: bytes) }
  }

  /// Returns whether a string equals `text`, which must be ASCII and not empty.
  func isText(_ item: BinaryItem, _ text: String) -> Bool { table.isString(item, text, in: bytes.span) }

  /// Returns whether an element of `$objects` is the string `$null`, which represents nil.
  @inline(__always)
  package func isNull(_ item: BinaryItem) -> Bool {
    item.kind == .ascii && item.count == 5 && table.isString(item, "$null", in: bytes.span)
  }

  /// Returns the offset of an object's marker, which an error names.
  @inline(never)
  package func offset(of item: BinaryItem) -> Int { item.offset(in: bytes.span) }

  @inline(never)
  private func notAReference(_ item: BinaryItem) -> KeyedArchiveError {
    KeyedArchiveError(
      .typeMismatch, "invalid reference: found an inline value of kind \(item.kind.name); expected a UID",
      byteOffset: offset(of: item),
      remedy: "Decode an inline number with decodeInteger, decodeDouble or a similar method")
  }

  /// Returns the error for a UID that a caller made, or took from another archive.
  @inline(never)
  func outOfRange(_ uid: UInt32) -> KeyedArchiveError {
    KeyedArchiveError(
      .valueNotFound, "invalid UID: the archive has \(objectCount) objects and no object #\(uid)",
      remedy: "Request objects by their keys, or with UIDs of this archive")
  }

  @inline(never)
  private func dangling(_ uid: UInt64, _ item: BinaryItem) -> KeyedArchiveError {
    KeyedArchiveError(
      .damagedArchive,
      "dangling reference to object #\(uid); '$objects' has only "
        + (objectCount == 1 ? "object #0" : "objects #0 to #\(objectCount - 1)"),
      byteOffset: offset(of: item))
  }

  /// Returns the object with an index that ``row(_:of:)`` returned.
  package func object(row: UInt32) throws(KeyedArchiveError) -> BinaryItem {
    try read { bytes throws(PropertyListError) in try table.item(ObjectRef(rawValue: row), in: bytes) }
  }

  /// Returns the object index of an element of a container.
  package func row(_ index: Int, of item: BinaryItem) throws(KeyedArchiveError) -> UInt32 {
    try read { bytes throws(PropertyListError) in try table.element(index, of: item, in: bytes).rawValue }
  }
}
