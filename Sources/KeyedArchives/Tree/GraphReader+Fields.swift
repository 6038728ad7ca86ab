// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Reading values for a meaning. A value that is missing, of another kind or large is nil, never an error. The reads
/// are charged to ``GraphReader/meaningBudget``, because many objects may refer to the same values.
extension GraphReader {
  /// The estimated memory of an object that is read, and of one with text or data to decode.
  private static let smallWeight: Int64 = 2048, textWeight: Int64 = 1 << 16

  /// Returns a primitive, or the object of a reference.
  mutating func small(_ stored: KeyedArchive.StoredValue?, limit: Int64 = smallWeight) -> KeyedArchive.Object? {
    switch stored {
    case nil, .reference(.null)?: return nil
    case .reference(let uid)?:
      guard meaningBudget.take(ExpansionBudget.element),
        !archive.isObject(uid, heavierThan: limit, budget: &meaningBudget)
      else { return nil }
      return try? archive.object(uid, budget: &meaningBudget)
    case .array?, .dictionary?: return nil
    case let value?: return .primitive(value)
    }
  }

  /// Returns a string, which may be mutable or inline.
  mutating func text(_ stored: KeyedArchive.StoredValue?, isLong: Bool = false) -> String? {
    switch small(stored, limit: isLong ? Self.textWeight : Self.smallWeight) {
    case .primitive(.string(let text))?: return text
    case .instance(_, let entries)? where entries.count == 1 && entries[0].key == "NS.string":
      guard case .string(let text) = entries[0].value else { return nil }
      return text
    default: return nil
    }
  }

  /// Returns data, which may be mutable or inline.
  mutating func bytes(_ stored: KeyedArchive.StoredValue?) -> Data? {
    switch small(stored, limit: Self.textWeight) {
    case .primitive(.data(let bytes))?: return bytes
    case .instance(_, let entries)? where entries.count == 1 && ["NS.data", "NS.bytes"].contains(entries[0].key):
      guard case .data(let bytes) = entries[0].value else { return nil }
      return bytes
    default: return nil
    }
  }

  /// Returns an integer, boxed or inline.
  mutating func integer(_ stored: KeyedArchive.StoredValue?) -> Int? {
    guard case .primitive(.integer(let value))? = small(stored) else { return nil }
    return Int(exactly: value)
  }

  /// Returns a number of any kind, if it is finite.
  mutating func real(_ stored: KeyedArchive.StoredValue?) -> Double? {
    let value: Double
    switch small(stored) {
    case .primitive(.integer(let number))?: value = Double(number)
    // The digits of the short form: 0.1 instead of 0.10000000149011612.
    case .primitive(.float(let number))?: value = Double("\(number)") ?? Double(number)
    case .primitive(.double(let number))?: value = number
    default: return nil
    }
    return value.isFinite ? value : nil
  }

  /// Returns the class name and the entries of a small object.
  mutating func object(_ stored: KeyedArchive.StoredValue?) -> (name: String, entries: [KeyedArchive.Entry])? {
    guard case .instance(let classUID, let entries)? = small(stored), let name = try? className(classUID) else {
      return nil
    }
    return (name.stored, entries)
  }

  mutating func isClass(_ uid: ArchiveUID, _ name: String) -> Bool { (try? className(uid))?.stored == name }

  /// Returns the numbers in the data of index sets and index paths: 7 bits in each byte, the lowest first.
  static func varints(_ bytes: Data, limit: Int) -> [UInt64]? {
    var numbers: [UInt64] = []
    var number: UInt64 = 0
    var shift = 0
    for byte in bytes {
      guard shift < 63 else { return nil }
      number |= UInt64(byte & 0x7F) << UInt64(shift)
      shift += 7
      guard byte < 0x80 else { continue }
      numbers.append(number)
      (number, shift) = (0, 0)
      if numbers.count > limit { break }
    }
    return shift == 0 ? numbers : nil
  }
}

extension [KeyedArchive.Entry] {
  /// Returns the first value of a key.
  subscript(key: String) -> KeyedArchive.StoredValue? { first { $0.key == key }?.value }
}
