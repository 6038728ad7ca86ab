// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import Testing
import TypedDefaults
import TypedDefaultsFoundation
import TypedDefaultsTesting

@Suite("UserDefaultsStore", .serialized)
struct UserDefaultsTests {
  @Test("converts Foundation's numbers, and rejects other objects")
  func foundation() {
    let objects: [(Any, PropertyListValue?)] = [
      (NSNumber(value: true), true), (NSNumber(value: false), false), (NSNumber(value: Int8(1)), 1),
      (NSNumber(value: Int8(-5)), -5), (NSNumber(value: UInt8(0)), 0),
      (NSNumber(value: -3), -3), (NSNumber(value: Int64.min), .integer(.min)),
      (NSNumber(value: 2.5), 2.5), (NSNumber(value: Float(0.5)), 0.5),
      (NSNumber(value: UInt64.max), .wideInteger(high: 0, low: .max)), (NSNumber(value: UInt64(7)), 7),
      ([NSNumber(value: 1), "x"] as [Any], [1, "x"]), (["k": NSNumber(value: false)] as [String: Any], ["k": false]),
      (URL(filePath: "/") as Any, nil), ([URL(filePath: "/")] as [Any], nil), (["k": NSNull()] as [String: Any], nil),
    ]
    for (object, value) in objects { #expect(PropertyListValue(foundation: object) == value, "\(object)") }
  }

  @Test("stores all supported kinds, and rejects others before any change")
  func kinds() throws {
    let suite = ScratchSuite()
    defer { withExtendedLifetime(suite) {} }
    let store = try #require(UserDefaultsStore(suiteName: suite.name))
    try store.setRawValue([.wideInteger(high: 0, low: .max), .float(0.5), 2.5, "x", true], for: "all")
    #expect(store.rawValue(for: "all") == [.wideInteger(high: 0, low: .max), 0.5, 2.5, "x", true])
    for value in [.uid(1), .wideInteger(high: 1, low: 0), ["k": [.uid(1)]]] as [PropertyListValue] {
      let error = #expect(throws: DefaultsError.self) {
        try store.update {
          $0.setRawValue(1, for: "a")
          $0.setRawValue(value, for: "z")
        }
      }
      #expect(error?.code == .unencodable && error?.key == "z")
      #expect(error?.description.hasPrefix("'z': unsupported value: UserDefaults cannot hold ") == true)
    }
    #expect(store.keys == ["all"])
  }

  /// Values of each kind, among them those that an XML file writes in another way.
  private static let values: [PropertyListValue] = [
    true, 0, -3, .integer(.min), .wideInteger(high: 0, low: .max), 2.5, 0.1, .double(.leastNonzeroMagnitude),
    .double(.infinity),
    .float(0.1), .date(Date(timeIntervalSinceReferenceDate: 1.75)),
    .date(Date(timeIntervalSinceReferenceDate: -1.25)), .data(Data([0, 255])), "", "a\u{1}b", "cr\r\nend",
    "é\u{301}<&>",
    [.float(0.5), [.date(Date(timeIntervalSinceReferenceDate: 0.5))]], ["k": 2.5],
  ]

