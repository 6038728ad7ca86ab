// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A store of one value.
///
/// A ``DefaultsStore`` holds many values of any types under keys. The three stores here hold the one value of one type: a
/// ``PersistentStore`` in a file, an ``InMemoryStore`` in memory, and an ``AnyStore`` wherever it is told. They are views
/// of a ``DefaultsStore``, which ``store`` is, so that all it can do can be done with them, too.
public protocol TypedStore<Value>: Sendable {
  /// The type of the value.
  associatedtype Value
  /// The store that the value is in.
  var store: any DefaultsStore { get }
  /// The value's key in it.
  var key: DefaultsKey<Value?> { get }
}

extension TypedStore {
  /// Stores a value. What goes wrong is told to the store's reports; ``save(_:origin:)`` throws it.
  public func set(_ value: Value) { store[key] = value }

  /// The value; nil if there is none, or something that is no value of the type, of which the store's reports tell.
  public func get() -> Value? { store[key] }

  /// Removes the value.
  public func remove() { store[key] = nil }

  /// Stores a value.
  /// - Throws: ``DefaultsError`` if it cannot be converted or stored.
  public func save(_ value: Value, origin: ChangeOrigin = .program) throws {
    try store.set(value, for: key, origin: origin)
  }

  /// The value; nil if there is none.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/undecodable`` if there is something else.
  public func load() throws -> Value? { try store.storedValue(for: key) ?? nil }

  /// Calls a function whenever the value was changed, by anybody.
  public func observe(
    initial: Bool = false, ignoring origin: ChangeOrigin? = nil,
    _ handler: @escaping @Sendable (DefaultsValueChange<Value?>) -> Void
  ) -> DefaultsObservation {
    store.observe(key, initial: initial, ignoring: origin, handler)
  }
}

/// The value of one type, in a file.
public struct PersistentStore<Value: DefaultsConvertible & SendableMetatype>: TypedStore {
  /// The store that the value is in.
  public let store: any DefaultsStore
  /// The value's key in it.
  public let key: DefaultsKey<Value?>

  /// The value in a store, the standard one unless another is given, under the type's key unless another is given.
  public init(_ store: (any DefaultsStore)? = nil, key: String? = nil) {
    self.store = store ?? StandardDefaults.store
    self.key = .of(key)
  }
}

/// The value of one type, in memory. It is converted as for a file.
public struct InMemoryStore<Value: DefaultsConvertible & SendableMetatype>: TypedStore {
  /// The store that the value is in.
  public let store: any DefaultsStore
  /// The value's key in it.
  public let key: DefaultsKey<Value?>

  /// No value yet.
  public init(key: String? = nil) {
    store = MemoryStore()
    self.key = .of(key)
  }
}

/// The value of one type, in whichever store it is given.
public struct AnyStore<Value: SendableMetatype>: TypedStore {
  /// The store that the value is in.
  public let store: any DefaultsStore
  /// The value's key in it.
  public let key: DefaultsKey<Value?>

  /// The value of another store of one value.
  public init(_ store: some TypedStore<Value>) {
    self.store = store.store
    key = store.key
  }

  /// The value of a key, of any type.
  public init(_ store: any DefaultsStore, key: DefaultsKey<Value?>) {
    self.store = store
    self.key = key
  }
}

extension DefaultsKey {
  /// The key of a type that chooses its own form, or another with that form.
  fileprivate static func of<Wrapped: DefaultsConvertible & SendableMetatype>(
    _ name: String?
  ) -> Self where Value == Wrapped? {
    let own = DefaultsKey<Wrapped>.ofType
    return name.map { DefaultsKey($0, conversion: own.conversion, policy: .useDefault) { nil } } ?? own
  }
}
