// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

/// An `NSDateFormatter`.
public struct ArchivedDateFormatter: SecureKeyedCoding {
  /// The format, in the syntax of `strftime`.
  public var format: String?
  /// A Boolean value that indicates whether the formatter parses words such as "tomorrow".
  public var allowsNaturalLanguage: Bool
  /// The newer settings by name. Values of classes that were not requested are `ArchivedObject`s.
  public var attributes: ArchivedDictionary?
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates a formatter.
  /// - Parameters:
  ///   - format: The format, in the syntax of `strftime`.
  ///   - allowsNaturalLanguage: Whether the formatter parses words such as "tomorrow".
  ///   - attributes: The newer settings by name.
  public init(format: String?, allowsNaturalLanguage: Bool = false, attributes: ArchivedDictionary? = nil) {
    self.format = format
    self.allowsNaturalLanguage = allowsNaturalLanguage
    self.attributes = attributes
  }

  /// The archived class name, `NSDateFormatter`.
  public static var archiveClassName: String { "NSDateFormatter" }

  /// The class and its superclasses.
  public static var archiveClassChain: [String] { ["NSDateFormatter", "NSFormatter", "NSObject"] }

  /// Encodes the settings.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    if let attributes { coder.encode(attributes, forKey: "NS.attributes") }
    coder.encode(format, forKey: "NS.format")
    coder.encode(allowsNaturalLanguage, forKey: "NS.natural")
    otherValues.encode(with: coder)
  }

  /// Decodes the settings.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    format = try coder.decodeIfPresent(String.self, forKey: "NS.format")
    allowsNaturalLanguage = try coder.primitive(Bool.self, "NS.natural") ?? false
    attributes = try coder.content(ArchivedDictionary.self, forKey: "NS.attributes")
    otherValues = try coder.otherValues(except: ["NS.format", "NS.natural", "NS.attributes"])
  }
}

/// An `NSISO8601DateFormatter`.
public struct ArchivedISO8601DateFormatter: SecureKeyedCoding, Hashable, Sendable {
  /// The raw value of `ISO8601DateFormatter.Options`.
  public var formatOptions: Int
  /// The time zone; nil for GMT, the default. Nil is not stored, because Apple's decoder rejects it.
  public var timeZone: ArchivedTimeZone?
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates a formatter. The default is Foundation's.
  /// - Parameters:
  ///   - formatOptions: The raw value of `ISO8601DateFormatter.Options`.
  ///   - timeZone: The time zone.
  public init(formatOptions: Int = 1907, timeZone: ArchivedTimeZone? = ArchivedTimeZone(name: "GMT")) {
    self.formatOptions = formatOptions
    self.timeZone = timeZone
  }

  /// The archived class name, `NSISO8601DateFormatter`.
  public static var archiveClassName: String { "NSISO8601DateFormatter" }

  /// The class and its superclasses.
  public static var archiveClassChain: [String] { ["NSISO8601DateFormatter", "NSFormatter", "NSObject"] }

  /// Encodes the options, and the time zone if it is not nil.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(formatOptions, forKey: "NS.formatOptions")
    if let timeZone { coder.encode(timeZone, forKey: "NS.timeZone") }
    otherValues.encode(with: coder)
  }

  /// Decodes the options and the time zone.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    formatOptions = try coder.needed(Int.self, "NS.formatOptions")
    timeZone = try coder.decodeIfPresent(ArchivedTimeZone.self, forKey: "NS.timeZone")
    otherValues = try coder.otherValues(except: ["NS.formatOptions", "NS.timeZone"])
  }
}

/// An `NSDateIntervalFormatter`.
public struct ArchivedDateIntervalFormatter: SecureKeyedCoding, OtherValuesKeeping, Hashable, Sendable {
  /// The template, such as `yMMMd`.
  public var dateTemplate: String?
  /// The template derived from the styles.
  public var dateTemplateFromStyles: String?
  /// The locale.
  public var locale: ArchivedLocale?
  /// The calendar.
  public var calendar: ArchivedCalendar?
  /// The time zone.
  public var timeZone: ArchivedTimeZone?
  /// The style of dates, a `DateIntervalFormatter.Style`.
  public var dateStyle: Int
  /// The style of times, a `DateIntervalFormatter.Style`.
  public var timeStyle: Int
  /// A Boolean value that indicates whether the settings changed after the last use.
  public var isModified: Bool
  /// A Boolean value that indicates whether the template replaces the styles.
  public var usesTemplate: Bool
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates a formatter.
  /// - Parameters:
  ///   - dateTemplate: The template, such as `yMMMd`.
  ///   - dateTemplateFromStyles: The template derived from the styles.
  ///   - locale: The locale.
  ///   - calendar: The calendar.
  ///   - timeZone: The time zone.
  ///   - dateStyle: The style of dates, a `DateIntervalFormatter.Style`.
  ///   - timeStyle: The style of times, a `DateIntervalFormatter.Style`.
  ///   - isModified: Whether the settings changed after the last use.
  ///   - usesTemplate: Whether the template replaces the styles.
  public init(
    dateTemplate: String? = "", dateTemplateFromStyles: String? = nil, locale: ArchivedLocale? = nil,
    calendar: ArchivedCalendar? = nil, timeZone: ArchivedTimeZone? = nil, dateStyle: Int = 1, timeStyle: Int = 1,
    isModified: Bool = true, usesTemplate: Bool = false
  ) {
    self.dateTemplate = dateTemplate
    self.dateTemplateFromStyles = dateTemplateFromStyles
    self.locale = locale
    self.calendar = calendar
    self.timeZone = timeZone
    self.dateStyle = dateStyle
    self.timeStyle = timeStyle
    self.isModified = isModified
    self.usesTemplate = usesTemplate
  }

  /// Returns whether all properties are equal. Compares strings by their bytes.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether all properties are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.dateTemplate == b.dateTemplate && a.dateTemplateFromStyles == b.dateTemplateFromStyles
      && a.locale == b.locale && a.calendar == b.calendar && a.timeZone == b.timeZone && a.dateStyle == b.dateStyle
      && a.timeStyle == b.timeStyle && a.isModified == b.isModified && a.usesTemplate == b.usesTemplate
      && a.otherValues == b.otherValues
  }

  /// Hashes the templates and the locale.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(dateTemplate)
    hasher.combine(dateTemplateFromStyles)
    hasher.combine(locale)
  }

  /// The archived class name, `NSDateIntervalFormatter`.
  public static var archiveClassName: String { "NSDateIntervalFormatter" }

  /// The class and its superclasses.
  public static var archiveClassChain: [String] { ["NSDateIntervalFormatter", "NSFormatter", "NSObject"] }

  /// Encodes all settings.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) { coder.encode(self, Self.fields) }

  /// Decodes all settings.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    self.init()
    try coder.decode(Self.fields, into: &self)
  }

  private static let fields: [ArchiveField<Self>] = [
    .object("NS.dateTemplate", \.dateTemplate), .object("NS.dateTemplateFromStyles", \.dateTemplateFromStyles),
    .number("NS.modified", \.isModified, ifAbsent: false), .number("NS.useTemplate", \.usesTemplate, ifAbsent: false),
    .object("NS.locale", \.locale), .object("NS.calendar", \.calendar), .object("NS.timeZone", \.timeZone),
    .number("NS.dateStyle", \.dateStyle), .number("NS.timeStyle", \.timeStyle),
  ]
}
