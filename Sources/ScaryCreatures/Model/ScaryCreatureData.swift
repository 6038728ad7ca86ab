// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import ArchiveTools
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import DocumentLibraries
public import KeyedArchiving
public import PropertyListFormat

/// A scary creature: its name and how scary it is.
public struct ScaryCreatureData: Hashable, Sendable {
  /// The name; any text.
  public var title: String
  /// How scary it is, from 0, which stands for "not rated", to 5. Anything else is refused when it is saved.
  public var rating: Float

  /// Makes a creature.
  public init(title: String, rating: Float = 0) {
    self.title = title
    self.rating = rating
  }

  /// The ratings there are.
  public static let ratings: ClosedRange<Float> = 0...5

  /// The keys in the archive.
  public enum Keys: String, Sendable {
    /// The name.
    case title = "Title"
    /// The rating.
    case rating = "Rating"
  }
}

extension ScaryCreatureData: SecureKeyedCoding {
  /// The tutorial's name for it, whatever the program is called.
  public static var archiveClassName: String { "ScaryCreatures.ScaryCreatureData" }

  /// Archives both values as objects, which is what readers with secure coding expect.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(title, forKey: Keys.title.rawValue)
    coder.encodeObject(rating, forKey: Keys.rating.rawValue)
  }

  /// Decodes what ``encode(with:)`` archived. Files of older layouts are read by ``stored(in:limits:)``.
  public init?(coder: KeyedUnarchiver) {
    guard let title = coder.decodeObject(of: String.self, forKey: Keys.title.rawValue) else { return nil }
    self.init(title: title, rating: coder.decodeFloat(forKey: Keys.rating.rawValue))
  }
}

extension ScaryCreatureData: DocumentModel {
  /// The extension of a creature's folder: `7.scarycreature`.
  public static var folderExtension: String { "scarycreature" }
  /// The small and the large picture.
  public static var attachmentNames: [String] { [CreatureImage.thumb.rawValue, CreatureImage.full.rawValue] }
  /// The keys of the Mac app of 2015.
  public static var formerKeys: [String: String] { ["title": Keys.title.rawValue, "rating": Keys.rating.rawValue] }

  /// The top-level key of the Objective-C generation.
  public static var formerTopKeys: [String] { ["Data"] }

  /// What makes the layout of today of any known one; see ``CreatureLayout``.
  public static var migrationRules: MigrationRules? { CreatureLayout.rules }

  /// Reads a data file of any known layout; see ``CreatureLayout``.
  public static func stored(in data: Data, limits: ReadLimits) throws -> StoredModel<ScaryCreatureData> {
    let file = try CreatureFile(data, limits: limits)
    return StoredModel(
      file.creature, warnings: file.warnings, layout: file.layout.description, isCurrent: file.layout.isCurrent)
  }

  /// Refuses a rating that is none, unless it is the one that is stored already.
  public func check(replacing old: ScaryCreatureData?) throws {
    guard !Self.ratings.contains(rating), rating.bitPattern != old?.rating.bitPattern else { return }
    throw LibraryError(
      .invalidValue, "", "a rating is a number from 0 to 5, not \(rating)", remedy: "0 stands for \"not rated\"")
  }

  /// Checks pictures, and makes the small one from the large one if none is given.
  public static func complete(_ change: inout DocumentChange) throws { try CreatureImage.complete(&change) }
}
