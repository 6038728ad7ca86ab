// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import PropertyListFormat
import TestSupport
import Testing
import TypedDefaults
import TypedDefaultsTesting

/// Values and limits that the file with the values exceeds.
struct Excess: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let limits: ReadLimits
  let value: PropertyListValue

  private static func repeated(_ value: PropertyListValue, _ count: Int) -> PropertyListValue {
    .array([PropertyListValue](repeating: value, count: count))
  }

  /// The first two exceed the default limits: equal texts and data share one object of a binary file.
  static let all = [
    Excess(
      testDescription: "equal texts", limits: FileStore.Options().limits,
      value: repeated(.string(String(repeating: "x", count: 2000)), 5000)),
    Excess(
      testDescription: "equal data", limits: FileStore.Options().limits,
      value: repeated(.data(Data(repeating: 0, count: 100_000)), 1000)),
    Excess(
      testDescription: "size", limits: ReadLimits(maximumByteCount: 2000),
      value: .string(String(repeating: "x", count: 5000))),
    Excess(
      testDescription: "length of a text", limits: ReadLimits(maximumStringByteCount: 100),
      value: .string(String(repeating: "x", count: 101))),
    Excess(
      testDescription: "length of data", limits: ReadLimits(maximumDataByteCount: 100),
      value: .data(Data(repeating: 0, count: 101))),
    Excess(
      testDescription: "objects", limits: ReadLimits(maximumObjectCount: 10),
      value: .array((0..<10).map { .integer($0) })),
    Excess(
      testDescription: "depth", limits: ReadLimits(maximumDepth: 3), value: .array([.array([.array([.array([])])])])),
  ]
}

@Suite("Limits of a store's file")
struct FileLimitTests {
  private func store(
    _ location: StoreLocation, _ limits: ReadLimits, _ durability: FileStore.Durability = .written
  ) throws -> FileStore {
    var options = location.options(durability)
    options.limits = limits
    return try FileStore(at: location.url, options: options)
  }

