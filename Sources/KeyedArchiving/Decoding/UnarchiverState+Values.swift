// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

// The values of the innermost scope.

/// The identity of a scope, which tells whether a container or coder is used while another object is decoded.
package struct ScopeID {
  /// The UID of the object; 0 for the elements of a collection and for the top level.
  var uid: UInt32
  var depth: UInt32
}

extension UnarchiverState {
  /// The identity of the innermost scope.
  var scopeID: ScopeID {
    ScopeID(uid: scopes[innermost].uid, depth: UInt32(truncatingIfNeeded: innermost))
  }

  /// Returns whether a scope is the innermost one.
  @inline(__always)
  func isCurrent(_ scope: ScopeID) -> Bool {
    scope.depth == UInt32(truncatingIfNeeded: innermost) && scopes[innermost].uid == scope.uid
  }

  /// Makes a key the current one. Returns the position of its value in the container of the current object, or nil if the
  /// key is absent.
  @inline(__always)
  mutating func position(forKey key: String) -> Int? {
    let scope = innermost
    // Elements have no keys, but a callback that runs between two of them can request one.
    guard scopes[scope].layout >= 0 else { return nil }
    var position = keyLayouts.position(of: key, in: scopes[scope].layout, after: scopes[scope].current)
    if position < 0 {
      position = request(key, KeyLayoutCache.UnpredictedPosition(code: position))
      guard position >= 0 else { return nil }
    }
    scopes[scope].current = position
    return scopes[scope].item.count &+ position
  }

  /// Returns the item for a key, or nil if the key is absent.
  @inline(__always)
  mutating func value(forKey key: String) throws(KeyedArchiveError) -> BinaryItem? {
    guard let position = position(forKey: key) else { return nil }
    return try source.element(position, of: scopes[innermost].item)
  }

  @inline(never)
  mutating func contains(_ key: String) throws(KeyedArchiveError) -> Bool { try value(forKey: key) != nil }

  /// Returns the item for one of the archiver's own keys, or nil if the key is absent.
  mutating func value(forRawKey key: String) throws(KeyedArchiveError) -> BinaryItem? {
    let scope = innermost
    guard scopes[scope].layout >= 0 else { return nil }
    let position = keyLayouts.position(of: key, isRaw: true, in: scopes[scope].layout)
    guard position >= 0 else { return nil }
    tracker?.request(position, of: scopes[scope].uid)
    scopes[scope].current = position
    return try source.element(scopes[scope].item.count &+ position, of: scopes[scope].item)
  }

  /// Returns the UID of the object for a key, or nil if the key is absent or stores nil.
  mutating func uid(forKey key: String) throws(KeyedArchiveError) -> UInt32? {
    switch try reference(forKey: key) {
    case .null: nil
    case .object(let uid): uid
    case .inline(let item): try source.uid(item)
    }
  }

  /// Whether the object has another unkeyed value.
  var containsNextValue: Bool {
    mutating get throws(KeyedArchiveError) {
      try value(forRawKey: "$\(scopes[innermost].unkeyedCount)") != nil
    }
  }

  /// Returns the UID of the next unkeyed value, or nil if it is nil.
  mutating func nextUnkeyedUID() throws(KeyedArchiveError) -> UInt32? {
    let scope = innermost
    guard let item = try value(forRawKey: "$\(scopes[scope].unkeyedCount)") else {
      throw KeyedArchiveError(
        .valueNotFound, "missing unkeyed value: the object has only \(scopes[scope].unkeyedCount)",
        remedy: "Decode as many unkeyed values as were encoded, in the same order")
    }
    scopes[scope].unkeyedCount += 1
    let uid = try source.uid(item)
    return uid == 0 ? nil : uid
  }

  /// Returns the inline or boxed primitive for a key, or nil if the key is absent or stores nil.
  @inline(never)
  mutating func number(forKey key: String) throws(KeyedArchiveError) -> BinaryItem? {
    // Most numbers are inline, so this does not look for a UID first, as `location(forKey:)` does.
    guard let item = try value(forKey: key) else { return nil }
    guard item.kind == .uid else { return item }
    let uid = try source.uid(item)
    guard uid != 0 else { return nil }
    let entry = try source.entry(uid)
    return source.isNull(entry) ? nil : entry
  }
}

// MARK: Primitives

extension UnarchiverState {
  @inline(__always)
  func read<Value: PrimitiveValue>(_ type: Value.Type, _ item: BinaryItem) throws(KeyedArchiveError) -> Value {
    try Value.read(item, source)
  }

  /// Decodes a short primitive on the fast path.
  ///
  /// Returns nil if the object is nil or of another type, has 512 units or more, or has 16 or more and was decoded
  /// before.
  @inline(__always)
  mutating func primitive<Value: PrimitiveValue>(
    _ type: Value.Type, from uid: UInt32
  ) throws(KeyedArchiveError) -> Value? {
    guard let entry = try shortEntry(ofClass: Value.archiveClassName, uid) else { return nil }
    if Value.self == String.self, entry.kind == .utf16 { try countHashing(entry) }
    return try Value.read(entry, source)
  }

  /// Returns the entry of a boxed number on the fast path, whatever the type of the number.
  @inline(never)
  mutating func number(from uid: UInt32) throws(KeyedArchiveError) -> BinaryItem? {
    try shortEntry(ofClass: "NSNumber", uid)
  }

  @inline(__always)
  private mutating func shortEntry(ofClass name: String, _ uid: UInt32) throws(KeyedArchiveError) -> BinaryItem? {
    let entry = try source.checkedEntry(uid)
    guard entry.count < 512, PrimitiveValueClass.name(of: entry.kind) == name, !source.isNull(entry) else { return nil }
    // Shorter values are neither charged nor cached: Swift stores strings of up to 15 bytes without an allocation.
    if entry.count >= 16 {
      guard objects[uid].flags.isEmpty else { return nil }
      try charge(entry.weight)
      objects[uid].flags = .decodedOnce
    } else {
      hashCost.contents &+= ExpansionBudget.element
    }
    return entry
  }
}
