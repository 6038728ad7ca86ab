// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation

// Classes as apps have them, in the habits of several years. Each is coded by Foundation's coders and by this package's
// without a difference: only the conformances at the end of this file belong to this package. Each `init(coder:)` notes
// that it runs, for the tests of refused classes.

/// The initializers that ran in one test.
final class Initializations: @unchecked Sendable {
  @TaskLocal static var current: Initializations?
  private(set) var names: [String] = []

  static func note(_ name: String) { current?.names.append(name) }

  /// Runs a step and returns the classes whose `init(coder:)` ran.
  static func during(_ body: () throws -> Void) rethrows -> [String] {
    let log = Initializations()
    try $current.withValue(log) { try body() }
    return log.names
  }
}

/// A class of a first tutorial: a structure of keys and a failable convenience initializer.
final class Meal: NSObject, NSSecureCoding {
  struct PropertyKey {
    static let name = "name"
    static let photo = "photo"
    static let rating = "rating"
  }

  static var supportsSecureCoding: Bool { true }
  var name: String
  var photo: Data?
  var rating: Int

  init?(name: String, photo: Data?, rating: Int) {
    guard !name.isEmpty, (0...5).contains(rating) else { return nil }
    self.name = name
    self.photo = photo
    self.rating = rating
    super.init()
  }

  func encode(with aCoder: NSCoder) {
    aCoder.encode(name, forKey: PropertyKey.name)
    aCoder.encode(photo, forKey: PropertyKey.photo)
    aCoder.encode(rating, forKey: PropertyKey.rating)
  }

  required convenience init?(coder aDecoder: NSCoder) {
    Initializations.note("Meal")
    guard let name = aDecoder.decodeObject(of: NSString.self, forKey: PropertyKey.name) as String? else { return nil }
    let photo = aDecoder.decodeObject(of: NSData.self, forKey: PropertyKey.photo) as Data?
    self.init(name: name, photo: photo, rating: aDecoder.decodeInteger(forKey: PropertyKey.rating))
  }
}

/// The base of a hierarchy, whose subclasses call `super`.
class Token: NSObject, NSSecureCoding {
  class var supportsSecureCoding: Bool { true }
  let issuer: String
  let secret: Data
  var tags: [String]

  init(issuer: String, secret: Data, tags: [String] = []) {
    self.issuer = issuer
    self.secret = secret
    self.tags = tags
    super.init()
  }

  func encode(with coder: NSCoder) {
    coder.encode(issuer, forKey: "issuer")
    coder.encode(secret, forKey: "secret")
    coder.encode(tags, forKey: "tags")
  }

  required init?(coder: NSCoder) {
    Initializations.note("Token")
    guard let issuer = coder.decodeObject(of: NSString.self, forKey: "issuer") as String?,
      let secret = coder.decodeObject(of: NSData.self, forKey: "secret") as Data?
    else { return nil }
    self.issuer = issuer
    self.secret = secret
    tags = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "tags") as? [String] ?? []
    super.init()
  }
}

final class TimeToken: Token {
  var period: Double = 30

  override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(period, forKey: "period")
  }

  override init(issuer: String, secret: Data, tags: [String] = []) {
    super.init(issuer: issuer, secret: secret, tags: tags)
  }

  required init?(coder: NSCoder) {
    Initializations.note("TimeToken")
    super.init(coder: coder)
    period = coder.decodeDouble(forKey: "period")
  }
}

final class CounterToken: Token {
  var counter: Int64 = 0
  var backup: Token?

  override init(issuer: String, secret: Data, tags: [String] = []) {
    super.init(issuer: issuer, secret: secret, tags: tags)
  }

  override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(counter, forKey: "counter")
    coder.encode(backup, forKey: "backup")
  }

  required init?(coder: NSCoder) {
    Initializations.note("CounterToken")
    super.init(coder: coder)
    counter = coder.decodeInt64(forKey: "counter")
    backup = coder.decodeObject(of: Token.self, forKey: "backup")
  }
}

