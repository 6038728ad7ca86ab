// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

// Outermost calls, and the deferred references that they deliver before they end.
extension KeyedUnarchiver {
  /// Runs a decoding step. The outermost step delivers all deferred references before it ends.
  @inline(__always)
  package func complete<Value>(_ body: () throws -> Value) throws -> Value {
    guard storage.state.depth == 0 else { return try body() }
    return try completeOutermost(body)
  }

  @inlinable
  func completeOutermost<Value>(_ body: () throws -> Value) throws -> Value {
    guard beginOutermost() else { return try body() }
    do {
      let value = try body()
      try endOutermost()
      return value
    } catch {
      throw abandonOutermost(error)
    }
  }

  /// Decodes an object in the outermost step.
  @inlinable @inline(never)
  func outermost<Value: KeyedCoding>(_ type: Value.Type, _ uid: UInt32) throws -> Value? {
    try completeOutermost { try Value.decode(ArchiveUID(rawValue: uid), in: self) }
  }

  /// Begins a caller's outermost step. Returns `false` inside of one, as in the delivery of a deferred reference.
  @usableFromInline
  func beginOutermost() -> Bool {
    if storage.state.isInOutermostCall { return false }
    storage.state.isInOutermostCall = true
    if !storage.state.outermostTypes.isEmpty { outermostTypes = [] }
    // Values that were cached since the rules changed can contain objects of the former ones.
    if storage.state.isStale { clearValueCache() }
    let released = storage.state.beginCall()
    withExtendedLifetime(released) {}
    return true
  }

  @usableFromInline
  func endOutermost() throws {
    if storage.state.hasDeferred, !deferred.isEmpty { try drain() }
    storage.state.isInOutermostCall = false
  }

  @usableFromInline
  func abandonOutermost(_ error: any Error) -> any Error {
    storage.state.isInOutermostCall = false
    release(storage.state.abandonCall())
    return error
  }

  private func drain() throws {
    defer { storage.state.detachedUID = nil }
    while let (uid, deliver) = deferred.next() {
      storage.state.detachedUID = uid
      try run(deliver)
    }
  }

  /// Delivers a deferred reference in its own frame.
  private func run(_ deliver: DeferredReferences.Delivery) throws {
    storage.state.beginDelivery()
    var thrown: (any Error)?
    do { try deliver(self) } catch { thrown = error }
    if let error = storage.state.endDelivery() ?? thrown { throw error }
  }

  /// Decodes the object of a deferred reference.
  @usableFromInline
  func delivered<Value: KeyedCoding>(_ type: Value.Type, _ uid: UInt32) throws -> Value? {
    storage.state.deliveredUID = uid
    defer { storage.state.deliveredUID = 0 }
    return try Value.decode(ArchiveUID(rawValue: uid), in: self)
  }

  func `defer`<Value: KeyedCoding>(
    _ type: Value.Type, _ uid: UInt32, _ deliver: @escaping (Value) -> Void
  ) throws -> Bool {
    // The current allow list governs the object even if it is decoded later.
    let list = currentAllowList
    let decode: DeferredReferences.Delivery = { coder in
      if let value = try coder.withAllowList(list, { try coder.delivered(type, uid) }) { deliver(value) }
    }
    do {
      guard try inspect(uid, for: type) else { return false }
    } catch let error as KeyedArchiveError where error.code == .classNotAllowed && !(type is AnyClass) {
      // The type may be archived in another form than an object of its class, which only its `decode` knows. Decoding it
      // now lets an error name its key.
      if storage.state.objects[uid].flags.contains(.inProgress) { return try later(uid, as: nil, decode) }
      try run(decode)
      return true
    }
    return try later(uid, as: checkedType(uid, for: type), decode)
  }

  /// Returns the type to decode for a request. The class of the object must have been checked.
  private func checkedType(_ uid: UInt32, for type: any KeyedCoding.Type) throws -> any KeyedCoding.Type {
    guard let classUID = try storage.state.classUID(of: uid),
      let decision = storage.state.allowListCache.decision(
        for: .init(classUID: classUID, request: ObjectIdentifier(type)))
    else { return type }
    return storage.state.allowListCache.substitute(decision) ?? type
  }

  /// Runs a delivery immediately if its object is complete as the given type, and defers it otherwise. Returns `true`.
  func later(
    _ uid: UInt32, as type: (any KeyedCoding.Type)?, _ deliver: @escaping DeferredReferences.Delivery
  ) throws -> Bool {
    if let type, storage.state.objects.instance(uid, as: ObjectIdentifier(type)) != nil {
      try run(deliver)
    } else if try storage.state.classUID(of: uid) == nil {
      // A primitive has no references. Decoding it now lets an error name its key.
      try run(deliver)
    } else {
      postpone(uid, storage.state.objects[uid].flags.contains(.inProgress), deliver)
      if storage.state.depth == 0 { try complete {} }
    }
    return true
  }

  /// Defers a delivery until its object is complete.
  @usableFromInline
  func postpone(_ uid: UInt32, _ isInProgress: Bool, _ deliver: @escaping (KeyedUnarchiver) throws -> Void) {
    let serial = storage.state.deferredCount
    storage.state.countDeferred()
    if isInProgress {
      let previous = storage.state.objects.addWaiter(uid, by: deferred.nextNumber)
      deferred.wait(after: previous, serial: serial, deliver)
    } else {
      deferred.enqueue(uid, serial: serial, deliver)
    }
  }

  /// Runs the deliveries that wait for a finished object. If one fails, the others are lost, so the object is discarded.
  @usableFromInline
  func runDeferred(_ waiting: WaitingReferences) throws {
    do {
      // The current allow list is that of the request for the complete object, not that of its waiters.
      try withAllowList(nil) { for deliver in deferred.take(waiting.last) { try run(deliver) } }
    } catch {
      release(storage.state.abandon(waiting))
      throw error
    }
  }

  @usableFromInline
  func deferOnSlowPath<Value: KeyedCoding>(
    _ type: Value.Type, _ key: String, _ deliver: @escaping (Value) -> Void
  ) throws -> Bool {
    // The outermost caller gets the object after all deliveries in it, or nothing. An inline value has no references.
    guard storage.state.frame > 0, case .object(let uid) = try storage.state.reference(forKey: key) else {
      guard let value = try object(type, key) else { return false }
      deliver(value)
      return true
    }
    return try `defer`(type, uid, deliver)
  }

  /// Checks that an object's class is allowed for a type, without decoding it. Returns `false` if the object is nil.
  private func inspect<Value: KeyedCoding>(_ uid: UInt32, for type: Value.Type) throws -> Bool {
    guard let classUID = try storage.state.classUID(of: uid) else {
      return try !storage.state.source.isNull(storage.state.source.entry(uid))
    }
    let key = AllowListCache.Key(classUID: classUID, request: ObjectIdentifier(type))
    if !storage.state.allowListCache.contains(key) { try checkAllowed(classUID, for: type) }
    return true
  }
}

/// The deferred references that wait for an object that has just ended.
@usableFromInline
struct WaitingReferences {
  /// The number of the last one in ``DeferredReferences``.
  var last: UInt32
  /// The numbers of finished instances and of deferred references when the object began.
  var firstInstance: UInt32
  var firstDeferred: UInt32
}

/// The result of looking up a key for deferred decoding.
@usableFromInline
enum DeferredLookupResult {
  case nothing
  case finished(AnyObject)
  case later(UInt32, isInProgress: Bool)
  case slowPath
}
