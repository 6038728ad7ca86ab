// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

// Where we are, for messages and coding paths.
extension UnarchiverState {
  /// The way to the value that was asked for last, such as `root.creatures[3].Title`.
  package func keyPath() -> String { ArchivePathStep.text(codingPath(withLastKey: true)) ?? "$top" }

  /// The way to the value that was asked for last, or to the object that is being decoded.
  func codingPath(withLastKey: Bool) -> [any CodingKey] {
    var path: [ArchivePathStep] = []
    for place in 0..<scopes.count {
      let scope = scopes[place]
      switch scope.kind {
      case .top: path.append(ArchivePathStep(.start, scope.current >= 0 ? name(scope) : "$top"))
      case .object:
        // Deferred objects are decoded from the top level, whatever key was asked for there last.
        if place == 1, isDetached { path = [ArchivePathStep(.start, "\(ArchiveUID(rawValue: scope.uid))")] }
        let isCollection = place + 1 < scopes.count && scopes[place + 1].kind != .object
        if !withLastKey, place == innermost { break }
        if scope.current >= 0, !isCollection { path.append(ArchivePathStep(.key, name(scope))) }
      case .elements: path.append(ArchivePathStep(index: scope.current))
      case .keys: path += [ArchivePathStep(.key, "NS.keys"), ArchivePathStep(index: scope.current)]
      case .values:
        if let key = key(scope.current, of: scopes[place - 1]) {
          path.append(ArchivePathStep(.entry, key))
        } else {
          path += [ArchivePathStep(.key, "NS.objects"), ArchivePathStep(index: scope.current)]
        }
      }
    }
    return path
  }

  /// The text of a dictionary's key, if it is a string.
  private func key(_ place: Int, of dictionary: Scope) -> String? {
    let shape = shapes.shapes[dictionary.shape]
    let names = shapes.names[shape.firstName..<shape.firstName + shape.count]
    guard let position = names.firstIndex(where: { $0.text == "NS.keys" }) else { return nil }
    let value = dictionary.item.count + position - shape.firstName
    guard let keys = try? source.element(value, of: dictionary.item), keys.kind == .array, place < keys.count,
      let reference = try? source.element(place, of: keys), let uid = try? source.uid(reference),
      let entry = try? source.entry(uid), entry.kind == .ascii || entry.kind == .utf16
    else { return nil }
    return try? source.string(entry)
  }

  /// The way to a value of the innermost scope that was not found.
  package mutating func keyPath(to key: String) -> String {
    let former = scopes[innermost].current
    scopes[innermost].current = -1
    defer { scopes[innermost].current = former }
    return keyPath() + "." + key
  }

  /// Keys that were looked for, and not found, in objects with the keys of the object that is being decoded. Only the
  /// last few such keys of all objects are known.
  var absentKeys: [String] {
    guard let shape = scopes.last?.shape, shape >= 0 else { return [] }
    return shapes.lastAbsent.compactMap { $0.shape == shape ? $0.key : nil }
  }

  /// The keys of `$top`.
  var topLevelKeys: [String] {
    let shape = shapes.shapes[scopes[0].shape]
    return shapes.names[shape.firstName..<shape.firstName + shape.count].map(\.text)
  }

  private func name(_ scope: Scope) -> String {
    shapes.names[shapes.shapes[scope.shape].firstName + scope.current].text
  }
}
