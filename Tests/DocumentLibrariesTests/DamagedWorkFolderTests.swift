// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import TestSupport
import Testing

/// Something else in the place of the work folder.
@Suite("Damaged work folders")
struct DamagedWorkFolderTests {
  enum Other: CaseIterable {
    case file, link, brokenLink, pipe
  }

  private func library(_ other: Other, in room: Room) throws -> DocumentLibrary<Recipe> {
    let library = try room.library(1, 2)
    try library.document(2).edit { $0.name = "edited" }
    try StorageSteps(storage: room.storage).removeAll(WorkFolder.path)
    switch other {
    case .file: try room.storage.plant(WorkFolder.path, Data("not a folder".utf8))
    case .link: try room.plantLink(WorkFolder.path, to: "1.recipe")
    case .brokenLink: try room.plantLink(WorkFolder.path, to: "missing")
    case .pipe: #expect(unsafe mkfifo(room.storage.url(of: WorkFolder.path).path, 0o600) == 0)
    }
    return try DocumentLibrary<Recipe>(in: room.storage)
  }

  private static let cases = Place.allCases.flatMap { place in
    Other.allCases.filter { place == .disk || $0 == .file || $0 == .link }.map { (place, $0) }
  }

  @Test("do not prevent a backup of the documents", .notHanging, arguments: cases)
  func backups(_ place: Place, _ other: Other) throws {
    let room = try place.room()
    let (file, problems) = try library(other, in: room).backup()
    #expect(problems.map(\.name) == [])
    let copy = try Place.memory.room().library()
    _ = try copy.importBackup(BackupSource(file), keepingNumbers: true)
    #expect(try copy.documents().map { try $0.data?.name } == ["Recipe 1", "edited"])
  }

  @Test("do not prevent a check of the documents, and are reported", .notHanging, arguments: cases)
  func checks(_ place: Place, _ other: Other) throws {
    let room = try place.room()
    let library = try library(other, in: room)
    try room.storage.removeFile("2.recipe" / "Data.plist")
    var findings: [LibraryFinding] = []
    var count = 0
    try library.check(progress: { count += 1 }) {
      findings.append($0)
      return true
    }
    #expect(findings.map(\.code) == ["cannotWrite", "missingDataFile"] && count == 2)
    #expect(findings.first?.path == room.storage.url(of: WorkFolder.path).path)
    #expect(findings.first?.remedy != nil && findings.first?.number == nil)
  }

  @Test("do not prevent other readings", .notHanging, arguments: cases)
  func readings(_ place: Place, _ other: Other) throws {
    let library = try library(other, in: try place.room())
    #expect(try library.document(2).hasFormerSave)
    let copy = try Place.memory.room().library()
    #expect(try copy.addCopy(of: library.document(2)).data?.name == "edited")
  }

  @Test("prevent changes, and the error says how to mend them", .notHanging, arguments: cases)
  func changes(_ place: Place, _ other: Other) throws {
    let room = try place.room()
    let library = try library(other, in: room)
    let changes: [(DocumentLibrary<Recipe>) throws -> Void] = [
      { try $0.document(1).edit { $0.name = "new" } }, { try $0.addDocument(Recipe("new")) },
      { try $0.update { $0.edit(1) { $0.name = "new" } } }, { try $0.document(1).delete() },
    ]
    for change in changes {
      let error = try #require(throws: LibraryError.self) { try change(library) }
      #expect(error.path == room.storage.url(of: WorkFolder.path).path && error.remedy != nil, "\(error)")
    }
    #expect(try library.documents().map { try $0.data?.name } == ["Recipe 1", "edited"])
    try room.storage.removeFile(WorkFolder.path)
    try library.document(1).edit { $0.name = "mended" }
    #expect(try library.document(1).data?.name == "mended")
  }
}
