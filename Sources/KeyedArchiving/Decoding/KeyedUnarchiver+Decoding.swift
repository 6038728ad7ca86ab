// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
@_spi(Archiving) package import PropertyListFormat

// Numbers and bytes. They may be stored inside the object or as objects of their own, so one reader reads the layouts of
// coders with and without secure coding.
extension KeyedUnarchiver {
  /// Whether there is a value for a key, be it nil.
  public func containsValue(forKey key: String) -> Bool { kept(false) { try storage.state.contains(key) } }

  /// Whether there is one more value that was encoded without a key.
  public var containsNextValue: Bool { kept(false) { try storage.state.containsNextValue } }

  /// The boolean for a key; false if there is none. A value that is no boolean is an error.
  public func decodeBool(forKey key: String) -> Bool { kept(false) { try bare(Bool.self, key) } ?? false }

  /// The integer for a key; 0 if there is none. A value that is no integer, or out of range, is an error.
  public func decodeInteger(forKey key: String) -> Int { kept(0) { try bare(Int.self, key) } ?? 0 }

  /// The integer for a key; 0 if there is none. A value that is no integer, or out of range, is an error.
  public func decodeInt32(forKey key: String) -> Int32 { kept(0) { try bare(Int32.self, key) } ?? 0 }

  /// The integer for a key; 0 if there is none. A value that is no integer, or out of range, is an error.
  public func decodeInt64(forKey key: String) -> Int64 { kept(0) { try bare(Int64.self, key) } ?? 0 }

  /// The real for a key; 0 if there is none. A value that is no real, or beyond a 4-byte real's range, is an error.
  public func decodeFloat(forKey key: String) -> Float { kept(0) { try bare(Float.self, key) } ?? 0 }

  /// The real for a key; 0 if there is none. A value that is no real is an error.
  public func decodeDouble(forKey key: String) -> Double { kept(0) { try bare(Double.self, key) } ?? 0 }

  /// The bytes for a key, stored inside the object or as an object of their own; nil if there are none.
  public func decodeBytes(forKey key: String) -> Data? { kept(nil) { try bare(Data.self, key) } }

  /// The bytes for a key; nil if there are none. Fewer than `length` of them are an error.
  public func decodeBytes(forKey key: String, minimumLength length: Int) -> Data? {
    kept(nil) {
      guard let bytes = try bare(Data.self, key) else { return nil }
      guard bytes.count >= length else {
        throw malformed("'\(key)' holds \(bytes.count) bytes, where at least \(length) are needed")
      }
      return bytes
    }
  }

  /// The string for a key; nil if there is none.
  public func decodeString(forKey key: String) -> String? { kept(nil) { try object(String.self, key) } }

  @inline(__always)
  package func bare<Value: PrimitiveValue>(_ type: Value.Type, _ key: String) throws -> Value? {
    guard let item = try storage.state.number(forKey: key) else { return nil }
    if item.count >= 256 { return try content(type, item) }
    return try storage.state.read(type, item)
  }

  /// A long text or data, which many objects may share: all of them get the same one.
  @inline(never)
  package func content<Value: PrimitiveValue>(_ type: Value.Type, _ item: BinaryItem) throws -> Value {
    if let known = keptValues.content(of: type, item) { return known }
    try storage.state.spend(item.weight)
    let value = try Value.read(item, storage.state.source)
    try checkHashed(value)
    keptValues.keep(content: value, item)
    return value
  }
}

// Objects of a type that is known.
extension KeyedUnarchiver {
  /// The object for a key; nil if there is none.
  ///
  /// Nothing but `type`, and what it names in ``KeyedCoding/archiveSubclasses``, is made. An object that is being decoded
  /// further up is an error here; use ``decodeObject(of:forKey:then:)-(Value.Type,_,_)`` where references may run in
  /// circles.
  @inlinable
  public func decodeObject<Value: KeyedCoding>(of type: Value.Type, forKey key: String) -> Value? {
    do {
      switch try find(key) {
      case .nothing: return nil
      case .object(let uid): return try Value._decode(from: ArchiveUID(rawValue: uid), self)
      case .outermost(let uid): return try outermost(type, uid)
      case .special: return try object(type, key)
      }
    } catch {
      keep(error)
      return nil
    }
  }

