// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TestSupport
import Testing
import TypedDefaults
import TypedDefaultsFoundation
import TypedDefaultsTesting

@Suite("StoreConformance")
struct StoreConformanceTests {
  /// A machine can be busy with other tests for many minutes.
  private static let patience = Duration.seconds(3600)

  @Test("MemoryStore conforms", arguments: StoreConformance.checks)
  func memory(_ check: StoreConformance.Check) async throws {
    try await check.run(within: Self.patience) { MemoryStore() }
  }

  @Test("FileStore with written changes conforms", arguments: StoreConformance.checks)
  func file(_ check: StoreConformance.Check) async throws {
    let location = try StoreLocation()
    try await check.run(within: Self.patience) { try location.store(.written) }
  }

  @Test("FileStore with synced changes conforms", arguments: StoreConformance.checks)
  func synced(_ check: StoreConformance.Check) async throws {
    let location = try StoreLocation()
    try await check.run(within: Self.patience) { try location.store(.synced) }
  }

  @Test("FileStore with deferred changes conforms", arguments: StoreConformance.checks)
  func deferred(_ check: StoreConformance.Check) async throws {
    let location = try StoreLocation()
    try await check.run(within: Self.patience) { try location.store(.deferred(.milliseconds(5))) }
    #expect(location.reported == [])
  }

  @Test("FileStore with an XML file conforms", arguments: StoreConformance.checks)
  func xml(_ check: StoreConformance.Check) async throws {
    let location = try StoreLocation()
    var options = location.options()
    options.format = .xml
    try await check.run(within: Self.patience) { try FileStore(at: location.url, options: options) }
  }

  @Test("LayeredStore conforms", arguments: StoreConformance.checks)
  func layered(_ check: StoreConformance.Check) async throws {
    try await check.run(within: Self.patience) { LayeredStore(MemoryStore(), over: MemoryStore()) }
    try await check.run(within: Self.patience) {
      LayeredStore(MemoryStore(), over: MemoryStore(), changing: .overrides)
    }
  }

  @Test("a store that reports changes later conforms", arguments: StoreConformance.checks)
  func queued(_ check: StoreConformance.Check) async throws {
    try await check.run(within: Self.patience) { QueuedStore() }
  }

  @Test(
    "a store that reports a change twice, the second time later, fails",
    arguments: [
      "a change has the old value, the new value and the origin", "a transaction is reported once",
      "changes of an ignored origin are not reported",
    ])
  func reportingTwice(_ name: String) async throws { try await expectFailure(of: name, with: .twice) }

  @Test(
    "a store that reports changes after the end of an observation fails",
    arguments: [
      "an observation ends when it is canceled or released", "an observation can be canceled by its own handler",
    ])
  func reportingAfterEnd(_ name: String) async throws { try await expectFailure(of: name, with: .afterEnd) }

  @Test("a store that reports no changes fails after the time limit", .notHanging)
  func silent() async throws {
    let name = "two observers that trigger each other do not deadlock"
    let check = try #require(StoreConformance.checks.first { $0.description == name })
    await #expect(throws: StoreConformance.Failure.self) {
      try await check.run(within: .milliseconds(50)) { QueuedStore(.silent) }
    }
  }

  private func expectFailure(of name: String, with fault: QueuedStore.Fault) async throws {
    let check = try #require(StoreConformance.checks.first { $0.description == name })
    await #expect(throws: StoreConformance.Failure.self) {
      try await check.run(within: Self.patience) { QueuedStore(fault) }
    }
  }

  @Test("RecordingStore conforms", arguments: StoreConformance.checks)
  func recording(_ check: StoreConformance.Check) async throws {
    try await check.run(within: Self.patience) { RecordingStore() }
  }

  /// The files of `UserDefaults` cannot hold these outside of Apple's systems, so no check of all stores has them.
  @Test(
    "MemoryStore and FileStore hold negative zero and values that are not numbers", arguments: [-0.0, .nan, -.infinity])
  func unusualNumbers(_ number: Double) throws {
    let location = try StoreLocation()
    for store in [MemoryStore(), try location.store(.written)] as [any DefaultsStore] {
      try store.setRawValue(.double(number), for: "number")
      try store.refresh()
      #expect(store.rawValue(for: "number") == .double(number), "\(store)")
    }
    #expect(try location.store(.written).rawValue(for: "number") == .double(number))
  }

  @Test("UserDefaultsStore conforms", .serialized, arguments: StoreConformance.checks)
  func userDefaults(_ check: StoreConformance.Check) async throws {
    let suite = ScratchSuite()
    try await check.run(within: Self.patience) { try #require(UserDefaultsStore(suiteName: suite.name)) }
    withExtendedLifetime(suite) {}
  }

  @Test("a store that is not empty fails")
  func failing() async throws {
    await #expect(throws: StoreConformance.Failure.self) {
      let store = MemoryStore(["left": 1])
      try await StoreConformance.run { store }
    }
  }
}
