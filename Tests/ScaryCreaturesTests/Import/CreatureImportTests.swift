// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import KeyedArchiving
import PropertyListFormat
import ScaryCreatures
import TestSupport
import Testing

/// Image files of other formats: their first bytes, followed by others.
enum PictureBytes {
  static let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 16]) + Data("JFIF\u{0}".utf8) + Data((0..<40).map { UInt8($0) })
  static let tiff = Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8]) + Data(count: 40)
}

@Suite("Scary Bugs import")
struct ScaryBugImportTests {
  private func bug(_ title: String, _ rating: Float) -> Data {
    HandmadeCreature(title: title, rating: .float(rating), isInline: true, topKey: "Data").named("ScaryBugData").data
  }

  @Test("reads all file names of the apps without changing the files")
  func names() throws {
    let (bugs, room) = (try CreatureRoom(), try CreatureRoom())
    let (full, thumb) = (try SampleFiles.png(200, 0, 0), try SampleFiles.png(0, 200, 0))
    // The names of the first app.
    try bugs.plant("1.scarybug/data.plist", bug("Potato Bug", 4))
    try bugs.plant("1.scarybug/fullImage.png", full)
    try bugs.plant("1.scarybug/thumbImage.png", thumb)
    // Names of JPEG files, of which one is a PNG file, and a capital letter.
    try bugs.plant("2.SCARYBUG/Data.plist", bug("House Centipede", 3))
    try bugs.plant("2.SCARYBUG/fullImage.jpg", PictureBytes.jpeg)
    try bugs.plant("2.SCARYBUG/thumbImage.jpg", thumb)
    // No images, and a large number.
    try bugs.plant(
      "40.scarybug/data.plist",
      try FoundationApp.archive(
        LegacyRecord(title: "Wolf Spider", rating: 5), secure: false, topKey: "Data",
        className: "RWTScaryBugData", .xml))
    try bugs.plant("7.scarycreature/Data.plist", bug("not of this library", 1))
    let before = try bugs.files()

    let database = try room.database()
    try database.addCreature(title: "Here before", rating: 1)
    let report = try database.importScaryBugs(from: bugs.folder)
    #expect(report.refused.isEmpty)
    #expect(report.documents.map(\.source) == ["1.scarybug", "2.SCARYBUG", "40.scarybug"])
    #expect(report.documents.map(\.number) == [2, 3, 4])
    #expect(report.documents.allSatisfy { $0.warnings.isEmpty })
    let docs = try room.database().loadScaryCreatureDocs().dropFirst()
    #expect(try docs.map { try $0.data?.title } == ["Potato Bug", "House Centipede", "Wolf Spider"])
    #expect(try docs.map { try $0.data?.rating } == [4, 3, 5])
    #expect(try docs.map { try $0.fullImage } == [full, PictureBytes.jpeg, nil])
    #expect(try docs.map { try $0.thumbImage } == [thumb, thumb, nil])
    #expect(try docs.allSatisfy { try $0.stored?.isCurrent == true })
    #expect(try bugs.files() == before)
  }

  @Test("omits a damaged image with a warning")
  func damagedPictures() throws {
    let (bugs, room) = (try CreatureRoom(), try CreatureRoom())
    var damaged = try SampleFiles.png(1, 2, 3)
    damaged[damaged.count / 2] ^= 0xFF
    try bugs.plant("1.scarybug/data.plist", bug("Damaged", 1))
    try bugs.plant("1.scarybug/fullImage.png", damaged)
    try bugs.plant("1.scarybug/thumbImage.png", try SampleFiles.png(9, 9, 9))
    try bugs.plant("2.scarybug/data.plist", bug("Empty", 2))
    try bugs.plant("2.scarybug/fullImage.png", Data())
    // The checksums of the chunks match, but the compressed data are damaged.
    try bugs.plant("3.scarybug/data.plist", bug("Inside", 3))
    try bugs.plant("3.scarybug/fullImage.png", HandmadePNG(width: 4, height: 4, imageData: [1, 2, 3]).data)
    // Not a file.
    try bugs.plant("4.scarybug/data.plist", bug("Folder", 4))
    try bugs.plantFolder("4.scarybug/fullImage.png")
    let report = try room.database().importScaryBugs(from: bugs.folder)
    #expect(report.refused.isEmpty)
    #expect(report.documents.map { $0.warnings.map(\.code) } == Array(repeating: ["imageRefused"], count: 4))
    let docs = try room.database().loadScaryCreatureDocs()
    #expect(try docs.map { try $0.data?.title } == ["Damaged", "Empty", "Inside", "Folder"])
    #expect(try docs.allSatisfy { try $0.fullImage == nil })
    #expect(try docs[0].thumbImage == SampleFiles.png(9, 9, 9))
  }

