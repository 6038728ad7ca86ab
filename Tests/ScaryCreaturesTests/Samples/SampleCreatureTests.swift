// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PNGImages
import Testing

@testable import ScaryCreatures

@Suite struct SampleCreatureTests {
  @Test("are the tutorial's seven with its ratings")
  func seven() {
    let list = SampleCreature.allCases.map { "\($0.title) \(Int($0.rating))" }
    #expect(list == ["Ghost 5", "Monster 5", "Panda 1", "Red Bug 3", "Slug 4", "Spider 3", "Yeti 3"])
  }

  @Test(
    "are deterministic, opaque and survive a PNG round trip", arguments: SampleCreature.allCases)
  func drawing(_ creature: SampleCreature) throws {
    let image = creature.sticker.image(side: 90)
    #expect(image == creature.sticker.image(side: 90))
    #expect(image.isOpaque)
    #expect(try PNGImage(image.pngData()) == image)
  }

  @Test("have distinct images")
  func different() {
    let images = SampleCreature.allCases.map { $0.sticker.image(side: 60) }
    #expect(Set(images).count == 7)
    for image in images {
      // Many colors at the creature prove that it is drawn.
      let colors = Set(
        (15..<45).flatMap { y in (15..<45).map { x in Array(image.pixels[4 * (60 * y + x)..<4 * (60 * y + x) + 3]) } })
      #expect(colors.count > 100)
    }
  }

  @Test("have images of 1000 pixels and moderate file size")
  func fullSize() throws {
    let image = SampleCreature.slug.fullImage()
    #expect(image.width == 1000)
    #expect(image.height == 1000)
    let data = image.pngData()
    #expect(data.count > 30_000 && data.count < 200_000)
    let thumb = try image.thumbnail()
    #expect(thumb.width == 214)
  }
}
