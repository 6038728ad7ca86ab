// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

// Resolves references to objects. User code runs at these places, while no access to the state is open:
// - initializers here, and those of Codable single values in `DecodingStrategy`;
// - closures of deferred references in `KeyedUnarchiver.run(_:)`;
// - delegates here, in `KeyedUnarchiver+AllowList` and in `finishDecoding()`;
// - static members of types (names, aliases, subclasses, classes to decode) in `AllowList` and `KeyedUnarchiver+AllowList`.
//
// Only type-dependent code is `@inlinable`. It calls into code compiled once here, because unspecialized generic code
// takes three times as long.
extension KeyedCoding {
  /// Decodes a struct or enum from an object of the archive.
  /// - Parameters:
  ///   - uid: The UID of the object.
  ///   - coder: The unarchiver that decodes the object.
  /// - Returns: The value, or nil if the archive stores nil.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged, its class is not allowed, or its initializer fails.
  @inlinable
  public static func decode(_ uid: ArchiveUID, in coder: KeyedUnarchiver) throws -> Self? {
    try coder.make(value: Self.self, from: uid.rawValue)
  }
}

extension KeyedCoding where Self: AnyObject {
  /// Decodes an instance of a class, or returns the one that was already decoded.
  /// - Parameters:
  ///   - uid: The UID of the object.
  ///   - coder: The unarchiver that decodes the object.
  /// - Returns: The instance, or nil if the archive stores nil.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged, its class is not allowed, or its initializer fails.
  @inlinable
  public static func decode(_ uid: ArchiveUID, in coder: KeyedUnarchiver) throws -> Self? {
    try coder.make(Self.self, from: uid.rawValue)
  }
}

/// The result of resolving a reference on the fast path.
@usableFromInline
enum FastOpenResult {
  case null
  case finished(AnyObject)
  /// The object has begun; its initializer must run.
  case opened
  /// The class record must be checked first.
  case unchecked(classUID: UInt32)
  /// Any other case; nothing has changed.
  case slowPath
}

extension KeyedUnarchiver {
  /// Decodes the instance that a reference names, or returns the one that was already decoded.
  @inlinable
  func make<Object: KeyedCoding & AnyObject>(_ type: Object.Type, from uid: UInt32) throws -> Object? {
    switch try openFast(uid, for: type) {
    case .null: return nil
    case .finished(let object): return try CheckedCast.exactly(type, object) ?? cast(object, to: type, uid)
    case .opened:
      let object: Object
      var waiting: WaitingReferences?
      do {
        guard let made = try Object(coder: self) else { throw initializerGaveUp(type, uid) }
        object = made
        waiting = try finish(uid, made, ObjectIdentifier(type))
      } catch {
        throw abandon(uid, error)
      }
      if let waiting { try runDeferred(waiting) }
      return object
    case .slowPath, .unchecked: return try makeAndCast(type, from: uid)
    }
  }

  /// Decodes a struct or enum. A value that is referenced repeatedly is decoded twice and then cached, so its total
  /// cost is proportional to its size in the file.
  @inlinable
  func make<Value: KeyedCoding>(value type: Value.Type, from uid: UInt32) throws -> Value? {
    switch try openFast(uid, for: type) {
    case .null: return nil
    case .opened:
      let value: Value
      do {
        guard let made = try Value(coder: self) else { throw initializerGaveUp(type, uid) }
        value = made
        try checkFailure()
      } catch {
        throw abandon(uid, error)
      }
      let (isCached, waiting) = finishValue(uid)
      if isCached { cache(value, type, uid) }
      if let waiting { try runDeferred(waiting) }
      return value
    case .finished, .slowPath, .unchecked: return try makeAndCast(type, from: uid)
    }
  }

  /// Decodes an instance or a value on the slow path. It is not inlined, so that the callers are short enough to be.
  @usableFromInline @inline(never)
  func makeAndCast<Value: KeyedCoding>(_ type: Value.Type, from uid: UInt32) throws -> Value? {
    guard let value = try makeOnSlowPath(type, from: uid) else { return nil }
    return try cast(value, to: type, uid)
  }

  /// Resolves a reference on the fast path, and checks an unchecked class record.
  @usableFromInline
  func openFast(_ uid: UInt32, for type: any KeyedCoding.Type) throws -> FastOpenResult {
    guard storage.state.currentAllowList == nil else { return .slowPath }
    let result = try storage.state.openFast(uid, for: ObjectIdentifier(type))
    guard case .unchecked(let classUID) = result else { return result }
    try checkAllowed(classUID, for: type)
    return try storage.state.openFast(uid, for: ObjectIdentifier(type))
  }

