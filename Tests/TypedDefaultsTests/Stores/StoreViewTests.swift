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
  /// A kind of store.
  enum Kind: CaseIterable, Sendable {
    case memory, binary, xml, deferredBinary, deferredXML, xmlOverBinary, userDefaults, layered, layeredOverUserDefaults
  }

  private static let keys = ["views.a", "views.b", "views.c", "views.d"]

  /// Values of which a file or `UserDefaults` can change some.
  private static let values: [PropertyListValue?] = [
    nil, nil, 1, 2, "text", "é\r\n", .float(0.1), 0.1, .date(Date(timeIntervalSinceReferenceDate: 1.5)),
    .wideInteger(high: 0, low: 5), [.date(Date(timeIntervalSinceReferenceDate: -0.25)), .float(0.5)],
    ["k": .wideInteger(high: 0, low: .max)],
  ]

  /// A store, and a function that returns another store on the same file, if it has one.
  private final class Subject {
    let store: any DefaultsStore
    var other: () throws -> (any DefaultsStore)? = { nil }
    private let suite = ScratchSuite()
    private let defaults: UserDefaults

    init(_ kind: Kind) throws {
      defaults = suite.defaults
      // Two of the keys have registered defaults. No other tests use the keys, because the whole process has these.
      defaults.register(defaults: ["views.a": 5, "views.b": "registered"])
      let location = try StoreLocation()
      func file(_ durability: FileStore.Durability, _ format: PropertyList.Format?) throws -> FileStore {
        var options = location.options(durability)
        options.format = format
        return try FileStore(at: location.url, options: options)
      }
      switch kind {
      case .memory: store = MemoryStore()
      case .binary: store = try file(.written, .binary)
      case .xml: store = try file(.written, .xml)
      case .deferredBinary: store = try file(.deferred(.seconds(1000)), .binary)
      case .deferredXML: store = try file(.deferred(.seconds(1000)), .xml)
      case .xmlOverBinary:
        try file(.written, .binary).update {
          for key in StoreViewTests.keys { $0.setRawValue(.date(Date(timeIntervalSinceReferenceDate: 2.5)), for: key) }
        }
        store = try file(.written, .xml)
      case .userDefaults: store = UserDefaultsStore(defaults, domain: suite.name)
      case .layered: store = LayeredStore(MemoryStore(["views.a": 7]), over: MemoryStore())
      case .layeredOverUserDefaults:
        store = LayeredStore(MemoryStore(["views.c": 7]), over: UserDefaultsStore(defaults, domain: suite.name))
      }
      if store is FileStore { other = { try location.store() } }
    }
  }

  /// What an observer was told last.
  private final class Follower {
    let reports = ValueRecorder<DefaultsChange>()
    private var token: DefaultsObservation?

    init(_ store: any DefaultsStore, _ key: String) {
      token = store.observe([key], initial: true, ignoring: nil) { [reports] in
        for change in $0.changes { reports.add(change) }
      }
    }
  }

  @Test("agree after random changes", arguments: Kind.allCases, [1, 2, 3] as [UInt64])
  func agree(_ kind: Kind, _ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let subject = try Subject(kind)
    defer { withExtendedLifetime(subject) {} }
    let store = subject.store
    let followers = Dictionary(uniqueKeysWithValues: Self.keys.map { ($0, Follower(store, $0)) })
    for step in 0..<60 {
      switch random.next() % 8 {
      case 0..<4:
        try store.setRawValue(
          Self.values.randomElement(using: &random) ?? nil, for: Self.keys.randomElement(using: &random)!)
      case 4, 5:
        try store.update { transaction in
          for key in Self.keys where Bool.random(using: &random) {
            transaction.setRawValue(Self.values.randomElement(using: &random) ?? nil, for: key)
          }
        }
      case 6: try store.flush()
      default: try store.refresh()
      }
      let snapshot = store.snapshot()
      try store.update { transaction in
        for key in Self.keys {
          let value = store.rawValue(for: key)
          let place: Comment = "\(kind), seed \(seed), step \(step), key \(key)"
          #expect(snapshot.rawValue(for: key) == value, place)
          #expect(transaction.rawValue(for: key) == value, place)
          #expect(Follower(store, key).reports.all.map(\.new) == [value], place)
          #expect(followers[key]?.reports.all.last?.new == value, place)
        }
      }
      #expect(store.keys == snapshot.values.map(\.key))
    }
    // Each report continues the one before it.
    for (key, follower) in followers {
      let reports = follower.reports.all
      for (last, next) in zip(reports, reports.dropFirst()) {
        #expect(next.old == last.new && next.new != last.new, "\(kind), seed \(seed), key \(key)")
      }
    }
    // Writing and reading again change nothing.
    let count = followers.values.map(\.reports.count).reduce(0, +)
    try store.flush()
    try store.refresh()
    if let other = try subject.other() {
      #expect(other.snapshot().values == store.snapshot().values)
      try other.setRawValue(1, for: "other")
      try store.refresh()
    }
    #expect(followers.values.map(\.reports.count).reduce(0, +) == count, "\(kind), seed \(seed)")
  }

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
