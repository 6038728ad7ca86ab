// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving

/// Attributes of an attributed string that Swift has no keys for, each an object of an archive.
///
/// In an `AttributedString` they stand under the key ``ArchivedAttributes``:
/// ```swift
/// let font = try text.runs.first?[ArchivedAttributes.self]?["NSFont"] as? ArchivedFont
/// ```
public struct ArchivedAttributeSet: Hashable, Sendable {
  /// The attributes as an archive of a dictionary.
  public let archive: Data

  /// Archives attributes.
  /// - Throws: `KeyedArchiveError` for one that cannot be archived.
  public init(_ attributes: ArchivedDictionary) throws {
    archive = try KeyedArchiver.archivedData(withRootObject: attributes, requiringSecureCoding: false, layout: .compact)
  }

  /// The attributes.
  /// - Throws: `KeyedArchiveError`.
  public var attributes: ArchivedDictionary {
    get throws {
      let made = try KeyedUnarchiver.unarchivedObject(ofClasses: KeyedUnarchiver.valueTypes, from: archive)
      guard let attributes = made as? ArchivedDictionary else {
        throw KeyedArchiveError(.malformedValue, "a set of attributes is no dictionary")
      }
      return attributes
    }
  }

  /// The attribute with a name.
  /// - Throws: `KeyedArchiveError`.
  public subscript(name: String) -> (any KeyedCoding)? {
    get throws { try attributes[name] }
  }
}

/// The key of what an archive says of some text besides what Swift's own keys are there for.
public enum ArchivedAttributes: AttributedStringKey {
  /// All such attributes of a run together.
  public typealias Value = ArchivedAttributeSet
  /// The name of the key.
  public static let name = "ArchivedAttributes"
}
