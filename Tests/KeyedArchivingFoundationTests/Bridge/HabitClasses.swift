// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation

// More classes as apps have them. Each stands for one habit that ``AppClasses`` lacks, and each is coded by Foundation's
// coders and by this package's without a difference.

/// A text of all that an object has, by which tests compare objects.
protocol Summarized {
  var summary: String { get }
}

/// Untyped requests with defaults, and a value that is stored only if it differs from its default.
final class Theme: NSObject, NSSecureCoding, Summarized {
  static var supportsSecureCoding: Bool { true }
  var name = "Plain"
  var accent: String?
  var fontSize = 12.0
  var isDark = false
  var summary: String { "\(name) \(accent ?? "-") \(fontSize) \(isDark)" }

  override init() {}

  func encode(with aCoder: NSCoder) {
    aCoder.encode(name, forKey: "name")
    aCoder.encode(accent, forKey: "accent")
    if fontSize != 12 { aCoder.encode(fontSize, forKey: "fontSize") }
    aCoder.encode(isDark, forKey: "isDark")
  }

  required init?(coder aDecoder: NSCoder) {
    Initializations.note("Theme")
    name = aDecoder.decodeObject(forKey: "name") as? String ?? "Plain"
    accent = aDecoder.decodeObject(forKey: "accent") as? String ?? "blue"
    fontSize = aDecoder.containsValue(forKey: "fontSize") ? aDecoder.decodeDouble(forKey: "fontSize") : 12
    isDark = aDecoder.decodeBool(forKey: "isDark")
  }
}

/// An initializer that checks what it read, and returns nil.
final class Coupon: NSObject, NSSecureCoding, Summarized {
  static var supportsSecureCoding: Bool { true }
  let code: String
  let percent: Int
  var summary: String { "\(code) \(percent)" }

  init(unchecked code: String, percent: Int) { (self.code, self.percent) = (code, percent) }

  func encode(with coder: NSCoder) {
    coder.encode(code, forKey: "code")
    coder.encode(percent, forKey: "percent")
  }

  init?(coder: NSCoder) {
    Initializations.note("Coupon")
    guard let code = coder.decodeObject(of: NSString.self, forKey: "code") as String?, !code.isEmpty else { return nil }
    percent = coder.decodeInteger(forKey: "percent")
    guard (1...100).contains(percent) else { return nil }
    self.code = code
  }
}

/// Data that is an archive of another object, which the app makes with Foundation's archiver.
final class Parcel: NSObject, NSSecureCoding, Summarized {
  static var supportsSecureCoding: Bool { true }
  let label: String
  let meal: Meal?
  var summary: String { "\(label) \(meal?.name ?? "-") \(meal?.rating ?? -1)" }

  init(label: String, meal: Meal?) { (self.label, self.meal) = (label, meal) }

  func encode(with coder: NSCoder) {
    coder.encode(label, forKey: "label")
    let inner = meal.flatMap { try? NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true) }
    coder.encode(inner, forKey: "inner")
  }

  init?(coder: NSCoder) {
    Initializations.note("Parcel")
    label = coder.decodeObject(of: NSString.self, forKey: "label") as String? ?? ""
    let inner = coder.decodeObject(of: NSData.self, forKey: "inner") as Data?
    meal = inner.flatMap { try? NSKeyedUnarchiver.unarchivedObject(ofClass: Meal.self, from: $0) }
  }
}

/// A dictionary in the manner of notifications, with keys and values of several classes, and null.
final class Notice: NSObject, NSSecureCoding, Summarized {
  static var supportsSecureCoding: Bool { true }
  let name: String
  let userInfo: [AnyHashable: Any]?
  var summary: String {
    let pairs = (userInfo ?? [:]).map { key, value in
      "\(key): \((value as? Meal)?.name ?? "\(value)")"
    }
    return "\(name) \(userInfo == nil ? "-" : "") \(pairs.sorted())"
  }

  init(name: String, userInfo: [AnyHashable: Any]?) { (self.name, self.userInfo) = (name, userInfo) }

  func encode(with coder: NSCoder) {
    coder.encode(name, forKey: "name")
    coder.encode(userInfo, forKey: "userInfo")
  }

  init?(coder: NSCoder) {
    Initializations.note("Notice")
    name = coder.decodeObject(of: NSString.self, forKey: "name") as String? ?? ""
    let classes: [AnyClass] = [
      NSDictionary.self, NSString.self, NSNumber.self, NSArray.self, NSNull.self, Meal.self,
    ]
    userInfo = coder.decodeObject(of: classes, forKey: "userInfo") as? [AnyHashable: Any]
  }
}

/// Mutable collections that the app changes after decoding.
final class Cart: NSObject, NSSecureCoding, Summarized {
  static var supportsSecureCoding: Bool { true }
  let items: NSMutableArray
  let counts: NSMutableDictionary
  let seen: NSMutableSet
  let log: NSMutableData
  var summary: String {
    let seen = self.seen.map { "\($0)" }.sorted()
    let counts = self.counts.map { "\($0.key)=\($0.value)" }.sorted()
    return "\(items.map { "\($0)" }) \(counts) \(seen) \(Array(log as Data))"
  }

