// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

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

  /// `NSPersonNameComponents`.
  public static var archiveClassName: String { "NSPersonNameComponents" }

  /// Stores all components.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(namePrefix, forKey: "NS.namePrefix")
    coder.encode(givenName, forKey: "NS.givenName")
    coder.encode(middleName, forKey: "NS.middleName")
    coder.encode(familyName, forKey: "NS.familyName")
    coder.encode(nameSuffix, forKey: "NS.nameSuffix")
    coder.encode(nickname, forKey: "NS.nickname")
  }

  /// Reads the components that are there.
  public init?(coder: KeyedUnarchiver) throws {
    namePrefix = try coder.decodeIfPresent(String.self, forKey: "NS.namePrefix")
    givenName = try coder.decodeIfPresent(String.self, forKey: "NS.givenName")
    middleName = try coder.decodeIfPresent(String.self, forKey: "NS.middleName")
    familyName = try coder.decodeIfPresent(String.self, forKey: "NS.familyName")
    nameSuffix = try coder.decodeIfPresent(String.self, forKey: "NS.nameSuffix")
    nickname = try coder.decodeIfPresent(String.self, forKey: "NS.nickname")
  }
}
