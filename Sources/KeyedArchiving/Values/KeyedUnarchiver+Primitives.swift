// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
@_spi(Archiving) package import PropertyListFormat

// Primitives. They may be inline or boxed, so one reader reads the archives of coders with and without secure coding.
extension KeyedUnarchiver {
  /// Decodes the Boolean for a key. A value of another type is an error.
  /// - Parameter key: The key of the value.
  /// - Returns: The value, or `false` if the key is absent or the call fails.
  public func decodeBool(forKey key: String) -> Bool {
    recordingErrors(false) { try primitive(Bool.self, key) } ?? fallback(false, for: key)
  }

  /// Decodes the integer for a key. A value of another type, or out of range, is an error.
  /// - Parameter key: The key of the value.
  /// - Returns: The value, or 0 if the key is absent or the call fails.
  public func decodeInteger(forKey key: String) -> Int {
    recordingErrors(0) { try primitive(Int.self, key) } ?? fallback(0, for: key)
  }

  /// Decodes the integer for a key. A value of another type, or out of range, is an error.
  /// - Parameter key: The key of the value.
  /// - Returns: The value, or 0 if the key is absent or the call fails.
  public func decodeInt32(forKey key: String) -> Int32 {
    recordingErrors(0) { try primitive(Int32.self, key) } ?? fallback(0, for: key)
  }

  /// Decodes the integer for a key. A value of another type, or out of range, is an error.
  /// - Parameter key: The key of the value.
  /// - Returns: The value, or 0 if the key is absent or the call fails.
  public func decodeInt64(forKey key: String) -> Int64 {
    recordingErrors(0) { try primitive(Int64.self, key) } ?? fallback(0, for: key)
  }

  /// Decodes the real for a key. A value of another type, or beyond the range of a 4-byte real, is an error.
  /// - Parameter key: The key of the value.
  /// - Returns: The value, or 0 if the key is absent or the call fails.
  public func decodeFloat(forKey key: String) -> Float {
    recordingErrors(0) { try primitive(Float.self, key) } ?? fallback(0, for: key)
  }

  /// Decodes the real for a key. A value of another type is an error.
  /// - Parameter key: The key of the value.
  /// - Returns: The value, or 0 if the key is absent or the call fails.
  public func decodeDouble(forKey key: String) -> Double {
    recordingErrors(0) { try primitive(Double.self, key) } ?? fallback(0, for: key)
  }

  /// Decodes the inline or boxed data for a key.
  /// - Parameter key: The key of the value.
  /// - Returns: The data, or nil if the key is absent, stores nil, or the call fails.
  public func decodeBytes(forKey key: String) -> Data? {
    recordingErrors(nil) { try primitive(Data.self, key) } ?? fallback(nil, for: key)
  }

  /// Decodes the data for a key, which must have a minimum length.
  /// - Parameters:
  ///   - key: The key of the value.
  ///   - length: The minimum number of bytes. Shorter data is an error.
  /// - Returns: The data, or nil if the key is absent, stores nil, or the call fails.
  public func decodeBytes(forKey key: String, minimumLength length: Int) -> Data? {
    recordingErrors(nil) {
      guard let bytes = try primitive(Data.self, key) else { return nil }
      guard bytes.count >= length else {
        throw malformed("data too short: '\(key)' has \(bytes.count) bytes; expected at least \(length)")
      }
      return bytes
    } ?? fallback(nil, for: key)
  }

  /// Decodes the string for a key.
  /// - Parameter key: The key of the value.
  /// - Returns: The string, or nil if the key is absent, stores nil, or the call fails.
  public func decodeString(forKey key: String) -> String? {
    recordingErrors(nil) { try object(String.self, key) } ?? fallback(nil, for: key)
  }
}

// Values of the current object.
extension KeyedUnarchiver {
  /// Decodes a count. It is untrusted: callers must not allocate memory for it before they have seen the elements.
  package func count(_ key: String) throws -> Int {
    let count = try needed(Int.self, key)
    guard count >= 0 else { throw malformed("invalid '\(key)': found \(count); expected 0 or more") }
    return count
  }

  /// Decodes a position. Writers with 64-bit integers store `NSNotFound` as the largest of these, which can exceed
  /// `Int.max`.
  package func position(_ key: String) throws -> Int {
    try primitive(Int64.self, key) == .max ? .max : count(key)
  }

  /// Decodes flags, of which the highest bit may not fit into `Int`.
  package func flags(_ key: String) throws -> Int? {
    guard let value = try primitive(Int64.self, key) else { return nil }
    guard let bits = UInt(exactly: value) else { return try primitive(Int.self, key) }
    return Int(bitPattern: bits)
  }
}

extension Int {
  /// The stored form of a position: the largest integer is that of writers with 64 bits.
  package var storedPosition: Int64 { self == .max ? .max : Int64(self) }

  /// The stored form of flags. Where `Int` has 32 bits, its sign is the highest flag.
  package var storedFlags: Int64 { Int64(truncatingIfNeeded: UInt(bitPattern: self)) }
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
      // Many objects can share a long one.
      if item.count >= 256 {
        return String.accepts(item, storage.state.source)
          ? try content(String.self, item) : try content(Data.self, item)
      }
      try storage.state.count(text: item)
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

  /// Returns the UID of the object for a key; nil if the value is inline, null or absent.
  package func uidOfObject(forKey key: String) throws -> UInt32? {
    if case .object(let uid) = try storage.state.reference(forKey: key) { uid } else { nil }
  }

  /// Returns the place of a value of the current object, or of that object.
  package func place(to key: String? = nil) -> ArchivePlace {
    if let key { storage.state.place(to: key) } else { storage.state.place() }
  }
}