  @Test(
    "keep a change from the file that would exceed them", arguments: Excess.all,
    Sample.cases([FileStore.Durability.written, .deferred(.seconds(3600))], each: 2))
  func writing(_ excess: Excess, _ durability: FileStore.Durability) throws {
    let location = try StoreLocation()
    let store = try store(location, excess.limits, durability)
    try store.setRawValue(.string("Anna"), for: "name", origin: "test")
    try store.flush()
    let file = try Data(contentsOf: location.url)
    let error = #expect(throws: DefaultsError.self) {
      try store.setRawValue(excess.value, for: "log", origin: "test")
    }
    #expect(error?.code == .cannotWrite && error?.remedy?.contains("FileStore.Options.limits") == true)
    #expect(store.snapshot().keys == ["name"])
    #expect(try Data(contentsOf: location.url) == file)
    try store.setRawValue(.integer(1), for: "count", origin: "test")
    try store.flush()
    #expect(try self.store(location, excess.limits).snapshot().keys == ["count", "name"])
    #expect(location.reported == [])
  }

  /// Another program writes them with higher limits.
  @Test("keep a file that exceeds them as it is", arguments: Excess.all)
  func reading(_ excess: Excess) throws {
    try check(PropertyListValue.dictionary(["log": excess.value]).propertyList(.binary), excess.limits)
  }

  @Test("keep a hostile file as it is")
  func hostile() throws {
    let limits = ReadLimits(maximumByteCount: 1 << 20)
    try check(Data("<plist><dict><key>a</key>\(String(repeating: "<array>", count: 20_000))".utf8), limits)
    try check(Data(count: 1 << 21), limits)
    // Each array contains the next one ten times.
    let rows = (1...30).map { row in
      PropertyListObject.array(Array(repeating: ObjectRef(rawValue: UInt32(row)), count: 10))
    }
    try check(PropertyList(table: rows + [.boolean(true)], top: ObjectRef(rawValue: 0)).data(format: .binary), limits)
  }

  /// Checks that a store neither reads nor replaces a file, unless it is told to repair it.
  private func check(_ file: Data, _ limits: ReadLimits) throws {
    let location = try StoreLocation()
    let open = try store(location, limits)
    try open.setRawValue(.string("Anna"), for: "name", origin: "test")
    try file.write(to: location.url)
    let error = #expect(throws: DefaultsError.self) { try store(location, limits) }
    #expect(error?.code == .cannotRead && error?.remedy?.contains("FileStore.Options.limits") == true)
    for _ in 0..<2 {
      #expect(throws: DefaultsError.self) { try open.setRawValue(.integer(1), for: "count", origin: "test") }
    }
    #expect(open.snapshot().keys == ["name"])
    #expect(try Data(contentsOf: location.url) == file)
    #expect(try !location.names.contains { $0.contains("damaged") })
    // The file is read again when it has changed.
    try PropertyListValue.dictionary(["other": .integer(2)]).propertyList(.xml).write(to: location.url)
    try open.setRawValue(.integer(1), for: "count", origin: "test")
    #expect(open.snapshot().keys == ["count", "other"])
    #expect(location.reported == [])
    try file.write(to: location.url)
    let repair = try #require(try open.repair())
    #expect(try Data(contentsOf: repair.damagedFile) == file && open.snapshot().keys == ["count", "other"])
    #expect(try store(location, limits).snapshot().keys == ["count", "other"])
  }

  @Test("are reported once if a store finds a file that exceeds them by itself", .notHanging)
  func watching() async throws {
    let location = try StoreLocation()
    let reported = ValueRecorder<DefaultsError>()
    var options = location.options()
    options.limits = ReadLimits(maximumByteCount: 2000)
    options.watching = .milliseconds(10)
    options.reports = { reported.add($0) }
    let store = try FileStore(at: location.url, options: options)
    try store.setRawValue(.string("Anna"), for: "name", origin: "test")
    try self.store(location, .default).setRawValue(
      .string(String(repeating: "x", count: 5000)), for: "log", origin: "test")
    #expect(await reported.wait(until: { !$0.isEmpty }))
    #expect(reported.all.first?.code == .cannotRead && store.snapshot().keys == ["name"])
    try await Task.sleep(for: .milliseconds(100))
    #expect(reported.count == 1)
  }

  @Test(
    "of a store count, and no others: its changes can exceed the default limits", arguments: Excess.all,
    Sample.cases([FileStore.Durability.written, .deferred(.seconds(3600))], each: 2))
  func raised(_ excess: Excess, _ durability: FileStore.Durability) throws {
    let location = try StoreLocation()
    var options = location.options(durability)
    options.limits = ReadLimits(
      maximumDepth: .max, maximumObjectCount: .max, maximumByteCount: .max, maximumExpansion: .max,
      maximumStringByteCount: .max, maximumDataByteCount: .max)
    let store = try FileStore(at: location.url, options: options)
    let memory = MemoryStore()
    // With a date, it is not one of the values that plainly fit a file.
    let value = PropertyListValue.array([excess.value, .date(Date(timeIntervalSinceReferenceDate: 1))])
    for store in [store, memory] as [any DefaultsStore] {
      try store.setRawValue(value, for: "log")
      #expect(store.rawValue(for: "log") == value)
    }
    try store.flush()
    #expect(try FileStore(at: location.url, options: options).rawValue(for: "log") == value)
    #expect(location.reported == [])
  }

  @Test("keep deferred changes in memory until the file can hold them, with what another process wrote")
  func deferred() throws {
    let location = try StoreLocation()
    let limits = ReadLimits(maximumByteCount: 2000)
    let store = try store(location, limits, .deferred(.seconds(3600)))
    func text(_ letter: String) -> PropertyListValue { .string(String(repeating: letter, count: 1200)) }
    try store.setRawValue(text("x"), for: "log", origin: "test")
    try store.setRawValue(.string("Anna"), for: "name", origin: "test")
    try self.store(location, limits).setRawValue(text("y"), for: "other", origin: "test")
    #expect(throws: DefaultsError.self) { try store.flush() }
    try store.setRawValue(nil, for: "log", origin: "test")
    try store.flush()
    #expect(try self.store(location, limits).snapshot().keys == ["name", "other"])
  }

  @Test("accept deferred changes that fit together, and no others")
  func deferredSum() throws {
    let location = try StoreLocation()
    let limits = ReadLimits(maximumByteCount: 20_000)
    let store = try store(location, limits, .deferred(.seconds(3600)))
    var accepted: [String] = []
    for number in 0..<30 {
      let text = PropertyListValue.string(String(repeating: "\(number % 10)", count: 1000 + number))
      if (try? store.setRawValue(text, for: "k\(number)", origin: "test")) != nil { accepted.append("k\(number)") }
      if number % 7 == 6 { try store.flush() }
    }
    #expect(accepted.count >= 18 && accepted.count < 20)
    try store.flush()
    #expect(try self.store(location, limits).snapshot().keys == accepted.sorted())
  }

  @Test(
    "accept each file that a store with the same limits has written, also one with each deferred change",
    arguments: Sample.cases(0..<20 as Range<UInt64>, each: 4),
    [FileStore.Durability.written, .deferred(.seconds(3600))])
  func random(_ seed: UInt64, _ durability: FileStore.Durability) throws {
    var random = SeededRandom(seed: seed)
    func value(_ depth: Int) -> PropertyListValue {
      switch Int.random(in: depth > 4 ? 0...2 : 0...4, using: &random) {
      case 0: .integer(Int64.random(in: 0...3, using: &random))
      case 1: .string(String(repeating: "ab", count: Int.random(in: 0...3, using: &random) * 200))
      case 2: .data(Data(repeating: 1, count: Int.random(in: 0...3, using: &random) * 300))
      case 3: .array((0..<Int.random(in: 0...6, using: &random)).map { _ in value(depth + 1) })
      default:
        .dictionary(
          PropertyListDictionary(
            (0..<Int.random(in: 0...4, using: &random)).map { ("key \($0)", value(depth + 1)) }))
      }
    }
    let limits = ReadLimits(
      maximumDepth: .random(in: 3...7, using: &random), maximumObjectCount: .random(in: 10...60, using: &random),
      maximumByteCount: .random(in: 500...5000, using: &random), maximumExpansion: 1,
      maximumStringByteCount: 1000, maximumDataByteCount: 800)
    let location = try StoreLocation()
    let store = try store(location, limits, durability)
    for _ in 0..<30 {
      let before = store.snapshot().values
      let isStored = (try? store.setRawValue(value(0), for: "key", origin: "test")) != nil
      if !isStored { #expect(store.snapshot().values == before) }
      try store.flush()
      #expect(try self.store(location, limits).snapshot().values == store.snapshot().values)
    }
    #expect(location.reported == [])
  }
}
