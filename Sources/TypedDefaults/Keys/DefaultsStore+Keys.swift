// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension DefaultsStore {
  /// The value for a key: what is stored, or the key's default if nothing is.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/undecodable`` if something else is stored and the key's
  ///   policy is to throw.
  public func value<Value>(for key: DefaultsKey<Value>) throws -> Value {
    // Written out once more: a call in between takes twice the time.
    guard let object = rawValue(for: key.name) else { return key.defaultValue }
    do {
      return try key.conversion.deserialize(object)
    } catch {
      let error = key.undecodable(error)
      guard key.policy == .useDefault else { throw error }
      report(error)
      return key.defaultValue
    }
  }

  /// The value that is stored for a key; nil if none is.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/undecodable`` if something else is stored.
  public func storedValue<Value>(for key: DefaultsKey<Value>) throws -> Value? {
    try key.decoded(rawValue(for: key.name))
  }

  /// Stores a value.
  /// - Throws: ``DefaultsError`` if it cannot be encoded or stored; what was there is still there.
  public func set<Value>(_ value: Value, for key: DefaultsKey<Value>, origin: ChangeOrigin = .program) throws {
    try setRawValue(key.object(value), for: key.name, origin: origin)
  }

  /// The value for a key, where nobody can be thrown anything: what cannot be decoded, encoded or stored is told to the
  /// store's reports, and reads as the default.
  public subscript<Value>(key: DefaultsKey<Value>) -> Value {
    get { key.valueOrDefault(rawValue(for: key.name)) { report($0) } }
    set {
      do {
        try set(newValue, for: key)
      } catch let error as DefaultsError {
        report(error)
      } catch {
        report(DefaultsError(.cannotWrite, key: key.name, "\(error)", underlying: error))
      }
    }
  }

  /// Changes a value in place; nobody else writes in between, in this process or another.
  /// - Throws: ``DefaultsError``, and what the closure throws; nothing is changed then.
  @discardableResult
  public func modify<Value, Result>(
    _ key: DefaultsKey<Value>, origin: ChangeOrigin = .program, _ body: (inout Value) throws -> Result
  ) throws -> Result {
    try update(origin: origin) { transaction in
      var value = try transaction.value(for: key)
      let result = try body(&value)
      try transaction.set(value, for: key)
      return result
    }
  }

  /// Removes the value of a key, which is its default again.
  /// - Throws: ``DefaultsError`` if the store cannot be written; what was there is still there.
  public func reset<Value>(_ key: DefaultsKey<Value>, origin: ChangeOrigin = .program) throws {
    try setRawValue(nil, for: key.name, origin: origin)
  }

  /// Whether nothing is stored for a key.
  public func isDefault<Value>(_ key: DefaultsKey<Value>) -> Bool { rawValue(for: key.name) == nil }

  /// What is stored for a key, whatever it is.
  public func rawValue<Value>(for key: DefaultsKey<Value>) -> PropertyListValue? { rawValue(for: key.name) }
}

extension DefaultsSnapshot {
  /// The value for a key, or its default.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/undecodable`` for what is no value, unless the key's policy
  ///   is to use the default.
  public func value<Value>(for key: DefaultsKey<Value>) throws -> Value { try key.value(value(key.exact)) { _ in } }
}

extension DefaultsTransaction {
  /// The value for a key, or its default.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/undecodable`` for what is no value: to compute another from
  ///   a default in its place would lose it.
  public func value<Value>(for key: DefaultsKey<Value>) throws -> Value {
    try key.decoded(rawValue(for: key.name)) ?? key.defaultValue
  }

  /// Stores a value.
  /// - Throws: ``DefaultsError`` if it cannot be encoded.
  public mutating func set<Value>(_ value: Value, for key: DefaultsKey<Value>) throws {
    setRawValue(try key.object(value), for: key.name)
  }

  /// Removes the value of a key, which is its default again.
  public mutating func reset<Value>(_ key: DefaultsKey<Value>) { setRawValue(nil, for: key.name) }
}
