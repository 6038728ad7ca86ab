// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import TestSupport
import Testing

@Suite("What is shared within the limit is read")
struct SharedContentTests {
  @Test("a text of which a decoder makes many objects is one text")
  func texts() throws {
    // Each object holds the text by a reference to the same object, as many times as would be beyond the limit.
    let text = String(repeating: "text", count: 5000)
    let count = 500
    var objects: [HandmadeList] = [
      Hostile.object(2, [("NS.objects", .array((0..<count).map { .uid(UInt64(5 + $0)) }))]), Hostile.array,
      .classRecord("NSMutableString", "NSString", "NSObject"), .string(text),
    ]
    objects += (0..<count).map { _ in Hostile.object(3, [("NS.string", .uid(4))]) }
    let data = HandmadeList.archive(objects)
    #expect(count * text.utf8.count > 64 * data.count)
    let array = try KeyedUnarchiver.unarchivedObject(ofClass: [ArchivedMutableString].self, from: data)
    #expect(array?.count == count)
    #expect(array?.allSatisfy { $0.text == text } == true)
  }
}
