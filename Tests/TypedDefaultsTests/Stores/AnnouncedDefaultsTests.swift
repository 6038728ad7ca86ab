// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import SystemFiles
import Testing
import TestSupport
import TypedDefaultsTesting

@testable import TypedDefaults

/// The notifications of Apple's systems: each change of any `UserDefaults` calls all observers, on the thread of the change.
private final class Announcer: Sendable {
  private let observers = Locked<[@Sendable () -> Void]>([])

  func add(_ observer: @escaping @Sendable () -> Void) { observers.withLock { $0.append(observer) } }
  func announce() { for observer in observers.withLock({ $0 }) { observer() } }
}

private final class AnnouncedDefaults: SystemDefaults, UserDefaultsCalls {
  private let announcer: Announcer
  private let values = Locked<[String: Int64]>([:])

  /// The values of launch arguments and the registered defaults.
  private let arguments: [String: Int64]
  private let registered: [String: Int64]

  init(_ announcer: Announcer, arguments: [String: Int64] = [:], registered: [String: Int64] = [:]) {
    (self.announcer, self.arguments, self.registered) = (announcer, arguments, registered)
  }

  var needsSynchronizing: Bool { false }
  func withLock<Result>(_ body: (any UserDefaultsCalls) throws -> Result) rethrows -> Result { try body(self) }
  func observe(_ body: @escaping @Sendable () -> Void) -> (any Sendable)? {
    announcer.add(body)
    return nil
  }
  static func number(_ object: Any) -> PropertyListValue? { (object as? Int64).map { .integer($0) } }
  static func object(for value: PropertyListValue) -> Any? {
    if case .integer(let value) = value { value } else { nil }
  }

  func object(forKey key: String) -> Any? { arguments[key] ?? values.withLock { $0[key] } ?? registered[key] }
  func set(_ object: Any?, forKey key: String) {
    let value = object as? Int64
    values.withLock { $0[key] = value }
    announcer.announce()
  }
  func removeObject(forKey key: String) { set(nil, forKey: key) }
  func persistentDomain(forName domain: String) -> [String: Any]? { domain == "domain" ? values.withLock { $0 } : nil }
  func volatileDomain(forName domain: String) -> [String: Any] {
    switch domain {
    case "NSArgumentDomain": arguments
    case "NSRegistrationDomain": registered
    default: [:]
    }
  }
  func synchronize() -> Bool { true }
}

@Suite("UserDefaultsStore with notifications")
struct AnnouncedDefaultsTests {
  private let announcer = Announcer()

  private func store(_ defaults: AnnouncedDefaults) -> UserDefaultsStore {
    UserDefaultsStore(defaults, domain: "domain", reports: { _ in })
  }

