// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import HarnessSupport
import KeyedArchiving
import TestSupport
import Testing

@Suite("Attributes that many texts share")
struct SharedAttributeTests {
  /// Texts with one set of attributes, under one list of runs.
  private func texts(_ count: Int, attributes: Int) -> Data {
    let names = HandmadeList.array((0..<attributes).map { .uid(UInt64(6 + count + $0)) })
    return HandmadeList.archive(
      [
        ["NS.objects": .array((0..<count).map { .uid(UInt64(6 + $0)) }), "$class": .uid(2)],
        .classRecord("NSArray", "NSObject"), .classRecord("NSAttributedString", "NSObject"),
        ["NS.keys": names, "NS.objects": names, "$class": .uid(5)], .classRecord("NSDictionary", "NSObject"),
      ]
        + (0..<count).map { _ in
          ["NSString": .uid(UInt64(6 + count)), "NSAttributes": .uid(4), "$class": .uid(3)]
        } + (0..<attributes).map { .string("name \($0)") })
  }

  // One conversion for each text makes a million attributes, and as many when the texts are encoded.
  @Test("are converted once, and archived once")
  func conversion() throws {
    let data = texts(1000, attributes: 1000)
    let texts = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: [AttributedString].self, from: data))
    #expect(texts.count == 1000)
    let attributes = try #require(try texts[999].runs.first?[ArchivedAttributes.self]?.attributes)
    #expect(attributes.keys.count == 1000)
    let again = try KeyedArchiver.archivedData(withRootObject: texts, requiringSecureCoding: true)
    #expect(again.count < 2 * data.count)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [AttributedString].self, from: again) == texts)
  }

  @Test("are told apart by all of their bytes")
  func equalBeginnings() throws {
    // The archives of the sets begin with the same 80 bytes, which is all that `Data` hashes.
    let sets = try (0..<300).map { number in
      try ArchivedAttributeSet(ArchivedDictionary([("name", "text \(1000 + number)")]))
    }
    #expect(Set(sets.map(\.hashValue)).count == 300 && Set(sets).count == 300)
    var text = AttributedString()
    for set in sets + sets {
      var part = AttributedString("x")
      part[ArchivedAttributes.self] = set
      text += part
    }
    let archived = try ArchivedAttributedString(text)
    #expect(archived.attributeSets.count == 300 && archived.runs.count == 600)
    #expect(try AttributedString(archived) == text)
  }

  @Test(
    "of runs that begin anywhere in a character are those of the parts of the text", arguments: 0..<40 as Range<UInt64>)
  func runs(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let pieces = ["a", "é", "e\u{301}", "😀", "👩‍👩‍👧", "\u{301}\u{316}", "\r\n", "日本", "🇩🇪", ""]
    let sets = try (0..<3).map { try ArchivedAttributeSet(ArchivedDictionary([("name", "text \($0)")])) }
    let scalars = (0..<60).flatMap { _ in Array(pieces.randomElement(using: &random)!.unicodeScalars) }
    var (runs, expected, rest) = ([ArchivedAttributedString.Run](), AttributedString(), scalars[...])
    while !rest.isEmpty {
      let part = rest.prefix(Int.random(in: 0...4, using: &random))
      rest = rest.dropFirst(part.count)
      let text = String(String.UnicodeScalarView(part))
      let set = Int.random(in: 0..<3, using: &random)
      runs.append(ArchivedAttributedString.Run(length: text.utf16.count, attributes: set))
      var attributes = AttributeContainer()
      attributes[ArchivedAttributes.self] = sets[set]
      expected.append(AttributedString(text, attributes: attributes))
    }
    let text = String(String.UnicodeScalarView(scalars))
    let archived = ArchivedAttributedString(text, attributeSets: try sets.map { try $0.attributes }, runs: runs)
    let decoded = try AttributedString(archived)
    // Foundation's `==` can be false for equal texts that were put together from different parts.
    for text in [decoded, try AttributedString(ArchivedAttributedString(decoded))] {
      #expect(parts(of: text) == parts(of: expected))
      #expect(Array(text.unicodeScalars) == scalars)
    }
  }

  /// The runs of a text, each with its length and its attributes.
  private func parts(of text: AttributedString) -> [Part] {
    text.runs.map { Part(count: text.unicodeScalars[$0.range].count, attributes: $0.attributes) }
  }

  private struct Part: Equatable {
    let count: Int
    let attributes: AttributeContainer
  }

  // A run has at least three bytes of the file: its length, the number of its attributes, and a letter.
  // Of the longer texts, one of the letters; with `WHOLE_TESTS`, all.
  @Test("of runs of one character are read", arguments: [1000, 20_000])
  func shortRuns(count: Int) throws {
    let letters = ["a", "é", "😀", "👩‍👩‍👧"]
    for (number, letter) in letters.enumerated() where count == 1000 || Sample.includes(number, each: 4) {
      let text = ArchivedAttributedString(
        String(repeating: letter, count: count),
        attributeSets: [ArchivedDictionary([("name", "a")]), ArchivedDictionary([("name", "b")])],
        runs: (0..<count).map { .init(length: letter.utf16.count, attributes: $0 % 2) })
      let data = try KeyedArchiver.archivedData(withRootObject: text, requiringSecureCoding: true)
      let decoded = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: AttributedString.self, from: data))
      #expect(decoded.runs.count == count)
      let again = try KeyedArchiver.archivedData(withRootObject: decoded, requiringSecureCoding: true)
      #expect(try KeyedUnarchiver.unarchivedObject(ofClass: AttributedString.self, from: again) == decoded)
    }
  }

  @Test("of an empty text and of empty runs are none")
  func emptyRuns() throws {
    let sets = [ArchivedDictionary([("name", "a")]), ArchivedDictionary([("name", "b")])]
    let runs = [0, 1, 0].map { ArchivedAttributedString.Run(length: 0, attributes: $0) }
    let empty = try AttributedString(ArchivedAttributedString("", attributeSets: sets, runs: runs))
    #expect(empty == AttributedString())
    let all = [ArchivedAttributedString.Run(length: 0, attributes: 1), .init(length: 2, attributes: 0)] + runs
    let text = try AttributedString(ArchivedAttributedString("ab", attributeSets: sets, runs: all))
    #expect(text.runs.count == 1)
    #expect(try text.runs.first?[ArchivedAttributes.self] == ArchivedAttributeSet(sets[0]))
  }

  @Test("of a text with one long run of marks are set in linear time")
  func marks() throws {
    func time(_ text: String) throws -> Double {
      let runs = (0..<4000).map { ArchivedAttributedString.Run(length: 1, attributes: $0 % 2) }
      let archived = ArchivedAttributedString(
        text, attributeSets: [ArchivedDictionary([("name", "a")]), ArchivedDictionary([("name", "b")])], runs: runs)
      return try System.leastTime { _ = try AttributedString(archived) }
    }
    let letters = try time(String(repeating: "a", count: 4000))
    #expect(try time("a" + String(repeating: "\u{301}", count: 3999)) < 4 * letters)
  }

  @Test("are limited together with a long text and many runs")
  func longText() throws {
    func archive(_ count: Int, _ runCount: Int) -> Data {
      HandmadeList.archive(
        [
          ["NS.objects": .array((0..<count).map { .uid(UInt64(9 + $0)) }), "$class": .uid(2)],
          .classRecord("NSArray", "NSObject"), .classRecord("NSAttributedString", "NSObject"),
          ["NS.keys": [], "NS.objects": [], "$class": .uid(5)], .classRecord("NSDictionary", "NSObject"),
          .string(String(repeating: "a", count: runCount)),
          .data((0..<runCount).flatMap { _ in [1, 0] as [UInt8] }),
          ["NS.objects": [.uid(4)], "$class": .uid(2)],
        ]
          + (0..<count).map { _ in
            ["NSString": .uid(6), "NSAttributes": .uid(8), "NSAttributeInfo": .uid(7), "$class": .uid(3)]
          })
    }
    func decode(_ data: Data) throws -> Int? {
      try KeyedUnarchiver.unarchivedObject(ofClass: [AttributedString].self, from: data)?.count
    }
    #expect(try decode(archive(1, 1000)) == 1)
    #expect(try decode(archive(100, 10)) == 100)
    let error = try #require(throws: KeyedArchiveError.self) { try decode(archive(1000, 10_000)) }
    #expect(error.code == .limitReached, "\(error)")
  }
}
