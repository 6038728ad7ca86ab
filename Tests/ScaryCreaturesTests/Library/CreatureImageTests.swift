// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import PNGImages
import ScaryCreatures
import SystemFiles
import TestSupport
import Testing

@Suite("Creature images")
struct CreatureImageTests {
  /// An image with halves of different colors.
  private func picture(_ width: Int, _ height: Int, alpha: UInt8 = 255) throws -> Data {
    let row = (0..<width).flatMap { x in (x < width / 2 ? [200, 0, 0, alpha] : [0, 0, 200, alpha]) as [UInt8] }
    return try PNGImage(width: width, height: height, pixels: (0..<height).flatMap { _ in row }).pngData()
  }

  private let full = "1.scarycreature/fullImage.png"
  private let thumb = "1.scarycreature/thumbImage.png"

  @Test("are files: the full image unchanged and a thumbnail of it")
  func thumbIsMade() throws {
    // The shorter side has 107 points of 2 pixels. The image is scaled, not cropped.
    for (size, expected) in [
      ((500, 500), [214, 214]), ((400, 200), [428, 214]), ((100, 300), [214, 642]), ((1, 1), [214, 214]),
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

  @Test("have opaque thumbnails with the colors of the full image")
  func opaque() throws {
    let small = try PNGImage(#require(try CreatureImage.thumbnail(for: picture(428, 428))))
    #expect(Array(small.pixels.prefix(4)) == [200, 0, 0, 255])
    #expect(Array(small.pixels.suffix(4)) == [0, 0, 200, 255])
    let through = try PNGImage(#require(try CreatureImage.thumbnail(for: picture(428, 428, alpha: 0))))
    #expect(through.isOpaque)
    #expect(Array(through.pixels.prefix(4)) == [0, 0, 0, 255])
  }

  @Test("keep a given thumbnail")
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

  @Test("never keep the thumbnail of a replaced image")
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
    // The data file is unchanged.
    #expect(try room.file("1.scarycreature/Data.plist") == data)

    // An image of another format gets no thumbnail.
    try doc.setFullImage(PictureBytes.jpeg)
    try doc.saveImages()
    #expect(try room.names("1.scarycreature") == ["Data.plist", "fullImage.jpg"])
    #expect(try room.bytes("1.scarycreature/fullImage.jpg") == PictureBytes.jpeg)
    #expect(try doc.thumbImage == nil)
    #expect(try room.database().document(1).thumbImage == nil)
  }

  /// The first bytes of an image in each format, by their specifications, and the extension of the format.
  static let formats: [(name: String, bytes: Data)] = [
    ("jpg", PictureBytes.jpeg), ("tiff", PictureBytes.tiff),
    ("webp", Data("RIFF".utf8) + Data([24, 0, 0, 0]) + Data("WEBPVP8 ".utf8) + Data(count: 16)),
    ("heic", Data([0, 0, 0, 24]) + Data("ftypheic".utf8) + Data(count: 12)),
    ("avif", Data([0, 0, 0, 24]) + Data("ftypavif".utf8) + Data(count: 12)),
    ("gif", Data("GIF89a".utf8) + Data(count: 20)),
    ("bmp", Data("BM".utf8) + Data([60, 0, 0, 0]) + Data(count: 54)),
    ("ico", Data([0, 0, 1, 0, 1, 0]) + Data(count: 20)), ("icns", Data("icns".utf8) + Data([0, 0, 0, 8])),
    ("jp2", Data([0, 0, 0, 12]) + Data("jP  ".utf8) + Data([13, 10, 0x87, 10])),
    ("jxl", Data([0xFF, 0x0A]) + Data(count: 20)),
  ]

  /// A third of the formats; with `WHOLE_TESTS`, all.
  @Test(
    "have the name of their format, in the library, its copies and its backups",
    arguments: Sample.cases(formats, each: 3))
  func otherFormats(_ row: (name: String, bytes: Data)) throws {
    let room = try CreatureRoom()
    let database = try room.database()
    let doc = try database.addCreature(title: "Photo", fullImage: row.bytes)
    let name = "fullImage.\(row.name)"
    #expect(try room.names("1.scarycreature") == ["Data.plist", name])
    #expect(try doc.fullImage == row.bytes)
    #expect(try doc.thumbImage == nil)
    #expect(try database.document(1).fullImage == row.bytes)
    #expect(try database.document(1).hasImage(.full) && !database.document(1).hasImage(.thumb))

    // A PNG file replaces it, and is replaced.
    try doc.setFullImage(picture(9, 9))
    try doc.saveImages()
    #expect(try room.names("1.scarycreature") == ["Data.plist", "fullImage.png", "thumbImage.png"])
    try doc.undoLastSave()
    #expect(try room.names("1.scarycreature") == ["Data.plist", name])
    try doc.setThumbImage(row.bytes)
    try doc.saveImages()
    #expect(try room.names("1.scarycreature") == ["Data.plist", name, "thumbImage.\(row.name)"])
    #expect(try doc.thumbImage == row.bytes)

    // By the name of a PNG file.
    let other = ScaryCreatureDoc(
      in: database, ScaryCreatureData(title: "Raw"), attachments: ["fullImage.png": row.bytes])
    try other.save()
    #expect(try room.names("2.scarycreature") == ["Data.plist", name])

    let copy = try CreatureRoom()
    #expect(try copy.database().importFolder(room.folder).documents.count == 2)
    #expect(try copy.names("1.scarycreature") == ["Data.plist", name, "thumbImage.\(row.name)"])
    var backup = Data()
    try database.backUpCreatures(to: { backup += $0 }, report: { Issue.record("\($0)") })
    let check = try ScaryCreatureDatabase.checkCreatures(in: BackupSource(backup))
    #expect(check.documents == 2 && check.damaged.isEmpty)
    var findings: [LibraryFinding] = []
    try database.checkCreatures { finding in
      findings.append(finding)
      return true
    }
    #expect(findings.isEmpty)
    try doc.setThumbImage(nil)
    try doc.setFullImage(nil)
    try doc.saveImages()
    #expect(try room.names("1.scarycreature") == ["Data.plist"])
  }

  @Test("are read while another process stores them in another format")
  func otherFormat() throws {
    let memory = MemoryStorage()
    let others = try ScaryCreatureDatabase(in: memory)
    try others.addCreature(title: "Ghost", fullImage: SampleFiles.png(1, 2, 3))
    let lookups = Locked(0)
    let storage = HookedStorage(base: memory) { path in
      guard path.names.last == "fullImage.png" else { return }
      let count = lookups.withLock { lookups in
        lookups += 1
        return lookups
      }
      // The reader has found the name, and looks the file up to read it.
      guard count == 2 else { return }
      #expect(throws: Never.self) {
        let doc = try others.document(1)
        try doc.setFullImage(PictureBytes.jpeg)
        try doc.saveImages()
      }
    }
    let doc = try ScaryCreatureDatabase(in: storage).document(1)
    #expect(try doc.fullImage == PictureBytes.jpeg)
    #expect(lookups.withLock { $0 } > 2)
  }

  @Test("of older versions are read under the name of a PNG file")
  func formerNames() throws {
    let room = try CreatureRoom()
    try room.database().addCreature(title: "Old")
    try room.plant("1.scarycreature/fullImage.png", PictureBytes.jpeg)
    let doc = try room.database().document(1)
    #expect(try doc.fullImage == PictureBytes.jpeg)
    try doc.setFullImage(PictureBytes.jpeg)
    try doc.saveImages()
    #expect(try room.names("1.scarycreature") == ["Data.plist", "fullImage.jpg"])
  }

  @Test("are rejected if one has two files")
  func twoFiles() throws {
    let room = try CreatureRoom()
    let doc = ScaryCreatureDoc(
      in: try room.database(), ScaryCreatureData(title: "Both"),
      attachments: ["fullImage.png": try picture(3, 3), "fullImage.jpg": PictureBytes.jpeg])
    #expect(failure { try doc.save() } == .invalidValue)
    #expect(try room.names().isEmpty)
  }

  /// Invalid images, and the expected errors.
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

  @Test("are rejected if they are invalid, damaged or too large", arguments: refused)
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
      // The pixels of a thumbnail are not decoded, but its chunks are checked.
      doc.revert()
      try doc.setThumbImage(row.bytes)
      try doc.setFullImage(picture(30, 30))
      #expect(failure { try doc.saveImages() } == row.code)
    }
    #expect(try room.files() == files)
    doc.revert()
    #expect(try doc.fullImage == old)
  }

