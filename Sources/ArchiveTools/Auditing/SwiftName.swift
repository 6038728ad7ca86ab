// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// Names and texts of archives as Swift source, escaped because archives may be hostile.
package enum SwiftName {
  /// Returns the type name for a class name: the last part of `Module.Outer.Type`, also if the name is mangled, or the whole
  /// name. Returns nil if it is not a valid type name.
  package static func type(forClass name: String) -> String? {
    let swiftName = RuntimeClassName(name).swiftName
    let last = swiftName.split(separator: ".", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    return isIdentifier(last) && !reserved.contains(last) ? quotedIfNeeded(last) : nil
  }

  /// Returns whether a generated type may have this name.
  ///
  /// Keywords are excluded, because some are special in type positions even in backticks. So are names that begin with
  /// a lowercase letter, because a property of the same name would hide the type.
  package static func isType(_ text: String) -> Bool {
    guard isIdentifier(text), !keywords.contains(text), let first = text.utf8.first else { return false }
    return first < UInt8(ascii: "a")
  }

  /// The maximum length of names in generated source. Longer ones would leave no place in a line.
  static let maximumByteCount = 60

  /// Returns an identifier from the ASCII letters and digits of a text, with a capital after each gap; nil if none is
  /// left.
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
      if name.utf8.count >= maximumByteCount { break }
    }
    return name.isEmpty ? nil : name
  }

  /// Returns whether a text is an identifier of ASCII letters, digits and underscores.
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

  /// Returns an identifier, in backticks if it is a keyword.
  package static func quotedIfNeeded(_ identifier: String) -> String {
    keywords.contains(identifier) ? "`\(identifier)`" : identifier
  }

  /// Returns an identifier without its backticks.
  package static func unquoted(_ identifier: String) -> String { identifier.replacing("`", with: "") }

  /// Returns a text as a single-line string literal, with all characters outside of printable ASCII escaped.
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

  /// Returns a text that is safe in a line comment.
  package static func comment(_ text: String) -> String {
    MessageText.shortened(MessageText.plain(text), to: 200).replacing("*/", with: "* /").replacing("/*", with: "/ *")
  }

  /// Names that are special even in backticks.
  private static let reserved: Set<BytewiseString> = ["Type", "Protocol", "Self", "Any", "self", "init", "_"]

  /// Returns whether a name is special even in backticks.
  static func isReserved(_ name: String) -> Bool { reserved.contains(name) }

  /// The sorted keywords. Tests of generated sources use them.
  package static var languageWords: [String] { keywords.texts.sorted() }

  /// The keywords, including contextual ones.
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
