// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
public import Foundation
public import KeyedArchiving

extension PersonNameComponents: SecureKeyedCoding {
  /// The archived class name, `NSPersonNameComponents`.
  public static var archiveClassName: String { ArchivedPersonNameComponents.archiveClassName }

  /// Encodes all components.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) { ArchivedPersonNameComponents(self).encode(with: coder) }

  /// Decodes the stored components.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is malformed.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedPersonNameComponents(coder: coder) else { return nil }
    self.init(archived)
  }

  private init(_ archived: ArchivedPersonNameComponents) {
    self.init()
    namePrefix = archived.namePrefix
    givenName = archived.givenName
    middleName = archived.middleName
    familyName = archived.familyName
    nameSuffix = archived.nameSuffix
    nickname = archived.nickname
    phoneticRepresentation = archived.phoneticRepresentation.map { PersonNameComponents($0) }
  }
}

extension ArchivedPersonNameComponents {
  fileprivate init(_ name: PersonNameComponents) {
    self.init()
    namePrefix = name.namePrefix
    givenName = name.givenName
    middleName = name.middleName
    familyName = name.familyName
    nameSuffix = name.nameSuffix
    nickname = name.nickname
    phoneticRepresentation = name.phoneticRepresentation.map { ArchivedPersonNameComponents($0) }
  }
}
