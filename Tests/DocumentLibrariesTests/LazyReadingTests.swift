// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import Testing

@Suite("Lazy reading")
struct LazyReadingTests {
  @Test("lists a library by names alone", arguments: Place.allCases)
  func listing(_ place: Place) throws {
    let room = try place.room()
    for number in 1...50 { try room.plant(StorageName("\(number).recipe"), "R\(number)", photo: "p") }
    let faulty = FaultyStorage(room.storage)
    let library = try DocumentLibrary<Recipe>(in: faulty)
    faulty.set()
    let documents = try library.documents()
    #expect(documents.count == 50)
    #expect(documents.last?.docPath?.lastPathComponent == "50.recipe")
    #expect(faulty.steps.map(\.call) == [.list])
  }

  @Test("finds a document at a cost independent of their number", arguments: Place.allCases)
  func oneDocument(_ place: Place) throws {
    let room = try place.room()
    for number in 1...50 { try room.plant(StorageName("\(number).recipe"), "R\(number)", photo: "p") }
    let faulty = FaultyStorage(room.storage)
    let library = try DocumentLibrary<Recipe>(in: faulty)
    faulty.set()
    let document = try library.document(33)
    #expect(faulty.steps.map(\.call) == [.status])
    _ = try document.data
    _ = try document.attachment("photo.jpg")
    #expect(!faulty.steps.contains { $0.call == .list })
  }

  @Test("reads each part once, on first access", arguments: Place.allCases)
  func parts(_ place: Place) throws {
    let room = try place.room()
    try room.plant("1.recipe", "A", photo: "photo")
    try room.storage.plant("1.recipe" / "thumb.png", Data("thumb".utf8))
    let faulty = FaultyStorage(room.storage)
    let document = try DocumentLibrary<Recipe>(in: faulty).document(1)
    func opened() -> [String] {
      faulty.steps.filter { $0.call == .open }.compactMap { $0.path.names.last?.description }
    }
    faulty.set()
    #expect(try document.hasAttachment("photo.jpg"))
    #expect(opened() == [])
    for _ in 0..<2 { #expect(try document.attachment("thumb.png") == Data("thumb".utf8)) }
    #expect(opened() == ["thumb.png"])
    for _ in 0..<2 { #expect(try document.data == Recipe("A")) }
    #expect(opened() == ["thumb.png", "Data.plist"])
    document.discardCache()
    try document.setAttachment("photo.jpg", to: Data("mine".utf8))
    document.discardCache()
    #expect(try document.attachment("photo.jpg") == Data("mine".utf8))
    #expect(try document.attachment("thumb.png") == Data("thumb".utf8))
    #expect(opened() == ["thumb.png", "Data.plist", "thumb.png"])
    document.revert()
    #expect(try document.attachment("photo.jpg") == Data("photo".utf8))
    #expect(faulty.openCount == 0)
  }
}
