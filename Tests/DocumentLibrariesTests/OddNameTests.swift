// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import Testing

@Suite("Unknown files in a document's folder")
struct OddNameTests {
  static let names: [StorageName] = [
    StorageName(bytes: [0xFF, 0xFE, 0x41]), StorageName(bytes: [0xC3, 0x28]), "line\nbreak", " ", "-rf", "\u{301}e",
    StorageName(bytes: Array(repeating: 0x61, count: 255)), "~", ".hidden", "Data.plist.bak",
  ]

  @Test("remain when the document changes, and are deleted with it", arguments: Place.allCases)
  func names(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library()
    let document = try library.addDocument(Recipe("A"), attachments: ["photo.jpg": Data("p".utf8)])
    let folder: StoragePath = "1.recipe"
    for name in Self.names { try room.storage.plant(folder / name, Data(name.bytes)) }
    let inner = folder / StorageName(bytes: [0xFF])
    try room.storage.makeFolder(inner)
    try room.storage.plant(inner / StorageName(bytes: [0xFE]), Data("deep".utf8))
    try room.plantLink(folder / "link", to: "nowhere")
    let before = try Self.names.map { try room.storage.status(of: folder / $0) }
    try document.edit { $0.name = "B" }
    for round in 0..<2 {
      try document.setData(Recipe("C"))
      try document.setAttachment("photo.jpg", to: Data("\(round)".utf8))
      try document.save()
    }
    #expect(try Self.names.map { try room.storage.status(of: folder / $0) } == before)
    #expect(try room.storage.bytes(inner / StorageName(bytes: [0xFE])) == Data("deep".utf8))
    #expect(try room.storage.status(of: folder / "link").kind == .link)
    try document.moveToTrash()
    let back = try library.restore("1.recipe")
    #expect(try Self.names.map { try room.storage.status(of: folder / $0) } == before)
    try back.delete()
    #expect(try room.storage.names(.root) == [".trash", ".work"])
    #expect(try room.storage.leftovers() == [])
  }

  @Test("may have names that are not valid UTF-8", arguments: Place.allCases)
  func listing(_ place: Place) throws {
    let room = try place.room()
    try room.storage.makeFolder(StoragePath([StorageName(bytes: [0x37, 0xFF] + Array(".recipe".utf8))]))
    try room.storage.makeFolder(StoragePath([StorageName(bytes: [0xFF])]))
    let contents = try room.library(2).contents()
    #expect(contents.numbers == [2])
    #expect(contents.problems == [.init(name: "7\u{FFFD}.recipe", reason: .notANumber)])
  }

  @Test("are named in the error if they block the work folder", arguments: Place.allCases)
  func fileForWorkFolder(_ place: Place) throws {
    let room = try place.room()
    try room.storage.plant(".work", Data())
    try room.storage.makeFolder("3.recipe")
    let library = try DocumentLibrary<Recipe>(in: room.storage, sweeping: false)
    #expect(try library.contents().numbers == [3])
    let error = try #require(throws: LibraryError.self) { _ = try library.addDocument(Recipe("A")) }
    #expect(error.code == .cannotCreate)
    #expect(error.path.hasSuffix("/.work"))
    #expect(error.remedy == "Move the other file away")
  }

  @Test("are deleted in trees deeper than the stack")
  func deepTree() throws {
    let room = try Place.memory.room()
    let library = try room.library(1)
    var path: StoragePath = "1.recipe"
    for _ in 0..<300 {
      path = path / "d"
      try room.storage.makeFolder(path)
    }
    let document = try library.document(1)
    try document.setData(Recipe("B"))
    try document.setAttachment("photo.jpg", to: Data())
    try document.save()
    #expect(try room.storage.status(of: path).kind == .folder)
    try document.delete()
    #expect(try room.storage.leftovers() == [])
  }
}
