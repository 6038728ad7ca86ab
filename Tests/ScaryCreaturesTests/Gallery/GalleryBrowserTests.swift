// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PNGImages
import ScaryCreatures
import Testing

/// The page as a browser shows it. Each creature's pictures are of one colour, so that a screenshot tells where it is.
@Suite(.enabled(if: Chromium.isPresent, Comment(rawValue: Chromium.isAbsent)), .serialized)
struct GalleryBrowserTests {
  /// A colour, and the place of its first pixels in a screenshot.
  private struct Creature {
    let number: Int
    let title: String
    let rating: Float
    let color: [UInt8]
    /// The colour of the full picture.
    let fullColor: [UInt8]
  }

  private static let creatures = [
    Creature(
      number: 1, title: "<script>document.title='bad'</script>", rating: 2, color: [255, 0, 0],
      fullColor: [255, 0, 128]),
    Creature(number: 2, title: "Bat", rating: 5, color: [0, 255, 0], fullColor: [128, 255, 0]),
    Creature(number: 3, title: "Adder", rating: 0, color: [0, 0, 255], fullColor: [0, 128, 255]),
  ]

  /// Writes the page, with another radio button chosen, and hands its place to `body`.
  private func withPage(choosing radio: String? = nil, _ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "gallery-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let items = try Self.creatures.map { creature in
      let (a, b) = (creature.color, creature.fullColor)
      let (thumb, full) = (
        try SampleFiles.png(a[0], a[1], a[2], side: 214), try SampleFiles.png(b[0], b[1], b[2], side: 400)
      )
      return GalleryItem(
        number: creature.number, title: creature.title, rating: creature.rating,
        modified: Date(timeIntervalSince1970: creature.number == 2 ? 0 : 1e9 + Double(creature.number)),
        thumbnail: thumb, fullImage: full)
    }
    try WrittenGallery(items).write(to: folder) { html in
      guard let radio else { return html }
      let group = radio.hasPrefix("by-") ? "sort" : radio.hasPrefix("min-") ? "min" : "theme"
      let first = ["sort": "by-number", "min": "min-0", "theme": "theme-auto"][group] ?? ""
      return html.replacingOccurrences(of: "id=\"\(first)\" checked=\"checked\"", with: "id=\"\(first)\"")
        .replacingOccurrences(of: "id=\"\(radio)\"", with: "id=\"\(radio)\" checked=\"checked\"")
    }
    try body(folder.appending(path: "index.html"))
  }

  /// The numbers of the creatures that are to be seen, from the left.
  private func order(_ screenshot: Data, full: Bool = false) throws -> [Int] {
    let image = try PNGImage(screenshot)
    var places: [(x: Int, number: Int)] = []
    for creature in Self.creatures {
      let color = full ? creature.fullColor : creature.color
      var found: [Int] = []
      for i in stride(from: 0, to: image.pixels.count, by: 4) where Array(image.pixels[i..<i + 3]) == color {
        found.append(i / 4 % image.width)
      }
      // A few pixels are chance; a picture is thousands.
      if found.count > 5000 { places.append((found.min() ?? 0, creature.number)) }
    }
    return places.sorted { $0.x < $1.x }.map(\.number)
  }

  private func corner(_ screenshot: Data) throws -> [UInt8] {
    Array(try PNGImage(screenshot).pixels[0..<3])
  }

  @Test("Titles are inert, and the pictures are loaded")
  func loads() throws {
    try withPage { page in
      let elements = try Chromium.elements(page)
      #expect(!elements.lowercased().contains("<script"))
      #expect(elements.contains("<title>Scary Creatures</title>"))
      #expect(try order(Chromium.screenshot(page)) == [1, 2, 3])
    }
  }

  @Test(
    "Sorting moves the cards",
    arguments: [("by-title", [1, 3, 2]), ("by-rating", [2, 1, 3]), ("by-date", [3, 1, 2])] as [(String, [Int])])
  func sorting(_ radio: String, _ expected: [Int]) throws {
    try withPage(choosing: radio) { page in
      let found = try order(Chromium.screenshot(page))
      #expect(found == expected)
    }
  }

  @Test(
    "Filtering takes cards away",
    arguments: [("min-1", [1, 2]), ("min-2", [1, 2]), ("min-3", [2])] as [(String, [Int])])
  func filtering(_ radio: String, _ expected: [Int]) throws {
    try withPage(choosing: radio) { page in
      let found = try order(Chromium.screenshot(page))
      #expect(found == expected)
    }
  }

  @Test("Light and dark are what was chosen")
  func themes() throws {
    try withPage(choosing: "theme-light") { page in
      let found = try corner(Chromium.screenshot(page))
      #expect(found == [0xF6, 0xF2, 0xEB])
    }
    try withPage(choosing: "theme-dark") { page in
      let found = try corner(Chromium.screenshot(page))
      #expect(found == [0x16, 0x12, 0x1F])
    }
  }

  @Test("The address of a picture shows the full one alone")
  func viewer() throws {
    try withPage { page in
      let screenshot = try Chromium.screenshot(page, fragment: "#p2")
      #expect(try order(screenshot, full: true) == [2])
      #expect(try order(screenshot).isEmpty)
    }
  }
}
