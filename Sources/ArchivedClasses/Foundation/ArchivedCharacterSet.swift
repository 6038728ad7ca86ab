// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving
import PropertyListFormat

/// An `NSCharacterSet`. With `KeyedArchivingFoundation`, Foundation's `CharacterSet` has the same archived form.
public struct ArchivedCharacterSet: SecureKeyedCoding, MutableClassPair, Hashable, Sendable {
  /// The representation of the characters.
  public enum Content: Hashable, Sendable {
    /// A predefined set of CoreFoundation by its identifier, such as 5 for letters.
    case builtin(Int)
    /// A range of code points.
    case range(ArchivedRange)
    /// The characters of a string.
    case characters(String)
    /// One bit per code point: 8192 bytes for the first plane, and its number with 8192 bytes for each other plane.
    case bitmap(Data)

    /// Returns whether two values are equal. Compares strings by their bytes.
    /// - Parameters:
    ///   - a: A value.
    ///   - b: Another value.
    /// - Returns: Whether all properties are equal.
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
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
      switch self {
      case .builtin(let number): hasher.combine(number)
      case .range(let range): hasher.combine(range)
      case .characters(let text): hasher.combine(text)
      case .bitmap(let bytes): hasher.combine(bytes)
      }
    }
  }

  /// The representation of the characters.
  public var content: Content
  /// A Boolean value that indicates whether the set is inverted.
  public var isInverted: Bool
  /// The predefined set of CoreFoundation that the bitmap represents, if newer systems predefine it and older ones do not.
  ///
  /// CoreFoundation stores both for the sets 14 and 15, so that each system can read the set.
  public var second: Builtin?
  /// A Boolean value that indicates whether the class is `NSMutableCharacterSet`.
  public var isMutable: Bool
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// A predefined set of CoreFoundation.
  public struct Builtin: Hashable, Sendable {
    /// The identifier of the set.
    public var number: Int
    /// A Boolean value that indicates whether the set is inverted.
    public var isInverted: Bool

    /// Creates a predefined set.
    /// - Parameters:
    ///   - number: The identifier of the set.
    ///   - isInverted: Whether the set is inverted.
    public init(_ number: Int, isInverted: Bool = false) {
      self.number = number
      self.isInverted = isInverted
    }
  }

  /// Creates a set.
  /// - Parameters:
  ///   - content: The representation of the characters.
  ///   - isInverted: Whether the set is inverted.
  ///   - isMutable: Whether the class is `NSMutableCharacterSet`.
  public init(_ content: Content, isInverted: Bool = false, isMutable: Bool = false) {
    self.content = content
    self.isInverted = isInverted
    self.isMutable = isMutable
  }

  /// The archived class name, `NSCharacterSet`.
  public static var archiveClassName: String { "NSCharacterSet" }
  /// Other matching class names: `NSMutableCharacterSet`.
  public static var archiveClassAliases: [String] { ["NSMutableCharacterSet"] }

  package static var mutableName: String { "NSMutableCharacterSet" }

  /// Encodes the characters in their representation: a string or a bitmap inline, as `NSKeyedArchiver` stores them.
  /// `NSKeyedUnarchiver` reads no others.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    guard coder.isValid(fault) else { return }
    switch content {
    case .builtin(let number): coder.encode(number, forKey: "NSBuiltinID")
    case .range(let range):
      coder.encode(Int64(range.location) << 32 | Int64(range.length), forKey: "NSRange")
    case .characters(let text): coder.record(coder.recorded(inline: .string(text)), "NSString")
    case .bitmap(let bytes): coder.encodeBytes(bytes, forKey: "NSBitmap")
    }
    if let second {
      coder.encode(second.number, forKey: "NSBuiltinID2")
      if second.isInverted { coder.encode(true, forKey: "NSIsInverted2") }
    }
    if isInverted { coder.encode(true, forKey: "NSIsInverted") }
    otherValues.encode(with: coder)
  }

  /// Decodes the characters in any representation.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    isMutable = try coder.classNameOfObject == Self.mutableName
    isInverted = try coder.primitive(Bool.self, "NSIsInverted") ?? false
    if let number = try coder.primitive(Int.self, "NSBuiltinID2") {
      second = Builtin(number, isInverted: try coder.primitive(Bool.self, "NSIsInverted2") ?? false)
    }
    // A value in another representation is not decoded, and is kept with the other values.
    var known = ["NSIsInverted"] + (second == nil ? [] : ["NSBuiltinID2", "NSIsInverted2"])
    if let number = try coder.primitive(Int.self, "NSBuiltinID") {
      content = .builtin(number)
      known.append("NSBuiltinID")
    } else if let packed = try coder.primitive(Int64.self, "NSRange") {
      content = .range(
        ArchivedRange(location: Int(clamping: packed >> 32), length: Int(clamping: packed & 0xFFFF_FFFF)))
      known.append("NSRange")
    } else if let (text, key) = try Self.value(String.self, "NSString", coder) {
      content = .characters(text)
      known.append(key)
    } else if let (bytes, key) = try Self.value(Data.self, "NSBitmap", coder) {
      content = .bitmap(bytes)
      known.append(key)
    } else {
      throw coder.missing("invalid character set: expected an identifier, a range, a string or a bitmap")
    }
    otherValues = try coder.otherValues(except: known)
    try coder.check(fault)
  }

  /// Decodes the value for a key, or for the key of other coders, and returns it with its key.
  private static func value<Value: KeyedCoding>(
    _ type: Value.Type, _ key: String, _ coder: KeyedUnarchiver
  ) throws -> (Value, key: String)? {
    for key in [key, key + "Object"] {
      if let value = try coder.object(type, key) { return (value, key) }
    }
    return nil
  }

  private var fault: Fault? {
    if let second, !(1...15 ~= second.number) { return .builtin(second.number, "NSBuiltinID2") }
    return switch content {
    case .builtin(let number) where !(1...15 ~= number): .builtin(number, "NSBuiltinID")
    case .range(let range) where !ArchivedCharacterSet.isValid(range):
      Fault("invalid character set: 'NSRange' has \(range.length) code points from \(range.location)")
    case .bitmap(let bytes) where !ArchivedCharacterSet.isBitmap(bytes):
      Fault("invalid bitmap of a character set: \(bytes.count) bytes; expected 8192, and 8193 for each further plane")
    default: nil
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

extension Fault {
  fileprivate static func builtin(_ number: Int, _ key: String) -> Fault {
    Fault("invalid character set: '\(key)' is \(number); expected 1 to 15")
  }
}
