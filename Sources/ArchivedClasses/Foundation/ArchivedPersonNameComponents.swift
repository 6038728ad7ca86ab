// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// An `NSPersonNameComponents`. With `KeyedArchivingFoundation`, Foundation's `PersonNameComponents` has the same
/// archived form.
public struct ArchivedPersonNameComponents: SecureKeyedCoding, Hashable, Sendable {
  /// The prefix, such as "Dr.".
  public var namePrefix: String?
  /// The given name.
  public var givenName: String?
  /// The middle names.
  public var middleName: String?
  /// The family name.
  public var familyName: String?
  /// The suffix, such as "Jr.".
  public var nameSuffix: String?
  /// The nickname.
  public var nickname: String?

  /// Creates empty components.
  public init() {}

  /// Returns whether all properties are equal. Compares strings by their bytes.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether all properties are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.namePrefix == b.namePrefix && a.givenName == b.givenName && a.middleName == b.middleName
      && a.familyName == b.familyName && a.nameSuffix == b.nameSuffix && a.nickname == b.nickname
  }

  /// Hashes all properties.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(namePrefix)
    hasher.combine(givenName)
    hasher.combine(middleName)
    hasher.combine(familyName)
    hasher.combine(nameSuffix)
    hasher.combine(nickname)
  }

  /// The archived class name, `NSPersonNameComponents`.
  public static var archiveClassName: String { "NSPersonNameComponents" }

  /// Encodes all components.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) { coder.encode(self, Self.fields) }

  /// Decodes the stored components.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws { try coder.decode(Self.fields, into: &self) }

  private static let fields: [ArchiveField<Self>] = [
    .object("NS.namePrefix", \.namePrefix), .object("NS.givenName", \.givenName),
    .object("NS.middleName", \.middleName), .object("NS.familyName", \.familyName),
    .object("NS.nameSuffix", \.nameSuffix), .object("NS.nickname", \.nickname),
  ]
}
