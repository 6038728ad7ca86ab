// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import TestSupport
import Testing
import ZipContainers

@Suite("Backup")
struct BackupTests {
  @Test("restores all of a library byte for byte, damaged documents as they are", arguments: Place.allCases)
  func roundTrip(_ place: Place) throws {
    let source = try Wreck.room(place)
    let before = try source.storage.inventory().filter { !$0.key.hasPrefix(".work") && $0.key != "." }
    let (file, problems) = try source.library().backup()
    #expect(problems.map(\.name) == Wreck.damaged && problems.allSatisfy(\.isIncluded))
    #expect(problems.map(\.error.code) == [.unreadableArchive, .missingDataFile, .missingDataFile])
    #expect(try source.storage.inventory().filter { !$0.key.hasPrefix(".work") && $0.key != "." } == before)

    let target = try place.room()
    let report = try target.library().importBackup(BackupSource(file), keepingNumbers: true)
    #expect(report.refused.isEmpty && report.present.isEmpty && report.omitted.isEmpty, "\(report.refused)")
    #expect(report.documents.map(\.number) == [1, 2, 3, 4, 5])
    #expect(
      report.documents.map { ($0.damage as? LibraryError)?.code } == [
        nil, .unreadableArchive, .missingDataFile, .missingDataFile, nil,
      ])
    #expect(report.others == ["007.recipe", "9.recipe", "readme.txt", ".trash/6.recipe", ".trash/6.recipe 2"])
    #expect(try target.storage.content() == source.storage.content())
    for (path, thing) in before where thing.status.kind == .file || path.hasPrefix(".trash/") {
      let found = try target.storage.inventory()[path]?.status.modified
      #expect(found == StorageDate(seconds: thing.status.modified.seconds), "\(path)")
    }
    #expect(try target.storage.leftovers() == [])
    // A backup of the result is equal, too.
    #expect(try target.library().backup().file == file)
  }

  @Test(
    "is readable by Python, which finds the same files",
    .enabled(if: Python.isPresent, Comment(rawValue: Python.isAbsent)))
  func python() throws {
    let room = try Wreck.room(.memory)
    let (file, _) = try room.library().backup()
    let output = try Python.run(
      """
      import base64,io,json,sys,zipfile
      z=zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
      assert z.testzip() is None
      print(json.dumps({n: base64.b64encode(z.read(n)).decode() for n in z.namelist() if not n.endswith('/')}))
      """, input: file)
    let found = try JSONDecoder().decode([String: Data].self, from: output)
    #expect(found == (try room.storage.content().compactMapValues(\.self)))
  }

  @Test("of documents alone equals an export")
  func sameAsExport() throws {
    let room = try Place.memory.room()
    let library = try room.library(1, 2, 12)
    try room.storage.plant("2.recipe" / "photo.jpg", Data("p".utf8))
    let (file, problems) = try library.backup()
    #expect(try problems.isEmpty && file == library.exported())
    #expect(try library.importBackup(BackupSource(library.exported()), keepingNumbers: true).present.count == 3)
  }

  @Test("goes on past entries that it cannot take, and names them", arguments: Place.allCases)
  func unreadable(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1, 2)
    try room.plantLink("1.recipe" / "photo.jpg", to: "/etc/passwd")
    try room.plantLink("elsewhere", to: "/etc")
    try room.storage.plant("2.recipe" / "back\\slash", Data("x".utf8))
    let (file, problems) = try library.backup()
    #expect(problems.map(\.name) == ["1.recipe/photo.jpg", "2.recipe/back\\slash", "elsewhere"])
    #expect(problems.allSatisfy { !$0.isIncluded && $0.error.remedy != nil })
    let paths: [StoragePath] = ["1.recipe" / "photo.jpg", "2.recipe" / "back\\slash", "elsewhere"]
    #expect(problems.map(\.error.path) == paths.map { room.storage.url(of: $0).path })
    #expect(try ZipReader(file).entries.map(\.name) == ["1.recipe/Data.plist", "2.recipe/Data.plist"])
  }

  /// One of the files; with `WHOLE_TESTS`, all.
  @Test(
    "has files that are not checked, of any size and name, with a bounded piece in memory",
    arguments: Sample.cases(
      [
        "1.recipe" / "film", "1.recipe" / "notes" / "photo.jpg", "1.recipe" / "notes" / "Data.plist", "photo.jpg",
        "Data.plist", "others" / "photo.jpg", "others" / "Data.plist", ".trash" / "photo.jpg", ".trash" / "Data.plist",
        ".trash" / "others" / "photo.jpg",
      ] as [StoragePath], each: 10))
  func large(_ path: StoragePath) throws {
    let room = try Place.memory.room()
    let library = try room.library(1)
    for count in 1..<path.names.count {
      try StorageSteps(storage: room.storage).makeFolderIfMissing(StoragePath(Array(path.names.prefix(count))))
    }
    // More than a backup has in memory, and of a period that no piece has.
    let period = Data((0..<8191).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 4) })
    var large = Data()
    while large.count < 1 << 24 + 100_000 { large += period }
    try room.storage.plant(path, large)
    var largest = 0
    var file = Data()
    try library.backUp(
      to: {
        largest = max(largest, $0.count)
        file += $0
      }, checkAttachment: { name, _, _ in Issue.record("\(name) is checked") }, report: { Issue.record("\($0.error)") })
    #expect(largest <= 1 << 16)
    // A compressed file is in memory.
    #expect(try ZipReader(file).entries.first { $0.name == path.description }?.compressedByteCount == large.count)
    let target = try Place.memory.room()
    #expect(try target.library().importBackup(BackupSource(file), keepingNumbers: true).documents.count == 1)
    #expect(try target.storage.bytes(path) == large)
    #expect(try DocumentLibrary<Recipe>.checkBackup(BackupSource(file)).isSound)
  }

  @Test("reports invalid attachments and data over the limits, and has them unchanged")
  func invalid() throws {
    struct Bad: Error {}
    let room = try Place.memory.room()
    _ = try room.library(1)
    try room.storage.plant("1.recipe" / "photo.jpg", Data(count: 2000))
    try room.storage.plant("1.recipe" / "thumb.png", Data("bad".utf8))
    try room.plant("2.recipe", String(repeating: "x", count: 3000))
    let library = try room.library(
      limits: LibraryLimits(maximumDataByteCount: 1000, maximumAttachmentByteCount: 1999))
    var file = Data()
    var problems: [BackupProblem] = []
    try library.backUp(
      to: { file += $0 }, checkAttachment: { _, bytes, _ in if bytes == Data("bad".utf8) { throw Bad() } },
      report: { problems.append($0) })
    #expect(problems.map(\.name) == ["1.recipe/photo.jpg", "1.recipe/thumb.png", "2.recipe/Data.plist"])
    #expect(problems.map(\.error.code) == [.limitReached, .cannotRead, .limitReached])
    #expect(problems.allSatisfy { $0.isIncluded })
    let target = try Place.memory.room()
    _ = try target.library().importBackup(BackupSource(file), keepingNumbers: true)
    #expect(try target.storage.content() == room.storage.content())
  }

  @Test("passes attachments of more than 16 MiB to the check, when it is written and when it is read")
  func largeAttachment() throws {
    struct Invalid: Error {}
    let library = try Place.memory.room().library(1)
    let photo = Data(count: (1 << 24) + 1)
    try library.document(1).edit(attachments: ["photo.jpg": photo]) { _ in }
    func check(_ name: String, _ bytes: Data, _ path: String) throws {
      #expect(name == "photo.jpg" && bytes == photo)
      throw Invalid()
    }
    var (backup, problems) = (Data(), [BackupProblem]())
    try library.backUp(to: { backup += $0 }, checkAttachment: check) { problems.append($0) }
    #expect(problems.map(\.name) == ["1.recipe/photo.jpg"] && problems.allSatisfy(\.isIncluded))
    let found = try DocumentLibrary<Recipe>.checkBackup(BackupSource(backup), checkAttachment: check)
    #expect(found.documents == 0 && found.damaged.map(\.source) == ["1.recipe"])
    #expect(found.damaged.allSatisfy { $0.error is Invalid })
  }

  @Test("reports an attachment that exceeds the limit of the library that checks it")
  func attachmentLimit() throws {
    let library = try Place.memory.room().library(1)
    try library.document(1).edit(attachments: ["photo.jpg": Data(count: 1001)]) { _ in }
    let limits = LibraryLimits(maximumAttachmentByteCount: 1000)
    let found = try DocumentLibrary<Recipe>.checkBackup(
      BackupSource(library.backup().file), limits: limits, checkAttachment: { _, _, _ in })
    #expect(found.damaged.map { ($0.error as? LibraryError)?.code } == [.limitReached])
  }

  @Test("of documents only lacks the trash and other files, and reports none of them", arguments: Place.allCases)
  func documentsOnly(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1, 2, 3)
    try library.document(2).moveToTrash()
    try room.plant("4.RECIPE", "four")
    try room.storage.plant("film.mov", Data(count: 100_000))
    try room.storage.makeFolder("more")
    try room.storage.plant("more" / "film.mov", Data(count: 100_000))
    try room.plantLink("link", to: "nowhere")
    try room.plantLink("5.recipe", to: "nowhere")
    var bytes = Data()
    var problems: [String] = []
    try library.backUp(documentsOnly: true, to: { bytes += $0 }) { problems.append($0.name) }
    #expect(problems == ["5.recipe"])
    #expect(
      try ZipReader(bytes).entries.map(\.name) == ["1.recipe/Data.plist", "3.recipe/Data.plist", "4.RECIPE/Data.plist"])
  }
}
