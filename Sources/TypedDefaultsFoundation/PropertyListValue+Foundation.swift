// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
public import PropertyListFormat
import TypedDefaults

extension PropertyListValue {
  /// Creates a property-list value from an object of Foundation, as `UserDefaults` returns it.
  ///
  /// A `Float` becomes a double, because the files of `UserDefaults` do not keep the difference on all platforms.
  /// Otherwise the value would change as soon as the file is read again.
  /// - Parameter object: The object. If a property list cannot hold it, the result is nil.
  public init?(foundation object: Any) {
    self.init(plain: object) { object in
      // In collections, Foundation returns some numbers as Swift's types.
      if type(of: object) == Float.self, let value = object as? Float { return .double(Double(value)) }
      guard let number = object as? NSNumber, type(of: object) is NSNumber.Type else { return nil }
      return Self(number)
    }
  }

  private init(_ number: NSNumber) {
    // Property lists have no characters, so the type `char` is a Boolean.
    switch number.kind {
    case "c", "B": self = .boolean(number.boolValue)
    case "d", "f": self = .double(number.doubleValue)
    case "Q", "L", "I", "S", "C": self = PropertyListValue(number.uint64Value)
    default: self = .integer(number.int64Value)
    }
  }

  /// Returns the object of Foundation that `UserDefaults` can hold for the value, and keeps in its files.
  /// - Throws: `DefaultsError` for UIDs, integers of more than 64 bits, and keys with too many combining marks.
  func foundation(for key: String) throws -> Any {
    switch self {
    case .boolean(let value): return NSNumber(value: value)
    case .integer(let value): return NSNumber(value: value)
    case .wideInteger(let high, let low):
      if high == 0 { return NSNumber(value: low) }
    case .float(let value): return NSNumber(value: value)
    case .double(let value): return NSNumber(value: value)
    case .date(let value):
      #if canImport(Darwin)
        return value
      #else
        // The dates of its XML files are whole seconds.
        return Date(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate.rounded(.down))
      #endif
    case .data(let value): return value
    case .string(let value): return value
    case .uid: break
    case .array(let elements): return try elements.map { try $0.foundation(for: key) }
    case .dictionary(let entries):
      if let unhashable = unhashableKey {
        throw DefaultsError(.unencodable, key: key, MarkRun.problem(unhashable))
      }
      var objects: [String: Any] = [:]
      for entry in entries { objects[entry.key] = try entry.value.foundation(for: key) }
      return objects
    }
    throw DefaultsError(
      .unencodable, key: key, "unsupported value: UserDefaults cannot hold \(self)", remedy: "Use a FileStore")
  }
}
