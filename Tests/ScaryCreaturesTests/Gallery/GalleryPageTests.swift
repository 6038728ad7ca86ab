// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import ScaryCreatures
import TestSupport
import Testing

@Suite struct GalleryPageTests {
  static func items() throws -> [GalleryItem] {
    let png = try SampleFiles.png(200, 30, 30)
    return [
      GalleryItem(
        number: 12, title: "Yeti", rating: 3, modified: Date(timeIntervalSince1970: 3), thumbnail: png, fullImage: png),
      GalleryItem(
        number: 2, title: "ghost", rating: 5, modified: Date(timeIntervalSince1970: 9e8), thumbnail: png, fullImage: png
      ),
      GalleryItem(number: 3, title: "Panda", rating: 0.5, thumbnail: png, fullImage: png),
      GalleryItem(number: 4, title: "", rating: 0, modified: Date(timeIntervalSince1970: 8e8)),
    ]
  }

  @Test("is well-formed with unique identifiers")
  func wellFormed() throws {
    let page = PageReader(try WrittenGallery(Self.items()).html)
    #expect(page.error == nil)
    let ids = page.elements.compactMap(\.id)
    #expect(Set(ids).count == ids.count)
    #expect(page.elements("html").first?.attributes["lang"] == "en")
    #expect(page.elements("title").first?.text == "Scary Creatures")
  }

  @Test("has one script without texts of creatures, and no inline styles or external resources")
  func inert() throws {
    let page = PageReader(try WrittenGallery(Self.items()).html)
    let scripts = page.elements("script")
    #expect(scripts.count == 1 && scripts.allSatisfy { $0.attributes.isEmpty })
    let other = GalleryItem(number: 9, title: "Bat", rating: 1, fullImage: SampleFiles.jpeg)
    #expect(PageReader(try WrittenGallery([other]).html).elements("script").map(\.text) == scripts.map(\.text))
    // Without pictures, nothing needs it.
    let blank = GalleryItem(number: 9, title: "Bat", rating: 1)
    #expect(PageReader(try WrittenGallery([blank]).html).elements("script").isEmpty)
    for name in ["iframe", "object", "embed", "link", "base", "form"] {
      #expect(page.elements(name).isEmpty)
    }
    for element in page.elements {
      for (name, value) in element.attributes {
        #expect(!name.hasPrefix("on") && name != "style")
        #expect(!value.contains("://") && !value.hasPrefix("//") && !value.hasPrefix("javascript:"))
      }
    }
    #expect(page.elements("use").allSatisfy { $0.attributes["href"]?.hasPrefix("#") == true })
    let style = try #require(page.elements("style").first).text
    #expect(!style.contains("url(") && !style.contains("@import"))
  }

