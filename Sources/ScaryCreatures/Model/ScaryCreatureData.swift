// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import ArchiveTools
public import DocumentLibraries
public import KeyedArchiving
public import PropertyListFormat

/// The values of a scary creature.
public struct ScaryCreatureData: Hashable, Sendable {
  /// The title.
  public var title: String
  /// The rating, from 0, which means not rated, to 5. Saving rejects other values.
  public var rating: Float

  /// Creates a creature.
  /// - Parameters:
  ///   - title: The title.
  ///   - rating: The rating.
  public init(title: String, rating: Float = 0) {
    self.title = title
    self.rating = rating
  }

  /// The valid ratings.
  public static let ratings: ClosedRange<Float> = 0...5

  /// The keys of the archive.
  public enum Keys: String, Sendable {
    /// The title.
    case title = "Title"
    /// The rating.
    case rating = "Rating"
  }
}

extension ScaryCreatureData: SecureKeyedCoding {
  /// The name that the tutorial's app archives, in any program.
  public static var archiveClassName: String { "ScaryCreatures.ScaryCreatureData" }

  /// Archives both values boxed, as readers with secure coding expect.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(title, forKey: Keys.title.rawValue)
    coder.encodeObject(rating, forKey: Keys.rating.rawValue)
  }

  /// Decodes a creature in the current layout; ``stored(in:limits:)`` reads older layouts.
  /// - Parameter coder: The unarchiver.
  public init?(coder: KeyedUnarchiver) {
    guard let title = coder.decodeObject(of: String.self, forKey: Keys.title.rawValue) else { return nil }
    self.init(title: title, rating: coder.decodeFloat(forKey: Keys.rating.rawValue))
  }
}

extension ScaryCreatureData: DocumentModel {
  /// The extension of a creature's folder, as in `7.scarycreature`.
  public static var folderExtension: String { "scarycreature" }
  /// The names of the thumbnail and of the full image, in each format. Those of PNG files are first.
  public static let attachmentNames: [String] = zip(CreatureImage.thumb.fileNames, CreatureImage.full.fileNames)
    .flatMap { [$0, $1] }
  /// The keys of the Mac app of 2015.
  public static var formerKeys: [String: String] { ["title": Keys.title.rawValue, "rating": Keys.rating.rawValue] }

  /// The top-level key of the Objective-C versions.
  public static var formerTopKeys: [String] { ["Data"] }

  /// The rules that migrate a known layout to the current one; see ``CreatureLayout``.
  public static var migrationRules: MigrationRules? { CreatureLayout.rules }

  /// Reads a data file in any known layout; see ``CreatureLayout``.
  /// - Parameters:
  ///   - data: The file's bytes.
  ///   - limits: The limits for decoding.
  /// - Returns: The creature, with information about the file.
  /// - Throws: `KeyedArchiveError` if the file is unreadable.
  public static func stored(in data: Data, limits: ReadLimits) throws -> StoredModel<ScaryCreatureData> {
    let file = try CreatureFile(data, limits: limits)
    return StoredModel(
      file.creature, warnings: file.warnings, layout: file.layout.description, isCurrent: file.layout.isCurrent)
  }

  /// Rejects an invalid rating, unless it equals the stored one.
  /// - Parameter old: The stored creature, if any.
  /// - Throws: `LibraryError` with code `LibraryError.Code.invalidValue`.
  public func check(replacing old: ScaryCreatureData?) throws {
    guard !Self.ratings.contains(rating), rating.bitPattern != old?.rating.bitPattern else { return }
    throw LibraryError(
      .invalidValue, "", "invalid rating: found \(rating); expected 0 to 5", remedy: "Use 0 for \"not rated\"")
  }

  /// Verifies images, and makes a thumbnail from a full image without one.
  /// - Parameter change: The change.
  /// - Throws: `LibraryError` if an image is invalid.
  public static func complete(_ change: inout DocumentChange) throws { try CreatureImage.complete(&change) }
}

extension ScaryCreatureData {
  /// Archives the creature as versions of the app without secure coding did. Programs that still use them can read it.
  ///
  /// Those versions decode the rating as an inline float. From the current layout they read 0 without an error. This
  /// library reads both layouts.
  /// - Returns: The archive.
  /// - Throws: `KeyedArchiveError`.
  public func archivedForOldReaders() throws -> Data {
    try KeyedArchiver.archivedData(withRootObject: InsecureCreature(creature: self), requiringSecureCoding: false)
  }
}

/// A creature with an inline rating.
private struct InsecureCreature: KeyedCoding {
  static var archiveClassName: String { ScaryCreatureData.archiveClassName }

  let creature: ScaryCreatureData

  init(creature: ScaryCreatureData) { self.creature = creature }

  func encode(with coder: KeyedArchiver) {
    coder.encode(creature.title, forKey: ScaryCreatureData.Keys.title.rawValue)
    coder.encode(creature.rating, forKey: ScaryCreatureData.Keys.rating.rawValue)
  }

  init?(coder: KeyedUnarchiver) { return nil }
}
