// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport

/// A text in XML or JSON that is changed at random, without regard to its structure.
struct CostText {
  private(set) var bytes: [UInt8]
  private let tokens: [String]

  init(_ data: Data, _ form: CostForm) {
    bytes = [UInt8](data)
    tokens = form.textExtension == "json" ? Self.json : Self.xml
  }

  private static let xml = [
    "<!-- -->", " ", "\n", "\t", "&#x301;", "&amp;", "&#65;", "&#00000000065;", "<![CDATA[]]>", "<![CDATA[a]]>",
    "<?a?>",
    "<dict>", "<array>", "</dict>", "</array>", "<dict/>", "<array/>", "<string/>", "<string>a</string>",
    "<integer>1</integer>", "<integer>0x1</integer>", "<integer>-9223372036854775808</integer>", "<real>1e308</real>",
    "<real>0.1</real>", "<date>2001-01-01T00:00:00Z</date>", "<data>QQ==</data>", "<data></data>", "<true/>", "<null/>",
    "<key>a</key>", "<key>a</key><true/>", "<key>CF$UID</key><integer>1</integer>",
    "<dict><key>CF$UID</key><integer>1</integer></dict>", "&lt;", "a", "0", "1", "=", "QUFB", " a=\"b\"", "\u{301}",
  ]

  private static let json = [
    " ", "\n", "\\u0301", "\\ud83d\\udc68", "\\n", "[", "]", "{", "}", "[]", "{}", "[],", "{},", "null,", "true,", "0,",
    "1e308,", "0.1,", "-0.0,", "\"a\":1,", "\"a\":[],", "\"\",", "a", "0", "9", "\u{301}",
  ]

  private static func count(_ random: inout SeededRandom) -> Int { 1 << Int.random(in: 0...12, using: &random) }

  /// Changes it in one way.
  mutating func mutate(_ random: inout SeededRandom) {
    guard bytes.count > 2 else { return }
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: repeatPart(&random)
    case 2, 3: insertTokens(&random)
    case 4: removePart(&random)
    default: lengthenRun(&random)
    }
  }

  /// A part, often from one tag to another, is repeated.
  private mutating func repeatPart(_ random: inout SeededRandom) {
    let start = boundary(&random)
    var end = min(bytes.count, start + Int.random(in: 1...128, using: &random))
    if let next = bytes[end...].prefix(256).firstIndex(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ",") }) {
      end = next
    }
    let part = bytes[start..<end]
    let many = [[UInt8]](repeating: Array(part), count: Self.count(&random)).joined()
    bytes.insert(contentsOf: many, at: Bool.random(using: &random) ? end : boundary(&random))
  }

  private mutating func insertTokens(_ random: inout SeededRandom) {
    let token = Array((tokens.randomElement(using: &random) ?? " ").utf8)
    let many = [[UInt8]](repeating: token, count: Self.count(&random)).joined()
    bytes.insert(contentsOf: many, at: boundary(&random))
  }

  private mutating func removePart(_ random: inout SeededRandom) {
    let start = boundary(&random)
    bytes.removeSubrange(start..<min(bytes.count, start + bytes.count / (1 << Int.random(in: 1...6, using: &random))))
  }

  /// A byte, such as a digit or a space, becomes many.
  private mutating func lengthenRun(_ random: inout SeededRandom) {
    let place = Int.random(in: bytes.indices, using: &random)
    bytes.insert(contentsOf: [UInt8](repeating: bytes[place], count: Self.count(&random)), at: place)
  }

  /// A position, usually the next one at which a tag or a value can begin.
  private func boundary(_ random: inout SeededRandom) -> Int {
    let place = Int.random(in: bytes.indices, using: &random)
    guard Int.random(in: 0..<4, using: &random) > 0 else { return place }
    let end = bytes[place...].prefix(512).firstIndex { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: ",") }
    return end.map { $0 + 1 } ?? place
  }
}