  @Test(
    "restricts resources to adjacent images, its own style sheet and its own script",
    .enabled(if: Python.isPresent, Comment(rawValue: Python.isAbsent)))
  func policy() throws {
    let html = try WrittenGallery(Self.items()).html
    let page = PageReader(html)
    let meta = try #require(
      page.elements("meta").first { $0.attributes["http-equiv"] == "Content-Security-Policy" })
    let hashes = try ["style", "script"].map { name in
      let start = try #require(html.range(of: "<\(name)>")).upperBound
      let end = try #require(html.range(of: "</\(name)>")).lowerBound
      let hash = try Python.run(
        "import sys,hashlib,base64;sys.stdout.write(base64.b64encode(hashlib.sha256(sys.stdin.buffer.read()).digest()).decode())",
        input: Data(html[start..<end].utf8))
      return "'sha256-\(String(decoding: hash, as: UTF8.self))'"
    }
    #expect(
      meta.attributes["content"]
        == "default-src 'none'; img-src 'self' file:; style-src \(hashes[0]); script-src \(hashes[1]); base-uri 'none'; "
        + "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
    // It applies only to what follows it.
    let head = page.elements.filter { $0.around.contains("head") }.map(\.name)
    #expect(head.firstIndex(of: "style") ?? 0 > 1 && head[1] == "meta")
  }

  @Test("is written after exactly the files that it refers to")
  func references() throws {
    let gallery = try WrittenGallery(Self.items())
    let page = PageReader(gallery.html)
    #expect(gallery.paths.last == "index.html")
    let sources = Set(page.elements("img").compactMap { $0.attributes["src"] })
    #expect(sources == Set(gallery.paths.dropLast()))
    let ids = Set(page.elements.compactMap(\.id))
    for link in page.elements("a") + page.elements("use") {
      let target = try #require(link.attributes["href"])
      #expect(target.hasPrefix("#") && ids.contains(String(target.dropFirst())))
    }
  }

  @Test("has alternative texts, lazy loading and named controls")
  func accessibility() throws {
    let page = PageReader(try WrittenGallery(Self.items()).html)
    let images = page.elements("img")
    #expect(images.count == 6)
    for image in images {
      #expect(image.attributes["alt"]?.hasPrefix("Picture of ") == true)
      #expect(image.attributes["loading"] == "lazy")
    }
    for (name, count) in [("sort", 4), ("min", 6), ("theme", 3)] {
      let radios = page.elements("input").filter { $0.attributes["name"] == name }
      #expect(radios.count == count)
      #expect(radios.count { $0.attributes["checked"] != nil } == 1)
      #expect(radios.allSatisfy { $0.around.last == "label" && $0.attributes["type"] == "radio" })
    }
    #expect(page.elements("label").allSatisfy { !$0.text.isEmpty })
    let groups = page.elements.filter { $0.attributes["role"] == "radiogroup" }
    #expect(groups.compactMap { $0.attributes["aria-labelledby"] } == ["theme", "sort", "min"])
  }

  @Test("has all content in landmarks, and a name for each section")
  func landmarks() throws {
    let page = PageReader(try WrittenGallery(Self.items()).html)
    let content = ["h1", "h2", "p", "label", "input", "li", "img", "a"].flatMap { page.elements($0) }
    #expect(content.count > 40)
    let landmarks: Set = ["header", "main", "footer", "nav", "section"]
    #expect(content.allSatisfy { !landmarks.isDisjoint(with: $0.around) })
    let sections = page.elements("section")
    #expect(sections.first?.attributes["aria-label"] == "Sort and filter")
    #expect(sections.allSatisfy { $0.attributes["aria-label"] != nil || $0.attributes["aria-labelledby"] != nil })
    #expect(page.elements("main").count == 1 && page.elements("header").count == 1)
  }

  @Test("orders creatures by number, and shows ratings as faces and text")
  func cards() throws {
    let page = PageReader(try WrittenGallery(Self.items()).html)
    let cards = page.elements("li")
    #expect(cards.compactMap(\.id) == ["c2", "c3", "c4", "c12"])
    #expect(cards.map { $0.classes.last ?? "" } == ["r5", "r0", "r0", "r3"])
    let faces = page.elements("p").filter { $0.classes.contains("faces") && $0.around.contains("li") }
    #expect(faces.map(\.text) == ["rating 5 of 5", "rating 0.5 of 5", "not rated", "rating 3 of 5"])
    let drawings = page.elements("use").filter { $0.around.contains("p") && $0.around.contains("li") }
    #expect(drawings.compactMap { $0.attributes["href"] } == ["#h10", "#h1", "#h0", "#h6"])
    #expect(page.elements("time").first?.attributes["datetime"] == "1998-07-09")
    #expect(page.elements("h2").contains { $0.text == "Untitled" })
  }

  @Test("has style rules for sorting and counting")
  func rules() throws {
    let page = PageReader(try WrittenGallery(Self.items()).html)
    let style = try #require(page.elements("style").first).text
    // Ghost, Panda, Yeti and the one without a title; Ghost, Yeti, Panda, unrated; Ghost, untitled, Yeti, undated.
    for rule in [
      "#c2{--t:0;--r:0;--d:0}", "#c3{--t:1;--r:2;--d:3}", "#c4{--t:3;--r:3;--d:1}", "#c12{--t:2;--r:1;--d:2}",
    ] {
      #expect(style.contains("\n\(rule)\n"))
    }
    let counts = page.elements("span").filter { $0.classes.first?.hasPrefix("k") == true }
    #expect(
      counts.map(\.text) == [
        "4 creatures", "2 of 4 creatures", "2 of 4 creatures", "2 of 4 creatures", "1 of 4 creatures",
        "1 of 4 creatures",
      ])
    #expect(style.contains("body:has(#min-3:checked) .card:is(.r0,.r1,.r2),"))
    #expect(!style.contains("body:has(#min-5:checked) .none"))
  }

  @Test("explains a filter without results")
  func nothingLeft() throws {
    let page = PageReader(try WrittenGallery([GalleryItem(number: 1, title: "Panda", rating: 3)]).html)
    let style = try #require(page.elements("style").first).text
    #expect(!style.contains("body:has(#min-3:checked) .none"))
    #expect(style.contains("body:has(#min-4:checked) .none"))
    #expect(page.elements.contains { $0.classes.contains("none") && $0.text.contains("Nothing that scary") })
  }

  @Test("explains an empty library")
  func empty() throws {
    let gallery = try WrittenGallery([])
    #expect(gallery.paths == ["index.html"])
    let page = PageReader(gallery.html)
    #expect(page.error == nil)
    #expect(page.elements("h2").map(\.text) == ["No creatures yet"])
    #expect(page.elements("p").contains { $0.text == "0 creatures" })
    #expect(page.elements("li").isEmpty)
    #expect(page.elements("input").allSatisfy { $0.attributes["name"] == "theme" })
  }

  @Test("has equal bytes for equal creatures in any order")
  func deterministic() throws {
    let first = try WrittenGallery(Self.items())
    let second = try WrittenGallery(Self.items().reversed())
    #expect(first.files == second.files)
  }

  @Test("takes a few megabytes for two thousand creatures")
  func many() throws {
    let gallery = try WrittenGallery((1...2000).map { GalleryItem(number: $0, title: "Bug \($0)", rating: 2) })
    #expect(gallery.html.utf8.count < 3_000_000)
    let page = PageReader(gallery.html)
    #expect(page.elements("li").count == 2000)
    #expect(page.elements("span").contains { $0.text == "2,000 creatures" })
  }
}
