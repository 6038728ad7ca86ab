// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

extension GraphReader {
  /// The keys of values that identify an object, the most telling first; in lower case.
  static let namingKeys: [BytewiseString] = [
    "name", "title", "displayname", "label", "identifier", "id", "uuid", "guid", "uid", "key",
  ]
  /// The longest name, and the longest key of a name with its prefix.
  private static let longestName = 60, longestKey = 20
  /// The number of entries of an object that may be names.
  private static let searchedEntries = 200
  /// The number of values that are tried.
  private static let triedValues = 3

  /// Returns the value that identifies an object: a short string, an integer, or a UUID.
  mutating func name(_ entries: [KeyedArchive.Entry]) -> Meaning? {
    var candidates: [(rank: Int, value: KeyedArchive.StoredValue)] = []
    for entry in entries.prefix(Self.searchedEntries) {
      if let rank = Self.rank(entry.key) { candidates.append((rank, entry.value)) }
    }
    guard !candidates.isEmpty else { return nil }
    // The sort is stable, so of equal keys the first counts.
    candidates.sort { $0.rank < $1.rank }
    for candidate in candidates.prefix(Self.triedValues) {
      if let name = name(candidate.value) { return name }
    }
    return nil
  }

  /// Returns the index of a key in ``namingKeys``, without its prefix; nil for other keys.
  private static func rank(_ key: String) -> Int? {
    guard 2...longestKey ~= key.utf8.count else { return nil }
    let key = key.lowercased()
    for prefix in ["", "ns.", "ns", "ui", "_", "m_"] {
      guard let rest = key.rest(after: prefix) else { continue }
      let word = BytewiseString(String(rest))
      if let rank = namingKeys.firstIndex(of: word) { return rank }
    }
    return nil
  }

  private mutating func name(_ stored: KeyedArchive.StoredValue) -> Meaning? {
    if let text = text(stored) {
      let start = text.unicodeScalars.prefix(Self.longestName)
      return text.isEmpty || start.endIndex < text.endIndex ? nil : Meaning(.name, text, as: .string)
    }
    switch small(stored) {
    case .primitive(.integer(let value))?: return Meaning(.name, "\(value)", as: .number)
    case .primitive(.wideInteger(let high, let low))?:
      return Meaning(.name, "\(WideInteger(high: high, low: low))", as: .number)
    case .instance(let classUID, let entries)?:
      guard isClass(classUID, "NSUUID"), case .data(let bytes)? = entries.first?.value,
        let uuid = UUIDCoding.uuid(bytes)
      else {
        return nil
      }
      return Meaning(.name, uuid.uuidString)
    default: return nil
    }
  }
}
