// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The location of a requested value.
enum ValueLocation {
  case null
  case object(UInt32)
  case inline(BinaryItem)

  @inline(__always)
  init(_ uid: UInt32) { self = uid == 0 ? .null : .object(uid) }
}

extension UnarchiverState {
  /// Returns the location of the value for a key, or nil if the key is absent.
  @inline(__always)
  mutating func location(forKey key: String) throws(KeyedArchiveError) -> ValueLocation? {
    guard let position = position(forKey: key) else { return nil }
    if let uid = source.uidElement(position, of: scopes[innermost].item) { return ValueLocation(uid) }
    return try location(of: source.element(position, of: scopes[innermost].item))
  }

  /// Returns the location of the value for a key, which is null if the key is absent.
  @inline(never)
  mutating func reference(forKey key: String) throws(KeyedArchiveError) -> ValueLocation {
    try location(forKey: key) ?? .null
  }

  @inline(__always)
  private func location(of item: BinaryItem) throws(KeyedArchiveError) -> ValueLocation {
    guard item.kind == .uid else { return .inline(item) }
    return ValueLocation(try source.uid(item))
  }

  /// The keys of the current object, without the archiver's own.
  var keys: [String] {
    guard scopes[innermost].layout >= 0 else { return [] }
    let layout = keyLayouts.layouts[scopes[innermost].layout]
    return keyLayouts.names[layout.firstName..<layout.firstName + layout.count].filter { !$0.isRaw }.map(\.text)
  }

  /// Returns the positions of the current object's unkeyed values, in order.
  func unkeyedPositions() -> [Int] {
    guard scopes[innermost].layout >= 0 else { return [] }
    let layout = keyLayouts.layouts[scopes[innermost].layout]
    var positions = [Int](repeating: -1, count: layout.count)
    for position in 0..<layout.count {
      let name = keyLayouts.names[layout.firstName + position]
      guard name.isRaw, let number = name.text.rest(after: "$").flatMap({ Int($0) }), positions.indices.contains(number)
      else { continue }
      // `Int` also accepts a sign and leading zeros.
      let first = name.text.utf8.dropFirst().first.map { $0 &- UInt8(ascii: "0") } ?? 0
      if first <= 9, first > 0 || name.text.utf8.count == 2 { positions[number] = position }
    }
    return Array(positions.prefix { $0 >= 0 })
  }

  /// The containers whose values the current object has. They are determined once for each key layout.
  mutating func containerForms() -> ContainerForms {
    scopes[innermost].layout < 0 ? [] : keyLayouts.containerForms(of: scopes[innermost].layout)
  }

  /// Returns the location of the value that the current object encoded in a single-value container, if it did.
  mutating func singleLocation() throws(KeyedArchiveError) -> ValueLocation? {
    guard let item = try value(forRawKey: ContainerForms.singleKey) else { return nil }
    return try location(of: item)
  }

  /// Returns the location of the value at a key position.
  mutating func location(at position: Int) throws(KeyedArchiveError) -> ValueLocation {
    scopes[innermost].current = position
    tracker?.request(position, of: scopes[innermost].uid)
    return try location(of: source.element(scopes[innermost].item.count + position, of: scopes[innermost].item))
  }

  /// Ends the scopes that an error or the inspection of a collection left open.
  mutating func leaveScopes(to count: Int) { if scopes.count > count { scopes.removeAll(from: count) } }
}

extension KeyedUnarchiver {
  /// Returns the UIDs in a collection, and the scopes that represent it in a path.
  func references(
    of uid: UInt32, _ kind: ElementKind, path: UnarchiverState.Scope.Kind
  ) throws -> (uids: [UInt32], scopes: [UnarchiverState.Scope]) {
    let item = try storage.state.source.entry(uid)
    let layout = try storage.state.layout(of: item)
    let depth = storage.state.scopes.count
    defer { storage.state.leaveScopes(to: depth) }
    storage.state.scopes.append(UnarchiverState.Scope(kind: .object, uid: uid, layout: layout, item: item))
    let uids = try elements(kind, path: path) { $0 }
    let members = UnarchiverState.Scope(kind: path, uid: 0, layout: -1, item: item)
    var object = storage.state.scopes[depth]
    object.hasPlace = false
    return (uids, [object, members])
  }

  /// Returns whether a location contains nil, or the object that represents nil in collections.
  func isNil(_ location: ValueLocation) throws -> Bool {
    switch location {
    case .null: return true
    case .inline: return false
    case .object(let uid):
      guard try storage.state.classUID(of: uid) != nil else {
        return try storage.state.source.isNull(storage.state.source.entry(uid))
      }
      return try isNullObject(uid)
    }
  }

  /// Returns whether an object is the one that represents nil in collections.
  func isNullObject(_ uid: UInt32) throws -> Bool {
    guard uid != 0, let classUID = try storage.state.classUID(of: uid) else { return false }
    return try classRecord(classUID).name == ArchiveNull.archiveClassName
  }
}
