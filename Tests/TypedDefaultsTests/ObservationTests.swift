// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import PropertyListFormat
import TestSupport
import Testing
import TypedDefaults
import TypedDefaultsTesting

@Suite("Observation")
struct ObservationTests {
  private let count = DefaultsKey("a.count", default: 0)
  private let name = DefaultsKey("name", default: "nobody")

  @Test("an observer of a key receives old and new values, including default values")
  func typed() throws {
    let store = MemoryStore()
    let recorder = ValueRecorder<DefaultsValueChange<Int>>()
    let token = store.observe(count, initial: true) { recorder.add($0) }
    try store.set(1, for: count)
    try store.set(2, for: count, origin: "form")
    try store.reset(count)
    #expect(recorder.all.map(\.old) == [nil, 0, 1, 2])
    #expect(recorder.all.map(\.new) == [0, 1, 2, 0])
    #expect(recorder.all.map(\.origin) == [.program, .program, "form", .program])
    token.cancel()
    try store.set(9, for: count)
    #expect(recorder.all.count == 4)
  }

  @Test("releasing the token releases the handler")
  func token() throws {
    let store = MemoryStore()
    final class Owner: Sendable {}
    weak var owner: Owner?
    do {
      let held = Owner()
      owner = held
      let token = store.observe(count) { _ in withExtendedLifetime(held) {} }
      try store.set(1, for: count)
      withExtendedLifetime(token) {}
    }
    #expect(owner == nil, "the handler is still kept")
  }

  @Test("changes during a call are coalesced")
  func coalescing() throws {
    let store = MemoryStore()
    let recorder = ValueRecorder<DefaultsValueChange<Int>>()
    let token = store.observe(count) { [count] change in
      recorder.add(change)
      // These changes represent changes by other threads during the call.
      if change.new == 1 { for number in 2...100 { try? store.set(number, for: count) } }
    }
    try store.set(1, for: count)
    #expect(recorder.all.map(\.new) == [1, 100])
    #expect(recorder.all.map(\.old) == [0, 1])
    withExtendedLifetime(token) {}
  }

  @Test("a value that changes back is reported, because the observer can have read the value between")
  func thereAndBack() throws {
    let store = MemoryStore()
    let (changes, read) = (ValueRecorder<DefaultsValueChange<Int>>(), ValueRecorder<Int>())
    let token = store.observe(count) { [count] change in
      changes.add(change)
      // The first call meets the changes of another thread, and reads the value between them.
      if changes.count == 1 { try? store.set(2, for: count) }
      read.add(store[count])
      if changes.count == 1 { try? store.set(1, for: count) }
    }
    try store.set(1, for: count)
    #expect(read.all == [2, 1])
    #expect(changes.all.map(\.old) == [0, 1] && changes.all.map(\.new) == [1, 1])
    withExtendedLifetime(token) {}
  }

  @Test("a sequence of values of two keys ends with the values of the store after one has changed back")
  func severalThereAndBack() async throws {
    let store = MemoryStore()
    var values = store.values(of: count, name).makeAsyncIterator()
    _ = await values.next()
    try store.set(1, for: count)
    try store.set(0, for: count)
    #expect(try #require(await values.next()) == (0, "nobody"))
  }

  @Test("an observer that ignores its own changes receives the last value")
  func ownChanges() throws {
    let store = MemoryStore()
    let recorder = ValueRecorder<Int>()
    let token = store.observe(count, ignoring: "me") { [count] change in
      recorder.add(change.new)
      if change.new == 1 { try? store.set(7, for: count, origin: "me") }
    }
    try store.set(3, for: count, origin: "me")
    #expect(recorder.all == [])
    // Its own change during a report is delivered, because the older report could overwrite it.
    try store.set(1, for: count)
    #expect(recorder.all == [1, 7])
    withExtendedLifetime(token) {}
  }

  @Test("an observer that changes a key in each call, and ignores its own changes, receives one of them", .notHanging)
  func changesInEachCall() async throws {
    let store = MemoryStore()
    let recorder = ValueRecorder<Int>()
    let token = store.observe(count, ignoring: "me") { [count] change in
      recorder.add(change.new)
      try? store.set(change.new + 1, for: count, origin: "me")
    }
    try store.set(1, for: count)
    #expect(recorder.all == [1, 2] && store[count] == 3)
    try store.set(5, for: count, origin: "you")
    #expect(recorder.all == [1, 2, 5, 6] && store[count] == 7)
    token.cancel()

    var changes = store.changes(of: ["a"], initial: false, ignoring: "me").makeAsyncIterator()
    func next() async throws -> Int64? {
      guard case .integer(let number)? = await changes.next()?["a"]?.new else { return nil }
      try store.setRawValue(.integer(number + 1), for: "a", origin: "me")
      return number
    }
    for number in [1, 5] as [Int64] {
      try store.setRawValue(.integer(number), for: "a", origin: "you")
      #expect(try await next() == number)
      #expect(try await next() == number + 1)
      #expect(store.rawValue(for: "a") == .integer(number + 2))
    }
  }

