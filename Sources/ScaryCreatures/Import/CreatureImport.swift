// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import DocumentLibraries
import PropertyListFormat

/// What became of creatures that were imported from elsewhere.
public struct CreatureImport: Sendable {
  /// A creature that was imported.
  public struct Creature: Sendable {
    /// What it was called where it came from.
    public var source: String
    /// The number that it has now.
    public var number: DocumentNumber
    /// What was not as it should be, such as a picture that is damaged and was left behind.
    public var warnings: [DocumentWarning]
  }

  /// A creature that was not.
  public struct Refusal: Sendable {
    /// What it is called where it is.
    public var source: String
    /// Why.
    public var error: any Error
  }

  /// The creatures, in the order of the source.
  public internal(set) var creatures: [Creature] = []
  /// Those that could not be imported.
  public internal(set) var refused: [Refusal] = []

  /// Adds a creature to a database, without pictures that are none.
  mutating func add(
    _ data: ScaryCreatureData, thumb: Data?, full: Data?, warnings: [DocumentWarning], from source: String,
    to database: ScaryCreatureDatabase
  ) {
    do {
      var warnings = warnings
      func checked(_ bytes: Data?, _ image: CreatureImage, makesThumb: Bool = false) -> Data? {
        guard let bytes else { return nil }
        do {
          try CreatureImage.check(bytes, image, source)
          // Damage inside of the compressed pixels shows when a small picture is to be made of them.
          if makesThumb { _ = try CreatureImage.thumbnail(for: bytes) }
          return bytes
        } catch {
          warnings.append(DocumentWarning("imageRefused", "\(error)"))
          return nil
        }
      }
      let doc = ScaryCreatureDoc(in: database, data)
      let thumb = checked(thumb, .thumb)
      if let thumb { try doc.setThumbImage(thumb) }
      if let full = checked(full, .full, makesThumb: thumb == nil) { try doc.setFullImage(full) }
      try doc.saveImported()
      guard let number = doc.number else { return }
      creatures.append(Creature(source: source, number: number, warnings: warnings))
    } catch {
      refused.append(Refusal(source: source, error: error))
    }
  }
}
