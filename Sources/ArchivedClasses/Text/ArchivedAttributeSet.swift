// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving
import PropertyListFormat

/// The attributes of an attributed string without a Swift key, each an object of an archive.
///
/// In an `AttributedString` they are the value of the key ``ArchivedAttributes``:
/// ```swift
/// let font = try text.runs.first?[ArchivedAttributes.self]?["NSFont"] as? ArchivedFont
/// ```
public struct ArchivedAttributeSet: Hashable, Sendable {
  /// The attributes as an archive of a dictionary.
  public let archive: Data
  /// The hash of the archive, which each run of a text needs.
  private let digest: Int

  /// Creates a set of attributes.
  /// - Parameter attributes: The attributes.
  /// - Throws: `KeyedArchiveError` if an attribute cannot be archived.
  public init(_ attributes: ArchivedDictionary) throws {
    archive = try KeyedArchiver.archivedData(withRootObject: attributes, requiringSecureCoding: false, layout: .compact)
    // `Data` hashes only its first 80 bytes, which are the same in many archives.
    digest = FullyHashedData(archive).hashValue
  }

  /// Returns whether the archives have the same bytes.
  /// - Parameters:
  ///   - a: A set of attributes.
  ///   - b: Another set of attributes.
  /// - Returns: Whether the archives have the same bytes.
  public static func == (a: Self, b: Self) -> Bool { a.digest == b.digest && a.archive.hasSameBytes(as: b.archive) }

  /// Hashes the archive.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(digest) }

  /// The attributes.
  /// - Throws: `KeyedArchiveError` if an attribute cannot be decoded.
  public var attributes: ArchivedDictionary {
    get throws {
      let made = try KeyedUnarchiver.unarchivedObject(ofClasses: KeyedUnarchiver.valueTypes, from: archive)
      guard let attributes = made as? ArchivedDictionary else {
        throw KeyedArchiveError(.malformedValue, "invalid attribute set: expected a dictionary")
      }
      return attributes
    }
  }

  /// The attribute with a name, or nil.
  /// - Parameter name: The name.
  /// - Throws: `KeyedArchiveError` if an attribute cannot be decoded.
  public subscript(name: String) -> (any KeyedCoding)? {
    get throws { try attributes[name] }
  }
}

/// The attribute key for archived attributes without a Swift key.
public enum ArchivedAttributes: AttributedStringKey {
  /// All such attributes of a run.
  public typealias Value = ArchivedAttributeSet
  /// The name of the key.
  public static let name = "ArchivedAttributes"
}
