// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
public import Foundation
public import KeyedArchiving

extension PersonNameComponents: SecureKeyedCoding {
  /// The archived class name, `NSPersonNameComponents`.
  public static var archiveClassName: String { ArchivedPersonNameComponents.archiveClassName }

  /// Encodes all components. A phonetic representation has no archived form and results in an error.
  /// - Parameter coder: The archiver.
  /// - Throws: `KeyedArchiveError` if a value cannot be encoded.
  public func encode(with coder: KeyedArchiver) throws {
    guard phoneticRepresentation == nil else {
      throw KeyedArchiveError(
        .notEncodable, "a phonetic representation has no archived form",
        remedy: "Encode the phonetic representation separately")
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

  /// Decodes the stored components.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
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
