// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import Synchronization
import Testing

@Suite("Saving later")
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

  /// Waits for something that other tests on a busy machine may delay.
  private func wait(for condition: () -> Bool) async throws {
    for _ in 0..<6000 where !condition() { try await Task.sleep(for: .milliseconds(10)) }
    #expect(condition())
  }

  @Test("many changes in a row are one save, of the last values")
  func once() async throws {
    let fixture = try Fixture()
    // Each call begins the wait anew; if this were slower than the delay, there might be more saves than one.
    for round in 0..<50 {
      try fixture.document.setData(Recipe("round \(round)"))
      fixture.document.saveLater(after: .seconds(2)) { Issue.record($0) }
    }
    #expect(fixture.creations == 0)
    try await wait { !fixture.document.hasChanges }
    #expect(fixture.creations == 1)
    #expect(try fixture.document.library.document(1).data?.name == "round 49")
  }

  @Test("saving at once leaves nothing to be saved later")
  func savedMeanwhile() async throws {
    let fixture = try Fixture()
    try fixture.document.setData(Recipe("new"))
    fixture.document.saveLater(after: .milliseconds(20)) { Issue.record($0) }
    try fixture.document.save()
    let task = try #require(fixture.document.state.withLock { $0.delayedSave })
    await task.value
    #expect(fixture.creations == 1)
  }

  @Test("a document that was deleted meanwhile is not brought back, and that is no failure")
  func deletedMeanwhile() async throws {
    let fixture = try Fixture()
    try fixture.document.setData(Recipe("new"))
    fixture.document.saveLater(after: .milliseconds(20)) { Issue.record($0) }
    let task = try #require(fixture.document.state.withLock { $0.delayedSave })
    try fixture.document.delete()
    await task.value
    #expect(try fixture.document.library.contents().numbers == [])
  }

  @Test("a failure is told, and what was set can be saved again")
  func failure() async throws {
    let fixture = try Fixture()
    let failures = Mutex<[LibraryError.Code?]>([])
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
