// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TestSupport
import Testing
import TypedDefaults
import TypedDefaultsTesting

@Suite("Stores")
struct StoreTests {
  @Test("ObservedValues reports all changes of a writer once")
  func observedValues() throws {
    let values = ObservedValues(["a": 1])
    let recorder = ValueRecorder<DefaultsChanges>()
    let token = values.observe(nil, initial: false, ignoring: nil) { recorder.add($0) }
    try values.write { writer in
      writer.set(2, for: "a", origin: "me")
      writer.set([("b", 3), ("c", 4), ("b", 5), ("none", nil)], origin: "me")
      #expect(recorder.all.isEmpty)
    }
    #expect(values.rawValue(for: "a") == 2 && values.rawValue(for: "b") == 5 && values.rawValue(for: "none") == nil)
    #expect(recorder.all.count == 1 && recorder.all[0].keys == ["a", "b", "c"])
    #expect(recorder.all[0]["a"]?.old == 1 && recorder.all[0]["a"]?.origin == "me")
    try values.write { $0.replace(["a": 2], origin: .external) }
    #expect(values.snapshot().keys == ["a"])
    #expect(recorder.all.last?.keys == ["b", "c"])
    withExtendedLifetime(token) {}
  }

  @Test("ChangeOrigin is equal by its name")
  func origins() {
    #expect("\(ChangeOrigin("sync"))" == "sync" && ChangeOrigin("sync") == "sync" && ChangeOrigin("sync") != .program)
  }

  @Test("LayeredStore forwards reported errors to the changed store")
  func reports() {
    let recorder = ValueRecorder<DefaultsError>()
    let memory = MemoryStore(reports: { recorder.add($0) })
    let recording = RecordingStore(memory)
    LayeredStore(recording, over: MemoryStore(), changing: .overrides).report(DefaultsError(.busy, "first"))
    LayeredStore(MemoryStore(), over: recording).report(DefaultsError(.damaged, "second"))
    #expect(recorder.all.map(\.code) == [.busy, .damaged])
    // A layered store reads the values of its layers when it is created.
    #expect(recording.calls.filter { $0 != .snapshot } == [.report(.busy), .report(.damaged)])
    // A copy reports to its original while that exists.
    MemoryStore(copying: memory).report(DefaultsError(.undecodable, "third"))
    #expect(recorder.all.map(\.detail) == ["first", "second", "third"])
  }

  @Test("LayeredStore refreshes and flushes both stores, also if the first one fails")
  func layersThatFail() throws {
    let recording = RecordingStore()
    for store in [LayeredStore(RefusingStore(), over: recording), LayeredStore(recording, over: RefusingStore())] {
      #expect(throws: RefusingStore.Refused.refreshing) { try store.refresh() }
      #expect(throws: RefusingStore.Refused.flushing) { try store.flush() }
    }
    #expect(recording.calls.filter { $0 == .refresh || $0 == .flush } == [.refresh, .flush, .refresh, .flush])
  }

  @Test("RecordingStore records calls with their values")
  func recording() throws {
    let store = RecordingStore(MemoryStore(["a": 1, "b": 2]))
    try store.update(origin: "me") {
      $0.setRawValue(3, for: "a")
      $0.setRawValue(nil, for: "b")
    }
    _ = store.rawValue(for: "a")
    try store.refresh()
    try store.flush()
    #expect(store.calls == [.update(["a": 3, "b": nil], "me"), .read("a"), .refresh, .flush])
  }

  @Test("a value that files cannot hold does not block deferred writes")
  func unwritableLater() throws {
    let location = try StoreLocation()
    let store = try location.store(.deferred(.seconds(1000)))
    let deep = (0..<600).reduce(PropertyListValue.integer(1)) { value, _ in [value] }
    #expect(throws: DefaultsError.self) { try store.setRawValue(deep, for: "a") }
    #expect(throws: DefaultsError.self) { try store.update { $0.setRawValue(deep, for: "a") } }
    try store.setRawValue(1, for: "b")
    try store.flush()
    #expect(try location.store().snapshot().values == ["b": 1])
  }

  @Test("a value that files cannot hold leaves the file unchanged")
  func unwritable() throws {
    let location = try StoreLocation()
    let store = try location.store()
    try store.setRawValue(1, for: "a")
    let before = try Data(contentsOf: location.url)
    let deep = (0..<600).reduce(PropertyListValue.integer(1)) { value, _ in [value] }
    let error = #expect(throws: DefaultsError.self) { try store.setRawValue(deep, for: "a") }
    #expect(error?.code == .cannotWrite && error?.path == location.url.path && error?.key == "a")
    #expect(error?.description.contains("a file cannot hold the value: ") == true)
    #expect(try Data(contentsOf: location.url) == before && store.rawValue(for: "a") == 1)
  }

  @Test("a store in memory refuses what no file can hold")
  func unwritableInMemory() throws {
    let store = MemoryStore(["a": 1])
    let deep = (0..<600).reduce(PropertyListValue.integer(1)) { value, _ in [value] }
    let error = #expect(throws: DefaultsError.self) { try store.setRawValue(deep, for: "a") }
    #expect(error?.code == .cannotWrite && error?.key == "a")
    #expect(throws: DefaultsError.self) { try store.update { $0.setRawValue(deep, for: "b") } }
    #expect(store.snapshot().values == ["a": 1])
  }

  @Test("RecordingStore records keys that only look equal, as the store has them")
  func recordingOfForms() throws {
    let store = RecordingStore()
    try store.update {
      $0.setRawValue(1, for: "é")
      $0.setRawValue(2, for: "e\u{301}")
    }
    #expect(store.calls == [.update(["e\u{301}": 2, "é": 1], .program)])
    #expect(store.calls != [.update(["é": 1], .program)])
    guard case .update(let changes, _) = store.calls.first else {
      Issue.record("an update is expected")
      return
    }
    #expect(changes.count == 2 && changes["é"] == 1 && changes["e\u{301}"] == 2 && changes["x"] == nil)
  }
}
