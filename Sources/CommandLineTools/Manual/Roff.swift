// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A page in the roff language with the macros of man(7), which groff and mandoc both read, in ASCII.
struct Roff {
  /// What was written so far.
  private(set) var text = ""
  private var isAfterHeading = false

  /// Begins a page of section 1; `source` is what it belongs to.
  init(title: String, source: String) {
    text = ".TH \(Self.argument(title.uppercased())) 1 \"\" \(Self.argument(source)) \"User Commands\"\n"
    // Ragged lines without hyphens: names and options are easier to find, and to copy.
    text += ".nh\n.ad l\n"
  }

  /// Begins a section.
  mutating func heading(_ title: String) {
    text += ".SH \(Self.argument(title.uppercased()))\n"
    isAfterHeading = true
  }

  /// A paragraph.
  mutating func paragraph(_ words: String) {
    if !isAfterHeading { text += ".PP\n" }
    isAfterHeading = false
    text += Self.escaped(words) + "\n"
  }

  /// How something is called: its name stands out.
  mutating func synopsis(_ name: String, _ rest: String) {
    text += ".B \(Self.argument(name))\n\(Self.escaped(rest))\n"
  }

  /// A name and what it means.
  mutating func item(_ name: String, _ meaning: String) {
    text += ".TP\n.B \(Self.argument(name))\n\(Self.escaped(meaning))\n"
    isAfterHeading = false
  }

  /// Names of other pages of section 1.
  mutating func references(_ names: [String]) {
    for (index, name) in names.enumerated() {
      text += ".BR \(Self.argument(name)) \(index < names.count - 1 ? "(1)," : "(1)")\n"
    }
  }

  /// Text that roff prints as it is: nothing in it is a request, an escape, or a character that is set in another form.
  private static func escaped(_ words: String) -> String {
    // A line that begins with one of these is a request.
    var text = words.hasPrefix(".") || words.hasPrefix("'") ? #"\&"# : ""
    for scalar in words.unicodeScalars {
      switch scalar {
      case "\\": text += #"\(rs"#
      case "-": text += #"\-"#
      case "'": text += #"\(aq"#
      case "\"": text += #"\(dq"#
      case "`": text += #"\(ga"#
      case "^": text += #"\(ha"#
      case "~": text += #"\(ti"#
      case "\n": text += " "
      case _ where scalar.isASCII: text.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        text += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
      }
    }
    return text
  }

  /// Text that is one argument of a macro.
  private static func argument(_ words: String) -> String { "\"\(escaped(words))\"" }
}
