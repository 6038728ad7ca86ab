// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) package import PropertyListFormat

// Values of the current object.
extension KeyedUnarchiver {
  /// Decodes a count. It is untrusted: callers must not allocate memory for it before they have seen the elements.
  package func count(_ key: String) throws -> Int {
    let count = try needed(Int.self, key)
    guard count >= 0 else { throw malformed("invalid '\(key)': found \(count); expected 0 or more") }
    return count
  }
}

extension KeyedCoding {
  /// Decodes the current object as a value of this type.
  package static func made(by coder: KeyedUnarchiver) throws -> Self {
    guard let value = try Self(coder: coder) else { throw coder.malformed("init(coder:) of \(Self.self) returned nil") }
    return value
  }
}

// Contents of any class.
extension KeyedUnarchiver {
  /// Decodes the elements of the current collection under the current allow list.
  package func untypedElements() throws -> [any KeyedCoding] {
    try elements(.objects, path: .elements) { try decodeAllowed($0) }
  }

  /// Decodes an object under the current allow list.
  package func decodeAllowed(forKey key: String) throws -> (any KeyedCoding)? {
    try storage.state.uid(forKey: key).flatMap { try decodeAllowed($0) }
  }

  /// Decodes an object that a list allows, or an inline or boxed primitive.
  package func decodeAny(forKey key: String, under list: @autoclosure () -> AllowList) throws -> (any KeyedCoding)? {
    switch try storage.state.reference(forKey: key) {
    case .null: return nil
    case .object(let uid): return try withAllowList(list()) { try decodeAllowed(uid) }
    case .inline(let item):
      if ArchiveNumber.accepts(item, storage.state.source) { return try storage.state.read(ArchiveNumber.self, item) }
      if String.accepts(item, storage.state.source) { return try storage.state.read(String.self, item) }
      return try storage.state.read(Data.self, item)
    }
  }

  /// Caches the current object's value at its first decode, because later requests must return the same one.
  package func cacheImmediately() { storage.state.cacheImmediately() }

  /// Checks the name of a locale or time zone before Foundation searches it. The search takes quadratic time in runs of
  /// combining marks. Valid names have at most some hundred bytes.
  func checkName(_ name: String, forKey key: String) throws {
    guard name.utf8.count <= 1024 else {
      throw KeyedArchiveError(
        .malformedValue, "invalid '\(key)': found a name of \(name.utf8.count) bytes; expected at most 1024",
        at: place(to: key))
    }
  }

  /// Returns the kind of the value for a key, which is `dictionary` for an object with a class record. The result is
  /// nil if the key is absent or its value is null.
  package func kind(forKey key: String) throws -> BinaryItem.Kind? {
    try storage.state.number(forKey: key)?.kind
  }

  /// Returns the place of a value of the current object, or of that object.
  package func place(to key: String? = nil) -> ArchivePlace {
    if let key { storage.state.place(to: key) } else { storage.state.place() }
  }
}