  @Test("rejects unreadable documents by name, and imports the others")
  func refused() throws {
    let (bugs, room) = (try CreatureRoom(), try CreatureRoom())
    try bugs.plant("1.scarybug/data.plist", Data("no archive".utf8))
    try bugs.plantFolder("2.scarybug")
    try bugs.plant("3.scarybug/data.plist", bug("Fine", 6))
    try bugs.plant("4.scarybug", Data("a file".utf8))
    try bugs.plant("007.scarybug/data.plist", bug("Odd number", 1))
    let report = try room.database().importScaryBugs(from: bugs.folder)
    #expect(report.documents.map(\.source) == ["3.scarybug"])
    #expect(report.documents.first?.warnings.map(\.code) == ["ratingOutOfRange"])
    #expect(report.refused.map(\.source) == ["1.scarybug", "2.scarybug", "007.scarybug", "4.scarybug"])
    #expect(
      report.refused.compactMap { ($0.error as? LibraryError)?.code } == [
        .unreadableArchive, .missingDataFile, .notADocument, .notADocument,
      ])
    #expect(failure { _ = try room.database().importScaryBugs(from: bugs.folder.appending(path: "no")) } == .notFound)
    #expect(try room.names() == ["1.scarycreature"])
  }
}

@Suite("Mac app import")
struct MacImportTests {
  @Test("searches nested arrays for an image only up to a limit", .notHanging)
  func sharedArrays() throws {
    // Each array contains the next one twice, so 2^40 paths lead to the innermost.
    let archive = HandmadeList.archive([
      ["NS.objects": [.uid(2)], "$class": .uid(7)], ["data": .uid(3), "fullImage": .uid(6), "$class": .uid(8)],
      ["title": .uid(4), "rating": .uid(5), "$class": .uid(9)], "Bug", .real(4),
      ["NSReps": "here", "$class": .uid(10)], HandmadeList.classRecord("NSArray", "NSObject"),
      HandmadeList.classRecord("ScaryBugsMac.ScaryBugDoc", "NSObject"),
      HandmadeList.classRecord("ScaryBugsMac.ScaryBugData", "NSObject"),
      HandmadeList.classRecord("NSImage", "NSObject"),
    ])
    var edited = try PropertyList(archive)
    var inner = edited.append(.string("leaf"))
    for _ in 0..<40 { inner = edited.append(.array([inner, inner])) }
    for number in 0..<UInt32(edited.objectCount) {
      guard case .string("here") = try edited.object(ObjectRef(rawValue: number)) else { continue }
      edited.replace(ObjectRef(rawValue: number), with: .array([inner, inner]))
    }
    let room = try CreatureRoom()
    let report = try room.database().importMacArchive(edited.data(format: .binary))
    #expect(report.documents.count + report.refused.count == 1)
  }

  /// The app's archive: an array of documents, each with values and two images as AppKit archives them.
  private let archive: Data = {
    // An image has nested arrays of representations, of which a bitmap has TIFF bytes. A color has bytes that are not
    // an image.
    func image(_ first: UInt64, _ picture: Data) -> [HandmadeList] {
      [
        [
          "NSImageFlags": .integer(0x20C0_0000), "NSSize": .uid(first + 1), "NSReps": .uid(first + 2),
          "NSColor": .uid(first + 6), "$class": .uid(20),
        ],
        "{107, 107}",
        ["NS.objects": [.uid(first + 3)], "$class": .uid(22)],
        ["NS.objects": [.uid(first + 4), .uid(first + 5)], "$class": .uid(22)],
        0,
        ["NSTIFFRepresentation": .data([UInt8](picture)), "NSInternalLayoutDirection": 0, "$class": .uid(21)],
        ["NSColorSpace": 3, "NSWhite": .data([0x30, 0x20, 0x30, 0]), "$class": .uid(23)],
      ]
    }
    let objects: [HandmadeList] =
      [
        ["NS.objects": [.uid(2), .uid(24)], "$class": .uid(19)],  // 1
        ["data": .uid(3), "thumbImage": .uid(6), "fullImage": .uid(13 + 15), "$class": .uid(18)],  // 2
        ["title": .uid(4), "rating": .uid(5), "$class": .uid(17)],  // 3
        "Potato Bug", .real(4),  // 4, 5
      ] + image(6, PictureBytes.tiff)  // 6 to 12
      + ["unused", "unused", "unused", "unused"]  // 13 to 16
      + [
        HandmadeList.classRecord("ScaryBugsMac.ScaryBugData", "NSObject"),  // 17
        HandmadeList.classRecord("ScaryBugsMac.ScaryBugDoc", "NSObject"),  // 18
        HandmadeList.classRecord("NSMutableArray", "NSArray", "NSObject"),  // 19
        HandmadeList.classRecord("NSImage", "NSObject"),  // 20
        HandmadeList.classRecord("NSBitmapImageRep", "NSImageRep", "NSObject"),  // 21
        HandmadeList.classRecord("NSArray", "NSObject"),  // 22
        HandmadeList.classRecord("NSColor", "NSObject"),  // 23
        ["data": .uid(25), "$class": .uid(18)],  // 24
        ["title": .uid(26), "rating": .uid(27), "$class": .uid(17)],  // 25
        "Lady Bug", .real(1.5),  // 26, 27
      ] + image(28, PictureBytes.jpeg)  // 28 to 34
    return HandmadeList.archive(objects)
  }()

