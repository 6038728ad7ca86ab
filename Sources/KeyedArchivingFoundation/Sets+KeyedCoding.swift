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
  /// - Throws: `KeyedArchiveError` if a value cannot be encoded.
  public func encode(with coder: KeyedArchiver) throws {
    try ArchivedCharacterSet(.bitmap(bitmapRepresentation)).encode(with: coder)
  }

  /// Decodes the characters in any representation.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedCharacterSet(coder: coder) else { return nil }
    var set: CharacterSet
    switch archived.content {
    case .builtin(let number): set = try CharacterSet.builtin(number)
    case .range(let range):
      // Foundation on Linux loses members of a set to which a range of several planes is added.
      let members = NSCharacterSet(range: NSRange(location: range.location, length: range.length))
      set = CharacterSet(bitmapRepresentation: members.bitmapRepresentation)
    case .characters(let text): set = CharacterSet(charactersIn: text)
    case .bitmap(let bytes): set = CharacterSet(bitmapRepresentation: bytes)
    }
    if archived.isInverted { set.invert() }
    if let second = archived.second {
      let other = try CharacterSet.builtin(second.number)
      set = set.bitwiseUnion(second.isInverted ? other.inverted : other)
    }
    self = set
  }

  /// Returns the union of two sets, by their bits. `formUnion` of Foundation on Linux loses members of inverted sets.
  private func bitwiseUnion(_ other: CharacterSet) -> CharacterSet {
    var planes = planes
    for (number, bits) in other.planes {
      guard let known = planes[number] else {
        planes[number] = bits
        continue
      }
      planes[number] = zip(known, bits).map { $0 | $1 }
    }
    var bitmap = Data(planes[0] ?? [UInt8](repeating: 0, count: Self.planeSize))
    for number in planes.keys.sorted() where number > 0 {
      bitmap.append(number)
      bitmap.append(contentsOf: planes[number] ?? [])
    }
    return CharacterSet(bitmapRepresentation: bitmap)
  }

  /// The bytes of a plane in a bitmap.
  private static let planeSize = 8192

  /// The bits of the planes that have members, by the number of the plane.
  private var planes: [UInt8: [UInt8]] {
    let bitmap = [UInt8](bitmapRepresentation)
    guard bitmap.count >= Self.planeSize else { return [:] }
    var planes: [UInt8: [UInt8]] = [0: [UInt8](bitmap[..<Self.planeSize])]
    var place = Self.planeSize
    while bitmap.count - place > Self.planeSize {
      planes[bitmap[place]] = [UInt8](bitmap[(place + 1)...(place + Self.planeSize)])
      place += Self.planeSize + 1
    }
    return planes
  }

  /// Returns a predefined set of CoreFoundation.
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
      throw KeyedArchiveError(.malformedValue, "invalid character set: 'NSBuiltinID' is \(number); expected 1 to 15")
    }
  }
}