  /// Hands over the object for a key when it is complete: at once if it is, else as soon as it is, and always before the
  /// outermost decoding call returns.
  ///
  /// This is the form for references that may run in circles, such as that to a parent, and for chains of any length. The
  /// class is checked at once.
  /// - Returns: whether there is an object for the key.
  @inlinable @discardableResult
  public func decodeObject<Value: KeyedCoding>(
    of type: Value.Type, forKey key: String, then deliver: @escaping (Value) -> Void
  ) -> Bool {
    do {
      switch try findLater(key, for: ObjectIdentifier(type)) {
      case .nothing: return false
      case .finished(let object):
        guard let value = object as? Value else { return try deferSpecial(type, key, deliver) }
        deliver(value)
      case .later(let uid, let isInProgress):
        postpone(uid, isInProgress) { coder in
          if let value = try Value._decode(from: ArchiveUID(rawValue: uid), coder) { deliver(value) }
        }
      case .special: return try deferSpecial(type, key, deliver)
      }
      return true
    } catch {
      keep(error)
      return false
    }
  }

  /// The next object that was encoded without a key; nil if nil was.
  public func decodeObject<Value: KeyedCoding>(of type: Value.Type) -> Value? {
    kept(nil) {
      guard let uid = try storage.state.nextUnkeyedUID() else { return nil }
      return try complete { try Value._decode(from: ArchiveUID(rawValue: uid), self) }
    }
  }

  /// The object for a key.
  /// - Throws: ``KeyedArchiveError``, with code ``KeyedArchiveError/Code/valueNotFound`` if there is none.
  @inlinable
  public func decode<Value: KeyedCoding>(_ type: Value.Type, forKey key: String) throws -> Value {
    if let value = try decodeIfPresent(type, forKey: key) { return value }
    throw thrown(missing(key, type))
  }

  /// The object for a key; nil if there is none.
  /// - Throws: ``KeyedArchiveError`` if there is one that is not as it should be.
  @inlinable
  public func decodeIfPresent<Value: KeyedCoding>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try throwFailure()
    do {
      switch try findThrowing(key) {
      case .nothing: return nil
      case .object(let uid): return try Value._decode(from: ArchiveUID(rawValue: uid), self)
      case .outermost(let uid): return try outermost(type, uid)
      case .special: return try object(type, key)
      }
    } catch {
      throw thrown(error)
    }
  }

  /// The object for a top-level key; nil if there is none.
  /// - Throws: ``KeyedArchiveError`` if there is one that is not as it should be.
  @inlinable
  public func decodeTopLevelObject<Value: KeyedCoding>(of type: Value.Type, forKey key: String) throws -> Value? {
    try decodeIfPresent(type, forKey: key)
  }

  /// The array for a key, each of whose elements is of a type; nil if there is none.
  @inlinable
  public func decodeArrayOfObjects<Element: KeyedCoding>(ofClass type: Element.Type, forKey key: String) -> [Element]? {
    decodeObject(of: [Element].self, forKey: key)
  }

  /// The dictionary for a key, all of whose keys and values are of a type each; nil if there is none.
  public func decodeDictionary<Key: KeyedCoding & Hashable, Value: KeyedCoding>(
    withKeyClass keyType: Key.Type, objectClass valueType: Value.Type, forKey key: String
  ) -> [Key: Value]? {
    decodeObject(of: [Key: Value].self, forKey: key)
  }

  @usableFromInline
  package func object<Value: KeyedCoding>(_ type: Value.Type, _ key: String) throws -> Value? {
    switch try storage.state.reference(forKey: key) {
    case .none: return nil
    case .object(let uid): return try complete { try Value._decode(from: ArchiveUID(rawValue: uid), self) }
    case .inline(let item): return try inline(type, item)
    }
  }

  /// A number or data that is stored inline, where an object is asked for.
  func inline<Value: KeyedCoding>(_ type: Value.Type, _ item: BinaryItem) throws -> Value? {
    guard let bare = (type as? any AnyOptional.Type)?.wrappedType ?? type as? any PrimitiveValue.Type else {
      if let codable = type as? any KeyedCodable.Type, !(type is AnyClass) {
        return try single(codable, .inline(item), codable) as? Value
      }
      _ = try storage.state.source.uid(item)
      return nil
    }
    return try content(bare, item) as? Value
  }

  @usableFromInline @inline(never)
  func missing(_ key: String, _ type: any KeyedCoding.Type) -> KeyedArchiveError {
    let path = storage.state.scopes.count > 1 ? storage.state.keyPath(to: key) : key
    return KeyedArchiveError(
      .valueNotFound, "there is no value for '\(key)', where \(type) is needed", keyPath: path,
      className: type.archiveClassName)
  }
}