  @Test("an observer that ignores the program's changes receives one that it makes while it handles the initial value")
  func ownChangeDuringInitialValue() throws {
    let store = MemoryStore()
    try store.set(1, for: count)
    let recorder = ValueRecorder<Int>()
    // The origin of initial values is the program, but they are not changes that the observer made.
    let token = store.observe(count, initial: true, ignoring: .program) { [count] change in
      recorder.add(change.new)
      if recorder.all.count < 5 { try? store.set(change.new + 1, for: count) }
    }
    #expect(recorder.all == [1, 2] && store[count] == 3)
    withExtendedLifetime(token) {}
  }

  @Test("an observer that ignores its own changes receives one of another thread while it handles its own")
  func ownChangesOfOtherThreads() async throws {
    let store = MemoryStore()
    let recorder = ValueRecorder<Int>()
    let token = store.observe(count, ignoring: "me") { [count] change in
      recorder.add(change.new)
      switch change.new {
      case 1: try? store.set(2, for: count, origin: "me")
      case 2:
        let isChanged = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          try? store.set(3, for: count, origin: "me")
          isChanged.signal()
        }
        isChanged.wait()
      default: break
      }
    }
    try store.set(1, for: count)
    #expect(recorder.all == [1, 2, 3])
    withExtendedLifetime(token) {}

