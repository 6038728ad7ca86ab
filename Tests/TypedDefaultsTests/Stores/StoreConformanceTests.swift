// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TestSupport
import Testing
import TypedDefaults
import TypedDefaultsFoundation
import TypedDefaultsTesting

@Suite("What every store must do is done by")
struct StoreConformanceTests {
  @Test("a store in memory", arguments: StoreConformance.checks)
  func memory(_ check: StoreConformance.Check) async throws { try await check.run { MemoryStore() } }

  @Test("a store with a file", arguments: StoreConformance.checks)
  func file(_ check: StoreConformance.Check) async throws {
    let place = try Place()
    try await check.run { try place.store(.written) }
  }

  @Test("a store with a file that waits for the disk", arguments: StoreConformance.checks)
  func synced(_ check: StoreConformance.Check) async throws {
    let place = try Place()
    try await check.run { try place.store(.synced) }
  }

  @Test("a store that writes its file later", arguments: StoreConformance.checks)
  func deferred(_ check: StoreConformance.Check) async throws {
    let place = try Place()
    try await check.run { try place.store(.deferred(.milliseconds(5))) }
    #expect(place.reported == [])
  }

  @Test("a store with an XML file", arguments: StoreConformance.checks)
  func xml(_ check: StoreConformance.Check) async throws {
    let place = try Place()
    var options = place.options()
    options.format = .xml
    // Control characters are the one thing that XML has no form for.
    try await check.run { try FileStore(at: place.url, options: options) }
  }

  @Test("a store over another", arguments: StoreConformance.checks)
  func layered(_ check: StoreConformance.Check) async throws {
    try await check.run { LayeredStore(MemoryStore(), over: MemoryStore()) }
    try await check.run { LayeredStore(MemoryStore(), over: MemoryStore(), changing: .overrides) }
  }

  @Test("a store that notes what is done", arguments: StoreConformance.checks)
  func recording(_ check: StoreConformance.Check) async throws { try await check.run { RecordingStore() } }

  @Test("Foundation's UserDefaults", .serialized, arguments: StoreConformance.checks)
  func userDefaults(_ check: StoreConformance.Check) async throws {
    let suite = ScratchSuite()
    try await check.run { try #require(UserDefaultsStore(suiteName: suite.name)) }
    withExtendedLifetime(suite) {}
  }

  @Test("and a store that does not is found out")
  func failing() async throws {
    await #expect(throws: StoreConformance.Failure.self) {
      let store = MemoryStore(["left": 1])
      try await StoreConformance.run { store }
    }
  }
}