  /// Ends an object that became an instance of a class. Returns the references that wait for it, if any.
  @usableFromInline
  func finish(_ uid: UInt32, _ object: AnyObject, _ type: ObjectIdentifier) throws -> WaitingReferences? {
    try checkFailure()
    return storage.state.endDecoding(uid, object, as: type)
  }

  /// Ends an object that became a value. Returns whether to cache the value, and the references that wait for it, if any.
  @usableFromInline
  func finishValue(_ uid: UInt32) -> (isCached: Bool, waiting: WaitingReferences?) {
    storage.state.endDecoding(value: uid)
  }

  /// Throws the recorded error of a nonthrowing call of the current object.
  @usableFromInline
  func checkFailure() throws {
    if storage.state.hasFailed, let failure = takeFailure() { throw failure }
  }

  @usableFromInline @inline(never)
  func cache(_ value: Any, _ type: any KeyedCoding.Type, _ uid: UInt32) {
    let former = valueCache.insert(
      value, type, uid, list: currentAllowList, cost: storage.state.costOfLastValue,
      height: storage.state.heightOfLastValue, objectCount: storage.state.objects.instanceCount)
    withExtendedLifetime(former) {}
  }

  // The slow path: unchecked classes, substitutes, a current allow list, and values with hooks. It is compiled once for
  // all types.

  /// Decodes an instance or a value. The caller casts it to the type.
  @usableFromInline
  func makeOnSlowPath(_ type: any KeyedCoding.Type, from uid: UInt32) throws -> Any? {
    // The caller requested the object by its UID.
    guard storage.state.isInOutermostCall else {
      try throwFailure()
      return try completeOutermost { try makeOnSlowPath(type, from: uid) }
    }
    // The caller's list governs collections only. Any other value requests its own types, as instances of classes do.
    if currentAllowList != nil, !(type is AnyClass), !(type is any ListGoverned.Type) {
      return try withAllowList(nil) { try makeOnSlowPath(type, from: uid) }
    }
    guard uid < UInt32(truncatingIfNeeded: storage.state.objects.count) else {
      throw storage.state.source.outOfRange(uid)
    }
    while true {
      // The cache has values only, and not instances of classes.
      if uid != 0, storage.state.objects[uid].flags.contains(.cached),
        let cached = valueCache.value(of: type, uid, list: currentAllowList)
      {
        try storage.state.count(levels: cached.height, of: uid)
        try storage.state.count(repeating: cached.cost, of: uid)
        return cached.value
      }
      switch try storage.state.open(uid, for: ObjectIdentifier(type)) {
      case .null: return nil
      case .unchecked(let classUID): try checkAllowed(classUID, for: type)
      case .finished(let object): return object
      case .opened(let hasHook): return try initialize(type, uid, hasHook, as: ObjectIdentifier(type))
      case .substitute(let substitute): return try decode(substitute: substitute, uid)
      case .primitive(let item): throw unexpected(item, uid, type)
      }
    }
  }

  /// Runs the initializer and the hooks of an object that has begun, which belongs to a request.
  func initialize(
    _ type: any KeyedCoding.Type, _ uid: UInt32, _ hasHook: Bool, as request: ObjectIdentifier
  ) throws -> any KeyedCoding {
    let isValue = !(type is AnyClass)
    var object: any KeyedCoding
    do {
      let list = currentAllowList
      if !isValue { currentAllowList = nil }
      defer { currentAllowList = list }
      let made = try type.init(coder: self)
      try checkFailure()
      guard let made else { throw initializerGaveUp(type, uid) }
      object = made
      if hasHook { object = try runHooks(object, type, uid) }
    } catch {
      throw abandon(uid, error)
    }
    let waiting: WaitingReferences?
    if isValue {
      let isCached: Bool
      (isCached, waiting) = finishValue(uid)
      if isCached { cache(object, type, uid) }
    } else {
      waiting = storage.state.endDecoding(uid, object as AnyObject, as: request)
    }
    if let waiting { try runDeferred(waiting) }
    return object
  }

  /// Returns the object that `awakeAfter` and the delegate substitute for a decoded one.
  private func runHooks(
    _ value: any KeyedCoding, _ type: any KeyedCoding.Type, _ uid: UInt32
  ) throws -> any KeyedCoding {
    var current = value
    if let awakening = current as? any ArchiveAwakening { current = try awakening.awakeAfter(using: self) }
    let list = currentAllowList
    currentAllowList = nil
    defer { currentAllowList = list }
    // A delegate does not receive values that are only Codable.
    if let delegate, !(type is any DecodableWrapper.Type) {
      if let listed = current as? any ListedCollection {
        current = try replaced(listed, by: delegate, uid)
      } else {
        current = try replacement(of: current, by: delegate, type, uid)
      }
    }
    if let failure = takeFailure() { throw failure }
    return try cast(current, to: type, uid)
  }

