// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchiving
import PropertyListFormat
import Testing
import TypedDefaults
import TypedDefaultsFoundation
import TypedDefaultsTesting

@Suite("DefaultsMigration")
struct MigrationTests {
  private struct Profile: Codable, Equatable, Sendable {
    var name: String
    var age: Int
  }

  @Test("migrations run once and in their order, and are recorded")
  func once() throws {
    let runs = ValueRecorder<String>()
    let migrations = ["one", "two"].map { name in
      DefaultsMigration(name) {
        runs.add(name)
        $0.setRawValue(.string(name), for: "last")
      }
    }
    let location = try StoreLocation()
    #expect(try location.store().migrate(Array(migrations.prefix(1))) == ["one"])
    #expect(try location.store().migrate(migrations) == ["two"])
    #expect(try location.store().migrate(migrations) == [])
    #expect(runs.all == ["one", "two"])
    #expect(try location.store().rawValue(for: MemoryStore.migrationsKey) == ["one", "two"])
  }

  @Test("migrations have different names, which can be changed")
  func names() throws {
    let store = MemoryStore(["a": "1"])
    let recode = DefaultsMigration.retype("a", from: DefaultsConversion<Int>.lenient(), to: .objects()) { $0 + 1 }
    #expect(recode.name == "a: Int to Int")
    #expect(try store.migrate([recode, recode.named("again")]) == ["a: Int to Int", "again"])
    #expect(store.rawValue(for: "a") == 3)
  }

  @Test("two migrations with one name are an error before any runs, also if it ran before")
  func sameNames() throws {
    let store = MemoryStore(["a": .data(Data("1".utf8))])
    let first = DefaultsMigration.recode("a", from: .json(), to: DefaultsConversion<Int>.objects())
    let back = DefaultsMigration.recode("a", from: DefaultsConversion<Int>.objects(), to: .json())
    for _ in 0..<2 {
      let before = store.snapshot().values
      let error = #expect(throws: DefaultsError.self) { try store.migrate([first, back]) }
      #expect(error?.code == .migrationFailed && error?.detail.contains("the name 'a: Int to Int'") == true)
      #expect(error?.remedy?.contains("named(_:)") == true)
      #expect(store.snapshot().values == before)
      try store.migrate([first])
    }
    #expect(store.rawValue(for: "a") == 1)
    try store.migrate([first, back.named("a: JSON again")])
    #expect(store.rawValue(for: "a") == .data(Data("1".utf8)))
  }

