// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
public import Foundation
public import KeyedArchiving

extension PersonNameComponents: SecureKeyedCoding {
  /// `NSPersonNameComponents`.
  public static var archiveClassName: String { ArchivedPersonNameComponents.archiveClassName }

  /// Stores all components. How a name is spoken has no place in the format and makes the archiving fail.
  public func encode(with coder: KeyedArchiver) throws {
    guard phoneticRepresentation == nil else {
      throw KeyedArchiveError(
        .notEncodable, "a name with a phonetic representation, for which no key is known",
        remedy: "Archive the phonetic representation by itself")
    }
    var archived = ArchivedPersonNameComponents()
    archived.namePrefix = namePrefix
    archived.givenName = givenName
    archived.middleName = middleName
    archived.familyName = familyName
    archived.nameSuffix = nameSuffix
    archived.nickname = nickname
    archived.encode(with: coder)
  }

  /// Reads the components that are there.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedPersonNameComponents(coder: coder) else { return nil }
    self.init()
    namePrefix = archived.namePrefix
    givenName = archived.givenName
    middleName = archived.middleName
    familyName = archived.familyName
    nameSuffix = archived.nameSuffix
    nickname = archived.nickname
  }
}
