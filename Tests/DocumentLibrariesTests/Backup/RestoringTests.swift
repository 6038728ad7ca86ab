// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import TestSupport
import Testing
import ZipContainers

@Suite("Import of a backup")
struct RestoringTests {
  @Test("skips what the library has already", arguments: Place.allCases)
  func again(_ place: Place) throws {
    let (file, _) = try Wreck.room(place).library().backup()
    let target = try place.room()
    let library = try target.library()
    let first = try library.importBackup(BackupSource(file), keepingNumbers: true)
    let before = try target.storage.inventory().filter { $0.key != "." && $0.key != ".work" }
    let second = try library.importBackup(BackupSource(file), keepingNumbers: true)
    #expect(second.documents.isEmpty && second.others.isEmpty && second.refused.isEmpty)
    #expect(second.present.map(\.source) == first.documents.map(\.source) + first.others)
    #expect(second.present.compactMap(\.number) == [1, 2, 3, 4, 5])
    #expect(try target.storage.inventory().filter { $0.key != "." && $0.key != ".work" } == before)
    // Also without the numbers.
    let third = try library.importBackup(BackupSource(file))
    #expect(third.documents.isEmpty && third.present.compactMap(\.number) == [1, 2, 3, 4, 5])
    #expect(third.omitted == first.others)
  }

  @Test("imports each of several equal documents once", arguments: Place.allCases)
  func twins(_ place: Place) throws {
    let source = try place.room()
    for folder in ["1.recipe", "2.recipe", "3.recipe"] as [StorageName] { try source.plant(folder, "Soup") }
    let (file, _) = try source.library().backup()
    let library = try place.room().library()
    #expect(try library.importBackup(BackupSource(file)).documents.map(\.number) == [1, 2, 3])
    try library.document(2).delete()
    // As after an interruption.
    let report = try library.importBackup(BackupSource(file))
    #expect(report.documents.map(\.number) == [4] && report.present.map(\.number) == [1, 3])
  }

  @Test("reads each document of the library once, also if all have files of equal sizes")
  func equalSizes() throws {
    func calls(_ count: Int) throws -> Int {
      let (source, target) = (try Place.memory.room(), try Place.memory.room())
      for number in 1...count {
        try source.plant(StorageName("\(number).recipe"), "New \(1000 + number)")
        try target.plant(StorageName("\(number).recipe"), "Old \(1000 + number)")
      }
      let (file, _) = try source.library().backup()
      let faulty = FaultyStorage(target.storage)
      let library = try DocumentLibrary<Recipe>(in: faulty)
      faulty.set()
      #expect(try library.importBackup(BackupSource(file), dryRun: true).documents.count == count)
      return faulty.steps.count { $0.call == .open }
    }
    #expect(try [calls(5), calls(20)] == [5, 20])
  }

  @Test("goes on if a subfolder of a document in the library cannot be read")
  func unreadableSubfolder() throws {
    let (file, _) = try Place.memory.room().library(2).backup()
    let room = try Place.memory.room()
    try room.plant("1.recipe", "Soup")
    try room.storage.makeFolder("1.recipe" / "notes")
    let faulty = FaultyStorage(room.storage)
    let library = try DocumentLibrary<Recipe>(in: faulty)
    faulty.set()
    _ = try library.importBackup(BackupSource(file), dryRun: true)
    let list = try #require(faulty.steps.firstIndex { $0.call == .list && $0.path == "1.recipe" / "notes" })
    faulty.set(.fails(at: list, .noPermission))
    let report = try library.importBackup(BackupSource(file))
    #expect(report.documents.map(\.number) == [2] && report.refused.isEmpty)
    #expect(faulty.hasFailed)
  }

  @Test("names the folder of the Finder that it omits", arguments: [true, false])
  func finder(_ keepsNumbers: Bool) throws {
    let file = HandmadeZip(
      try HandmadeDocument.data("5.recipe"), HandmadeZip.Entry("__MACOSX/._5.recipe", [1]),
      HandmadeZip.Entry("__MACOSX/5.recipe/._x", [1]))
    let room = try Place.memory.room()
    let report = try room.library().importBackup(BackupSource(file.data), keepingNumbers: keepsNumbers)
    #expect(report.documents.count == 1 && report.omitted == ["__MACOSX"] && report.refused.isEmpty)
    #expect(try room.storage.names(.root) == [".work", keepsNumbers ? "5.recipe" : "1.recipe"])
  }

