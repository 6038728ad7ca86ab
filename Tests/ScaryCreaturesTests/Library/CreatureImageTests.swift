// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import PNGImages
import ScaryCreatures
import TestSupport
import Testing

@Suite("A creature's pictures")
struct CreatureImageTests {
  /// A picture, left half of one colour and right half of another.
  private func picture(_ width: Int, _ height: Int, alpha: UInt8 = 255) throws -> Data {
    let row = (0..<width).flatMap { x in (x < width / 2 ? [200, 0, 0, alpha] : [0, 0, 200, alpha]) as [UInt8] }
    return try PNGImage(width: width, height: height, pixels: (0..<height).flatMap { _ in row }).pngData()
  }

  private let full = "1.scarycreature/fullImage.png"
  private let thumb = "1.scarycreature/thumbImage.png"

  @Test("they are files of their own, the large one stored as given, the small one made from it")
  func thumbIsMade() throws {
    // The shorter side has 107 points at 2 pixels; the picture is filled, not cropped.
    for (size, expected) in [
      ((1000, 1000), [214, 214]), ((400, 200), [428, 214]), ((100, 300), [214, 642]), ((1, 1), [214, 214]),
    ]
      as [((Int, Int), [UInt32])]
    {
      let room = try CreatureRoom()
      let given = try picture(size.0, size.1)
      let doc = try room.database().addCreature(title: "Ghost", fullImage: given)
      #expect(try room.bytes(full) == given)
      #expect(HandmadePNG.size(try room.bytes(thumb)) == expected)
      #expect(try doc.thumbImage == room.bytes(thumb))
      #expect(try room.names("1.scarycreature") == ["Data.plist", "fullImage.png", "thumbImage.png"])
    }
  }

