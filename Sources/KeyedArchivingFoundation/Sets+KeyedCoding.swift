// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
public import Foundation
public import KeyedArchiving

extension IndexSet: SecureKeyedCoding {
  /// The archived class name, `NSIndexSet`.
  public static var archiveClassName: String { ArchivedIndexSet.archiveClassName }

  /// Other matching class names: `NSMutableIndexSet`.
  public static var archiveClassAliases: [String] { ArchivedIndexSet.archiveClassAliases }

  /// Encodes the indexes as ranges.
  /// - Parameter coder: The archiver.
  /// - Throws: `KeyedArchiveError` if a value cannot be encoded.
  public func encode(with coder: KeyedArchiver) throws {
    try ArchivedIndexSet(rangeView.map { $0 }).encode(with: coder)
  }

  /// Decodes the indexes.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedIndexSet(coder: coder) else { return nil }
    self.init(archived)
  }

  init(_ archived: ArchivedIndexSet) {
    self.init()
    for range in archived.ranges { insert(integersIn: range) }
  }
}

extension CharacterSet: SecureKeyedCoding {
  /// The archived class name, `NSCharacterSet`.
  public static var archiveClassName: String { ArchivedCharacterSet.archiveClassName }

  /// Other matching class names: `NSMutableCharacterSet`.
  public static var archiveClassAliases: [String] { ArchivedCharacterSet.archiveClassAliases }

  /// Encodes the characters as a bitmap, which can represent any set.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    ArchivedCharacterSet(.bitmap(bitmapRepresentation)).encode(with: coder)
  }

  /// Decodes the characters in any representation.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedCharacterSet(coder: coder) else { return nil }
    self = try DecodedCharacterSets.of(coder).set(archived, coder)
  }

  /// Returns a predefined set of CoreFoundation.
  static func builtin(_ number: Int) throws -> CharacterSet {
    switch number {
    case 1: .controlCharacters
    case 2: .whitespaces
    case 3: .whitespacesAndNewlines
    case 4: .decimalDigits
    case 5: .letters
    case 6: .lowercaseLetters
    case 7: .uppercaseLetters
    case 8: .nonBaseCharacters
    case 9: .decomposables
    case 10: .alphanumerics
    case 11: .punctuationCharacters
    case 12: .illegalCharacters
    case 13: .capitalizedLetters
    case 14: .symbols
    case 15: .newlines
    default:
      throw KeyedArchiveError(.malformedValue, "invalid character set: 'NSBuiltinID' is \(number); expected 1 to 15")
    }
  }
}