  @Test("replaces nothing that differs", arguments: Place.allCases)
  func taken(_ place: Place) throws {
    let (file, _) = try Wreck.room(place).library().backup()
    let target = try place.room()
    try target.plant("1.recipe", "Soup", photo: "another photo")
    try target.storage.plant("5.RECIPE", Data("a file".utf8))
    try target.storage.plant("readme.txt", Data("other".utf8))
    try target.plant("6.recipe", "trashed here")
    let library = try target.library()
    try library.document(6).moveToTrash()
    let before = try target.storage.content()
    let report = try library.importBackup(BackupSource(file), keepingNumbers: true)
    #expect(report.codes == ["1.recipe": "cannotCreate", "5.recipe": "cannotCreate", "readme.txt": "cannotCreate"])
    #expect(report.documents.map(\.number) == [2, 3, 4])
    let after = try target.storage.content()
    #expect(before.allSatisfy { after[$0.key] == .some($0.value) })
    // Documents in the trash have equal names and any content.
    #expect(try library.trash() == ["6.recipe", "6.recipe 2", "6.recipe 3"])
    let names = try library.trash().map { try library.trashedData($0).name }
    #expect(names == ["trashed here", "first", "second"])
    let again = try library.importBackup(BackupSource(file), keepingNumbers: true)
    #expect(again.documents.isEmpty && again.others.isEmpty)
  }

  @Test("ignores files of the Finder when it compares")
  func finderFiles() throws {
    let room = try Place.memory.room()
    let library = try room.library(1)
    let (file, _) = try library.backup()
    try room.storage.plant("1.recipe" / ".DS_Store", Data("look".utf8))
    #expect(try library.importBackup(BackupSource(file), keepingNumbers: true).present.count == 1)
  }

  @Test("of a dry run writes nothing, and reports what an import would")
  func dryRun() throws {
    let (file, _) = try Wreck.room(.memory).library().backup()
    let room = try Place.memory.room()
    try room.plant("1.recipe", "another")
    let before = try room.storage.inventory()
    let trial = try room.library().importBackup(BackupSource(file), keepingNumbers: true, dryRun: true)
    let numbers = try room.library().importBackup(BackupSource(file), dryRun: true).documents.map(\.number)
    #expect(try room.storage.inventory() == before)
    let report = try room.library().importBackup(BackupSource(file), keepingNumbers: true)
    #expect(trial.documents.map(\.source) == report.documents.map(\.source) && trial.others == report.others)
    #expect(trial.codes == report.codes && trial.codes == ["1.recipe": "cannotCreate"])
    #expect(numbers == [2, 3, 4, 5, 6])
  }

  @Test("restores no unit with a damaged or hostile entry, and all others", arguments: Place.allCases)
  func hostile(_ place: Place) throws {
    typealias Entry = HandmadeZip.Entry
    var link = Entry("6.recipe/photo.jpg", Array("/etc/passwd".utf8))
    link.attributes = 0o120777 << 16
    var damaged = Entry("7.recipe/photo.jpg", [1, 2, 3])
    damaged.crc = 1
    var renamed = Entry("8.recipe/photo.jpg", [1])
    renamed.localName = Array("9.recipe/photo.jpg".utf8)
    var file = HandmadeZip(
      try HandmadeDocument.data("5.recipe"), try HandmadeDocument.data("6.recipe"), link,
      try HandmadeDocument.data("7.recipe"), damaged, try HandmadeDocument.data("8.recipe"), renamed,
      try HandmadeDocument.data("9.recipe"))
    let names = [
      "../evil", "/tmp/evil", ".work/new-1", ".WORK/x", ".work/replaced-9.recipe/Data.plist", "5.recipe/../../evil",
      "..\\evil", ".trash",
    ]
    file.entries += names.map { Entry($0, [1]) }
    let room = try place.room()
    let report = try room.library().importBackup(BackupSource(file.data), keepingNumbers: true)
    #expect(report.documents.map(\.source) == ["5.recipe"] && report.others == [])
    let expected = names + ["6.recipe", "7.recipe", "8.recipe", "9.recipe", "8.recipe/photo.jpg"]
    #expect(Set(report.codes.keys) == Set(expected) && Set(report.codes.values) == ["badContainer"], "\(report.codes)")
    #expect(try room.storage.content() == ["5.recipe": nil, "5.recipe/Data.plist": Recipe.file("New")])
    #expect(try room.storage.leftovers() == [])
    let check = try DocumentLibrary<Recipe>.checkBackup(BackupSource(file.data))
    #expect(check.documents == 1 && check.damaged.isEmpty && Set(check.refused.map(\.source)) == Set(expected))
  }