  @Test("nothing shines through a small picture, and its colours are those of the large one")
  func opaque() throws {
    let small = try PNGImage(#require(try CreatureImage.thumbnail(for: picture(428, 428))))
    #expect(Array(small.pixels.prefix(4)) == [200, 0, 0, 255])
    #expect(Array(small.pixels.suffix(4)) == [0, 0, 200, 255])
    let through = try PNGImage(#require(try CreatureImage.thumbnail(for: picture(428, 428, alpha: 0))))
    #expect(through.isOpaque)
    #expect(Array(through.pixels.prefix(4)) == [0, 0, 0, 255])
  }

  @Test("a small picture that is given is kept, with a large one or alone")
  func thumbGiven() throws {
    let room = try CreatureRoom()
    let small = try picture(30, 30)
    try room.database().addCreature(title: "Both", thumbImage: small, fullImage: picture(50, 50))
    #expect(try room.bytes(thumb) == small)
    let doc = try room.database().addCreature(title: "Alone", thumbImage: small)
    #expect(try doc.thumbImage == small)
    #expect(try doc.fullImage == nil)
    #expect(try room.names("2.scarycreature") == ["Data.plist", "thumbImage.png"])
  }

  @Test("a new large picture never keeps the small one of the old")
  func replaced() throws {
    let room = try CreatureRoom()
    let doc = try room.database().addCreature(title: "Ghost", fullImage: picture(300, 300))
    let oldThumb = try room.bytes(thumb)
    let data = try #require(try room.file("1.scarycreature/Data.plist"))
    let new = try picture(214, 428)
    try doc.setFullImage(new)
    try doc.saveImages()
    #expect(try room.bytes(full) == new)
    #expect(try room.bytes(thumb) != oldThumb)
    #expect(HandmadePNG.size(try room.bytes(thumb)) == [214, 428])
    #expect(try doc.thumbImage == room.bytes(thumb))
    // The data is the same file as before.
    #expect(try room.file("1.scarycreature/Data.plist") == data)

    // Of a format that no small one can be made of here: then there is none.
    try doc.setFullImage(PictureBytes.jpeg)
    try doc.saveImages()
    #expect(try room.bytes(full) == PictureBytes.jpeg)
    #expect(!room.exists(thumb))
    #expect(try doc.thumbImage == nil)
    #expect(try room.database().document(1).thumbImage == nil)
  }

  @Test("other formats under the name of a PNG file are recognised and stored as they are")
  func otherFormats() throws {
    let room = try CreatureRoom()
    for bytes in [PictureBytes.jpeg, PictureBytes.tiff] {
      let doc = try room.database().addCreature(title: "Photo", fullImage: bytes)
      #expect(try doc.fullImage == bytes)
      #expect(try doc.thumbImage == nil)
    }
    let doc = try room.database().addCreature(
      title: "Small photo", thumbImage: PictureBytes.jpeg, fullImage: picture(9, 9))
    #expect(try doc.thumbImage == PictureBytes.jpeg)
  }

  /// Bytes that are refused, and how.
  static let refused: [(name: String, bytes: Data, code: LibraryError.Code)] = [
    ("nothing", Data(), .notAnImage),
    ("text", Data("GIF, honestly".utf8), .notAnImage),
    ("a page", Data("<!DOCTYPE html><script>alert(1)</script>".utf8), .notAnImage),
    ("a PDF", Data("%PDF-1.4\n%".utf8), .notAnImage),
    ("a signature alone", Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), .notAnImage),
    (
      "10,000 x 10,000 in the header", HandmadePNG(width: 10_000, height: 10_000, imageData: [1, 2, 3]).data,
      .limitReached
    ),
    ("two milliards wide", HandmadePNG(width: 0x7FFF_FFFF, height: 1, imageData: [1]).data, .limitReached),
    ("no width", HandmadePNG(width: 0, height: 1, imageData: [1]).data, .notAnImage),
    ("cut off", HandmadePNG(width: 2, height: 2).data.dropLast(13), .notAnImage),
    (
      "a wrong checksum", Data(HandmadePNG(width: 2, height: 2).data.enumerated().map { $0 == 30 ? ~$1 : $1 }),
      .notAnImage
    ),
    ("damage within sound chunks", HandmadePNG(width: 4, height: 4, imageData: [1, 2, 3]).data, .notAnImage),
  ]

  @Test("what is no picture, or a damaged or too large one, is refused, and nothing changes", arguments: refused)
  func refuse(_ row: (name: String, bytes: Data, code: LibraryError.Code)) throws {
    let room = try CreatureRoom()
    #expect(failure { try room.database().addCreature(title: "New", fullImage: row.bytes) } == row.code)
    #expect(try room.names().isEmpty)
    let old = try picture(20, 20)
    let doc = try room.database().addCreature(title: "Old", fullImage: old)
    let files = try room.files()
    try doc.setFullImage(row.bytes)
    #expect(failure { try doc.saveImages() } == row.code)
    if row.name != "damage within sound chunks" {
      // A small one is not looked into, but its chunks are.
      doc.revert()
      try doc.setThumbImage(row.bytes)
      try doc.setFullImage(picture(30, 30))
      #expect(failure { try doc.saveImages() } == row.code)
    }
    #expect(try room.files() == files)
    doc.revert()
    #expect(try doc.fullImage == old)
  }

  @Test("a sound picture of one pixel made by hand is one")
  func onePixel() throws {
    let room = try CreatureRoom()
    try room.database().addCreature(title: "Dot", fullImage: HandmadePNG(width: 1, height: 1).data)
    #expect(HandmadePNG.size(try room.bytes(thumb)) == [214, 214])
  }

  @Test("a strip whose small picture would be larger than large needs one that is given")
  func strip() throws {
    let room = try CreatureRoom()
    // 100,000 x 1 would become 21,400,000 x 214.
    let strip = try PNGImage(width: 100_000, height: 1, pixels: [UInt8](repeating: 255, count: 400_000)).pngData()
    #expect(failure { try room.database().addCreature(title: "Horizon", fullImage: strip) } == .limitReached)
    try room.database().addCreature(title: "Horizon", thumbImage: picture(8, 8), fullImage: strip)
    #expect(try room.bytes(full) == strip)
  }

  @Test("pictures are removed by setting none; without the large one no small one made from it stays")
  func removal() throws {
    let room = try CreatureRoom()
    let doc = try room.database().addCreature(title: "Ghost", fullImage: picture(20, 20))
    try doc.setFullImage(nil)
    #expect(room.exists(full))
    try doc.saveImages()
    #expect(try room.names("1.scarycreature") == ["Data.plist"])
    #expect(try doc.fullImage == nil)
    #expect(try doc.thumbImage == nil)
    // The small one alone.
    try doc.setFullImage(picture(20, 20))
    try doc.saveImages()
    try doc.setThumbImage(nil)
    try doc.saveImages()
    #expect(try room.names("1.scarycreature") == ["Data.plist", "fullImage.png"])
    // The large one alone, with the small one given again.
    try doc.setThumbImage(picture(7, 7))
    try doc.setFullImage(nil)
    try doc.saveImages()
    #expect(try room.names("1.scarycreature") == ["Data.plist", "thumbImage.png"])
    // Removing what is not there is nothing.
    try doc.setFullImage(nil)
    try doc.setThumbImage(nil)
    try doc.saveImages()
    try doc.setThumbImage(nil)
    try doc.saveImages()
    #expect(try room.names("1.scarycreature") == ["Data.plist"])
  }

  @Test("the tutorial's rule: pictures are saved when there are both, or not at all")
  func bothOrNone() throws {
    let room = try CreatureRoom()
    let doc = try room.database().addCreature(title: "Ghost")
    try doc.setFullImage(picture(20, 20))
    try doc.saveImages(.bothOrNone)
    #expect(try room.names("1.scarycreature") == ["Data.plist"])
    #expect(doc.hasChanges)
    try doc.setThumbImage(picture(7, 7))
    try doc.saveImages(.bothOrNone)
    #expect(try room.bytes(thumb) == picture(7, 7))
    #expect(!doc.hasChanges)
    // With both stored, a new large one goes with a small one made from it.
    try doc.setFullImage(picture(40, 20))
    try doc.saveImages(.bothOrNone)
    #expect(HandmadePNG.size(try room.bytes(thumb)) == [428, 214])
    // One that was never saved stays where it is: nowhere.
    let new = ScaryCreatureDoc(title: "New", rating: 0, fullImage: try picture(20, 20), in: try room.database())
    try new.saveImages(.bothOrNone)
    #expect(new.docPath == nil)
  }

  @Test("the small picture is read without the large one, whatever that is")
  func lazy() throws {
    let room = try CreatureRoom()
    try room.plant("1.scarycreature/Data.plist", HandmadeCreature().data)
    try room.plantFolder(full)
    try room.plant(thumb, Data("small".utf8))
    let doc = try room.database().document(1)
    #expect(try doc.thumbImage == Data("small".utf8))
    #expect(failure { _ = try doc.fullImage } == .cannotRead)
  }

  @Test("a picture that is a link leads nowhere, and is replaced, not followed")
  func links() throws {
    let (room, outside) = (try CreatureRoom(), try CreatureRoom())
    try outside.plant("secret.png", picture(3, 3))
    let doc = try room.database().addCreature(title: "Ghost")
    try FileManager.default.createSymbolicLink(
      at: room.folder.appending(path: full), withDestinationURL: outside.folder.appending(path: "secret.png"))
    #expect(failure { _ = try doc.fullImage } == .notADocument)
    try doc.setFullImage(picture(20, 20))
    try doc.saveImages()
    #expect(try room.bytes(full) == picture(20, 20))
    #expect(try outside.bytes("secret.png") == picture(3, 3))
  }
}
