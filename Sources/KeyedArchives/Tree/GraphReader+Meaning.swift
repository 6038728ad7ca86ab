// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

extension GraphReader {
  /// The classes with a known meaning.
  private enum Known {
    case color, font, attributedString, indexSet, indexPath, error, exception, decimal, value, url
    case locale, timeZone, calendar, dateInterval, dateComponents, measurement, unit
    case regularExpression, personName, predicate, expression, sortDescriptor, image
  }

  private static let known: [BytewiseString: Known] = [
    "NSColor": .color, "UIColor": .color, "UIDeviceRGBColor": .color, "UICachedDeviceRGBColor": .color,
    "UIDeviceWhiteColor": .color, "UICachedDeviceWhiteColor": .color, "NSFont": .font, "UIFont": .font,
    "NSAttributedString": .attributedString, "NSMutableAttributedString": .attributedString,
    "NSIndexSet": .indexSet, "NSMutableIndexSet": .indexSet, "NSIndexPath": .indexPath, "NSError": .error,
    "NSException": .exception, "NSDecimalNumber": .decimal, "NSDecimalNumberPlaceholder": .decimal, "NSValue": .value,
    "NSURL": .url, "NSLocale": .locale, "NSTimeZone": .timeZone, "NSCalendar": .calendar,
    "NSDateInterval": .dateInterval, "NSDateComponents": .dateComponents, "NSMeasurement": .measurement,
    "NSUnit": .unit, "NSRegularExpression": .regularExpression, "NSPersonNameComponents": .personName,
    "NSComparisonPredicate": .predicate, "NSCompoundPredicate": .predicate, "NSTruePredicate": .predicate,
    "NSFalsePredicate": .predicate, "NSConstantValueExpression": .expression, "NSKeyPathExpression": .expression,
    "NSFunctionExpression": .expression, "NSSortDescriptor": .sortDescriptor, "NSImage": .image, "UIImage": .image,
  ]
  /// The number of entries of an object with a known meaning; others have fewer.
  private static let maximumEntries = 64
  /// The number of ranges or indexes in a text.
  private static let maximumIndexes = 64

  /// Returns what an object represents, by its class and keys, or else its name.
  ///
  /// Nothing is decoded, and nothing is an error: an object with missing, malformed or large values has no meaning. The
  /// work for each object is bounded, and that for all objects by ``meaningBudget``.
  package mutating func meaning(of shape: Shape) -> Meaning? {
    guard case .object(let name, let contents) = shape, !meaningBudget.isExhausted else { return nil }
    let entries = contents.entries
    if entries.count <= Self.maximumEntries, !entries.isEmpty, let known = known(name.stored),
      let meaning = meaning(known, name.stored, entries)
    {
      return meaning
    }
    return self.name(entries)
  }

  private func known(_ name: String) -> Known? {
    if let known = Self.known[BytewiseString(name)] { return known }
    // NSUnitLength, NSUnitMass and so on.
    return name.hasPrefix("NSUnit") && !name.hasPrefix("NSUnitConverter") ? .unit : nil
  }

  private mutating func meaning(_ known: Known, _ name: String, _ entries: [KeyedArchive.Entry]) -> Meaning? {
    switch known {
    case .color: color(entries)
    case .font: font(entries)
    case .image: image(entries)
    case .attributedString: text(entries["NSString"], isLong: true).map { Meaning(.summary, $0, as: .string) }
    case .indexSet: indexSet(entries)
    case .indexPath: indexPath(entries)
    case .error:
      if let domain = text(entries["NSDomain"]), let code = integer(entries["NSCode"]) {
        Meaning(.summary, "\(domain) \(code)")
      } else {
        nil
      }
    case .exception:
      text(entries["NS.name"]).map { Meaning(.summary, [$0, text(entries["NS.reason"])].joined(": ")) }
    case .decimal: decimal(entries)
    case .value: value(entries)
    case .url: url(entries)
    case .locale, .calendar: text(entries["NS.identifier"]).map { Meaning(.value, $0, as: .string) }
    case .timeZone: text(entries["NS.name"]).map { Meaning(.value, $0, as: .string) }
    case .dateInterval:
      if let start = date(entries["NS.startDate"]), let end = date(entries["NS.endDate"]) {
        Meaning(.value, "\(start)/\(end)")
      } else {
        nil
      }
    case .dateComponents: dateComponents(entries)
    case .measurement: measurement(entries)
    case .unit: text(entries["NS.symbol"]).map { Meaning(.summary, $0, as: .string) }
    case .regularExpression: text(entries["NSPattern"], isLong: true).map { Meaning(.summary, $0, as: .string) }
    // The components are in a private object; swift-corelibs-foundation has them in this one.
    case .personName: personName(object(entries["NS.nameComponentsPrivate"])?.entries ?? entries)
    case .sortDescriptor: sortDescriptor(entries)
    case .predicate, .expression: PredicateText.meaning(name, entries, &self)
    }
  }

