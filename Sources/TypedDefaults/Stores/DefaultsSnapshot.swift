// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import PropertyListFormat

/// All values of a store at one moment.
public struct DefaultsSnapshot: Sendable {
  /// The values in layers. The first layer with a key counts.
  var layers: [StoreCore.Values]

  /// Creates a snapshot.
  /// - Parameter values: The values by key.
  public init(_ values: PropertyListDictionary = [:]) {
    var layer = StoreCore.Values(minimumCapacity: values.count)
    for entry in values { layer[BytewiseString(entry.key)] = entry.value }
    layers = [layer]
  }

  init(_ layers: [StoreCore.Values]) { self.layers = layers }

  /// Returns the stored property-list value for a key.
  /// - Parameter key: The key.
  /// - Returns: The value, or nil if none is stored.
  public func rawValue(for key: String) -> PropertyListValue? { value(BytewiseString(key)) }

  func value(_ key: BytewiseString) -> PropertyListValue? {
    for layer in layers { if let value = layer[key] { return value } }
    return nil
  }

  /// All values by key.
  public var values: PropertyListDictionary { merged.dictionary }

  /// The keys with a value, in the order of their bytes.
  public var keys: [String] { values.map(\.key) }

  /// All values as one layer.
  var merged: StoreCore.Values {
    guard layers.count > 1 else { return layers.first ?? [:] }
    var merged = layers.last ?? [:]
    for layer in layers.dropLast().reversed() { merged.merge(layer) { $1 } }
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
  private let base: DefaultsSnapshot
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

  /// Returns the property-list value for a key, including the changes of the transaction.
  /// - Parameter key: The key.
  /// - Returns: The value, or nil if the key has none.
  public func rawValue(for key: String) -> PropertyListValue? {
    let key = BytewiseString(key)
    if let change = changes[key] { return change }
    return base.value(key)
  }

  /// Stores or removes a property-list value.
  /// - Parameters:
  ///   - value: The value, or nil to remove the stored one.
  ///   - key: The key.
  public mutating func setRawValue(_ value: PropertyListValue?, for key: String) {
    changes[BytewiseString(key)] = .some(value)
  }

  /// The keys with a value, including the changes of the transaction, in the order of their bytes.
  public var keys: [String] {
    var values = base.merged
    for (key, value) in changes { values[key] = value }
    return values.keys.map(\.text).sorted { $0.bytesPrecede($1) }
  }

  /// The changed values, in the order of the keys' bytes; nil for a removed value.
  public var changedValues: [(key: String, value: PropertyListValue?)] {
    changes.map { (key: $0.key.text, value: $0.value) }.sorted { $0.key.bytesPrecede($1.key) }
  }
}
