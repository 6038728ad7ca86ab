// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import KeyedArchives
import KeyedArchiving

extension GraphReader {
  /// What stands before a value inside of another.
  enum Label {
    case key(String)
    case element(Int)
    /// The key of a dictionary's pair, if it is a single value, as it is shown.
    case pair(String)
    /// The key of a pair that is a graph itself, and the value that belongs to it.
    case pairKey(Int), pairValue(Int)

    /// The label in words.
    var text: String {
      switch self {
      case .key(let key): ValueText.name(key)
      case .element(let index): "[\(index)]"
      case .pair(let text): text
      case .pairKey(let index): "key [\(index)]"
      case .pairValue(let index): "value [\(index)]"
      }
    }
  }

  /// A value with what stands before it.
  struct Line {
    let label: Label
    let value: KeyedArchive.StoredValue
  }

  /// How much of a string is shown where it stands as a key.
  static let shortText = 80

  /// What is inside of a value, in the order in which it is stored: an object's keys first, then at most `width` elements
  /// or pairs, and how many of these are left out.
  mutating func lines(of shape: Shape, width: Int = .max) -> (lines: [Line], hidden: Int) {
    switch shape {
    case .object(_, let contents):
      var lines = contents.entries.map { Line(label: .key($0.key), value: $0.value) }
      if let elements = contents.elements { lines += Self.lines(elements, width) }
      if let pairs = contents.pairs { lines += self.lines(pairs, width) }
      return (lines, max(0, max(contents.elements?.count ?? 0, contents.pairs?.count ?? 0) - width))
    case .array(let values): return (Self.lines(values, width), max(0, values.count - width))
    case .dictionary(let entries): return (entries.map { Line(label: .key($0.key), value: $0.value) }, 0)
    default: return ([], 0)
    }
  }

  private static func lines(_ elements: [KeyedArchive.StoredValue], _ width: Int) -> [Line] {
    elements.prefix(width).enumerated().map { Line(label: .element($0), value: $1) }
  }

  /// Pairs; a key that is itself a graph gets a line of its own.
  private mutating func lines(
    _ pairs: [(key: KeyedArchive.StoredValue, value: KeyedArchive.StoredValue)], _ width: Int
  ) -> [Line] {
    var lines: [Line] = []
    for (index, pair) in pairs.prefix(width).enumerated() {
      if let label = keyLabel(pair.key) {
        lines.append(Line(label: .pair(label), value: pair.value))
      } else {
        lines.append(Line(label: .pairKey(index), value: pair.key))
        lines.append(Line(label: .pairValue(index), value: pair.value))
      }
    }
    return lines
  }

  private mutating func keyLabel(_ key: KeyedArchive.StoredValue) -> String? {
    if case .reference(let uid) = key, let label = keyLabels[uid] { return label }
    let plain = ValueText(Style(isOn: false))
    let label: String?
    switch shape(of: key) {
    case .scalar(let value): label = plain.text(value, limit: Self.shortText)
    case .value(_, let value): label = plain.text(value, limit: Self.shortText) ?? "null"
    default: label = nil
    }
    if case .reference(let uid) = key { keyLabels[uid] = .some(label) }
    return label
  }
}
