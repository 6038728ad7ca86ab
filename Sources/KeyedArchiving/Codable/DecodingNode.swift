// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// A collection object that is looked into by a nested container, without an initialiser that runs for it.
final class DecodingNode {
  /// What its references lead to.
  let uids: [UInt32]
  /// The number of each of its keys, if it is a dictionary, and the keys in order.
  let placeOfKey: [BytewiseString: Int]
  let keys: [String]
  fileprivate let uid: UInt32
  fileprivate let parent: DecodingNode?
  fileprivate let depth: Int
  /// The scopes that stand for it in a path.
  private let scopes: [UnarchiverState.Scope]
  /// What led here in the object that is being decoded.
  private let origin: Int
  /// The element that was asked for last.
  private var current = -1

  fileprivate init(
    _ uid: UInt32, _ uids: [UInt32], _ keys: [String], _ scopes: [UnarchiverState.Scope], origin: Int,
    in parent: DecodingNode?
  ) {
    self.uid = uid
    self.uids = uids
    self.keys = keys
    self.scopes = scopes
    self.origin = origin
    self.parent = parent
    depth = (parent?.depth ?? 0) + 1
    var places: [BytewiseString: Int] = [:]
    for (place, key) in keys.enumerated() where places[BytewiseString(key)] == nil {
      places[BytewiseString(key)] = place
    }
    placeOfKey = places
  }

  /// Runs a step of decoding one of its elements.
  func within<Value>(
    _ place: Int, _ coder: KeyedUnarchiver, _ type: Any.Type, _ body: () throws -> Value
  ) throws -> Value {
    current = place
    let count = coder.storage.state.scopes.count
    enter(coder)
    defer { coder.storage.state.leaveScopes(to: count) }
    do {
      return try body()
    } catch {
      throw coder.codingError(error, type)
    }
  }

  private func enter(_ coder: KeyedUnarchiver) {
    begin(coder)
    enterElement(coder)
  }

  private func enterElement(_ coder: KeyedUnarchiver) {
    coder.storage.state.scopes.append(contentsOf: scopes.dropFirst())
    coder.storage.state.scopes[coder.storage.state.innermost].current = current
  }

  private func begin(_ coder: KeyedUnarchiver) {
    // One after another and not one inside of the other, for there may be more than the stack has room for.
    var line = [self]
    while let parent = line.last?.parent { line.append(parent) }
    coder.storage.state.scopes[coder.storage.state.innermost].current = line.last?.origin ?? -1
    for node in line.reversed() {
      coder.storage.state.scopes.append(contentsOf: node.scopes.prefix(1))
      if node !== self { node.enterElement(coder) }
    }
  }

  /// The way to the collection.
  func codingPath(_ coder: KeyedUnarchiver) -> [any CodingKey] {
    let count = coder.storage.state.scopes.count
    begin(coder)
    defer { coder.storage.state.leaveScopes(to: count) }
    return coder.storage.state.codingPath(withLastKey: false)
  }

  /// Where an element lies.
  func place(_ index: Int) -> ValueLocation { uids[index] == 0 ? .null : .object(uids[index]) }
}

extension KeyedUnarchiver {
  /// Looks into the collection at a place.
  func node(
    _ kind: UnarchiverState.Scope.Kind, at place: ValueLocation, in parent: DecodingNode?, wanted: Any.Type?
  ) throws -> DecodingNode {
    let expected = kind == .elements ? ArchivedArray.self as any KeyedCoding.Type : ArchivedDictionary.self
    let uid: UInt32
    switch place {
    case .object(let object): uid = object
    case .inline(let item): uid = try storage.state.source.uid(item)
    case .null:
      throw KeyedArchiveError(.valueNotFound, "the value is nil, where \(wanted ?? expected) is needed")
    }
    try check(uid, expected, wanted)
    var ancestor = parent
    while let node = ancestor {
      guard node.uid != uid else {
        throw KeyedArchiveError(
          .cycle, "object #\(uid) is asked for while it is being decoded", uid: ArchiveUID(rawValue: uid))
      }
      ancestor = node.parent
    }
    try storage.state.checkDepth(storage.state.depth + (parent?.depth ?? 0), of: uid)
    let keys = kind == .values ? try names(try storage.state.references(of: uid, "NS.keys", "NS.key.", .keys).uids) : []
    let (uids, scopes) = try storage.state.references(of: uid, "NS.objects", "NS.object.", kind)
    guard kind == .elements || keys.count == uids.count else {
      throw malformed("a dictionary has \(keys.count) keys and \(uids.count) values")
    }
    // Nested containers make nothing that could be kept for others who refer to the same collection.
    try storage.state.spend(ExpansionBudget.element * (uids.count + 1))
    let origin = storage.state.scopes[storage.state.innermost].current
    return DecodingNode(uid, uids, keys, scopes, origin: origin, in: parent)
  }

  /// Only what a nested container is archived as may be looked into, and only where no other class is wanted.
  private func check(_ uid: UInt32, _ expected: any KeyedCoding.Type, _ wanted: Any.Type?) throws {
    let names: [String]
    if let wanted {
      names = [(wanted as? any KeyedCoding.Type)?.archiveClassName ?? TypeName.archived(wanted)]
    } else {
      names = [expected.archiveClassName] + expected.archiveClassAliases
    }
    let found: String?
    if let classUID = try storage.state.classUID(of: uid) {
      found = try classRecord(classUID).name
    } else {
      found = PrimitiveValueClass.name(of: try storage.state.source.entry(uid).kind)
    }
    if wanted == nil, let found, names.contains(found) { return }
    throw KeyedArchiveError(
      .classNotAllowed,
      "the archive has an object of class '\(found ?? "none")' where '\(names[0])' is allowed",
      keyPath: storage.state.keyPath(), uid: ArchiveUID(rawValue: uid), className: found,
      remedy: "Ask for the type that the archive holds here")
  }

  /// The keys of a dictionary, which for a container are strings, or integers.
  private func names(_ uids: [UInt32]) throws -> [String] {
    try uids.map { uid in
      let entry = try storage.state.source.entry(uid)
      if entry.kind == .integer { return "\(try Int64.read(entry, storage.state.source))" }
      guard let key = try String._decode(from: ArchiveUID(rawValue: uid), self) else {
        throw malformed("a key of a dictionary is nil")
      }
      return key
    }
  }
}
