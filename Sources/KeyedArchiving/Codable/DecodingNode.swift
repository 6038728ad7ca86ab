// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// A collection object that a nested container reads without running an initializer.
final class DecodingNode {
  /// The UIDs of the elements or values.
  let uids: [UInt32]
  /// The index of each key, and the keys in order; empty for an array.
  private let indexOfKey: [BytewiseString: Int]
  let keys: [String]
  fileprivate let uid: UInt32
  fileprivate let parent: DecodingNode?
  fileprivate let depth: Int
  /// The scopes that represent the collection in a path.
  private let scopes: [UnarchiverState.Scope]
  /// The position in the current object at which the path to the collection begins.
  private let origin: Int
  /// The scope in which the path begins. The node can be used only while it is the current one.
  let scope: ScopeID
  /// The index of the last requested element.
  private var current = -1
  /// The number of containers in each other whose elements cost nothing extra.
  private static let usualDepth = 8
  /// The work for the scopes of one container, which each access to an element begins.
  private static let costOfScopes: Int64 = 24

  fileprivate init(
    _ uid: UInt32, _ uids: [UInt32], _ keys: [String], _ scopes: [UnarchiverState.Scope], origin: Int,
    _ scope: ScopeID, in parent: DecodingNode?
  ) {
    self.uid = uid
    self.uids = uids
    self.keys = keys
    self.scopes = scopes
    self.origin = origin
    self.scope = scope
    self.parent = parent
    depth = (parent?.depth ?? 0) + 1
    var indexes: [BytewiseString: Int] = [:]
    for (index, key) in keys.enumerated() where indexes[BytewiseString(key)] == nil {
      indexes[BytewiseString(key)] = index
    }
    indexOfKey = indexes
  }

  /// Whether two values have the same key. No dictionary contains that, and all but one value would be lost.
  fileprivate var hasDuplicateKeys: Bool { indexOfKey.count < keys.count }

  /// Runs a step that decodes an element.
  func within<Value>(
    _ index: Int, _ coder: KeyedUnarchiver, _ type: Any.Type, _ body: () throws -> Value
  ) throws -> Value {
    try coder.checkCurrent(scope, type)
    let count = coder.storage.state.scopes.count
    defer { leave(coder, to: count) }
    do {
      try enter(index, coder)
      return try body()
    } catch {
      throw coder.codingError(error, type)
    }
  }

  /// Begins the scopes that represent an element in a path. Their number grows with the number of containers in each other.
  /// Call ``leave(_:to:)`` after it, also if it throws.
  func enter(_ index: Int, _ coder: KeyedUnarchiver) throws {
    coder.storage.state.containerLevels += depth
    if depth > Self.usualDepth { try coder.storage.state.charge(work: Self.costOfScopes * Int64(depth)) }
    current = index
    begin(coder)
    enterElement(coder)
  }

  /// Ends the scopes of an element, down to the number before it.
  func leave(_ coder: KeyedUnarchiver, to count: Int) {
    coder.storage.state.leaveScopes(to: count)
    coder.storage.state.containerLevels -= depth
  }

  private func enterElement(_ coder: KeyedUnarchiver) {
    coder.storage.state.scopes.append(contentsOf: scopes.dropFirst())
    coder.storage.state.scopes[coder.storage.state.innermost].current = current
  }

  private func begin(_ coder: KeyedUnarchiver) {
    // A loop and not a recursion, because the nodes can nest deeper than the stack allows.
    var ancestors = [self]
    while let parent = ancestors.last?.parent { ancestors.append(parent) }
    coder.storage.state.scopes[coder.storage.state.innermost].current = ancestors.last?.origin ?? -1
    for node in ancestors.reversed() {
      coder.storage.state.scopes.append(contentsOf: node.scopes.prefix(1))
      if node !== self { node.enterElement(coder) }
    }
  }

  /// Returns the path to the collection.
  func codingPath(_ coder: KeyedUnarchiver) -> [any CodingKey] {
    guard coder.storage.state.isCurrent(scope) else { return coder.storage.state.codingPath(withLastKey: false) }
    let count = coder.storage.state.scopes.count
    begin(coder)
    defer { coder.storage.state.leaveScopes(to: count) }
    return coder.storage.state.codingPath(withLastKey: false)
  }

