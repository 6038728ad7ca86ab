// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TypedDefaults

// The only file of this module with `unsafe` code. Its safety depends on this fact: the type encoding of an `NSNumber`
// is a null-terminated string that lives as long as the number.

// On Apple's systems, TypedDefaults has these declarations, because its default store is `UserDefaults.standard` there.
#if !canImport(Darwin)
  /// Defaults that several threads can use. `UserDefaults` is thread-safe, but not marked as `Sendable`.
  final class SharedDefaults: @unchecked Sendable {  // guarded by `lock`
    /// A recursive lock, because observers of a change can read during the change.
    private let lock = NSRecursiveLock()
    private let defaults: UserDefaults

    init(_ defaults: UserDefaults) { self.defaults = defaults }

    func withLock<Result>(_ body: (any UserDefaultsCalls) throws -> Result) rethrows -> Result {
      try lock.withLock { try body(defaults) }
    }
  }

  extension NSNumber {
    /// The type encoding of the number.
    var kind: Character { Character(UnicodeScalar(UInt8(bitPattern: unsafe objCType.pointee))) }
  }
#endif
