// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import TestSupport
import Testing
import ZipContainers

@Suite("Import of an export")
struct ImportTests {
  /// Dates that MS-DOS fields cannot represent: odd seconds, and dates before 1980 and 1970. Fractions of seconds are
  /// lost.
  private static let dates: [(StorageDate, Int64)] = [
    (StorageDate(seconds: 1_262_304_001), 1_262_304_001), (StorageDate(seconds: 157_766_399), 157_766_399),
    (StorageDate(seconds: -157_766_399), -157_766_399),
    (StorageDate(seconds: 1_700_000_001, nanoseconds: 999_999_999), 1_700_000_001),
    (StorageDate(seconds: 2_147_483_647), 2_147_483_647),
  ]

  /// A library with all kinds of files.
  private func filled(_ place: Place) throws -> Room {
    let room = try place.room()
    try room.plant("1.recipe", "Soup", photo: "photo")
    try room.storage.plant("1.recipe" / "thumb.png", Data((0..<3000).map { UInt8($0 * 7 & 0xFF) }))
    try room.plant("5.recipe", "Überraschung 👻\n")
    try room.storage.plant("5.recipe" / ".hidden", Data("h".utf8))
    try room.storage.plant("5.recipe" / "Notizen ä 👻.plist", Data(String(repeating: "a", count: 5000).utf8))
    try room.storage.plant("5.recipe" / "empty", Data())
    try room.plant("40.recipe", "Cake")
    let files = try room.storage.inventory().filter { $0.value.status.kind == .file }.keys.sorted()
    for (index, file) in files.enumerated() {
      let path = StoragePath(file.split(separator: "/").map { StorageName(String($0)) })
      try room.storage.setModified(path, to: Self.dates[index % Self.dates.count].0)
    }
    return room
  }

  /// The dates of the files, by the document's index and the file's name.
  private func dates(_ room: Room) throws -> [[String: StorageDate]] {
    try room.library().contents().numbers.map { number in
      let folder = StoragePath.root / FolderName.name(for: number, extension: "recipe")
      let names = try room.storage.names(folder)
      return try Dictionary(
        uniqueKeysWithValues: names.map { ($0, try room.storage.status(of: folder / StorageName($0)).modified) })
    }
  }

  @Test("keeps files byte for byte, and dates to the second", arguments: Place.allCases, [true, false])
  func roundTrip(_ place: Place, keepingNumbers: Bool) throws {
    let (source, target) = (try filled(place), try place.room())
    let file = try source.library().exported()
    let report = try target.library().importBackup(BackupSource(file), keepingNumbers: keepingNumbers)
    #expect(report.refused.isEmpty)
    #expect(report.documents.map(\.source) == ["1.recipe", "5.recipe", "40.recipe"])
    #expect(report.documents.map(\.number) == (keepingNumbers ? [1, 5, 40] : [1, 2, 3]))
    let before = try source.storage.documents()
    let after = try target.storage.documents()
    let names = report.documents.map { ($0.source, "\($0.number).recipe") }
    #expect(after.count == 3 && names.allSatisfy { after[$0.1] == before[$0.0] && before[$0.0] != nil })
    let expected = try dates(source).map { $0.mapValues { date in StorageDate(seconds: date.seconds) } }
    #expect(try dates(target) == expected)
    #expect(Set(expected.flatMap(\.values).map(\.seconds)) == Set(Self.dates.map(\.1)))
    #expect(try target.storage.leftovers() == [])
    // An export of the result is equal, too.
    if keepingNumbers { #expect(try target.library().exported() == file) }
  }

  @Test("assigns the numbers after the largest one, document or not", arguments: Place.allCases)
  func numbersAfter(_ place: Place) throws {
    let file = try filled(place).library().exported()
    let room = try place.room()
    let library = try room.library(3)
    try room.storage.plant("8.RECIPE", Data("a file".utf8))
    let report = try library.importBackup(BackupSource(file))
    #expect(report.documents.map(\.number) == [9, 10, 11])
    #expect(try library.contents().numbers == [3, 9, 10, 11])
  }

  @Test("reports each new document to observers")
  func watched() async throws {
    let file = try filled(.memory).library().exported()
    let library = try Place.memory.room().library(3)
    var changes = try library.changes().makeAsyncIterator()
    _ = try library.importBackup(BackupSource(file))
    for number in [4, 5, 6] as [DocumentNumber] { #expect(await changes.next() == .added(number)) }
  }

  /// The entries that can have the number 5.
  private enum Holder: String, CaseIterable { case document, capitals, file, fileInCapitals, link }

  @Test("rejects a number that any entry has", arguments: Place.allCases)
  func taken(_ place: Place) throws {
    let file = try filled(place).library().exported()
    for holder in Holder.allCases {
      let room = try place.room()
      switch holder {
      case .document: try room.plant("5.recipe", "mine")
      case .capitals: try room.plant("5.RECIPE", "mine")
      case .file: try room.storage.plant("5.recipe", Data("mine".utf8))
      case .fileInCapitals: try room.storage.plant("5.Recipe", Data("mine".utf8))
      case .link: try room.plantLink("5.recipe", to: "1.recipe")
      }
      let library = try room.library()
      let before = try room.storage.inventory().filter { $0.key.hasPrefix("5.") }
      var count = 0
      let report = try library.importBackup(BackupSource(file), keepingNumbers: true, progress: { count += 1 })
      #expect(report.documents.map(\.number) == [1, 40], "\(holder)")
      #expect(report.codes == ["5.recipe": "cannotCreate"], "\(holder)")
      let error = try #require(report.refused.first?.error as? LibraryError)
      #expect(error.detail.contains("5") && error.remedy != nil, "\(error)")
      #expect(try room.storage.inventory().filter { $0.key.hasPrefix("5.") } == before, "\(holder)")
      #expect(try room.storage.leftovers() == [])
      #expect(count == 3)
      // Without its number it is accepted. The others are there already.
      let again = try library.importBackup(BackupSource(file))
      #expect(again.documents.map(\.number) == [41] && again.present.map(\.number) == [1, 40], "\(holder)")
    }
  }

  @Test("keeps the largest number, and fails after it", arguments: Place.allCases)
  func largestNumber(_ place: Place) throws {
    let last = "\(Int.max).recipe"
    let file = HandmadeZip(try HandmadeDocument.data(last), try HandmadeDocument.data("0.recipe")).data
    let library = try place.room().library()
    let report = try library.importBackup(BackupSource(file), keepingNumbers: true)
    #expect(report.documents.map(\.number) == [0, DocumentNumber(integerLiteral: .max)])
    let others = HandmadeZip(try HandmadeDocument.data(last, "Other"), try HandmadeDocument.data("0.recipe", "Other"))
    let again = try library.importBackup(BackupSource(others.data))
    #expect(again.codes == ["0.recipe": "numbersExhausted", last: "numbersExhausted"])
    #expect(try library.storage.leftovers() == [])
  }
}
