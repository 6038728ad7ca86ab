// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
public import TypedDefaults

extension PropertyListValue {
  /// The value of an object of Foundation's, as `UserDefaults` gives it; nil if it is none that a property list can hold.
  public init?(foundation object: Any) {
    switch object {
    case let number as NSNumber where type(of: object) is NSNumber.Type: self.init(number)
    case let text as String: self = .string(text)
    case let data as Data: self = .data(data)
    case let date as Date: self = .date(date)
    case let entries as [String: Any]:
      var values: [(String, PropertyListValue)] = []
      for (key, object) in entries {
        guard let value = Self(foundation: object) else { return nil }
        values.append((key, value))
      }
      self = .dictionary(PropertyListDictionary(values))
    case let elements as [Any]:
      var values: [PropertyListValue] = []
      for object in elements {
        guard let value = Self(foundation: object) else { return nil }
        values.append(value)
      }
      self = .array(values)
    default: self.init(plain: object)
    }
  }

  private init(_ number: NSNumber) {
    // Property lists have no characters: what is stored as one is a boolean.
    switch number.kind {
    case "c", "B": self = .boolean(number.boolValue)
    case "f": self = .float(number.floatValue)
    case "d": self = .double(number.doubleValue)
    case "Q", "L", "I", "S", "C": self = PropertyListValue(Int128(number.uint64Value))
    default: self = .integer(number.int64Value)
    }
  }

  /// The object of Foundation's for the value.
  /// - Throws: `DefaultsError` for what `UserDefaults` does not take: UIDs, and integers of more than 64 bits.
  func foundation(for key: String) throws -> Any {
    switch self {
    case .boolean(let value): return NSNumber(value: value)
    case .integer(let value): return NSNumber(value: value)
    case .wideInteger(let value):
      if let value = UInt64(exactly: value) { return NSNumber(value: value) }
    case .float(let value): return NSNumber(value: value)
    case .double(let value): return NSNumber(value: value)
    case .date(let value): return value
    case .data(let value): return value
    case .string(let value): return value
    case .uid: break
    case .array(let elements): return try elements.map { try $0.foundation(for: key) }
    case .dictionary(let entries):
      if let unhashable = unhashableKey {
        throw DefaultsError(
          .unencodable, key: key,
          "a key has a run of too many combining marks: found \(unhashable.utf8.count) bytes; expected at most "
            + "\(MarkRun.longest) marks in a row")
      }
      var objects: [String: Any] = [:]
      for entry in entries { objects[entry.key] = try entry.value.foundation(for: key) }
      return objects
    }
    throw DefaultsError(.unencodable, key: key, "expected what UserDefaults can hold, found \(self)")
  }
}
