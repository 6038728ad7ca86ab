// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A collection that hashes the texts in it by Swift's own rules.
protocol HashedCollection {}

extension Set: HashedCollection {}
extension Dictionary: HashedCollection {}

extension PropertyListValue {
  /// A text in the value that would take too long to hash; nil if there is none.
  var unhashableText: String? {
    var stack = [self]
    while let value = stack.popLast() {
      switch value {
      case .string(let text): if !MarkRun.isBounded(text) { return text }
      case .array(let elements): stack += elements
      case .dictionary(let entries):
        for entry in entries {
          if !MarkRun.isBounded(entry.key) { return entry.key }
          stack.append(entry.value)
        }
      default: break
      }
    }
    return nil
  }

  /// A key in the value that would take too long to hash; nil if there is none.
  package var unhashableKey: String? {
    var stack = [self]
    while let value = stack.popLast() {
      switch value {
      case .array(let elements): stack += elements
      case .dictionary(let entries):
        for entry in entries {
          if !MarkRun.isBounded(entry.key) { return entry.key }
          stack.append(entry.value)
        }
      default: break
      }
    }
    return nil
  }
}
