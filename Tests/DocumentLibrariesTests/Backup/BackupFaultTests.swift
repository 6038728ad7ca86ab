// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import TestSupport
import Testing
import ZipContainers

@Suite("Backups and failures")
struct BackupFaultTests {
  /// Every fifth call fails; with `WHOLE_TESTS`, each.
  @Test("a backup has or reports each entry at any failing call", arguments: Place.allCases)
  func writing(_ place: Place) throws {
    let room = try Wreck.small(place)
    let faulty = FaultyStorage(room.storage)
    let library = try DocumentLibrary<Recipe>(in: faulty)
    let content = try room.storage.content()
    faulty.set()
    let (whole, problems) = try library.backup()
    let steps = faulty.steps
    #expect(steps.count > 30)
    for (number, step) in steps.enumerated() where Sample.includes(number, each: 5) {
      faulty.set(.fails(at: number, .deviceError))
      do {
        let (file, found) = try library.backup()
        let missing = found.filter { !$0.isIncluded }.map(\.name)
        let target = try Place.memory.room()
        #expect(try target.library().importBackup(BackupSource(file), keepingNumbers: true).refused.isEmpty)
        let restored = try target.storage.content()
        for (path, bytes) in content where restored[path] != .some(bytes) && path != ".trash" {
          // A folder is in the backup if it is empty or has a file that is.
          let isReported = missing.contains {
            $0 == "." || path == $0 || path.hasPrefix("\($0)/") || (bytes == nil && $0.hasPrefix("\(path)/"))
          }
          #expect(isReported, "step \(number), \(step): \(path)")
        }
        #expect(restored.allSatisfy { content[$0.key] == .some($0.value) }, "step \(number), \(step)")
        #expect(missing.count <= 1)
      } catch {
        #expect((error as? LibraryError)?.code == .cannotRead, "step \(number), \(step): \(error)")
      }
      #expect(faulty.hasFailed && faulty.openCount == 0)
      faulty.set(.fails(at: number, .interrupted))
      let again = try library.backup()
      #expect(again.file == whole && again.problems.map(\.name) == problems.map(\.name), "step \(number), \(step)")
    }
    #expect(try room.storage.content() == content)
  }

  @Test(
    "an import restores each unit completely or not at any failing call, and the next one completes it",
    arguments: StorageAbilities.sample)
  func restoring(_ lacking: StorageAbilities) throws {
    let source = try Wreck.small(.memory)
    let (file, _) = try source.library().backup()
    let whole = try source.storage.content()
    let names = ["2.recipe", "5.recipe"]
    func restore(_ library: DocumentLibrary<Recipe>) throws -> ImportReport {
      try library.importBackup(BackupSource(file), keepingNumbers: true)
    }
    func steps() throws -> Int {
      let faulty = FaultyStorage(try Place.memory.room().storage, .lacks(lacking))
      let library = try DocumentLibrary<Recipe>(in: faulty)
      faulty.set(.lacks(lacking))
      #expect(try restore(library).refused.isEmpty)
      return faulty.steps.count
    }
    for number in Sample.calls(below: try steps(), each: 37, turn: lacking.turn) {
      for fault in [.fails(at: number, .deviceError), .failsFrom(number, .noSpace), .dies(at: number)]
        as [FaultyStorage.Fault]
      {
        let room = try Place.memory.room()
        let faulty = FaultyStorage(room.storage, .lacks(lacking))
        let library = try DocumentLibrary<Recipe>(in: faulty)
        faulty.set(fault, .lacks(lacking))
        var acknowledged: [String] = []
        do {
          let report = try restore(library)
          acknowledged = report.documents.map(\.source) + report.others
          #expect(acknowledged.count + report.refused.count == 4, "\(fault)")
          #expect(report.refused.allSatisfy { $0.error is LibraryError }, "\(fault)")
        } catch {
          #expect(error is LibraryError, "\(fault): \(error)")
        }
        #expect(faulty.hasFailed && faulty.openCount == 0, "\(fault)")
        // Another process opens the library.
        let next = try room.library()
        #expect(try room.storage.leftovers() == [], "\(fault)")
        let content = try room.storage.content()
        for name in Set(content.keys.map { String($0.split(separator: "/")[0]) }) where names.contains(name) {
          let unit = whole.filter { $0.key == name || $0.key.hasPrefix(name + "/") }
          #expect(content.filter { $0.key == name || $0.key.hasPrefix(name + "/") } == unit, "\(fault), \(name)")
        }
        #expect(acknowledged.allSatisfy { content[$0] != nil }, "\(fault)")
        let rest = try restore(next)
        #expect(rest.refused.isEmpty && rest.present.count >= acknowledged.count, "\(fault)")
        #expect(try room.storage.content() == whole, "\(fault)")
      }
    }
  }

  @Test(
    "an import keeps each acknowledged unit at any crash point, whatever the disk lacks",
    arguments: StorageAbilities.sample.filter { !$0.contains(.flushes) })
  func powerLoss(_ lacking: StorageAbilities) throws {
    let source = try Wreck.small(.memory)
    let (file, _) = try source.library().backup()
    let whole = try source.storage.content()
    let storage = PowerLossStorage(lacking: lacking)
    let library = try DocumentLibrary<Recipe>(in: storage)
    var acknowledged: [(stepCount: Int, unitCount: Int)] = []
    _ = try library.importBackup(
      BackupSource(file), keepingNumbers: true,
      progress: { acknowledged.append((storage.steps.count, acknowledged.count + 1)) })
    let order = ["2.recipe", "5.recipe", "readme.txt"]
    let losses = lacking.isEmpty ? FlushedDisk.Loss.allCases : [.allEntries, .bytesOnly]
    var disk = FlushedDisk()
    for (index, step) in storage.steps.enumerated() {
      disk.take(step)
      // Without `WHOLE_TESTS`, every 19th step. Each disk begins at another one.
      guard Sample.includes(index + lacking.turn, each: 19) else { continue }
      let done = acknowledged.last { $0.stepCount <= index + 1 }?.unitCount ?? 0
      for loss in losses {
        let after = try disk.afterPowerLoss(loss)
        let next = try DocumentLibrary<Recipe>(in: after)
        let content = try after.content()
        for (number, name) in order.enumerated() where content[name] != nil || number < done {
          let unit = whole.filter { $0.key == name || $0.key.hasPrefix(name + "/") }
          #expect(
            content.filter { $0.key == name || $0.key.hasPrefix(name + "/") } == unit, "\(loss) after \(step): \(name)")
        }
        if done == 4 { #expect(try next.trash() == ["6.recipe"], "\(loss) after \(step)") }
        // A repetition completes the import.
        let rest = try next.importBackup(BackupSource(file), keepingNumbers: true)
        #expect(try rest.refused.isEmpty && after.content() == whole, "\(loss) after \(step): \(rest.codes)")
      }
    }
    #expect(acknowledged.count == 4)
  }
}