  init(_ items: [String]) {
    self.items = NSMutableArray(array: items)
    counts = NSMutableDictionary()
    for item in items { counts[item as NSString] = items.count { $0 == item } }
    seen = NSMutableSet(array: items)
    log = NSMutableData(data: Data([1, 2]))
  }

  func encode(with coder: NSCoder) {
    coder.encode(items, forKey: "items")
    coder.encode(counts, forKey: "counts")
    coder.encode(seen, forKey: "seen")
    coder.encode(log, forKey: "log")
  }

  init?(coder: NSCoder) {
    Initializations.note("Cart")
    guard let items = coder.decodeObject(of: [NSMutableArray.self, NSString.self], forKey: "items") as? NSMutableArray,
      let counts = coder.decodeObject(of: [NSMutableDictionary.self, NSString.self, NSNumber.self], forKey: "counts")
        as? NSMutableDictionary,
      let seen = coder.decodeObject(of: [NSMutableSet.self, NSString.self], forKey: "seen") as? NSMutableSet,
      let log = coder.decodeObject(of: NSMutableData.self, forKey: "log")
    else { return nil }
    (self.items, self.counts, self.seen, self.log) = (items, counts, seen, log)
  }
}

/// An element of sets, which is equal to another one by its number.
final class Member: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let number: Int
  let name: String

  init(_ number: Int, _ name: String) { (self.number, self.name) = (number, name) }

  override func isEqual(_ object: Any?) -> Bool { (object as? Member)?.number == number }
  override var hash: Int { number }

  func encode(with coder: NSCoder) {
    coder.encode(number, forKey: "number")
    coder.encode(name, forKey: "name")
  }

  init?(coder: NSCoder) {
    Initializations.note("Member")
    number = coder.decodeInteger(forKey: "number")
    name = coder.decodeObject(of: NSString.self, forKey: "name") as String? ?? ""
  }
}

/// A set of objects, one of which a property shares.
final class Club: NSObject, NSSecureCoding, Summarized {
  static var supportsSecureCoding: Bool { true }
  let members: Set<Member>
  let chair: Member?
  var summary: String {
    let isMember = chair.map { chair in members.contains { $0 === chair } } ?? false
    return "\(members.map { "\($0.number) \($0.name)" }.sorted()) \(chair?.name ?? "-") \(isMember)"
  }

  init(members: Set<Member>, chair: Member?) { (self.members, self.chair) = (members, chair) }

  func encode(with coder: NSCoder) {
    coder.encode(members, forKey: "members")
    coder.encode(chair, forKey: "chair")
  }

  init?(coder: NSCoder) {
    Initializations.note("Club")
    guard let members = coder.decodeObject(of: [NSSet.self, Member.self], forKey: "members") as? Set<Member> else {
      return nil
    }
    self.members = members
    chair = coder.decodeObject(of: Member.self, forKey: "chair")
  }
}

/// Classes and enumerations inside of other types.
enum Library {
  class Book: NSObject, NSSecureCoding, Summarized {
    enum Kind: String { case novel, guide }

    class var supportsSecureCoding: Bool { true }
    let title: String
    let kind: Kind
    var summary: String { "\(title) \(kind)" }

    init(_ title: String, _ kind: Kind) { (self.title, self.kind) = (title, kind) }

    func encode(with coder: NSCoder) {
      coder.encode(title, forKey: "title")
      coder.encode(kind.rawValue, forKey: "kind")
    }

    required init?(coder: NSCoder) {
      Initializations.note("\(type(of: self))")
      guard let title = coder.decodeObject(of: NSString.self, forKey: "title") as String?,
        let kind = (coder.decodeObject(of: NSString.self, forKey: "kind") as String?).flatMap(Kind.init(rawValue:))
      else { return nil }
      (self.title, self.kind) = (title, kind)
    }
  }
}

/// Options, a range by its bounds, and a value of `Codable` as JSON.
final class Filter: NSObject, NSSecureCoding, Summarized {
  struct Options: OptionSet { let rawValue: Int }
  struct Query: Codable {
    var words: [String]
    var limit: Int?
  }

  static var supportsSecureCoding: Bool { true }
  let options: Options
  let years: ClosedRange<Int>
  let query: Query
  var summary: String { "\(options.rawValue) \(years) \(query.words) \(query.limit ?? -1)" }

  init(options: Options, years: ClosedRange<Int>, query: Query) {
    (self.options, self.years, self.query) = (options, years, query)
  }

  func encode(with coder: NSCoder) {
    coder.encode(options.rawValue, forKey: "options")
    coder.encode(years.lowerBound, forKey: "firstYear")
    coder.encode(years.upperBound, forKey: "lastYear")
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    coder.encode(try? encoder.encode(query), forKey: "query")
  }

  init?(coder: NSCoder) {
    Initializations.note("Filter")
    options = Options(rawValue: coder.decodeInteger(forKey: "options"))
    let (first, last) = (coder.decodeInteger(forKey: "firstYear"), coder.decodeInteger(forKey: "lastYear"))
    guard first <= last, let data = coder.decodeObject(of: NSData.self, forKey: "query") as Data?,
      let query = try? JSONDecoder().decode(Query.self, from: data)
    else { return nil }
    (years, self.query) = (first...last, query)
  }
}

