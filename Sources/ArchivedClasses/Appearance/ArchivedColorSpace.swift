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
  /// Which of AppKit's spaces it is.
  public var id: Int?
  /// The ICC profile.
  public var profile: Data?
  /// How the profile is archived.
  public var profileForm: ProfileForm
  /// The model: 0 grey, 1 RGB, 2 CMYK.
  public var model: Int?
  /// Another number that newer systems store.
  public var spaceID: Int?

  /// How a profile is archived.
  public enum ProfileForm: String, Hashable, Sendable, CaseIterable {
    /// As data that stand as they are.
    case bare
    /// As mutable data with the key `NS.data`.
    case mutable = "NS.data"
    /// As mutable data with the key `NS.bytes`.
    case mutableBytes = "NS.bytes"
  }

  /// Makes a space.
  public init(id: Int? = nil, profile: Data? = nil, profileForm: ProfileForm = .bare, model: Int? = nil) {
    self.id = id
    self.profile = profile
    self.profileForm = profileForm
    self.model = model
  }

  /// `NSColorSpace`.
  public static var archiveClassName: String { "NSColorSpace" }

  /// Stores what is set.
  public func encode(with coder: KeyedArchiver) {
    if let id { coder.encode(id, forKey: "NSID") }
    if let spaceID { coder.encode(spaceID, forKey: "NSSpaceID") }
    if let profile, profileForm == .bare {
      coder.encode(profile, forKey: "NSICC")
    } else if let profile {
      coder.encode(ArchivedMutableData(profile, key: profileForm.rawValue), forKey: "NSICC")
    }
    if let model { coder.encode(model, forKey: "NSModel") }
  }

  /// Equal spaces are one object: AppKit has one of each.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    coder.note(sharedAs: "NSColorSpace \(identityText)") { ArchivedInstance(self) }
  }

  /// Another text for each space.
  var identityText: String {
    let numbers = [id, spaceID, model].map { $0.map(String.init) ?? "-" }.joined(separator: " ")
    return "\(numbers) \(profileForm) \(profile?.base64EncodedString() ?? "-")"
  }

  /// Reads what is there; a number or a profile must be.
  public init?(coder: KeyedUnarchiver) throws {
    id = try coder.bare(Int.self, "NSID")
    model = try coder.bare(Int.self, "NSModel")
    spaceID = try coder.bare(Int.self, "NSSpaceID")
    if try coder.kind(forKey: "NSICC") == .dictionary {
      let data = try coder.decode(ArchivedMutableData.self, forKey: "NSICC")
      profile = data.bytes
      profileForm = ProfileForm(exactly: data.key) ?? .mutable
    } else {
      profile = try coder.decodeIfPresent(Data.self, forKey: "NSICC")
      profileForm = .bare
    }
    guard id != nil || profile != nil || spaceID != nil else {
      throw coder.malformed("a color space has neither 'NSID' nor 'NSSpaceID' nor 'NSICC'")
    }
  }
}