  private func check(_ source: Data) throws {
    let room = try CreatureRoom()
    let report = try room.database().importMacArchive(source)
    #expect(report.refused.map { "\($0.error)" } == [])
    #expect(report.documents.map(\.source) == ["root[0]", "root[1]"])
    let docs = try room.database().loadScaryCreatureDocs()
    #expect(
      try docs.map { try $0.data } == [
        ScaryCreatureData(title: "Potato Bug", rating: 4), ScaryCreatureData(title: "Lady Bug", rating: 1.5),
      ])
    // The bytes are unchanged in any format.
    #expect(try docs.map { try $0.thumbImage } == [PictureBytes.tiff, nil])
    #expect(try docs.map { try $0.fullImage } == [PictureBytes.jpeg, nil])
  }

  @Test("reads the archive alone")
  func bare() throws { try check(archive) }

  @Test("reads binary and XML preferences")
  func preferences() throws {
    try check(HandmadeList.dictionary([("NSWindow Frame", "0 0 1 1"), ("bugs", .data([UInt8](archive)))]).binary)
    let xml = try PropertyListSerialization.data(
      fromPropertyList: ["bugs": archive, "other": 1], format: .xml, options: 0)
    try check(xml)
  }

  @Test("rejects an invalid document with its path, and imports the others")
  func refused() throws {
    let room = try CreatureRoom()
    let source = HandmadeList.archive([
      ["NS.objects": [.uid(2), .uid(5), .uid(7)], "$class": .uid(10)],
      ["data": .uid(3), "$class": .uid(9)],
      ["title": .uid(4), "rating": .real(2), "$class": .uid(8)], "Fine",
      ["data": .uid(6), "$class": .uid(9)],
      ["rating": .real(2), "$class": .uid(8)],
      "a string",
      HandmadeList.classRecord("ScaryBugsMac.ScaryBugData", "NSObject"),
      HandmadeList.classRecord("ScaryBugsMac.ScaryBugDoc", "NSObject"),
      HandmadeList.classRecord("NSArray", "NSObject"),
    ])
    let report = try room.database().importMacArchive(source)
    #expect(report.documents.map(\.source) == ["root[0]"])
    #expect(report.refused.map(\.source) == ["root[1]", "root[2]"])
  }

  @Test("imports a document once, and no more images than fit the limit of expansion")
  func sharedDocuments() throws {
    func file(_ documents: Int, isOne: Bool) -> Data {
      let list = HandmadeList.array((0..<documents).map { .uid(UInt64(isOne ? 8 : 8 + $0)) })
      let doc: HandmadeList = ["data": .uid(2), "fullImage": .uid(4), "$class": .uid(6)]
      return HandmadeList.archive(
        [
          ["NS.objects": list, "$class": .uid(7)],
          ["title": .uid(3), "rating": .real(2), "$class": .uid(5)], "Bug",
          .data([UInt8](PictureBytes.jpeg) + Array(repeating: 0, count: 20_000)),
          .classRecord("ScaryBugsMac.ScaryBugData", "NSObject"), .classRecord("ScaryBugsMac.ScaryBugDoc", "NSObject"),
          .classRecord("NSArray", "NSObject"),
        ] + (0..<documents).map { _ in doc })
    }
    let rooms = try (0..<3).map { _ in try CreatureRoom() }
    let once = try rooms[0].database().importMacArchive(file(5, isOne: true))
    #expect(once.documents.count == 1 && once.refused.count == 4)
    let all = try rooms[1].database().importMacArchive(file(5, isOne: false))
    #expect(all.documents.count == 5 && all.refused.isEmpty)
    let large = file(300, isOne: false)
    let many = try rooms[2].database().importMacArchive(large)
    #expect(many.documents.count == 64 * large.count / (PictureBytes.jpeg.count + 20_000))
    #expect(many.documents.count + many.refused.count == 300)
  }

  @Test("rejects other data")
  func nothing() throws {
    let room = try CreatureRoom()
    for source in [
      Data(), Data("text".utf8), HandmadeCreature().data, HandmadeList.dictionary([("bugs", "text")]).binary,
      HandmadeList.dictionary([("others", .data([UInt8](archive)))]).binary, archive.dropLast(),
    ] {
      #expect(failure { _ = try room.database().importMacArchive(source) } == .unreadableArchive)
    }
    #expect(try room.names().isEmpty)
  }
}

