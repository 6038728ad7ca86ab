// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import ArchiveTools
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving
public import PropertyListFormat

/// A type for the values of a library's documents. It also names their folders and files.
///
/// ```swift
/// struct Recipe: Codable, DocumentModel {
///   static let folderExtension = "recipe"           // 1.recipe, 2.recipe, …
///   static let attachmentNames = ["photo.jpg"]
///
///   var title = ""
///   var steps: [String] = []
/// }
/// let recipes = try DocumentLibrary<Recipe>(at: folder)
/// ```
///
/// A Codable type is archived as by `KeyedArchiveEncoder`. A type that is not Codable, or that needs other keys or forms,
/// implements `encode(with:)` and `init(coder:)`.
public protocol DocumentModel: SecureKeyedCoding, Sendable {
  /// The extension of a document's folder, in lower case and without the dot.
  static var folderExtension: String { get }
  /// The name of the archive in the folder. The default is `Data.plist`.
  static var dataFileName: String { get }
  /// The names of the attachments. The default is an empty array.
  ///
  /// Names of more than 218 bytes are too long for ``DocumentLibrary/update(_:)`` on most disks: it writes files whose names
  /// have up to 37 bytes more.
  static var attachmentNames: [String] { get }
  /// The keys of former versions with their successors. A former key is not kept beside its successor.
  static var formerKeys: [String: String] { get }
  /// The top-level keys of former versions. They apply to archives without `root`.
  static var formerTopKeys: [String] { get }
  /// The version of the model's archives, at least 1. The default is 1. Raise it if older programs must not change new
  /// documents, because they would lose or misunderstand values.
  ///
  /// A version above 1 is the integer `documentVersion` of the archive's `$top`, beside `root`. An archive without it has
  /// version 1. A document of a newer version is not read, and never overwritten.
  static var version: Int { get }
  /// The steps from older versions to ``version``. The default is an empty array.
  static var migrations: [DocumentMigration] { get }
  /// The rules that migrate a data file of a former version. Without rules, the decoded values are archived again, with
  /// the unknown keys of the old file.
  static var migrationRules: MigrationRules? { get }

  /// Reads a data file. The default decodes securely: only this type and the types that it decodes are allowed.
  /// - Parameters:
  ///   - data: The file's bytes.
  ///   - limits: The limits for decoding.
  /// - Returns: The values, with information about the file.
  /// - Throws: An error if the file is unreadable.
  static func stored(in data: Data, limits: ReadLimits) throws -> StoredModel<Self>

  /// Throws an error if the values must not be saved. The default accepts all values.
  /// - Parameter old: The stored values, if any. An invalid value that is stored already need not prevent other
  ///   changes.
  /// - Throws: The reason. A ``LibraryError`` without a path gets the document's path.
  func check(replacing old: Self?) throws

  /// Adds dependent changes to a change of attachments, and rejects invalid attachments. The default does nothing.
  /// - Parameter change: The change.
  /// - Throws: The reason for a rejection.
  static func complete(_ change: inout DocumentChange) throws
}

extension DocumentModel {
  /// The default name, `Data.plist`.
  public static var dataFileName: String { "Data.plist" }
  /// The default: no attachments.
  public static var attachmentNames: [String] { [] }
  /// The default: no former keys.
  public static var formerKeys: [String: String] { [:] }
  /// The default: no former top-level keys.
  public static var formerTopKeys: [String] { [] }
  /// The default: version 1.
  public static var version: Int { 1 }
  /// The default: no steps.
  public static var migrations: [DocumentMigration] { [] }
  /// The default: no rules.
  public static var migrationRules: MigrationRules? { nil }

  /// Decodes a data file securely: only this type and the types that it decodes are allowed.
  /// - Parameters:
  ///   - data: The file's bytes.
  ///   - limits: The limits for decoding.
  /// - Returns: The values.
  /// - Throws: `KeyedArchiveError` if the file is unreadable.
  public static func stored(in data: Data, limits: ReadLimits) throws -> StoredModel<Self> {
    guard let model = try KeyedUnarchiver.unarchivedObject(ofClass: Self.self, from: data, limits: limits) else {
      throw KeyedArchiveError(.valueNotFound, "the archive holds nil", keyPath: KeyedArchiver.rootKey)
    }
    return StoredModel(model)
  }

  /// Accepts all values.
  /// - Parameter old: The stored values, if any.
  /// - Throws: The default implementation throws no error.
  public func check(replacing old: Self?) throws {}

  /// Changes nothing.
  /// - Parameter change: The change.
  /// - Throws: The default implementation throws no error.
  public static func complete(_ change: inout DocumentChange) throws {}
}

extension DocumentModel {
  /// Checks values, and adds the path to an error without one.
  package func check(replacing old: Self?, at path: String) throws {
    do {
      try check(replacing: old)
    } catch let error as LibraryError {
      throw LibraryError.located(error, at: path)
    }
  }
}

/// The content of a data file.
public struct StoredModel<Model: Sendable>: Sendable {
  /// The values.
  public var model: Model
  /// The defects that did not prevent reading the file.
  public var warnings: [DocumentWarning]
  /// The name of the file's layout.
  public var layout: String
  /// A Boolean value that indicates whether the file has the current layout.
  public var isCurrent: Bool

  /// Creates a result of reading a data file.
  /// - Parameters:
  ///   - model: The values.
  ///   - warnings: The defects that did not prevent reading the file.
  ///   - layout: The name of the file's layout.
  ///   - isCurrent: Whether the file has the current layout.
  public init(_ model: Model, warnings: [DocumentWarning] = [], layout: String = "secure", isCurrent: Bool = true) {
    self.model = model
    self.warnings = warnings
    self.layout = layout
    self.isCurrent = isCurrent
  }
}

/// An atomic change of a document's attachments.
public struct DocumentChange: Sendable {
  /// The new content by name; nil removes the file.
  public var attachments: [String: Data?]
  /// The path of the document to report in errors; empty for a new document.
  public let path: String

  /// Creates a change.
  /// - Parameters:
  ///   - attachments: The new content by name; nil removes the file.
  ///   - path: The path of the document to report in errors.
  public init(attachments: [String: Data?] = [:], path: String = "") {
    self.attachments = attachments
    self.path = path
  }
}
