// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PNGImages
import ScaryCreatures
import TestSupport
import Testing

/// The page in a browser. Each creature's images have one color, which locates it in a screenshot.
///
/// A browser starts slowly, so all pages are frames of one sheet with one screenshot.
@Suite(.enabled(if: Chromium.isPresent, Comment(rawValue: Chromium.isAbsent)))
struct GalleryBrowserTests {
  private struct Creature {
    let number: Int
    let title: String
    let rating: Float
    let color: [UInt8]
    /// The color of the full image.
    let fullColor: [UInt8]
  }

  private static let creatures = [
    Creature(
      number: 1, title: "<script>document.title='bad'</script>", rating: 2, color: [255, 0, 0],
      fullColor: [255, 0, 128]),
    Creature(number: 2, title: "Bat", rating: 5, color: [0, 255, 0], fullColor: [128, 255, 0]),
    Creature(number: 3, title: "Adder", rating: 0, color: [0, 0, 255], fullColor: [0, 128, 255]),
  ]

  private static func gallery(title: String = "Scary Creatures") throws -> WrittenGallery {
    let items = try creatures.map { creature in
      let (a, b) = (creature.color, creature.fullColor)
      let thumb = try SampleFiles.png(a[0], a[1], a[2], side: 32)
      let full = try SampleFiles.png(b[0], b[1], b[2], side: 400)
      return GalleryItem(
        number: creature.number, title: creature.title, rating: creature.rating,
        modified: Date(timeIntervalSince1970: creature.number == 2 ? 0 : 1e9 + Double(creature.number)),
        thumbnail: thumb, fullImage: full)
    }
    return try WrittenGallery(items, title: title)
  }

  /// The page with other radio buttons selected. Its images are loaded eagerly, so that the screenshot includes them.
  private static func page(_ html: String, choosing radios: [String]) -> String {
    let eager = html.replacingOccurrences(of: "loading=\"lazy\" decoding=\"async\"", with: "decoding=\"sync\"")
    return radios.reduce(eager) { html, radio in
      let group = radio.hasPrefix("by-") ? "by-number" : radio.hasPrefix("min-") ? "min-0" : "theme-auto"
      return html.replacingOccurrences(of: "id=\"\(group)\" checked=\"checked\"", with: "id=\"\(group)\"")
        .replacingOccurrences(of: "id=\"\(radio)\"", with: "id=\"\(radio)\" checked=\"checked\"")
    }
  }

  /// The frames by name: the selected radio buttons, separated by `+`, and an optional fragment.
  private static let frames = [
    "", "by-title", "by-rating", "by-date", "min-1", "min-2", "min-3", "min-1+by-rating", "theme-light", "theme-dark",
    "#p2", "narrow",
  ]

