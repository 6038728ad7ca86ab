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
  ///   the result is nil, and also if arrays and dictionaries nest more than 512 levels deep. No file holds these.
  public init?(plain value: Any) { self.init(plain: value) { _ in nil } }

  /// Creates a property-list value from a value of Swift's types, or from a number of another library.
  /// - Parameters:
  ///   - value: The value.
  ///   - levels: The number of levels of containers that the value may have, which bounds the stack.
  ///   - number: A function that converts a number of the other library. It returns nil for all other values.
  package init?(plain value: Any, levels: Int = ReadLimits().maximumDepth, number: (Any) -> Self?) {
    if let value = number(value) {
      self = value
      return
    }
    switch value {
    case let value as PropertyListValue: self = value
    // Foundation's numbers 0 and 1 convert to `Bool`, too, but unlike a Boolean of Swift also to `Int`. This module has no
    // other way to ask for the class of Foundation's Booleans.
    case let bool as Bool where !(value is Int) || "\(type(of: value))".hasSameBytes(as: "__NSCFBoolean"):
      self = .boolean(bool)
    case let value as String: self = .string(value)
    case let value as Int: self = .integer(Int64(value))
    case let value as Double: self = .double(value)
    // Foundation returns some numbers inside of two optionals, where the function above does not see their type.
    case let value as Float: self = number(value) ?? .float(value)
    case let value as Date: self = .date(value)
    case let value as Data: self = .data(value)
    case let value as [String: Any]:
      guard levels > 0 else { return nil }
      var entries: [PropertyListDictionary.Element] = []
      for (key, value) in value {
        guard let value = Self(plain: value, levels: levels - 1, number: number) else { return nil }
        entries.append(.init(key: key, value: value))
      }
      self = .dictionary(PropertyListDictionary(sorting: entries))
    case let value as [Any]:
      guard levels > 0 else { return nil }
      var elements: [Self] = []
      for value in value {
        guard let value = Self(plain: value, levels: levels - 1, number: number) else { return nil }
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
  /// type, which are older than macOS 15, it stays a `PropertyListValue`. An array or dictionary inside of 512 others does so, too,
  /// because no file holds it. Dictionaries are `[String: Any]`: if Swift considers two keys equal, the
  /// result contains one of them. It omits keys with more than 127 combining marks in a row, because Swift takes
  /// quadratic time to hash them.
  public var plain: Any { plain(levels: ReadLimits().maximumDepth) }

  private func plain(levels: Int) -> Any {
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
    case .array(let elements): levels > 0 ? elements.map { $0.plain(levels: levels - 1) } : self
    case .dictionary(let entries):
      levels > 0
        ? Dictionary(
          entries.lazy.filter { MarkRun.isBounded($0.key) }.map { ($0.key, $0.value.plain(levels: levels - 1)) }
        ) { $1 } : self
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
