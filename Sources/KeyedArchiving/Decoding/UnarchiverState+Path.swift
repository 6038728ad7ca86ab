// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

// Key paths for messages and coding paths.
extension UnarchiverState {
  /// Returns the place of the value that was requested last.
  @inline(never)
  package mutating func place() -> ArchivePlace {
    if innermost == 0, let detachedUID { return ArchivePlace(detachedUID, found: path(to: detachedUID)) }
    return ArchivePlace(steps(of: innermost), in: place(around: innermost))
  }

  /// Returns the place of an absent value in the innermost scope.
  package mutating func place(to key: String) -> ArchivePlace {
    let former = scopes[innermost].current
    scopes[innermost].current = -1
    defer { scopes[innermost].current = former }
    return ArchivePlace([ArchivePathStep(.key, key)], in: place())
  }

  /// Returns a shortest path from a top-level key to an object to which no open scope leads.
  ///
  /// The result is nil if none exists, or if the searches of this decoder have read the archive too often.
  private mutating func path(to uid: UInt32) -> [ArchivePathStep]? {
    var search = ReferenceSearch(budget: searchBudget ?? source.budget)
    defer { searchBudget = search.budget }
    search.run(in: source, until: uid)
    return search.path(to: uid, in: &self)
  }

  /// Returns the place of the object or collection of a scope; nil for the top level.
  ///
  /// The places are kept as long as their scopes, so that each is made once, however many errors are inside of it.
  private mutating func place(around index: Int) -> ArchivePlace? {
    var known = index
    while known > 0, !scopes[known].hasPlace { known -= 1 }
    places.removeLast(places.count - known)
    while known < index {
      let place =
        if known == 0, detachedUID != nil, scopes[1].kind == .object {
          ArchivePlace(scopes[1].uid, found: path(to: scopes[1].uid))
        } else {
          ArchivePlace(container: steps(of: known), in: places.last)
        }
      places.append(place)
      known += 1
      scopes[known].hasPlace = true
    }
    return places.last
  }

  /// Returns the path to the value that was requested last, or to the current object. After many paths, only its end.
  mutating func codingPath(withLastKey: Bool) -> [any CodingKey] {
    var path: [any CodingKey] = []
    for index in beginPath()..<scopes.count {
      let isObject = scopes[index].kind == .object
      // The last requested top-level key does not lead to the object of a deferred reference. A search for its path
      // would take too long for the coding paths of decoders.
      if index == 1, isObject, detachedUID != nil {
        path = [ArchivePathStep(.start, "\(ArchiveUID(rawValue: scopes[index].uid))")]
      }
      if isObject, !withLastKey, index == innermost { break }
      path += steps(of: index) as [any CodingKey]
    }
    return path
  }

  /// Charges a coding path, and returns the scope at which it begins. That is the top level, or one of the innermost scopes
  /// if the budget is exhausted.
  mutating func beginPath() -> Int {
    pathBudget &-= scopes.count
    guard pathBudget < 0 else { return 0 }
    pathBudget = -1
    return max(0, scopes.count - Self.shortPath)
  }

  /// The number of scopes in a coding path of which only the end is made.
  private static var shortPath: Int { 4 }

  /// Returns the steps from the beginning of a scope to the value that was requested last in it.
  private mutating func steps(of index: Int) -> [ArchivePathStep] {
    let scope = scopes[index]
    switch scope.kind {
    case .top:
      let start = detachedUID.map { "\(ArchiveUID(rawValue: $0))" } ?? (scope.current >= 0 ? name(scope) : "$top")
      return [ArchivePathStep(.start, start)]
    case .object:
      let isCollection = index + 1 < scopes.count && scopes[index + 1].kind != .object
      return scope.current >= 0 && !isCollection ? [ArchivePathStep(.key, name(scope))] : []
    case .elements: return [ArchivePathStep(index: scope.current)]
    case .keys: return [ArchivePathStep(.key, "NS.keys"), ArchivePathStep(index: scope.current)]
    case .values:
      if let key = key(scope.current, of: scopes[index - 1]) { return [ArchivePathStep(.entry, key)] }
      return [ArchivePathStep(.key, "NS.objects"), ArchivePathStep(index: scope.current)]
    }
  }

  /// Returns a dictionary's key, if it is a string.
  mutating func key(_ index: Int, of dictionary: Scope) -> String? {
    let position = keyLayouts.position(of: "NS.keys", in: dictionary.layout)
    guard position >= 0 else { return nil }
    let value = dictionary.item.count + position
    guard let keys = try? source.element(value, of: dictionary.item), keys.kind == .array, index < keys.count,
      let reference = try? source.element(index, of: keys), let uid = try? source.uid(reference),
      let entry = try? source.entry(uid), entry.kind == .ascii || entry.kind == .utf16
    else { return nil }
    if entry.count < Self.longKey { return try? source.string(entry) }
    // Many dictionaries can share a long key.
    if let known = longKeys[entry.content] { return known }
    let text = try? source.string(entry)
    longKeys[entry.content] = text
    return text
  }

  /// The length of the shortest dictionary keys that are kept for paths.
  private static var longKey: Int { 64 }

  /// The most recent of the keys that the current object's initializer requested and that are absent.
  var absentKeys: [String] {
    guard let scope = scopes.last, scope.layout >= 0 else { return [] }
    return keyLayouts.absentKeys(scope.absentMarks, of: scope.layout, in: innermost)
  }

  /// The keys of `$top`.
  var topLevelKeys: [String] {
    let layout = keyLayouts.layouts[scopes[0].layout]
    return keyLayouts.names[layout.firstName..<layout.firstName + layout.count].map(\.text)
  }

  private func name(_ scope: Scope) -> String {
    keyLayouts.names[keyLayouts.layouts[scope.layout].firstName + scope.current].text
  }
}