  @Test("name how to make an image fit that is too large")
  func remedy() throws {
    let room = try CreatureRoom()
    let large = HandmadePNG(width: 10_000, height: 10_000, imageData: [1, 2, 3]).data
    let error = #expect(throws: LibraryError.self) { try room.database().addCreature(title: "New", fullImage: large) }
    #expect(error?.detail == "Image too large: found 10000 x 10000 pixels; expected at most 50000000")
    #expect(error?.remedy == "Scale the image to at most 50 million pixels")
  }

  @Test("can have one pixel")
  func onePixel() throws {
    let room = try CreatureRoom()
    try room.database().addCreature(title: "Dot", fullImage: HandmadePNG(width: 1, height: 1).data)
    #expect(HandmadePNG.size(try room.bytes(thumb)) == [214, 214])
  }

  @Test(
    "get a thumbnail of at least one pixel for an extreme aspect ratio",
    arguments: Sample.cases(
      [
        // With a shorter side of 214 pixels, the first two would have a longer side of millions.
        ([100_000, 1], [4096, 1]), ([1, 40_000], [1, 4096]), ([2, 100], [82, 4096]), ([100, 2], [4096, 82]),
        // 4096 / 214 is 19.14.
        ([1, 20], [205, 4096]), ([1, 19], [214, 4066]), ([19, 1], [4066, 214]),
      ] as [([Int], [UInt32])], each: 3))
  func strip(_ size: [Int], _ small: [UInt32]) throws {
    let room = try CreatureRoom()
    let pixels = [UInt8](repeating: 255, count: 4 * size[0] * size[1])
    let strip = try PNGImage(width: size[0], height: size[1], pixels: pixels).pngData()
    try room.database().addCreature(title: "Horizon", fullImage: strip)
    #expect(try room.bytes(full) == strip)
    #expect(HandmadePNG.size(try room.bytes(thumb)) == small)
  }

