// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import PropertyListFormat

extension PropertyListValue {
  /// Creates a property-list value from a value of Swift's types.
  /// - Parameter value: A Boolean, a number, a string, a date, data, or an array or dictionary of them. For other types
  ///   the result is nil.
  public init?(plain value: Any) { self.init(plain: value) { _ in nil } }

  /// Creates a property-list value from a value of Swift's types, or from a number of another library.
  /// - Parameters:
  ///   - value: The value.
  ///   - number: A function that converts a number of the other library. It returns nil for all other values.
  package init?(plain value: Any, number: (Any) -> Self?) {
    if let value = number(value) {
      self = value
      return
    }
    switch value {
    case let value as PropertyListValue: self = value
    case let value as Bool where type(of: value) == Bool.self: self = .boolean(value)
    case let value as String: self = .string(value)
    case let value as Int: self = .integer(Int64(value))
    case let value as Double: self = .double(value)
    // Foundation returns some numbers inside of two optionals, where the function above does not see their type.
    case let value as Float: self = number(value) ?? .float(value)
    case let value as Date: self = .date(value)
    case let value as Data: self = .data(value)
    case let value as [String: Any]:
      var entries: [PropertyListDictionary.Element] = []
      for (key, value) in value {
        guard let value = Self(plain: value, number: number) else { return nil }
        entries.append(.init(key: key, value: value))
      }
      self = .dictionary(PropertyListDictionary(sorting: entries))
    case let value as [Any]:
      var elements: [Self] = []
      for value in value {
        guard let value = Self(plain: value, number: number) else { return nil }
        elements.append(value)
      }
      self = .array(elements)
    case let value as any BinaryInteger:
      guard let value = Self(exactly: value) else { return nil }
      self = value
    default: return nil
    }
  }

  /// The value in Swift's types.
  ///
  /// Integers are `Int` if it can hold them. An integer of more than 64 bits is an `Int128`; on systems without that
  /// type, which are older than macOS 15, it stays a `PropertyListValue`. Dictionaries are `[String: Any]`: if Swift considers two keys equal, the
  /// result contains one of them. It omits keys with more than 127 combining marks in a row, because Swift takes
  /// quadratic time to hash them.
  public var plain: Any {
    switch self {
    case .boolean(let value): value
    case .integer(let value): Int(exactly: value) ?? value
    case .wideInteger(let high, let low): high == 0 ? low as Any : plainWideInteger
    case .float(let value): value
    case .double(let value): value
    case .date(let value): value
    case .data(let value): value
    case .string(let value): value
    case .uid(let value): value
    case .array(let elements): elements.map(\.plain)
    case .dictionary(let entries):
      Dictionary(entries.lazy.filter { MarkRun.isBounded($0.key) }.map { ($0.key, $0.value.plain) }) { $1 }
    }
  }

  private var plainWideInteger: Any {
    #if OLD_SYSTEMS
      self
    #else
      if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *), let int128 { int128 } else { self }
    #endif
  }
}
