// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
package import KeyedArchiving
import PropertyListFormat

/// An error of a library or of one of its documents.
///
/// Programs use ``code``. ``path``, ``detail`` and ``remedy`` are for people. Two errors are equal if their codes and
/// paths are equal.
public struct LibraryError: Error, Sendable {
  /// The kind of an error. A `switch` over codes needs a `default`, because new codes may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable, machine-readable name of the code.
    public let name: String

    /// Creates a code. A model can define additional codes.
    /// - Parameter name: The stable name.
    public init(_ name: String) { self.name = name }

    /// The stable name of the code.
    public var description: String { name }

    /// The document or the library does not exist.
    public static let notFound = Code("notFound")
    /// A file or folder cannot be created.
    public static let cannotCreate = Code("cannotCreate")
    /// A file or folder cannot be read.
    public static let cannotRead = Code("cannotRead")
    /// A file or folder cannot be written.
    public static let cannotWrite = Code("cannotWrite")
    /// A file or folder cannot be deleted.
    public static let cannotDelete = Code("cannotDelete")
    /// The disk is full.
    public static let diskFull = Code("diskFull")
    /// The system denies permission.
    public static let noPermission = Code("noPermission")
    /// The document has no data file.
    public static let missingDataFile = Code("missingDataFile")
    /// The data file is not an archive, or is damaged.
    public static let unreadableArchive = Code("unreadableArchive")
    /// The data file holds an object of another class.
    public static let wrongClass = Code("wrongClass")
    /// The model does not accept a value.
    public static let invalidValue = Code("invalidValue")
    /// The bytes are not an image, or are damaged.
    public static let notAnImage = Code("notAnImage")
    /// A limit of ``LibraryLimits`` is reached.
    public static let limitReached = Code("limitReached")
    /// An entry has the name of a document but is, for example, a file or a link.
    public static let notADocument = Code("notADocument")
    /// No number is left after the largest one.
    public static let numbersExhausted = Code("numbersExhausted")
    /// A newer version of the program wrote the document. It is never overwritten.
    public static let newerVersion = Code("newerVersion")
    /// A step of the model's ``DocumentModel/migrations`` failed, or leads to a version that the model does not have.
    public static let migrationFailed = Code("migrationFailed")
    /// The document was deleted.
    public static let deleted = Code("deleted")
    /// The document is not saved yet.
    public static let notSaved = Code("notSaved")
    /// Another process, or another object of the document, changed the document since it was read. Or a repair with new values
    /// found a valid data file.
    public static let changedElsewhere = Code("changedElsewhere")
    /// A thread used a document inside of a change of that document.
    public static let nestedChange = Code("nestedChange")
    /// Another process or thread has kept the document locked for longer than ``LibraryLimits/patience``.
    public static let busy = Code("busy")
    /// A crash displaced the document during a change. Opening the library restores it.
    public static let displaced = Code("displaced")
    /// An update of several documents is saved, but not yet in all of them. The next opening of the library completes it.
    public static let incompleteUpdate = Code("incompleteUpdate")
    /// Another program has changed or removed documents during an update of several documents. All others are saved.
    public static let partialUpdate = Code("partialUpdate")
    /// The document has no former save, or its files were changed since.
    public static let noFormerSave = Code("noFormerSave")
    /// A file with documents is damaged or has invalid content.
    public static let badContainer = Code("badContainer")
  }

  /// The kind of the error.
  public var code: Code
  /// The file or folder.
  public var path: String
  /// The human-readable description: what was found and what was expected.
  public var detail: String
  /// The human-readable remedy.
  public var remedy: String?
  /// The underlying error, if any.
  public var underlying: (any Error)?

  /// Creates an error.
  /// - Parameters:
  ///   - code: The kind of the error.
  ///   - path: The file or folder.
  ///   - detail: What was found, and what was expected.
  ///   - remedy: How to fix it, as an imperative sentence.
  ///   - underlying: The underlying error.
  public init(
    _ code: Code, _ path: String, _ detail: String, remedy: String? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.path = path
    self.detail = detail
    self.remedy = remedy
    self.underlying = underlying
  }
}

extension LibraryError: Equatable {
  /// Compares the codes and the paths of two errors.
  /// - Parameters:
  ///   - a: An error.
  ///   - b: Another error.
  /// - Returns: `true` if the codes and the paths are equal.
  public static func == (a: Self, b: Self) -> Bool { a.code == b.code && a.path == b.path }
}

