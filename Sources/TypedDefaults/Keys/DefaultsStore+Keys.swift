// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import PropertyListFormat

extension DefaultsStore {
  /// Returns the value for a key, or the key's default value if none is stored.
  /// - Parameter key: The key.
  /// - Returns: The value.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/undecodable`` if the stored property-list value cannot
  ///   be decoded and the key's policy is ``DefaultsKey/Policy/throw``.
  public func value<Value>(for key: DefaultsKey<Value>) throws -> Value {
    // Not DefaultsKey.decoded(_:), because another call doubles the time.
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

  /// Returns the stored value for a key, without its default value.
  /// - Parameter key: The key.
  /// - Returns: The value, or nil if none is stored.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/undecodable`` if the stored property-list value cannot
  ///   be decoded.
  public func storedValue<Value>(for key: DefaultsKey<Value>) throws -> Value? {
    try key.decoded(rawValue(for: key.name))
  }

  /// Stores a value.
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  ///   - origin: The origin to report to observers.
  /// - Throws: ``DefaultsError`` if the value cannot be encoded or stored. The old value is then unchanged.
  public func set<Value>(_ value: Value, for key: DefaultsKey<Value>, origin: ChangeOrigin = .program) throws {
    try setRawValue(key.object(value), for: key.name, origin: origin)
  }

  /// The value for a key. The store reports errors, and a value that cannot be decoded reads as the default value.
  ///
  /// An assignment replaces a stored value that cannot be decoded. A change in place, such as `store[key] += 1` or
  /// `store[key].append(1)`, does not: it has no effect, because its result depends on the value. It starts from the same
  /// value as ``modify(_:origin:_:)``, but a change by another thread or process in between is lost. A change through
  /// a key path or a binding is an assignment.
  /// - Parameter key: The key.
  public subscript<Value>(key: DefaultsKey<Value>) -> Value {
    get { key.valueOrDefault(rawValue(for: key.name)) { report($0) } }
    set { assign(newValue, to: key) }
    _modify {
      var isDecodable = true
      var value = key.valueOrDefault(replacedValue(for: key.name)) {
        isDecodable = false
        report($0)
      }
      // Also if the caller's change ends with an error.
      defer { if isDecodable { assign(value, to: key) } }
      yield &value
    }
  }

  /// Stores a value, and reports an error.
  private func assign<Value>(_ value: Value, to key: DefaultsKey<Value>) {
    do {
      try set(value, for: key)
    } catch {
      report(DefaultsError(error, key: key.name))
    }
  }

  /// Changes a value in place, without a change by another thread or process between reading and writing.
  ///
  /// The changed value of a ``LayeredStore`` is that of ``DefaultsTransaction/modify(_:_:)``.
  /// - Parameters:
  ///   - key: The key.
  ///   - origin: The origin to report to observers.
  ///   - body: A function that changes the value.
  /// - Returns: The result of the function.
  /// - Throws: ``DefaultsError`` and the errors of the function. The value is then unchanged.
  @discardableResult
  public func modify<Value, Result>(
    _ key: DefaultsKey<Value>, origin: ChangeOrigin = .program, _ body: (inout Value) throws -> Result
  ) throws -> Result {
    try update(origin: origin) { try $0.modify(key, body) }
  }

  /// Removes the value of a key, so that the key has its default value again.
  /// - Parameters:
  ///   - key: The key.
  ///   - origin: The origin to report to observers.
  /// - Throws: ``DefaultsError`` if the store cannot be written. The old value is then unchanged.
  public func reset<Value>(_ key: DefaultsKey<Value>, origin: ChangeOrigin = .program) throws {
    try setRawValue(nil, for: key.name, origin: origin)
  }

  /// Returns whether no value is stored for a key.
  /// - Parameter key: The key.
  /// - Returns: `true` if the key has its default value.
  public func isDefault<Value>(_ key: DefaultsKey<Value>) -> Bool { rawValue(for: key.name) == nil }

  /// Returns the stored property-list value for a key, also if it cannot be decoded.
  /// - Parameter key: The key.
  /// - Returns: The property-list value, or nil if none is stored.
  public func rawValue<Value>(for key: DefaultsKey<Value>) -> PropertyListValue? { rawValue(for: key.name) }
}

extension DefaultsSnapshot {
  /// Returns the value for a key, or the key's default value if none is stored.
  /// - Parameter key: The key.
  /// - Returns: The value.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/undecodable`` if the stored property-list value cannot
  ///   be decoded and the key's policy is ``DefaultsKey/Policy/throw``.
  public func value<Value>(for key: DefaultsKey<Value>) throws -> Value {
    let object = value(key.exact)
    return key.policy == .useDefault ? key.valueOrDefault(object) { _ in } : try key.decoded(object) ?? key.defaultValue
  }
}

extension DefaultsTransaction {
  /// Returns the value for a key, or the key's default value if none is stored.
  /// - Parameter key: The key. Its policy is ignored, because a new value computed from the default value would replace
  ///   the stored one.
  /// - Returns: The value.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/undecodable`` if the stored property-list value cannot
  ///   be decoded.
  public func value<Value>(for key: DefaultsKey<Value>) throws -> Value {
    try key.decoded(rawValue(for: key.name)) ?? key.defaultValue
  }

  /// Stores a value.
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  /// - Throws: ``DefaultsError`` if the value cannot be encoded.
  public mutating func set<Value>(_ value: Value, for key: DefaultsKey<Value>) throws {
    setRawValue(try key.object(value), for: key.name)
  }

  /// Changes a value in place.
  ///
  /// In a transaction of a ``LayeredStore`` that changes the base, the function gets the value of the base and not that of
  /// the overrides. Otherwise a launch argument, for example, would be stored as a setting.
  /// - Parameters:
  ///   - key: The key. Its policy is ignored.
  ///   - body: A function that changes the value.
  /// - Returns: The result of the function.
  /// - Throws: ``DefaultsError`` if the stored value cannot be decoded or the new one cannot be encoded, and the errors of the
  ///   function. The value is then unchanged.
  @discardableResult
  public mutating func modify<Value, Result>(
    _ key: DefaultsKey<Value>, _ body: (inout Value) throws -> Result
  ) throws -> Result {
    var value = try key.decoded(replacedValue(key.exact)) ?? key.defaultValue
    let result = try body(&value)
    try set(value, for: key)
    return result
  }

  /// Removes the value of a key, so that the key has its default value again.
  /// - Parameter key: The key.
  public mutating func reset<Value>(_ key: DefaultsKey<Value>) { setRawValue(nil, for: key.name) }
}
