// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension KeyedArchiveError {
  /// The error for a key that one object encoded two values for.
  static func repeatedKey(_ key: String, keyPath: String?, className: String?) -> KeyedArchiveError {
    KeyedArchiveError(
      .notEncodable, "two values were encoded for the key '\(key)'; the first would be lost", keyPath: keyPath,
      className: className,
      remedy: "Give each value a key of its own; a subclass must not use the keys of its superclass. To keep the later "
        + "value, set repeatedKeyPolicy to .keepLast")
  }
}
