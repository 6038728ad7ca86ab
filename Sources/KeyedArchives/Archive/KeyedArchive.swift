// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving
@_spi(Archiving) public import PropertyListFormat

/// A keyed archive as data: a graph of objects that you can inspect and edit without the classes that wrote it.
///
/// ```swift
/// let archive = try KeyedArchive(contentsOf: file)
/// let title = archive.root["creatures"][3]["Title"].string
/// ```
///
/// Opening an archive validates only its envelope. Objects are read when you access them, so a few objects of a million
/// cost no more than themselves. An unedited archive is written back byte for byte. An edited archive keeps everything
/// that was not edited, whatever its archiver and classes. In XML, the order of keys can change.
public struct KeyedArchive: Sendable {
  package var list: PropertyList
  /// The rows of the elements of `$objects`, if an edit changed them.
  package var editedRows: [ObjectRef]?
  /// The rows of the key strings that edits added.
  var addedKeys: [BytewiseString: ObjectRef] = [:]
  /// The rows of the long texts and data that edits added.
  var addedContents: [MemoryRange: ObjectRef] = [:]
  /// The class records found by edits.
  var classIndex = ClassIndex()
  /// The budget of edits, which copy objects of the file.
  var editBudget: ExpansionBudget
  /// The value of `$archiver`: the class that wrote the archive.
  public let archiverName: String
  let envelope: ArchiveEnvelope
  package let topRow: ObjectRef
  package let objectsRow: ObjectRef
  /// The caches and read limits that all copies share.
  let reading: ArchiveReading

  /// Opens an archive in either format.
  /// - Parameters:
  ///   - data: The archive.
  ///   - limits: The limits on memory and time.
  ///   - archivers: The accepted values of `$archiver`.
  /// - Throws: `KeyedArchiveError` if the data is not a keyed archive.
  public init(_ data: Data, limits: ReadLimits = .default, archivers: AcceptedArchivers = .known)
    throws(KeyedArchiveError)
  {
    let list: PropertyList
    do {
      list = try PropertyList(data, limits: limits)
    } catch {
      throw KeyedArchiveError(error, reading: data)
    }
    try self.init(list, archivers: archivers)
  }

  /// Opens a file. The file is read into memory and not mapped.
  /// - Parameters:
  ///   - url: The file.
  ///   - limits: The limits on memory and time.
  ///   - archivers: The accepted values of `$archiver`.
  /// - Throws: `KeyedArchiveError`, with code `KeyedArchiveError.Code.fileAccess` if the file cannot be read.
  public init(
    contentsOf url: URL, limits: ReadLimits = .default, archivers: AcceptedArchivers = .known
  ) throws(KeyedArchiveError) {
    let list: PropertyList
    do {
      list = try PropertyList(contentsOf: url, limits: limits)
    } catch {
      throw KeyedArchiveError(error)
    }
    try self.init(list, archivers: archivers)
  }

  /// Opens an archive that was read as a property list.
  /// - Parameters:
  ///   - list: The property list.
  ///   - archivers: The accepted values of `$archiver`.
  /// - Throws: `KeyedArchiveError` if the property list is not a keyed archive, or if it was edited and its format, XML,
  ///   cannot hold a value.
  public init(_ list: PropertyList, archivers: AcceptedArchivers = .known) throws(KeyedArchiveError) {
    var list = list
    do {
      if list.isEdited {
        if list.format == .xml, let loss = try XMLLoss(in: list) { throw loss.error }
        list = try PropertyList(list.data(), limits: list.limits)
      }
    } catch {
      throw KeyedArchiveError(wrapping: error)
    }
    let envelope = try ArchiveEnvelope(of: list)
    try archivers.check(envelope.archiverName)
    self.list = list
    self.envelope = envelope
    topRow = envelope.topRow
    objectsRow = envelope.objectsRow
    archiverName = envelope.archiverName
    reading = ArchiveReading(list)
    editBudget = ExpansionBudget(byteCount: Int64(list.byteCount), limits: list.limits)
  }

  /// The format that was read, which is also the default of ``data(format:)``.
  public var format: PropertyList.Format { list.format }

  /// The archive as a property list.
  public var propertyList: PropertyList {
    guard let editedRows else { return list }
    var list = list
    list.replace(objectsRow, with: .array(editedRows))
    return list
  }

  /// Returns the archive's bytes; those that were read if the archive was not edited.
  ///
  /// XML stores a `Float` as an equal `Double`, and integers of up to 64 bits in one form.
  /// - Parameter format: The format to write; the one that was read by default.
  /// - Returns: The bytes.
  /// - Throws: `KeyedArchiveError` if an object is damaged, or if XML cannot hold a value, such as the fraction of a second in
  ///   an inline date.
  public func data(format: PropertyList.Format? = nil) throws(KeyedArchiveError) -> Data {
    do {
      return try listToWrite(in: format).data(format: format)
    } catch {
      throw KeyedArchiveError(wrapping: error)
    }
  }

  /// Writes the archive to a file, which is replaced atomically. Values have the same form as in the result of
  /// ``data(format:)``.
  /// - Parameters:
  ///   - url: The file.
  ///   - format: The format to write; the one that was read by default.
  /// - Throws: `KeyedArchiveError`, with code `KeyedArchiveError.Code.fileAccess` if the file cannot be written, or if XML
  ///   cannot hold a value.
  public func write(to url: URL, format: PropertyList.Format? = nil) throws(KeyedArchiveError) {
    do {
      try listToWrite(in: format).write(to: url, format: format)
    } catch {
      throw KeyedArchiveError(wrapping: error)
    }
  }

  /// Returns the property list, unless the format would change a value.
  private func listToWrite(in format: PropertyList.Format?) throws(KeyedArchiveError) -> PropertyList {
    let list = propertyList
    if (format ?? self.format) == .xml, let loss = try XMLLoss(in: list) { throw loss.error }
    return list
  }

  /// The number of elements of `$objects`.
  public var objectCount: Int { editedRows?.count ?? envelope.objects.count }

  /// Returns the row of an element of `$objects`.
  package func row(of uid: ArchiveUID) throws(KeyedArchiveError) -> ObjectRef {
    guard uid.index < objectCount else {
      throw KeyedArchiveError.dangling(uid, objectCount: objectCount)
    }
    if let editedRows { return editedRows[uid.index] }
    do {
      return try list.element(uid.index, of: envelope.objects)
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  /// Returns the object in a row of the property list.
  package func stored(_ row: ObjectRef) throws(KeyedArchiveError) -> PropertyListObject {
    do {
      return try list.object(row)
    } catch {
      throw KeyedArchiveError(error)
    }
  }
}
