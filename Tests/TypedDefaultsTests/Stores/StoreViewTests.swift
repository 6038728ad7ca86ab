// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import PropertyListFormat
import Testing
import TypedDefaults
import TypedDefaultsFoundation
import TypedDefaultsTesting

/// A store shows its values in many ways: by key, in snapshots and transactions, to observers and in its file. These tests
/// make random changes and compare all of them.
@Suite("Views of a store", .serialized)
struct StoreViewTests {
  @Test("count a registered default: changing it in place starts with it, and removing a value returns to it")
  func registered() throws {
    let suite = ScratchSuite()
    let defaults = suite.defaults
    defer { withExtendedLifetime(suite) {} }
    defaults.register(defaults: ["views.launches": 5])
    let key = DefaultsKey("views.launches", default: 0)
    let userDefaults = UserDefaultsStore(defaults, domain: suite.name)
    for store in [userDefaults, LayeredStore(MemoryStore(), over: userDefaults)] as [any DefaultsStore] {
      let changes = ValueRecorder<DefaultsValueChange<Int>>()
      let token = store.observe(key, initial: true) { changes.add($0) }
      #expect(try store.value(for: key) == 5)
      let before = store.snapshot()
      #expect(try before.value(for: key) == 5 && store.keys == [])
      try store.modify(key) { $0 += 1 }
      #expect(try store.value(for: key) == 6 && defaults.integer(forKey: "views.launches") == 6)
      #expect(try before.value(for: key) == 5, "it does not change")
      let snapshot = store.snapshot()
      try store.update { transaction in
        try transaction.set(9, for: key)
        transaction.reset(key)
        #expect(try transaction.value(for: key) == 5)
      }
      #expect(try snapshot.value(for: key) == 6, "it does not change")
      #expect(try store.value(for: key) == 5 && store.keys == [])
      try store.refresh()
      #expect(changes.all.map(\.old) == [nil, 5, 6] && changes.all.map(\.new) == [5, 6, 5])
      withExtendedLifetime(token) {}
    }
  }

  @Test("leave registered defaults to migrations: they rename and convert stored values only")
  func registeredMigrations() throws {
    let suite = ScratchSuite()
    let defaults = suite.defaults
    defer { withExtendedLifetime(suite) {} }
    defaults.register(defaults: ["views.color": "blue", "views.size": 1])
    let store = UserDefaultsStore(defaults, domain: suite.name)
    try store.setRawValue("red", for: "views.colour")
    try store.migrate([.rename("views.colour", to: "views.color"), .key("views.size", version: 2) { [$0] }])
    #expect(store.rawValue(for: "views.color") == "red" && store.rawValue(for: "views.size") == 1)
    #expect(store.keys == [UserDefaultsStore.migrationsKey, "views.color"])
  }
}
