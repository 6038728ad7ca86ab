// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

extension GraphPath {
  /// Parses an argument.
  init(argument text: String) throws(UsageError) {
    do {
      try self.init(text)
    } catch {
      throw UsageError(error.detail, remedy: error.remedy)
    }
  }
}

extension GraphPath {
  /// Returns the value at the path.
  /// - Throws: ``Failure`` with the part of the path that has no value, and the existing keys.
  func resolve(in reader: inout GraphReader) throws(Failure) -> KeyedArchive.StoredValue {
    var place = Place.top(try Failure.convertingArchiveError(try reader.archive.top))
    var at = 0
    while at < steps.count {
      guard let (next, count) = try step(at, from: place, &reader) else { throw missing(at, place, &reader) }
      place = .value(next)
      at += count
    }
    guard case .value(let value) = place else { throw Failure(.negative, "valueNotFound", "the key path is empty") }
    return value
  }

  private enum Place {
    case top([KeyedArchive.Entry])
    case value(KeyedArchive.StoredValue)
  }

  /// Takes one step, or several that form a key with dots; returns nil if the value does not exist.
  private func step(
    _ at: Int, from place: Place, _ reader: inout GraphReader
  ) throws(Failure) -> (KeyedArchive.StoredValue, count: Int)? {
    let children = try Self.children(of: place, &reader)
    switch steps[at] {
    case .object(let number):
      guard Int(clamping: number) < reader.archive.objectCount else { return nil }
      return (.reference(ArchiveUID(rawValue: number)), 1)
    case .index(let index):
      guard children.elements.indices.contains(index) else { return nil }
      return (children.elements[index], 1)
    case .quoted(let key): return Self.value(key, children, &reader).map { ($0, 1) }
    case .name(var key):
      // An unquoted 'NS' begins a key of Foundation; see ``KeyPathText``.
      if key == Self.foundationPrefix, steps.indices.contains(at + 1), case .name(let more) = steps[at + 1],
        let value = Self.value("\(key).\(more)", children, &reader)
      {
        return (value, 2)
      }
      if let value = Self.value(key, children, &reader) { return (value, 1) }
      for next in steps.indices.dropFirst(at + 1).prefix(8) {
        guard case .name(let more) = steps[next] else { break }
        key += ".\(more)"
        if let value = Self.value(key, children, &reader) { return (value, next - at + 1) }
      }
      return nil
    }
  }

  /// The children of a value.
  private struct Children {
    var entries: [KeyedArchive.Entry] = []
    var elements: [KeyedArchive.StoredValue] = []
    var pairs: [(key: KeyedArchive.StoredValue, value: KeyedArchive.StoredValue)] = []
  }

  private static func children(of place: Place, _ reader: inout GraphReader) throws(Failure) -> Children {
    guard case .value(let stored) = place else {
      if case .top(let entries) = place { return Children(entries: entries) }
      return Children()
    }
    switch reader.shape(of: stored) {
    case .object(_, let contents):
      // Foundation's own keys are accepted too.
      var entries = contents.entries
      if contents.elements != nil || contents.pairs != nil { entries = self.entries(of: stored, reader) }
      let pairs = contents.pairs ?? []
      // The library's paths number the values of a dictionary.
      return Children(entries: entries, elements: contents.elements ?? pairs.map(\.value), pairs: pairs)
    case .scalar(_, _?), .url, .uuid, .nullObject: return Children(entries: entries(of: stored, reader))
    case .array(let values): return Children(elements: values)
    case .dictionary(let entries): return Children(entries: entries)
    case .damaged(let error): throw Failure(reading: error)
    case .null, .scalar, .classRecord: return Children()
    }
  }

  private static func entries(of stored: KeyedArchive.StoredValue, _ reader: GraphReader) -> [KeyedArchive.Entry] {
    guard case .reference(let uid) = stored, case .instance(_, let entries)? = try? reader.archive.object(uid) else {
      return []
    }
    return entries
  }

  private static func value(
    _ key: String, _ children: Children, _ reader: inout GraphReader
  ) -> KeyedArchive.StoredValue? {
    if let entry = children.entries.first(where: { $0.key.hasSameBytes(as: key) }) { return entry.value }
    for (name, value) in children.pairs where text(name, &reader)?.hasSameBytes(as: key) ?? false { return value }
    // Paths name the keys of each dictionary by this array, also if they are stored one by one.
    return key.hasSameBytes(as: "NS.keys") && !children.pairs.isEmpty ? .array(children.pairs.map(\.key)) : nil
  }

  private static func text(_ stored: KeyedArchive.StoredValue, _ reader: inout GraphReader) -> String? {
    if case .scalar(.string(let text), _) = reader.shape(of: stored) { text } else { nil }
  }

  private func missing(_ at: Int, _ place: Place, _ reader: inout GraphReader) -> Failure {
    let holder = at == 0 ? "the archive" : "'\(Self.text(steps[..<at]))'"
    if case .object = steps[at] {
      return Failure(
        .negative, "valueNotFound",
        "no object \(Self.text(steps[at...at])): the archive has the UIDs #0 to #\(reader.archive.objectCount - 1)")
    }
    var failure = Failure(.negative, "valueNotFound", "\(holder) has no '\(Self.text(steps[at...at]))'")
    guard let children = try? Self.children(of: place, &reader) else { return failure }
    var names = children.entries.map(\.key).filter { !$0.hasPrefix("NS.") || children.pairs.isEmpty }
    for (key, _) in children.pairs.prefix(40) { names += [Self.text(key, &reader)].compactMap(\.self) }
    failure.detail = "\(holder) has no '\(Self.text(steps[at...missingEnd(at, names)]))'"
    var shown = names.prefix(20).map { name in
      // The key is shown as a step of a path, which can be pasted.
      var step = KeyPathText()
      step.append(key: MessageText.shortened(name, to: 80))
      return step.text
    }
    if names.count > 20 { shown.append("…") }
    if !children.elements.isEmpty, children.pairs.isEmpty || names.isEmpty {
      shown.append("[0] to [\(children.elements.count - 1)]")
    }
    failure.remedy = shown.isEmpty ? "It has no keys" : "It has \(shown.joined(separator: ", "))"
    return failure
  }

  /// Returns the last step of the missing key, which has several steps if an existing key begins with them and a dot.
  private func missingEnd(_ at: Int, _ names: [String]) -> Int {
    guard case .name(var key) = steps[at] else { return at }
    var end = at
    while end + 1 < steps.count, case .name(let more) = steps[end + 1],
      names.contains(where: { $0.hasPrefix(key + ".") })
    {
      key += ".\(more)"
      end += 1
    }
    return end
  }
}