  private static let sheet = Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "gallery-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let gallery = try Self.gallery()
    try gallery.write(to: folder)
    let sheet = try BrowserSheet(folder: folder) { sheet in
      for name in frames {
        let parts = name.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let radios = parts[0].split(separator: "+").map(String.init).filter { $0.contains("-") }
        sheet.add(
          name, page: page(gallery.html, choosing: radios), fragment: parts.count > 1 ? String(parts[1]) : nil,
          width: name == "narrow" ? 390 : 1280)
      }
    }
    return sheet
  }

  /// The numbers of the visible creatures of a frame, in reading order.
  private func order(_ frame: String, full: Bool = false) throws -> [Int] {
    let frame = try Self.sheet.get().frame(frame)
    var places: [(y: Int, x: Int, number: Int)] = []
    for creature in Self.creatures {
      let color = full ? creature.fullColor : creature.color
      // A few pixels can match by chance; an image has hundreds.
      if let found = frame.bounds(of: color, atLeast: 500) { places.append((found.top, found.left, creature.number)) }
    }
    return places.sorted { ($0.y, $0.x) < ($1.y, $1.x) }.map(\.number)
  }

  @Test("keeps titles inert")
  func inert() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "gallery-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try Self.gallery(title: "</title><script>document.title='bad'</script>").write(to: folder)
    let elements = try Chromium.elements(folder.appending(path: "index.html"))
    // Only the page's own.
    #expect(elements.lowercased().components(separatedBy: "<script").count == 2)
    #expect(elements.contains("<title>&lt;/title&gt;&lt;script&gt;document.title='bad'&lt;/script&gt;</title>"))
    #expect(elements.contains("<li class=\"card"))
  }

  @Test(
    "moves the cards when sorting",
    arguments: [
      ("", [1, 2, 3]), ("by-title", [1, 3, 2]), ("by-rating", [2, 1, 3]), ("by-date", [3, 1, 2]),
      ("min-1+by-rating", [2, 1]),
    ] as [(String, [Int])])
  func sorting(_ frame: String, _ expected: [Int]) throws {
    let found = try order(frame)
    #expect(found == expected)
  }

  @Test(
    "hides cards when filtering",
    arguments: [("min-1", [1, 2]), ("min-2", [1, 2]), ("min-3", [2])] as [(String, [Int])])
  func filtering(_ frame: String, _ expected: [Int]) throws {
    let found = try order(frame)
    #expect(found == expected)
  }

  @Test(
    "uses the selected theme",
    arguments: [("theme-light", [0xF6, 0xF2, 0xEB]), ("theme-dark", [0x16, 0x12, 0x1F])] as [(String, [UInt8])])
  func themes(_ name: String, _ expected: [UInt8]) throws {
    let frame = try Self.sheet.get().frame(name)
    #expect(frame.color(x: 2, y: 2) == expected)
  }

  @Test("colors the faces of a rating from yellow to red")
  func faces() throws {
    // Only the creature with five faces is visible.
    let frame = try Self.sheet.get().frame("min-3")
    let yellow = frame.count { $0 > 200 && (170...225).contains($1) && $2 < 130 }
    let red = frame.count { $0 > 200 && (50...120).contains($1) && (50...120).contains($2) }
    #expect(yellow > 5 && red > 5)
  }

  @Test("shows only the full image at its address")
  func viewer() throws {
    #expect(try order("#p2", full: true) == [2])
    #expect(try order("#p2").isEmpty)
  }

  @Test("follows the arrow keys and Escape in the viewer, and no key with a modifier or outside of it")
  func keys() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "gallery-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try Self.gallery().write(to: folder)
    let said = try Chromium.probe(
      folder.appending(path: "index.html"),
      """
      const view = frame.contentWindow, out = [];
      const press = async (key, more = {}) => {
        const event = new view.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
        page.body.dispatchEvent(event);
        await new Promise(done => setTimeout(done, 50));
        const open = [...page.querySelectorAll('.viewer')].filter(e => view.getComputedStyle(e).display !== 'none');
        out.push(`${key} ${open.map(e => e.id)} ${event.defaultPrevented}`);
      };
      await press('Escape'); await press('ArrowRight');
      page.querySelector('#c1 a').click();
      await press('a'); await press('ArrowRight'); await press('ArrowRight', { altKey: true });
      await press('ArrowRight'); await press('ArrowRight'); await press('ArrowLeft'); await press('Escape');
      await press('ArrowLeft');
      out.push(view.location.hash);
      return out.join('\\n');
      """)
    #expect(
      said.components(separatedBy: "\n") == [
        "Escape  false", "ArrowRight  false", "a p1 false", "ArrowRight p2 true", "ArrowRight p2 false",
        // The last picture has no next one.
        "ArrowRight p3 true", "ArrowRight p3 false", "ArrowLeft p2 true", "Escape  true", "ArrowLeft  false", "#c2",
      ])
  }

  @Test("fits two columns on a phone")
  func narrow() throws {
    #expect(try order("narrow") == [1, 2, 3])
    let frame = try Self.sheet.get().frame("narrow")
    let cards = try Self.creatures.map { try #require(frame.bounds(of: $0.color, atLeast: 500)) }
    #expect(cards[0].top == cards[1].top && cards[0].left == cards[2].left && cards[0].bottom < cards[2].top)
    // The controls are as wide as the cards, with a margin on the right.
    let controls = try #require(frame.bounds(of: [0xEB, 0xE4, 0xD9], atLeast: 50))
    #expect(abs(controls.right - cards[1].right) <= 1 && cards[1].right < frame.width - 2)
    #expect(abs(cards[1].right - cards[1].left - (cards[0].right - cards[0].left)) <= 1)
  }
}
