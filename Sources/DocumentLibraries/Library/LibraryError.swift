// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
package import KeyedArchiving
import PropertyListFormat

/// Why something could not be done with a library or one of its documents.
///
/// Match on ``code``; the rest says where it happened and what to do. Two errors are equal when code and path are;
/// ``detail`` and ``remedy`` are for people and are not compared.
public struct LibraryError: Error, Sendable {
  /// What went wrong. New codes may be added, so a `switch` over codes needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name of the code, as machine-readable output prints it.
    public let name: String

    /// Makes a code; for models with mistakes of their own.
    public init(_ name: String) { self.name = name }

    /// The stable name of the code.
    public var description: String { name }

    /// There is no document with this number, or no library at this place.
    public static let notFound = Code("notFound")
    /// Something could not be made.
    public static let cannotCreate = Code("cannotCreate")
    /// Something could not be read.
    public static let cannotRead = Code("cannotRead")
    /// Something could not be written.
    public static let cannotWrite = Code("cannotWrite")
    /// Something could not be deleted.
    public static let cannotDelete = Code("cannotDelete")
    /// The disk is full.
    public static let diskFull = Code("diskFull")
    /// The system does not permit it.
    public static let noPermission = Code("noPermission")
    /// A document's folder lacks the data file.
    public static let missingDataFile = Code("missingDataFile")
    /// A data file that is no archive, or a damaged one.
    public static let unreadableArchive = Code("unreadableArchive")
    /// A data file holds an object of another class.
    public static let wrongClass = Code("wrongClass")
    /// A value that the model does not accept.
    public static let invalidValue = Code("invalidValue")
    /// Bytes that are no image, or a damaged one.
    public static let notAnImage = Code("notAnImage")
    /// A limit of ``LibraryLimits`` was reached.
    public static let limitReached = Code("limitReached")
    /// Something that is called like a document is none: a file, a link.
    public static let notADocument = Code("notADocument")
    /// There is no number after the largest one.
    public static let numbersExhausted = Code("numbersExhausted")
    /// The document was deleted.
    public static let deleted = Code("deleted")
    /// The document was not saved yet, so it has no place.
    public static let notSaved = Code("notSaved")
    /// Somebody else changed the document since it was read.
    public static let changedElsewhere = Code("changedElsewhere")
    /// A crash took the document out of its place on the way to a new content; it is put back when the library is opened
    /// and swept.
    public static let displaced = Code("displaced")
    /// A file that holds documents is damaged or holds what it should not.
    public static let badContainer = Code("badContainer")
  }

  /// What went wrong.
  public var code: Code
  /// The file or folder concerned.
  public var path: String
  /// What was expected and what was found, for people.
  public var detail: String
  /// What to do about it, for people.
  public var remedy: String?
  /// The error below this one, if there is one.
  public var underlying: (any Error)?

  /// Makes an error.
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
  /// Equal when code and path are.
  public static func == (a: Self, b: Self) -> Bool { a.code == b.code && a.path == b.path }
}

extension LibraryError: CustomStringConvertible, LocalizedError {
  /// Where, what, and what to do.
  public var description: String { ["\(path): \(detail)", remedy].compactMap(\.self).joined(separator: ". ") }

  /// The same text as ``description``.
  public var errorDescription: String? { description }
}

extension LibraryError {
  /// What a failed step of a storage means.
  init(_ error: StorageError, _ code: Code, in storage: any DocumentStorage) {
    let path = storage.url(of: error.path).path
    let (meaning, remedy): (Code, String?) =
      switch error.reason {
      case .noSpace: (.diskFull, "Make room on the disk; nothing that was saved before is lost")
      case .noPermission: (.noPermission, "Give yourself permission to read and write there")
      case .readOnly: (.noPermission, "The disk is read-only; copy the library to another one")
      case .link: (.notADocument, "Put the thing itself in the place of the link")
      case .tooLarge: (.limitReached, "Raise LibraryLimits")
      case .exhausted:
        (.numbersExhausted, "Give the folder with the largest number a smaller one")
      case .notAFolder: (code, "Move what stands there out of the way: the place is a folder's")
      case .tooManyOpen: (code, "Close some files or raise the limit of open files")
      default: (code, nil)
      }
    self.init(
      meaning, path, "\(error.call.words) failed: \(error.reason)", remedy: remedy, underlying: error)
  }

  /// Whether a data file is there and cannot be read because of what it is.
  var isAboutContent: Bool {
    switch code {
    case .unreadableArchive, .wrongClass, .limitReached, .notADocument: true
    case .cannotRead: (underlying as? StorageError)?.reason == .notAFile
    default: false
    }
  }

  /// What an archive that cannot be read means.
  package init(_ error: KeyedArchiveError, at path: String) {
    let code: Code =
      switch error.code {
      case .classNotAllowed: .wrongClass
      case .limitReached: .limitReached
      default: .unreadableArchive
      }
    let remedy =
      code == .unreadableArchive
      ? "Put an older copy of the file in its place, or delete the document; nothing overwrites it unasked" : nil
    self.init(code, path, "\(error)", remedy: remedy, underlying: error)
  }
}

/// Something about a document that is not as it should be and did not stand in the way.
public struct DocumentWarning: Hashable, Sendable, CustomStringConvertible {
  /// The stable name of what it is, as machine-readable output prints it.
  public var code: String
  /// What it is, for people.
  public var detail: String

  /// Equal if all properties are; texts are compared by their bytes.
  public static func == (a: Self, b: Self) -> Bool { a.code == b.code && a.detail == b.detail }

  /// Hashes all properties.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(detail)
  }

  /// Makes a warning.
  public init(_ code: String, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  /// What it is.
  public var description: String { detail }
}
