// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

// What built-in values need to read their keys.
extension KeyedUnarchiver {
  /// Makes an object of any class: as one of the types on the list in force, else as the type that stands for the class,
  /// else as ``ArchivedObject``. None of these does more than hold what was read.
  func content(forKey key: String) throws -> (any KeyedCoding)? {
    switch try storage.state.reference(forKey: key) {
    case .none: return nil
    case .object(let uid): return try withAllowList(contentList) { try decodeAllowed(uid) }
    case .inline(let item):
      if ArchiveNumber.accepts(item, storage.state.source) { return try storage.state.read(ArchiveNumber.self, item) }
      if String.accepts(item, storage.state.source) { return try storage.state.read(String.self, item) }
      return try storage.state.read(Data.self, item)
    }
  }

  /// Makes a value under the list for ``content(forKey:)``, for a type whose elements are of any class.
  func content<Value: KeyedCoding>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try withAllowList(contentList) { try object(type, key) }
  }

  /// The list in force and the known value types. Only where a type was asked for, and no list is in force, is what has
  /// any other class made as data; a list would be widened by that.
  private var contentList: AllowList {
    guard let outer = allowedClasses?.types else { return list(of: KeyedUnarchiver.valueTypes) }
    if outer.contains(where: { $0 is ArchivedObject.Type }) { return list(of: outer) }
    return list(of: outer + KeyedUnarchiver.valueTypes.filter { !($0 is ArchivedObject.Type) })
  }

  /// A count, which no reader may believe before it has seen as many bytes.
  func count(_ key: String) throws -> Int {
    let count = try needed(Int.self, key)
    guard count >= 0 else { throw malformed("'\(key)' is \(count), which is no count") }
    return count
  }

  /// A real that is a number.
  func finite(_ key: String) throws -> Double {
    let value = try needed(Double.self, key)
    guard value.isFinite else { throw malformed("'\(key)' is \(value)") }
    return value
  }

  /// An integer where a real is wanted is one; Apple's coders take either.
  func real(_ key: String) throws -> Double? {
    guard let number = try bare(ArchiveNumber.self, key) else { return nil }
    guard let value = number.real ?? number.integer.map(Double.init), value.isFinite else {
      throw malformed("'\(key)' must be a number, it is \(number)")
    }
    return value
  }

  /// Bytes stored inside the object, or as an object of their own.
  func octets(_ key: String) throws -> [UInt8]? {
    try object(Data.self, key).map { [UInt8]($0) }
  }
}

extension KeyedCoding {
  /// The value that an initialiser makes of the object that is being decoded.
  static func made(by coder: KeyedUnarchiver) throws -> Self {
    guard let value = try Self(coder: coder) else { throw coder.malformed("init(coder:) of \(Self.self) returned nil") }
    return value
  }
}