/// Collections in collections, and lists of numbers.
final class Timetable: NSObject, NSSecureCoding, Summarized {
  static var supportsSecureCoding: Bool { true }
  let rows: [[String]]
  let minutes: [String: [Int]]
  let weights: [NSNumber]
  var summary: String { "\(rows) \(minutes.sorted { $0.key < $1.key }) \(weights)" }

  init(rows: [[String]], minutes: [String: [Int]], weights: [NSNumber]) {
    (self.rows, self.minutes, self.weights) = (rows, minutes, weights)
  }

  func encode(with coder: NSCoder) {
    coder.encode(rows, forKey: "rows")
    coder.encode(minutes, forKey: "minutes")
    coder.encode(weights, forKey: "weights")
  }

  init?(coder: NSCoder) {
    Initializations.note("Timetable")
    rows = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "rows") as? [[String]] ?? []
    let classes: [AnyClass] = [NSDictionary.self, NSArray.self, NSString.self, NSNumber.self]
    minutes = coder.decodeObject(of: classes, forKey: "minutes") as? [String: [Int]] ?? [:]
    weights = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "weights") as? [NSNumber] ?? []
  }
}

/// Keys in an enumeration, lists of dates and URLs, and an optional object of the same class.
final class Profile: NSObject, NSSecureCoding, Summarized {
  private enum Key: String { case name, birthdays, links, partner }

  static var supportsSecureCoding: Bool { true }
  let name: String
  var birthdays: [Date] = []
  var links: [URL] = []
  var partner: Profile?
  var summary: String {
    let days = birthdays.map(\.timeIntervalSinceReferenceDate)
    return "\(name) \(days) \(links.map(\.absoluteString)) (\(partner?.summary ?? ""))"
  }

  init(_ name: String) { self.name = name }

  func encode(with coder: NSCoder) {
    coder.encode(name, forKey: Key.name.rawValue)
    coder.encode(birthdays, forKey: Key.birthdays.rawValue)
    coder.encode(links, forKey: Key.links.rawValue)
    coder.encode(partner, forKey: Key.partner.rawValue)
  }

  init?(coder: NSCoder) {
    Initializations.note("Profile")
    guard let name = coder.decodeObject(of: NSString.self, forKey: Key.name.rawValue) as String? else { return nil }
    self.name = name
    birthdays = coder.decodeObject(of: [NSArray.self, NSDate.self], forKey: Key.birthdays.rawValue) as? [Date] ?? []
    links = coder.decodeObject(of: [NSArray.self, NSURL.self], forKey: Key.links.rawValue) as? [URL] ?? []
    partner = coder.decodeObject(of: Profile.self, forKey: Key.partner.rawValue)
  }
}

/// A class without secure coding, with untyped requests.
final class Recording: NSObject, NSCoding, Summarized {
  let title: String
  let takes: [NSNumber]
  let next: Recording?
  var summary: String { "\(title) \(takes) (\(next?.summary ?? ""))" }

  init(_ title: String, takes: [NSNumber], next: Recording? = nil) {
    (self.title, self.takes, self.next) = (title, takes, next)
  }

  func encode(with aCoder: NSCoder) {
    aCoder.encode(title, forKey: "title")
    aCoder.encode(takes, forKey: "takes")
    aCoder.encode(next, forKey: "next")
  }

  init?(coder aDecoder: NSCoder) {
    Initializations.note("Recording")
    title = aDecoder.decodeObject(forKey: "title") as? String ?? ""
    takes = aDecoder.decodeObject(forKey: "takes") as? [NSNumber] ?? []
    next = aDecoder.decodeObject(forKey: "next") as? Recording
  }
}

/// What an app reports: an error alone.
final class Alarm: NSObject, NSSecureCoding, Summarized {
  static var supportsSecureCoding: Bool { true }
  let error: NSError
  var summary: String { "\(error.domain) \(error.code) \(error.userInfo.map { "\($0.key)=\($0.value)" }.sorted())" }

  init(_ error: NSError) { self.error = error }

  func encode(with coder: NSCoder) { coder.encode(error, forKey: "error") }

  init?(coder: NSCoder) {
    Initializations.note("Alarm")
    guard let error = coder.decodeObject(of: NSError.self, forKey: "error") else { return nil }
    self.error = error
  }
}

// All that this package needs.
extension Theme: FoundationCoding {}
extension Coupon: FoundationCoding {}
extension Parcel: FoundationCoding {}
extension Notice: FoundationCoding {}
extension Cart: FoundationCoding {}
extension Member: FoundationCoding {}
extension Club: FoundationCoding {}
extension Library.Book: FoundationCoding {}
extension Filter: FoundationCoding {}
extension Timetable: FoundationCoding {}
extension Profile: FoundationCoding {}
extension Recording: InsecureFoundationCoding {}
extension Alarm: FoundationCoding {}
