// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Text from a file, as it stands in a message.
package enum MessageText {
  /// A text that may be of any length, cut in its middle; its beginning and its end say most.
  package static func shortened(_ text: String, to count: Int = 240) -> String {
    // Not by characters: one of them may be a letter with a million marks.
    let scalars = text.unicodeScalars
    guard text.utf8.count > count, scalars.dropFirst(count).first != nil else { return text }
    return "\(Substring(scalars.prefix(count * 2 / 3))) […] \(Substring(scalars.suffix(count / 3)))"
  }

  /// A name, in which every character that is not plain ASCII is spelled out: some look like others, or like nothing.
  package static func plain(_ name: String) -> String {
    name.unicodeScalars.reduce(into: "") { text, scalar in
      if (0x20..<0x7F).contains(scalar.value) {
        text.unicodeScalars.append(scalar)
      } else {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
  }
}
