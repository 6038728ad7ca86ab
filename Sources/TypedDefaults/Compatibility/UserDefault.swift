// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A property wrapper for a value in a store.
///
/// ```swift
/// struct Settings {
///   @UserDefault(key: "veryHappyIndex", defaultValue: 0) var veryHappyIndex: Int
/// }
/// ```
///
/// If no value is stored, the property has its default value. It also has it if the stored value cannot be decoded. The
/// store then reports the error, and keeps the stored value until the property is assigned another one. A change in place,
/// such as `veryHappyIndex += 1`, then has no effect. The projected value, `$veryHappyIndex`, has functions that throw
/// errors, observe and remove the value.
///
/// In Swift 6 a mutable `static` property must be isolated to an actor. Make its type `@MainActor`, or make the
/// property an instance property of a constant, as in `static let shared = Settings()`.
@propertyWrapper
public struct UserDefault<Value>: Sendable {
  /// The key.
  public let key: DefaultsKey<Value>
  private let given: (any DefaultsStore)?

  /// Creates a property with a default value.
  /// - Parameters:
  ///   - key: The key.
  ///   - defaultValue: The default value.
  ///   - store: The store. The default is ``StandardDefaults/store``.
  public init(
    key: String, defaultValue: Value, store: (any DefaultsStore)? = nil
  ) where Value: Codable & Sendable {
    self.init(DefaultsKey(key, default: defaultValue, policy: .useDefault), store: store)
  }

  /// Creates a property that is nil if no value is stored.
  /// - Parameters:
  ///   - key: The key.
  ///   - store: The store. The default is ``StandardDefaults/store``.
  public init<Wrapped: Codable & SendableMetatype>(
    key: String, store: (any DefaultsStore)? = nil
  ) where Value == Wrapped? {
    self.init(DefaultsKey(key, policy: .useDefault), store: store)
  }

  /// Creates a property for a key.
  /// - Parameters:
  ///   - key: The key.
  ///   - store: The store. The default is ``StandardDefaults/store``.
  public init(_ key: DefaultsKey<Value>, store: (any DefaultsStore)? = nil) {
    self.key = key
    given = store
  }

  /// The store of the value.
  public var store: any DefaultsStore { given ?? StandardDefaults.store }

  /// The value.
  public var wrappedValue: Value {
    get { store[key] }
    nonmutating set { store[key] = newValue }
    nonmutating _modify { yield &store[key] }
  }

  /// The wrapper itself, which has functions that throw errors.
  public var projectedValue: Self { self }

  /// Returns the value.
  /// - Returns: The stored value, or the default value if none is stored.
  /// - Throws: ``DefaultsError`` if the stored value cannot be decoded.
  public func get() throws -> Value { try store.storedValue(for: key) ?? key.defaultValue }

  /// Stores a value.
  /// - Parameters:
  ///   - value: The value.
  ///   - origin: The origin to report to observers.
  /// - Throws: ``DefaultsError`` if the value cannot be encoded or stored.
  public func set(_ value: Value, origin: ChangeOrigin = .program) throws {
    try store.set(value, for: key, origin: origin)
  }

  /// Removes the stored value, so that the property has its default value again.
  /// - Throws: ``DefaultsError`` if the store cannot be written.
  public func reset() throws { try store.reset(key) }

  /// Calls a function after each change of the value, also by other threads and processes.
  /// - Parameters:
  ///   - initial: Whether to report the current value first.
  ///   - origin: The origin of changes that are not reported.
  ///   - handler: The function.
  /// - Returns: The observation, which ends when it is released or canceled.
  public func observe(
    initial: Bool = false, ignoring origin: ChangeOrigin? = nil,
    _ handler: @escaping @Sendable (DefaultsValueChange<Value>) -> Void
  ) -> DefaultsObservation {
    store.observe(key, initial: initial, ignoring: origin, handler)
  }
}
