// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import ScaryCreatures
import Testing

@Suite("Thumbnail repair")
struct RepairTests {
  /// The defects of a thumbnail.
  enum Harm: CaseIterable { case missing, damaged, noPicture }

  @Test(
    "remakes a missing or damaged thumbnail from the full image", arguments: Harm.allCases
  )
  func remade(_ harm: Harm) throws {
    let room = try CreatureRoom()
    let full = try SampleFiles.png(10, 20, 30, side: 300)
    try room.database().addCreature(title: "Ghost", rating: 5, fullImage: full)
    let path = "1.scarycreature/thumbImage.png"
    let sound = try room.bytes(path)
    #expect(try !room.database().document(1).needsThumb)
    switch harm {
    case .missing: try FileManager.default.removeItem(at: room.folder.appending(path: path))
    case .damaged: try room.plant(path, sound.dropLast(20))
    case .noPicture: try room.plant(path, Data("no picture".utf8))
    }
    let before = try room.file("1.scarycreature/fullImage.png")
    let doc = try room.database().document(1)
    #expect(try doc.needsThumb)
    try doc.remakeThumb()
    #expect(try !room.database().document(1).needsThumb)
    #expect(try room.bytes(path) == sound)
    #expect(try room.file("1.scarycreature/fullImage.png") == before)
  }

  @Test("changes nothing without a valid full image")
  func notPossible() throws {
    let room = try CreatureRoom()
    try room.plant("1.scarycreature/Data.plist", HandmadeCreature().data)
    try room.plant("2.scarycreature/Data.plist", HandmadeCreature().data)
    try room.plant("2.scarycreature/fullImage.png", SampleFiles.png(1, 2, 3).dropLast(5))
    let before = try room.files()
    let database = try room.database()
    #expect(try !database.document(1).needsThumb)
    try database.document(1).remakeThumb()
    #expect(throws: LibraryError.self) { try database.document(2).needsThumb }
    #expect(throws: LibraryError.self) { try database.document(2).remakeThumb() }
    #expect(try room.files() == before)
  }

  @Test("keeps the damaged thumbnail beside the new one, and what the last save replaced")
  func thumbnailKept() throws {
    let room = try CreatureRoom()
    let doc = try room.database().addCreature(title: "Ghost", fullImage: SampleFiles.png(10, 20, 30, side: 300))
    try doc.setTitle("Old Ghost")
    let path = "1.scarycreature/thumbImage.png"
    let sound = try room.bytes(path)
    let damaged = Data("no picture".utf8)
    try room.plant(path, damaged)
    let found = try room.database().document(1)
    let files = try room.files()
    #expect(try found.remakeThumb(dryRun: true) == ".thumbImage.png.damaged")
    #expect(try room.files() == files)
    #expect(try found.remakeThumb() == ".thumbImage.png.damaged")
    #expect(try room.bytes(path) == sound && found.thumbImage == sound)
    #expect(try room.bytes("1.scarycreature/.thumbImage.png.damaged") == damaged)
    // A valid thumbnail is not replaced.
    #expect(try found.remakeThumb() == nil && room.bytes(path) == sound)
    try found.undoLastSave()
    #expect(try found.data?.title == "Ghost" && room.bytes(path) == sound)
  }

  @Test("keeps a damaged thumbnail of another format, and what the last save replaced")
  func otherFormat() throws {
    let room = try CreatureRoom()
    let full = try SampleFiles.png(10, 20, 30, side: 300)
    let doc = try room.database().addCreature(title: "Ghost", fullImage: full)
    let sound = try room.bytes("1.scarycreature/thumbImage.png")
    try FileManager.default.removeItem(at: room.folder.appending(path: "1.scarycreature/thumbImage.png"))
    let damaged = Data("no picture".utf8)
    try room.plant("1.scarycreature/thumbImage.jpg", damaged)
    try doc.setTitle("Old Ghost")
    let found = try room.database().document(1)
    let files = try room.files()
    #expect(try found.needsThumb && found.remakeThumb(dryRun: true) == ".thumbImage.jpg.damaged")
    #expect(try room.files() == files)
    #expect(try found.remakeThumb() == ".thumbImage.jpg.damaged")
    #expect(
      try room.names("1.scarycreature") == [
        ".thumbImage.jpg.damaged", "Data.plist", "fullImage.png", "thumbImage.png",
      ])
    #expect(try room.bytes("1.scarycreature/.thumbImage.jpg.damaged") == damaged)
    #expect(try room.bytes("1.scarycreature/thumbImage.png") == sound && found.thumbImage == sound && !found.needsThumb)
    try found.undoLastSave()
    #expect(try found.data?.title == "Ghost" && room.bytes("1.scarycreature/thumbImage.png") == sound)
  }

  @Test("does not replace a thumbnail of any format that another process has set meanwhile")
  func setMeanwhile() throws {
    let room = try CreatureRoom()
    try room.database().addCreature(title: "Ghost", fullImage: SampleFiles.png(10, 20, 30, side: 300))
    try FileManager.default.removeItem(at: room.folder.appending(path: "1.scarycreature/thumbImage.png"))
    try room.plant("1.scarycreature/thumbImage.jpg", Data("no picture".utf8))
    let doc = try room.database().document(1)
    #expect(try doc.needsThumb)
    let other = try room.database().document(1)
    let theirs = try SampleFiles.png(1, 2, 3, side: 50)
    try other.setThumbImage(theirs)
    try other.saveImages()
    let files = try room.files()
    #expect(try doc.remakeThumb() == nil && room.files() == files)
    #expect(try room.bytes("1.scarycreature/thumbImage.png") == theirs)
  }

  @Test(
    "makes the thumbnail of the stored image, and not of one that was read or set before", arguments: [false, true])
  func storedImage(_ isSet: Bool) throws {
    let room = try CreatureRoom()
    let (red, blue) = (try SampleFiles.png(200, 0, 0, side: 300), try SampleFiles.png(0, 0, 200, side: 300))
    try room.database().addCreature(title: "Ghost", fullImage: red)
    let doc = try room.database().document(1)
    #expect(try doc.fullImage == red)
    if isSet {
      try doc.setFullImage(blue)
    } else {
      try room.plant("1.scarycreature/fullImage.png", blue)
    }
    try FileManager.default.removeItem(at: room.folder.appending(path: "1.scarycreature/thumbImage.png"))
    try doc.remakeThumb()
    let thumb = try CreatureImage.thumbnail(for: isSet ? red : blue)
    #expect(try room.bytes("1.scarycreature/thumbImage.png") == thumb)
    // The image that was set is still unsaved.
    if isSet { #expect(try doc.fullImage == blue && room.database().document(1).fullImage == red) }
  }
}
