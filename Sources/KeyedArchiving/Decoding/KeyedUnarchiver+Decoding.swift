// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) package import PropertyListFormat

// Values for keys.
extension KeyedUnarchiver {
  /// Returns whether the archive stores a value for a key, including nil.
  /// - Parameter key: The key of the value.
  /// - Returns: `true` if the current object, or the top level, has the key.
  public func containsValue(forKey key: String) -> Bool { recordingErrors(false) { try storage.state.contains(key) } }

  /// A Boolean value that indicates whether the current object has another unkeyed value.
  public var containsNextValue: Bool { recordingErrors(false) { try storage.state.containsNextValue } }

  /// Returns the result of a call for a key that is absent or stores nil.
  ///
  /// Calls that tell their caller about an absent key, such as `decodeIfPresent` and `containsValue`, do without this.
  @inline(never)
  package func fallback<Value>(_ result: Value, for key: String) -> Value {
    storage.state.noteFallback(forKey: key)
    return result
  }

  @inline(__always)
  package func primitive<Value: PrimitiveValue>(_ type: Value.Type, _ key: String) throws -> Value? {
    guard let item = try storage.state.number(forKey: key) else { return nil }
    if item.count > 16 || Value.self == String.self && item.kind == .utf16 {
      if item.count >= 256 { return try content(type, item) }
      try storage.state.count(text: item)
    }
    return try storage.state.read(type, item)
  }

  /// Decodes a long string or data, or takes it from the cache.
  @inline(never)
  package func content<Value: PrimitiveValue>(_ type: Value.Type, _ item: BinaryItem) throws -> Value {
    guard let value = try cachedContent(type, item) as? Value else {
      throw KeyedArchiveError.mismatch(item, type, storage.state.source)
    }
    return value
  }

  /// Decodes a primitive. A long string or data is cached, because many objects can share it.
  func cachedContent(_ type: any PrimitiveValue.Type, _ item: BinaryItem) throws -> any PrimitiveValue {
    guard item.count >= 256 else {
      try storage.state.count(text: item)
      let value = try type.read(item, storage.state.source)
      try checkHashed(value, item)
      return value
    }
    if let known = valueCache.content(of: type, item) {
      try storage.state.count(repeating: item)
      return known
    }
    try storage.state.charge(reading: item)
    let value = try type.read(item, storage.state.source)
    try checkHashed(value, item)
    valueCache.insert(content: value, type, item)
    return value
  }
}

// Objects of a known type.
extension KeyedUnarchiver {
  /// Decodes the object for a key.
  ///
  /// Only `type`, and the types in its ``KeyedCoding/archiveSubclasses``, are allowed. A reference to an object that is
  /// being decoded is an error. Reference cycles need ``decodeObject(of:forKey:then:)-(Value.Type,_,_)``.
  /// - Parameters:
  ///   - type: The type to decode; also the allow list.
  ///   - key: The key of the object.
  /// - Returns: The object, or nil if the key is absent, stores nil, or the call fails.
  @inlinable
  public func decodeObject<Value: KeyedCoding>(of type: Value.Type, forKey key: String) -> Value? {
    do {
      switch try find(key) {
      case .nothing: return nil
      case .object(let uid): return try Value.decode(ArchiveUID(rawValue: uid), in: self)
      case .outermost(let uid): return try outermost(type, uid)
      case .slowPath: return try object(type, key)
      }
    } catch {
      failWithError(error)
      return nil
    }
  }

  /// Decodes the object for a key and passes it to a closure after the object is complete.
  ///
  /// If the object is complete, the closure runs immediately; otherwise as soon as it is, and always before the
  /// outermost decoding call returns. Use this form for references that can close a cycle, such as one to a parent, and
  /// for chains of any length. The class is checked immediately. A struct or enum that is archived in another form than an
  /// object of its class is decoded immediately.
  /// - Parameters:
  ///   - type: The type to decode; also the allow list.
  ///   - key: The key of the object.
  ///   - deliver: A closure that receives the object.
  /// - Returns: `false` if the key is absent, stores nil, or the call fails.
  @inlinable @discardableResult
  public func decodeObject<Value: KeyedCoding>(
    of type: Value.Type, forKey key: String, then deliver: @escaping (Value) -> Void
  ) -> Bool {
    do {
      return try deferDecoding(type, key, deliver)
    } catch {
      failWithError(error)
      return false
    }
  }

