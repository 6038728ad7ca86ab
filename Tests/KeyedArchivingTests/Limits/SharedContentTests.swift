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

  /// An archive of an array of URLs with the same text and the same base. The last text is that of the outermost base.
  private func urls(_ count: Int, _ texts: [String]) -> Data {
    func url(_ text: Int, base: Int) -> HandmadeList {
      Hostile.object(3, [("NS.base", .uid(UInt64(base))), ("NS.relative", .uid(UInt64(text)))])
    }
    // The array and two class records, the texts, the bases from the outermost to the innermost, and the URLs.
    let firstText = 4
    let firstBase = firstText + texts.count
    let firstURL = firstBase + texts.count - 1
    let references = (firstURL..<firstURL + count).map { HandmadeList.uid(UInt64($0)) }
    var objects = [
      Hostile.object(2, [("NS.objects", .array(references))]), Hostile.array, .classRecord("NSURL", "NSObject"),
    ]
    objects += texts.map { .string($0) }
    for base in firstBase..<firstURL {
      let level = base - firstBase
      objects.append(url(firstBase - 1 - level, base: level == 0 ? 0 : base - 1))
    }
    objects += Array(repeating: url(firstText, base: firstURL == firstBase ? 0 : firstURL - 1), count: count)
    return HandmadeList.archive(objects)
  }

  @Test("a long text of many URLs, each of which copies it, is beyond the limit")
  func sharedTextsOfURLs() throws {
    let long = String(repeating: "a b", count: 30_000)
    for texts in [[long], ["page", long, "http://example.com/"]] {
      #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [URL].self, from: urls(2, texts))?.count == 2)
      let error = #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClass: [URL].self, from: urls(400, texts))
      }
      #expect(error?.code == .limitReached)
    }
    // A base without a base is not copied.
    let texts = ["page", "http://example.com/" + long]
    let pages = try KeyedUnarchiver.unarchivedObject(ofClass: [URL].self, from: urls(400, texts))
    #expect(pages?.count == 400 && pages?.last?.baseURL?.host() == "example.com")
  }

  @Test("URLs are read, whatever their length and number")
  func ordinaryURLs() throws {
    for unit in ["a b", "\u{E9}", "\u{4E2D}"] {
      let text = String(repeating: unit, count: 200_000)
      let url = try KeyedUnarchiver.unarchivedObject(ofClass: [URL].self, from: urls(1, [text]))?.first
      #expect(url?.relativePath == text)
    }
    let base = try #require(URL(string: "folder/", relativeTo: URL(string: "http://example.com/a/")))
    let list = try (0..<4000).map { number in
      let text = "page\(number)?" + String(repeating: "query", count: number % 80)
      return try #require(URL(string: text, relativeTo: number % 3 == 0 ? nil : base))
    }
    for layout in ArchiveLayout.allCases {
      let data = try KeyedArchiver.archivedData(withRootObject: list, requiringSecureCoding: true, layout: layout)
      #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [URL].self, from: data)?.count == list.count)
    }
  }

  @Test("an error shows the ends of a long text that is no URL")
  func invalidURL() {
    let text = "http://[" + String(repeating: "z", count: 50_000)
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: [URL].self, from: urls(1, [text]))
    }
    #expect(error?.code == .malformedValue)
    #expect(error.map { "\($0)".utf8.count < 2000 } == true)
  }
}
