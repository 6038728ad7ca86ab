// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import Testing
import TypedDefaults
import TypedDefaultsTesting

@Suite("Observers")
struct ObservationTests {
  private let count = DefaultsKey("a.count", default: 0)
  private let name = DefaultsKey("name", default: "nobody")

  @Test("of a key get old and new values, the default where nothing is stored")
  func typed() throws {
    let store = MemoryStore()
    let told = ValueRecorder<DefaultsValueChange<Int>>()
    let token = store.observe(count, initial: true) { told.add($0) }
    try store.set(1, for: count)
    try store.set(2, for: count, origin: "form")
    try store.reset(count)
    #expect(told.all.map(\.old) == [nil, 0, 1, 2])
    #expect(told.all.map(\.new) == [0, 1, 2, 0])
    #expect(told.all.map(\.origin) == [.program, .program, "form", .program])
    token.cancel()
    try store.set(9, for: count)
    #expect(told.all.count == 4)
  }

  @Test("end with their token")
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

  @Test("that do something slow are told of what happened meanwhile once")
  func coalescing() throws {
    let store = MemoryStore()
    let told = ValueRecorder<DefaultsValueChange<Int>>()
    let token = store.observe(count) { [count] change in
      told.add(change)
      // What is done within is what others might do meanwhile.
      if change.new == 1 { for number in 2...100 { try? store.set(number, for: count) } }
    }
    try store.set(1, for: count)
    #expect(told.all.map(\.new) == [1, 100])
    #expect(told.all.map(\.old) == [0, 1])
    withExtendedLifetime(token) {}
  }

  @Test("are not told of there and back again")
  func thereAndBack() throws {
    let store = MemoryStore()
    let told = ValueRecorder<Int>()
    let token = store.observe(count) { [count] change in
      told.add(change.new)
      guard change.new == 1 else { return }
      try? store.set(2, for: count)
      try? store.set(1, for: count)
    }
    try store.set(1, for: count)
    #expect(told.all == [1])
    withExtendedLifetime(token) {}
  }

  @Test("that ignore their own changes still know the last value")
  func ownChanges() throws {
    let store = MemoryStore()
    let told = ValueRecorder<Int>()
    let token = store.observe(count, ignoring: "me") { [count] change in
      told.add(change.new)
      if change.new == 1 { try? store.set(7, for: count, origin: "me") }
    }
    try store.set(3, for: count, origin: "me")
    #expect(told.all == [])
    // Its own change comes while it is being told of another: who knows which of the two it keeps.
    try store.set(1, for: count)
    #expect(told.all == [1, 7])
    withExtendedLifetime(token) {}
  }

  @Test("that wait, and ignore their own changes, still know the last value")
  func ownChangesAwaited() async throws {
    let store = MemoryStore()
    var changes = store.changes(of: ["a"], initial: false, ignoring: "me").makeAsyncIterator()
    try store.setRawValue(0, for: "a", origin: "me")
    try store.setRawValue(1, for: "a", origin: "you")
    #expect(await changes.next()?["a"]?.new == 1)
    // While what was told last is being worked on.
    try store.setRawValue(2, for: "a", origin: "me")
    #expect(await changes.next()?["a"]?.new == 2)
  }

  @Test("wait for values, the one that is there first")
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

  @Test("wait for several values of one moment")
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

  @Test("wait for any number of values, whichever is changed")
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

  @Test("that wait are told the last value and no longer wait when nobody keeps the store")
  func gone() async throws {
    func changes() throws -> DefaultsChangeSequence {
      let store = MemoryStore()
      let changes = store.changes(of: nil, initial: false, ignoring: nil)
      try store.setRawValue(1, for: "a")
      return changes
    }
    var told: [PropertyListValue?] = []
    for await change in try changes() { told.append(change["a"]?.new) }
    #expect(told == [1])
    let layered = LayeredStore(MemoryStore(), over: MemoryStore()).changes(of: nil, initial: false, ignoring: nil)
    for await _ in layered { Issue.record("nothing was changed") }
  }

  @Test("of a value that cannot be decoded are told the default, and the store reports it")
  func undecodable() throws {
    let reported = ValueRecorder<DefaultsError>()
    let store = MemoryStore(reports: { reported.add($0) })
    let told = ValueRecorder<Int>()
    let token = store.observe(count) { told.add($0.new) }
    try store.set(1, for: count)
    try store.setRawValue("text", for: "a.count")
    #expect(told.all == [1, 0] && reported.all.map(\.code) == [.undecodable])
    withExtendedLifetime(token) {}
  }

  @Test("of a store over another are told what is to be seen")
  func layered() throws {
    let (arguments, saved) = (MemoryStore(["a.count": 10]), MemoryStore(["a.count": 1, "name": "saved"]))
    let store = LayeredStore(arguments, over: saved)
    #expect(store[count] == 10 && store[name] == "saved")
    let told = ValueRecorder<Int>()
    let token = store.observe(count) { told.add($0.new) }
    try store.set(2, for: count)
    #expect(saved.rawValue(for: "a.count") == 2 && store[count] == 10 && told.all == [])
    try arguments.removeAll()
    #expect(store[count] == 2 && told.all == [2])
    #expect(store.snapshot().keys == ["a.count", "name"])
    let scratch = LayeredStore(MemoryStore(), over: saved, changing: .overrides)
    try scratch.set("scratch", for: name)
    #expect(saved.rawValue(for: "name") == "saved" && scratch[name] == "scratch")
    withExtendedLifetime(token) {}
  }
}
