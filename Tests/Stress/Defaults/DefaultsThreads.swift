// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import HarnessSupport
import PropertyListFormat
import SystemFiles
import TypedDefaults

/// Changes one store on many threads. At the end, observers must have received each key's last value.
///
/// The thread sanitizer runs this too: `.ci/sanitize thread`.
enum DefaultsThreads {
  private static let keys = (0..<32).map { "key.\($0)" }

  static func run(_ arguments: inout Arguments) throws {
    let threads = max(1, try arguments.number("threads", 16))
    let changes = try arguments.number("changes", 100_000)
    let place = arguments.folder()
    try arguments.finish()
    try place.use { folder in
      var options = FileStore.Options()
      options.durability = .deferred(.milliseconds(20))
      options.watching = .milliseconds(5)
      let file = folder.appending(path: "defaults.plist")
      let memory = MemoryStore()
      try crowd("in memory", memory, threads, changes)
      try crowd("one over another", LayeredStore(MemoryStore(), over: memory), threads, changes / 10)
      let store = try FileStore(at: file, options: options)
      try crowd("with a file written later", store, threads, changes)
      try store.flush()
      guard try FileStore(at: file).snapshot().values == store.snapshot().values else {
        throw Breach("the file holds other values than the store")
      }
      options.durability = .written
      let written = try FileStore(at: folder.appending(path: "written.plist"), options: options)
      try crowd("with a file written at once", written, threads, changes / 100)
    }
  }

  /// The last change that an observer received. It needs no lock, because a store never notifies an observer twice at a
  /// time, and each notification happens after the one before it. The sanitizer checks that.
  private final class Seen: @unchecked Sendable {  // guarded by the observer's turn
    var last: [String: PropertyListValue?] = [:]
    var count = 0
  }

  private static func crowd(_ name: String, _ store: any DefaultsStore, _ threads: Int, _ changes: Int) throws {
    let start = ContinuousClock.now
    let ofKey = keys.map { _ in Seen() }
    let ofAll = Seen()
    var tokens = zip(keys, ofKey).map { key, seen in
      store.observe([key]) { changes in
        for change in changes.changes { seen.last[change.key] = change.new }
        seen.count += 1
      }
    }
    tokens.append(
      store.observe(nil) { changes in
        for change in changes.changes { ofAll.last[change.key] = change.new }
        ofAll.count += 1
      })
    let failures = Locked<[String]>([])
    try System.onThreads(threads) { thread in
      for number in 0..<changes {
        let key = keys[(number &* 7 &+ thread) % keys.count]
        let value = PropertyListValue.integer(Int64(thread * changes + number))
        do {
          switch number % 16 {
          case 0:
            try store.update { transaction in
              transaction.setRawValue(value, for: key)
              transaction.setRawValue(transaction.rawValue(for: keys[0]), for: keys[1])
            }
          case 1: try store.setRawValue(nil, for: key)
          default: try store.setRawValue(value, for: key)
          }
          if number % 64 == 0 { _ = store.snapshot().rawValue(for: key) }
          _ = store.rawValue(for: key)
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    for (key, seen) in zip(keys, ofKey) {
      let value = store.rawValue(for: key)
      if let told = seen.last[key] {
        guard told == value else {
          throw Breach("\(name): \(key) is \(value as Any), its observer knows \(told as Any)")
        }
      } else if value != nil {
        throw Breach("\(name): the observer of \(key) was told nothing")
      }
      if let told = ofAll.last[key], told != value {
        throw Breach("\(name): \(key) is \(value as Any), the observer of all knows \(told as Any)")
      }
    }
    let failed = failures.withLock { $0 }
    if let first = failed.first { throw Breach("\(name): \(failed.count) changes failed; the first: \(first)") }
    withExtendedLifetime(tokens) {}
    let time = (ContinuousClock.now - start) / .seconds(1)
    let told = ofKey.reduce(0) { $0 + $1.count }
    print(
      "\(name): \(threads) threads with \(changes) changes each, \(told) notifications, each key's last value was told, "
        + "\(Int(time.rounded())) s")
  }
}
