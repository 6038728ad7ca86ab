// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TypedDefaults

#if !canImport(Darwin)
  extension SharedDefaults: SystemDefaults {
    var needsSynchronizing: Bool { true }

    func observe(_ body: @escaping @Sendable () -> Void) -> (any Sendable)? { nil }

    static func number(_ object: Any) -> PropertyListValue? {
      guard let number = object as? NSNumber, type(of: object) is NSNumber.Type else { return nil }
      return PropertyListValue(number)
    }

    static func object(for value: PropertyListValue) -> Any? {
      switch value {
      case .boolean(let value): NSNumber(value: value)
      case .integer(let value): NSNumber(value: value)
      case .wideInteger(let high, let low): high == 0 ? NSNumber(value: low) : nil
      case .float(let value): NSNumber(value: value)
      case .double(let value): NSNumber(value: value)
      // Foundation writes these to its XML files as text that no program can read. All values of the file are then lost.
      case .date(let value) where !value.timeIntervalSinceReferenceDate.isFinite: nil
      // The dates of its XML files are whole seconds.
      case .date(let value):
        Date(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate.rounded(.down))
      default: nil
      }
    }
  }

  extension UserDefaults: UserDefaultsCalls {}

  extension NSNumber: FoundationNumber {
    var isBoolean: Bool { self === NSNumber(value: true) || self === NSNumber(value: false) }
  }
#endif