extension LibraryError: CustomStringConvertible, LocalizedError {
  /// The path, the description and the remedy.
  public var description: String { ["\(path): \(detail)", remedy].compactMap(\.self).joined(separator: ". ") }

  /// The text of ``description``.
  public var errorDescription: String? { description }
}

extension LibraryError {
  /// Creates the error for a failed call of a storage.
  init(_ error: StorageError, _ code: Code, in storage: any DocumentStorage) {
    let path = storage.url(of: error.path).path
    let (meaning, remedy): (Code, String?) =
      switch error.reason {
      case .noSpace: (.diskFull, "Free space on the disk; all saved documents are intact")
      case .busy: (.busy, "Find the process that has the folder open, or raise LibraryLimits.patience")
      case .noPermission: (.noPermission, "Allow yourself to read and write it")
      case .readOnly: (.noPermission, "Copy the library to a disk that is not read-only")
      case .link: (.notADocument, "Replace the link with the file or folder itself")
      case .tooLarge: (.limitReached, "If you trust the file, raise LibraryLimits")
      case .exhausted: (.numbersExhausted, "Rename the folder with the largest number to a smaller one")
      case .notAFolder: (code, "Move the other file away")
      case .notAFile: (code, "Move it away, because a file belongs there")
      case .fileSizeLimit: (code, "Raise the process's limit, for example with 'ulimit -f', or use another disk")
      case .tooManyOpen: (code, "Close files, or raise the limit of open files")
      default: (code, nil)
      }
    self.init(
      meaning, path, "\(error.call.words) failed: \(error.reason)", remedy: remedy, underlying: error)
  }

  /// Creates the error for a file that exceeds a limit.
  /// - Parameters:
  ///   - path: The file.
  ///   - byteCount: The size of the file; nil if it is not known.
  ///   - limit: The maximum number of bytes.
  ///   - name: The property of ``LibraryLimits`` that has the limit.
  init(tooLarge path: String, found byteCount: Int? = nil, expected limit: Int, _ name: StaticString) {
    let found = byteCount.map { "found \($0) bytes; " } ?? ""
    self.init(
      .limitReached, path, "file too large: \(found)expected at most \(limit)\(byteCount == nil ? " bytes" : "")",
      remedy: "If you trust the file, raise LibraryLimits.\(name)")
  }

  /// Creates the error for a document without data file.
  /// - Parameters:
  ///   - path: The path of the missing file.
  ///   - remedy: How to fix it, as an imperative sentence.
  package init(
    missingDataFile path: String, remedy: String = "Restore the file from a backup, or save new values"
  ) {
    self.init(.missingDataFile, path, "the document has no data file", remedy: remedy)
  }

  /// A Boolean value that indicates whether a data file exists but its content is invalid.
  var isAboutContent: Bool {
    switch code {
    case .unreadableArchive, .wrongClass, .limitReached, .notADocument, .migrationFailed: true
    case .cannotRead: (underlying as? StorageError)?.reason == .notAFile
    default: false
    }
  }

  /// Creates the error for an unreadable archive.
  package init(_ error: KeyedArchiveError, at path: String) {
    let code: Code =
      switch error.code {
      case .classNotAllowed: .wrongClass
      case .limitReached: .limitReached
      default: .unreadableArchive
      }
    let remedy =
      code == .unreadableArchive
      ? "Restore an older copy of the file, or delete the document; no save overwrites it by default" : error.remedy
    self.init(code, path, error.located, remedy: remedy, underlying: error)
  }
}

/// A defect of a document that did not prevent reading it.
public struct DocumentWarning: Hashable, Sendable, CustomStringConvertible {
  /// The stable, machine-readable name of the defect.
  public var code: String
  /// The human-readable description.
  public var detail: String

  /// Compares two warnings.
  /// - Parameters:
  ///   - a: A warning.
  ///   - b: Another warning.
  /// - Returns: `true` if all properties are equal. Strings are compared bytewise.
  public static func == (a: Self, b: Self) -> Bool { a.code == b.code && a.detail == b.detail }

  /// Hashes all properties.
  /// - Parameter hasher: Receives the hashed values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(detail)
  }

  /// Creates a warning.
  /// - Parameters:
  ///   - code: The stable name of the defect.
  ///   - detail: The description.
  public init(_ code: String, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  /// The description.
  public var description: String { detail }
}
