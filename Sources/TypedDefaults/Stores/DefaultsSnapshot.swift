// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// All values of a store at one moment.
public struct DefaultsSnapshot: Sendable {
  /// The first that has a key counts.
  var layers: [StoreCore.Values]

  /// A snapshot of these values.
  public init(_ values: PropertyListDictionary = [:]) {
    var layer = StoreCore.Values(minimumCapacity: values.count)
    for entry in values { layer[BytewiseString(entry.key)] = entry.value }
    layers = [layer]
  }

  init(_ layers: [StoreCore.Values]) { self.layers = layers }

  /// What is stored for a key; nil if there is nothing.
  public func rawValue(for key: String) -> PropertyListValue? { value(BytewiseString(key)) }

  func value(_ key: BytewiseString) -> PropertyListValue? {
    for layer in layers { if let value = layer[key] { return value } }
    return nil
  }

  /// All values.
  public var values: PropertyListDictionary {
    PropertyListDictionary(sorting: merged.map { .init(key: $0.key.text, value: $0.value) })
  }

  /// The keys that have a value, in the order of their bytes.
  public var keys: [String] { values.map(\.key) }

  /// All values as one layer.
  var merged: StoreCore.Values {
    guard layers.count > 1 else { return layers.first ?? [:] }
    var merged = layers.last ?? [:]
    for layer in layers.dropLast().reversed() { merged.merge(layer) { $1 } }
    return merged
  }
}

/// Changes that are made at once or not at all.
public struct DefaultsTransaction {
  private let base: DefaultsSnapshot
  private(set) var changes: [BytewiseString: PropertyListValue?] = [:]

  /// A transaction on top of what is there.
  public init(_ base: DefaultsSnapshot) { self.base = base }

  /// What is stored for a key, or will be.
  public func rawValue(for key: String) -> PropertyListValue? {
    let key = BytewiseString(key)
    if let change = changes[key] { return change }
    return base.value(key)
  }

  /// Stores an object, or removes what is there if it is nil.
  public mutating func setRawValue(_ value: PropertyListValue?, for key: String) {
    changes[BytewiseString(key)] = .some(value)
  }

  /// The keys that have a value, in the order of their bytes.
  public var keys: [String] {
    var values = base.merged
    for (key, value) in changes { values[key] = value }
    return values.keys.map(\.text).sorted { $0.bytesPrecede($1) }
  }

  /// What was changed, in the order of the keys' bytes; nil for what was removed.
  public var changedValues: [(key: String, value: PropertyListValue?)] {
    changes.map { (key: $0.key.text, value: $0.value) }.sorted { $0.key.bytesPrecede($1.key) }
  }
}
