// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Dispatch
@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import PropertyListFormat
import SystemFiles
import Testing
import ZipContainers

@Suite("Export")
struct ExportTests {
  @Test("writes a folder with all files for each document", arguments: Place.allCases)
  func names(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(10, 2)
    try room.storage.plant("2.recipe" / "photo.jpg", Data("p".utf8))
    try room.storage.plant("10.recipe" / ".hidden", Data("h".utf8))
    try room.storage.plant("10.recipe" / "notes of mine.txt", Data())
    try room.plant("7.RECIPE", "in capital letters")
    let reader = try ZipReader(library.exported())
    #expect(
      reader.entries.map(\.name) == [
        "2.recipe/Data.plist", "2.recipe/photo.jpg", "7.recipe/Data.plist", "10.recipe/.hidden",
        "10.recipe/Data.plist", "10.recipe/notes of mine.txt",
      ])
    #expect(try ZipReader(library.exported([10])).entries.map(\.name).allSatisfy { $0.hasPrefix("10.recipe/") })
    #expect(try ZipReader(library.exported([])).entries.isEmpty)
  }

  @Test("does not change the library", arguments: Place.allCases)
  func untouched(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1, 2)
    try room.storage.plant("1.recipe" / "photo.jpg", Data("p".utf8))
    let before = try room.storage.inventory()
    #expect(try ZipReader(library.exported()).entries.count == 3)
    #expect(try room.storage.inventory() == before)
  }

  @Test("writes equal bytes for equal documents", arguments: Place.allCases)
  func deterministic(_ place: Place) throws {
    let library = try place.room().library(3, 1, 2)
    #expect(try library.exported() == library.exported())
  }

  @Test("omits subfolders and symbolic links", arguments: Place.allCases)
  func foldersAndLinks(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1)
    try room.storage.makeFolder("1.recipe" / "folder")
    try room.storage.plant("1.recipe" / "folder" / "file", Data("x".utf8))
    try room.plantLink("1.recipe" / "photo.jpg", to: "/etc/passwd")
    #expect(try ZipReader(library.exported()).entries.map(\.name) == ["1.recipe/Data.plist"])
    // A document that is a symbolic link is not a document.
    try room.plantLink("2.recipe", to: "1.recipe")
    #expect(try ZipReader(library.exported()).entries.count == 1)
    let error = #expect(throws: LibraryError.self) { try library.exported([2]) }
    #expect(error?.code == .notADocument)
  }

  @Test("reports progress after each document")
  func progress() throws {
    let library = try Place.memory.room().library(1, 2, 3)
    var file = Data()
    var sizes: [Int] = []
    try library.export([1, 2, 3], to: { file += $0 }, progress: { sizes.append(file.count) })
    #expect(sizes.count == 3 && sizes == sizes.sorted() && Set(sizes).count == 3 && sizes[0] > 0)
    #expect(file.count > sizes[2])
  }

  @Test("throws an error for a document that was deleted meanwhile", arguments: Place.allCases)
  func deletedMeanwhile(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1, 2, 3)
    let other = try room.library()
    let error = #expect(throws: LibraryError.self) {
      try library.exported([1, 2, 3], progress: { try? other.document(2).delete() })
    }
    #expect(error == LibraryError(.notFound, library.storage.url(of: "2.recipe").path, ""))
    #expect(throws: LibraryError.self) { try library.exported([4]) }
  }

  @Test("exports the current version of each document", arguments: Place.allCases)
  func changedMeanwhile(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1, 2)
    let other = try room.library()
    var count = 0
    let file = try library.exported(progress: {
      count += 1
      for number in [1, 2] as [DocumentNumber] {
        try? other.document(number).edit { $0.name = "changed \(count)" }
      }
    })
    let copy = try Place.memory.room().library()
    #expect(try copy.importBackup(BackupSource(file)).refused.isEmpty)
    #expect(try copy.documents().map { try $0.data?.name } == ["Recipe 1", "changed 1"])
  }

  @Test("exports data and attachments of one version", arguments: Place.allCases)
  func consistent(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library()
    try library.addDocument(Recipe("0"), attachments: ["photo.jpg": Data("0".utf8)])
    let other = try room.library()
    let isDone = Locked(false)
    let hasEnded = DispatchSemaphore(value: 0)
    let saved = Locked(0)
    let writer = Thread {
      while !isDone.withLock({ $0 }) {
        let count = saved.withLock { $0 + 1 }
        guard let document = try? other.document(1), (try? document.setData(Recipe("\(count)"))) != nil,
          (try? document.setAttachment("photo.jpg", to: Data("\(count)".utf8))) != nil,
          (try? document.save()) != nil
        else { continue }
        saved.withLock { $0 = count }
      }
      hasEnded.signal()
    }
    writer.start()
    var seen: Set<String> = []
    let end = ContinuousClock.now + .seconds(600)
    while seen.count < 30, ContinuousClock.now < end {
      let reader = try ZipReader(library.exported())
      let files = try Dictionary(uniqueKeysWithValues: reader.entries.map { ($0.name, try reader.read($0)) })
      let data = try #require(files["1.recipe/Data.plist"])
      let name = try Recipe.stored(in: data, limits: .default).model.name
      #expect(files["1.recipe/photo.jpg"] == Data(name.utf8))
      seen.insert(name)
    }
    isDone.withLock { $0 = true }
    hasEnded.wait()
    #expect(seen.count == 30, "the writer saved \(saved.withLock { $0 }) times")
  }

  @Test("throws a library error and closes all files at any failing call", arguments: Place.allCases)
  func faults(_ place: Place) throws {
    let room = try place.room()
    _ = try room.library(1, 2)
    try room.storage.plant("1.recipe" / "photo.jpg", Data("p".utf8))
    let faulty = FaultyStorage(room.storage)
    let library = try DocumentLibrary<Recipe>(in: faulty)
    let before = try room.storage.inventory()
    faulty.set()
    let whole = try library.exported([1, 2])
    let steps = faulty.steps
    #expect(steps.count > 15)
    for (number, step) in steps.enumerated() {
      faulty.set(.fails(at: number, .deviceError))
      do {
        let file = try library.exported([1, 2])
        // A file that cannot be closed has been read.
        #expect(step.call == .close && file == whole, "step \(number), \(step.call)")
      } catch {
        #expect((error as? LibraryError)?.code == .cannotRead, "step \(number), \(step.call): \(error)")
      }
      #expect(faulty.hasFailed && faulty.openCount == 0)
      // An interrupted call is repeated.
      faulty.set(.fails(at: number, .interrupted))
      #expect(try library.exported([1, 2]) == whole, "step \(number), \(step.call)")
    }
    #expect(try room.storage.inventory() == before)
  }

  @Test("rethrows an error of the sink and unlocks the document")
  func sinkFails() throws {
    struct Full: Error {}
    let room = try Place.disk.room()
    let faulty = FaultyStorage(room.storage)
    _ = try room.library(1)
    let library = try DocumentLibrary<Recipe>(in: faulty)
    for allowed in 0..<4 {
      var count = 0
      #expect(throws: Full.self, "after \(allowed) pieces") {
        try library.export(
          [1],
          to: { _ in
            count += 1
            if count > allowed { throw Full() }
          })
      }
      #expect(faulty.openCount == 0)
    }
  }

  @Test("throws an error for a file over the limit")
  func limits() throws {
    let room = try Place.memory.room()
    _ = try room.library(1)
    try room.storage.plant("1.recipe" / "photo.jpg", Data(count: 2000))
    func library(_ most: Int) throws -> DocumentLibrary<Recipe> {
      try room.library(limits: LibraryLimits(maximumDataByteCount: 1000, maximumAttachmentByteCount: most))
    }
    let error = try #require(throws: LibraryError.self) { try library(1999).exported() }
    #expect(error == LibraryError(.limitReached, room.storage.url(of: "1.recipe" / "photo.jpg").path, ""))
    #expect(try ZipReader(library(2000).exported()).entries.count == 2)
  }

  @Test(
    "throws an error for a file name that containers do not allow",
    arguments: [
      ["back\\slash"], [StorageName(bytes: [0x61, 0xFF])], [StorageName(bytes: [0xC3, 0x28])],
      // One name in two Unicode forms.
      [StorageName(bytes: [0xC3, 0xA9]), StorageName(bytes: [0x65, 0xCC, 0x81])],
    ] as [[StorageName]])
  func namesWithoutPlace(_ names: [StorageName]) throws {
    let room = try Place.disk.room()
    let library = try room.library(1, 2)
    for name in names { try room.storage.plant("2.recipe" / name, Data("x".utf8)) }
    // Some file systems reject such names.
    guard try names.allSatisfy({ try room.storage.bytes("2.recipe" / $0) != nil }) else { return }
    let error = try #require(throws: LibraryError.self) { try library.exported() }
    #expect(error.code == .cannotWrite && error.remedy != nil, "\(error)")
    #expect(names.contains { error.path == room.storage.url(of: "2.recipe" / $0).path }, "\(error)")
    #expect(try ZipReader(library.exported([1])).entries.count == 1)
  }
}