  @Test("returns the same value when UserDefaults reads its file again", arguments: values)
  func readAgain(_ value: PropertyListValue) throws {
    let suite = ScratchSuite()
    defer { withExtendedLifetime(suite) {} }
    let store = try #require(UserDefaultsStore(suiteName: suite.name))
    let changes = ValueRecorder<PropertyListValue?>()
    let observation = store.observe(nil, initial: false, ignoring: nil) {
      for change in $0.changes { changes.add(change.new) }
    }
    defer { observation.cancel() }
    try store.setRawValue(value, for: "key")
    let stored = try #require(store.rawValue(for: "key"))
    #if os(Linux)
      // Foundation reads a preferences file again when its date has changed.
      let file = URL.homeDirectory.appending(path: ".config/\(suite.name).plist")
      let later = Date(timeIntervalSinceNow: 10)
      try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: file.path)
      try store.flush()
    #endif
    try store.refresh()
    #expect(store.rawValue(for: "key") == stored)
    #expect(store.snapshot().rawValue(for: "key") == stored)
    #expect(changes.all == [stored])
    // A Float becomes a double, and a date can lose its fraction of a second.
    switch (value, stored) {
    case (.float(let number), .double(let kept)): #expect(kept == Double(number))
    case (.double(let number), .double(let kept)): #expect(kept == number)
    case (.date(let date), .date(let kept)): #expect((0..<1).contains(date.timeIntervalSince(kept)))
    case (.array, .array), (.dictionary, .dictionary): break
    default: #expect(stored == value)
    }
  }

  #if !canImport(Darwin)  // there, the store does not synchronize
    @Test("is unchanged, and tells no observer, if UserDefaults cannot be synchronized")
    func cannotSynchronize() throws {
      let suite = ScratchSuite()
      defer { withExtendedLifetime(suite) {} }
      let defaults = try #require(FullDisk(suiteName: suite.name))
      let store = UserDefaultsStore(defaults, domain: suite.name)
      try store.setRawValue(1, for: "a")
      let changes = ValueRecorder<String>()
      let observation = store.observe(nil, initial: false, ignoring: nil) {
        for change in $0.changes { changes.add(change.key) }
      }
      defer { observation.cancel() }
      defaults.isFull = true
      for change in [{ try store.setRawValue(2, for: "a") }, { try store.setRawValue(nil, for: "a") }] {
        #expect(throws: DefaultsError.self) { try change() }
      }
      let error = #expect(throws: DefaultsError.self) {
        try store.update {
          $0.setRawValue(3, for: "a")
          $0.setRawValue(4, for: "b")
        }
      }
      #expect(error?.code == .cannotWrite)
      #expect(store.rawValue(for: "a") == 1 && store.rawValue(for: "b") == nil)
      #expect(defaults.integer(forKey: "a") == 1 && defaults.object(forKey: "b") == nil)
      #expect(store.snapshot().keys == ["a"] && changes.all == [])
    }

    @Test("keeps newer values of other code if UserDefaults cannot be synchronized")
    func keepsNewerValues() throws {
      let suite = ScratchSuite()
      defer { withExtendedLifetime(suite) {} }
      let defaults = try #require(FullDisk(suiteName: suite.name))
      let store = UserDefaultsStore(defaults, domain: suite.name)
      try store.setRawValue(1, for: "a")
      defaults.set(5, forKey: "a")
      defaults.set("text", forKey: "b")
      defaults.isFull = true
      for key in ["a", "b", "c"] {
        #expect(throws: DefaultsError.self) { try store.setRawValue(2, for: key) }
      }
      #expect(defaults.integer(forKey: "a") == 5 && defaults.string(forKey: "b") == "text")
      #expect(defaults.object(forKey: "c") == nil)
    }

    /// Defaults that cannot always be written to a file.
    private final class FullDisk: UserDefaults {
      var isFull = false
      override func synchronize() -> Bool { isFull ? false : super.synchronize() }
    }
  #endif

  @Test("sets the record of migrations after their changes, so that a killed migration runs again")
  func recordIsLast() throws {
    let suite = ScratchSuite()
    defer { withExtendedLifetime(suite) {} }
    let defaults = try #require(ListingDefaults(suiteName: suite.name))
    let store = UserDefaultsStore(defaults, domain: suite.name)
    try store.setRawValue(1, for: "old")
    defaults.keys = []
    try store.migrate([.rename("old", to: "new"), DefaultsMigration("others") { $0.setRawValue(2, for: "A") }])
    #expect(defaults.keys == ["A", "new", "old", UserDefaultsStore.migrationsKey])
  }

  /// Defaults that list the keys that are set or removed.
  private final class ListingDefaults: UserDefaults {
    var keys: [String] = []
    override func set(_ value: Any?, forKey key: String) {
      keys.append(key)
      super.set(value, forKey: key)
    }
    override func removeObject(forKey key: String) {
      keys.append(key)
      super.removeObject(forKey: key)
    }
  }

  @Test("UserDefaults stores and returns the values of keys, as published articles call it")
  func articles() throws {
    let suite = ScratchSuite()
    defer { withExtendedLifetime(suite) {} }
    let defaults = suite.defaults
    func check<Value: Codable & Equatable & Sendable>(
      _ key: String, _ value: Value, _ stored: (String) -> Value?, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let pair = Defaults(key: key, value: value)
      #expect(defaults.value(with: pair) == nil, sourceLocation: sourceLocation)
      defaults.set(with: pair)
      #expect(defaults.value(with: pair) == value, sourceLocation: sourceLocation)
      #expect(stored(key) == value, sourceLocation: sourceLocation)
    }
    check("bool", true) { defaults.bool(forKey: $0) }
    check("int", -7) { defaults.integer(forKey: $0) }
    check("double", 2.5) { defaults.double(forKey: $0) }
    check("float", Float(0.1)) { defaults.float(forKey: $0) }
    check("string", "é") { defaults.string(forKey: $0) }
    check("date", Date(timeIntervalSinceReferenceDate: 1)) { defaults.object(forKey: $0) as? Date }
    check("data", Data([1, 2])) { defaults.data(forKey: $0) }
    check("url", try #require(URL(string: "https://nuomi1.github.io/"))) {
      defaults.string(forKey: $0).flatMap { URL(string: $0) }
    }
    check("array", [1, 2]) { defaults.array(forKey: $0) as? [Int] }
    check("dictionary", ["k": "v"]) { defaults.dictionary(forKey: $0) as? [String: String] }
    // Nil removes the value, and a value of another kind reads as nil.
    defaults.set(with: Defaults<Int?>(key: "int", value: nil))
    #expect(defaults.object(forKey: "int") == nil)
    #expect(defaults.value(with: Defaults(key: "string", value: 1)) == nil)
    // What UserDefaults cannot hold changes nothing.
    defaults.set(with: Defaults(key: "string", value: [String(repeating: "\u{301}", count: 200): 1]))
    #expect(defaults.string(forKey: "string") == "é")
  }

  @Test("calls the report function")
  func reports() throws {
    let suite = ScratchSuite()
    defer { withExtendedLifetime(suite) {} }
    let recorder = ValueRecorder<DefaultsError>()
    let store = UserDefaultsStore(suite.defaults, domain: suite.name, reports: { recorder.add($0) })
    store.report(DefaultsError(.busy, "it is"))
    #expect(recorder.all.map(\.code) == [.busy])
  }

  @Test("UserDefaults stores objects as JSON, and nil removes them")
  func objects() throws {
    let suite = ScratchSuite()
    defer { withExtendedLifetime(suite) {} }
    let defaults = suite.defaults
    try defaults.setObject(["a": 1], forKey: "k")
    #expect(defaults.data(forKey: "k") == Data(#"{"a":1}"#.utf8))
    try defaults.setObject([String: Int]?.none, forKey: "k")
    #expect(defaults.object(forKey: "k") == nil)
  }

  /// Returns arrays inside of each other.
  private static func nested(_ levels: Int, _ value: PropertyListValue = []) -> PropertyListValue {
    (1..<levels).reduce(value) { value, _ in [value] }
  }

  /// Values at and beyond the limits of property lists.
  private static let extremes: [PropertyListValue] =
    [Double.infinity, -.infinity, .nan, 1e300, -1e300, 1e30, -63_113_904_001].flatMap {
      let date = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: $0))
      return [date, [1, date], ["k": [date]]]
    } + [510, 511, 512, 513, 600, 2000].map { nested($0) }
    + [.double(.nan), .double(-.infinity), "\u{0}", "\u{FFFE}", .wideInteger(high: 0, low: .max), .uid(1)]

  @Test("a value that is stored or refused costs no other value", arguments: extremes)
  func extremeValues(_ value: PropertyListValue) throws {
    let suite = ScratchSuite()
    defer { withExtendedLifetime(suite) {} }
    let store = try #require(UserDefaultsStore(suiteName: suite.name))
    try store.setRawValue("kept", for: "other")
    let isStored: Bool
    do {
      try store.setRawValue(value, for: "value")
      isStored = true
    } catch let error as DefaultsError {
      isStored = false
      #expect(error.code == .unencodable && error.key == "value")
    }
    // The limit of the other stores.
    let isInMemory = (try? MemoryStore().setRawValue(value, for: "value")) != nil
    if case .array = value, !isInMemory { #expect(!isStored) }
    #expect(store.keys == (isStored ? ["other", "value"] : ["other"]))
    #if os(Linux)
      // What the next run of the program reads.
      let bytes = try Data(contentsOf: URL.homeDirectory.appending(path: ".config/\(suite.name).plist"))
      let file = try unsafe PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any]
      #expect(file?["other"] as? String == "kept" && file?.count == (isStored ? 2 : 1))
    #endif
    // Articles store values with this function.
    suite.defaults.set(with: Defaults(key: "date", value: Date(timeIntervalSinceReferenceDate: .infinity)))
    #if os(Linux)
      #expect(suite.defaults.object(forKey: "date") == nil)
    #endif
  }

  /// Defaults with a launch argument.
  private final class ArgumentDefaults: UserDefaults {
    override func object(forKey key: String) -> Any? { key == "title" ? "argument" : super.object(forKey: key) }
  }

  @Test("a change in place starts from the stored value, and not from a launch argument")
  func argument() throws {
    let suite = ScratchSuite()
    defer { withExtendedLifetime(suite) {} }
    let defaults = try #require(ArgumentDefaults(suiteName: suite.name))
    let store = UserDefaultsStore(defaults, domain: suite.name)
    let title = DefaultsKey("title", default: "")
    try store.set("saved", for: title)
    #expect(store[title] == "argument")
    store[title] += "!"
    #expect(store.snapshot().rawValue(for: "title") == "saved!")
    try store.modify(title) { $0 += "?" }
    #expect(store.snapshot().rawValue(for: "title") == "saved!?")
    // Other code can have stored a newer value.
    suite.defaults.set("newer", forKey: "title")
    store[title] += "."
    #expect(store.snapshot().rawValue(for: "title") == "newer.")
  }
}
