// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving
import PropertyListFormat

/// An `NSCharacterSet`. `CharacterSet` of Foundation is archived as one of these too, where `KeyedArchivingFoundation` is
/// imported.
public struct ArchivedCharacterSet: SecureKeyedCoding, MutableClassPair, Hashable, Sendable {
  /// How the characters are given.
  public enum Content: Hashable, Sendable {
    /// One of the sets that CoreFoundation knows by number, such as 5 for letters.
    case builtin(Int)
    /// Code points in a row.
    case range(ArchivedRange)
    /// The characters of a string.
    case characters(String)
    /// A bit for each code point: 8192 bytes for the first plane, and for each other one its number and 8192 more.
    case bitmap(Data)

    /// Equal if the kind and the value are; strings are compared by their bytes.
    public static func == (a: Self, b: Self) -> Bool {
      switch (a, b) {
      case (.builtin(let a), .builtin(let b)): a == b
      case (.range(let a), .range(let b)): a == b
      case (.characters(let a), .characters(let b)): a == b
      case (.bitmap(let a), .bitmap(let b)): a == b
      default: false
      }
    }

    /// Hashes the value.
    public func hash(into hasher: inout Hasher) {
      switch self {
      case .builtin(let number): hasher.combine(number)
      case .range(let range): hasher.combine(range)
      case .characters(let text): hasher.combine(text)
      case .bitmap(let bytes): hasher.combine(bytes)
      }
    }
  }

  /// The characters.
  public var content: Content
  /// Whether it is all other characters.
  public var isInverted: Bool
  /// A second set that CoreFoundation knows by number, and whether that is inverted.
  public var second: Builtin?
  /// Whether it is archived as an `NSMutableCharacterSet`.
  public var isMutable: Bool

  /// A set that CoreFoundation knows by number.
  public struct Builtin: Hashable, Sendable {
    /// The number.
    public var number: Int
    /// Whether it is all other characters.
    public var isInverted: Bool

    /// Makes one.
    public init(_ number: Int, isInverted: Bool = false) {
      self.number = number
      self.isInverted = isInverted
    }
  }

  /// Makes a set.
  public init(_ content: Content, isInverted: Bool = false, isMutable: Bool = false) {
    self.content = content
    self.isInverted = isInverted
    self.isMutable = isMutable
  }

  /// `NSCharacterSet`.
  public static var archiveClassName: String { "NSCharacterSet" }
  /// True.
  public static var _hasDynamicClass: Bool { true }

  /// `NSMutableCharacterSet`.
  public static var archiveClassAliases: [String] { ["NSMutableCharacterSet"] }

  package static var mutableName: String { "NSMutableCharacterSet" }

  /// Stores the characters as they are given.
  public func encode(with coder: KeyedArchiver) throws {
    switch content {
    case .builtin(let number): coder.encode(number, forKey: "NSBuiltinID")
    case .range(let range):
      guard ArchivedCharacterSet.isValid(range) else {
        throw KeyedArchiveError(
          .notEncodable, "a character set of \(range.length) code points from \(range.location)")
      }
      coder.encode(Int64(range.location) << 32 | Int64(range.length), forKey: "NSRange")
    case .characters(let text): coder.encode(text, forKey: "NSStringObject")
    case .bitmap(let bytes): coder.encode(bytes, forKey: "NSBitmapObject")
    }
    if let second {
      coder.encode(second.number, forKey: "NSBuiltinID2")
      if second.isInverted { coder.encode(true, forKey: "NSIsInverted2") }
    }
    if isInverted { coder.encode(true, forKey: "NSIsInverted") }
  }

  /// Reads whichever form there is.
  public init?(coder: KeyedUnarchiver) throws {
    isMutable = try coder.classNameOfObject == Self.mutableName
    isInverted = try coder.bare(Bool.self, "NSIsInverted") ?? false
    if let number = try coder.bare(Int.self, "NSBuiltinID2") {
      second = Builtin(number, isInverted: try coder.bare(Bool.self, "NSIsInverted2") ?? false)
    }
    if let number = try coder.bare(Int.self, "NSBuiltinID") {
      guard 1...15 ~= number else { throw coder.malformed("'NSBuiltinID' of a character set is \(number)") }
      content = .builtin(number)
    } else if let packed = try coder.bare(Int64.self, "NSRange") {
      let range = ArchivedRange(location: Int(packed >> 32), length: Int(packed & 0xFFFF_FFFF))
      guard ArchivedCharacterSet.isValid(range) else {
        throw coder.malformed(
          "'NSRange' of a character set is \(range.length) code points from \(range.location)")
      }
      content = .range(range)
    } else if let text = try coder.object(String.self, "NSStringObject") ?? coder.object(String.self, "NSString") {
      content = .characters(text)
    } else if let bytes = try coder.object(Data.self, "NSBitmapObject") ?? coder.object(Data.self, "NSBitmap") {
      guard ArchivedCharacterSet.isBitmap(bytes) else {
        throw coder.malformed(
          "the bitmap of a character set has \(bytes.count) bytes, not 8192 and 8193 for each plane")
      }
      content = .bitmap(bytes)
    } else {
      throw KeyedArchiveError(
        .valueNotFound, "a character set has neither a number nor a range, a string or a bitmap",
        keyPath: coder.keyPath())
    }
  }

  private static func isValid(_ range: ArchivedRange) -> Bool {
    0...0x11_0000 ~= range.location && 0...(0x11_0000 - range.location) ~= range.length
  }

  private static func isBitmap(_ bytes: Data) -> Bool {
    guard bytes.count >= 8192, (bytes.count - 8192).isMultiple(of: 8193) else { return false }
    let span = bytes.span
    var last: UInt8 = 0
    for place in stride(from: 8192, to: span.count, by: 8193) {
      guard span[place] > last, span[place] <= 16 else { return false }
      last = span[place]
    }
    return true
  }
}
