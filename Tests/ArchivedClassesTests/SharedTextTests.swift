// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchiving
import TestSupport
import Testing

@Suite("A text that elements of a set share")
struct SharedTextTests {
  /// A set of 1,000 regular expressions with one pattern and different options.
  private func set(_ pattern: String) -> Data {
    HandmadeList.archive(
      [
        ["NS.objects": .array((0..<1000).map { .uid(UInt64(5 + $0)) }), "$class": .uid(2)],
        .classRecord("NSSet", "NSObject"), .classRecord("NSRegularExpression", "NSObject"), .string(pattern),
      ] + (0..<1000).map { ["NSPattern": .uid(4), "NSOptions": .integer($0), "$class": .uid(3)] })
  }

  @Test(
    "may have the length that the documentation says",
    arguments: [("a", 128), ("\u{416}", 12.8), ("e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}", 1.6 * 8 / 7)])
  func length(_ letter: String, _ ratio: Double) throws {
    // The letters for each element. The file itself has parts of the texts.
    let count = ratio * Double(set("").count) / 1000 / Double(letter.unicodeScalars.count)
    let decode = { (share: Double) in
      let data = set(String(repeating: letter, count: Int(count * share)))
      return try KeyedUnarchiver.unarchivedObject(ofClass: Set<ArchivedRegularExpression>.self, from: data)?.count
    }
    #expect(try decode(0.8) == 1000)
    let error = #expect(throws: KeyedArchiveError.self) { try decode(1.4) }
    #expect(error?.code == .limitReached)
  }
}
