// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import SystemFiles

/// A property list as its file stores it: a table of objects that refer to each other, and a top object.
///
/// To open a binary file, the initializer validates its header and trailer. Each object is validated and decoded when
/// you request it. An XML file is parsed completely and converted to the same form. A list without edits is written
/// back byte for byte.
///
/// ```swift
/// let list = try PropertyList(data)
/// if case .dictionary(let keys, let values) = try list.object(list.top) { … }
/// ```
public struct PropertyList: Sendable {
  /// A file format.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// `bplist00`.
    case binary
    /// The XML format with the `plist` document type.
    case xml
  }

  /// The format of the input, which is also the default format of ``data(format:)``.
  public let format: Format
  /// The top object.
  public private(set) var top: ObjectRef
  /// The limits that the initializer was given.
  public let limits: ReadLimits

  @usableFromInline let file: StableBytes
  package let table: BinaryTable
  /// The XML input and the lines of its elements; nil for another format.
  package let lines: XMLLines?
  /// The bytes of an XML input.
  private var xml: Data? { lines?.xml }
  /// The value that ``documentType`` was set to.
  private var givenDocumentType: XMLDocumentType?
  /// The value that ``hasPlainReturns`` was set to.
  private var givenReturns: Bool?
  private(set) var replaced: [ObjectRef: PropertyListObject] = [:]
  private var added: [PropertyListObject] = []
  /// A Boolean value that indicates whether the list was edited.
  public private(set) var isEdited = false
  /// The estimated memory of all edited and added objects.
  package private(set) var editedWeight: Int64 = 0

  /// Opens a property list in either format.
  /// - Parameters:
  ///   - data: The bytes of the file.
  ///   - limits: The limits on the input and on the values read from it.
  /// - Throws: ``PropertyListError`` if the bytes are not a property list, are damaged, or exceed a limit.
  public init(_ data: Data, limits: ReadLimits = .default) throws(PropertyListError) {
    self.limits = limits
    if BinaryTable.recognizes(data.span) {
      format = .binary
      table = try BinaryTable(parsing: data.span, limits: limits)
      file = StableBytes(data)
      lines = nil
    } else {
      var reader = try XMLReader(data, limits: limits)
      format = .xml
      let bytes = try reader.read()
      // The limits are on the file, which the reader checked. Its conversion can be larger, and has other places.
      table = try BinaryTable(parsing: bytes.span, limits: .none)
      file = StableBytes(bytes)
      lines = XMLLines(data, limits: limits)
    }
    top = table.top
  }

  /// Opens a file.
  ///
  /// The file is read into memory and not mapped, because a program that truncates a mapped file would crash the
  /// process at the next access.
  /// - Parameters:
  ///   - url: The file.
  ///   - limits: The limits on the input and on the values read from it.
  /// - Throws: ``PropertyListError`` with code ``PropertyListError/Code/fileAccess`` if the file cannot be read, and
  ///   the errors of ``init(_:limits:)``.
  public init(contentsOf url: URL, limits: ReadLimits = .default) throws(PropertyListError) {
    try self.init(Self.bytes(at: url, limits), limits: limits)
  }

  /// Reads a file. No more bytes are read than the limit allows: a sparse file can have more than the memory. A pipe can
  /// have no end.
  private static func bytes(at url: URL, _ limits: ReadLimits) throws(PropertyListError) -> Data {
    if url.isFileURL, Descriptor.isAvailable {
      do {
        return try WholeFile.data(at: url.path, limit: limits.maximumByteCount, acceptingStreams: true)
      } catch .tooLarge {
        throw .tooManyBytes(limits)
      } catch {
        throw .unreadable(url, error)
      }
    }
    // For other systems and other URLs. Foundation has no limit.
    do {
      return try Data(contentsOf: url)
    } catch {
      throw .unreadable(url, error)
    }
  }

  /// Creates a binary property list of one object.
  package init(top object: PropertyListObject) throws(PropertyListError) {
    var writer = BinaryWriter(objectCount: 1, byteCount: 64)
    writer.putNull()
    try self.init(writer.finish(top: 0))
    replace(top, with: object)
  }

  /// The bytes of the input if its format is ``Format-swift.enum/binary``, otherwise its conversion to that format.
  package var bytes: Data { file.data }

  /// The number of bytes of the input, or of its conversion if that is larger. A conversion has equal keys once.
  package var byteCount: Int { max(file.count, xml?.count ?? 0) }

  /// Calls a function with the bytes of ``bytes``.
  /// - Parameter body: The function.
  /// - Returns: The function's result.
  /// - Throws: The function's error.
  @_spi(Archiving) @inlinable @inline(__always)
  public func withBytes<Value, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try file.withSpan(body)
  }

  /// The document type of written XML files: that of the input, or the one that Apple's programs write today.
  package var documentType: XMLDocumentType {
    get { givenDocumentType ?? xml.map { XMLDocumentType(of: $0.span) } ?? .apple }
    set { givenDocumentType = newValue }
  }

  /// Whether written XML files have carriage returns as they are, not as character references. The default is whether the
  /// input is an XML file that has them.
  package var hasPlainReturns: Bool {
    get { givenReturns ?? xml?.contains(UInt8(ascii: "\r")) ?? false }
    set { givenReturns = newValue }
  }

  /// The number of objects, including unreferenced ones.
  public var objectCount: Int { table.objectCount + added.count }

  /// Returns an object.
  /// - Parameter ref: The reference to the object.
  /// - Returns: The object, with references to its elements.
  /// - Throws: ``PropertyListError`` if the object does not exist or is damaged.
  public func object(_ ref: ObjectRef) throws(PropertyListError) -> PropertyListObject {
    if isEdited {
      if let object = replaced[ref] { return object }
      if ref.index >= table.objectCount {
        let row = ref.index - table.objectCount
        guard row < added.count else { throw PropertyListError.dangling(ref, objectCount) }
        return added[row]
      }
    }
    return try file.withSpan { bytes throws(PropertyListError) in try table.object(ref, in: bytes) }
  }

  /// Reads and validates all objects once.
  /// - Returns: The objects.
  /// - Throws: ``PropertyListError`` if an object is damaged, or overlapping objects exceed
  ///   ``ReadLimits/maximumExpansion``.
  public func tree() throws(PropertyListError) -> PropertyListTree { try PropertyListTree(self) }

  /// Replaces an object.
  /// - Parameters:
  ///   - ref: The reference to the object, which must exist.
  ///   - object: The new object.
  public mutating func replace(_ ref: ObjectRef, with object: PropertyListObject) {
    precondition(ref.index < objectCount, "no \(ref) in a list of \(objectCount)")
    isEdited = true
    editedWeight += object.weight
    if ref.index >= table.objectCount {
      added[ref.index - table.objectCount] = object
    } else {
      replaced[ref] = object
    }
  }

  /// Adds an object.
  /// - Parameter object: The new object.
  /// - Returns: The reference to it.
  public mutating func append(_ object: PropertyListObject) -> ObjectRef {
    isEdited = true
    editedWeight += object.weight
    added.append(object)
    return ObjectRef(rawValue: UInt32(objectCount - 1))
  }

  /// Changes the top object.
  /// - Parameter ref: The reference to the new top object, which must exist.
  public mutating func setTop(_ ref: ObjectRef) {
    precondition(ref.index < objectCount, "no \(ref) in a list of \(objectCount)")
    isEdited = true
    top = ref
  }

  /// Returns the binary item of an object, or nil if the object was edited or added.
  package func storedItem(_ ref: ObjectRef) throws(PropertyListError) -> BinaryItem? {
    if isEdited, ref.index >= table.objectCount || replaced[ref] != nil { return nil }
    return try file.withSpan { bytes throws(PropertyListError) in try table.item(ref, in: bytes) }
  }

  /// Returns the line of an object's element in an XML file, counted from 1. A binary file has no lines, and neither have keys
  /// and edited objects.
  package func line(of ref: ObjectRef) -> Int? {
    guard let lines, (try? storedItem(ref)) != nil else { return nil }
    return lines.line(of: ref)
  }

  /// Returns a reference of a container in the file. Those of a dictionary to its values follow those to its keys.
  package func element(_ index: Int, of item: BinaryItem) throws(PropertyListError) -> ObjectRef {
    try file.withSpan { bytes throws(PropertyListError) in try table.element(index, of: item, in: bytes) }
  }

  /// The result of looking up one element of an array without reading the others.
  package enum ArrayElement {
    /// The object is not an array.
    case notAnArray
    /// The index is out of bounds.
    case absent
    case row(ObjectRef)
  }

  /// Returns the element at an index of an array.
  package func element(_ index: Int, ofArray ref: ObjectRef) throws(PropertyListError) -> ArrayElement {
    if let item = try storedItem(ref) {
      guard item.kind == .array else { return .notAnArray }
      guard index >= 0, index < item.count else { return .absent }
      return .row(try element(index, of: item))
    }
    guard case .array(let rows) = try object(ref) else { return .notAnArray }
    return rows.indices.contains(index) ? .row(rows[index]) : .absent
  }

  /// Returns the bytes of the file: the input if the list was not edited, otherwise the result of ``rewritten(as:)``.
  /// - Parameter format: The format to write. The default is the format of the input.
  /// - Returns: The bytes of the file.
  /// - Throws: ``PropertyListError`` if an object is damaged or the format cannot hold it.
  public func data(format: Format? = nil) throws(PropertyListError) -> Data {
    let wanted = format ?? self.format
    if !isEdited, wanted == self.format { return xml ?? bytes }
    return try rewritten(as: wanted)
  }

  /// Writes a new file from the objects, also if the list was not edited.
  ///
  /// For a file by an Apple writer the result has the same bytes as the input, which proves that the writers agree.
  /// - Parameter format: The format to write. The default is the format of the input.
  /// - Returns: The bytes of the file.
  /// - Throws: The errors of ``data(format:)``.
  public func rewritten(as format: Format? = nil) throws(PropertyListError) -> Data {
    switch format ?? self.format {
    case .binary: try flattened().write(self)
    case .xml: try XMLWriter.write(self, documentType: documentType)
    }
  }
}

