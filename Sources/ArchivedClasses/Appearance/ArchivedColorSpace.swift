// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeyedArchives
public import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// An `NSColorSpace`.
public struct ArchivedColorSpace: SecureKeyedCoding, Hashable, Sendable {
  /// The identifier of a space that AppKit defines.
  public var id: Int?
  /// The ICC profile.
  public var profile: Data? {
    get { hashedProfile?.bytes }
    set { hashedProfile = newValue.map { HashedBytes($0) } }
  }
  private(set) var hashedProfile: HashedBytes?
  /// The archived form of the profile.
  public var profileForm: ProfileForm
  /// The model: 0 gray, 1 RGB, 2 CMYK.
  public var model: Int?
  /// An additional identifier that newer systems store.
  public var spaceID: Int?
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// The archived form of a profile.
  public enum ProfileForm: String, Hashable, Sendable, CaseIterable {
    /// Boxed data.
    case primitive
    /// Mutable data with the key `NS.data`.
    case mutable = "NS.data"
    /// Mutable data with the key `NS.bytes`.
    case mutableBytes = "NS.bytes"
  }

  /// Creates a color space.
  /// - Parameters:
  ///   - id: The identifier of a space that AppKit defines.
  ///   - profile: The ICC profile.
  ///   - profileForm: The archived form of the profile.
  ///   - model: The model: 0 gray, 1 RGB, 2 CMYK.
  public init(id: Int? = nil, profile: Data? = nil, profileForm: ProfileForm = .primitive, model: Int? = nil) {
    self.id = id
    hashedProfile = profile.map { HashedBytes($0) }
    self.profileForm = profileForm
    self.model = model
  }

  /// The archived class name, `NSColorSpace`.
  public static var archiveClassName: String { "NSColorSpace" }

  /// Encodes the values that are not nil. An identifier or a profile is required.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    guard coder.isValid(fault) else { return }
    if let id { coder.encode(id, forKey: "NSID") }
    if let spaceID { coder.encode(spaceID, forKey: "NSSpaceID") }
    if let profile, profileForm == .primitive {
      coder.encode(profile, forKey: "NSICC")
    } else if let profile {
      coder.encode(ArchivedMutableData(profile, key: profileForm.rawValue), forKey: "NSICC")
    }
    if let model { coder.encode(model, forKey: "NSModel") }
    otherValues.encode(with: coder)
  }

  /// Records the space. Equal spaces share an object, because AppKit has one instance of each.
  /// - Parameter coder: The archiver.
  /// - Returns: The recorded value.
  public func record(in coder: KeyedArchiver) -> RecordedValue {
    coder.recorded(sharedAs: "NSColorSpace \(SharedColors.of(coder).number(of: self))") { ArchivedInstance(self) }
  }

  /// Decodes the stored values. An identifier or a profile is required.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    id = try coder.primitive(Int.self, "NSID")
    model = try coder.primitive(Int.self, "NSModel")
    spaceID = try coder.primitive(Int.self, "NSSpaceID")
    if try coder.kind(forKey: "NSICC") == .dictionary {
      let data = try coder.decode(ArchivedMutableData.self, forKey: "NSICC")
      hashedProfile = try coder.hashed(data.bytes)
      profileForm = ProfileForm(exactly: data.key) ?? .mutable
    } else {
      hashedProfile = try coder.decodeIfPresent(Data.self, forKey: "NSICC").map { try coder.hashed($0) }
      profileForm = .primitive
    }
    otherValues = try coder.otherValues(except: ["NSID", "NSModel", "NSSpaceID", "NSICC"])
    try coder.check(fault)
  }

  private var fault: Fault? {
    id != nil || hashedProfile != nil || spaceID != nil
      ? nil : Fault("invalid color space: expected 'NSID', 'NSSpaceID' or 'NSICC'")
  }
}

/// Bytes that are hashed once, and whose copies are compared by their identity first.
final class HashedBytes: Hashable, Sendable {
  let bytes: Data
  private let digest: Int

  init(_ bytes: Data) {
    self.bytes = bytes
    digest = FullyHashedData(bytes).hashValue
  }

  static func == (a: HashedBytes, b: HashedBytes) -> Bool {
    a === b || a.digest == b.digest && a.bytes.hasSameBytes(as: b.bytes)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// The profiles that an unarchiver decoded, by their objects. Many color spaces can refer to one of them.
private final class DecodedProfiles {
  var profiles: [UInt32: HashedBytes] = [:]
}

extension KeyedUnarchiver {
  /// Returns the profile of the current object.
  fileprivate func hashed(_ bytes: Data) throws -> HashedBytes {
    guard let uid = try uidOfObject(forKey: "NSICC") else {
      try storage.state.charge(work: Int64(bytes.count))
      return HashedBytes(bytes)
    }
    let decoded = companions.object(DecodedProfiles())
    if let known = decoded.profiles[uid] { return known }
    let profile = HashedBytes(bytes)
    decoded.profiles[uid] = profile
    return profile
  }
}

/// The components of a color in the form of AppKit: decimal numbers in a text, separated by spaces.
public struct ColorComponents: Hashable, Sendable {
  /// The text, including a terminating zero byte if it has one.
  public let text: String
  /// The numbers.
  public let values: [Double]

  /// Creates components. The text has the shortest digits that identify each number.
  /// - Parameters:
  ///   - values: The numbers.
  ///   - endsWithZero: Whether the text ends with a zero byte.
  public init(_ values: [Double], endsWithZero: Bool = true) {
    self.values = values
    text = values.map { ColorComponents.text($0) }.joined(separator: " ") + (endsWithZero ? "\0" : "")
  }

  private static func text(_ value: Double) -> String {
    let text = value.description
    return text.rest(before: ".0").map { String($0) } ?? text
  }

  init?(_ bytes: [UInt8], counts: ClosedRange<Int>) {
    // A number needs at most about 25 bytes. A longer text is not parsed.
    guard bytes.count <= 1024, let text = String(validUTF8: bytes) else { return nil }
    let digits = text.rest(before: "\0") ?? text[...]
    var values: [Double] = []
    for part in digits.split(separator: " ") {
      guard values.count < counts.upperBound, let value = Double(part), value.isFinite else { return nil }
      values.append(value)
    }
    guard counts.contains(values.count) else { return nil }
    self.text = text
    self.values = values
  }

  /// Returns whether a decoder accepts the components.
  func isValid(_ counts: ClosedRange<Int>) -> Bool {
    counts.contains(values.count) && values.allSatisfy(\.isFinite)
  }
}

extension KeyedUnarchiver {
  /// Decodes the components of a color, if the key is present.
  func components(_ key: String, counts: ClosedRange<Int>) throws -> ColorComponents? {
    guard let kind = try kind(forKey: key) else { return nil }
    guard kind == .data, let components = ColorComponents(try needed([UInt8].self, key), counts: counts) else {
      throw malformed(
        "invalid '\(key)' of a color: expected \(counts.lowerBound) to \(counts.upperBound) numbers separated by spaces"
      )
    }
    return components
  }
}

extension KeyedArchiver {
  /// Encodes the components of a color, if they are not nil.
  func encode(_ components: ColorComponents?, forKey key: String) {
    if let components { encodeBytes(Data(components.text.utf8), forKey: key) }
  }
}