  @Test("a foreign value of the reserved key is an error, and no migration runs")
  func foreignNotes() {
    let store = MemoryStore([MemoryStore.migrationsKey: "mine", "a": 1])
    let error = #expect(throws: DefaultsError.self) { try store.migrate([.rename("a", to: "b")]) }
    #expect(error?.code == .migrationFailed && error?.key == MemoryStore.migrationsKey)
    #expect(
      error?.description.contains("found a value of kind string; expected the names of migrations. Move the value")
        == true)
    #expect(store.keys == [MemoryStore.migrationsKey, "a"])
  }

  @Test("concurrent migrations run once")
  func concurrently() async throws {
    let location = try StoreLocation()
    let migration = DefaultsMigration("add") { store in
      guard case .integer(let number) = store.rawValue(for: "n") ?? 0 else { return }
      store.setRawValue(.integer(number + 1), for: "n")
    }
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { try location.store().migrate([migration]) } }
      try await group.waitForAll()
    }
    #expect(try location.store().rawValue(for: "n") == 1)
  }

  @Test("rename keeps an existing value of the new key")
  func rename() throws {
    let store = MemoryStore(["colour": "red"])
    try store.migrate([.rename("colour", to: "color")])
    #expect(store.rawValue(for: "color") == "red" && store.rawValue(for: "colour") == nil)
    let both = MemoryStore(["colour": "red", "color": "blue"])
    try both.migrate([.rename("colour", to: "color")])
    #expect(both.rawValue(for: "color") == "blue" && both.rawValue(for: "colour") == "red")
  }

  @Test("recode converts JSON and keyed archives to property-list values")
  func recode() throws {
    let url = try #require(URL(string: "https://nuomi1.github.io/"))
    let archive = try KeyedArchiver.archivedData(withRootObject: url, requiringSecureCoding: true)
    let json = #"{"name":"Ada","age":36}"#
    let migrations: [DefaultsMigration] = [
      .recode("data", from: .json(), to: DefaultsConversion<Profile>.objects()),
      .recode("text", from: .json(), to: DefaultsConversion<Profile>.objects()),
      .recode("url", from: .keyedArchive(), to: DefaultsConversion<URL>.objects()),
      .recode("absent", from: .json(), to: DefaultsConversion<Profile>.objects()),
    ]
    let store = MemoryStore(["data": .data(Data(json.utf8)), "text": .string(json), "url": .data(archive)])
    let copy = MemoryStore(copying: store)
    #expect(try copy.migrate(migrations).count == 4)
    #expect(copy.rawValue(for: "data") == ["age": 36, "name": "Ada"])
    #expect(copy.rawValue(for: "text") == ["age": 36, "name": "Ada"])
    #expect(copy.rawValue(for: "url") == .string(url.absoluteString))
    #expect(store.rawValue(for: "text") == .string(json), "a copy was tried, and the store has changed")
  }

  @Test("retype and key convert values to new types")
  func retype() throws {
    let store = MemoryStore(["age": "36", "size": 2])
    try store.migrate([
      .retype("age", from: DefaultsConversion<String>.objects(), to: DefaultsConversion<Int>.objects()) {
        Int($0) ?? 0
      },
      .key("size", version: 2) { ["width": $0, "height": $0] },
      .key("size", version: 3) { old in
        guard case .dictionary(let entries) = old else { return old }
        return entries["width"]
      },
    ])
    #expect(store.rawValue(for: "age") == 36)
    #expect(store.rawValue(for: "size") == 2)
    #expect(
      store.rawValue(for: MemoryStore.migrationsKey) == ["age: String to Int", "size, version 2", "size, version 3"])
  }

  @Test("an error of a new conversion is no sign that a value is converted already")
  func newConversion() throws {
    struct Unconvertible: Error {}
    let integers = DefaultsConversion<Int>.objects()
    let unserializable = DefaultsConversion<Int> { _ in
      throw Unconvertible()
    } deserialize: {
      try integers.deserialize($0)
    }
    for migration in [
      DefaultsMigration.retype("a", from: integers, to: integers) { _ in throw Unconvertible() },
      .retype("a", from: integers, to: unserializable) { $0 + 1 },
    ] {
      let store = MemoryStore(["a": 1])
      let error = #expect(throws: DefaultsError.self) { try store.migrate([migration]) }
      #expect(error?.code == .migrationFailed && error?.underlying is Unconvertible)
      #expect(store.snapshot().values == ["a": 1])
    }
  }

  @Test("that ran before need no access to write")
  func readOnly() throws {
    let location = try StoreLocation()
    let migration = DefaultsMigration.rename("a", to: "b")
    try location.store().setRawValue("1", for: "a")
    try location.store().migrate([migration])
    var options = location.options()
    options.fault = { [.openLock, .lock, .create].contains($0) ? EROFS : 0 }
    let store = try FileStore(at: location.url, options: options)
    #expect(try store.migrate([migration]) == [])
    let error = #expect(throws: DefaultsError.self) { try store.migrate([migration, .rename("b", to: "c")]) }
    #expect(error?.code == .cannotWrite)
    // Another process has removed the record.
    try location.store().removeAll()
    try location.store().setRawValue("2", for: "a")
    #expect(throws: DefaultsError.self) { try store.migrate([migration]) }
  }

  @Test("run if only an override names them as those that ran before")
  func overriddenRecord() throws {
    let overrides = MemoryStore([MemoryStore.migrationsKey: ["a to b"]])
    let base = MemoryStore(["a": 1])
    let migration = DefaultsMigration.rename("a", to: "b").named("a to b")
    #expect(try LayeredStore(overrides, over: base).migrate([migration]) == ["a to b"])
    #expect(base.rawValue(for: "b") == 1 && base.rawValue(for: "a") == nil)
  }

  @Test("if one fails, none has changed anything, and all run again", arguments: StoreKind.allCases)
  func failure(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    let store = place.store
    try store.update {
      $0.setRawValue("1", for: "a")
      $0.setRawValue("no JSON", for: "profile")
    }
    let migrations: [DefaultsMigration] = [
      .rename("a", to: "b"), .recode("profile", from: .json(), to: DefaultsConversion<Profile>.objects()),
      .rename("b", to: "c"),
    ]
    for _ in 0..<2 {
      let error = #expect(throws: DefaultsError.self) { try store.migrate(migrations) }
      #expect(error?.code == .migrationFailed && error?.remedy?.hasPrefix("Nothing has changed.") == true)
      #expect(store.snapshot().values == ["a": "1", "profile": "no JSON"])
    }
    try store.setRawValue(nil, for: "profile")
    #expect(try store.migrate(migrations).count == 3)
    #expect(store.rawValue(for: "c") == "1" && store.rawValue(for: "a") == nil)
  }

  @Test("all of one call are one change", arguments: StoreKind.allCases)
  func oneChange(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    let store = place.store
    try store.setRawValue("1", for: "a")
    let changes = ValueRecorder<[String]>()
    let token = store.observe(nil) { changes.add($0.changes.map(\.key).sorted()) }
    try store.migrate([.rename("a", to: "b"), .rename("b", to: "c"), .key("c", version: 2) { [$0] }])
    // No observer has seen a value for "b".
    #expect(changes.all == [[MemoryStore.migrationsKey, "a", "c"].sorted()])
    #expect(store.rawValue(for: "c") == ["1"])
    try store.migrate([.rename("a", to: "b")])
    #expect(changes.all.count == 1, "nothing was left to migrate")
    withExtendedLifetime(token) {}
  }

  @Test("all of one call are written at once")
  func oneWrite() throws {
    let location = try StoreLocation()
    try location.store().setRawValue("1", for: "a")
    let calls = ValueRecorder<FileCall>()
    var options = location.options(.synced)
    options.fault = {
      calls.add($0)
      return 0
    }
    let store = try FileStore(at: location.url, options: options)
    try store.migrate([.rename("a", to: "b"), .rename("b", to: "c"), .key("c", version: 2) { [$0] }])
    #expect(calls.all.count { $0 == .write } == 1)
  }

  @Test("take a time that grows with their number")
  func many() throws {
    func time(_ count: Int) throws -> Double {
      let migrations = (0..<count).map { DefaultsMigration("migration \($0)") { _ in } }
      return try System.leastTime(of: 2) { try MemoryStore().migrate(migrations) }
    }
    let (few, many) = (try time(500), try time(5000))
    #expect(many < 30 * few, "500: \(few) s, 5,000: \(many) s")
  }
}

/// A kind of store.
enum StoreKind: CaseIterable, Sendable { case memory, file, deferredFile, userDefaults }

/// A temporary store. Releasing it removes what it has on the disk.
final class StorePlace {
  let store: any DefaultsStore
  private var holder: AnyObject?

  init(_ kind: StoreKind) throws {
    switch kind {
    case .memory: store = MemoryStore()
    case .file, .deferredFile:
      let location = try StoreLocation()
      store = try location.store(kind == .file ? .written : .deferred(.seconds(1000)))
      holder = location
    case .userDefaults:
      let suite = ScratchSuite()
      store = try #require(UserDefaultsStore(suiteName: suite.name))
      holder = suite
    }
  }
}
