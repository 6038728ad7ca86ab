// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// Names and texts from archives as Swift source: an archive is hostile input, and source is obeyed.
package enum SwiftName {
  /// A type's name for a class's: what comes behind the module in `Module.Type` and in `_TtC6Module4Type`, the name itself
  /// of others. Nil for one that cannot be a type's name.
  package static func type(forClass name: String) -> String? {
    let last =
      unmangled(name) ?? name.split(separator: ".", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    return isIdentifier(last) && !reserved.contains(last) ? quotedIfNeeded(last) : nil
  }

  /// Whether a type that is made may have this name. No word of the language is one: some mean something else where a type stands,
  /// even in backticks. Nor does one begin with a small letter, as names of properties do: in their type these would hide
  /// it.
  package static func isType(_ text: String) -> Bool {
    guard isIdentifier(text), !keywords.contains(text), let first = text.utf8.first else { return false }
    return first < UInt8(ascii: "a")
  }

  /// The innermost type's name in a name that Swift mangled for Objective-C; nil for others, and for types that are not
  /// plainly in a module or in other types.
  private static func unmangled(_ name: String) -> String? {
    guard name.hasPrefix("_Tt") else { return nil }
    let kinds = "CVO".utf8
    var rest = Array(name.utf8)[3...].drop { kinds.contains($0) }
    var last: String?
    while !rest.isEmpty {
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      rest = rest.dropFirst(digits.count)
      guard let count = Int(String(decoding: digits, as: UTF8.self)), count > 0, rest.count >= count else {
        return nil
      }
      last = String(decoding: rest.prefix(count), as: UTF8.self)
      rest = rest.dropFirst(count)
    }
    return last
  }

  /// The letters, digits and underscores of ASCII in a text as an identifier, those behind others with a capital in front;
  /// nil if nothing is left.
  package static func identifier(of text: String) -> String? {
    var name = ""
    var isAfterGap = false
    for unit in text.utf8 {
      switch unit {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
        let letter = String(UnicodeScalar(unit))
        name += isAfterGap && !name.isEmpty ? letter.uppercased() : letter
        isAfterGap = false
      case UInt8(ascii: "0")...UInt8(ascii: "9") where !name.isEmpty:
        name += String(UnicodeScalar(unit))
        isAfterGap = false
      default: isAfterGap = true
      }
      if name.utf8.count >= 100 { break }
    }
    return name.isEmpty ? nil : name
  }

  /// Whether a text is an identifier, in the characters that need no thought: letters, digits and `_` of ASCII.
  package static func isIdentifier(_ text: String) -> Bool {
    guard !text.isEmpty, text.utf8.count <= 200, text != "_" else { return false }
    return text.utf8.enumerated().allSatisfy { place, unit in
      switch unit {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): place > 0
      default: false
      }
    }
  }

  /// An identifier, in backticks if it is a word of the language.
  package static func quotedIfNeeded(_ identifier: String) -> String {
    keywords.contains(identifier) ? "`\(identifier)`" : identifier
  }

  /// An identifier without its backticks.
  package static func unquoted(_ identifier: String) -> String { identifier.replacing("`", with: "") }

  /// Text as a string literal of one line, in which whatever is not plain is spelled out.
  package static func literal(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": literal += "\\\""
      case "\\": literal += "\\\\"
      case _ where (0x20..<0x7F).contains(scalar.value): literal.unicodeScalars.append(scalar)
      default: literal += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return literal + "\""
  }

  /// Text that can stand in a comment to the end of the line.
  package static func comment(_ text: String) -> String {
    MessageText.shortened(MessageText.plain(text), to: 200).replacing("*/", with: "* /").replacing("/*", with: "/ *")
  }

  /// Names that mean something else wherever they stand, even in backticks.
  private static let reserved: Set<BytewiseString> = ["Type", "Protocol", "Self", "Any", "self", "init", "_"]

  /// The words of the language, for tests of generated sources.
  package static var languageWords: [String] { keywords.texts.sorted() }

  /// The words of the language, with those that mean something in some places only.
  static let keywords: Set<BytewiseString> = [
    "Any", "Protocol", "Self", "Type", "_", "_modify", "_read", "actor", "any", "as", "associatedtype",
    "associativity", "async", "await", "borrow", "borrowing", "break", "case", "catch", "class", "consume",
    "consuming", "continue", "convenience", "copy", "default", "defer", "deinit", "didSet", "discard", "distributed",
    "do", "dynamic", "each", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "final", "for",
    "func", "get", "guard", "higherThan", "if", "import", "in", "indirect", "infix", "init", "inout", "internal",
    "is", "isolated", "lazy", "left", "let", "lowerThan", "macro", "modify", "mutate", "mutating", "nil", "none",
    "nonisolated", "nonmutating", "open", "operator", "optional", "override", "package", "postfix", "precedence",
    "precedencegroup", "prefix", "private", "protocol", "public", "read", "repeat", "required", "rethrows", "return",
    "right", "self", "sending", "set", "some", "static", "struct", "subscript", "super", "switch", "then", "throw",
    "throws", "true", "try", "typealias", "unowned", "unsafe", "var", "weak", "where", "while", "willSet", "yield",
  ]
}
