// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing
import TypedDefaults
import TypedDefaultsTesting

@Suite("What stores are made of, and what they pass on")
struct StoreTests {
  @Test("values with one writer have observers, told once what was changed when that is over")
  func observedValues() throws {
    let values = ObservedValues(["a": 1])
    let told = ValueRecorder<DefaultsChanges>()
    let token = values.observe(nil, initial: false, ignoring: nil) { told.add($0) }
    try values.write { writer in
      writer.set(2, for: "a", origin: "me")
      writer.set([("b", 3), ("c", 4), ("b", 5), ("none", nil)], origin: "me")
      #expect(told.all.isEmpty)
    }
    #expect(values.rawValue(for: "a") == 2 && values.rawValue(for: "b") == 5 && values.rawValue(for: "none") == nil)
    #expect(told.all.count == 1 && told.all[0].keys == ["a", "b", "c"])
    #expect(told.all[0]["a"]?.old == 1 && told.all[0]["a"]?.origin == "me")
    try values.write { $0.replace(["a": 2], origin: .external) }
    #expect(values.snapshot().keys == ["a"])
    #expect(told.all.last?.keys == ["b", "c"])
    withExtendedLifetime(token) {}
  }

  @Test("origins have names")
  func origins() {
    #expect("\(ChangeOrigin("sync"))" == "sync" && ChangeOrigin("sync") == "sync" && ChangeOrigin("sync") != .program)
  }

  @Test("errors that nobody could be thrown go on to the store beneath")
  func reports() {
    let told = ValueRecorder<DefaultsError>()
    let memory = MemoryStore(reports: { told.add($0) })
    let recording = RecordingStore(memory)
    LayeredStore(recording, over: MemoryStore(), changing: .overrides).report(DefaultsError(.busy, "first"))
    LayeredStore(MemoryStore(), over: recording).report(DefaultsError(.damaged, "second"))
    #expect(told.all.map(\.code) == [.busy, .damaged])
    #expect(recording.calls == [.report(.busy), .report(.damaged)])
    // A copy reports where its original does, as long as that lives.
    MemoryStore(copying: memory).report(DefaultsError(.undecodable, "third"))
    #expect(told.all.map(\.detail) == ["first", "second", "third"])
  }

  @Test("a recording says what was changed at once, and to what")
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

  @Test("values that no file can hold keep no others from a file that is written later")
  func unwritableLater() throws {
    let place = try Place()
    let store = try place.store(.deferred(.seconds(1000)))
    let deep = (0..<600).reduce(PropertyListValue.integer(1)) { value, _ in [value] }
    #expect(throws: DefaultsError.self) { try store.setRawValue(deep, for: "a") }
    #expect(throws: DefaultsError.self) { try store.update { $0.setRawValue(deep, for: "a") } }
    try store.setRawValue(1, for: "b")
    try store.flush()
    #expect(try place.store().snapshot().values == ["b": 1])
  }

  @Test("values that no file can hold are not written, and the file is as it was")
  func unwritable() throws {
    let place = try Place()
    let store = try place.store()
    try store.setRawValue(1, for: "a")
    let before = try Data(contentsOf: place.url)
    let deep = (0..<600).reduce(PropertyListValue.integer(1)) { value, _ in [value] }
    let error = #expect(throws: DefaultsError.self) { try store.setRawValue(deep, for: "a") }
    #expect(error?.code == .cannotWrite && error?.path == place.url.path)
    #expect(error?.description.contains("the values fit no file: ") == true)
    #expect(try Data(contentsOf: place.url) == before && store.rawValue(for: "a") == 1)
  }
}
