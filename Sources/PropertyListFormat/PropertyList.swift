// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A property list as its file holds it: a table of objects that refer to each other by row, and the row on top.
///
/// A binary file is opened by checking its header and trailer; each object is checked and decoded when it is asked for.
/// An XML file is parsed whole and held in the same form. A list that was not changed is written back byte for byte.
///
/// ```swift
/// let list = try PropertyList(data)
/// if case .dictionary(let keys, let values) = try list.object(list.top) { … }
/// ```
public struct PropertyList: Sendable {
  /// The two file formats.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// `bplist00`.
    case binary
    /// The XML format with the `plist` document type.
    case xml
  }

  /// The format that was read, and in which ``data(format:)`` writes unless another is asked for.
  public let format: Format
  /// The row of the outermost object.
  public private(set) var top: ObjectRef
  /// The limits it was read under.
  public let limits: ReadLimits

  /// The file as it was read, when its format is ``Format-swift.enum/binary``; else the parsed list in that format.
  package let bytes: Data
  package let table: BinaryTable
  /// The XML file as it was read.
  private let xml: Data?
  /// What an XML file that is written begins with: as the one that was read, else as Apple's programs write today.
  package var documentType = XMLDocumentType.apple
  private(set) var replaced: [ObjectRef: PropertyListObject] = [:]
  private var added: [PropertyListObject] = []
  /// Whether anything differs from the bytes that were read.
  public private(set) var isEdited = false
  /// About what the objects took in memory that were put there after the list was read.
  package private(set) var editedWeight = 0

  /// Opens a property list in either format.
  /// - Throws: ``PropertyListError`` for bytes that are neither, that are damaged, or that exceed `limits`.
  public init(_ data: Data, limits: ReadLimits = .default) throws(PropertyListError) {
    self.limits = limits
    if BinaryTable.recognizes(data.span) {
      format = .binary
      bytes = data
      xml = nil
    } else {
      var reader = try XMLReader(data, limits: limits)
      format = .xml
      bytes = try reader.read()
      xml = data
      documentType = XMLDocumentType(of: data.span)
    }
    table = try BinaryTable(parsing: bytes.span, limits: limits)
    top = table.top
  }

  /// Opens a file.
  ///
  /// The file is read into memory and not mapped: if another program cut a mapped file off, the next access to its lost
  /// part would end the process.
  /// - Throws: ``PropertyListError`` with code ``PropertyListError/Code/fileAccess``, or as ``init(_:limits:)``.
  public init(contentsOf url: URL, limits: ReadLimits = .default) throws(PropertyListError) {
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch {
      throw PropertyListError.unreadable(url, error)
    }
    try self.init(data, limits: limits)
  }

  /// A list of one object, to be filled by ``append(_:)`` and ``replace(_:with:)``.
  package init(top object: PropertyListObject) throws(PropertyListError) {
    var writer = BinaryWriter(objectCount: 1, byteCount: 64)
    writer.putNull()
    try self.init(writer.finish(top: 0))
    replace(top, with: object)
  }

  /// How many rows the table has, with those nothing refers to.
  public var objectCount: Int { table.objectCount + added.count }

  /// The object in row `ref`.
  /// - Throws: ``PropertyListError`` when the row does not exist or its bytes are damaged.
  public func object(_ ref: ObjectRef) throws(PropertyListError) -> PropertyListObject {
    if isEdited {
      if let object = replaced[ref] { return object }
      if ref.index >= table.objectCount {
        let row = ref.index - table.objectCount
        guard row < added.count else {
          throw PropertyListError(.badReference, "no \(ref) in a list of \(objectCount)")
        }
        return added[row]
      }
    }
    return try table.object(ref, in: bytes.span)
  }

  /// All objects, each read once.
  /// - Throws: ``PropertyListError`` when a row's bytes are damaged, or when rows that overlap in the file would hold more
  ///   than ``ReadLimits/maximumExpansion`` times the file's size.
  public func tree() throws(PropertyListError) -> PropertyListTree { try PropertyListTree(self) }

  /// Puts another object in row `ref`, which must exist.
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

  /// Adds a row and returns it.
  public mutating func append(_ object: PropertyListObject) -> ObjectRef {
    isEdited = true
    editedWeight += object.weight
    added.append(object)
    return ObjectRef(rawValue: UInt32(objectCount - 1))
  }

  /// Makes `ref`, which must exist, the outermost object.
  public mutating func setTop(_ ref: ObjectRef) {
    precondition(ref.index < objectCount, "no \(ref) in a list of \(objectCount)")
    isEdited = true
    top = ref
  }

  /// The object in row `ref` as it lies in the bytes, unless an edit put another there.
  package func storedItem(_ ref: ObjectRef) throws(PropertyListError) -> BinaryItem? {
    if isEdited, ref.index >= table.objectCount || replaced[ref] != nil { return nil }
    return try table.item(ref, in: bytes.span)
  }

  /// One element of an array, for which the others are not read.
  package enum ArrayElement {
    /// The row is no array.
    case notAnArray
    /// The array has no such element.
    case absent
    case row(ObjectRef)
  }

  /// The element at a place of the array in row `ref`.
  package func element(_ place: Int, ofArray ref: ObjectRef) throws(PropertyListError) -> ArrayElement {
    if let item = try storedItem(ref) {
      guard item.kind == .array else { return .notAnArray }
      guard place >= 0, place < item.count else { return .absent }
      return .row(try table.element(place, of: item, in: bytes.span))
    }
    guard case .array(let rows) = try object(ref) else { return .notAnArray }
    return rows.indices.contains(place) ? .row(rows[place]) : .absent
  }

  /// The file: the bytes that were read if nothing was changed, else what ``rewritten(as:)`` gives.
  /// - Parameter format: the format to write, the one that was read unless given.
  /// - Returns: the file's bytes.
  /// - Throws: ``PropertyListError`` when a damaged object is met on the way or `format` cannot hold the list.
  public func data(format: Format? = nil) throws(PropertyListError) -> Data {
    let wanted = format ?? self.format
    if !isEdited, wanted == self.format { return xml ?? bytes }
    return try rewritten(as: wanted)
  }

  /// The file written anew from the objects alone, even if nothing was changed.
  ///
  /// For a file by an Apple writer this gives the same bytes again; it is how that is proved.
  /// - Throws: as ``data(format:)``.
  public func rewritten(as format: Format? = nil) throws(PropertyListError) -> Data {
    switch format ?? self.format {
    case .binary: try flattened().write(self)
    case .xml: try XMLWriter.write(self, documentType: documentType)
    }
  }
}
