// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) package import PropertyListFormat

// What values need to read their keys.
extension KeyedUnarchiver {
  /// A count, which no reader may believe before it has seen as many bytes.
  package func count(_ key: String) throws -> Int {
    let count = try needed(Int.self, key)
    guard count >= 0 else { throw malformed("'\(key)' is \(count), which is no count") }
    return count
  }

  /// A real that is a number.
  package func finite(_ key: String) throws -> Double {
    let value = try needed(Double.self, key)
    guard value.isFinite else { throw malformed("'\(key)' is \(value)") }
    return value
  }

  /// An integer where a real is wanted is one; Apple's coders take either.
  package func real(_ key: String) throws -> Double? {
    guard let number = try bare(ArchiveNumber.self, key) else { return nil }
    guard let value = number.real ?? number.integer.map(Double.init), value.isFinite else {
      throw malformed("'\(key)' must be a number, it is \(number)")
    }
    return value
  }

  /// Bytes stored inside the object, or as an object of their own.
  package func octets(_ key: String) throws -> [UInt8]? {
    try object(Data.self, key).map { [UInt8]($0) }
  }
}

extension KeyedCoding {
  /// The value that an initialiser makes of the object that is being decoded.
  package static func made(by coder: KeyedUnarchiver) throws -> Self {
    guard let value = try Self(coder: coder) else { throw coder.malformed("init(coder:) of \(Self.self) returned nil") }
    return value
  }
}

// What values need that hold objects of any class.
extension KeyedUnarchiver {
  /// The elements of the collection that is being decoded, under the list in force.
  package func untypedElements() throws -> [any KeyedCoding] {
    try elements(.objects, path: .elements) { try decodeAllowed($0) }
  }

  /// Makes an object that the list in force allows.
  package func decodeAllowed(forKey key: String) throws -> (any KeyedCoding)? {
    try storage.state.uid(forKey: key).flatMap { try decodeAllowed($0) }
  }

  /// Makes an object that a list allows, or a string, number or data, stored in whichever way.
  package func decodeAny(forKey key: String, under list: @autoclosure () -> AllowList) throws -> (any KeyedCoding)? {
    switch try storage.state.reference(forKey: key) {
    case .none: return nil
    case .object(let uid): return try withAllowList(list()) { try decodeAllowed(uid) }
    case .inline(let item):
      if ArchiveNumber.accepts(item, storage.state.source) { return try storage.state.read(ArchiveNumber.self, item) }
      if String.accepts(item, storage.state.source) { return try storage.state.read(String.self, item) }
      return try storage.state.read(Data.self, item)
    }
  }

  /// Has the value that the innermost object becomes kept at once: what is asked for again must be the same one.
  package func keepIdentity() { storage.state.keepIdentity() }

  /// How the value for a key is stored: `dictionary` for an object with a class record; nil if there is none.
  package func kind(forKey key: String) throws -> BinaryItem.Kind? {
    switch try storage.state.reference(forKey: key) {
    case .none: nil
    case .object(let uid): try storage.state.source.entry(uid).kind
    case .inline(let item): item.kind
    }
  }

  /// The way to a value of the object that is being decoded, or to that object.
  package func keyPath(to key: String? = nil) -> String {
    if let key { storage.state.keyPath(to: key) } else { storage.state.keyPath() }
  }
}