extension PropertyList {
  /// Creates a binary property list from an object table.
  ///
  /// The written file contains exactly these objects in this order, including unreferenced ones. A list that was read
  /// object by object is put together again in this way, and ``data(format:)`` returns the same bytes.
  /// - Parameters:
  ///   - rows: The objects. Their references are indexes in this array.
  ///   - top: The top object.
  ///   - limits: The limits that apply to the list.
  /// - Throws: ``PropertyListError`` with code ``PropertyListError/Code/badReference`` for a dangling reference, and
  ///   the errors of ``init(_:limits:)``.
  public init(
    table rows: [PropertyListObject], top: ObjectRef, limits: ReadLimits = .default
  ) throws(PropertyListError) {
    guard let first = rows.first, rows.count < Int32.max else {
      throw PropertyListError(
        .badCount, "invalid object table: found \(rows.count) objects; expected 1 to \(Int32.max - 1)")
    }
    func check(_ ref: ObjectRef) throws(PropertyListError) {
      guard ref.index < rows.count else { throw .dangling(ref, rows.count) }
    }
    try check(top)
    var list = try PropertyList(top: first)
    for (index, row) in rows.enumerated() {
      switch row {
      case .array(let refs), .set(let refs): for ref in refs { try check(ref) }
      case .dictionary(let keys, let values):
        guard keys.count == values.count else { throw .unequalCounts(keys.count, values.count) }
        for ref in keys { try check(ref) }
        for ref in values { try check(ref) }
      case .uid(let value): try PropertyListError.check(uid: value)
      default: break
      }
      if index > 0 { _ = list.append(row) }
    }
    list.setTop(top)
    let order = (0..<UInt32(rows.count)).map(ObjectRef.init(rawValue:))
    let bytes = try Flattening(order: order, numbers: Array(0..<Int32(rows.count))).write(list)
    try self.init(bytes, limits: limits)
  }
}
