// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import KeyedArchiving
import PropertyListFormat

/// Writes an archive's graph as an indented tree. `keyedarchive tree` and descriptions use it.
///
/// The content of an object is written at its first occurrence, and its UID at later ones. The tree is therefore as
/// long as the archive and has no cycles. The writer does not recurse: each level of depth costs one open container.
package struct ArchiveTree {
  /// The number of levels below a first line.
  package var depth = Int.max
  /// The number of elements of a container.
  package var width = Int.max
  /// The number of characters of a string.
  package var maximumTextLength = ValueText.maximumLength
  /// The number of bytes after which writing ends.
  package var maximumByteCount = Int.max
  /// The estimated memory of an object whose contents are read; those of others are omitted.
  package var maximumWeight = Int64.max
  /// Whether objects have their meanings, such as names and colors.
  package var hasMeanings = true
  /// The deepest indented level; lines below it are numbered, because a deep tree would be mostly blank.
  package static let maximumIndent = 32
  /// The maximum length of a string in later occurrences.
  private static let shortText = GraphReader.shortText

  private var reader: GraphReader
  private let style: TextStyle
  private let text: ValueText
  /// Receives each line, and returns `false` if it takes no more.
  private let output: (String) -> Bool
  private var isOpen = true
  private var written = 0
  /// The number of damaged values, and the first error.
  package private(set) var damage: (count: Int, first: KeyedArchiveError)?
  /// The short text for later occurrences of an object.
  private var heads: [ArchiveUID: String] = [:]
  /// Objects whose content was written.
  private var shown: Set<ArchiveUID> = []
  /// The text of objects whose content is too deep.
  private var tooDeep: [ArchiveUID: String] = [:]
  private var open = OpenContainers()

  /// Creates a tree that passes each line, with its line end, to `output`.
  package init(_ reader: GraphReader, style: TextStyle, to output: @escaping (String) -> Bool) {
    self.reader = reader
    self.style = style
    self.output = output
    text = ValueText(style)
  }

  /// Whether the tree has more than ``maximumByteCount`` bytes.
  package var isTooLong: Bool { written > maximumByteCount }

  /// Whether the budget of the reader is exhausted.
  package var isExhausted: Bool { reader.isExhausted }

  private var isEnded: Bool { !isOpen || reader.isExhausted || isTooLong }

  /// Writes the value of a key and its contents.
  package mutating func write(key: String, _ value: KeyedArchive.StoredValue) {
    write(label: ValueText.key(key), value)
  }

  /// Writes a value and its contents, with the path to it, if any.
  package mutating func write(path: String? = nil, _ value: KeyedArchive.StoredValue) {
    write(label: path.map { ValueText.name($0) }, value)
  }

  private mutating func write(label: String?, _ value: KeyedArchive.StoredValue) {
    guard !isEnded else { return }
    writeLine(label, value)
    while open.count > 0, !isEnded {
      if let line = open.next(in: &reader) {
        writeLine(line.key.map(ValueText.key) ?? line.label.text, line.value)
      } else {
        if open.hidden > 0 { write("… \(open.hidden) more") }
        open.close()
      }
    }
    open.closeAll()
  }

  private mutating func write(_ line: String) {
    let level = open.count
    let indent = String(repeating: "  ", count: min(level, Self.maximumIndent))
    let mark = level > Self.maximumIndent ? style(.dim, "(\(level)) ") : ""
    let text = "\(indent)\(mark)\(line)\n"
    isOpen = output(text)
    written += text.utf8.count
  }

  private mutating func writeLine(_ label: String?, _ value: KeyedArchive.StoredValue) {
    let prefix = label.map { style(.key, $0) + ": " } ?? ""
    if case .reference(let uid) = value, let head = heads[uid], shown.contains(uid) {
      return write("\(prefix)\(head) \(style(.dim, "↑\(uid)"))")
    }
    if case .reference(let uid) = value, open.count >= depth, let line = tooDeep[uid] { return write(prefix + line) }
    if case .reference(let uid) = value, reader.archive.isObject(uid, heavierThan: maximumWeight) {
      return write("\(prefix)… \(style(.dim, "\(uid)"))")
    }
    let shape = reader.shape(of: value)
    let meaning = hasMeanings ? reader.meaning(of: shape) : nil
    var head = text.head(shape, meaning, limit: maximumTextLength)
    var content = self.content(shape)
    if content != nil, open.count >= depth {
      head += " …"
      content = nil
    } else if case .reference(let uid) = value, uid != .null {
      shown.insert(uid)
      heads[uid] = text.head(shape, meaning, limit: Self.shortText, counted: false)
    }
    if case .reference(let uid) = value, uid != .null {
      head += " " + style(.dim, "\(uid)")
      if !shown.contains(uid) { tooDeep[uid] = head }
    }
    write(prefix + head)
    if case .damaged(let error) = shape { damage = ((damage?.count ?? 0) + 1, damage?.first ?? error) }
    if let content { open.open(content, in: &reader) }
  }

  /// Returns the content of a value, or nil if it has none.
  private func content(_ shape: GraphReader.Shape) -> GraphReader.Values? {
    let values = GraphReader.Values(shape, width: width)
    return values.count > 0 || values.hidden > 0 ? values : nil
  }
}