  // MARK: Appearance

  private mutating func color(_ entries: [KeyedArchive.Entry], nesting: Int = 0) -> Meaning? {
    if let catalog = text(entries["NSCatalogName"]), let name = text(entries["NSColorName"]) {
      var color: Meaning?
      if nesting == 0, let inner = object(entries["NSColor"]) { color = self.color(inner.entries, nesting: 1) }
      return Meaning(.value, [color?.text, "\(catalog) \(name)"].joined(", "), color: color?.color)
    }
    for key in ["NSRGB", "NSWhite", "NSCMYK"] {
      if let data = bytes(entries[key]), let color = Meaning.color(ofComponents: data, key: key) { return color }
    }
    func component(_ key: String, _ reader: inout Self) -> Double? {
      reader.real(entries[key + "-Double"]) ?? reader.real(entries[key])
    }
    let alpha = component("UIAlpha", &self) ?? 1
    if let red = component("UIRed", &self), let green = component("UIGreen", &self),
      let blue = component("UIBlue", &self)
    {
      return .color(red, green, blue, alpha)
    }
    if let white = component("UIWhite", &self) { return .gray(white, alpha) }
    return text(entries["UISystemColorName"]).map { Meaning(.value, $0) }
  }

  private mutating func font(_ entries: [KeyedArchive.Entry]) -> Meaning? {
    guard let name = text(entries["NSName"]) ?? text(entries["UIFontName"]) else { return nil }
    let size = real(entries["NSSize"]) ?? real(entries["UIFontPointSize"])
    return Meaning(.summary, [name, size.map { "\(Meaning.text($0)) pt" }].joined(" "))
  }

  private mutating func image(_ entries: [KeyedArchive.Entry]) -> Meaning? {
    guard let size = text(entries["NSSize"]) ?? text(entries["UIImageSizeInPixels"]),
      let numbers = size.rest(after: "{")?.rest(before: "}")?.split(separator: ",", maxSplits: 2), numbers.count == 2,
      let width = Double(numbers[0].trimmed), let height = Double(numbers[1].trimmed), width.isFinite, height.isFinite
    else {
      return nil
    }
    return Meaning(.summary, "\(Meaning.text(width)) × \(Meaning.text(height))")
  }

  // MARK: Foundation

  private mutating func url(_ entries: [KeyedArchive.Entry]) -> Meaning? {
    guard let relative = text(entries["NS.relative"], isLong: true), let base = object(entries["NS.base"]),
      base.name == "NSURL", let start = text(base.entries["NS.relative"], isLong: true)
    else {
      return nil
    }
    return Meaning(.summary, "\(relative) relative to \(start)")
  }

  private mutating func date(_ stored: KeyedArchive.StoredValue?) -> String? {
    guard let date = object(stored), date.name == "NSDate" else { return nil }
    return real(date.entries["NS.time"]).map { DateText.iso8601($0) }
  }

  private mutating func indexSet(_ entries: [KeyedArchive.Entry]) -> Meaning? {
    guard let count = integer(entries["NSRangeCount"]), count >= 0 else { return nil }
    var numbers: [UInt64] = []
    switch count {
    case 0: return Meaning(.value, "empty")
    case 1:
      guard let start = integer(entries["NSLocation"]), let length = integer(entries["NSLength"]), start >= 0,
        length >= 0
      else {
        return nil
      }
      numbers = [UInt64(start), UInt64(length)]
    default:
      guard let data = bytes(entries["NSRangeData"]),
        let found = Self.varints(data, limit: 2 * Self.maximumIndexes + 1)
      else {
        return nil
      }
      let (wanted, overflow) = count.multipliedReportingOverflow(by: 2)
      guard !overflow, found.count == min(wanted, 2 * Self.maximumIndexes + 2) else { return nil }
      numbers = found
    }
    var ranges: [String] = []
    for place in stride(from: 0, to: min(numbers.count, 2 * Self.maximumIndexes), by: 2) {
      guard let range = Self.range(numbers[place], numbers[place + 1]) else { return nil }
      ranges.append(range)
    }
    if count > ranges.count { ranges.append("… (\(count) ranges)") }
    return Meaning(.value, ranges.joined(separator: ", "))
  }

  /// Returns a range as its first and last index.
  private static func range(_ start: UInt64, _ length: UInt64) -> String? {
    guard length > 0 else { return nil }
    let (last, overflow) = start.addingReportingOverflow(length - 1)
    guard !overflow else { return nil }
    return length == 1 ? "\(start)" : "\(start)–\(last)"
  }