@Suite("Folder import")
struct FolderImportTests {
  @Test("changes nothing in the source, and reports rejected creatures")
  func untouched() throws {
    let (source, room) = (try CreatureRoom(), try CreatureRoom())
    let database = try source.database()
    try database.addCreature(title: "Ghost", rating: 5, fullImage: SampleFiles.png(1, 2, 3))
    try database.addCreature(title: "Yeti", rating: 3)
    try source.plant("3.scarybug/data.plist", HandmadeCreature(title: "Potato Bug", topKey: "Data").data)
    try source.plant(".work/new-file", Data("half".utf8))
    try FileManager.default.moveItem(
      at: source.folder.appending(path: "2.scarycreature"),
      to: source.folder.appending(path: ".work/replaced-2.scarycreature"))
    let before = try source.files()
    #expect(before.count == 6)
    let report = try room.database().importFolder(source.folder)
    #expect(report.documents.map(\.source) == ["1.scarycreature", "3.scarybug"])
    #expect(report.refused.map(\.source) == ["replaced-2.scarycreature"])
    #expect(report.refused.map { ($0.error as? LibraryError)?.code } == [.displaced])
    #expect(try source.files() == before)
    // Opening it with cleanup restores the creature.
    #expect(try source.database().document(2).data?.title == "Yeti")
    #expect(try room.database().importFolder(source.folder).refused.isEmpty)
  }

  @Test("copies damaged creatures as they are, with all files, and skips what the library has")
  func damaged() throws {
    let (source, room) = (try CreatureRoom(), try CreatureRoom())
    try source.database().addCreature(title: "Ghost", fullImage: SampleFiles.png(1, 2, 3))
    try source.plant("2.scarycreature/Data.plist", Data("no archive".utf8))
    try source.plant("2.scarycreature/notes/mine.txt", Data("mine".utf8))
    try source.plant("3.scarycreature/fullImage.png", Data("alone".utf8))
    try source.plant("readme.txt", Data("read me".utf8))
    let report = try room.database().importFolder(source.folder)
    #expect(report.documents.map(\.source) == ["1.scarycreature", "2.scarycreature", "3.scarycreature"])
    let codes = report.documents.map { ($0.damage as? LibraryError)?.code }
    #expect(codes == [nil, .unreadableArchive, .missingDataFile])
    #expect(report.refused.isEmpty && report.omitted.isEmpty)
    func content(_ room: CreatureRoom) throws -> [String: Data] {
      try room.files().filter { $0.key.contains(".scarycreature/") }.mapValues(\.bytes)
    }
    #expect(try content(source).count == 6)
    #expect(try content(room) == content(source))
    let again = try room.database().importFolder(source.folder)
    #expect(again.documents.isEmpty && again.present.map(\.number) == [1, 2, 3])
    #expect(try content(room) == content(source))
  }

  @Test(
    "reports each entry that is not a creature once, and names a remedy for missing data that does not need a backup")
  func reportedOnce() throws {
    let (source, room) = (try CreatureRoom(), try CreatureRoom())
    try source.database().addCreature(title: "Ghost")
    try source.plant("2.scarycreature/notes.txt", Data("mine".utf8))
    try source.plant("4.scarycreature", Data("a file".utf8))
    try source.plantFolder("007.scarycreature")
    try FileManager.default.createSymbolicLink(
      atPath: source.folder.appending(path: "3.scarycreature").path, withDestinationPath: "1.scarycreature")
    let report = try room.database().importFolder(source.folder)
    #expect(report.documents.map(\.source) == ["1.scarycreature", "2.scarycreature"])
    let damage = try #require(report.documents.last?.damage as? LibraryError)
    #expect(damage.code == .missingDataFile && damage.path == "2.scarycreature/Data.plist")
    #expect(damage.remedy == "Save new values, or restore the file in the folder and import again")
    #expect(report.refused.map(\.source).sorted() == ["007.scarycreature", "3.scarycreature", "4.scarycreature"])
    #expect(report.refused.allSatisfy { ($0.error as? LibraryError)?.code == .notADocument })
  }

  @Test("does not read other files")
  func otherFiles() throws {
    let (source, room) = (try CreatureRoom(), try CreatureRoom())
    try source.database().addCreature(title: "Ghost")
    try source.plant("film.mov", Data(count: 1000))
    // A backup of the whole folder would report it.
    try FileManager.default.createSymbolicLink(
      atPath: source.folder.appending(path: "link").path, withDestinationPath: "nowhere")
    let report = try room.database().importFolder(source.folder)
    #expect(report.documents.map(\.source) == ["1.scarycreature"] && report.refused.isEmpty && report.omitted.isEmpty)
  }
}
