// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import KeyedArchives
package import KeyedArchiving
import PropertyListFormat

/// Writes differences as text, one per line. `keyedarchive diff` and `KeyedArchivingTesting` use it.
package struct DifferenceText {
  private let style: TextStyle
  private let text: ValueText
  private var old: GraphReader
  private var new: GraphReader
  /// The number of bytes that may still be compared to say where long values differ. A text takes up to three times its bytes
  /// in the file.
  private var bytesToCompare: Int
  /// Whether lines have what objects represent, which texts of fixtures do not have.
  package var hasMeanings = true

  package init(from old: KeyedArchive, to new: KeyedArchive, style: TextStyle) {
    self.style = style
    text = ValueText(style)
    self.old = GraphReader(old)
    self.new = GraphReader(new)
    bytesToCompare = 4 * old.propertyList.byteCount
  }

  /// Returns a difference as a line.
  package mutating func line(_ difference: ArchiveDifference) -> String {
    let path = style(.key, EscapedText.plain(difference.path))
    let before = difference.oldPath.map { style(.dim, " (was \(EscapedText.plain($0)))") } ?? ""
    return "\(mark(difference.kind)) \(path)\(before): \(content(difference))\n"
  }

  private func mark(_ kind: ArchiveDifference.Kind) -> String {
    switch kind {
    case .added: style(.string, "+")
    case .removed: style(.wrong, "-")
    case .changed, .archiver: style(.number, "~")
    case .form: style(.dim, "=")
    case .className: style(.className, "c")
    case .sharing: style(.number, "s")
    }
  }

  private mutating func content(_ difference: ArchiveDifference) -> String {
    let before = difference.old.map { side($0, difference, &old) }
    let after = difference.new.map { side($0, difference, &new) }
    var content = [before, after].compactMap(\.self).joined(separator: " → ")
    if before == after, let place = placeOfDifference(difference) {
      content += style(.dim, " (differ at \(place))")
    }
    if difference.count > 1 { content += style(.dim, " (\(CountText.text(difference.count, "object")))") }
    return content
  }

  /// Returns where two strings or data differ, both of which are too long to be shown. Nil for other values, and if many
  /// differences share long ones.
  private mutating func placeOfDifference(_ difference: ArchiveDifference) -> String? {
    switch (difference.old, difference.new) {
    case (.primitive(.data(let old), _), .primitive(.data(let new), _)):
      mayCompare(old.count) ? "byte \(old.equalByteCount(with: new))" : nil
    case (.primitive(.string(let old), _), .primitive(.string(let new), _)):
      mayCompare(old.utf8.count) ? "byte \(old.equalByteCount(with: new)) of the text in UTF-8" : nil
    default: nil
    }
  }

  private mutating func mayCompare(_ byteCount: Int) -> Bool {
    bytesToCompare -= byteCount
    return bytesToCompare >= 0
  }

  private func side(
    _ value: ArchiveDifference.Value, _ difference: ArchiveDifference, _ reader: inout GraphReader
  ) -> String {
    switch value {
    case .null: return "null"
    case .primitive(let value, let uid):
      guard difference.kind == .form else { return text.text(value) + meaning(value, difference) }
      return text.text(value) + style(.dim, uid == nil ? " inline" : " boxed")
    case .object(_, let uid):
      let shape = reader.shape(of: .reference(uid))
      return text.head(shape, hasMeanings ? reader.meaning(of: shape) : nil) + style(.dim, " \(uid)")
    case .array(let count): return "array" + style(.dim, " (\(CountText.text(count, "element")))")
    case .dictionary(let count): return "dictionary" + style(.dim, " (\(CountText.text(count, "key")))")
    case .classRecord(let description): return text.text(description)
    case .shared(let uid, let path):
      return path.map { "the object at \(style(.key, EscapedText.plain($0)))" } ?? "the object \(uid)"
    case .unshared: return "a separate object"
    case .name(let name): return style(.string, EscapedText.quoted(name, limit: ValueText.maximumLength))
    }
  }

  /// Returns the date for the seconds of an NSDate, and the color for the components of an NSColor.
  private func meaning(_ value: KeyedArchive.StoredValue, _ difference: ArchiveDifference) -> String {
    switch value {
    case .double(let seconds) where difference.path.hasSuffix(".NS.time"):
      return style(.dim, " (\(DateText.iso8601(seconds)))")
    case .data(let bytes):
      let key = ["NSRGB", "NSWhite", "NSCMYK"].first { difference.path.hasSuffix(".\($0)") }
      guard hasMeanings, let key, let color = Meaning.color(ofComponents: bytes, key: key) else { return "" }
      return " (\(text.text(color)))"
    default: return ""
    }
  }
}

extension ValueText {
  /// Returns a class with its superclasses and hints.
  package func text(_ description: ClassDescription) -> String {
    var names = description.chain
    if names.first != description.name { names.insert(description.name, at: 0) }
    // Only hostile files have longer superclass chains.
    var text = names.prefix(32).map { style(.className, Self.name($0)) }.joined(separator: " < ")
    if names.count > 32 { text += " < …" }
    if !description.hints.isEmpty {
      text += " or " + description.hints.prefix(32).map { style(.className, Self.name($0)) }.joined(separator: ", ")
    }
    return text
  }
}
