// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import PropertyListFormat

/// The settings of git's diff driver for archives in a file in git's format; all other lines stay as they are.
struct GitSettings {
  /// The name of the diff driver, in the settings and in attributes.
  static let driver = "keyedarchive"

  private struct Item {
    enum Content {
      case header(isDriver: Bool)
      /// A setting of the driver.
      case setting(key: String, value: String)
      case blank
      case other
    }

    /// The lines of the file. A setting can continue on further lines.
    var lines: [String]
    var content: Content
  }

  private var items: [Item] = []

  init(_ lines: [String]) {
    var isDriver = false
    var rest = lines[...]
    while let line = rest.popFirst() {
      let text = Self.trimmed(line[...])
      if text.isEmpty {
        items.append(Item(lines: [line], content: .blank))
      } else if text.hasPrefix("["), let (name, after) = Self.header(text) {
        isDriver = name
        items.append(Item(lines: [line], content: .header(isDriver: isDriver)))
        // A setting can follow in the same line.
        guard isDriver, !after.isEmpty, let place = items.indices.last else { continue }
        items[place].lines = ["[diff \"\(Self.driver)\"]"]
        rest = (["\t\(after)"] + rest)[...]
      } else if text.hasPrefix("#") || text.hasPrefix(";") {
        items.append(Item(lines: [line], content: .other))
      } else {
        var item = Item(lines: [line], content: .other)
        while Self.continues(item.lines[item.lines.count - 1]), let more = rest.popFirst() { item.lines.append(more) }
        if isDriver {
          let whole = item.lines.dropLast().map { String($0.dropLast()) } + item.lines.suffix(1)
          let (key, value) = Self.setting(Self.trimmed(whole.joined()[...]))
          item.content = .setting(key: key, value: value)
        }
        items.append(item)
      }
    }
  }

  /// The lines of the file.
  var lines: [String] { items.flatMap(\.lines) }

  /// The value of a key, given in lowercase letters. Of several, git takes the last one.
  subscript(key: String) -> String? {
    for item in items.reversed() {
      if case .setting(key, let value) = item.content { return value }
    }
    return nil
  }

  /// Sets the value of a key.
  mutating func set(_ key: String, to value: String) {
    drop(key)
    let item = Item(lines: ["\t\(key) = \(Self.quoted(value))"], content: .setting(key: key, value: value))
    let header = items.lastIndex { if case .header(isDriver: true) = $0.content { true } else { false } }
    if let header {
      items.insert(item, at: header + 1)
    } else {
      items.append(Item(lines: ["[diff \"\(Self.driver)\"]"], content: .header(isDriver: true)))
      items.append(item)
    }
  }

  /// Removes a key, and the sections of the driver that have no other.
  mutating func remove(_ key: String) {
    drop(key)
    for place in items.indices.reversed() {
      guard case .header(isDriver: true) = items[place].content else { continue }
      let members = items[(place + 1)...].prefix { if case .header = $0.content { false } else { true } }
      let isEmpty = members.allSatisfy { if case .blank = $0.content { true } else { false } }
      if isEmpty { items.removeSubrange(place..<members.endIndex) }
    }
  }

  private mutating func drop(_ key: String) {
    items.removeAll { if case .setting(key, _) = $0.content { true } else { false } }
  }

  // MARK: Syntax

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" || scalar == "\r" }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.unicodeScalars.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return String(text)
  }

  /// Returns whether a section is that of the driver, and the text after its header; nil for a broken header.
  private static func header(_ text: String) -> (isDriver: Bool, after: String)? {
    var isQuoted = false
    var isEscaped = false
    /// The name of the section and, after a quotation mark, that of the subsection.
    var names = ["", ""]
    let scalars = text.unicodeScalars
    for place in scalars.indices.dropFirst() {
      let scalar = scalars[place]
      if scalar == "]", !isQuoted {
        let section = trimmed(names[0][...]).lowercased()
        // The old form of a subsection is `[diff.keyedarchive]`, in letters of any case.
        let isDriver = section == "diff" && names[1] == driver || section == "diff.\(driver)" && names[1].isEmpty
        let after = trimmed(text[scalars.index(after: place)...])
        return (isDriver, after.hasPrefix("#") || after.hasPrefix(";") ? "" : after)
      }
      if isEscaped {
        isEscaped = false
      } else if scalar == "\"" {
        isQuoted.toggle()
        continue
      } else if scalar == "\\", isQuoted {
        isEscaped = true
        continue
      }
      names[isQuoted ? 1 : 0].unicodeScalars.append(scalar)
    }
    return nil
  }

  /// Returns whether a setting continues on the next line: it ends with a backslash that no other one escapes.
  private static func continues(_ line: String) -> Bool {
    let count = line.utf8.reversed().prefix { $0 == UInt8(ascii: "\\") }.count
    return !count.isMultiple(of: 2)
  }

  /// Returns the key in lowercase letters and the value. A key without a value is true.
  private static func setting(_ text: String) -> (key: String, value: String) {
    let scalars = text.unicodeScalars
    guard let equals = scalars.firstIndex(of: "=") else { return (text.lowercased(), "true") }
    let key = trimmed(text[..<equals]).lowercased()
    var value = String.UnicodeScalarView()
    /// The value without the blanks before a comment.
    var end = value
    var isQuoted = false
    var isEscaped = false
    for scalar in trimmed(text[scalars.index(after: equals)...]).unicodeScalars {
      if isEscaped {
        isEscaped = false
        value.append(scalar == "n" ? "\n" : scalar == "t" ? "\t" : scalar)
        end = value
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == "\"" {
        isQuoted.toggle()
        end = value
      } else if !isQuoted, scalar == "#" || scalar == ";" {
        break
      } else {
        value.append(scalar)
        if isQuoted || !isBlank(scalar) { end = value }
      }
    }
    return (key, String(end))
  }

  private static func quoted(_ value: String) -> String {
    let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    let needsQuotes = escaped != value || value.contains("#") || value.contains(";") || trimmed(value[...]) != value
    return needsQuotes ? "\"\(escaped)\"" : value
  }
}