// Deferred references.
extension KeyedUnarchiver {
  /// Runs a step of decoding; if it is the outermost one, all deferred references are delivered before it ends.
  @inline(__always)
  package func complete<Value>(_ body: () throws -> Value) throws -> Value {
    guard storage.state.depth == 0 else { return try body() }
    return try completeOutermost(body)
  }

  private func completeOutermost<Value>(_ body: () throws -> Value) throws -> Value {
    guard beginOutermost() else { return try body() }
    do {
      let value = try body()
      try endOutermost()
      return value
    } catch {
      throw abandonOutermost(error)
    }
  }

  /// Makes the outermost object.
  @inlinable @inline(never)
  func outermost<Value: KeyedCoding>(_ type: Value.Type, _ uid: UInt32) throws -> Value? {
    guard beginOutermost() else { return try Value._decode(from: ArchiveUID(rawValue: uid), self) }
    do {
      let value = try Value._decode(from: ArchiveUID(rawValue: uid), self)
      try endOutermost()
      return value
    } catch {
      throw abandonOutermost(error)
    }
  }

  /// Begins a caller's outermost step; false if it is the delivery of a deferred reference.
  @usableFromInline
  func beginOutermost() -> Bool {
    if deferred.isDraining { return false }
    let released = storage.state.beginCall()
    withExtendedLifetime(released) {}
    return true
  }

  @usableFromInline
  func endOutermost() throws { if !deferred.isEmpty { try drain() } }

  @usableFromInline
  func abandonOutermost(_ error: any Error) -> any Error {
    release(storage.state.abandonCall())
    return error
  }

  private func drain() throws {
    deferred.isDraining = true
    storage.state.isDetached = true
    defer {
      deferred.isDraining = false
      storage.state.isDetached = false
    }
    while let deliver = deferred.next() { try run(deliver) }
  }

  /// Delivers a deferred reference. Errors of nonthrowing calls in it are its own.
  private func run(_ deliver: DeferredReferences.Delivery) throws {
    storage.state.beginDelivery()
    var thrown: (any Error)?
    do { try deliver(self) } catch { thrown = error }
    if let error = storage.state.endDelivery() ?? thrown { throw error }
  }

  func `defer`<Value: KeyedCoding>(
    _ type: Value.Type, _ uid: UInt32, _ deliver: @escaping (Value) -> Void
  ) throws -> Bool {
    guard try inspect(uid, for: type) else { return false }
    // Made later or at once, it is made under the list that is in force now.
    let list = allowedClasses
    let make: DeferredReferences.Delivery = { coder in
      let value = try coder.withAllowList(list) { try Value._decode(from: ArchiveUID(rawValue: uid), coder) }
      if let value { deliver(value) }
    }
    return try later(uid, as: made(uid, for: type), make)
  }

  /// The type that is made of an object, whose class was judged, where a type is asked for.
  private func made(_ uid: UInt32, for type: any KeyedCoding.Type) throws -> any KeyedCoding.Type {
    guard let classUID = try storage.state.classUID(of: uid),
      let decision = storage.state.allowListCache.decision(
        for: .init(classUID: classUID, request: ObjectIdentifier(type)))
    else { return type }
    return storage.state.allowListCache.substitute(decision) ?? type
  }

  /// Runs a delivery at once if its object is complete as the type that will be made of it, else when it is. Returns
  /// true.
  func later(
    _ uid: UInt32, as type: (any KeyedCoding.Type)?, _ deliver: @escaping DeferredReferences.Delivery
  ) throws -> Bool {
    if let type, storage.state.finished(uid, as: ObjectIdentifier(type)) != nil {
      try run(deliver)
    } else if try storage.state.classUID(of: uid) == nil {
      // A bare value refers to nothing. Made now, an error names the key that led to it.
      try run(deliver)
    } else {
      postpone(uid, storage.state.slots[Int(uid)].marks.contains(.inProgress), deliver)
      if storage.state.depth == 0 { try complete {} }
    }
    return true
  }

