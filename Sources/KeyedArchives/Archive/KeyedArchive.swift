// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving
@_spi(Archiving) public import PropertyListFormat

/// A keyed archive as data: its graph of objects, to be looked at and edited without the classes that wrote it.
///
/// ```swift
/// let archive = try KeyedArchive(contentsOf: file)
/// let title = archive.root["creatures"][3]["Title"].string
/// ```
///
/// Opening checks the envelope only; an object is decoded when it is looked at, so a few of a million cost no more than
/// themselves. An archive that was read is written back byte for byte; an edited one keeps everything that was not
/// touched, whoever wrote it and whatever its classes.
public struct KeyedArchive: Sendable {
  package var list: PropertyList
  /// The rows of the elements of `$objects`, once one was added.
  package var editedRows: [ObjectRef]?
  /// The rows of key strings that edits added.
  var addedKeys: [BytewiseString: ObjectRef] = [:]
  /// The class records that edits looked for.
  var classIndex = ClassIndex()
  /// What edits may still copy of objects in the file.
  var editRoom: ExpansionBudget
  /// The value of `$archiver`: the class that wrote the archive.
  public let archiverName: String
  let envelope: ArchiveEnvelope
  package let topRow: ObjectRef
  package let objectsRow: ObjectRef
  /// The long keys that were read, and what nodes may still read.
  let reading: ArchiveReading

  /// Opens an archive in either format.
  /// - Parameters:
  ///   - data: the archive.
  ///   - limits: how much may be spent on it.
  ///   - archivers: which `$archiver` names are accepted.
  /// - Throws: `KeyedArchiveError` for data that is no keyed archive.
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

  /// Opens a file, which is read into memory and not mapped.
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

  /// Takes a property list for an archive.
  /// - Throws: `KeyedArchiveError` if it is none.
  public init(_ list: PropertyList, archivers: AcceptedArchivers = .known) throws(KeyedArchiveError) {
    var list = list
    do {
      if list.isEdited { list = try PropertyList(list.data(), limits: list.limits) }
    } catch {
      throw KeyedArchiveError(error)
    }
    let envelope = try ArchiveEnvelope(of: list)
    try archivers.check(envelope.archiverName)
    guard let topRow = envelope.rows[.top], let objectsRow = envelope.rows[.objects] else {
      throw KeyedArchiveError(.notAnArchive, "the outermost dictionary lacks '$top' or '$objects'")
    }
    self.list = list
    self.envelope = envelope
    self.topRow = topRow
    self.objectsRow = objectsRow
    archiverName = envelope.archiverName
    reading = ArchiveReading(list)
    editRoom = ExpansionBudget(byteCount: list.bytes.count, limits: list.limits)
  }

  /// The format that was read, and in which ``data(format:)`` writes unless told otherwise.
  public var format: PropertyList.Format { list.format }

  /// The property list that the archive is.
  public var propertyList: PropertyList {
    guard let editedRows else { return list }
    var list = list
    list.replace(objectsRow, with: .array(editedRows))
    return list
  }

  /// The archive's bytes; those that were read if nothing was changed.
  /// - Throws: `KeyedArchiveError` when a damaged object is met on the way.
  public func data(format: PropertyList.Format? = nil) throws(KeyedArchiveError) -> Data {
    do {
      return try propertyList.data(format: format)
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  /// Writes the archive to a file, which is there in its old form or in its new one whatever happens meanwhile.
  /// - Parameters:
  ///   - url: the file.
  ///   - format: the format to write, the one that was read unless given.
  /// - Throws: `KeyedArchiveError`, with code `KeyedArchiveError.Code.fileAccess` if the file cannot be written.
  public func write(to url: URL, format: PropertyList.Format? = nil) throws(KeyedArchiveError) {
    do {
      try propertyList.write(to: url, format: format)
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  /// How many elements `$objects` has.
  public var objectCount: Int { editedRows?.count ?? envelope.objects.count }

  /// The row of an element of `$objects`.
  package func row(of uid: ArchiveUID) throws(KeyedArchiveError) -> ObjectRef {
    guard uid.index < objectCount else {
      throw KeyedArchiveError(
        .damagedArchive, "a reference to object \(uid), where '$objects' holds \(objectCount)", uid: uid)
    }
    if let editedRows { return editedRows[uid.index] }
    do {
      return try list.table.element(uid.index, of: envelope.objects, in: list.bytes.span)
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  /// What is in a row of the property list.
  package func stored(_ row: ObjectRef) throws(KeyedArchiveError) -> PropertyListObject {
    do {
      return try list.object(row)
    } catch {
      throw KeyedArchiveError(error)
    }
  }
}
