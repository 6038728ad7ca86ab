// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// An `NSPersonNameComponents`. With `KeyedArchivingFoundation`, Foundation's `PersonNameComponents` has the same
/// archived form.
///
/// Apple stores one object of a private class, which has the components. swift-corelibs-foundation stores the components
/// themselves. A new value is stored in both forms, each of which the other reader ignores.
public struct ArchivedPersonNameComponents: SecureKeyedCoding, Hashable, Sendable {
  /// The prefix, such as "Dr.".
  public var namePrefix: String?
  /// The given name.
  public var givenName: String?
  /// The middle names.
  public var middleName: String?
  /// The family name.
  public var familyName: String?
  /// The suffix, such as "Jr.".
  public var nameSuffix: String?
  /// The nickname.
  public var nickname: String?
  /// The pronunciation of the components.
  public var phoneticRepresentation: ArchivedPersonNameComponents? {
    get { phonetic?.name }
    set { phonetic = newValue.map { Box($0) } }
  }
  private var phonetic: Box?
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()
  /// The values for unknown keys of the private object.
  fileprivate var otherValuesOfData = OtherValues()
  /// Whether the components are also stored as swift-corelibs-foundation stores them.
  private var hasOwnKeys = true

  /// A name in a name. Copies are recognized by their identity.
  private final class Box: Sendable {
    let name: ArchivedPersonNameComponents

    init(_ name: ArchivedPersonNameComponents) { self.name = name }
  }

  /// Creates empty components.
  public init() {}

  /// Returns whether all properties are equal. Compares strings by their bytes.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether all properties are equal.
  public static func == (a: Self, b: Self) -> Bool {
    // A loop, because the pronunciation is a name, which can have one too.
    var (a, b) = (a, b)
    while a.hasSameValues(as: b) {
      if a.phonetic === b.phonetic { return true }
      guard let first = a.phonetic, let second = b.phonetic else { return false }
      (a, b) = (first.name, second.name)
    }
    return false
  }

  /// Returns whether all properties except the pronunciations are equal.
  private func hasSameValues(as other: Self) -> Bool {
    hasSameTexts(as: other) && otherValues == other.otherValues && otherValuesOfData == other.otherValuesOfData
  }

  private func hasSameTexts(as other: Self) -> Bool {
    namePrefix == other.namePrefix && givenName == other.givenName && middleName == other.middleName
      && familyName == other.familyName && nameSuffix == other.nameSuffix && nickname == other.nickname
  }

  /// Hashes the texts.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(namePrefix)
    hasher.combine(givenName)
    hasher.combine(middleName)
    hasher.combine(familyName)
    hasher.combine(nameSuffix)
    hasher.combine(nickname)
  }

  /// The archived class name, `NSPersonNameComponents`.
  public static var archiveClassName: String { "NSPersonNameComponents" }

  /// Encodes all components.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(PersonNameData(name: self), forKey: PersonNameData.key)
    if hasOwnKeys { encodeTexts(with: coder) }
    otherValues.encode(with: coder)
  }

  /// Decodes the stored components in either form. If the forms differ, the private object has precedence, as for Apple's
  /// decoder, and the other texts are among ``otherValues``.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is malformed.
  public init?(coder: KeyedUnarchiver) throws {
    try decodeTexts(coder)
    var known = [PersonNameData.key]
    if let data = try coder.decodeIfPresent(PersonNameData.self, forKey: PersonNameData.key) {
      let own = self
      self = data.name
      hasOwnKeys = Self.texts.contains { coder.containsValue(forKey: $0.key) } && own.hasSameTexts(as: self)
    }
    if hasOwnKeys { known += Self.texts.map(\.key) }
    otherValues = try coder.otherValues(except: known)
  }

  fileprivate func encodeTexts(with coder: KeyedArchiver) {
    for (key, path) in Self.texts { coder.encode(self[keyPath: path], forKey: key) }
  }

  fileprivate mutating func decodeTexts(_ coder: KeyedUnarchiver) throws {
    for (key, path) in Self.texts { self[keyPath: path] = try coder.decodeIfPresent(String.self, forKey: key) }
  }

  /// The components in the order in which Apple encodes them.
  fileprivate static let texts: [(key: String, path: any WritableKeyPath<Self, String?> & Sendable)] = [
    ("NS.givenName", \.givenName), ("NS.familyName", \.familyName), ("NS.middleName", \.middleName),
    ("NS.namePrefix", \.namePrefix), ("NS.nameSuffix", \.nameSuffix), ("NS.nickname", \.nickname),
  ]
}

/// The private object of an `NSPersonNameComponents`.
private struct PersonNameData: SecureKeyedCoding {
  static let key = "NS.nameComponentsPrivate"
  private static let phoneticKey = "NS.phoneticRepresentation"

  var name: ArchivedPersonNameComponents

  init(name: ArchivedPersonNameComponents) { self.name = name }

  static var archiveClassName: String { "_NSPersonNameComponentsData" }

  func encode(with coder: KeyedArchiver) {
    name.encodeTexts(with: coder)
    coder.encode(name.phoneticRepresentation, forKey: Self.phoneticKey)
    name.otherValuesOfData.encode(with: coder)
  }

  init?(coder: KeyedUnarchiver) throws {
    name = ArchivedPersonNameComponents()
    try name.decodeTexts(coder)
    name.phoneticRepresentation = try coder.decodeIfPresent(
      ArchivedPersonNameComponents.self, forKey: Self.phoneticKey)
    name.otherValuesOfData = try coder.otherValues(
      except: ArchivedPersonNameComponents.texts.map(\.key) + [Self.phoneticKey])
  }
}