  private func replaced<Listed: ListedCollection>(
    _ listed: Listed, by delegate: any KeyedUnarchiverDelegate, _ uid: UInt32
  ) throws -> Listed {
    var listed = listed
    let answer = try replacement(of: listed.collection, by: delegate, Listed.self, uid)
    listed.collection = try cast(answer, to: Listed.Collection.self, uid)
    return listed
  }

  private func replacement(
    of object: any KeyedCoding, by delegate: any KeyedUnarchiverDelegate, _ type: any KeyedCoding.Type, _ uid: UInt32
  ) throws -> any KeyedCoding {
    let answer = delegate.unarchiver(self, didDecode: object)
    delegate.unarchiver(self, willReplace: object, with: answer)
    guard let answer else {
      throw KeyedArchiveError(
        .valueNotFound, "the delegate replaced the object with nil", uid: ArchiveUID(rawValue: uid),
        className: type.archiveClassName, remedy: "Return an object from unarchiver(_:didDecode:)")
    }
    return answer
  }

  /// Returns an object as the requested type. The allow list was checked before; a replacement by a hook must also fit.
  @usableFromInline
  func cast<Value: KeyedCoding>(_ object: Any, to type: Value.Type, _ uid: UInt32) throws -> Value {
    guard let object = object as? Value else { throw replacementTypeError(type, object, uid) }
    return object
  }

  // Errors are created out of line, to keep the paths above short.

  @inline(never)
  private func replacementTypeError(_ type: any KeyedCoding.Type, _ object: Any, _ uid: UInt32) -> KeyedArchiveError {
    KeyedArchiveError(
      .classNotAllowed,
      "invalid replacement: found an object of type \(Swift.type(of: object)); expected \(TypeName.unwrapped(type))",
      at: storage.state.place(), uid: ArchiveUID(rawValue: uid), className: type.archiveClassName,
      remedy: "Return an object of the requested type from awakeAfter(using:) or the delegate")
  }

  /// Returns the error for an initializer that returned nil: the recorded error of a call in it, if any.
  @usableFromInline @inline(never)
  func initializerGaveUp(_ type: any KeyedCoding.Type, _ uid: UInt32) -> any Error {
    if let failure = takeFailure() { return failure }
    let absent = storage.state.absentKeys
    let present = storage.state.keys
    var detail = "init(coder:) of '\(TypeName.unwrapped(type))' returned nil"
    if !absent.isEmpty { detail += "; requested, but not in the archive: \(MessageText.list(absent))" }
    detail += present.isEmpty ? "; the object has no keys" : "; the object has the keys \(MessageText.list(present))"
    return KeyedArchiveError(
      .valueNotFound, detail, at: storage.state.place(), uid: ArchiveUID(rawValue: uid),
      className: type.archiveClassName,
      remedy: absent.isEmpty
        ? "Look at the values that the type requires" : "Compare the keys: the type may request them under other names")
  }

  /// Ends a failed object and returns its error with a location.
  @usableFromInline @inline(never)
  func abandon(_ uid: UInt32, _ error: any Error) -> any Error {
    // An earlier error of a nonthrowing call is the cause of a later one that the initializer threw.
    var reason = takeFailure() ?? located(KeyedArchiveError(wrapping: error))
    if reason.uid == nil { reason.uid = ArchiveUID(rawValue: uid) }
    if reason.objectPlace == nil { reason.objectPlace = storage.state.place() }
    release(storage.state.abandon(uid))
    return reason
  }

  /// Discards the deferred references of a failed object, and releases its results.
  func release(_ discarded: UnarchiverState.Discarded) {
    var deliveries: [DeferredReferences.Delivery] = []
    if let first = discarded.firstDeferred {
      deliveries = deferred.take(since: first)
      // Cached values can lack the discarded references.
      clearValueCache()
    } else if !discarded.instances.isEmpty {
      removeCachedValues(since: discarded.firstInstance)
    }
    withExtendedLifetime((discarded, deliveries)) {}
  }
}

/// A collection under the lists of a flat request. A delegate receives the collection itself.
protocol ListedCollection: KeyedCoding {
  associatedtype Collection: KeyedCoding
  var collection: Collection { get set }
}
