// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import TestSupport
import Testing

@Suite("Updates of several documents")
struct UpdateTests {
  private static let before = [Dish("one", photo: "p1"), Dish("two", photo: "p2"), Dish("three")]
  private static let after = [Dish("one!", photo: "p1"), Dish("two!", thumb: "t"), Dish("three")]

  private func prepare(_ library: DocumentLibrary<Recipe>) throws {
    for dish in Self.before { try library.addDocument(dish.recipe, attachments: dish.attachments) }
  }

  /// Edits the values of document 1, and the values and attachments of document 2.
  private func update(_ library: DocumentLibrary<Recipe>) throws {
    // With one flush for all, if the disk has it.
    try library.update(flushingAllFrom: 0) { update in
      update.edit(2, attachments: ["photo.jpg": nil, "thumb.png": Data("t".utf8)]) { $0.name = "two" }
      update.edit(1) { $0.name += "!" }
      update.edit(2) { $0.name += "!" }
    }
  }

  @Test("change all documents, each of which can be undone", arguments: Place.allCases)
  func all(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library()
    try prepare(library)
    try update(library)
    #expect(try library.documents().map { try Dish($0) } == Self.after)
    #expect(try room.storage.leftovers() == [])
    for number in [1, 2] as [DocumentNumber] { try library.undoLastSave(of: number) }
    #expect(try library.documents().map { try Dish($0) } == Self.before)
    #expect(try !library.document(3).hasFormerSave)
    try library.update { _ in }
    try library.update { $0.edit(3) { _ in } }
    #expect(try !library.document(3).hasFormerSave)
  }

