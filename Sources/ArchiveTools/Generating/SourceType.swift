// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving

/// A type as source names it.
indirect enum SourceType {
  case named(String)
  case optional(SourceType)
  case array(SourceType)
  case set(SourceType)
  case dictionary(SourceType, SourceType)

  var text: String {
    switch self {
    case .named(let name): name
    case .optional(let type): "\(type.text)?"
    case .array(let element): "[\(element.text)]"
    case .set(let element): "Set<\(element.text)>"
    case .dictionary(let key, let value): "[\(key.text): \(value.text)]"
    }
  }

  /// A collection of it without elements; nil for what is none.
  var empty: String? {
    switch self {
    case .named, .optional: nil
    case .array, .set: "[]"
    case .dictionary: "[:]"
    }
  }
}
