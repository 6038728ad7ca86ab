// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving

extension ArchiveField {
  /// A dictionary that may hold objects of any class.
  static func content(_ key: String, _ place: Place<ArchivedDictionary?>) -> Self {
    Self(
      encode: { $1.encode($0[keyPath: place], forKey: key) },
      decode: { $0[keyPath: place] = try $1.content(ArchivedDictionary.self, forKey: key) })
  }

  /// The same, stored only if there is one.
  static func optionalContent(_ key: String, _ place: Place<ArchivedDictionary?>) -> Self {
    Self(
      encode: { if let value = $0[keyPath: place] { $1.encode(value, forKey: key) } },
      decode: content(key, place).decode)
  }
}