  /// Decodes the object for a key, which must be present, and passes it to a closure after the object is complete.
  ///
  /// In other respects, it is like ``decodeObject(of:forKey:then:)-(Value.Type,_,_)``.
  /// - Parameters:
  ///   - type: The type to decode; also the allow list.
  ///   - key: The key of the object.
  ///   - deliver: A closure that receives the object.
  /// - Throws: ``KeyedArchiveError`` if the reference is damaged or the object's class is not allowed. The code is
  ///   ``KeyedArchiveError/Code/valueNotFound`` if the key is absent or stores nil. An error of the object itself makes the
  ///   outermost decoding call fail.
  public func decode<Value: KeyedCoding>(
    _ type: Value.Type, forKey key: String, then deliver: @escaping (Value) -> Void
  ) throws {
    let isPresent = try throwing { try deferDecoding(type, key, deliver) }
    guard isPresent else { throw thrown(missing(key, type)) }
  }

  /// Decodes the object for a key, and returns whether the archive has one.
  @inlinable @inline(__always)
  func deferDecoding<Value: KeyedCoding>(
    _ type: Value.Type, _ key: String, _ deliver: @escaping (Value) -> Void
  ) throws -> Bool {
    switch try findLater(key, for: ObjectIdentifier(type)) {
    case .nothing: return false
    case .finished(let object):
      guard let value = object as? Value else { return try deferOnSlowPath(type, key, deliver) }
      deliver(value)
    case .later(let uid, let isInProgress):
      postpone(uid, isInProgress) { coder in
        if let value = try coder.delivered(type, uid) { deliver(value) }
      }
    case .slowPath: return try deferOnSlowPath(type, key, deliver)
    }
    return true
  }

  /// Decodes the next unkeyed object.
  /// - Parameter type: The type to decode; also the allow list.
  /// - Returns: The object, or nil if the archive stores nil or the call fails.
  public func decodeObject<Value: KeyedCoding>(of type: Value.Type) -> Value? {
    recordingErrors(nil) {
      guard let uid = try storage.state.nextUnkeyedUID() else { return nil }
      return try complete { try Value.decode(ArchiveUID(rawValue: uid), in: self) }
    }
  }

  /// Decodes the object for a key.
  /// - Parameters:
  ///   - type: The type to decode; also the allow list.
  ///   - key: The key of the object.
  /// - Returns: The object.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged or its class is not allowed. The code is
  ///   ``KeyedArchiveError/Code/valueNotFound`` if the key is absent or stores nil.
  @inlinable
  public func decode<Value: KeyedCoding>(_ type: Value.Type, forKey key: String) throws -> Value {
    if let value = try decodeIfPresent(type, forKey: key) { return value }
    throw thrown(missing(key, type))
  }

