// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import KeyedArchiving
import PropertyListFormat

/// An audit as people read it: for each class a line, its places and its keys.
struct AuditText {
  let style: Style

  func write(_ audit: ArchiveAudit, to output: TextOutput, within limit: OutputLimit) throws(Failure) {
    var written = 0
    for use in audit.classes where output.isOpen {
      write(use) { line in
        guard written <= limit.byteCount else { return }
        output.write(line)
        written += line.utf8.count
      }
      if written > limit.byteCount {
        throw limit.failure("the list", remedy: "Look at a part of it with 'tree --path'")
      }
    }
    var counts = [CountText.text(audit.archiveCount, "archive")]
    if audit.nestedArchiveCount > 0 { counts.append("\(CountText.text(audit.nestedArchiveCount, "archive")) in data") }
    if audit.damagedNestedArchiveCount > 0 {
      counts.append("\(audit.damagedNestedArchiveCount) of those in data damaged")
    }
    counts.append(CountText.text(audit.objectCount, "object"))
    counts.append(audit.classNames.count == 1 ? "1 class" : "\(audit.classNames.count) classes")
    output.write("\(counts.joined(separator: ", "))\n")
    output.write("\(style(.heading, "allow:")) \(names(audit.classNames))\n")
    output.write("\(style(.heading, "top:")) \(names(audit.topClassNames))\n")
    let nested = audit.nestedTopClassNames
    if !nested.isEmpty { output.write("\(style(.heading, "top in data:")) \(names(nested))\n") }
  }

  private func names(_ names: [String]) -> String {
    names.map { $0.contains(" ") ? EscapedText.quoted($0, limit: ValueText.longest) : ValueText.name($0) }
      .joined(separator: " ")
  }

  private func write(_ use: ArchiveAudit.ClassUse, _ write: (String) -> Void) {
    let text = ValueText(style)
    let description = use.descriptions.first ?? ClassDescription(name: use.name, chain: [])
    write("\(text.text(description)): \(CountText.text(use.count, "object"))\n")
    for other in use.descriptions.dropFirst() { write("  also \(text.text(other))\n") }
    let more = use.placeCount - use.paths.count
    for path in use.paths { write("  at \(style(.key, EscapedText.plain(path)))\n") }
    if more > 0 { write("  at \(CountText.text(more, "more place"))\n") }
    for (key, value) in use.keys {
      let mark = value.count < use.count ? "?" : ""
      write("  \(style(.key, ValueText.name(key)))\(mark): \(kinds(value))\n")
    }
  }

  /// The kinds of values in a place, and in the collections there.
  private func kinds(_ use: ValueUse) -> String {
    let kinds = use.sortedKinds.map { item in
      let name = ValueText.name(item.kind.description)
      let shown: String = if case .object = item.kind { style(.className, name) } else { name }
      return item.count == 1 ? shown : shown + style(.dim, " ×\(item.count)")
    }
    var text = kinds.joined(separator: ", ")
    if let elements = use.elements { text += " [\(self.kinds(elements))]" }
    if use.pairKeys != nil || use.pairValues != nil {
      let (keys, values) = (use.pairKeys.map { self.kinds($0) } ?? "", use.pairValues.map { self.kinds($0) } ?? "")
      text += " {\(keys): \(values)}"
    }
    return text
  }
}
