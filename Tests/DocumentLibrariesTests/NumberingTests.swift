// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import SystemFiles
import Testing

@Suite("Document numbers")
struct NumberingTests {
  @Test("continue after the largest one, and leave gaps", arguments: Place.allCases)
  func nextNumber(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library()
    #expect(try library.nextNumber() == 1)
    for name in ["A", "B", "C"] { try library.addDocument(Recipe(name)) }
    #expect(try library.contents().numbers == [1, 2, 3])
    try library.document(3).delete()
    #expect(try library.nextNumber() == 3)
    try library.addDocument(Recipe("C"))
    try library.document(2).delete()
    #expect(try library.nextNumber() == 4)
    try library.document(3).delete()
    #expect(try library.nextNumber() == 2)
    try library.document(1).delete()
    #expect(try library.nextNumber() == 1)
    #expect(try library.addDocument(Recipe("D")).number == 1)
  }

  @Test("are those of the same folders on a disk whose listings have no kinds")
  func unknownKinds() throws {
    let room = try Place.memory.room()
    for name in ["7.RECIPE", "7.recipe", "8.RECIPE", "9.recipe"] as [StorageName] { try room.plant(name, "\(name)") }
    for name in ["1.recipe", "2.RECIPE", "a.recipe", "9.RECIPE"] as [StorageName] {
      try room.storage.plant(.root / name, Data())
    }
    try room.plantLink("3.recipe", to: "nowhere")
    try room.plant("2.recipe", "2.recipe")
    let library = try DocumentLibrary<Recipe>(in: FaultyStorage(room.storage, .listsNoKinds))
    for library in [library, try room.library()] {
      let contents = try library.contents()
      #expect(contents.numbers == [2, 7, 8, 9])
      #expect(
        contents.problems.map { "\($0.name) \($0.reason)" } == [
          "1.recipe notAFolder", "2.RECIPE notAFolder", "3.recipe link", "7.RECIPE duplicate", "9.RECIPE notAFolder",
          "a.recipe notANumber",
        ])
      #expect(
        try library.documents().map { try $0.data?.name } == ["2.recipe", "7.recipe", "8.RECIPE", "9.recipe"])
      #expect(try library.document(7).data?.name == "7.recipe")
    }
  }

  @Test("lead to the folder with capital letters if a file has the usual name", arguments: Place.allCases)
  func fileWithUsualName(_ place: Place) throws {
    let room = try place.room()
    try room.plant("7.RECIPE", "seven")
    try room.storage.plant("7.recipe", Data())
    let library = try room.library()
    #expect(try library.contents().problems.map { "\($0.name) \($0.reason)" } == ["7.recipe notAFolder"])
    try library.document(7).edit { $0.name += "!" }
    #expect(try library.documents().map { try $0.data?.name } == ["seven!"])
    #expect(try room.storage.bytes("7.recipe") == Data())
  }

  @Test("consist of canonical decimal digits", arguments: Place.allCases)
  func oddNames(_ place: Place) throws {
    let room = try place.room()
    for name in ["007", "+20", "-5", "9223372036854775808", "99999999999999999999", "x", "5 ", "٣"] {
      try room.plant(StorageName("\(name).recipe"), name)
    }
    try room.plant("2.recipe", "two")
    // Hidden folders and other extensions are ignored.
    for name in [".9.recipe", "9.cake", "9", "recipe", ".recipe"] as [StorageName] { try room.plant(name, "other") }
    let library = try room.library()
    let contents = try library.contents()
    #expect(contents.numbers == [2])
    #expect(
      contents.problems.map(\.name) == [
        "+20.recipe", "-5.recipe", "007.recipe", "5 .recipe", "9223372036854775808.recipe",
        "99999999999999999999.recipe", "x.recipe", "٣.recipe",
      ])
    // The largest number is 2^63 - 1.
    for problem in contents.problems {
      let isTooLarge = ["9223372036854775808.recipe", "99999999999999999999.recipe"].contains(problem.name)
      #expect(problem.reason == (isTooLarge ? .numberTooLarge : .notANumber), "\(problem)")
      if isTooLarge { #expect("\(problem)".hasSuffix("the number is too large; the largest is 9223372036854775807")) }
    }
    #expect(try library.nextNumber() == 3)
  }

  @Test("are exhausted after the largest one", arguments: Place.allCases)
  func largestNumber(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(Int.max - 1)
    let last = try library.addDocument(Recipe("last"))
    #expect(last.number == DocumentNumber(Int.max))
    #expect(try library.document(DocumentNumber(Int.max)!).data == Recipe("last"))
    let error = try #require(throws: LibraryError.self) { try library.addDocument(Recipe("one too many")) }
    #expect(error.code == .numbersExhausted)
    #expect(error.path.isEmpty == false)
    #expect(throws: LibraryError.self) { try library.nextNumber() }
    #expect(try library.contents().numbers.count == 2)
    #expect(try room.storage.leftovers() == [])
  }

  @Test("are reserved by files and links", arguments: Place.allCases)
  func filesAndLinks(_ place: Place) throws {
    let room = try place.room()
    try room.storage.plant("25.recipe", Data("a file".utf8))
    try room.plantLink("26.recipe", to: "/")
    let library = try room.library(3)
    let contents = try library.contents()
    #expect(contents.numbers == [3])
    #expect(
      contents.problems == [
        .init(name: "25.recipe", reason: .notAFolder), .init(name: "26.recipe", reason: .link),
      ])
    #expect(try library.nextNumber() == 27)
    for number in [25, 26] as [DocumentNumber] {
      let error = try #require(throws: LibraryError.self) { try library.document(number) }
      #expect(error.code == .notADocument)
    }
    #expect(throws: LibraryError(.notFound, room.storage.url(of: "4.recipe").path, "")) { try library.document(4) }
  }

  @Test("are read from folders with capital letters in the extension", arguments: Place.allCases)
  func caseVariants(_ place: Place) throws {
    let room = try place.room()
    try room.plant("30.RECIPE", "loud", photo: "photo")
    try room.plant("31.Recipe", "other")
    try room.plant("31.recipe", "same number")
    let library = try room.library(2)
    let contents = try library.contents()
    #expect(contents.numbers == [2, 30, 31])
    #expect(contents.problems == [.init(name: "31.Recipe", reason: .duplicate)])
    #expect(try library.nextNumber() == 32)
    let loud = try library.document(30)
    #expect(try loud.data == Recipe("loud"))
    #expect(loud.docPath?.lastPathComponent == "30.RECIPE")
    try loud.edit { $0.name = "louder" }
    try loud.setAttachment("thumb.png", to: Data("t".utf8))
    try loud.setAttachment("photo.jpg", to: Data("p".utf8))
    try loud.save()
    #expect(try room.storage.files("30.RECIPE") == ["Data.plist", "photo.jpg", "thumb.png"])
    #expect(try library.document(31).data == Recipe("same number"))
    try loud.delete()
    #expect(try library.contents().numbers == [2, 31])
  }

  @Test("order the list of documents", arguments: Place.allCases)
  func order(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(10, 2, 25, 1, 12, 100, 0)
    #expect(try library.contents().numbers == [0, 1, 2, 10, 12, 25, 100])
    #expect(try library.documents().map { try $0.data?.name }.last == "Recipe 100")
  }

  @Test(
    "are taken only if they are free, with and without exclusive renames and links", arguments: Place.allCases,
    [[], .exclusiveMoves, [.exclusiveMoves, .links]] as [StorageAbilities])
  func claiming(_ place: Place, _ lacking: StorageAbilities) throws {
    let room = try place.room()
    let library = try room.library(1)
    try room.plant("2.recipe", "two")
    let steps = StorageSteps(storage: FaultyStorage(room.storage, .lacks(lacking)))
    func move(_ name: StorageName, to newName: StorageName) -> StorageError.Reason? {
      do throws(StorageError) {
        try steps.move(.root / name, to: .root / newName, .exclusive)
        return nil
      } catch {
        return error.reason
      }
    }
    #expect(move("2.recipe", to: "1.recipe") == .exists)
    #expect(move("2.recipe", to: "3.recipe") == nil)
    #expect(try library.contents().numbers == [1, 3])
    #expect(try library.document(3).data?.name == "two")
    try room.storage.plant("file", Data("x".utf8))
    #expect(move("file", to: "1.recipe") == .exists)
    #expect(move("file", to: "moved") == nil)
    try room.storage.plant("file", Data("y".utf8))
    #expect(move("file", to: "moved") == .exists)
    #expect(try room.storage.bytes("moved") == Data("x".utf8))
    #expect(try room.storage.names(.root) == [".work", "1.recipe", "3.recipe", "file", "moved"])
    #expect(try room.storage.leftovers() == [])
  }
}