  @Test("several stores that several threads change do not wait for each other", .notHanging, arguments: [true, false])
  func twoStores(_ isSameDomain: Bool) throws {
    let first = AnnouncedDefaults(announcer)
    let stores = [store(first), store(isSameDomain ? first : AnnouncedDefaults(announcer))]
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      for number in 1...2000 { try? stores[index].setRawValue(.integer(Int64(number)), for: "k\(index)") }
    }
    #expect(stores[0].rawValue(for: "k0") == 2000 && stores[1].rawValue(for: "k1") == 2000)
    // No store missed the last change of the other one.
    let found = isSameDomain ? ["k0", "k1"] : nil
    for (index, store) in stores.enumerated() {
      #expect(store.snapshot().keys == found ?? ["k\(index)"])
      #expect(store.snapshot().values.allSatisfy { $0.value == 2000 })
    }
  }

  @Test("a launch argument is read, and never stored or reported")
  func launchArgument() throws {
    let defaults = AnnouncedDefaults(
      announcer, arguments: ["launches": 1000, "level": 9], registered: ["launches": 5])
    let store = store(defaults)
    let changes = ValueRecorder<DefaultsChange>()
    let token = store.observe(nil, initial: false, ignoring: nil) { for change in $0.changes { changes.add(change) } }
    #expect(store.rawValue(for: "launches") == 1000)
    #expect(store.replacedValue(for: "launches") == 5 && store.replacedValue(for: "level") == nil)
    try store.update(origin: "me") { transaction in
      #expect(transaction.rawValue(for: "launches") == 5 && transaction.rawValue(for: "level") == nil)
      transaction.setRawValue(6, for: "launches")
    }
    #expect(defaults.persistentDomain(forName: "domain") as? [String: Int64] == ["launches": 6])
    try store.setRawValue(nil, for: "launches", origin: "me")
    #expect(store.snapshot().rawValue(for: "launches") == 5)
    #expect(changes.all.map(\.new) == [6, 5])
    withExtendedLifetime(token) {}
  }

  @Test("a handler of one store may change the other one, whose change called it", arguments: [true, false])
  func handlerOfOther(_ isSameDomain: Bool) throws {
    let first = AnnouncedDefaults(announcer)
    let changed = store(first)
    let other = store(isSameDomain ? first : AnnouncedDefaults(announcer))
    let errors = ValueRecorder<String>()
    let token = other.observe(nil, initial: false, ignoring: nil) { report in
      guard report.changes.contains(where: { $0.key == "own" }) else { return }
      do { try changed.setRawValue(2, for: "echo", origin: "handler") } catch { errors.add("\(error)") }
    }
    try changed.setRawValue(1, for: "own", origin: "me")
    #expect(errors.all.isEmpty)
    #expect(changed.snapshot().values == (isSameDomain ? ["own": 1, "echo": 2] : ["own": 1]))
    #expect(other.snapshot().keys == (isSameDomain ? ["echo", "own"] : []))
    withExtendedLifetime(token) {}
  }

  @Test("a task that a notification starts is no part of the change that was notified", .notHanging)
  func startedTask() async throws {
    let defaults = AnnouncedDefaults(announcer)
    let store = store(defaults)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let tasks = Locked<[Task<Void, Never>]>([])
    announcer.add {
      tasks.withLock { tasks in
        guard tasks.isEmpty else { return }
        tasks.append(
          Task {
            for await _ in ended { break }
            defaults.set(Int64(5), forKey: "other")
          })
      }
    }
    try store.setRawValue(1, for: "own", origin: "me")
    end.yield()
    for task in tasks.withLock({ $0 }) { await task.value }
    #expect(store.snapshot().values == ["own": 1, "other": 5])
  }

  @Test("a change by other code during a transaction is reported after it")
  func changeInside() throws {
    let defaults = AnnouncedDefaults(announcer)
    let store = store(defaults)
    let changes = ValueRecorder<DefaultsChange>()
    let token = store.observe(nil, initial: false, ignoring: nil) { for change in $0.changes { changes.add(change) } }
    try store.update(origin: "me") {
      defaults.set(Int64(5), forKey: "other")
      #expect(changes.all.isEmpty)
      $0.setRawValue(1, for: "own")
    }
    #expect(store.snapshot().values == ["other": 5, "own": 1])
    #expect(changes.all.map(\.key).sorted() == ["other", "own"])
    #expect(changes.all.map(\.origin).contains(.external) && changes.all.map(\.origin).contains("me"))
    // Its own change is not read again.
    try store.setRawValue(2, for: "own", origin: "me")
    #expect(changes.all.last?.origin == "me" && changes.all.count == 3)
    withExtendedLifetime(token) {}
  }
}

@Suite("PolledLock")
struct PolledLockTests {
  @Test("lets one thread in at a time, makes others wait, and refuses a change inside of a change", .notHanging)
  func exclusion() {
    let lock = PolledLock()
    let refused = Locked(0)
    let count = Locked(0)
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<2000 {
        guard lock.enter() else {
          refused.withLock { $0 += 1 }
          continue
        }
        lock.change {
          // Two accesses, between which another thread would be noticed.
          let before = count.withLock { $0 }
          if lock.enter() || lock.enterIfIdle() { Issue.record("the lock was taken twice") }
          count.withLock { $0 = before + 1 }
        }
        lock.leave()
      }
    }
    #expect(refused.withLock { $0 } == 0 && count.withLock { $0 } == 8000)
    #expect(lock.enterIfIdle())
  }

  @Test("makes a task wait that a change started, once the change is over", .notHanging)
  func inheritingTask() async {
    let (lock, other) = (PolledLock(), PolledLock())
    #expect(lock.enter())
    // The value of the task is there when the task begins, and the change is over then.
    let (started, go) = AsyncStream.makeStream(of: Void.self)
    let task = lock.change {
      #expect(other.enter())
      return Task {
        for await _ in started { break }
        return lock.enter()
      }
    }
    lock.leave()
    go.yield()
    #expect(await task.value)
  }
}
