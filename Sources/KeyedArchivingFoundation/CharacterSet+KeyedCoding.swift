// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
public import Foundation
public import KeyedArchiving

extension CharacterSet: SecureKeyedCoding {
  /// `NSCharacterSet`.
  public static var archiveClassName: String { ArchivedCharacterSet.archiveClassName }

  /// `NSMutableCharacterSet`.
  public static var archiveClassAliases: [String] { ArchivedCharacterSet.archiveClassAliases }

  /// Stores the characters as a bitmap, which holds any set.
  public func encode(with coder: KeyedArchiver) throws {
    try ArchivedCharacterSet(.bitmap(bitmapRepresentation)).encode(with: coder)
  }

  /// Reads the characters, in whichever form they are.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedCharacterSet(coder: coder) else { return nil }
    var set: CharacterSet
    switch archived.content {
    case .builtin(let number): set = try CharacterSet.builtin(number)
    case .range(let range): set = try CharacterSet(codePoints: range)
    case .characters(let text): set = CharacterSet(charactersIn: text)
    case .bitmap(let bytes): set = CharacterSet(bitmapRepresentation: bytes)
    }
    if archived.isInverted { set.invert() }
    if let second = archived.second {
      let other = try CharacterSet.builtin(second.number)
      set.formUnion(second.isInverted ? other.inverted : other)
    }
    self = set
  }

  private init(codePoints range: ArchivedRange) throws {
    self.init()
    // Surrogates are code points but no scalars.
    let end = range.location + range.length
    for part in [range.location..<min(end, 0xD800), max(range.location, 0xE000)..<max(end, 0xE000)]
    where part.lowerBound < part.upperBound {
      guard let first = Unicode.Scalar(UInt32(part.lowerBound)), let last = Unicode.Scalar(UInt32(part.upperBound - 1))
      else { continue }
      insert(charactersIn: first...last)
    }
  }

  /// The sets that CoreFoundation knows by number.
  private static func builtin(_ number: Int) throws -> CharacterSet {
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
      throw KeyedArchiveError(.malformedValue, "'NSBuiltinID' of a character set is \(number)")
    }
  }
}
