// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

// How a reference becomes an object. Initialisers, closures and delegates are called here and nowhere else, and the state
// is not being accessed while they run.
extension KeyedCoding {
  /// Makes a struct or enum.
  public static func _make(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> Self? {
    try coder.make(value: Self.self, from: uid.rawValue)
  }
}

extension KeyedCoding where Self: AnyObject {
  /// Makes, or finds, an instance of a class.
  public static func _make(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> Self? {
    try coder.make(Self.self, from: uid.rawValue)
  }
}

extension KeyedUnarchiver {
  /// Makes, or finds, the instance of a class that a reference leads to.
  @inline(__always)
  func make<Object: KeyedCoding & AnyObject>(_ type: Object.Type, from uid: UInt32) throws -> Object? {
    while true {
      switch try storage.state.open(uid, for: ObjectIdentifier(type)) {
      case .null: return nil
      case .unjudged(let classUID): try judge(classUID, for: type)
      case .finished(let object): return try cast(object, uid)
      case .opened(let isWatched): return try initialize(type, uid, isWatched)
      case .substitute(let substitute): return try cast(substitute._make(from: ArchiveUID(rawValue: uid), self), uid)
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
      if let failure = takeFailure() { throw failure }
      guard let made else { throw initializerGaveUp(type, uid) }
      object = made
      if isWatched { object = try watched(object, uid) }
    } catch {
      throw abandon(uid, error)
    }
    if storage.state.close(uid, object) { try runDeferred(awaiting: uid) }
    return object
  }

  /// Makes a struct or enum. One that is referred to more than once is made twice and then kept, so that what many
  /// others share costs no more than what it weighs in the file.
  @inline(__always)
  func make<Value: KeyedCoding>(value type: Value.Type, from uid: UInt32) throws -> Value? {
    while true {
      if uid != 0, storage.state.slots[Int(uid)].marks.contains(.kept),
        let value = keptValues.value(of: type, uid, list: allowedClasses)
      {
        return value
      }
      switch try storage.state.open(uid, for: ObjectIdentifier(type)) {
      case .null: return nil
      case .unjudged(let classUID): try judge(classUID, for: type)
      case .substitute(let substitute): return try cast(substitute._make(from: ArchiveUID(rawValue: uid), self), uid)
      case .bare(let item): throw unexpected(item, uid, type)
      case .finished(let object): return try cast(object, uid)
      case .opened(let isWatched):
        var value: Value
        do {
          let made = try Value(coder: self)
          if let failure = takeFailure() { throw failure }
          guard let made else { throw initializerGaveUp(type, uid) }
          value = made
          if isWatched { value = try watched(value, uid) }
        } catch {
          throw abandon(uid, error)
        }
        let (keep, isAwaited) = storage.state.close(value: uid)
        if keep { keptValues.keep(value, uid, list: allowedClasses) }
        if isAwaited { try runDeferred(awaiting: uid) }
        return value
      }
    }
  }

  /// What the type itself and the delegate make of an object that was just decoded.
  private func watched<Value: KeyedCoding>(_ value: Value, _ uid: UInt32) throws -> Value {
    var current: any KeyedCoding = value
    if let awakening = current as? any ArchiveAwakening { current = try awakening.awakeAfter(using: self) }
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
  @inline(__always)
  func cast<Value: KeyedCoding>(_ object: Any?, _ uid: UInt32) throws -> Value {
    guard let object = object as? Value else { throw misfit(Value.self, object, uid) }
    return object
  }

  // Errors are made out of line, so that the paths above stay short.

  @inline(never)
  private func misfit(_ type: any KeyedCoding.Type, _ object: Any?, _ uid: UInt32) -> KeyedArchiveError {
    KeyedArchiveError(
      .classNotAllowed,
      "expected \(type), but an object of type \(object.map { "\(Swift.type(of: $0))" } ?? "nil") took its place",
      keyPath: storage.state.keyPath(), uid: ArchiveUID(rawValue: uid), className: type.archiveClassName)
  }

  @inline(never)
  private func initializerGaveUp(_ type: any KeyedCoding.Type, _ uid: UInt32) -> KeyedArchiveError {
    KeyedArchiveError(
      .valueNotFound, "init(coder:) of '\(type)' returned nil", keyPath: storage.state.keyPath(),
      uid: ArchiveUID(rawValue: uid), className: type.archiveClassName,
      remedy: "The archive lacks a value that the type needs, or stores it under another key")
  }

  /// Ends an object of which nothing became and returns the error, with its place if it has none.
  @inline(never)
  private func abandon(_ uid: UInt32, _ error: any Error) -> KeyedArchiveError {
    var error = located(KeyedArchiveError(wrapping: error))
    if error.uid == nil { error.uid = ArchiveUID(rawValue: uid) }
    storage.state.abandon(uid)
    return error
  }
}