/// Written for Swift 2: untyped requests and casts, numbers as objects, and `NSCoding` habits with secure coding added.
class Session: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { return true }
  var user = ""
  var visits: NSNumber?
  var lastSeen: NSDate?
  var settings: [String: AnyObject] = [:]
  var previous: Session?

  override init() { super.init() }

  required init?(coder aDecoder: NSCoder) {
    Initializations.note("Session")
    super.init()
    self.user = (aDecoder.decodeObject(forKey: "kSessionUser") as? String) ?? ""
    self.visits = aDecoder.decodeObject(forKey: "kSessionVisits") as? NSNumber
    self.lastSeen = aDecoder.decodeObject(forKey: "kSessionLastSeen") as? NSDate
    if let saved = aDecoder.decodeObject(forKey: "kSessionSettings") as? NSDictionary {
      for (key, value) in saved {
        if let name = key as? String { settings[name] = value as AnyObject }
      }
    }
    self.previous = aDecoder.decodeObject(forKey: "kSessionPrevious") as? Session
  }

  func encode(with aCoder: NSCoder) {
    aCoder.encode(self.user, forKey: "kSessionUser")
    aCoder.encode(self.visits, forKey: "kSessionVisits")
    aCoder.encode(self.lastSeen, forKey: "kSessionLastSeen")
    let saved = NSMutableDictionary()
    for (key, value) in settings { saved[key as NSString] = value }
    aCoder.encode(saved, forKey: "kSessionSettings")
    aCoder.encode(self.previous, forKey: "kSessionPrevious")
  }
}

/// Keys of Objective-C's time, and every kind of number.
final class Gauge: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  var isOn = false
  var level: Int32 = 0
  var total: Int64 = 0
  var count = 0
  var ratio: Float = 0
  var exact: Double = 0
  var samples: [UInt8] = []

  override init() { super.init() }

  func encode(with coder: NSCoder) {
    coder.encode(isOn, forKey: "XXGaugeIsOn")
    coder.encode(level, forKey: "XXGaugeLevel")
    coder.encode(total, forKey: "$XXGaugeTotal")
    coder.encode(count, forKey: "XXGaugeCount")
    coder.encode(ratio, forKey: "XXGaugeRatio")
    coder.encode(exact, forKey: "XXGaugeExact")
    unsafe coder.encodeBytes(samples, length: samples.count, forKey: "XXGaugeSamples")
  }

  init?(coder: NSCoder) {
    Initializations.note("Gauge")
    isOn = coder.decodeBool(forKey: "XXGaugeIsOn")
    level = coder.decodeInt32(forKey: "XXGaugeLevel")
    total = coder.decodeInt64(forKey: "$XXGaugeTotal")
    count = coder.decodeInteger(forKey: "XXGaugeCount")
    ratio = coder.decodeFloat(forKey: "XXGaugeRatio")
    exact = coder.decodeDouble(forKey: "XXGaugeExact")
    samples = unsafe coder.withDecodedUnsafeBytes(forKey: "XXGaugeSamples") { bytes in
      unsafe bytes.map { bytes in unsafe Array(bytes) } ?? []
    }
  }
}

/// Versions in the archive: an older one lacks a key.
final class Script: NSObject, NSSecureCoding {
  static let currentVersion: Int32 = 2
  static var supportsSecureCoding: Bool { true }
  var text: String
  var font: String
  var readVersion: Int32 = Script.currentVersion

  init(text: String, font: String) {
    self.text = text
    self.font = font
  }

  func encode(with coder: NSCoder) {
    guard coder.allowsKeyedCoding else { return }
    coder.encode(Script.currentVersion, forKey: "version")
    coder.encode(text, forKey: "text")
    coder.encode(font, forKey: "font")
  }

  init?(coder: NSCoder) {
    Initializations.note("Script")
    readVersion = coder.containsValue(forKey: "version") ? coder.decodeInt32(forKey: "version") : 1
    guard let text = coder.decodeObject(of: NSString.self, forKey: "text") else { return nil }
    self.text = text as String
    font = readVersion < 2 ? "Courier" : coder.decodeObject(of: NSString.self, forKey: "font") as String? ?? "Courier"
  }
}

/// Enumerations by raw value, and optional values.
final class Chore: NSObject, NSSecureCoding, NSCopying {
  enum Priority: Int { case low = 2, normal = 5, high = 9 }
  enum State: String { case open, done }

  static var supportsSecureCoding: Bool { true }
  var title: String
  var priority = Priority.normal
  var state: State?
  var minutes: Int?
  var due: Date?

  init(title: String) { self.title = title }

  func copy(with zone: NSZone? = nil) -> Any {
    let copy = Chore(title: title)
    (copy.priority, copy.state, copy.minutes, copy.due) = (priority, state, minutes, due)
    return copy
  }

  func encode(with coder: NSCoder) {
    coder.encode(title, forKey: "title")
    coder.encode(priority.rawValue, forKey: "priority")
    coder.encode(state?.rawValue, forKey: "state")
    if let minutes { coder.encode(minutes, forKey: "minutes") }
    coder.encode(due, forKey: "due")
  }

