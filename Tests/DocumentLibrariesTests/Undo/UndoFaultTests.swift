// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import TestSupport
import Testing

@Suite("Former saves and failures")
struct UndoFaultTests {
  /// The saves of ``UndoableChange``, and an undo.
  struct Save: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var savingAll: Bool
    /// Nil for an undo.
    var change: UndoableChange?

    /// Each save on each disk of a sample; without `WHOLE_TESTS`, a fifth of the pairs.
    static func pairs(_ disks: [StorageAbilities]) -> [(Save, StorageAbilities)] {
      Sample.cases(all.flatMap { save in disks.map { (save, $0) } }, each: 5)
    }

    static let all =
      zip(UndoableChange.all, [true, false, true, false, true]).map {
        Save(testDescription: $0.testDescription, savingAll: $1, change: $0)
      } + [true, false].map { Save(testDescription: "undo", savingAll: $0, change: nil) }

    var old: UndoState { UndoState(now: UndoableChange.before, former: UndoableChange.first(savingAll: savingAll)) }
    var new: UndoState {
      UndoState(now: change?.after ?? UndoableChange.first(savingAll: savingAll), former: UndoableChange.before)
    }

    func run(_ library: DocumentLibrary<Recipe>) throws {
      if let change { try change.run(library.document(1)) } else { try library.undoLastSave(of: 1) }
    }
  }

  /// Calls fail on a disk that lacks nothing; with `WHOLE_TESTS`, on each. The process ends on each. Without, some
  /// calls are tried, others on each disk.
  @Test(
    "have the save before the last one at any failing call and any end of the process, whatever the disk lacks",
    arguments: Save.pairs(StorageAbilities.sample))
  func faults(_ save: Save, _ lacking: StorageAbilities) throws {
    let reasons = FaultTests.reasons
    for step in Sample.calls(below: 400, each: 47, turn: lacking.turn) {
      var hasFailed = false
      var faults: [FaultyStorage.Fault] = [.dies(at: step)]
      // Flushes that the disk lacks do not matter for the other faults.
      if lacking.isEmpty || (Sample.isWhole && !lacking.contains(.flushes)) {
        faults += [.fails(at: step, reasons[step % reasons.count]), .failsFrom(step, .noSpace)]
      }
      for fault in faults {
        let room = try Place.memory.room()
        let storage = FaultyStorage(room.storage, .lacks(lacking))
        let library = try DocumentLibrary<Recipe>(in: storage)
        try UndoableChange.prepare(library, savingAll: save.savingAll)
        storage.set(fault, .lacks(lacking))
        let succeeded = (try? save.run(library)) != nil
        if storage.hasFailed { hasFailed = true }
        #expect(storage.openCount == 0, "\(fault)")
        // Another process opens the library.
        let next = FaultyStorage(room.storage, .lacks(lacking))
        let found = try UndoState(of: DocumentLibrary(in: next))
        if succeeded {
          #expect(found == save.new, "\(fault)")
        } else if case .dies = fault {
          #expect([save.old, save.new].contains(found), "\(fault): \(found)")
        } else {
          #expect(found == save.old, "\(fault): \(found)")
        }
        // Nothing remains of an unfinished save after the next one.
        try DocumentLibrary<Recipe>(in: next).document(1).edit { $0.name = "last" }
        let kept = try room.storage.names("1.recipe").compactMap { FormerFileName(StorageName($0)) }
        #expect(kept.count == 1 && kept.first?.kind == .previous, "\(fault): \(kept)")
        #expect(next.openCount == 0, "\(fault)")
      }
      if !hasFailed { return #expect(step > 5) }
    }
    Issue.record("the save never came to its end")
  }

  @Test(
    "have the save before the last one at any crash point, whatever the disk lacks",
    arguments: Save.pairs(StorageAbilities.sample.filter { !$0.contains(.flushes) }))
  func powerLoss(_ save: Save, _ lacking: StorageAbilities) throws {
    let storage = PowerLossStorage(lacking: lacking)
    let library = try DocumentLibrary<Recipe>(in: storage)
    try UndoableChange.prepare(library, savingAll: save.savingAll)
    let start = storage.steps.count
    try save.run(library)
    try storage.checkEachLoss(since: start, lacking: lacking, old: save.old, new: save.new) {
      try UndoState(of: DocumentLibrary(in: $0))
    }
  }
}