  @Test("change nothing if an edit is refused", arguments: Place.allCases)
  func refused(_ place: Place) throws {
    struct Refusal: Error {}
    let room = try place.room()
    let library = try room.library()
    try prepare(library)
    let before = try room.storage.inventory().filter { $0.key != "." }
    let edits: [(inout LibraryUpdate<Recipe>) throws -> Void] = [
      { $0.edit(3) { $0.name = "Poison" } }, { $0.edit(3) { _ in throw Refusal() } }, { $0.edit(4) { _ in } },
      { $0.edit(3, attachments: ["film.mov": nil]) { _ in } }, { _ in throw Refusal() },
    ]
    for edit in edits {
      #expect(throws: (any Error).self) {
        try library.update { update in
          update.edit(1) { $0.name = "changed" }
          try edit(&update)
        }
      }
      #expect(try room.storage.inventory().filter { $0.key != "." } == before)
    }
  }

  @Test("of several threads lose no edit", arguments: Place.allCases)
  func threads(_ place: Place) async throws {
    let room = try place.room()
    try prepare(room.library())
    let storage = room.storage
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          do {
            let library = try DocumentLibrary<Recipe>(in: storage)
            for _ in 0..<10 {
              try library.update { update in
                for number in thread % 2 == 0 ? [1, 2, 3] : [3, 2, 1] as [DocumentNumber] {
                  update.edit(number) { $0.steps.append("\(thread)") }
                }
              }
              try library.document(2).edit { $0.steps.append("more") }
            }
          } catch {
            Issue.record("\(error)")
          }
        }
      }
    }
    let library = try room.library()
    #expect(try library.documents().map { try $0.data?.steps.count } == [40, 80, 40])
    #expect(try room.storage.leftovers() == [])
  }

  @Test(
    "are complete or not begun at any failing call and any end of the process, whatever the disk lacks",
    arguments: StorageAbilities.updateSample)
  func faults(_ lacking: StorageAbilities) throws {
    for step in Sample.calls(below: 400, each: 31, turn: lacking.turn) {
      var hasFailed = false
      // Flushes that the disk lacks do not matter for the other faults.
      let faults =
        [
          .fails(at: step, FaultTests.reasons[step % 4]), .failsFrom(step, .noSpace), .dies(at: step),
        ] as [FaultyStorage.Fault]
      for fault in lacking.contains(.flushes) ? Array(faults.suffix(1)) : faults {
        let room = try Place.memory.room()
        let storage = FaultyStorage(room.storage, .lacks(lacking))
        let library = try DocumentLibrary<Recipe>(in: storage)
        try prepare(library)
        storage.set(fault, .lacks(lacking))
        var code: LibraryError.Code?
        do {
          try update(library)
        } catch {
          code = try #require(error as? LibraryError, "\(fault)").code
        }
        if storage.hasFailed { hasFailed = true }
        #expect(storage.openCount == 0, "\(fault)")
        // Another process opens the library.
        let next = FaultyStorage(room.storage, .lacks(lacking))
        let found = try DocumentLibrary<Recipe>(in: next).documents().map { try Dish($0) }
        if case .dies = fault {
          #expect(code == nil ? found == Self.after : [Self.before, Self.after].contains(found), "\(fault): \(found)")
        } else {
          #expect(found == (code == nil || code == .incompleteUpdate ? Self.after : Self.before), "\(fault): \(found)")
        }
        if !lacking.contains(.locks) { #expect(try room.storage.leftovers() == [], "\(fault)") }
        #expect(next.openCount == 0, "\(fault)")
      }
      if !hasFailed { return #expect(step > 20) }
    }
    Issue.record("the update never came to its end")
  }

  @Test("are completed by the next change of each document, and later saves remain", arguments: Place.allCases)
  func laterChanges(_ place: Place) throws {
    var unfinished = 0
    for step in Sample.calls(below: 200, each: 5, turn: place == .memory ? 0 : 1) {
      let room = try place.room()
      let storage = FaultyStorage(room.storage)
      let library = try room.library()
      try prepare(library)
      storage.set(.dies(at: step))
      let dying = try? DocumentLibrary<Recipe>(in: storage, creating: false, sweeping: false)
      guard let dying, (try? update(dying)) != nil else {
        let isSaved = try room.storage.leftovers().contains { PendingUpdate.isUpdate(StorageName($0)) }
        if isSaved { unfinished += 1 }
        // A program that opened the library before.
        try library.document(1).edit { $0.name += "?" }
        let name = try library.document(1).data?.name
        #expect(isSaved ? name == "one!?" : ["one?", "one!?"].contains(name), "step \(step)")
        // Back to the former bytes: the update must not be repeated.
        try library.document(1).edit { $0.name = "one" }
        let reopened = try room.library()
        #expect(try reopened.document(1).data?.name == "one", "step \(step)")
        #expect(try Dish(reopened.document(2)) == (name == "one!?" ? Self.after : Self.before)[1], "step \(step)")
        #expect(try room.storage.leftovers() == [], "step \(step)")
        continue
      }
      return #expect(unfinished > Sample.count(3, of: 5))
    }
    Issue.record("the update never came to its end")
  }

  @Test("leave a document alone that another program changed in between")
  func otherPrograms() throws {
    let room = try Place.memory.room()
    try prepare(room.library())
    for step in 0..<200 {
      let storage = FaultyStorage(room.storage, .dies(at: step))
      guard let library = try? DocumentLibrary<Recipe>(in: storage, creating: false, sweeping: false) else { continue }
      try? update(library)
      if try room.storage.leftovers().contains(where: { PendingUpdate.isUpdate(StorageName($0)) }) { break }
    }
    try room.storage.removeFile("1.recipe" / "Data.plist")
    try room.storage.plant("1.recipe" / "Data.plist", Recipe.file("other"))
    #expect(
      try room.library().documents().map { try Dish($0) } == [Dish("other", photo: "p1")] + Self.after.dropFirst())
    #expect(try room.storage.leftovers() == [])
  }

  @Test(
    "are complete or not begun at any crash point, whatever the disk lacks",
    arguments: StorageAbilities.updateSample.filter { !$0.contains(.flushes) })
  func powerLoss(_ lacking: StorageAbilities) throws {
    let storage = PowerLossStorage(lacking: lacking)
    let library = try DocumentLibrary<Recipe>(in: storage)
    try prepare(library)
    let start = storage.steps.count
    try update(library)
    try storage.checkEachLoss(since: start, lacking: lacking, old: Self.before, new: Self.after) {
      try DocumentLibrary<Recipe>(in: $0).documents().map { try Dish($0) }
    }
  }

  /// The files that an update does not change are in the old folder, which a cleanup removes.
  @Test(
    "keep unchanged files when the process ends at any call, and the power is lost at any call of the next process",
    arguments: [[], .links, .exclusiveMoves, .exchanges, .wholeFlushes] as [StorageAbilities],
    [(true, true), (true, false), (false, true), (false, false)])
  func powerLossAfterDeath(
    _ lacking: StorageAbilities, _ saving: (isUpdate: Bool, keepsFormerSaves: Bool)
  ) throws {
    let (isUpdate, keepsFormerSaves) = saving
    let (old, new) = (Dish("one", photo: "p"), Dish("one!", photo: "p", thumb: "t"))
    for step in Sample.calls(below: 400, each: 61, turn: lacking.turn + (keepsFormerSaves ? 20 : 0)) {
      let storage = PowerLossStorage(lacking: lacking)
      try DocumentLibrary<Recipe>(in: storage).addDocument(old.recipe, attachments: old.attachments)
      let isComplete: Bool
      do {
        let library = try DocumentLibrary<Recipe>(
          in: FaultyStorage(storage, .dies(at: step)), sweeping: false, keepingFormerSaves: keepsFormerSaves)
        let attachments = ["thumb.png": Data?.some(Data("t".utf8))]
        if isUpdate {
          try library.update(flushingAllFrom: 0) { $0.edit(1, attachments: attachments) { $0.name += "!" } }
        } else {
          try library.document(1).edit(attachments: attachments) { $0.name += "!" }
        }
        isComplete = true
      } catch {
        isComplete = false
      }
      let start = storage.steps.count
      _ = try DocumentLibrary<Recipe>(in: storage)
      var disk = FlushedDisk()
      for (index, call) in storage.steps.enumerated() {
        disk.take(call)
        guard index >= start - 1 else { continue }
        for (number, loss) in FlushedDisk.Loss.all(lacking: lacking).enumerated()
        where Sample.includes(index + step + number, each: 5) {
          let found = try DocumentLibrary<Recipe>(in: disk.afterPowerLoss(loss)).documents().map { try Dish($0) }
          #expect(isComplete ? found == [new] : [[old], [new]].contains(found), "\(step), \(loss) after \(call)")
        }
      }
      if isComplete { return #expect(step > 20) }
    }
    Issue.record("the update never came to its end")
  }

  /// Completing an update of several files replaces the document's folder.
  @Test("leave the document locked while the operation that completed them continues", arguments: Place.allCases)
  func lockedAfterCompletion(_ place: Place) throws {
    let operations: [(DocumentLibrary<Recipe>, (Recipe) -> Void) throws -> Void] = [
      { library, check in try library.document(1).edit { check($0) } },
      { library, check in
        try withoutActuallyEscaping(check) { check in try library.update { $0.edit(1) { check($0) } } }
      },
      { library, check in
        try library.withDocumentToRead("1.recipe") { check(try library.readData("1.recipe").stored.model) }
      },
    ]
    for operation in operations {
      let room = try place.room()
      try room.plant("1.recipe", "one", photo: "p")
      let library = try room.library()
      let files = [("Data.plist", try Recipe.file("updated")), ("photo.jpg", Data("updated".utf8))] as FileChanges
      _ = try library.stage([(1, "1.recipe", files)], nil)
      var count = 0
      try operation(library) { recipe in
        count += 1
        #expect(recipe.name == "updated")
        // What another process tries meanwhile.
        do {
          let lock = try room.storage.lock("1.recipe", .exclusive)
          #expect(lock == nil)
          if let lock { try room.storage.close(lock.file) }
        } catch {
          Issue.record("\(error)")
        }
      }
      #expect(count == 1)
      #expect(try library.document(1).attachment("photo.jpg") == Data("updated".utf8))
    }
  }

  /// What a program that takes no locks does to document 1 after the update was saved.
  enum Interference: CaseIterable { case removes, changes }

  @Test(
    "name the documents that another program removed or changed meanwhile, and are saved in all others",
    arguments: [0, .max], Interference.allCases)
  func otherProgram(_ leastFlushedTogether: Int, _ interference: Interference) throws {
    let base = try Place.memory.room().storage
    let storage = FaultyStorage(base)
    let library = try DocumentLibrary<Recipe>(in: storage)
    try prepare(library)
    let other = try Recipe.file("other")
    storage.beforeEachCall { call, path in
      guard call == .move, let name = path.names.last, PendingUpdate.isUpdate(name) else { return }
      do {
        switch interference {
        case .removes: try StorageSteps(storage: base).removeAll("1.recipe")
        case .changes:
          try base.removeFile("1.recipe" / "Data.plist")
          try base.plant("1.recipe" / "Data.plist", other)
        }
      } catch {
        Issue.record("\(error)")
      }
    }
    let error = #expect(throws: LibraryError.self) {
      try library.update(flushingAllFrom: leastFlushedTogether) { update in
        for number in [1, 2] as [DocumentNumber] { update.edit(number) { $0.name += "!" } }
      }
    }
    #expect(error?.code == .partialUpdate && error?.path.hasSuffix("/1.recipe") ?? false)
    #expect(error?.detail.contains(": 1;") ?? false)
    let found = try library.documents().map { try $0.data?.name }
    #expect(found == (interference == .removes ? ["two!", "three"] : ["other", "two!", "three"]))
    #expect(try base.leftovers() == [])
  }

  @Test("change nothing if another program removes a document while edits run", arguments: Place.allCases)
  func removedDuringEdits(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library()
    try prepare(library)
    let error = #expect(throws: LibraryError.self) {
      try library.update { update in
        update.edit(1) { $0.name += "!" }
        update.edit(2) {
          $0.name += "!"
          try StorageSteps(storage: room.storage).removeAll("1.recipe")
        }
      }
    }
    #expect(error?.code == .notFound && error?.path.hasSuffix("/1.recipe") ?? false)
    #expect(try library.documents().map { try $0.data?.name } == ["two", "three"])
    #expect(try room.storage.leftovers() == [])
  }

  @Test("leave alone what another program changes while edits run", arguments: Place.allCases)
  func changedDuringEdits(_ place: Place) throws {
    for name in ["Data.plist", "photo.jpg"] {
      let room = try place.room()
      let library = try room.library()
      try prepare(library)
      let other = try name == "photo.jpg" ? Data("other".utf8) : Recipe.file("other")
      let error = #expect(throws: LibraryError.self) {
        try library.update { update in
          update.edit(1, attachments: ["photo.jpg": Data("new".utf8)]) { $0.name += "!" }
          update.edit(2) {
            $0.name += "!"
            try room.storage.removeFile("1.recipe" / StorageName(name))
            try room.storage.plant("1.recipe" / StorageName(name), other)
          }
        }
      }
      #expect(error?.code == .partialUpdate && error?.path.hasSuffix("/1.recipe") ?? false)
      #expect(try room.storage.bytes("1.recipe" / StorageName(name)) == other)
      #expect(try library.document(2).data?.name == "two!")
      #expect(try room.storage.leftovers() == [])
    }
  }

  @Test("that are incomplete are reported to observers", .notHanging)
  func noticesOfIncompleteUpdate() async throws {
    let storage = FaultyStorage(try Place.memory.room().storage)
    let library = try DocumentLibrary<Recipe>(in: storage)
    try prepare(library)
    var changes = try library.changes().makeAsyncIterator()
    storage.beforeEachCall { [unowned storage] call, path in
      guard call == .move, let name = path.names.last, PendingUpdate.isUpdate(name) else { return }
      storage.set(.refuses(.makeFolder, .noSpace))
    }
    let error = #expect(throws: LibraryError.self) {
      try library.update { update in
        update.edit(1) { $0.name += "!" }
        update.edit(2, attachments: ["thumb.png": Data("t".utf8)]) { $0.name += "!" }
      }
    }
    #expect(error?.code == .incompleteUpdate)
    #expect(try library.refresh() == [])
    #expect(await changes.next() == .changed(1))
  }

  /// The flushes of files, of folders and of the disk in an operation on 20 documents.
  private func flushes(
    lacking: StorageAbilities, photos: Bool = false, _ body: (DocumentLibrary<Recipe>) throws -> Void
  ) throws -> [Int] {
    let storage = FaultyStorage(try Place.memory.room().storage, .lacks(lacking))
    let library = try DocumentLibrary<Recipe>(in: storage)
    let attachments = photos ? ["photo.jpg": Data("old".utf8)] : [:]
    for number in 1...20 { try library.addDocument(Recipe("\(number)"), attachments: attachments) }
    storage.set(.lacks(lacking))
    try body(library)
    let calls = storage.steps.map(\.call)
    // Of three calls for the disk, the first only begins to watch it.
    return [.flush, .flushFolder, .flushAll].map { call in calls.count { $0 == call } }
  }

  private func edit(_ count: Int, _ library: DocumentLibrary<Recipe>) throws {
    try library.update { update in
      for number in 1...count { update.edit(DocumentNumber(integerLiteral: number)) { $0.name += "!" } }
    }
  }

  @Test("flush the disk twice and a folder twice, whatever their number")
  func sharedFlushes() throws {
    for lacking in [[], .exchanges, .exclusiveMoves, .locks] as [StorageAbilities] {
      #expect(try flushes(lacking: lacking) { try edit(20, $0) } == [0, 2, 3], "\(lacking)")
      #expect(try flushes(lacking: lacking) { try edit(8, $0) } == [0, 2, 3], "\(lacking)")
    }
    let photo = Data("new".utf8)
    let together = try flushes(lacking: [], photos: true) { library in
      try library.update { update in
        for number in 1...20 {
          update.edit(DocumentNumber(integerLiteral: number), attachments: ["photo.jpg": photo]) { $0.name += "!" }
        }
      }
    }
    // The new folder of each document is flushed before it gets its place.
    #expect(together == [0, 22, 3])
    // Few files are not worth it.
    #expect(try flushes(lacking: []) { try edit(7, $0) } == [7, 11, 0])
  }

  @Test("flush each new file once if the disk has links, each document's folder once, and four folders more")
  func flushes() throws {
    func update(_ library: DocumentLibrary<Recipe>) throws { try edit(20, library) }
    #expect(try flushes(lacking: .wholeFlushes, update) == [20, 24, 0])
    #expect(try flushes(lacking: .links, update) == [40, 24, 0])
    #expect(try flushes(lacking: [.links, .wholeFlushes], update) == [40, 24, 0])
    // Separate edits.
    let separate = try flushes(lacking: []) { library in
      for document in try library.documents() { try document.edit { $0.name += "!" } }
    }
    #expect(separate == [20, 20, 0])
  }

  @Test("of several files for each document flush each new file once, and two folders for each document")
  func flushesOfSeveralFiles() throws {
    let photo = Data("new".utf8)
    let together = try flushes(lacking: .wholeFlushes, photos: true) { library in
      try library.update { update in
        for number in 1...20 {
          update.edit(DocumentNumber(integerLiteral: number), attachments: ["photo.jpg": photo]) { $0.name += "!" }
        }
      }
    }
    #expect(together == [40, 44, 0])
  }

  @Test("are completed by a library with smaller limits", arguments: Place.allCases)
  func smallerLimits(_ place: Place) throws {
    let room = try place.room()
    let storage = FaultyStorage(room.storage)
    let library = try DocumentLibrary<Recipe>(in: storage)
    for name in ["one", "two"] {
      try library.addDocument(Recipe(name), attachments: ["photo.jpg": Data(count: 5000)])
    }
    storage.beforeEachCall { [unowned storage] call, path in
      guard call == .move, let name = path.names.last, PendingUpdate.isUpdate(name) else { return }
      storage.set(.refuses(.makeFolder, .noSpace))
    }
    #expect(throws: LibraryError.self) {
      try library.update { update in
        for number in [1, 2] as [DocumentNumber] {
          update.edit(number, attachments: ["photo.jpg": Data(count: 6000)]) { $0.name += "!" }
        }
      }
    }
    let limits = LibraryLimits(maximumDataByteCount: 2000, maximumAttachmentByteCount: 2000)
    let small = try DocumentLibrary<Recipe>(in: room.storage, limits: limits, sweeping: false)
    #expect(try small.document(1).data?.name == "one")
    try small.document(1).edit { $0.name += "?" }
    #expect(try small.document(1).data?.name == "one!?")
    try small.sweep()
    #expect(try room.library().documents().map { try $0.attachment("photo.jpg")?.count } == [6000, 6000])
    #expect(try room.storage.leftovers() == [])
    // An attachment that the library could not read can be replaced.
    try small.update { $0.edit(2, attachments: ["photo.jpg": Data("p".utf8)]) { _ in } }
    #expect(try small.document(2).attachment("photo.jpg") == Data("p".utf8))
  }
}

@Suite("Names of files of an update")
struct PendingUpdateNameTests {
  @Test("are parsed as they are written")
  func names() {
    typealias FileName = PendingUpdate.FileName
    let file = FileName(number: 7, former: 0x0123_4567_89AB_CDEF, file: "Data.plist", isRemoved: false)
    #expect(file.name == "7-0123456789abcdef=Data.plist" && FileName(file.name) == file)
    let removed = FileName(number: 0, former: 0, file: "a:b!", isRemoved: true)
    #expect(removed.name == "0-0000000000000000!a:b!" && FileName(removed.name) == removed)
    for name in [
      "", "7", "7-", "7-0123456789abcdef", "7-0123456789abcdef:", "7-0123456789abcdef:..", "7-0123456789abcde:x",
      "7-0123456789abcdefx", "07-0123456789abcdef:x", "-0123456789abcdef:x", "7-0123456789abcdeF:x",
      "7-0123456789abcdef:a/b",
    ] as [StorageName] {
      #expect(FileName(name) == nil, "\(name)")
    }
  }
}
