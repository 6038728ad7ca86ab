// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

// How a reference becomes an object. Initializers run here, and in `DecodingStrategy` those of Codable single values. Closures
// of deferred references run in `KeyedUnarchiver.run(_:)`, delegates here, in `KeyedUnarchiver+Judging` and in
// `finishDecoding()`, and static members of types (names, aliases, subclasses) in `AllowList` and where a class is judged.
// The state is not being accessed while any of them runs.
//
// What depends on the type is short and compiled into the module that has the type (`@inlinable`); everything it calls is
// compiled here once. Generic code that is not compiled for a type takes three times as long.
extension KeyedCoding {
  /// Makes a struct or enum.
  @inlinable
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> Self? {
    try coder.make(value: Self.self, from: uid.rawValue)
  }
}

extension KeyedCoding where Self: AnyObject {
  /// Makes, or finds, an instance of a class.
  @inlinable
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> Self? {
    try coder.make(Self.self, from: uid.rawValue)
  }
}

/// What becomes of a reference.
@usableFromInline
enum FastOpenResult {
  case null
  case finished(AnyObject)
  /// Its initialiser is to be called.
  case opened
  /// The class record must be judged first.
  case unchecked(classUID: UInt32)
  /// Anything that seldom happens; nothing has changed.
  case special
}

extension KeyedUnarchiver {
  /// Makes, or finds, the instance of a class that a reference leads to.
  @inlinable
  func make<Object: KeyedCoding & AnyObject>(_ type: Object.Type, from uid: UInt32) throws -> Object? {
    switch try enter(uid, for: type) {
    case .null: return nil
    case .finished(let object): return try CheckedCast.exactly(type, object) ?? cast(object, uid)
    case .opened:
      let object: Object
      var awaitedBy: UInt32?
      do {
        guard let made = try Object(coder: self) else { throw initializerGaveUp(type, uid) }
        object = made
        awaitedBy = try finish(uid, made, ObjectIdentifier(type))
      } catch {
        throw abandon(uid, error)
      }
      if let awaitedBy { try runDeferred(awaitedBy) }
      return object
    case .special, .unchecked: return try makeSpecial(type, from: uid)
    }
  }

  /// Makes a struct or enum. One that is referred to more than once is made twice and then kept, so that what many
  /// others share costs no more than what it weighs in the file.
  @inlinable
  func make<Value: KeyedCoding>(value type: Value.Type, from uid: UInt32) throws -> Value? {
    switch try enter(uid, for: type) {
    case .null: return nil
    case .finished(let object): return try cast(object, uid)
    case .opened:
      let value: Value
      do {
        guard let made = try Value(coder: self) else { throw initializerGaveUp(type, uid) }
        value = made
        try checkFailure()
      } catch {
        throw abandon(uid, error)
      }
      let (isKept, awaitedBy) = finishValue(uid)
      if isKept { keep(value, uid) }
      if let awaitedBy { try runDeferred(awaitedBy) }
      return value
    case .special, .unchecked: return try makeSpecial(value: type, from: uid)
    }
  }

  /// Follows a reference, and judges the class record if nobody did before.
  @usableFromInline
  func enter(_ uid: UInt32, for type: any KeyedCoding.Type) throws -> FastOpenResult {
    guard allowedClasses == nil else { return .special }
    let entering = try storage.state.enter(uid, for: ObjectIdentifier(type))
    guard case .unchecked(let classUID) = entering else { return entering }
    try checkAllowed(classUID, for: type)
    return try storage.state.enter(uid, for: ObjectIdentifier(type))
  }

  /// Ends the innermost object, which became the instance of a class. Returns who waits for it.
  @usableFromInline
  func finish(_ uid: UInt32, _ object: AnyObject, _ type: ObjectIdentifier) throws -> UInt32? {
    try checkFailure()
    return storage.state.close(uid, object, madeAs: type)
  }

  /// Ends the innermost object, which became a value. Returns whether to keep it, which comes first, and who waits for it.
  @usableFromInline
  func finishValue(_ uid: UInt32) -> (keep: Bool, awaitedBy: UInt32?) { storage.state.close(value: uid) }

  /// Throws the error that code of the object just decoded left behind.
  @usableFromInline
  func checkFailure() throws {
    if storage.state.hasFailed, let failure = takeFailure() { throw failure }
  }

  @usableFromInline
  func keep<Value: KeyedCoding>(_ value: Value, _ uid: UInt32) {
    let former = keptValues.keep(value, uid, list: allowedClasses)
    withExtendedLifetime(former) {}
  }

  // The same for anything that seldom happens: a class that was not judged yet, a type that stands for another, a list in
  // force, values that somebody wants to see.

  @usableFromInline
  func makeSpecial<Object: KeyedCoding & AnyObject>(_ type: Object.Type, from uid: UInt32) throws -> Object? {
    while true {
      switch try storage.state.open(uid, for: ObjectIdentifier(type)) {
      case .null: return nil
      case .unchecked(let classUID):
        try checkAllowed(classUID, for: type)
        if allowedClasses == nil { return try make(type, from: uid) }
      case .finished(let object): return try cast(object, uid)
      case .opened(let isWatched): return try initialize(type, uid, isWatched)
      case .substitute(let substitute): return try cast(substitute._decode(from: ArchiveUID(rawValue: uid), self), uid)
      case .bare(let item): throw unexpected(item, uid, type)
      }
    }
  }

