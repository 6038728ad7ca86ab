// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A property that is a value in a store.
///
/// ```swift
/// struct Settings {
///   @UserDefault(key: "veryHappyIndex", defaultValue: 0) var veryHappyIndex: Int
/// }
/// ```
///
/// Where nothing is stored it is the default, and also where something else is stored: that is left as it is, and the
/// store's reports tell of it. The projected value, `$veryHappyIndex`, has what a property cannot have: functions that
/// throw, observing, removing.
///
/// In Swift 6 a `static` property that can be written needs an actor: make the type that has it `@MainActor`, or make the
/// property one of a constant, as in `static let shared = Settings()`.
@propertyWrapper
public struct UserDefault<Value>: Sendable {
  /// The key.
  public let key: DefaultsKey<Value>
  private let given: (any DefaultsStore)?

  /// A value in a store; in the standard one unless another is given.
  public init(
    key: String, defaultValue: Value, store: (any DefaultsStore)? = nil
  ) where Value: Codable & Sendable {
    self.init(DefaultsKey(key, default: defaultValue, policy: .useDefault), store: store)
  }

  /// A value that may be absent, in a store.
  public init<Wrapped: Codable & SendableMetatype>(
    key: String, store: (any DefaultsStore)? = nil
  ) where Value == Wrapped? {
    self.init(DefaultsKey(key, policy: .useDefault), store: store)
  }

  /// The value of a key.
  public init(_ key: DefaultsKey<Value>, store: (any DefaultsStore)? = nil) {
    self.key = key
    given = store
  }

  /// The store that it is in.
  public var store: any DefaultsStore { given ?? StandardDefaults.store }

  /// The value.
  public var wrappedValue: Value {
    get { store[key] }
    nonmutating set { store[key] = newValue }
  }

  /// The property with what it can do beside being read and written.
  public var projectedValue: Self { self }

  /// The value.
  /// - Throws: ``DefaultsError`` if something else is stored.
  public func get() throws -> Value { try store.storedValue(for: key) ?? key.defaultValue }

  /// Stores a value.
  /// - Throws: ``DefaultsError`` if it cannot be encoded or stored.
  public func set(_ value: Value, origin: ChangeOrigin = .program) throws {
    try store.set(value, for: key, origin: origin)
  }

  /// Removes the value, which is the default again.
  /// - Throws: ``DefaultsError`` if the store cannot be written.
  public func reset() throws { try store.reset(key) }

  /// Calls a function whenever the value was changed, by anybody.
  public func observe(
    initial: Bool = false, ignoring origin: ChangeOrigin? = nil,
    _ handler: @escaping @Sendable (DefaultsValueChange<Value>) -> Void
  ) -> DefaultsObservation {
    store.observe(key, initial: initial, ignoring: origin, handler)
  }
}