  @Test("are removed together with a generated thumbnail")
  func removal() throws {
    let room = try CreatureRoom()
    let doc = try room.database().addCreature(title: "Ghost", fullImage: picture(20, 20))
    try doc.setFullImage(nil)
    #expect(room.exists(full))
    try doc.saveImages()
    #expect(try room.names("1.scarycreature") == ["Data.plist"])
    #expect(try doc.fullImage == nil)
    #expect(try doc.thumbImage == nil)
    // Only the thumbnail.
    try doc.setFullImage(picture(20, 20))
    try doc.saveImages()
    try doc.setThumbImage(nil)
    try doc.saveImages()
    #expect(try room.names("1.scarycreature") == ["Data.plist", "fullImage.png"])
    // Only the full image, with the thumbnail set again.
    try doc.setThumbImage(picture(7, 7))
    try doc.setFullImage(nil)
    try doc.saveImages()
    #expect(try room.names("1.scarycreature") == ["Data.plist", "thumbImage.png"])
    // Removing a missing image has no effect.
    try doc.setFullImage(nil)
    try doc.setThumbImage(nil)
    try doc.saveImages()
    try doc.setThumbImage(nil)
    try doc.saveImages()
    #expect(try room.names("1.scarycreature") == ["Data.plist"])
  }

  @Test("that were set and not saved remain so when an edit saves another image")
  func unsavedBesideEdit() throws {
    let room = try CreatureRoom()
    let doc = try room.database().addCreature(title: "Ghost")
    try doc.setThumbImage(picture(7, 7))
    try doc.edit(attachments: CreatureImage.full.attachments(picture(40, 20))) { $0.rating = 5 }
    #expect(HandmadePNG.size(try room.bytes(thumb)) == [428, 214], "the edit's own thumbnail")
    #expect(try doc.thumbImage == picture(7, 7))
    #expect(doc.hasChanges)
    try doc.saveImages()
    #expect(try room.bytes(thumb) == picture(7, 7))
    #expect(try doc.fullImage == picture(40, 20))
  }

  @Test("are saved both or none by the tutorial's rule")
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
    // If both are stored, a new full image is saved with its thumbnail.
    try doc.setFullImage(picture(40, 20))
    try doc.saveImages(.bothOrNone)
    #expect(HandmadePNG.size(try room.bytes(thumb)) == [428, 214])
    // An unsaved document is not saved.
    let new = ScaryCreatureDoc(title: "New", rating: 0, fullImage: try picture(20, 20), in: try room.database())
    try new.saveImages(.bothOrNone)
    #expect(new.docPath == nil)
  }

  @Test("include a thumbnail that is read without the full image")
  func lazy() throws {
    let room = try CreatureRoom()
    try room.plant("1.scarycreature/Data.plist", HandmadeCreature().data)
    try room.plantFolder(full)
    try room.plant(thumb, Data("small".utf8))
    let doc = try room.database().document(1)
    #expect(try doc.thumbImage == Data("small".utf8))
    #expect(failure { _ = try doc.fullImage } == .cannotRead)
  }

  @Test("are never read or written through symbolic links")
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