  /// Keeps a delivery until its object is complete.
  @usableFromInline
  func postpone(_ uid: UInt32, _ isInProgress: Bool, _ deliver: @escaping (KeyedUnarchiver) throws -> Void) {
    let serial = storage.state.deferredCount
    storage.state.countDeferred()
    if isInProgress {
      let former = storage.state.setAwaited(uid, by: deferred.nextNumber)
      deferred.wait(after: former, serial: serial, deliver)
    } else {
      deferred.enqueue(serial: serial, deliver)
    }
  }

  /// Delivers to those that wait for an object, of which `last` came last.
  @usableFromInline
  func runDeferred(_ last: UInt32) throws {
    // The list in force is that of whoever asked for the object that is complete, not of those who wait for it.
    try withAllowList(nil) { for deliver in deferred.take(last) { try run(deliver) } }
  }

  @usableFromInline
  func deferSpecial<Value: KeyedCoding>(
    _ type: Value.Type, _ key: String, _ deliver: @escaping (Value) -> Void
  ) throws -> Bool {
    guard storage.state.frame > 0 else {
      // The caller outside gets the object with all that was deferred in it, or nothing.
      guard let value = try object(type, key) else { return false }
      deliver(value)
      return true
    }
    guard let uid = try storage.state.uid(forKey: key) else { return false }
    return try `defer`(type, uid, deliver)
  }

  /// Checks that an object may be of a type, without making it. Returns false if it is nil.
  private func inspect<Value: KeyedCoding>(_ uid: UInt32, for type: Value.Type) throws -> Bool {
    guard let classUID = try storage.state.classUID(of: uid) else {
      return try !storage.state.source.isNull(storage.state.source.entry(uid))
    }
    let key = AllowListCache.Key(classUID: classUID, request: ObjectIdentifier(type))
    if !storage.state.allowListCache.contains(key) { try checkAllowed(classUID, for: type) }
    return true
  }
}

/// What a key stands for where an object is asked for.
@usableFromInline
enum LookupResult {
  case nothing
  case object(UInt32)
  /// An object that no other is being decoded around.
  case outermost(UInt32)
  /// A value that is stored inline.
  case special
}

/// The same where the object is to be handed over when it is complete.
@usableFromInline
enum DeferredLookupResult {
  case nothing
  case finished(AnyObject)
  case later(UInt32, isInProgress: Bool)
  case special
}

// What the calls above share, for all types.
extension KeyedUnarchiver {
  /// Finds the object for a key. After a failure of the outermost caller's there is nothing any more.
  @usableFromInline
  func find(_ key: String) throws -> LookupResult {
    guard !storage.state.isBarred, !isFinished else { return refuseFinished(.nothing) }
    return try findThrowing(key)
  }

  @usableFromInline
  func findThrowing(_ key: String) throws -> LookupResult {
    switch try storage.state.reference(forKey: key) {
    case .none: .nothing
    case .object(let uid): storage.state.depth > 0 ? .object(uid) : .outermost(uid)
    case .inline: .special
    }
  }

  @usableFromInline
  func findLater(_ key: String, for request: ObjectIdentifier) throws -> DeferredLookupResult {
    switch try find(key) {
    case .nothing: return .nothing
    case .special, .outermost: return .special
    case .object(let uid):
      guard allowedClasses == nil else { return .special }
      switch try storage.state.progress(of: uid, for: request) {
      case .finished(let object): return .finished(object)
      case .inProgress: return .later(uid, isInProgress: true)
      case .notBegun: return .later(uid, isInProgress: false)
      case .special: return .special
      }
    }
  }

  /// Keeps an error that a call which cannot throw met.
  @usableFromInline @inline(never)
  func keep(_ error: any Error) { fail(KeyedArchiveError(wrapping: error)) }

  /// Throws the first thing that went wrong, if something did.
  @usableFromInline
  func throwFailure() throws {
    if isFinished { refuseFinished(()) }
    if storage.state.hasFailed, let failure = storage.state.failure { throw failure }
  }

  /// An error with its place, as a call that can throw throws it.
  @usableFromInline @inline(never)
  func thrown(_ error: any Error) -> any Error {
    let error = located(KeyedArchiveError(wrapping: error))
    // An initializer may catch it and go on.
    if storage.state.frame == 0, decodingFailurePolicy == .setErrorAndReturn { fail(error) }
    return error
  }
}
