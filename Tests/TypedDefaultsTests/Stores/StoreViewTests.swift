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

    init(_ store: any DefaultsStore, _ key: String, ignoring origin: ChangeOrigin? = nil) {
      token = store.observe([key], initial: true, ignoring: origin) { [reports] in
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
    // Observers that ignore the changes of these tests, and the values that the two together know.
    let others = Dictionary(uniqueKeysWithValues: Self.keys.map { ($0, Follower(store, $0, ignoring: .program)) })
    var known = Dictionary(uniqueKeysWithValues: Self.keys.map { ($0, store.rawValue(for: $0)) })
    for step in 0..<60 {
      let reported = others.mapValues(\.reports.count)
      var changed: Set<String> = []
      switch random.next() % 8 {
      case 0..<4:
        let key = Self.keys.randomElement(using: &random)!
        changed = [key]
        try store.setRawValue(Self.values.randomElement(using: &random) ?? nil, for: key)
      case 4, 5:
        try store.update { transaction in
          for key in Self.keys where Bool.random(using: &random) {
            changed.insert(key)
            transaction.setRawValue(Self.values.randomElement(using: &random) ?? nil, for: key)
          }
        }
      case 6: try store.flush()
      default: try store.refresh()
      }
      for (key, other) in others {
        if changed.contains(key) {
          known[key] = store.rawValue(for: key)
        } else if other.reports.count > reported[key] ?? 0, let last = other.reports.all.last {
          known[key] = last.new
        }
        #expect(known[key] == store.rawValue(for: key), "\(kind), seed \(seed), step \(step), key \(key)")
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

  /// Layers of values as dictionaries.
  private struct Model {
    struct Layer {
      var stored: [String: PropertyListValue]
      var registered: [String: PropertyListValue] = [:]
    }
    var layers: [Layer]
    /// The layer that changes.
    var changed = 0

    func value(_ key: String) -> PropertyListValue? {
      layers.lazy.compactMap { $0.stored[key] ?? $0.registered[key] }.first
    }

    /// The value that a change in place starts from: no layer over the changed one counts.
    func replaced(_ key: String) -> PropertyListValue? { Model(layers: Array(layers[changed...])).value(key) }

    var keys: [String] { Set(layers.flatMap(\.stored.keys)).sorted() }
  }

  /// Returns a store of random layers with random values, and its model.
  private func layers(
    _ depth: Int, _ suites: inout [ScratchSuite], _ random: inout SeededRandom
  ) throws -> (store: any DefaultsStore, model: Model) {
    if depth > 0, random.next() % 4 > 0 {
      let over = try layers(depth - 1, &suites, &random)
      let base = try layers(depth - 1, &suites, &random)
      let changed = Bool.random(using: &random) ? LayeredStore.Layer.overrides : .base
      return (
        LayeredStore(over.store, over: base.store, changing: changed),
        Model(
          layers: over.model.layers + base.model.layers,
          changed: changed == .overrides ? over.model.changed : over.model.layers.count + base.model.changed)
      )
    }
    var layer = Model.Layer(stored: [:])
    for key in Self.keys where Bool.random(using: &random) {
      layer.stored[key] = .integer(Int64.random(in: 0..<100, using: &random))
    }
    var store: any DefaultsStore = MemoryStore()
    if random.next() % 8 == 0 {
      let suite = ScratchSuite()
      suites.append(suite)
      let defaults = suite.defaults
      layer.registered = ["views.a": 5, "views.b": "registered"]
      defaults.register(defaults: ["views.a": 5, "views.b": "registered"])
      store = UserDefaultsStore(defaults, domain: suite.name)
    }
    try store.update { for (key, value) in layer.stored { $0.setRawValue(value, for: key) } }
    return (store, Model(layers: [layer]))
  }

  /// A key of values as they are stored.
  private func raw(_ name: String) -> DefaultsKey<PropertyListValue> {
    DefaultsKey(name, default: "none", conversion: .itself)
  }

  private func nest(_ value: inout PropertyListValue) { value = [value] }

  @Test(
    "agree with dictionaries for random layers: a transaction shows what its changes one by one would give",
    arguments: 0..<100 as Range<UInt64>)
  func layers(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var suites: [ScratchSuite] = []
    defer { withExtendedLifetime(suites) {} }
    var (store, model) = try layers(3, &suites, &random)
    for _ in 0..<6 {
      let before = model
      let isFailing = random.next() % 4 == 0
      do {
        try store.update { transaction in
          for _ in 0..<5 {
            let key = Self.keys.randomElement(using: &random)!
            let value: PropertyListValue? =
              Bool.random(using: &random) ? .integer(Int64.random(in: 0..<100, using: &random)) : nil
            transaction.setRawValue(value, for: key)
            model.layers[model.changed].stored[key] = value
            let other = raw(Self.keys.randomElement(using: &random)!)
            try transaction.modify(other) {
              #expect($0 == model.replaced(other.name) ?? "none", "key \(other.name)")
              nest(&$0)
              model.layers[model.changed].stored[other.name] = $0
            }
            for key in Self.keys { #expect(transaction.rawValue(for: key) == model.value(key), "key \(key)") }
            #expect(transaction.keys == model.keys)
          }
          if isFailing { throw CancellationError() }
        }
      } catch is CancellationError {
        model = before
      }
      for key in Self.keys.map(raw) where Bool.random(using: &random) {
        let expected: PropertyListValue = [model.replaced(key.name) ?? "none"]
        if Bool.random(using: &random) {
          nest(&store[key])
        } else {
          try store.modify(key, nest)
        }
        model.layers[model.changed].stored[key.name] = expected
      }
      let snapshot = store.snapshot()
      for key in Self.keys {
        #expect(store.rawValue(for: key) == model.value(key), "key \(key)")
        #expect(snapshot.rawValue(for: key) == model.value(key), "key \(key)")
      }
      #expect(store.keys == model.keys)
    }
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

  @Test("hide overrides from changes in place of the base")
  func layeredChanges() throws {
    let key = DefaultsKey("launches", default: 0)
    let (file, arguments) = (MemoryStore(["launches": 5]), MemoryStore(["launches": 1000]))
    let layered = LayeredStore(arguments, over: file)
    for store in [layered, RecordingStore(layered)] as [any DefaultsStore] {
      try store.modify(key) { $0 += 1 }
      store[key] += 1
      try store.update { try $0.modify(key) { $0 += 1 } }
      #expect(try store.value(for: key) == 1000)
    }
    #expect(file.rawValue(for: key) == 11 && arguments.rawValue(for: key) == 1000)
  }

  @Test("hide overrides from migrations of the base, and show the base to migrations of the overrides")
  func layeredMigrations() throws {
    let rename = DefaultsMigration.rename("colour", to: "color")
    let record: PropertyListValue = [.string(rename.name)]
    let overrides: PropertyListDictionary = [MemoryStore.migrationsKey: record, "color": "pink", "colour": "red"]
    let (arguments, saved) = (MemoryStore(overrides), MemoryStore(["colour": "blue"]))
    #expect(try LayeredStore(arguments, over: saved).migrate([rename]) == [rename.name])
    #expect(saved.snapshot().values == [MemoryStore.migrationsKey: record, "color": "blue"])
    #expect(arguments.snapshot().values == overrides)

    let (scratch, real) = (MemoryStore(), MemoryStore(["colour": "blue"]))
    let store = LayeredStore(scratch, over: real, changing: .overrides)
    #expect(try store.migrate([rename]) == [rename.name] && store.rawValue(for: "color") == "blue")
    #expect(scratch.snapshot().values == [MemoryStore.migrationsKey: record, "color": "blue"])
    #expect(real.snapshot().values == ["colour": "blue"])
  }

  @Test("hide registered defaults from migrations, which rename and convert stored values only")
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
