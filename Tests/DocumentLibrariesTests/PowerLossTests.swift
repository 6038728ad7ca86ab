// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import TestSupport
import Testing

@Suite("Power loss")
struct PowerLossTests {
  /// A moment between two operations: the number of calls so far, and the content of the library.
  private struct Moment {
    var stepCount: Int
    var dishes: [Dish]
    var trash: [String]
  }

  /// The recorded operations of a library.
  private func life(_ storage: PowerLossStorage) throws -> [Moment] {
    let library = try DocumentLibrary<Recipe>(in: storage)
    var moments: [Moment] = []
    func moment() throws {
      moments.append(
        Moment(stepCount: storage.steps.count, dishes: try dishes(library), trash: try library.trash()))
    }
    try moment()
    let first = try library.addDocument(
      Recipe("first"), attachments: Dish("", photo: "photo 1", thumb: "thumb 1").attachments)
    try storage.makeFolder("1.recipe" / "notes")
    try storage.plant("1.recipe" / "notes" / "mine.txt", Data("mine".utf8))
    try storage.flushFolder("1.recipe" / "notes")
    try storage.flushFolder("1.recipe")
    try moment()
    try library.addDocument(Recipe("second"))
    try moment()
    try first.edit { $0.name = "edited" }
    try moment()
    try first.setAttachment("photo.jpg", to: Data("photo 2".utf8))
    try first.save()
    try moment()
    try first.setData(Recipe("all new"))
    try first.setAttachment("photo.jpg", to: Data("photo 3".utf8))
    try first.setAttachment("thumb.png", to: Data("thumb 3".utf8))
    try first.save()
    try moment()
    try first.setAttachment("thumb.png", to: nil)
    try first.save()
    try moment()
    try first.edit(attachments: ["photo.jpg": Data("photo 4".utf8)]) { $0.name = "photographed" }
    try moment()
    try library.document(2).moveToTrash()
    try moment()
    try library.restore("2.recipe")
    try moment()
    try library.document(2).delete()
    try moment()
    try first.edit { $0.name = "last" }
    try moment()
    return moments
  }

  /// Without `WHOLE_TESTS`, one of the losses is tried between two operations, and at some of the other steps.
  private func check(_ storage: PowerLossStorage, _ lacking: StorageAbilities) throws {
    let moments = try life(storage)
    let steps = storage.steps
    #expect(steps.count > 60)
    var disk = FlushedDisk()
    for count in 0...steps.count {
      if count > 0 { disk.take(steps[count - 1]) }
      // The last acknowledged moment, and the next one.
      let done = moments.lastIndex { $0.stepCount <= count } ?? 0
      // The test's own file is not an operation of the library.
      if (moments[0].stepCount..<moments[1].stepCount).contains(count) { continue }
      let expected = [moments[done], moments[min(done + 1, moments.count - 1)]]
      let isMoment = moments[done].stepCount == count
      for (number, loss) in FlushedDisk.Loss.all(lacking: lacking).enumerated()
      where Sample.includes(count + lacking.turn + number, each: isMoment ? 6 : 31) {
        let library = try DocumentLibrary<Recipe>(in: disk.afterPowerLoss(loss))
        let found = try dishes(library)
        let last = count > 0 ? "\(steps[count - 1])" : ""
        #expect(expected.map(\.dishes).contains(found), "\(loss) after step \(count) \(last): \(found)")
        #expect(try library.storage.leftovers() == [])
        if moments[done].trash == expected[1].trash, loss == .allEntries || loss == .bytesOnly {
          #expect(try library.trash() == moments[done].trash, "\(loss) after step \(count)")
        }
        // The library remains usable.
        #expect(try library.addDocument(Recipe("after")).number != nil)
      }
    }
  }

  /// Each combination of operations that a disk may lack, except flushes: without them no save can outlast a power loss.
  @Test(
    "keeps every acknowledged save at any crash point, whatever the disk lacks",
    arguments: StorageAbilities.combinations.filter { !$0.contains(.flushes) })
  func power(_ lacking: StorageAbilities) throws {
    try check(PowerLossStorage(lacking: lacking), lacking)
  }

  @Test("keeps a new document completely or not at all")
  func creating() throws {
    let storage = PowerLossStorage()
    let library = try DocumentLibrary<Recipe>(in: storage)
    let dish = Dish("first", photo: "photo 1", thumb: "thumb 1")
    try library.addDocument(dish.recipe, attachments: dish.attachments)
    var disk = FlushedDisk()
    for step in storage.steps {
      disk.take(step)
      for loss in FlushedDisk.Loss.allCases {
        let found = try DocumentLibrary<Recipe>(in: disk.afterPowerLoss(loss)).documents().map { try Dish($0) }
        #expect(found == [] || found == [dish])
      }
    }
    #expect(
      try DocumentLibrary<Recipe>(in: disk.afterPowerLoss(.allEntries)).documents().map { try Dish($0) } == [dish])
  }
}
