// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import KeyedArchives
import KeyedArchiving

/// Prints an archive's graph as an indented tree.
///
/// An object is shown where it is met first, from the top down; afterwards only its number, so the tree is as long as
/// the archive and never loops. Nothing here recurses: depth costs memory for one open container each.
struct TreePrinter {
  /// How many levels below a first line are shown.
  var depth = Int.max
  /// How many elements of a container are shown.
  var width = Int.max
  /// Deeper levels are not indented further but numbered, or a deep tree would be mostly blanks.
  static let deepestIndent = 32
  /// How much of a string is repeated where it is met again.
  private static let shortText = GraphReader.shortText

  private(set) var reader: GraphReader
  private let limit: OutputLimit
  private var written = 0
  private let style: Style
  private let text: ValueText
  private let output: TextOutput
  /// How many parts of the graph are damaged, and the first of them.
  private(set) var damage: (count: Int, first: Failure)?
  /// What to print where an object is met again: its class or value in short.
  private var heads: [ArchiveUID: String] = [:]
  /// Objects whose content was shown.
  private var shown: Set<ArchiveUID> = []
  /// What to print for an object whose content is too deep to be shown.
  private var tooDeep: [ArchiveUID: String] = [:]
  private var open: [Container] = []

  /// A container whose content is being printed.
  private struct Container {
    var lines: [(label: String, value: KeyedArchive.StoredValue)]
    var next = 0
    /// How many elements are left out.
    var hidden = 0
  }

  init(_ reader: GraphReader, style: Style, to output: TextOutput) {
    self.reader = reader
    limit = OutputLimit(reader.archive)
    self.style = style
    self.output = output
    text = ValueText(style)
  }

  /// Prints a value with everything below it.
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

  /// Whether there is no use in printing more.
  private var isEnded: Bool { !output.isOpen || reader.isExhausted || written > limit.byteCount }

  private mutating func write(_ line: String) {
    let level = open.count
    let indent = String(repeating: "  ", count: min(level, Self.deepestIndent))
    let mark = level > Self.deepestIndent ? style(.dim, "(\(level)) ") : ""
    let text = "\(indent)\(mark)\(line)\n"
    output.write(text)
    written += text.utf8.count
    guard written > limit.byteCount else { return }
    let failure = limit.failure("the tree", remedy: "Show a part of it with --depth, --width or --path")
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

  /// The lines below a value; nil if there are none.
  private mutating func content(_ shape: GraphReader.Shape) -> Container? {
    let (lines, hidden) = reader.lines(of: shape, width: width)
    guard !lines.isEmpty || hidden > 0 else { return nil }
    return Container(lines: lines.map { ($0.label.text, $0.value) }, hidden: hidden)
  }
}