    var changes = store.changes(of: ["a"], initial: false, ignoring: "me").makeAsyncIterator()
    try store.setRawValue(1, for: "a", origin: "you")
    #expect(await changes.next()?["a"]?.new == 1)
    try store.setRawValue(2, for: "a", origin: "me")
    #expect(await changes.next()?["a"]?.new == 2)
    try await Task { try store.setRawValue(3, for: "a", origin: "me") }.value
    #expect(await changes.next()?["a"]?.new == 3)
  }

  @Test("an observer that ignores its own changes receives one of a task that it started", .notHanging)
  func ownChangesOfStartedTasks() async throws {
    let store = MemoryStore()
    let recorder = ValueRecorder<Int>()
    let token = store.observe(count, ignoring: "me") { [count] change in
      recorder.add(change.new)
      switch change.new {
      case 1: try? store.set(2, for: count, origin: "me")
      case 2:
        // The function could use this older value last.
        let isChanged = DispatchSemaphore(value: 0)
        Task {
          try? store.set(3, for: count, origin: "me")
          isChanged.signal()
        }
        isChanged.wait()
      default: break
      }
    }
    await withCheckedContinuation { done in
      // Not a thread of tasks, because the function waits for one.
      Thread.detachNewThread { [count] in
        try? store.set(1, for: count)
        done.resume()
      }
    }
    #expect(recorder.all == [1, 2, 3])
    withExtendedLifetime(token) {}
  }

  @Test("a sequence that ignores its own changes receives the last value")
  func ownChangesAwaited() async throws {
    let store = MemoryStore()
    var changes = store.changes(of: ["a"], initial: false, ignoring: "me").makeAsyncIterator()
    try store.setRawValue(0, for: "a", origin: "me")
    try store.setRawValue(1, for: "a", origin: "you")
    #expect(await changes.next()?["a"]?.new == 1)
    // The task still processes the previous report.
    try store.setRawValue(2, for: "a", origin: "me")
    #expect(await changes.next()?["a"]?.new == 2)
  }

  @Test("a sequence of values starts with the current one")
  func values() async throws {
    let store = MemoryStore()
    try store.set(5, for: count)
    var seen: [Int] = []
    for await value in store.values(of: count) {
      seen.append(value)
      if value < 8 { try store.set(value + 1, for: count) } else { break }
    }
    #expect(seen == [5, 6, 7, 8])
  }

  @Test("a sequence of two keys has values of the same moment")
  func several() async throws {
    let store = MemoryStore()
    let writer = Task { [count, name] in
      for number in 1...200 {
        try store.update {
          try $0.set(number, for: count)
          try $0.set("\(number)", for: name)
        }
        await Task.yield()
      }
    }
    for await (number, text) in store.values(of: count, name) {
      #expect(text == "\(number)" || (number == 0 && text == "nobody"))
      if number == 200 { break }
    }
    try await writer.value
  }

  @Test("a sequence of five keys reports each change")
  func many() async throws {
    let store = MemoryStore()
    let keys = ["a", "b", "c"].map { DefaultsKey($0, default: 0) }
    var seen: [[Int]] = []
    for await (number, text, a, b, c) in store.values(of: count, name, keys[0], keys[1], keys[2]) {
      #expect(number == 0 && text == "nobody")
      seen.append([a, b, c])
      guard seen.count <= 3 else { break }
      try store.set(seen.count, for: keys[seen.count - 1])
    }
    #expect(seen == [[0, 0, 0], [1, 0, 0], [1, 2, 0], [1, 2, 3]])
  }

  @Test("a sequence delivers the last value and ends when the store is released")
  func gone() async throws {
    func changes() throws -> DefaultsChangeSequence {
      let store = MemoryStore()
      let changes = store.changes(of: nil, initial: false, ignoring: nil)
      try store.setRawValue(1, for: "a")
      return changes
    }
    var recorder: [PropertyListValue?] = []
    for await change in try changes() { recorder.append(change["a"]?.new) }
    #expect(recorder == [1])
    let layered = LayeredStore(MemoryStore(), over: MemoryStore()).changes(of: nil, initial: false, ignoring: nil)
    for await _ in layered { Issue.record("nothing was changed") }
  }

  @Test("an observer receives the default value if decoding fails, and the store reports the error")
  func undecodable() throws {
    let reported = ValueRecorder<DefaultsError>()
    let store = MemoryStore(reports: { reported.add($0) })
    let recorder = ValueRecorder<Int>()
    let token = store.observe(count) { recorder.add($0.new) }
    try store.set(1, for: count)
    try store.setRawValue("text", for: "a.count")
    #expect(recorder.all == [1, 0] && reported.all.map(\.code) == [.undecodable])
    withExtendedLifetime(token) {}
  }

  @Test("observers are called in the order in which they were added, and those that are canceled are not", .notHanging)
  func order() throws {
    let store = MemoryStore()
    let calls = ValueRecorder<Int>()
    var tokens = (0..<20).map { number in
      store.observe(number % 3 == 0 ? nil : ["a", "b"]) { _ in calls.add(number) }
    }
    func expected(_ numbers: [Int]) -> [Int] { numbers.filter { $0 % 3 == 0 } + numbers.filter { $0 % 3 != 0 } }
    try store.update {
      $0.setRawValue(1, for: "a")
      $0.setRawValue(1, for: "b")
    }
    #expect(calls.all == expected(Array(0..<20)))
    for number in [19, 0, 7, 8, 12] { tokens[number].cancel() }
    try store.setRawValue(2, for: "a")
    #expect(calls.all.dropFirst(20) == expected((0..<20).filter { ![19, 0, 7, 8, 12].contains($0) })[...])
    tokens = []
    try store.setRawValue(3, for: "a")
    #expect(calls.all.count == 35)
  }

  @Test("the time of a change, and of the end of observations, grows with the number of observers", .notHanging)
  func manyObservers() throws {
    func times(_ count: Int) throws -> (change: Double, all: Double, end: Double) {
      let store = MemoryStore()
      var tokens = (0..<count).map { store.observe(["k\($0)"]) { _ in } }
      var value: Int64 = 0
      func change(_ keys: Range<Int>) throws {
        value += 1
        try store.update { for key in keys { $0.setRawValue(.integer(value), for: "k\(key)") } }
      }
      let change1 = try System.leastTime(of: 2) { try change(0..<count) }
      tokens = (0..<count).map { _ in store.observe(nil) { _ in } }
      let all = try System.leastTime(of: 2) { try change(0..<2) }
      tokens = (0..<count).map { _ in store.observe(["one"]) { _ in } }
      let end = System.leastTime(of: 1) { for token in tokens { token.cancel() } }
      return (change1, all, end)
    }
    let (few, many) = (try times(500), try times(5000))
    #expect(many.change < 30 * few.change, "one of each key; 500: \(few.change) s, 5,000: \(many.change) s")
    #expect(many.all < 30 * few.all, "all of all keys; 500: \(few.all) s, 5,000: \(many.all) s")
    #expect(many.end < 30 * few.end, "their end; 500: \(few.end) s, 5,000: \(many.end) s")
  }

  @Test("an observer of a layered store receives visible changes")
  func layered() throws {
    let (arguments, saved) = (MemoryStore(["a.count": 10]), MemoryStore(["a.count": 1, "name": "saved"]))
    let store = LayeredStore(arguments, over: saved)
    #expect(store[count] == 10 && store[name] == "saved")
    let recorder = ValueRecorder<Int>()
    let token = store.observe(count) { recorder.add($0.new) }
    try store.set(2, for: count)
    #expect(saved.rawValue(for: "a.count") == 2 && store[count] == 10 && recorder.all == [])
    try arguments.removeAll()
    #expect(store[count] == 2 && recorder.all == [2])
    #expect(store.snapshot().keys == ["a.count", "name"])
    let scratch = LayeredStore(MemoryStore(), over: saved, changing: .overrides)
    try scratch.set("scratch", for: name)
    #expect(saved.rawValue(for: "name") == "saved" && scratch[name] == "scratch")
    withExtendedLifetime(token) {}
  }

  /// An object that uses a store until it is released.
  private final class Model: Sendable {
    let store: any DefaultsStore
    let token: DefaultsObservation

    init(_ store: any DefaultsStore) {
      self.store = store
      token = store.observe(["a"]) { _ in }
    }

    deinit { try? store.setRawValue(.integer(1), for: "released") }
  }

  @Test(
    "a handler may hold the last reference to an object that uses the store", .notHanging, arguments: [true, false])
  func lastReference(_ isCanceled: Bool) throws {
    let store = MemoryStore()
    var token: DefaultsObservation?
    do {
      let model = Model(store)
      token = store.observe(["b"]) { _ in withExtendedLifetime(model) {} }
    }
    #expect(store.rawValue(for: "released") == nil)
    if isCanceled { token?.cancel() }
    token = nil
    #expect(store.rawValue(for: "released") == 1)
  }

  /// A store whose current values another thread delivers to new observers.
  private final class LateStore: ForwardingStore {
    let values: MemoryStore
    private let willRead: @Sendable () -> Void

    init(_ values: MemoryStore = MemoryStore(["k": 1, "hidden": 1]), willRead: @escaping @Sendable () -> Void = {}) {
      self.values = values
      self.willRead = willRead
    }

    func rawValue(for key: String) -> PropertyListValue? {
      willRead()
      return values.rawValue(for: key)
    }
    func observe(
      _ keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?,
      _ handler: @escaping @Sendable (DefaultsChanges) -> Void
    ) -> DefaultsObservation { values.observe(keys, initial: false, ignoring: origin, handler) }
  }

  @Test("a layered store reports a value that its base had only while the store read it, and the value after it")
  func layeredReversal() throws {
    let base = MemoryStore(["k": 0])
    let steps = ValueRecorder<Int>()
    // As another thread does between the report to the layered store and its reading.
    let overrides = LateStore(MemoryStore()) {
      guard steps.count == 1 else { return }
      steps.add(2)
      #expect(throws: Never.self) { try base.setRawValue(1, for: "k") }
    }
    let store = LayeredStore(overrides, over: base)
    let recorder = ValueRecorder<PropertyListValue?>()
    let token = store.observe(["k"]) { changes in
      for change in changes.changes {
        recorder.add(change.new)
        if change.new == 1 { #expect(throws: Never.self) { try base.setRawValue(nil, for: "k") } }
      }
    }
    steps.add(1)
    try base.setRawValue(nil, for: "k")
    #expect(steps.all == [1, 2] && recorder.all == [1, nil])
    #expect(store.rawValue(for: "k") == nil)
    withExtendedLifetime(token) {}
  }

  @Test("a layered store has its values when it is created, also if another thread delivers those of the layers")
  func layeredAtOnce() throws {
    let store = LayeredStore(MemoryStore(["hidden": 2]), over: LateStore())
    let recorder = ValueRecorder<[String: PropertyListValue?]>()
    let token = store.observe(nil, initial: true, ignoring: nil) { changes in
      recorder.add(Dictionary(uniqueKeysWithValues: changes.changes.map { ($0.key, $0.new) }))
    }
    #expect(recorder.all == [["k": 1, "hidden": 2]])
    try store.setRawValue(nil, for: "k")
    #expect(recorder.all.last == ["k": nil])
    withExtendedLifetime(token) {}
  }
}
