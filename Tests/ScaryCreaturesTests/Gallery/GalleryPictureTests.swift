// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import ScaryCreatures
import Testing

@Suite struct GalleryPictureTests {
  @Test("have the extension of their format")
  func extensions() throws {
    let png = try SampleFiles.png(9, 9, 9)
    let gallery = try WrittenGallery([
      GalleryItem(number: 1, title: "JPEG", rating: 1, thumbnail: SampleFiles.jpeg, fullImage: png),
      GalleryItem(number: 2, title: "photo", rating: 1, thumbnail: png, fullImage: SampleFiles.heic),
    ])
    #expect(gallery.paths == ["thumbs/1.jpg", "images/1.png", "thumbs/2.png", "images/2.heic", "index.html"])
    #expect(gallery.files["thumbs/1.jpg"] == SampleFiles.jpeg)
    let page = PageReader(gallery.html)
    // The thumbnail replaces the photo in browsers that do not display its format.
    let source = try #require(page.elements("source").first)
    #expect(source.attributes == ["srcset": "images/2.heic", "type": "image/heic"] && source.around.last == "picture")
    #expect(page.elements("source").count == 1)
    #expect(
      page.elements("img").compactMap { $0.attributes["src"] } == [
        "thumbs/1.jpg", "thumbs/2.png", "images/1.png", "thumbs/2.png",
      ])
    let link = try #require(page.elements("a").first { $0.attributes["download"] != nil })
    #expect(link.attributes["href"] == "images/2.heic")
    #expect(link.text == "Download full picture, HEIC of creature 2")
  }

  @Test(
    "of each format of photos have their right name, and are shown if a browser can",
    arguments: [(SampleFiles.jpeg, "jpg", true), (SampleFiles.webP, "webp", true), (SampleFiles.heic, "heic", false)])
  func photos(_ bytes: Data, _ name: String, _ isShown: Bool) throws {
    let gallery = try WrittenGallery([GalleryItem(number: 1, title: "x", rating: 1, fullImage: bytes)])
    #expect(gallery.files["images/1.\(name)"] == bytes)
    let page = PageReader(gallery.html)
    let sources = page.elements("img").compactMap { $0.attributes["src"] }
    #expect(sources == (isShown ? ["images/1.\(name)", "images/1.\(name)"] : []))
    let downloads = page.elements("a").filter { $0.attributes["download"] != nil }.compactMap { $0.attributes["href"] }
    #expect(downloads == (isShown ? [] : ["images/1.heic"]))
  }

  @Test(
    "are not shown if they are pages, SVG or unknown bytes",
    arguments: [SampleFiles.svg, SampleFiles.html, SampleFiles.unknown, Data("%PDF-1.7".utf8), Data("GIF".utf8)])
  func notPictures(_ bytes: Data) throws {
    let gallery = try WrittenGallery([GalleryItem(number: 1, title: "x", rating: 1, thumbnail: bytes, fullImage: bytes)]
    )
    #expect(gallery.paths == ["thumbs/1.bin", "images/1.bin", "index.html"])
    let page = PageReader(gallery.html)
    #expect(page.elements("img").isEmpty)
    #expect(page.elements("a").compactMap { $0.attributes["href"] } == ["images/1.bin", "thumbs/1.bin"])
    #expect(page.elements("a").allSatisfy { $0.attributes["download"] != nil })
  }

  @Test("fall back to the full image and to a drawing")
  func missing() throws {
    let png = try SampleFiles.png(9, 9, 9)
    let gallery = try WrittenGallery([
      GalleryItem(number: 1, title: "full", rating: 1, fullImage: png),
      GalleryItem(number: 2, title: "none", rating: 1),
      GalleryItem(number: 3, title: "empty", rating: 1, thumbnail: Data(), fullImage: Data()),
    ])
    #expect(gallery.paths == ["images/1.png", "index.html"])
    let page = PageReader(gallery.html)
    #expect(page.elements("img").compactMap { $0.attributes["src"] } == ["images/1.png", "images/1.png"])
    #expect(page.elements("div").count { $0.classes == ["blank"] } == 2)
  }

  @Test("are read and written one at a time")
  func oneAtATime() throws {
    let log = Log()
    func file(_ name: String) -> Data {
      log.lines.append("read \(name)")
      return Data([1])
    }
    let items = (1...2).map { number in
      GalleryItem(
        number: number, title: "x", rating: 1, thumbnail: file("thumb \(number)"), fullImage: file("full \(number)"))
    }
    #expect(log.lines.isEmpty)
    try Gallery().write(items) { path, _ in log.lines.append("write \(path)") }
    #expect(
      log.lines == [
        "read thumb 1", "write thumbs/1.bin", "read full 1", "write images/1.bin", "read thumb 2",
        "write thumbs/2.bin", "read full 2", "write images/2.bin", "write index.html",
      ])
  }

  private final class Log {
    var lines: [String] = []
  }

  private struct Unreadable: Error {}

  @Test("are left out and reported if they are unreadable")
  func unreadable() throws {
    func fail() throws -> Data { throw Unreadable() }
    let png = try SampleFiles.png(9, 9, 9)
    let gallery = try WrittenGallery([
      GalleryItem(number: 4, title: "bad", rating: 1, thumbnail: png, fullImage: try fail()),
      GalleryItem(number: 5, title: "good", rating: 1, thumbnail: png),
    ])
    #expect(gallery.paths == ["thumbs/4.png", "thumbs/5.png", "index.html"])
    let problem = try #require(gallery.problems.first)
    #expect(gallery.problems.count == 1 && problem.number == 4 && problem.picture == .fullImage)
    #expect(problem.underlyingError is Unreadable)
    #expect(problem.description.contains("omits the full image of creature 4"))
  }

  @Test("stop the gallery before the page if a write fails")
  func unwritable() throws {
    var paths: [String] = []
    let png = try SampleFiles.png(9, 9, 9)
    #expect(throws: Unreadable.self) {
      try Gallery().write([GalleryItem(number: 1, title: "x", rating: 1, thumbnail: png, fullImage: png)]) { path, _ in
        paths.append(path)
        if path.hasPrefix("images") { throw Unreadable() }
      }
    }
    #expect(paths == ["thumbs/1.png", "images/1.png"])
  }
}
