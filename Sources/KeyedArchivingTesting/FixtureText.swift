// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// The text beside a fixture: its decoded value, and the unread keys and differences of a former version.
struct FixtureText {
  private(set) var lines: [String]

  /// Creates a text from its content. The ends of lines are those of any system, and an editor's mark of UTF-8 is left out.
  init(_ content: String) {
    let mark: Unicode.Scalar = "\u{FEFF}"
    let content = content.unicodeScalars.first == mark ? String(content.unicodeScalars.dropFirst()) : content
    lines = content.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.utf8.last == UInt8(ascii: "\r") ? String(line.dropLast()) : String(line)
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
  }

  /// The content of the file.
  var content: String { lines.map { $0 + "\n" }.joined() }

  /// Adds a list under a heading, unless the list is empty.
  mutating func add(_ heading: String, _ list: [String]) {
    if !list.isEmpty { lines += ["", heading] + list.map { "  " + $0 } }
  }

  /// Returns the whole graph of an archive, as `keyedarchive tree` prints it, but without meanings of objects: a changed
  /// name changes one line.
  static func tree(of archive: KeyedArchive) throws(KeyedArchiveError) -> String {
    final class Output { var text = "" }
    let output = Output()
    var tree = ArchiveTree(GraphReader(archive), style: .plain) { line in
      output.text += line
      return true
    }
    tree.hasMeanings = false
    for entry in try archive.top { tree.write(key: entry.key, entry.value) }
    if let damage = tree.damage { throw damage.first }
    if tree.isExhausted { throw GraphReader.tooMuch }
    return output.text
  }

  /// Returns the differences of two archives, as `keyedarchive diff` prints them.
  static func differences(from old: KeyedArchive, to new: KeyedArchive) throws(KeyedArchiveError) -> [String] {
    var text = DifferenceText(from: old, to: new, style: .plain)
    text.hasMeanings = false
    return try new.differences(from: old).map { String(text.line($0).dropLast()) }
  }

  /// Returns the keys of a report, one in a line.
  static func lines(_ keys: [KeyReport.Entry]) -> [String] {
    keys.map { key in
      EscapedText.plain(key.keyPath) + (key.className.map { " (\(ValueText.name($0)))" } ?? "")
    }
  }

  /// Returns where the bytes of an archive begin to differ from those of another.
  static func firstDifference(_ archive: Data, _ fixture: Data) -> String {
    """
    with equal contents but other bytes: \(archive.count) bytes; the fixture has \(fixture.count), and they differ from \
    byte \(archive.equalByteCount(with: fixture)) on
    """
  }

  /// The number of lines of a list that a failure shows.
  static let maximumLineCount = 60

  /// Returns the first lines of a list, indented.
  static func indented(_ lines: [String]) -> String {
    var shown = lines.prefix(maximumLineCount).map { "  " + MessageText.shortened($0, to: 300) }
    if lines.count > shown.count { shown.append("  … \(lines.count - shown.count) more") }
    return shown.joined(separator: "\n")
  }

  /// Returns the lines that another text has and this one lacks, with a minus sign, and the reverse, with a plus sign.
  func changes(from old: FixtureText) -> [String] {
    let prefix = zip(lines, old.lines).prefix { $0 == $1 }.count
    let rests = (old.lines.dropFirst(prefix), lines.dropFirst(prefix))
    let suffix = zip(rests.0.reversed(), rests.1.reversed()).prefix { $0 == $1 }.count
    let (removed, added) = (Array(rests.0.dropLast(suffix)).exact, Array(rests.1.dropLast(suffix)).exact)
    // The difference takes quadratic time.
    guard removed.count <= 500, added.count <= 500 else {
      return removed.prefix(20).map { "- \($0)" } + added.prefix(20).map { "+ \($0)" } + [
        "… \(removed.count) lines were replaced by \(added.count)"
      ]
    }
    let difference = added.difference(from: removed)
    // In the order of the texts: what was removed before a line of the new text comes before it.
    let removals = Dictionary(uniqueKeysWithValues: difference.removals.map { ($0.place, $0.line) })
    let insertions = Dictionary(uniqueKeysWithValues: difference.insertions.map { ($0.place, $0.line) })
    var result: [String] = []
    var (oldPlace, newPlace) = (0, 0)
    while oldPlace < removed.count || newPlace < added.count {
      if let line = removals[oldPlace] {
        result.append("- \(line)")
        oldPlace += 1
      } else if let line = insertions[newPlace] {
        result.append("+ \(line)")
        newPlace += 1
      } else {
        oldPlace += 1
        newPlace += 1
      }
    }
    return result
  }
}

extension CollectionDifference.Change {
  fileprivate var place: Int {
    switch self {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }

  fileprivate var line: ChangeElement {
    switch self {
    case .insert(_, let element, _), .remove(_, let element, _): element
    }
  }
}
