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

/// What a library's documents hold, and how their folders and files are called.
///
/// ```swift
/// struct Recipe: DocumentModel {
///   static let folderExtension = "recipe"           // 1.recipe, 2.recipe, …
///   static let attachmentNames = ["photo.jpg"]
///
///   var name = ""
///   var steps: [String] = []
///
///   func encode(with coder: KeyedArchiver) {
///     coder.encode(name, forKey: "Name")
///     coder.encode(steps, forKey: "Steps")
///   }
///   init?(coder: KeyedUnarchiver) {
///     guard let name = coder.decodeObject(of: String.self, forKey: "Name") else { return nil }
///     self.name = name
///     steps = coder.decodeObject(of: [String].self, forKey: "Steps") ?? []
///   }
/// }
/// let recipes = try DocumentLibrary<Recipe>(at: folder)
/// ```
public protocol DocumentModel: SecureKeyedCoding, Sendable {
  /// The extension of a document's folder, in lower case and without the dot.
  static var folderExtension: String { get }
  /// The name of the archive in the folder; `Data.plist` unless given.
  static var dataFileName: String { get }
  /// The names of the files that may stand beside the archive; none unless given.
  static var attachmentNames: [String] { get }
  /// Keys of former versions with the keys that took their place: such a key is not kept beside its successor.
  static var formerKeys: [String: String] { get }
  /// Top-level keys under which former versions archived the values, for files without `root`.
  static var formerTopKeys: [String] { get }
  /// What makes a data file of today of one that a former version wrote. None unless given: then what the model read is
  /// archived anew, with what it does not know.
  static var migrationRules: MigrationRules? { get }

  /// Reads a data file. Unless given, securely: only this type and what it decodes may be in it.
  static func stored(in data: Data, limits: ReadLimits) throws -> StoredModel<Self>

  /// Refuses values that must not be saved. Unless given, everything may be.
  /// - Parameter old: what is stored now, if anything: a mistake that is there already need not stop other changes.
  /// - Throws: what is wrong with the values; a ``LibraryError`` without a path gets the document's.
  func check(replacing old: Self?) throws

  /// Adds to a change what follows from it, and refuses attachments that are not as they should be. Unless given,
  /// nothing happens.
  static func complete(_ change: inout DocumentChange) throws
}

extension DocumentModel {
  /// `Data.plist`.
  public static var dataFileName: String { "Data.plist" }
  /// No attachments.
  public static var attachmentNames: [String] { [] }
  /// No former keys.
  public static var formerKeys: [String: String] { [:] }
  /// No former top-level keys.
  public static var formerTopKeys: [String] { [] }
  /// No rules.
  public static var migrationRules: MigrationRules? { nil }

  /// Reads a data file securely: only this type and what it decodes may be in it.
  public static func stored(in data: Data, limits: ReadLimits) throws -> StoredModel<Self> {
    guard let model = try KeyedUnarchiver.unarchivedObject(ofClass: Self.self, from: data, limits: limits) else {
      throw KeyedArchiveError(.valueNotFound, "the archive holds nil", keyPath: KeyedArchiver.rootKey)
    }
    return StoredModel(model)
  }

  /// Refuses nothing.
  public func check(replacing old: Self?) throws {}

  /// Adds nothing.
  public static func complete(_ change: inout DocumentChange) throws {}
}

extension DocumentModel {
  /// Checks values, and says of which document they are if the check does not.
  package func check(replacing old: Self?, at path: String) throws {
    do {
      try check(replacing: old)
    } catch var error as LibraryError where error.path.isEmpty {
      error.path = path
      throw error
    }
  }
}

/// What was read from a data file.
public struct StoredModel<Model: Sendable>: Sendable {
  /// The values.
  public var model: Model
  /// What is not as it should be.
  public var warnings: [DocumentWarning]
  /// What the file's layout is called, and whether it is the one that is written now.
  public var layout: String
  /// Whether the file is as it would be written now.
  public var isCurrent: Bool

  /// Makes a result.
  public init(_ model: Model, warnings: [DocumentWarning] = [], layout: String = "secure", isCurrent: Bool = true) {
    self.model = model
    self.warnings = warnings
    self.layout = layout
    self.isCurrent = isCurrent
  }
}

/// What is to become of a document's attachments; all of it happens, or nothing.
public struct DocumentChange: Sendable {
  /// New content by name; nil removes the file.
  public var attachments: [String: Data?]
  /// Where the document is, for errors; empty if it is new.
  public let path: String

  /// Makes a change.
  public init(attachments: [String: Data?] = [:], path: String = "") {
    self.attachments = attachments
    self.path = path
  }
}
