// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// The settings of an `NSDateIntervalFormatter`.
public struct ArchivedDateIntervalFormatter: SecureKeyedCoding, Hashable, Sendable {
  /// The template that was set, such as `yMMMd`.
  public var dateTemplate: String?
  /// The template that follows from the styles.
  public var dateTemplateFromStyles: String?
  /// The locale.
  public var locale: ArchivedLocale?
  /// The calendar.
  public var calendar: ArchivedCalendar?
  /// The time zone.
  public var timeZone: ArchivedTimeZone?
  /// How dates are written, as `DateIntervalFormatter.Style`.
  public var dateStyle: Int
  /// How times are written.
  public var timeStyle: Int
  /// Whether the settings were changed since the formatter was used.
  public var isModified: Bool
  /// Whether the template counts and not the styles.
  public var usesTemplate: Bool

  /// Makes settings.
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

  /// Equal if all properties are; texts are compared by their bytes.
  public static func == (a: Self, b: Self) -> Bool {
    a.dateTemplate == b.dateTemplate && a.dateTemplateFromStyles == b.dateTemplateFromStyles
      && a.locale == b.locale && a.calendar == b.calendar && a.timeZone == b.timeZone && a.dateStyle == b.dateStyle
      && a.timeStyle == b.timeStyle && a.isModified == b.isModified && a.usesTemplate == b.usesTemplate
  }

  /// Hashes the templates and the locale.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(dateTemplate)
    hasher.combine(dateTemplateFromStyles)
    hasher.combine(locale)
  }

  /// `NSDateIntervalFormatter`.
  public static var archiveClassName: String { "NSDateIntervalFormatter" }

  /// Down to `NSFormatter`.
  public static var archiveClassChain: [String] { ["NSDateIntervalFormatter", "NSFormatter", "NSObject"] }

  /// Stores everything.
  public func encode(with coder: KeyedArchiver) { coder.encode(self, Self.fields) }

  /// Reads everything.
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