  private func initialize<Object: KeyedCoding & AnyObject>(
    _ type: Object.Type, _ uid: UInt32, _ isWatched: Bool
  ) throws -> Object {
    var object: Object
    do {
      let list = allowedClasses
      allowedClasses = nil
      defer { allowedClasses = list }
      let made = try Object(coder: self)
      try checkFailure()
      guard let made else { throw initializerGaveUp(type, uid) }
      object = made
      if isWatched { object = try watched(object, uid) }
    } catch {
      throw abandon(uid, error)
    }
    let awaitedBy = storage.state.close(uid, object, madeAs: ObjectIdentifier(type))
    if let awaitedBy { try runDeferred(awaitedBy) }
    return object
  }

  @usableFromInline
  func makeSpecial<Value: KeyedCoding>(value type: Value.Type, from uid: UInt32) throws -> Value? {
    // The caller's list is for collections. What any other value asks for is its own business, as it is with classes.
    if allowedClasses != nil, !(type is any ListGoverned.Type) {
      return try withAllowList(nil) { try make(value: type, from: uid) }
    }
    while true {
      if uid != 0, storage.state.slots[Int(uid)].marks.contains(.kept),
        let value = keptValues.value(of: type, uid, list: allowedClasses)
      {
        return value
      }
      switch try storage.state.open(uid, for: ObjectIdentifier(type)) {
      case .null: return nil
      case .unchecked(let classUID): try checkAllowed(classUID, for: type)
      case .substitute(let substitute): return try cast(substitute._decode(from: ArchiveUID(rawValue: uid), self), uid)
      case .bare(let item): throw unexpected(item, uid, type)
      case .finished(let object): return try cast(object, uid)
      case .opened(let isWatched):
        var value: Value
        do {
          let made = try Value(coder: self)
          try checkFailure()
          guard let made else { throw initializerGaveUp(type, uid) }
          value = made
          if isWatched { value = try watched(value, uid) }
        } catch {
          throw abandon(uid, error)
        }
        let (isKept, awaitedBy) = finishValue(uid)
        if isKept { keep(value, uid) }
        if let awaitedBy { try runDeferred(awaitedBy) }
        return value
      }
    }
  }

  /// What the type itself and the delegate make of an object that was just decoded.
  @inline(never)
  private func watched<Value: KeyedCoding>(_ value: Value, _ uid: UInt32) throws -> Value {
    var current: any KeyedCoding = value
    if let awakening = current as? any ArchiveAwakening { current = try awakening.awakeAfter(using: self) }
    let list = allowedClasses
    allowedClasses = nil
    defer { allowedClasses = list }
    if let delegate {
      let answer = delegate.unarchiver(self, didDecode: current)
      delegate.unarchiver(self, willReplace: current, with: answer)
      guard let answer else {
        throw KeyedArchiveError(
          .valueNotFound, "the delegate replaced the object by nil", uid: ArchiveUID(rawValue: uid),
          className: Value.archiveClassName)
      }
      current = answer
    }
    if let failure = takeFailure() { throw failure }
    return try cast(current, uid)
  }

  /// An object as the type that was asked for. That it may be one was decided before; an object that a hook put in the
  /// place of another must fit as well.
  @usableFromInline
  func cast<Value: KeyedCoding>(_ object: Any?, _ uid: UInt32) throws -> Value {
    guard let object = object as? Value else { throw replacementTypeError(Value.self, object, uid) }
    return object
  }

  // Errors are made out of line, so that the paths above stay short.

  @inline(never)
  private func replacementTypeError(_ type: any KeyedCoding.Type, _ object: Any?, _ uid: UInt32) -> KeyedArchiveError {
    KeyedArchiveError(
      .classNotAllowed,
      "expected \(type), but an object of type \(object.map { "\(Swift.type(of: $0))" } ?? "nil") took its place",
      keyPath: storage.state.keyPath(), uid: ArchiveUID(rawValue: uid), className: type.archiveClassName)
  }

  /// The error for an initialiser that made nothing: the one that a decoding call in it left behind, if there is one.
  @usableFromInline @inline(never)
  func initializerGaveUp(_ type: any KeyedCoding.Type, _ uid: UInt32) -> any Error {
    if let failure = takeFailure() { return failure }
    func list(_ keys: [String]) -> String {
      let quoted = keys.prefix(8).map { "'\(MessageText.plain(MessageText.shortened($0, to: 40)))'" }
      return quoted.joined(separator: ", ") + (keys.count > 8 ? " and \(keys.count - 8) more" : "")
    }
    let absent = storage.state.absentKeys
    let present = storage.state.keys
    var detail = "init(coder:) of '\(type)' returned nil"
    if !absent.isEmpty { detail += "; requested, but not in the archive: \(list(absent))" }
    detail += present.isEmpty ? "; the object has no keys" : "; the object has the keys \(list(present))"
    return KeyedArchiveError(
      .valueNotFound, detail, keyPath: storage.state.keyPath(), uid: ArchiveUID(rawValue: uid),
      className: type.archiveClassName,
      remedy: absent.isEmpty
        ? "Look at the values that the type requires" : "Compare the keys: the type may request them under other names")
  }

  /// Ends an object of which nothing became and returns the error, with its place if it has none.
  @usableFromInline @inline(never)
  func abandon(_ uid: UInt32, _ error: any Error) -> any Error {
    // What a nonthrowing call met before is the reason for what the initializer threw later.
    var reason = takeFailure() ?? located(KeyedArchiveError(wrapping: error))
    if reason.uid == nil { reason.uid = ArchiveUID(rawValue: uid) }
    release(storage.state.abandon(uid))
    return reason
  }

  /// Forgets what an object that failed has deferred, and releases what it left behind.
  func release(_ remains: UnarchiverState.Remains) {
    var deliveries: [DeferredReferences.Delivery] = []
    if let first = remains.firstDeferred {
      deliveries = deferred.take(since: first)
      // Values may hold references that were to be delivered.
      forgetKeptValues()
    }
    withExtendedLifetime((remains, deliveries)) {}
  }
}
