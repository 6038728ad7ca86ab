// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A view of the one value of a type in a store.
///
/// A ``DefaultsStore`` holds values of any types by key. The conforming types hold one value: a ``PersistentStore`` in
/// the default store, an ``InMemoryStore`` in memory, and an ``AnyStore`` in any store. All features of the ``DefaultsStore`` are
/// available through ``store``.
public protocol TypedStore<Value>: Sendable {
  /// The type of the value.
  associatedtype Value
  /// The store of the value.
  var store: any DefaultsStore { get }
  /// The key of the value.
  var key: DefaultsKey<Value?> { get }
}

extension TypedStore {
  /// Stores a value. The store reports errors; ``save(_:origin:)`` throws them.
  /// - Parameter value: The value.
  public func set(_ value: Value) { store[key] = value }

  /// Returns the value. The store reports errors; ``load()`` throws them.
  /// - Returns: The value, or nil if none is stored or it cannot be decoded.
  public func get() -> Value? { store[key] }

  /// Removes the value.
  public func remove() { store[key] = nil }

  /// Stores a value.
  /// - Parameters:
  ///   - value: The value.
  ///   - origin: The origin to report to observers.
  /// - Throws: ``DefaultsError`` if the value cannot be converted or stored.
  public func save(_ value: Value, origin: ChangeOrigin = .program) throws {
    try store.set(value, for: key, origin: origin)
  }

  /// Returns the value.
  /// - Returns: The value, or nil if none is stored.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/undecodable`` if the stored value cannot be decoded.
  public func load() throws -> Value? { try store.storedValue(for: key) ?? nil }

  /// Calls a function after each change of the value, also by other threads and processes.
  /// - Parameters:
  ///   - initial: Whether to report the current value first.
  ///   - origin: The origin of changes that are not reported.
  ///   - handler: The function.
  /// - Returns: The observation, which ends when it is released or canceled.
  public func observe(
    initial: Bool = false, ignoring origin: ChangeOrigin? = nil,
    _ handler: @escaping @Sendable (DefaultsValueChange<Value?>) -> Void
  ) -> DefaultsObservation {
    store.observe(key, initial: initial, ignoring: origin, handler)
  }
}

/// The value of a type in a file.
public struct PersistentStore<Value: DefaultsConvertible & SendableMetatype>: TypedStore {
  /// The store of the value.
  public let store: any DefaultsStore
  /// The key of the value.
  public let key: DefaultsKey<Value?>

  /// Creates a view of the value.
  /// - Parameters:
  ///   - store: The store. The default is ``StandardDefaults/store``.
  ///   - key: The key. The default is the type's key.
  public init(_ store: (any DefaultsStore)? = nil, key: String? = nil) {
    self.store = store ?? StandardDefaults.store
    self.key = .of(key)
  }
}

/// The value of a type in memory. It is converted as for a file.
public struct InMemoryStore<Value: DefaultsConvertible & SendableMetatype>: TypedStore {
  /// The store of the value.
  public let store: any DefaultsStore
  /// The key of the value.
  public let key: DefaultsKey<Value?>

  /// Creates a store without a value.
  /// - Parameter key: The key. The default is the type's key.
  public init(key: String? = nil) {
    store = MemoryStore()
    self.key = .of(key)
  }
}

/// The value of a type in any store.
public struct AnyStore<Value: SendableMetatype>: TypedStore {
  /// The store of the value.
  public let store: any DefaultsStore
  /// The key of the value.
  public let key: DefaultsKey<Value?>

  /// Creates a view of the same value as another one.
  /// - Parameter store: The other view.
  public init(_ store: some TypedStore<Value>) {
    self.store = store.store
    key = store.key
  }

  /// Creates a view of the value for a key.
  /// - Parameters:
  ///   - store: The store.
  ///   - key: The key.
  public init(_ store: any DefaultsStore, key: DefaultsKey<Value?>) {
    self.store = store
    self.key = key
  }
}

extension DefaultsKey {
  /// Returns the key of a type that chooses its stored form, or another key with the same form.
  fileprivate static func of<Wrapped: DefaultsConvertible & SendableMetatype>(
    _ name: String?
  ) -> Self where Value == Wrapped? {
    let own = DefaultsKey<Wrapped>.ofType
    return name.map { DefaultsKey($0, conversion: own.conversion, policy: .useDefault) { nil } } ?? own
  }
}
