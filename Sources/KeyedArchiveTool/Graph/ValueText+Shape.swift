// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import KeyedArchiving

extension ValueText {
  /// A value's class and value in a line, without its number.
  func head(_ shape: GraphReader.Shape, limit: Int = ValueText.longest, counted: Bool = true) -> String {
    switch shape {
    case .null: return "null"
    case .scalar(let value): return text(value, limit: limit)
    case .value(let name, let value):
      let name = style(.className, Self.name(name))
      return text(value, limit: limit).map { "\(name) \($0)" } ?? name
    case .object(let name, let contents):
      let name = style(.className, Self.name(name))
      guard counted else { return name }
      if let pairs = contents.pairs { return name + style(.dim, " (\(CountText.text(pairs.count, "pair")))") }
      guard let elements = contents.elements else { return name }
      return name + style(.dim, " (\(CountText.text(elements.count, "element")))")
    case .array(let values): return "array" + style(.dim, " (\(CountText.text(values.count, "element")))")
    case .dictionary(let entries): return "dictionary" + style(.dim, " (\(CountText.text(entries.count, "key")))")
    case .classRecord(let description): return "class " + style(.className, Self.name(description.name))
    case .damaged(let failure): return style(.wrong, "damaged: " + EscapedText.plain(failure.line))
    }
  }
}
