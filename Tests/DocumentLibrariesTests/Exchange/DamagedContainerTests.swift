// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import HarnessSupport
import Foundation
import TestSupport
import Testing

@Suite("Damaged containers")
struct DamagedContainerTests {
  /// A small container of two documents, and their content.
  private static func container() throws -> (file: Data, documents: [String: [String: Data]]) {
    let room = try Place.memory.room()
    try room.plant("1.recipe", "Soup", photo: "photo")
    try room.plant("2.recipe", "Cake")
    try room.storage.plant("2.recipe" / "x.plist", Data(String(repeating: "a", count: 50).utf8))
    return (try room.library().exported(), try room.storage.documents())
  }

  /// Imports a damaged container; nil if it is rejected completely.
  private func imported(
    _ file: Data, into library: DocumentLibrary<Recipe>, keepingNumbers: Bool = true
  ) throws -> ImportReport? {
    do {
      return try library.importBackup(BackupSource(file), keepingNumbers: keepingNumbers)
    } catch {
      let error = try #require(error as? LibraryError)
      #expect(error.code == .badContainer)
      return nil
    }
  }

  @Test("import nothing when truncated at any byte", arguments: Place.allCases)
  func truncated(_ place: Place) throws {
    let (file, documents) = try Self.container()
    let cage = try Cage()
    let library = try place == .memory ? place.room().library() : cage.library
    for count in 0..<file.count {
      let error = #expect(throws: LibraryError.self, "\(count) bytes") {
        try library.importBackup(BackupSource(file.prefix(count)))
      }
      #expect(error?.code == .badContainer)
    }
    #expect(try library.storage.leftovers() == [])
    #expect(try library.storage.documents().count == (place == .memory ? 0 : 1))
    #expect(try cage.added() == [:])
    // The complete file is valid.
    #expect(try imported(file, into: library, keepingNumbers: false)?.documents.count == documents.count)
  }

  /// Each bit, and changes that create a slash, a link, a folder or a neighboring byte value.
  private static let changes: [UInt8] = [1, 2, 4, 8, 16, 32, 64, 128, 0xFF, 0xC0, 0x5B]

  /// A twelfth of the changes; with `WHOLE_TESTS`, all.
  @Test("import complete documents or none with any byte changed", arguments: changes)
  func changed(_ change: UInt8) throws {
    let turn = try #require(Self.changes.firstIndex(of: change))
    let (whole, documents) = try Self.container()
    var file = whole
    var counts: [Int: Int] = [:]
    for index in file.indices where Sample.includes(index + turn, each: 12) {
      file[index] ^= change
      defer { file[index] ^= change }
      let room = try Place.memory.room()
      let library = try room.library()
      let report = try imported(file, into: library)
      let added = try room.storage.documents()
      counts[added.count, default: 0] += 1
      #expect(added.allSatisfy { documents[$0.key] == $0.value }, "byte \(index)")
      #expect(added.count == report?.documents.count ?? 0, "byte \(index)")
      #expect(try room.storage.leftovers() == [], "byte \(index)")
      // Each missing document was reported.
      let isTold = documents.keys.allSatisfy {
        added[$0] != nil || report == nil || report?.codes[$0] == "badContainer"
      }
      #expect(isTold, "byte \(index)")
    }
    // Some bytes affect nothing, some one document, and some all.
    #expect(counts[0] != nil && counts[1] != nil && counts[2] != nil)
  }

  @Test("change nothing outside of the library with any byte changed")
  func changedOnDisk() throws {
    let (file, documents) = try Self.container()
    let cage = try Cage()
    for index in file.indices where Sample.includes(index, each: 11) {
      var changed = file
      changed[index] = ~changed[index]
      _ = try imported(changed, into: cage.library, keepingNumbers: index.isMultiple(of: 2))
      let added = try #require(try cage.added(), "byte \(index)")
      #expect(added.allSatisfy { documents.values.contains($0.value) }, "byte \(index)")
      for number in try cage.library.contents().numbers where number != 1 {
        try cage.library.document(number).delete()
      }
    }
  }

  @Test(
    "are rejected without a crash for random bytes between valid signatures", arguments: 0..<20 as Range<UInt64>
  )
  func random(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let (file, documents) = try Self.container()
    let room = try Place.memory.room()
    let library = try room.library()
    var damaged: Set<DocumentNumber> = []
    for _ in 0..<Sample.count(20, of: 100) {
      var changed = file
      for _ in 0..<Int.random(in: 2...8, using: &random) {
        changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let report = try imported(changed, into: library, keepingNumbers: false)
      for document in report?.documents ?? [] {
        guard let error = document.damage else { continue }
        #expect((error as? LibraryError)?.code == .missingDataFile)
        damaged.insert(document.number)
      }
    }
    #expect(try room.storage.leftovers() == [])
    // A document is unreadable only if the import reported it. Changes of a file's name in the directory and of its own
    // header can together hide the file.
    for document in try library.documents() {
      let number = try #require(document.number)
      #expect(((try? Dish(document)) == nil) == damaged.contains(number))
    }
    let data = try room.storage.documents().values.map { $0["Data.plist"] }
    #expect(data.count { $0 == nil } == damaged.count)
    #expect(data.allSatisfy { file in file == nil || documents.values.contains { $0["Data.plist"] == file } })
  }
}
