// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The keys that objects encoded more than once, each for its first object in the order of encoding.
struct RepeatedKeys {
  private struct ClassKey: Hashable {
    /// Nil for the top level.
    var className: BytewiseString?
    var key: BytewiseString

    init(_ className: String?, _ key: String) {
      self.className = className.map { BytewiseString($0) }
      self.key = BytewiseString(key)
    }
  }

  private(set) var entries: [KeyReport.Entry] = []
  private var known: Set<ClassKey> = []

  /// Whether no object of a class was reported for a key before.
  func isNew(_ key: String, className: String?) -> Bool { !known.contains(ClassKey(className, key)) }

  /// Adds a key of a class, unless an object of the class was reported for it before.
  mutating func add(_ key: String, at path: String, className: String?, isDictionaryKey: Bool = false) {
    guard known.insert(ClassKey(className, key)).inserted else { return }
    entries.append(
      KeyReport.Entry(path: path, className: className, key: key, isDictionaryKey: isDictionaryKey))
  }
}