  /// Returns the index of a key, or nil if the dictionary lacks it. Tracks the request.
  func index(ofKey key: String, _ coder: KeyedUnarchiver) -> Int? {
    let index = indexOfKey[BytewiseString(key)]
    if let tracker = coder.storage.state.tracker {
      if let index {
        tracker.request(entry: index, of: uid)
      } else {
        tracker.request(absent: key, of: uid, isNested: true)
      }
    }
    return index
  }

  /// Returns the location of an element.
  func location(_ index: Int) -> ValueLocation { ValueLocation(uids[index]) }
}

extension KeyedUnarchiver {
  /// Returns the collection at a location.
  func node(
    _ kind: UnarchiverState.Scope.Kind, at location: ValueLocation, in parent: DecodingNode?, wanted: Any.Type?
  ) throws -> DecodingNode {
    let expected = kind == .elements ? ArchivedArray.self as any KeyedCoding.Type : ArchivedDictionary.self
    let uid: UInt32
    switch location {
    case .object(let object): uid = object
    case .inline(let item): uid = try storage.state.source.uid(item)
    case .null: throw KeyedArchiveError(.valueNotFound, "the value is nil; expected \(wanted ?? expected)")
    }
    try check(uid, expected, wanted)
    var ancestor = parent
    while let node = ancestor {
      guard node.uid != uid else {
        throw KeyedArchiveError(
          .cycle, "reference cycle: object #\(uid) is requested while it is being decoded",
          uid: ArchiveUID(rawValue: uid), remedy: "Declare the property with @ArchiveReference")
      }
      ancestor = node.parent
    }
    try storage.state.checkDepth(storage.state.depth + (parent?.depth ?? 0), of: uid)
    storage.state.countContainer()
    storage.state.tracker?.beginNested(uid)
    let (uids, scopes) = try references(of: uid, .objects, path: kind)
    // Nested containers create no value that could be cached for other references to the collection.
    try storage.state.charge(ExpansionBudget.element * (Int64(uids.count) + 1))
    let keyUIDs = kind == .values ? try references(of: uid, .keys, path: .keys).uids : []
    guard kind == .elements || keyUIDs.count == uids.count else {
      throw malformed("a dictionary has \(keyUIDs.count) keys but \(uids.count) values")
    }
    let keys = try names(keyUIDs)
    // Each container hashes its keys, which many can share.
    try storage.state.charge(work: keys.reduce(0) { $0 &+ Int64($1.utf8.count) })
    let origin = storage.state.scopes[storage.state.innermost].current
    let scope = parent?.scope ?? storage.state.scopeID
    if kind == .values { storage.state.tracker?.readNested(uid, keys: keys) }
    let node = DecodingNode(uid, uids, keys, scopes, origin: origin, scope, in: parent)
    guard !node.hasDuplicateKeys else { throw malformed("duplicate key of a dictionary") }
    return node
  }

  /// Checks that the object is a collection as which a nested container is archived, and that no class is requested.
  private func check(_ uid: UInt32, _ expected: any KeyedCoding.Type, _ wanted: Any.Type?) throws {
    let found: String?
    var record: ClassRecord?
    if let classUID = try storage.state.classUID(of: uid) {
      record = try classRecord(classUID)
      found = record?.name
    } else {
      found = PrimitiveValueClass.name(of: try storage.state.source.entry(uid).kind)
    }
    if wanted == nil, let found, AllowList.names(of: expected).contains(found) { return }
    let allowed =
      (wanted as? any KeyedCoding.Type)?.archiveClassName ?? wanted.map { TypeName.archived($0) }
      ?? expected.archiveClassName
    let error = KeyedArchiveError(
      .classNotAllowed,
      "class '\(found ?? "none")' is not allowed here; allowed: '\(allowed)'",
      at: storage.state.place(), uid: ArchiveUID(rawValue: uid), className: found,
      remedy: record.flatMap { record in
        let type = wanted as? any KeyedCoding.Type ?? (wanted as? any Decodable.Type)?.decodableBox
        return type.map { remedy(record, $0) }
      } ?? "Request the type that the archive contains here")
    throw wanted.map { error.requesting($0) } ?? error
  }

  /// Returns the keys of a dictionary, which must be strings or integers.
  private func names(_ uids: [UInt32]) throws -> [String] {
    try uids.map { uid in
      let entry = try storage.state.source.entry(uid)
      if entry.kind == .integer { return "\(try Int64.read(entry, storage.state.source))" }
      guard let key = try String.decode(ArchiveUID(rawValue: uid), in: self) else {
        throw malformed("a key of a dictionary is nil")
      }
      return key
    }
  }
}
