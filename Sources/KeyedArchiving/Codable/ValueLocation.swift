// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// Where a value lies that is asked for.
enum ValueLocation {
  case null
  case object(UInt32)
  case inline(BinaryItem)
}

extension UnarchiverState {
  /// Where the value for a key lies; nil if there is none.
  @inline(__always)
  mutating func place(forKey key: String) throws(KeyedArchiveError) -> ValueLocation? {
    guard let item = try value(forKey: key) else { return nil }
    return try place(of: item)
  }

  @inline(__always)
  private func place(of item: BinaryItem) throws(KeyedArchiveError) -> ValueLocation {
    guard item.kind == .uid else { return .inline(item) }
    let uid = try source.uid(item)
    return uid == 0 ? .null : .object(uid)
  }

  /// The keys of the object that is being decoded, as users say them.
  var keys: [String] {
    guard scopes[innermost].shape >= 0 else { return [] }
    let shape = shapes.shapes[scopes[innermost].shape]
    return shapes.names[shape.firstName..<shape.firstName + shape.count].filter { !$0.isRaw }.map(\.text)
  }

  /// Where the values lie that the object that is being decoded holds without keys, in order.
  func unkeyedPositions() -> [Int] {
    guard scopes[innermost].shape >= 0 else { return [] }
    let shape = shapes.shapes[scopes[innermost].shape]
    var positions = [Int](repeating: -1, count: shape.count)
    for position in 0..<shape.count {
      let name = shapes.names[shape.firstName + position]
      guard name.isRaw, let number = name.text.rest(after: "$").flatMap({ Int($0) }), positions.indices.contains(number)
      else { continue }
      positions[number] = position
    }
    return Array(positions.prefix { $0 >= 0 })
  }

  /// Where the value at a position among the keys lies.
  mutating func place(at position: Int) throws(KeyedArchiveError) -> ValueLocation {
    scopes[innermost].current = position
    return try place(of: source.element(scopes[innermost].item.count + position, of: scopes[innermost].item))
  }

  /// What the references of a collection lead to, and the scopes that stand for it in a path.
  mutating func references(
    of uid: UInt32, _ arrayKey: String, _ numberedKey: String, _ kind: Scope.Kind
  ) throws(KeyedArchiveError) -> (uids: [UInt32], scopes: [Scope]) {
    let entry = try source.entry(uid)
    let depth = scopes.count
    defer { leaveScopes(to: depth) }
    scopes.append(Scope(kind: .object, uid: uid, shape: try shapes.shape(of: entry, in: source), item: entry))
    var uids: [UInt32] = []
    if let item = try value(forKey: arrayKey) {
      let count = try openElements(item, kind, key: arrayKey)
      uids.reserveCapacity(count)
      for place in 0..<count { uids.append(try element(place)) }
      return (uids, scopes(from: depth))
    }
    while let item = try value(forKey: numberedKey + "\(uids.count)") { uids.append(try source.uid(item)) }
    return (uids, scopes(from: depth) + [Scope(kind: kind, uid: 0, shape: -1, item: entry)])
  }

  private func scopes(from depth: Int) -> [Scope] { (depth..<scopes.count).map { scopes[$0] } }

  /// Leaves the scopes that an error, or a look into a collection, has left behind.
  mutating func leaveScopes(to count: Int) { if scopes.count > count { scopes.removeAll(from: count) } }
}

extension KeyedUnarchiver {
  /// Whether a place holds nil, or the object that stands for it in collections.
  func isNil(_ place: ValueLocation) throws -> Bool {
    switch place {
    case .null: return true
    case .inline: return false
    case .object(let uid):
      guard try storage.state.classUID(of: uid) != nil else {
        return try storage.state.source.isNull(storage.state.source.entry(uid))
      }
      return try isNullObject(uid)
    }
  }
}
