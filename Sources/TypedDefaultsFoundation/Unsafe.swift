// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TypedDefaults

// The only file of this module with `unsafe` in it. What it relies on:
// - the letters that say what an `NSNumber` holds are a text that ends with a zero and lives as long as the number.

/// Defaults that several threads use, one at a time: Foundation says so of its own, and does not say so to the compiler.
final class SharedDefaults: @unchecked Sendable {  // guarded by `lock`
  /// Whoever is told of a change while it is made may read.
  private let lock = NSRecursiveLock()
  private let defaults: UserDefaults

  init(_ defaults: UserDefaults) { self.defaults = defaults }

  func withLock<Result>(_ body: (UserDefaults) throws -> Result) rethrows -> Result {
    try lock.withLock { try body(defaults) }
  }

  /// The values of a domain.
  func values(in domain: String) -> PropertyListDictionary {
    PropertyListDictionary(
      (withLock { $0.persistentDomain(forName: domain) } ?? [:]).compactMap { key, object in
        PropertyListValue(foundation: object).map { (key, $0) }
      })
  }
}

#if canImport(Darwin)
  /// What the system says of changes, as long as this lives.
  final class Announcements: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var token: (any NSObjectProtocol)?

    func begin(_ body: @escaping @Sendable () -> Void) {
      let token = NotificationCenter.default.addObserver(
        forName: UserDefaults.didChangeNotification, object: nil, queue: nil
      ) { _ in body() }
      lock.withLock { self.token = token }
    }

    deinit { lock.withLock { if let token { NotificationCenter.default.removeObserver(token) } } }
  }
#endif

extension NSNumber {
  /// The letter that says what it holds.
  var kind: Character { Character(UnicodeScalar(UInt8(bitPattern: unsafe objCType.pointee))) }
}
