// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import SystemFiles
import TestSupport
import Testing

/// A document that is saved back to exactly its former content after an update looks as if the update had not reached it.
@Suite("Updates are not repeated")
struct UpdateRepetitionTests {
  private static let disks = StorageAbilities.updateSample.filter { $0.isDisjoint(with: [.flushes, .locks]) }

  private func prepare(_ library: DocumentLibrary<Recipe>) throws {
    for name in ["one", "two"] { try library.addDocument(Recipe(name)) }
  }

  private func update(_ library: DocumentLibrary<Recipe>) throws {
    try library.update(flushingAllFrom: 0) { update in
      for number in [1, 2] as [DocumentNumber] { update.edit(number) { $0.name += "!" } }
    }
  }

  /// Runs `body` in a process that ends before its call with this number.
  /// - Returns: Whether it came to its end.
  private func run(
    dyingAt step: Int, _ storage: PowerLossStorage, _ body: (DocumentLibrary<Recipe>) throws -> Void
  ) -> Bool {
    let dying = FaultyStorage(storage, .dies(at: step))
    let library = try? DocumentLibrary<Recipe>(in: dying, creating: false, sweeping: false)
    guard let library else { return false }
    return (try? body(library)) != nil
  }

  /// A disk with two documents after an update that ended before its call with this number.
  private func endedUpdate(_ step: Int, _ lacking: StorageAbilities) throws -> (storage: PowerLossStorage, Bool) {
    let storage = PowerLossStorage(lacking: lacking)
    try prepare(DocumentLibrary<Recipe>(in: storage))
    return (storage, run(dyingAt: step, storage, update))
  }

  /// What ``lastStep(_:)`` found for a disk.
  private static let lastSteps = Locked<[StorageAbilities.RawValue: Int]>([:])

  /// The last call of an update before which its folder still has its name.
  private func lastStep(_ lacking: StorageAbilities) throws -> Int {
    if let known = Self.lastSteps.withLock({ $0[lacking.rawValue] }) { return known }
    let whole = PowerLossStorage(lacking: lacking)
    try prepare(DocumentLibrary<Recipe>(in: whole))
    let counting = FaultyStorage(whole)
    try update(DocumentLibrary<Recipe>(in: counting, creating: false, sweeping: false))
    let found = try (0..<counting.steps.count).last { step in
      let (storage, _) = try endedUpdate(step, lacking)
      guard try storage.leftovers().contains(where: { PendingUpdate.isUpdate(StorageName($0)) }) else { return false }
      return try storage.bytes("2.recipe" / "Data.plist") == Recipe.file("two!")
    }
    let last = try #require(found)
    Self.lastSteps.withLock { $0[lacking.rawValue] = last }
    return last
  }

  /// Saves the former content of document 1, and checks that it is there after any power loss.
  private func saveBack(
    _ storage: PowerLossStorage, _ lacking: StorageAbilities, _ comment: Comment,
    with library: DocumentLibrary<Recipe>? = nil
  ) throws {
    let library = try library ?? DocumentLibrary<Recipe>(in: storage, sweeping: false)
    try library.document(1).edit { $0 = Recipe("one") }
    #expect(try storage.bytes("1.recipe" / "Data.plist") == Recipe.file("one"))
    var disk = FlushedDisk()
    for step in storage.steps { disk.take(step) }
    for loss in FlushedDisk.Loss.all(lacking: lacking) {
      let after = try DocumentLibrary<Recipe>(in: disk.afterPowerLoss(loss))
      #expect(try after.document(1).data?.name == "one", "\(loss), \(comment)")
    }
    // The library itself is opened later.
    let reopened = try DocumentLibrary<Recipe>(in: storage)
    #expect(try reopened.document(1).data?.name == "one", "\(comment)")
    #expect(try storage.leftovers() == [], "\(comment)")
  }

  @Test("after an end of the process at any call, a save of the former content, and a power loss", arguments: disks)
  func update(_ lacking: StorageAbilities) throws {
    for step in Sample.calls(below: 400, each: 31, turn: lacking.turn) {
      let (storage, isComplete) = try endedUpdate(step, lacking)
      try saveBack(storage, lacking, "step \(step)")
      if isComplete { return #expect(step > 20) }
    }
    Issue.record("the update never came to its end")
  }

  @Test(
    "after an end of the next change or cleanup at any call, and a power loss",
    arguments: disks.filter { Sample.isWhole || $0.isSubset(of: .links) || $0 == .wholeFlushes })
  func nextChange(_ lacking: StorageAbilities) throws {
    let changes: [(DocumentLibrary<Recipe>) throws -> Void] = [
      { try $0.document(1).edit { $0.steps = ["more"] } }, { try $0.document(2).edit { $0.name = "two" } },
      { _ = try $0.sweep() }, update,
    ]
    let last = try lastStep(lacking)
    for change in changes {
      for step in Sample.calls(below: 400, each: 31, turn: lacking.turn) {
        let (storage, _) = try endedUpdate(last, lacking)
        let isComplete = run(dyingAt: step, storage, change)
        try saveBack(storage, lacking, "step \(step)")
        guard !isComplete else {
          #expect(step > 5)
          break
        }
        #expect(step < 390)
      }
    }
  }

  @Test("if another process discards them while a document is being changed", arguments: disks)
  func concurrentDiscard(_ lacking: StorageAbilities) throws {
    let last = try lastStep(lacking)
    for call in [.list, .open, .removeFile, .flushFolder] as [StorageError.Call] {
      let (base, _) = try endedUpdate(last, lacking)
      let name = try #require(base.leftovers().first { PendingUpdate.isUpdate(StorageName($0)) })
      let path = WorkFolder.path / StorageName(name)
      let hasMoved = Locked(false)
      let storage = FaultyStorage(base)
      let library = try DocumentLibrary<Recipe>(in: storage, creating: false, sweeping: false)
      storage.beforeEachCall { next, place in
        guard next == call, place.names.starts(with: path.names), !hasMoved.withLock({ $0 }) else { return }
        hasMoved.withLock { $0 = true }
        #expect(throws: Never.self) { try base.move(path, to: PendingUpdate.newFinishedPath(), .replacing) }
      }
      try saveBack(base, lacking, "\(call)", with: library)
      #expect(hasMoved.withLock { $0 }, "\(call)")
    }
  }

  @Test("if another process finishes a document and saves its former content after an opening listed the update")
  func changedSinceListing() throws {
    let room = try Place.memory.room()
    let library = try room.library()
    let photo = Data("photo".utf8)
    for name in ["one", "two"] { try library.addDocument(Recipe(name), attachments: ["photo.jpg": photo]) }
    var staged: [StagedDocument] = []
    for number in try library.contents().numbers {
      staged.append((number, try library.folderName(of: number), [("photo.jpg", nil)]))
    }
    _ = try library.stage(staged, nil)
    let opening = FaultyStorage(room.storage)
    let isFirst = Locked(true)
    opening.beforeEachCall { call, path in
      // The opening begins with document 1.
      guard call == .lock, path == "1.recipe" else { return }
      let isNow = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      guard isNow else { return }
      do {
        try library.document(2).edit(attachments: ["photo.jpg": photo]) { _ in }
      } catch {
        Issue.record("\(error)")
      }
    }
    _ = try DocumentLibrary<Recipe>(in: opening)
    #expect(!isFirst.withLock { $0 })
    #expect(try library.document(1).attachment("photo.jpg") == nil)
    #expect(try library.document(2).attachment("photo.jpg") == photo)
    #expect(try room.storage.leftovers() == [])
  }
}
