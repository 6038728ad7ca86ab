// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import PropertyListFormat

/// All values of a store at one moment.
public struct DefaultsSnapshot: Sendable {
  /// The values of one store.
  struct Layer: Sendable {
    var values: StoreCore.Values
    /// Returns the value that the store has for a key that `values` lacks, such as a registered default.
    var fallback: (@Sendable (BytewiseString) -> PropertyListValue?)?
  }

  /// The values in layers. The first layer with a key counts.
  private(set) var layers: [Layer]
  /// The index of the layer to which changes of the store go.
  private(set) var changedLayer = 0

  /// Creates a snapshot.
  /// - Parameter values: The values by key.
  public init(_ values: PropertyListDictionary = [:]) {
    var layer = StoreCore.Values(minimumCapacity: values.count)
    for entry in values { layer[BytewiseString(entry.key)] = entry.value }
    layers = [Layer(values: layer)]
  }

  init(_ layer: Layer) { layers = [layer] }

  init(_ values: StoreCore.Values) { layers = [Layer(values: values)] }

  /// Creates a snapshot of two stores.
  /// - Parameters:
  ///   - overrides: The snapshot of the store with priority.
  ///   - base: The snapshot of the other store.
  ///   - changed: The store to which changes go.
  init(_ overrides: Self, over base: Self, changing changed: LayeredStore.Layer) {
    layers = overrides.layers + base.layers
    changedLayer =
      switch changed {
      case .overrides: overrides.changedLayer
      case .base: overrides.layers.count + base.changedLayer
      }
  }

  /// Returns the property-list value for a key.
  ///
  /// In a snapshot of a ``UserDefaultsStore``, a key without a stored value has its current registered default.
  /// - Parameter key: The key.
  /// - Returns: The value, or nil if the key has none.
  public func rawValue(for key: String) -> PropertyListValue? { value(BytewiseString(key)) }

  func value(_ key: BytewiseString) -> PropertyListValue? {
    for layer in layers { if let value = layer.values[key] ?? layer.fallback?(key) { return value } }
    return nil
  }

  /// Returns the value that a key has after a change of the changed layer. A removed value reveals that of another layer,
  /// and a layer with priority hides a stored one.
  func value(_ key: BytewiseString, changedTo new: PropertyListValue?) -> PropertyListValue? {
    for (index, layer) in layers.enumerated() {
      let stored = index == changedLayer ? new : layer.values[key]
      if let value = stored ?? layer.fallback?(key) { return value }
    }
    return nil
  }

  /// Returns the snapshot after changes.
  func applying(_ changes: [BytewiseString: PropertyListValue?]) -> Self {
    var result = self
    for (key, value) in changes { result.layers[changedLayer].values[key] = value }
    return result
  }

  /// The snapshot without registered defaults.
  var storedOnly: Self {
    var result = self
    for index in layers.indices { result.layers[index].fallback = nil }
    return result
  }

  /// The snapshot without the layers that hide values of the changed one. It has the values that changes replace: a value of
  /// a layer with priority must not be copied into the changed layer.
  var withoutOverrides: Self {
    var result = self
    result.layers.removeFirst(changedLayer)
    result.changedLayer = 0
    return result
  }

  /// All stored values by key.
  public var values: PropertyListDictionary { merged.dictionary }

  /// The keys with a stored value, in the order of their bytes.
  public var keys: [String] { values.map(\.key) }

  /// All stored values as one layer.
  var merged: StoreCore.Values {
    var merged = layers.last?.values ?? [:]
    for layer in layers.dropLast().reversed() { merged.merge(layer.values) { $1 } }
    return merged
  }
}

extension StoreCore.Values {
  /// The values as a property-list dictionary.
  var dictionary: PropertyListDictionary {
    PropertyListDictionary(sorting: map { .init(key: $0.key.text, value: $0.value) })
  }
}

/// Changes that a store makes together or not at all.
public struct DefaultsTransaction {
  private var base: DefaultsSnapshot
  private(set) var changes: [BytewiseString: PropertyListValue?] = [:]

  /// Creates a transaction without changes.
  /// - Parameter base: The values before the transaction.
  public init(_ base: DefaultsSnapshot) { self.base = base }

  /// Runs a transaction. It then releases the base values, so that applying the changes needs no copy of them.
  static func run<Result>(
    on base: DefaultsSnapshot, _ body: (inout DefaultsTransaction) throws -> Result
  ) rethrows -> (Result, [BytewiseString: PropertyListValue?]) {
    var transaction = DefaultsTransaction(base)
    let result = try body(&transaction)
    return (result, transaction.changes)
  }

  /// Hides registered defaults, and values of layers with priority over the changed one.
  mutating func readMigratedValuesOnly() { base = base.storedOnly.withoutOverrides }

  /// Returns the property-list value for a key, including the changes of the transaction.
  ///
  /// In a transaction of a ``UserDefaultsStore``, a key without a stored value has its registered default, except in a
  /// ``DefaultsMigration``. In a transaction of a ``LayeredStore``, the result is the value that the store would have
  /// after the transaction.
  /// - Parameter key: The key.
  /// - Returns: The value, or nil if the key has none.
  public func rawValue(for key: String) -> PropertyListValue? {
    let key = BytewiseString(key)
    if let change = changes[key] { return base.value(key, changedTo: change) }
    return base.value(key)
  }

  /// Returns the value that a change of a key replaces, including the changes of the transaction.
  func replacedValue(_ key: BytewiseString) -> PropertyListValue? {
    let base = base.withoutOverrides
    guard let change = changes[key] else { return base.value(key) }
    return base.value(key, changedTo: change)
  }

  /// Stores or removes a property-list value.
  /// - Parameters:
  ///   - value: The value, or nil to remove the stored one.
  ///   - key: The key.
  public mutating func setRawValue(_ value: PropertyListValue?, for key: String) {
    changes[BytewiseString(key)] = .some(value)
  }

  /// The keys with a stored value, including the changes of the transaction, in the order of their bytes.
  public var keys: [String] { base.applying(changes).keys }

  /// The changed values, in the order of the keys' bytes; nil for a removed value.
  public var changedValues: [(key: String, value: PropertyListValue?)] {
    changes.map { (key: $0.key.text, value: $0.value) }.sorted { $0.key.bytesPrecede($1.key) }
  }
}
