// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

// Key paths for messages and coding paths.
extension UnarchiverState {
  /// Returns the key path of the value that was requested last, such as `root.creatures[3].Title`.
  package mutating func keyPath() -> String {
    var path = codingPath(withLastKey: true)
    if let detachedUID, let start = self.path(to: scopes.count > 1 ? scopes[1].uid : detachedUID) {
      path.replaceSubrange(..<1, with: start)
    }
    return ArchivePathStep.text(path) ?? "$top"
  }

  /// Returns the path to the value that was requested last, or to the current object.
  func codingPath(withLastKey: Bool) -> [any CodingKey] {
    var path: [ArchivePathStep] = []
    for index in 0..<scopes.count {
      let scope = scopes[index]
      switch scope.kind {
      case .top:
        let start = detachedUID.map { "\(ArchiveUID(rawValue: $0))" } ?? (scope.current >= 0 ? name(scope) : "$top")
        path.append(ArchivePathStep(.start, start))
      case .object:
        // The last requested top-level key does not lead to the object of a deferred reference. A search for its path
        // would take too long for the coding paths of decoders.
        if index == 1, detachedUID != nil { path = [ArchivePathStep(.start, "\(ArchiveUID(rawValue: scope.uid))")] }
        let isCollection = index + 1 < scopes.count && scopes[index + 1].kind != .object
        if !withLastKey, index == innermost { break }
        if scope.current >= 0, !isCollection { path.append(ArchivePathStep(.key, name(scope))) }
      case .elements: path.append(ArchivePathStep(index: scope.current))
      case .keys: path += [ArchivePathStep(.key, "NS.keys"), ArchivePathStep(index: scope.current)]
      case .values:
        if let key = key(scope.current, of: scopes[index - 1]) {
          path.append(ArchivePathStep(.entry, key))
        } else {
          path += [ArchivePathStep(.key, "NS.objects"), ArchivePathStep(index: scope.current)]
        }
      }
    }
    return path
  }

  /// Returns a dictionary's key, if it is a string.
  func key(_ index: Int, of dictionary: Scope) -> String? {
    let layout = keyLayouts.layouts[dictionary.layout]
    let names = keyLayouts.names[layout.firstName..<layout.firstName + layout.count]
    guard let position = names.firstIndex(where: { $0.text == "NS.keys" }) else { return nil }
    let value = dictionary.item.count + position - layout.firstName
    guard let keys = try? source.element(value, of: dictionary.item), keys.kind == .array, index < keys.count,
      let reference = try? source.element(index, of: keys), let uid = try? source.uid(reference),
      let entry = try? source.entry(uid), entry.kind == .ascii || entry.kind == .utf16
    else { return nil }
    return try? source.string(entry)
  }

  /// Returns the key path of an absent value in the innermost scope.
  package mutating func keyPath(to key: String) -> String {
    let former = scopes[innermost].current
    scopes[innermost].current = -1
    defer { scopes[innermost].current = former }
    return keyPath() + "." + key
  }

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