  private mutating func indexPath(_ entries: [KeyedArchive.Entry]) -> Meaning? {
    guard let count = integer(entries["NSIndexPathLength"]), count >= 0 else { return nil }
    var numbers: [UInt64] = []
    if count == 1 {
      guard let index = integer(entries["NSIndexPathValue"]), index >= 0 else { return nil }
      numbers = [UInt64(index)]
    } else if count > 1 {
      guard let data = bytes(entries["NSIndexPathData"]),
        let found = Self.varints(data, limit: Self.maximumIndexes), found.count == min(count, Self.maximumIndexes + 1)
      else {
        return nil
      }
      numbers = found
    }
    var texts = numbers.prefix(Self.maximumIndexes).map { "\($0)" }
    if count > texts.count { texts.append("… (\(count) indexes)") }
    return Meaning(.value, "[\(texts.joined(separator: ", "))]")
  }

  private mutating func decimal(_ entries: [KeyedArchive.Entry]) -> Meaning? {
    guard let exponent = integer(entries["NS.exponent"]), -128...127 ~= exponent,
      let length = integer(entries["NS.length"]), 0...8 ~= length,
      case .boolean(let isNegative)? = entries["NS.negative"],
      let order = integer(entries["NS.mantissa.bo"]), order == 1 || order == 2,
      let data = bytes(entries["NS.mantissa"]), data.count == 16
    else {
      return nil
    }
    guard length > 0 else { return Meaning(.value, isNegative ? "NaN" : "0", as: isNegative ? .plain : .number) }
    let bytes = [UInt8](data)
    var mantissa = WideMagnitude.zero
    for digit in (0..<length).reversed() {
      let (first, second) = (UInt16(bytes[2 * digit]), UInt16(bytes[2 * digit + 1]))
      mantissa.append(order == 1 ? second << 8 | first : first << 8 | second)
    }
    // Zero has neither a sign nor an exponent.
    guard !mantissa.isZero else { return Meaning(.value, "0", as: .number) }
    let text = Meaning.decimal(mantissa.description, exponent: exponent, isNegative: isNegative)
    return Meaning(.value, text, as: .number)
  }

  private mutating func value(_ entries: [KeyedArchive.Entry]) -> Meaning? {
    switch integer(entries["NS.special"]) {
    case 1?: return text(entries["NS.pointval"]).map { Meaning(.value, $0) }
    case 2?: return text(entries["NS.sizeval"]).map { Meaning(.value, $0) }
    case 3?: return text(entries["NS.rectval"]).map { Meaning(.value, $0) }
    case 4?:
      guard let location = integer(entries["NS.rangeval.location"]), let length = integer(entries["NS.rangeval.length"])
      else {
        return nil
      }
      return Meaning(.value, "{\(location), \(length)}")
    // Those of UIKit and of AppKit.
    case 11?, 12?:
      var sides: [String] = []
      for side in ["top", "left", "bottom", "right"] {
        guard let value = real(entries["NS.edgeval.\(side)"]) else { return nil }
        sides.append(Meaning.text(value))
      }
      return Meaning(.value, "{\(sides.joined(separator: ", "))}")
    default: return nil
    }
  }

  private mutating func dateComponents(_ entries: [KeyedArchive.Entry]) -> Meaning? {
    let names = [
      "era", "year", "quarter", "month", "week", "weekOfYear", "weekOfMonth", "day", "weekday", "weekdayOrdinal",
      "hour", "minute", "second", "nanosec",
    ]
    var parts: [String] = []
    for name in names {
      // Undefined components are the largest integer.
      guard let value = integer(entries["NS.\(name)"]), value != .max else { continue }
      parts.append("\(name) \(value)")
    }
    return parts.isEmpty ? nil : Meaning(.summary, parts.joined(separator: ", "))
  }

  private mutating func measurement(_ entries: [KeyedArchive.Entry]) -> Meaning? {
    guard let value = real(entries["NS.value"]), let unit = object(entries["NS.unit"]),
      let symbol = text(unit.entries["NS.symbol"])
    else {
      return nil
    }
    return Meaning(.value, "\(Meaning.text(value)) \(symbol)")
  }

  private mutating func personName(_ entries: [KeyedArchive.Entry]) -> Meaning? {
    var parts: [String] = []
    for key in ["namePrefix", "givenName", "middleName", "familyName", "nameSuffix"] {
      if let part = text(entries["NS.\(key)"]) { parts.append(part) }
    }
    return parts.isEmpty ? nil : Meaning(.summary, parts.joined(separator: " "), as: .string)
  }

  private mutating func sortDescriptor(_ entries: [KeyedArchive.Entry]) -> Meaning? {
    guard let key = text(entries["NSKey"]), case .boolean(let isAscending)? = entries["NSAscending"] else { return nil }
    return Meaning(.summary, "\(key) \(isAscending ? "ascending" : "descending")")
  }
}

extension [String?] {
  /// Joins the texts that are not nil.
  fileprivate func joined(_ separator: String) -> String { compactMap(\.self).joined(separator: separator) }
}

extension Substring {
  /// The text without spaces at its ends.
  fileprivate var trimmed: Substring {
    let space = UInt8(ascii: " ")
    guard let first = utf8.firstIndex(where: { $0 != space }), let last = utf8.lastIndex(where: { $0 != space }) else {
      return self[endIndex...]
    }
    return self[first...last]
  }
}
