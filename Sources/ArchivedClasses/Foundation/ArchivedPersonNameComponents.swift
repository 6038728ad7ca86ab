// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// An `NSPersonNameComponents`. `PersonNameComponents` of Foundation is archived as one of these too, where
/// `KeyedArchivingFoundation` is imported.
public struct ArchivedPersonNameComponents: SecureKeyedCoding, Hashable, Sendable {
  /// What stands before the name, such as "Dr.".
  public var namePrefix: String?
  /// The name that is given.
  public var givenName: String?
  /// The names between.
  public var middleName: String?
  /// The name of the family.
  public var familyName: String?
  /// What stands behind the name, such as "Jr.".
  public var nameSuffix: String?
  /// The name that friends use.
  public var nickname: String?

  /// Makes components.
  public init() {}

  /// Equal if all properties are; texts are compared by their bytes.
  public static func == (a: Self, b: Self) -> Bool {
    a.namePrefix == b.namePrefix && a.givenName == b.givenName && a.middleName == b.middleName
      && a.familyName == b.familyName && a.nameSuffix == b.nameSuffix && a.nickname == b.nickname
  }

  /// Hashes all properties.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(namePrefix)
    hasher.combine(givenName)
    hasher.combine(middleName)
    hasher.combine(familyName)
    hasher.combine(nameSuffix)
    hasher.combine(nickname)
  }

  /// `NSPersonNameComponents`.
  public static var archiveClassName: String { "NSPersonNameComponents" }

  /// Stores all components.
  public func encode(with coder: KeyedArchiver) { coder.encode(self, Self.fields) }

  /// Reads the components that are there.
  public init?(coder: KeyedUnarchiver) throws { try coder.decode(Self.fields, into: &self) }

  private static let fields: [ArchiveField<Self>] = [
    .object("NS.namePrefix", \.namePrefix), .object("NS.givenName", \.givenName),
    .object("NS.middleName", \.middleName), .object("NS.familyName", \.familyName),
    .object("NS.nameSuffix", \.nameSuffix), .object("NS.nickname", \.nickname),
  ]
}
