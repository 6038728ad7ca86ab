// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import HarnessSupport
import KeyedArchiving
import Testing

@Suite("Costs of updates")
struct UpdateCostTests {
  /// The most by which ten times the documents may raise a time.
  private static let mostGrowth = 30.0

  private func library(_ count: Int, in room: Room) throws -> DocumentLibrary<Recipe> {
    // Files are written faster than documents are added.
    let data = try Recipe.file("Recipe")
    for number in 1...count { try room.plant(StorageName("\(number).recipe"), data: data) }
    return try room.library()
  }

  /// Leaves a complete update of all documents, as a process that ends before it changes them.
  private func leaveUpdate(_ library: DocumentLibrary<Recipe>) throws {
    var staged: [StagedDocument] = []
    for number in try library.contents().numbers {
      let new = try KeyedArchiver.archivedData(withRootObject: Recipe("new \(number)"), requiringSecureCoding: true)
      staged.append((number, try library.folderName(of: number), [(StorageName(Recipe.dataFileName), new)]))
    }
    _ = try library.stage(staged, nil)
  }

  private func expectSlowGrowth(_ time: (_ count: Int) throws -> Double) throws {
    let (few, many) = (try time(80), try time(800))
    #expect(many < Self.mostGrowth * few, "80 documents: \(few) s, 800: \(many) s")
  }

  @Test("grow about as the number of documents does")
  func updating() throws {
    try expectSlowGrowth { count in
      let library = try library(count, in: Place.memory.room())
      let numbers = try library.contents().numbers
      return try System.leastTime(of: count > 100 ? 1 : 3) {
        try library.update { update in
          for number in numbers { update.edit(number) { $0.steps.append("Serve") } }
        }
      }
    }
  }

  @Test("grow about as the number of documents does when the next opening completes an update")
  func completing() throws {
    try expectSlowGrowth { count in
      let room = try Place.memory.room()
      try leaveUpdate(library(count, in: room))
      let time = try System.leastTime(of: 1) { _ = try room.library() }
      #expect(try room.library().document(7).data == Recipe("new 7"))
      #expect(try room.storage.leftovers() == [])
      return time
    }
  }

  @Test("grow about as the number of documents does when another update completes an update")
  func updatingAgain() throws {
    try expectSlowGrowth { count in
      let room = try Place.memory.room()
      let library = try library(count, in: room)
      try leaveUpdate(library)
      let numbers = try library.contents().numbers
      let time = try System.leastTime(of: 1) {
        try library.update { update in
          for number in numbers { update.edit(number) { $0.steps.append("Serve") } }
        }
      }
      #expect(try library.document(7).data == Recipe("new 7", ["Serve"]))
      #expect(try room.storage.leftovers() == [])
      return time
    }
  }
}
