// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A type as it is written in source.
indirect enum SourceType {
  case named(String)
  case optional(SourceType)
  case array(SourceType, isMutable: Bool)
  case set(SourceType)
  case dictionary(SourceType, SourceType)

  var text: String {
    switch self {
    case .named(let name): name
    case .optional(let type): "\(type.text)?"
    case .array(let element, _): "[\(element.text)]"
    case .set(let element): "Set<\(element.text)>"
    case .dictionary(let key, let value): "[\(key.text): \(value.text)]"
    }
  }

  /// The literal of an empty collection; nil for other types.
  var empty: String? {
    switch self {
    case .named, .optional: nil
    case .array, .set: "[]"
    case .dictionary: "[:]"
    }
  }

  /// Whether the type is archived with mutable arrays, as which an `Array` is not archived.
  var hasMutableArrays: Bool {
    switch self {
    case .named, .set: false
    case .optional(let type): type.hasMutableArrays
    case .array(let element, let isMutable): isMutable || element.hasMutableArrays
    case .dictionary(_, let value): value.hasMutableArrays
    }
  }

  /// Returns an expression that converts arrays of a value to mutable arrays where the archive has these.
  /// - Parameter value: An expression of this type.
  /// - Returns: The expression for the archiver.
  func archived(_ value: String) -> String {
    guard hasMutableArrays else { return value }
    switch self {
    case .named, .set: return value
    case .optional(let type): return "\(value).map { \(type.archived("$0")) }"
    case .array(let element, let isMutable):
      let elements = element.hasMutableArrays ? "\(value).map { \(element.archived("$0")) }" : value
      return isMutable ? "ArchivedArray(\(elements), isMutable: true)" : elements
    case .dictionary(_, let type): return "\(value).mapValues { \(type.archived("$0")) }"
    }
  }
}