  init?(coder: NSCoder) {
    Initializations.note("Chore")
    guard let title = coder.decodeObject(of: NSString.self, forKey: "title"),
      let priority = Priority(rawValue: coder.decodeInteger(forKey: "priority"))
    else { return nil }
    self.title = title as String
    self.priority = priority
    state = (coder.decodeObject(of: NSString.self, forKey: "state") as String?).flatMap { State(rawValue: $0) }
    minutes = coder.containsValue(forKey: "minutes") ? coder.decodeInteger(forKey: "minutes") : nil
    due = coder.decodeObject(of: NSDate.self, forKey: "due") as Date?
  }
}

/// Values that Swift imports from Foundation.
final class Bookmark: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let id: UUID
  let link: URL
  let created: Date
  let icon: Data

  init(id: UUID, link: URL, created: Date, icon: Data) {
    (self.id, self.link, self.created, self.icon) = (id, link, created, icon)
  }

  func encode(with coder: NSCoder) {
    coder.encode(id as NSUUID, forKey: "id")
    coder.encode(link, forKey: "link")
    coder.encode(created, forKey: "created")
    coder.encode(icon, forKey: "icon")
  }

  init?(coder: NSCoder) {
    Initializations.note("Bookmark")
    guard let id = coder.decodeObject(of: NSUUID.self, forKey: "id") as UUID?,
      let link = coder.decodeObject(of: NSURL.self, forKey: "link") as URL?,
      let created = coder.decodeObject(of: NSDate.self, forKey: "created") as Date?,
      let icon = coder.decodeObject(of: NSData.self, forKey: "icon") as Data?
    else { return nil }
    (self.id, self.link, self.created, self.icon) = (id, link, created, icon)
  }
}

/// A text with attributes.
final class Memo: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let text: NSAttributedString

  init(text: NSAttributedString) { self.text = text }

  func encode(with coder: NSCoder) { coder.encode(text, forKey: "text") }

  init?(coder: NSCoder) {
    Initializations.note("Memo")
    guard let text = coder.decodeObject(of: NSAttributedString.self, forKey: "text") else { return nil }
    self.text = text
  }
}

/// A list of objects, one of which two properties share.
final class Playlist: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  var songs: [Song]
  var current: Song?
  var byTitle: [String: Song]

  init(songs: [Song], current: Song?) {
    self.songs = songs
    self.current = current
    byTitle = Dictionary(uniqueKeysWithValues: songs.map { ($0.title, $0) })
  }

  func encode(with coder: NSCoder) {
    coder.encode(songs, forKey: "songs")
    coder.encode(current, forKey: "current")
    coder.encode(byTitle as NSDictionary, forKey: "byTitle")
  }

  init?(coder: NSCoder) {
    Initializations.note("Playlist")
    songs = coder.decodeObject(of: [NSArray.self, Song.self], forKey: "songs") as? [Song] ?? []
    current = coder.decodeObject(of: Song.self, forKey: "current")
    byTitle =
      coder.decodeObject(of: [NSDictionary.self, NSString.self, Song.self], forKey: "byTitle") as? [String: Song] ?? [:]
  }
}

final class Song: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let title: String
  /// The list that the song belongs to, if that is archived too.
  weak var mixedInto: Song?
  /// How often each song was encoded, which the tests count.
  var encodings = 0

  init(title: String) { self.title = title }

  func encode(with coder: NSCoder) {
    encodings += 1
    coder.encode(title, forKey: "title")
    coder.encodeConditionalObject(mixedInto, forKey: "mixedInto")
  }

  init?(coder: NSCoder) {
    Initializations.note("Song")
    guard let title = coder.decodeObject(of: NSString.self, forKey: "title") else { return nil }
    self.title = title as String
    super.init()
    mixedInto = coder.decodeObject(of: Song.self, forKey: "mixedInto")
  }
}

/// A dictionary with values of many kinds, and null.
final class Preferences: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  var values: [String: Any]

  init(values: [String: Any]) { self.values = values }

  func encode(with coder: NSCoder) { coder.encode(values, forKey: "values") }

  init?(coder: NSCoder) {
    Initializations.note("Preferences")
    let classes: [AnyClass] = [
      NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSDate.self, NSNull.self, NSData.self,
    ]
    guard let values = coder.decodeObject(of: classes, forKey: "values") as? [String: Any] else { return nil }
    self.values = values
  }
}

