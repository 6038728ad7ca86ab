// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
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
    let data = texts(4000, attributes: 2000)
    let texts = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: [AttributedString].self, from: data))
    #expect(texts.count == 4000)
    let attributes = try #require(try texts[999].runs.first?[ArchivedAttributes.self]?.attributes)
    #expect(attributes.keys.count == 2000)
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
