// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import TestSupport
import Testing

@testable import PropertyListFormat

@Suite("Text comparison")
struct TextTests {
  @Test("operators, patterns, prefixes and sets distinguish canonically equivalent strings", arguments: 0..<4)
  func twins(_ number: Int) {
    let (a, b) = HostileText.twins[number]
    #expect((a as any Hashable as? AnyHashable) == AnyHashable(b), "the pair must be equal by Swift's rules")
    #expect(!(a == b))
    #expect(a != b)
    #expect((a < b) == a.utf8.lexicographicallyPrecedes(b.utf8))
    #expect((b < a) == b.utf8.lexicographicallyPrecedes(a.utf8))
    #expect(!(a as String? == b as String?))
    #expect(!(["x", a] == ["x", b]))
    #expect(!["x", a].contains(b))
    #expect(!(a + "x").hasPrefix(b))
    #expect(!("x" + a).hasSuffix(b))
    #expect(!("x" + a + "y").contains(b))
    #expect(!(a[...] == b[...]))
    #expect(Set([BytewiseString(a), BytewiseString(b)]).count == 2)
    let isMatched =
      switch a {
      case b: true
      default: false
      }
    #expect(!isMatched)
  }

  @Test("the order of UTF-16 units is that of the standard library")
  func unitOrder() {
    var random = SeededRandom(seed: 16)
    let scalars: [Unicode.Scalar] = [
      "a", "\u{7F}", "\u{E9}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{EFFF}", "\u{F000}", "\u{FFFF}",
      "\u{10000}", "\u{10FFFF}",
    ]
    let texts = (0..<300).map { _ in
      var view = String.UnicodeScalarView(repeatElement("m", count: Int.random(in: 0...17, using: &random)))
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        view.append(scalars[Int.random(in: 0..<scalars.count, using: &random)])
      }
      return String(view)
    }
    for a in texts {
      let wrong = texts.first { a.precedesInUTF16($0) != a.utf16.lexicographicallyPrecedes($0.utf16) }
      #expect(wrong == nil, "\(a.debugDescription)")
    }
  }

  @Test("the order of strings is the order of their bytes", arguments: 0...20)
  func order(_ count: Int) {
    let text = String(repeating: "m", count: count)
    for place in 0...count {
      let start = text.prefix(place)
      for other in [start + "a" + text, start + "z" + text, start + "\u{E9}", start[...] + ""] {
        let other = String(other)
        #expect((text < other) == text.utf8.lexicographicallyPrecedes(other.utf8))
        #expect((other < text) == other.utf8.lexicographicallyPrecedes(text.utf8))
        #expect((text == other) == text.utf8.elementsEqual(other.utf8))
      }
    }
  }

  @Test("a prefix before a combining mark is found, and removed without the mark")
  func prefixes() {
    #expect("$\u{301}5".hasPrefix("$"))
    #expect("$\u{301}5".rest(after: "$").map { Array($0.utf8) } == Array("\u{301}5".utf8))
    #expect("NS.object.\u{301}5".rest(after: "NS.object.").flatMap { Int($0) } == nil)
    #expect("abc".rest(after: "abcd") == nil)
    #expect("abc".rest(before: "bc").map { String($0) } == "a")
  }

  @Test(
    "splitting and replacing ASCII text agree with Foundation",
    arguments: ["", "a", ".", "a.b", ".a..b.", "a..", "..."])
  func searching(_ text: String) {
    let parts = text.components(separatedBy: ".")
    #expect(text.split(separator: ".", omittingEmptySubsequences: false).map { String($0) } == parts)
    #expect(text.split(separator: ".").map { String($0) } == parts.filter { !$0.isEmpty })
    #expect(text.replacing(".", with: "::") == text.replacingOccurrences(of: ".", with: "::"))
    #expect(text.contains(".") == !(text.range(of: ".") == nil))
  }

  @Test("a run of 127 combining marks is accepted, and one of 128 is not")
  func runs() {
    #expect(MarkRun.isBounded(HostileText.marks(127)))
    #expect(!MarkRun.isBounded(HostileText.marks(128)))
    #expect(!MarkRun.isBounded("start " + HostileText.marks(128) + " end"))
    #expect(MarkRun.isBounded(String(repeating: HostileText.marks(127), count: 3)))
    // A character that counts as a letter, and is normalized to two marks.
    #expect(!MarkRun.isBounded(String(repeating: "\u{F73}", count: 400)))
    #expect(MarkRun.isBounded(String(repeating: "\u{E9}", count: 10_000)))
    #expect(MarkRun.isBounded(String(repeating: "a", count: 10_000)))
  }

  @Test("comparing strings of 200,000 combining marks takes milliseconds")
  func long() {
    let (a, b) = (HostileText.marks(200_000), String(HostileText.marks(200_001).unicodeScalars.dropLast()) + "\u{301}")
    let time = HostileText.time {
      #expect(!(a == b))
      #expect((a < b) != (b < a))
      #expect(!(a == "N"))
      #expect(a.hasPrefix("N"))
      #expect(Set([BytewiseString(a), BytewiseString(b)]).count == 2)
      #expect(!MarkRun.isBounded(a))
    }
    #expect(time < HostileText.patience)
  }

  @Test("XML with 100,000 combining marks is read or rejected in milliseconds")
  func xml() {
    let marks = HostileText.marks(100_000, after: "")
    let texts = [
      "<real>n\(marks)</real>", "<real>1.5\(marks)</real>", "<integer>1\(marks)</integer>",
      "<dict><key>C\(marks)</key><integer>1</integer></dict>",
      "<dict><key>CF$UID\(marks)</key><integer>1</integer></dict>",
      "<dict><key>C</key><integer>1</integer><key>\(marks)</key><integer>2</integer></dict>",
      "<string>\(marks)</string>", "<da\(marks)>", "<string>&\(marks);</string>",
    ]
    for text in texts {
      let file = Data("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\(text)</plist>".utf8)
      let time = HostileText.time {
        guard let list = try? PropertyList(file) else { return }
        try? list.validate()
      }
      #expect(time < HostileText.patience, "\(text.prefix(20).unicodeScalars.prefix(20).count)")
    }
  }
}
