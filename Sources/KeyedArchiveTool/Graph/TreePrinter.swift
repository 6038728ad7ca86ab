// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivePages
import CommandLineTools
import KeyedArchives
import KeyedArchiving

/// Prints an archive's graph as an indented tree.
///
/// The content of an object is printed at its first occurrence, and its UID at later ones. The tree is therefore as
/// long as the archive and has no cycles. The printer does not recurse: each level of depth costs one open container.
struct TreePrinter {
  /// The number of levels below a first line.
  var depth = Int.max
  /// The number of elements of a container.
  var width = Int.max
  /// The deepest indented level; lines below it are numbered, because a deep tree would be mostly blank.
  static let maximumIndent = 32
  /// The maximum length of a string in later occurrences.
  private static let shortText = GraphReader.shortText

  private(set) var reader: GraphReader
  private let limit: OutputLimit
  private var written = 0
  private let style: Style
  private let text: ValueText
  private let output: TextOutput
  /// The number of damaged values, and the first failure.
  private(set) var damage: (count: Int, first: Failure)?
  /// The short text for later occurrences of an object.
  private var heads: [ArchiveUID: String] = [:]
  /// Objects whose content was printed.
  private var shown: Set<ArchiveUID> = []
  /// The text of objects whose content is too deep.
  private var tooDeep: [ArchiveUID: String] = [:]
  private var open: [Container] = []

  private struct Container {
    var lines: [(label: String, value: KeyedArchive.StoredValue)]
    var next = 0
    /// The number of omitted elements.
    var hidden = 0
  }

  init(_ reader: GraphReader, style: Style, to output: TextOutput) {
    self.reader = reader
    limit = OutputLimit(reader.archive)
    self.style = style
    self.output = output
    text = ValueText(style)
  }

  /// Prints a value and its contents.
  mutating func print(_ label: String?, _ value: KeyedArchive.StoredValue) {
    guard !isEnded else { return }
    printLine(label.map { ValueText.name($0) }, value)
    while let last = open.indices.last, !isEnded {
      let next = open[last].next
      guard next < open[last].lines.count else {
        if open[last].hidden > 0 { write("… \(open[last].hidden) more") }
        open.removeLast()
        continue
      }
      open[last].next += 1
      let line = open[last].lines[next]
      printLine(line.label, line.value)
    }
    open.removeAll()
  }

  /// Whether printing has ended.
  private var isEnded: Bool { !output.isOpen || reader.isExhausted || written > limit.byteCount }

  private mutating func write(_ line: String) {
    let level = open.count
    let indent = String(repeating: "  ", count: min(level, Self.maximumIndent))
    let mark = level > Self.maximumIndent ? style(.dim, "(\(level)) ") : ""
    let text = "\(indent)\(mark)\(line)\n"
    output.write(text)
    written += text.utf8.count
    guard written > limit.byteCount else { return }
    let failure = limit.failure("the tree", remedy: "To show less, use --depth, --width or --path")
    damage = ((damage?.count ?? 0) + 1, failure)
  }

  private mutating func printLine(_ label: String?, _ value: KeyedArchive.StoredValue) {
    let prefix = label.map { style(.key, $0) + ": " } ?? ""
    if case .reference(let uid) = value, let head = heads[uid], shown.contains(uid) {
      return write("\(prefix)\(head) \(style(.dim, "↑\(uid)"))")
    }
    if case .reference(let uid) = value, open.count >= depth, let line = tooDeep[uid] { return write(prefix + line) }
    let shape = reader.shape(of: value)
    var head = text.head(shape)
    var content = self.content(shape)
    if content != nil, open.count >= depth {
      head += " …"
      content = nil
    } else if case .reference(let uid) = value, uid != .null {
      shown.insert(uid)
      heads[uid] = text.head(shape, limit: Self.shortText, counted: false)
    }
    if case .reference(let uid) = value, uid != .null {
      head += " " + style(.dim, "\(uid)")
      if !shown.contains(uid) { tooDeep[uid] = head }
    }
    write(prefix + head)
    if case .damaged(let failure) = shape { damage = ((damage?.count ?? 0) + 1, damage?.first ?? failure) }
    if let content { open.append(content) }
  }

  /// Returns the content of a value, or nil if it has none.
  private mutating func content(_ shape: GraphReader.Shape) -> Container? {
    let (lines, hidden) = reader.lines(of: shape, width: width)
    guard !lines.isEmpty || hidden > 0 else { return nil }
    return Container(lines: lines.map { ($0.label.text, $0.value) }, hidden: hidden)
  }
}
