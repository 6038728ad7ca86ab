// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Observation
import SystemFiles

/// A property of a model that is the value of a key in a store, and that views follow.
///
/// ```swift
/// final class Settings: Observable {
///   @ObservableDefault(.launches) var launches
///   @ObservableDefault(.theme) var theme
/// }
/// ```
///
/// Code that reads the property inside of `withObservationTracking` is told of each change. SwiftUI reads the body of a
/// view in this way. The change can come from the property, other code, another thread or another process. A class needs
/// no macro for it, because the wrapper tracks the property itself. Errors are handled as by the store's subscript: a
/// value that cannot be decoded reads as the default value, and the store reports the error. A change in place, such as
/// `settings.launches += 1`, then has no effect.
///
/// The system tells of a change on the thread that made it. Values have already changed then.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@propertyWrapper
public final class ObservableDefault<Value>: Observable, Sendable {
  /// The key.
  public let key: DefaultsKey<Value>
  /// The store of the value.
  public let store: any DefaultsStore
  private let registrar = ObservationRegistrar()
  private let observation = Locked<DefaultsObservation?>(nil)

  /// Creates a property for a key.
  /// - Parameters:
  ///   - key: The key.
  ///   - store: The store. The default is ``StandardDefaults/store``.
  public init(_ key: DefaultsKey<Value>, store: (any DefaultsStore)? = nil) {
    self.key = key
    self.store = store ?? StandardDefaults.store
    let observation = self.store.observe([key.name], initial: false, ignoring: nil) { [weak self] _ in
      self?.announce()
    }
    self.observation.withLock { $0 = observation }
  }

  /// The value.
  public var wrappedValue: Value {
    get {
      registrar.access(self, keyPath: \.wrappedValue)
      return store[key]
    }
    set { store[key] = newValue }
    _modify {
      registrar.access(self, keyPath: \.wrappedValue)
      yield &store[key]
    }
  }

  /// The property itself. Its functions and those of ``store`` throw errors, and remove the value.
  public var projectedValue: ObservableDefault { self }

  private func announce() { registrar.withMutation(of: self, keyPath: \.wrappedValue) {} }
}