  /// Decodes the object for a key, if the archive has one.
  /// - Parameters:
  ///   - type: The type to decode; also the allow list.
  ///   - key: The key of the object.
  /// - Returns: The object, or nil if the key is absent or stores nil.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged or its class is not allowed.
  @inlinable
  public func decodeIfPresent<Value: KeyedCoding>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try throwFailure()
    do {
      switch try findThrowing(key) {
      case .nothing: return nil
      case .object(let uid): return try Value.decode(ArchiveUID(rawValue: uid), in: self)
      case .outermost(let uid): return try outermost(type, uid)
      case .slowPath: return try object(type, key)
      }
    } catch {
      throw thrown(error)
    }
  }

  /// Decodes the object for a top-level key, if the archive has one.
  /// - Parameters:
  ///   - type: The type to decode; also the allow list.
  ///   - key: The top-level key.
  /// - Returns: The object, or nil if the key is absent or stores nil.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged or its class is not allowed.
  @inlinable
  public func decodeTopLevelObject<Value: KeyedCoding>(of type: Value.Type, forKey key: String) throws -> Value? {
    try decodeIfPresent(type, forKey: key)
  }

  @usableFromInline
  package func object<Value: KeyedCoding>(_ type: Value.Type, _ key: String) throws -> Value? {
    switch try storage.state.reference(forKey: key) {
    case .null: return nil
    case .object(let uid):
      guard storage.state.depth > 0 else { return try outermost(type, uid) }
      return try Value.decode(ArchiveUID(rawValue: uid), in: self)
    case .inline(let item): return try inline(type, item).flatMap { $0 as? Value }
    }
  }

  /// Decodes an inline primitive for a request for an object. The caller casts it to the type.
  func inline(_ type: any KeyedCoding.Type, _ item: BinaryItem) throws -> Any? {
    if let primitive = AllowList.primitiveType(type) { return try cachedContent(primitive, item) }
    var type = type
    while let wrapped = (type as? any AnyOptional.Type)?.wrapped { type = wrapped }
    if let decoder = self as AnyObject as? any SingleValueDecoding, let value = try decoder.single(type, item) {
      return value
    }
    _ = try storage.state.source.uid(item)
    return nil
  }

  @usableFromInline @inline(never)
  func missing(_ key: String, _ type: any KeyedCoding.Type) -> KeyedArchiveError {
    let place =
      storage.state.scopes.count > 1
      ? storage.state.place(to: key) : ArchivePlace([ArchivePathStep(.start, key)])
    let keys = storage.state.keys
    let container = storage.state.scopes.count > 1 ? "object" : "archive"
    let found = keys.isEmpty ? "has no keys" : "has the keys \(MessageText.list(keys))"
    return KeyedArchiveError(
      .valueNotFound, "missing value for '\(key)'; expected \(type)", at: place, className: type.archiveClassName,
      remedy: keys.contains { $0.hasSameBytes(as: key) }
        ? "The archive stores nil: use decodeIfPresent for a value that may be nil"
        : "The \(container) \(found): correct the key, or use decodeIfPresent for a value that may be absent")
  }
}

/// A decoder of structs and enums that are archived as a single value, as those of Codable types can be.
///
/// Requests for objects depend on this protocol only. `KeyedUnarchiver` conforms to it where it decodes Codable types.
protocol SingleValueDecoding: AnyObject {
  /// Decodes an inline value. Returns nil if values of the type are not archived as a single value.
  func single(_ type: any KeyedCoding.Type, _ item: BinaryItem) throws -> Any?
}

/// The result of looking up a key.
@usableFromInline
enum LookupResult {
  case nothing
  case object(UInt32)
  /// An object that is requested while no other is being decoded.
  case outermost(UInt32)
  /// An inline value.
  case slowPath
}

// Code that the calls above share for all types.
extension KeyedUnarchiver {
  /// Looks up a key. After a failure outside of all initializers, the result is `.nothing`.
  @usableFromInline
  func find(_ key: String) throws -> LookupResult {
    guard !storage.state.callerHasFailed, !isFinished else {
      refuseFinished()
      return .nothing
    }
    let result = try findThrowing(key)
    if case .nothing = result { return fallback(result, for: key) }
    return result
  }

  /// Looks up a key for a call that throws, and that tells its caller about an absent key.
  @usableFromInline
  func findThrowing(_ key: String) throws -> LookupResult {
    switch try storage.state.reference(forKey: key) {
    case .null: .nothing
    case .object(let uid): storage.state.depth > 0 ? .object(uid) : .outermost(uid)
    case .inline: .slowPath
    }
  }

  @usableFromInline
  func findLater(_ key: String, for request: ObjectIdentifier) throws -> DeferredLookupResult {
    switch try find(key) {
    case .nothing: return .nothing
    case .slowPath, .outermost: return .slowPath
    case .object(let uid):
      guard storage.state.currentAllowList == nil else { return .slowPath }
      return try storage.state.progress(of: uid, for: request)
    }
  }

  /// Throws the recorded error, if any.
  @usableFromInline
  func throwFailure() throws {
    if isFinished { refuseFinished() }
    if storage.state.hasFailed, let failure = storage.state.failure { throw failure }
  }

  /// Returns an error with its location. Throwing calls use it.
  @usableFromInline @inline(never)
  func thrown(_ error: any Error) -> any Error {
    let error = located(KeyedArchiveError(wrapping: error))
    // Inside an initializer, which can catch the error and continue, the error is not recorded.
    if storage.state.frame == 0, decodingFailurePolicy == .setErrorAndReturn { fail(error) }
    return error
  }
}
