// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat

// The only file of this module with `unsafe` code. Its safety depends on this fact: the type encoding of an `NSNumber`
// is a null-terminated string that lives as long as the number.

/// Defaults that several threads can use. `UserDefaults` is thread-safe, but not marked as `Sendable`.
final class SharedDefaults: @unchecked Sendable {  // guarded by `lock`
  /// A recursive lock, because observers of a change can read during the change.
  private let lock = NSRecursiveLock()
  private let defaults: UserDefaults

  init(_ defaults: UserDefaults) { self.defaults = defaults }

  func withLock<Result>(_ body: (UserDefaults) throws -> Result) rethrows -> Result {
    try lock.withLock { try body(defaults) }
  }

  /// Stores objects, and removes those that are nil.
  func set(_ objects: [(key: String, object: Any?)]) {
    withLock { defaults in
      for (key, object) in objects {
        if let object { defaults.set(object, forKey: key) } else { defaults.removeObject(forKey: key) }
      }
    }
  }

  /// Returns the values of a domain.
  func values(in domain: String) -> PropertyListDictionary {
    PropertyListDictionary(
      (withLock { $0.persistentDomain(forName: domain) } ?? [:]).compactMap { key, object in
        PropertyListValue(foundation: object).map { (key, $0) }
      })
  }
}

#if canImport(Darwin)
  /// An observer of the system's change notifications. Releasing it ends the observation.
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
  /// The type encoding of the number.
  var kind: Character { Character(UnicodeScalar(UInt8(bitPattern: unsafe objCType.pointee))) }
}
