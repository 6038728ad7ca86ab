// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import Testing

@testable import ScaryCreatures

/// Titles, ratings, numbers and dates of a hostile archive.
@Suite struct GalleryHostileTests {
  /// U+FFFF, U+FDD0 and U+1FFFE, which Swift allows in strings but not in literals.
  private static let noncharacters = String(
    decoding: [0xEF, 0xBF, 0xBF, 0xEF, 0xB7, 0x90, 0xF0, 0x9F, 0xBF, 0xBE], as: UTF8.self)

  static let titles = [
    "<script>alert(1)</script>", "</style></title><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)", "&lt;b&gt; &amp; &#x3C;", "<!-- -->", "]]><![CDATA[", "{{7*7}} ${1}",
    "zero \0 escape \u{1B}[31m bell \u{7} delete \u{7F} high \u{9B}", "line\nbreak\r\ttab", noncharacters,
    "abc \u{202E}fdp.exe", "stray \u{2069} pop \u{202C}", "مرحبا", "👩‍👩‍👧‍👦 é e\u{301}", "#p1", "javascript:alert(1)",
    String(repeating: "Donaudampfschiff", count: 5000), "e" + String(repeating: "\u{301}", count: 5000),
  ]

  @Test("escapes a title", arguments: titles)
  func title(_ title: String) throws {
    let png = try SampleFiles.png(1, 2, 3)
    let items = [GalleryItem(number: 1, title: title, rating: 1, thumbnail: png, fullImage: png)]
    let plain = PageReader(
      try WrittenGallery([GalleryItem(number: 1, title: "x", rating: 1, thumbnail: png, fullImage: png)]).html)
    let gallery = try WrittenGallery(items, title: title)
    let page = PageReader(gallery.html)
    #expect(page.error == nil)
    // The elements and attributes equal those of a harmless title, so no part of the title became markup.
    #expect(page.elements.map(\.name) == plain.elements.map(\.name))
    #expect(page.elements.map { $0.attributes.keys.sorted() } == plain.elements.map { $0.attributes.keys.sorted() })
    #expect(page.elements("bdi").count == 3)
    // No control characters, which HTML forbids, and no text direction that extends beyond an attribute.
    #expect(
      gallery.html.unicodeScalars.allSatisfy { ($0.value >= 0x20 || $0 == "\n") && !(0x7F...0x9F).contains($0.value) })
    for element in page.elements {
      for value in element.attributes.values {
        #expect(
          value.unicodeScalars.allSatisfy {
            !(0x202A...0x202E).contains($0.value) && !(0x2066...0x2069).contains($0.value)
          })
      }
      if let alt = element.attributes["alt"] { #expect(alt.unicodeScalars.count < 140) }
    }
  }

  @Test("keeps visible text unchanged")
  func verbatim() throws {
    for title in ["a < b && c > \"d\" 'e'", "Ünïcödé 日本語", "&amp;"] {
      let page = PageReader(try WrittenGallery([GalleryItem(number: 1, title: title, rating: 1)]).html)
      #expect(page.elements("bdi").last?.text == title)
    }
  }

  @Test(
    "calls a title without visible characters untitled",
    arguments: ["", " \n", "\u{200B}\u{2060}", "\u{202E}\u{2069}", "\u{AD}"])
  func invisible(_ title: String) throws {
    let page = PageReader(try WrittenGallery([GalleryItem(number: 1, title: title, rating: 1)], title: title).html)
    #expect(page.elements("h2").first?.text == "Untitled")
    #expect(page.elements("h1").first?.text == "Scary Creatures")
  }

  @Test(
    "shows invalid ratings as not valid",
    arguments: [
      (.nan, "no valid rating"), (.infinity, "no valid rating"), (-.infinity, "no valid rating"),
      (-1, "no valid rating"), (5.01, "no valid rating"), (.greatestFiniteMagnitude, "no valid rating"),
      (0, "not rated"), (-0.0, "not rated"), (.leastNonzeroMagnitude, "rating 0.1 of 5"), (0.96, "rating 1 of 5"),
      (1.5, "rating 1.5 of 5"), (2.25, "rating 2.3 of 5"), (5, "rating 5 of 5"),
    ] as [(Float, String)])
  func ratings(_ rating: Float, _ words: String) throws {
    #expect(GalleryRating(rating).words == words)
    #expect((0...5).contains(GalleryRating(rating).points))
    #expect((0...10).contains(GalleryRating(rating).halves))
  }

  @Test("filters and sorts by the rating itself, as a query does", arguments: [0.96, 3.96, 4.96, 5] as [Float])
  func roundedRatings(_ rating: Float) throws {
    let room = try CreatureRoom()
    try room.database().addCreature(title: "Ghost", rating: rating)
    func entry(_ rating: Float) -> GalleryEntry {
      GalleryEntry(
        name: "1", number: 1, title: "Ghost", rating: GalleryRating(rating), modified: nil, thumbnail: nil,
        fullImage: nil)
    }
    for points in 1...5 {
      var count = 0
      let database = try room.database()
      try database.readCreatures(CreatureQuery(minimumRating: Float(points)), of: database.contents()) { _, _ in
        count += 1
      } unreadable: {
        Issue.record($0.error)
      }
      #expect(GalleryRules(entries: [entry(rating)]).count(atLeast: points) == count, "\(points)")
    }
    #expect(entry(rating.nextDown).rating.sortKey < entry(rating).rating.sortKey)
  }

  @Test("assigns unique names to repeated, negative and extreme numbers")
  func numbers() throws {
    let png = try SampleFiles.png(1, 2, 3)
    let items = [7, 7, -7, 7, .max, .min, 0].map { GalleryItem(number: $0, title: "x", rating: 1, fullImage: png) }
    let gallery = try WrittenGallery(items)
    #expect(Set(gallery.paths).count == gallery.paths.count)
    #expect(gallery.paths.contains("images/7-3.png"))
    let ids = PageReader(gallery.html).elements.compactMap(\.id)
    #expect(Set(ids).count == ids.count)
    for path in gallery.paths {
      #expect(path.utf8.allSatisfy { byte in "abcdefghijklmnopqrstuvwxyz0123456789-./".utf8.contains(byte) })
      #expect(!path.contains(".."))
    }
  }

  @Test("shows Gregorian days in universal time")
  func days() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    // From 1600, when Foundation's calendar is Gregorian, to 9999.
    for seconds in stride(from: -11_670_000_000.5, through: 253_402_300_799, by: 123_456_789.25) {
      let date = Date(timeIntervalSince1970: seconds)
      let parts = calendar.dateComponents([.year, .month, .day], from: date)
      let day = try #require(GalleryDate(date)).day.split(separator: "-").map { Int($0) }
      #expect(day == [parts.year, parts.month, parts.day], "\(seconds)")
    }
    #expect(GalleryDate(Date(timeIntervalSince1970: -0.5))?.day == "1969-12-31")
    #expect(GalleryDate(Date(timeIntervalSince1970: 951_782_400))?.words == "29 Feb 2000")
  }

  @Test(
    "omits dates without a four-digit year",
    arguments: [.nan, .infinity, -.infinity, 1e300, -1e12, 253_402_300_800])
  func noDays(_ seconds: Double) {
    #expect(GalleryDate(Date(timeIntervalSince1970: seconds)) == nil)
  }
}