/// A tree whose parents set themselves after decoding.
final class Folder: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let name: String
  private(set) var children: [Folder] = []
  private(set) weak var parent: Folder?

  init(name: String) { self.name = name }

  func add(_ child: Folder) {
    child.parent = self
    children.append(child)
  }

  func encode(with coder: NSCoder) {
    coder.encode(name, forKey: "name")
    if !children.isEmpty { coder.encode(children as NSArray, forKey: "children") }
  }

  init?(coder: NSCoder) {
    Initializations.note("Folder")
    name = coder.decodeObject(of: NSString.self, forKey: "name") as String? ?? "?"
    super.init()
    guard coder.containsValue(forKey: "children") else { return }
    for child in coder.decodeObject(of: [NSArray.self, Folder.self], forKey: "children") as? [Folder] ?? [] {
      add(child)
    }
  }
}

/// What has a region.
final class Trip: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  var zone: TimeZone
  var locale: Locale
  var days: NSIndexSet
  var stops: NSOrderedSet

  init(zone: TimeZone, locale: Locale, days: NSIndexSet, stops: NSOrderedSet) {
    (self.zone, self.locale, self.days, self.stops) = (zone, locale, days, stops)
  }

  func encode(with coder: NSCoder) {
    coder.encode(zone as NSTimeZone, forKey: "zone")
    coder.encode(locale as NSLocale, forKey: "locale")
    coder.encode(days, forKey: "days")
    coder.encode(stops, forKey: "stops")
  }

  init?(coder: NSCoder) {
    Initializations.note("Trip")
    guard let zone = coder.decodeObject(of: NSTimeZone.self, forKey: "zone"),
      let locale = coder.decodeObject(of: NSLocale.self, forKey: "locale"),
      let days = coder.decodeObject(of: NSIndexSet.self, forKey: "days"),
      let stops = coder.decodeObject(of: [NSOrderedSet.self, NSString.self], forKey: "stops") as? NSOrderedSet
    else { return nil }
    (self.zone, self.locale, self.days, self.stops) = (zone as TimeZone, locale as Locale, days, stops)
  }
}

/// Geometry by the calls of AppKit's and UIKit's views.
final class Sticker: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  var center: CGPoint
  var size: CGSize
  var frame: CGRect

  init(center: CGPoint, size: CGSize, frame: CGRect) { (self.center, self.size, self.frame) = (center, size, frame) }

  func encode(with coder: NSCoder) {
    coder.encode(center, forKey: "center")
    coder.encode(size, forKey: "size")
    coder.encode(frame, forKey: "frame")
  }

  init?(coder: NSCoder) {
    Initializations.note("Sticker")
    center = coder.decodePoint(forKey: "center")
    size = coder.decodeSize(forKey: "size")
    frame = coder.decodeRect(forKey: "frame")
  }
}

/// Without keys, as in the first archives.
final class Diary: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  var title: String
  var pages: [String]

  init(title: String, pages: [String]) { (self.title, self.pages) = (title, pages) }

  func encode(with coder: NSCoder) {
    coder.encode(title)
    coder.encodeRootObject(pages as NSArray)
    coder.encode(Data(title.utf8))
  }

  init?(coder: NSCoder) {
    Initializations.note("Diary")
    guard let title = coder.decodeObject() as? String, let pages = coder.decodeObject() as? [String] else { return nil }
    guard coder.decodeData() == Data(title.utf8) else { return nil }
    (self.title, self.pages) = (title, pages)
  }
}

/// An error as an app reports it later, and what it cost.
final class Incident: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let error: NSError
  let cost: NSDecimalNumber

  init(error: NSError, cost: NSDecimalNumber) { (self.error, self.cost) = (error, cost) }

  func encode(with coder: NSCoder) {
    coder.encode(error, forKey: "error")
    coder.encode(cost, forKey: "cost")
  }

  init?(coder: NSCoder) {
    Initializations.note("Incident")
    guard let error = coder.decodeObject(of: NSError.self, forKey: "error"),
      let cost = coder.decodeObject(of: NSDecimalNumber.self, forKey: "cost")
    else { return nil }
    (self.error, self.cost) = (error, cost)
  }
}

// All that this package needs.
extension Meal: FoundationCoding {}
extension Token: FoundationCoding {}
extension Session: FoundationCoding {}
extension Gauge: FoundationCoding {}
extension Script: FoundationCoding {}
extension Chore: FoundationCoding {}
extension Bookmark: FoundationCoding {}
extension Memo: FoundationCoding {}
extension Playlist: FoundationCoding {}
extension Song: FoundationCoding {}
extension Preferences: FoundationCoding {}
extension Folder: FoundationCoding {}
extension Trip: FoundationCoding {}
extension Sticker: FoundationCoding {}
extension Diary: FoundationCoding {}
extension Incident: FoundationCoding {}
