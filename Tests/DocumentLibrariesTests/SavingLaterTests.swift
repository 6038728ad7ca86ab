// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import SystemFiles
import Testing

@Suite("Deferred saving")
struct SavingLaterTests {
  private struct Fixture {
    let storage: FaultyStorage
    let document: Document<Recipe>

    init() throws {
      storage = FaultyStorage(MemoryStorage())
      document = try DocumentLibrary<Recipe>(in: storage).addDocument(Recipe("old"))
      storage.set()
    }

    var creations: Int { storage.steps.count { $0.call == .create } }
  }

  @Test("saves the last of many changes once")
  func once() async throws {
    let fixture = try Fixture()
    for round in 0..<50 {
      try fixture.document.setData(Recipe("round \(round)"))
      // Each call restarts the delay.
      fixture.document.saveLater(after: round < 49 ? .seconds(3600) : .milliseconds(20)) { Issue.record($0) }
    }
    let task = try #require(fixture.document.state.withLock { $0.delayedSave })
    await task.value
    #expect(!fixture.document.hasChanges)
    #expect(fixture.creations == 1)
    #expect(try fixture.document.library.document(1).data?.name == "round 49")
  }

  @Test("waits for any time", arguments: [Duration.seconds(Int64.max), .seconds(365 * 86_400)])
  func longest(_ delay: Duration) async throws {
    let fixture = try Fixture()
    try fixture.document.setData(Recipe("new"))
    fixture.document.saveLater(after: delay) { Issue.record($0) }
    // An overflow would end the process when the task begins.
    try await Task.sleep(for: .milliseconds(100))
    #expect(fixture.document.hasChanges && fixture.creations == 0)
    try fixture.document.save()
    #expect(fixture.creations == 1)
  }

  @Test("saves nothing after an immediate save")
  func savedMeanwhile() async throws {
    let fixture = try Fixture()
    try fixture.document.setData(Recipe("new"))
    fixture.document.saveLater(after: .milliseconds(20)) { Issue.record($0) }
    try fixture.document.save()
    let task = try #require(fixture.document.state.withLock { $0.delayedSave })
    await task.value
    #expect(fixture.creations == 1)
  }

  @Test("ignores a document that was deleted meanwhile")
  func deletedMeanwhile() async throws {
    let fixture = try Fixture()
    try fixture.document.setData(Recipe("new"))
    fixture.document.saveLater(after: .milliseconds(20)) { Issue.record($0) }
    let task = try #require(fixture.document.state.withLock { $0.delayedSave })
    try fixture.document.delete()
    await task.value
    #expect(try fixture.document.library.contents().numbers == [])
  }

  @Test("reports a failure and keeps the unsaved changes")
  func failure() async throws {
    let fixture = try Fixture()
    let failures = Locked<[LibraryError.Code?]>([])
    try fixture.document.setData(Recipe("new"))
    fixture.storage.set(.failsFrom(0, .noSpace))
    fixture.document.saveLater(after: .milliseconds(1)) { error in
      failures.withLock { $0.append((error as? LibraryError)?.code) }
    }
    let task = try #require(fixture.document.state.withLock { $0.delayedSave })
    await task.value
    #expect(failures.withLock { $0 } == [.diskFull])
    #expect(fixture.document.hasChanges)
    fixture.storage.set()
    try fixture.document.save()
    #expect(try fixture.document.library.document(1).data?.name == "new")
  }
}