  @Test("restores complete units or none with any byte changed")
  func changed() throws {
    let source = try Place.memory.room()
    try source.plant("1.recipe", "Soup", photo: "photo")
    try source.storage.makeFolder("1.recipe" / "notes")
    try source.storage.plant("1.recipe" / "notes" / "x", Data("x".utf8))
    try source.plant("2.recipe", data: Data("damaged".utf8))
    try source.storage.plant("readme", Data("read".utf8))
    let whole = try source.storage.content()
    var (file, _) = try source.library().backup()
    for index in file.indices where Sample.includes(index, each: 5) {
      file[index] ^= 0x5B
      defer { file[index] ^= 0x5B }
      let room = try Place.memory.room()
      let report = try? room.library().importBackup(BackupSource(file), keepingNumbers: true)
      let content = try room.storage.content()
      let restored = (report?.documents.map(\.source) ?? []) + (report?.others ?? [])
      #expect(Set(content.keys.map { $0.split(separator: "/")[0] }) == Set(restored.map { $0[...] }), "byte \(index)")
      for name in restored {
        let unit = whole.filter { $0.key == name || $0.key.hasPrefix(name + "/") }
        #expect(content.filter { $0.key == name || $0.key.hasPrefix(name + "/") } == unit, "byte \(index), \(name)")
      }
      #expect(try room.storage.leftovers() == [], "byte \(index)")
    }
  }

  @Test("reads a file in pieces, and explains why it cannot be opened")
  func file() throws {
    let room = try Place.disk.room()
    let (bytes, _) = try Wreck.room(.memory).library().backup()
    let file = room.folder.appending(path: "backup.zip")
    try bytes.write(to: file)
    let library = try Place.memory.room().library()
    #expect(try library.importBackup(BackupSource(contentsOf: file), keepingNumbers: true).documents.count == 5)
    let missing = #expect(throws: LibraryError.self) {
      try BackupSource(contentsOf: room.folder.appending(path: "missing"))
    }
    #expect(missing?.code == .notFound)
    let folder = #expect(throws: LibraryError.self) { try BackupSource(contentsOf: room.folder) }
    #expect(folder?.code == .cannotRead)
    // A file that becomes shorter while it is open is damaged, and ends nothing.
    let open = try BackupSource(contentsOf: file)
    try Data(bytes.prefix(100)).write(to: file, options: [])
    let error = #expect(throws: LibraryError.self) { try library.importBackup(open) }
    #expect(error?.code == .badContainer)
    #expect(throws: LibraryError.self) { try library.importBackup(BackupSource(Data("PK".utf8))) }
  }

  @Test("check finds no problem in a backup of a valid library, and names damaged documents")
  func check() throws {
    let room = try Place.memory.room()
    _ = try room.library(1, 2)
    let sound = try DocumentLibrary<Recipe>.checkBackup(BackupSource(room.library().backup().file))
    #expect(sound.isSound && sound.documents == 2 && sound.others == 0)
    let (file, _) = try Wreck.room(.memory).library().backup()
    let check = try DocumentLibrary<Recipe>.checkBackup(BackupSource(file))
    #expect(check.documents == 2 && check.others == 5 && check.refused.isEmpty && !check.isSound)
    #expect(check.damaged.map(\.source) == ["2.recipe", "3.recipe", "4.recipe"])
  }

  @Test("names invalid attachments, and restores them as they are", arguments: [false, true])
  func invalidAttachments(_ dryRun: Bool) throws {
    struct Invalid: Error {}
    let source = try Place.memory.room().library(1, 2)
    try source.document(1).edit(attachments: ["photo.jpg": Data("bad".utf8), "thumb.png": Data("good".utf8)]) { _ in }
    let target = try Place.memory.room().library()
    let report = try target.importBackup(
      BackupSource(source.backup().file), dryRun: dryRun,
      checkAttachment: { _, bytes, _ in if bytes == Data("bad".utf8) { throw Invalid() } })
    #expect(report.documents.map(\.damagedAttachments.count) == [1, 0] && report.refused.isEmpty)
    #expect(report.documents.allSatisfy { $0.damage == nil })
    if !dryRun { #expect(try target.document(1).attachment("photo.jpg") == Data("bad".utf8)) }
  }

  @Test("says how to mend a reserved name in words that any program's user can follow")
  func reservedName() throws {
    let file = HandmadeZip(try HandmadeDocument.data("5.recipe"), HandmadeZip.Entry(".work/new-1", [1])).data
    let report = try Place.memory.room().library().importBackup(BackupSource(file))
    #expect(report.documents.count == 1)
    #expect(report.refused.map { ($0.error as? LibraryError)?.remedy } == ["Use another copy of the backup"])
  }
}
