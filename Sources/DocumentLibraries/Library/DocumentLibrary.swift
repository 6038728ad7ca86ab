// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat
import Synchronization

/// A folder of documents, each a numbered folder of its own: `7.recipe` with its `Data.plist` and attachments.
///
/// A document is there whole or not at all, and what was saved stays saved, whatever happens to the program or the machine
/// in between. Several processes may use one library at a time: each new document gets a number of its own, changes to one
/// document happen one after the other, and nobody ever sees half of one.
///
/// New and changed files are made in the hidden folder `.work` and moved to their place in one step; what a crash leaves
/// there is removed when the library is opened next. The hidden folder `.trash` keeps what was moved there.
///
/// Nothing in a folder leads out of it: symbolic links are not followed, and names that are no document's are reported by
/// ``contents()`` and otherwise left alone.
public final class DocumentLibrary<Model: DocumentModel>: Sendable {
  /// Where the documents are.
  public let storage: any DocumentStorage
  /// How much is read at most.
  public let limits: LibraryLimits
  let steps: StorageSteps
  let watch = Mutex(LibraryWatch())

  /// Opens a library in a storage and removes what a crash left behind, unless told not to.
  /// - Parameters:
  ///   - storage: the place.
  ///   - limits: how much is read at most.
  ///   - creating: whether the folder, and those it is in, are made if they are not there.
  ///   - sweeping: whether what a crash left behind is removed, or put back; say no for a library that is somebody else's
  ///     and must stay as it is, as long as it is only read.
  /// - Throws: ``LibraryError``: ``LibraryError/Code/notFound`` if there is no folder and none is to be made.
  public init(
    in storage: any DocumentStorage, limits: LibraryLimits = .default, creating: Bool = true, sweeping: Bool = true
  ) throws(LibraryError) {
    self.storage = storage
    self.limits = limits
    steps = StorageSteps(storage: storage)
    do {
      if creating { try steps.step { () throws(StorageError) in try storage.makeRoot() } }
      guard try steps.status(of: .root)?.kind == .folder else {
        throw LibraryError(
          .notFound, storage.url(of: .root).path, "there is no folder", remedy: "Make it, or name another one")
      }
    } catch let error as StorageError {
      throw LibraryError(error, .cannotCreate, in: storage)
    } catch let error as LibraryError {
      throw error
    } catch {
      throw LibraryError(.cannotCreate, storage.url(of: .root).path, "\(error)")
    }
    // What cannot be removed now can be next time; it stands in nobody's way.
    if sweeping { _ = try? sweep() }
  }

  /// Opens a library in a folder on the disk and removes what a crash left behind, unless told not to.
  /// - Throws: as ``init(in:limits:creating:sweeping:)``.
  public convenience init(
    at folder: URL, limits: LibraryLimits = .default, creating: Bool = true, sweeping: Bool = true
  ) throws(LibraryError) {
    try self.init(in: DiskStorage(folder), limits: limits, creating: creating, sweeping: sweeping)
  }

  /// The folder that the documents are in.
  public var folder: URL { storage.url(of: .root) }

  /// The document with a number.
  ///
  /// Costs the same however many there are, and reads nothing of the document.
  /// - Throws: ``LibraryError`` with code ``LibraryError/Code/notFound`` if there is none.
  public func document(_ number: DocumentNumber) throws(LibraryError) -> Document<Model> {
    Document(self, number, try folderName(of: number))
  }

  /// Makes a document and saves it: it appears whole, with the number after the largest one.
  /// - Throws: ``LibraryError``, and what the model's own checks throw.
  @discardableResult
  public func addDocument(_ model: Model, attachments: [String: Data] = [:]) throws -> Document<Model> {
    let document = Document(in: self, model, attachments: attachments)
    try document.save()
    return document
  }

  /// The name of a document's folder, as it is on the disk.
  func folderName(of number: DocumentNumber) throws(LibraryError) -> StorageName {
    let canonical = FolderName.name(for: number, extension: Model.folderExtension)
    var status = try reading { () throws(StorageError) in try steps.status(of: .root / canonical) }
    var name = canonical
    if status == nil {
      // Perhaps it is written in other letters, as old versions of an app may have done.
      guard let other = try contents().otherNames[number] else {
        throw LibraryError(
          .notFound, storage.url(of: .root / canonical).path, "there is no document \(number)",
          remedy: "List the library for the numbers it has")
      }
      name = other
      status = try reading { () throws(StorageError) in try steps.status(of: .root / other) }
    }
    guard status?.kind == .folder else {
      throw LibraryError(
        .notADocument, storage.url(of: .root / name).path,
        status?.kind == .link ? "it is a symbolic link, which is not followed" : "it is no folder",
        remedy: "Put the folder itself there, or give it another name")
    }
    return name
  }

  func reading<Result>(_ body: () throws(StorageError) -> Result) throws(LibraryError) -> Result {
    do {
      return try body()
    } catch {
      throw LibraryError(error, .cannotRead, in: storage)
    }
  }
}
