// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// The only file of this module with `unsafe` in it.

/// Holds a coder's whole mutable state, without the run-time check for overlapping access.
///
/// The check costs about 30 ns each time a coder touches its arrays, several times per archived value. What doing
/// without it relies on is this: **no code outside the module runs while
/// `state` is being accessed**. A coder's call changes the state in one mutating method of the state, which calls no
/// closure, delegate, initialiser or `encode(with:)` and lets go of no object that could be the last of its kind; the access
/// ends before any of those happens. Coders are not `Sendable`, so no second thread has them. `ReentrancyTests` re-enter
/// a coder from every callback there is, deinitialisers included.
final class CoderStorage<State> {
  @exclusivity(unchecked) private var value: State

  init(_ value: State) { unsafe self.value = value }

  @inline(__always)
  var state: State {
    _read { yield unsafe value }
    _modify { yield unsafe &value }
  }
}

/// Casts that are checked by comparing two words, where `as?` asks the runtime, which takes 20 to 50 ns.
@usableFromInline
enum CheckedCast {
  /// The object, if its class is exactly the one that is asked for; nil for one of a subclass too.
  ///
  /// It relies on this alone: an object whose dynamic type is `Object` is an `Object`.
  @inlinable @inline(__always)
  static func exactly<Object: AnyObject>(_ type: Object.Type, _ object: AnyObject) -> Object? {
    guard ObjectIdentifier(Swift.type(of: object)) == ObjectIdentifier(type) else { return nil }
    return unsafe unsafeDowncast(object, to: Object.self)
  }
}
