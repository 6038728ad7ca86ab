// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import SystemFiles
import Testing

@Suite("Summaries")
struct SummaryTests {
  private func summaries(
    _ library: DocumentLibrary<Recipe>, lookingUp names: [String] = Recipe.attachmentNames
  ) throws -> [Result<DocumentSummary<Recipe>, any Error>] {
    var summaries: [Result<DocumentSummary<Recipe>, any Error>] = []
    try library.readSummaries(of: library.documents(), lookingUp: names) { summaries.append($1) }
    return summaries
  }

  @Test("have what the documents' properties have, without caching it", arguments: Place.allCases)
  func properties(_ place: Place) throws {
    let room = try place.room()
    try room.plant("1.recipe", "Soup", photo: "photo")
    try room.plant("2.recipe", "", photo: nil)
    try room.plant("3.RECIPE", "Pie", photo: "photo")
    try room.storage.plant("3.RECIPE" / "thumb.png", Data("thumb".utf8))
    let library = try room.library()
    let found = try summaries(library).map { try $0.get() }
    for (summary, document) in zip(found, try library.documents()) {
      let stored = try #require(try document.stored)
      #expect(summary.stored.model == stored.model)
      #expect(summary.stored.warnings == stored.warnings)
      #expect(summary.modified == (try document.modified))
      #expect(try Recipe.attachmentNames.filter(summary.attachmentNames.contains) == document.attachmentNames)
    }
    #expect(found.map(\.attachmentNames) == [["photo.jpg"], [], ["photo.jpg", "thumb.png"]])
    #expect(try summaries(library, lookingUp: []).map { try $0.get().attachmentNames } == [[], [], []])
    // More names than are looked up one by one.
    let names = Recipe.attachmentNames + (1...5).map { "other\($0)" }
    let attachmentNames = try summaries(library, lookingUp: names).map { try $0.get().attachmentNames }
    #expect(attachmentNames == found.map(\.attachmentNames))

    let document = try library.document(1)
    try document.setData(Recipe("Unsaved"))
    library.readSummaries(of: [document]) { _, summary in
      #expect((try? summary.get().stored.model.name) == "Soup")
    }
    #expect(document.hasChanges)
  }

  @Test("have the errors of the documents' properties", arguments: Place.allCases)
  func errors(_ place: Place) throws {
    let room = try place.room()
    try room.storage.makeFolder("1.recipe")
    try room.plant("2.recipe", data: Data("bplist00".utf8))
    try room.plant("3.recipe", "Large")
    try room.plant("4.recipe", "Removed")
    try room.plant("5.recipe", "Last", photo: "photo")
    var limits = LibraryLimits.default
    limits.maximumDataByteCount = 2000
    try room.plant("6.recipe", data: Data(count: 3000))
    let library = try room.library(limits: limits)
    let documents = try library.documents()
    try library.document(4).delete()
    var codes: [LibraryError.Code?] = []
    library.readSummaries(of: documents + [Document(in: library, Recipe("New"))]) { document, summary in
      do {
        _ = try summary.get()
        codes.append(nil)
      } catch {
        codes.append((error as? LibraryError)?.code)
        guard document.number != nil else { return }
        let other = #expect(throws: LibraryError.self) { try document.stored }
        #expect((error as? LibraryError)?.description == other?.description)
      }
    }
    #expect(codes == [.missingDataFile, .unreadableArchive, nil, .notFound, nil, .limitReached, .notSaved])
  }

  @Test("can have the largest limit", arguments: Place.allCases)
  func largestLimit(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(limits: LibraryLimits(maximumDataByteCount: .max, maximumAttachmentByteCount: .max))
    try library.addDocument(Recipe("Soup"), attachments: ["photo.jpg": Data("photo".utf8)])
    let found = try summaries(library).map { try $0.get() }
    #expect(found.map(\.stored.model.name) == ["Soup"] && found.map(\.attachmentNames) == [["photo.jpg"]])
  }

  @Test("take eight system calls for a document with two attachments")
  func calls() throws {
    let room = try Place.disk.room()
    for number in 1...9 {
      try room.plant(StorageName("\(number).recipe"), "R\(number)", photo: "photo")
      try room.storage.plant(.root / StorageName("\(number).recipe") / "thumb.png", Data("thumb".utf8))
    }
    let faulty = FaultyStorage(room.storage)
    let library = try DocumentLibrary<Recipe>(in: faulty)
    let documents = try library.documents()
    faulty.set()
    var count = 0
    library.readSummaries(of: documents) { _, summary in count += (try? summary.get()) == nil ? 0 : 1 }
    #expect(count == 9)
    // The folder stays open, so each call has no look-up of its own. Opening a file also takes a call for its status, and the
    // folder is closed at the end.
    let expected: [StorageError.Call] = [.open, .open, .read, .close, .status, .status]
    #expect(faulty.steps.map(\.call) == [.open] + Array(repeating: expected, count: 9).flatMap { $0 })
    let calls = 2 + expected.count
    #expect(calls <= 8)
  }

  @Test("look other names up with one listing, and only if one of the first is missing")
  func otherNames() throws {
    let room = try Place.disk.room()
    try room.plant("1.recipe", "Whole", photo: "photo")
    try room.storage.plant("1.recipe" / "thumb.png", Data("thumb".utf8))
    try room.plant("2.recipe", "Part", photo: "photo")
    let faulty = FaultyStorage(room.storage)
    let library = try DocumentLibrary<Recipe>(in: faulty)
    let documents = try library.documents()
    faulty.set()
    var found: [Set<String>] = []
    library.readSummaries(of: documents, lookingUp: ["photo.jpg", "thumb.jpg"], orElse: ["thumb.png"]) { _, summary in
      if let summary = try? summary.get() { found.append(summary.attachmentNames) }
    }
    #expect(found == [["photo.jpg", "thumb.png"], ["photo.jpg"]])
    #expect(faulty.steps.count { $0.call == .list } == 2)
    faulty.set()
    library.readSummaries(of: [documents[0]], lookingUp: ["photo.jpg", "thumb.png"], orElse: ["thumb.jpg"]) { _, _ in }
    #expect(!faulty.steps.contains { $0.call == .list })
  }

  @Test("are of one version if another process replaces the folder meanwhile", arguments: Place.allCases)
  func replaced(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library()
    let document = try library.addDocument(
      Recipe("Old"), attachments: ["photo.jpg": Data("old".utf8), "thumb.png": Data("old".utf8)])
    let number = try #require(document.number)
    for replaced in 0..<12 {
      let faulty = FaultyStorage(room.storage)
      let reader = try DocumentLibrary<Recipe>(in: faulty)
      let documents = try reader.documents()
      faulty.set()
      // The other process saves before one of the calls: both attachments, or neither.
      let isFull = replaced % 2 == 0
      faulty.beforeEachCall { [steps = CallCounter()] _, _ in
        guard steps.next() == replaced else { return }
        let bytes = isFull ? Data("new".utf8) : nil
        try? library.document(number).edit(attachments: ["photo.jpg": bytes, "thumb.png": bytes]) {
          $0.name = isFull ? "full" : "bare"
        }
      }
      reader.readSummaries(of: documents) { _, summary in
        guard let summary = try? summary.get() else { return #expect(Bool(false), "no summary") }
        let name = summary.stored.model.name
        #expect(summary.attachmentNames.count == (name == "bare" ? 0 : 2), "\(name) at \(replaced)")
      }
    }
  }
}

/// Counts calls.
private final class CallCounter: Sendable {
  private let count = Locked(0)

  func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}
