// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import Foundation
import KeyedArchives
import KeyedArchiving
import KeyedArchivingFoundation
import Testing

/// The habits of classes in apps, with the classes that have them. Those without a class here have tests of their own
/// in ``AppClassTests``:
/// - keys in a structure, and a failable convenience initializer (`Meal`);
/// - superclasses with `super` (`Token`, `TimeToken`, `CounterToken`);
/// - Swift 2 and untyped requests (`Session`), the same with defaults (`Theme`), and without secure coding (`Recording`);
/// - prefixed keys as in Objective-C, every kind of number, and bytes (`Gauge`);
/// - versions (`Script`), raw values (`Chore`), values that Swift imports (`Bookmark`), attributed strings (`Memo`);
/// - lists, dictionaries and sets of objects, and shared ones (`Playlist`, `Club`);
/// - conditional objects (`Song`) and parents that are set after decoding (`Folder`);
/// - dictionaries of many kinds with null (`Preferences`, `Notice`), collections in collections (`Timetable`);
/// - regions (`Trip`), geometry (`Sticker`), values without keys (`Diary`), errors and decimal numbers (`Incident`, `Alarm`);
/// - initializers that return nil (`Coupon`), data that is an archive (`Parcel`) or JSON (`Filter`), options and ranges;
/// - mutable collections (`Cart`), nested types (`Library.Book`) and private ones, keys in an enumeration (`Profile`).
@Suite("Habits of apps' classes")
struct HabitTests {
  /// Objects of each class, and the classes of their untyped requests.
  static func objects() throws -> [(object: any FoundationCoding & Summarized, untyped: [AnyClass])] {
    let themes = [Theme(), Theme()]
    (themes[1].name, themes[1].accent, themes[1].fontSize, themes[1].isDark) = ("Night", "red", 10.5, true)
    let meal = try #require(Meal(name: "Soup", photo: nil, rating: 4))
    let members = [Member(1, "Ann"), Member(2, "Bob"), Member(300, "Cy")]
    let profile = Profile("Ann")
    profile.birthdays = [Date(timeIntervalSinceReferenceDate: 0.25), Date(timeIntervalSinceReferenceDate: -1e8)]
    profile.links = [try #require(URL(string: "https://example.org/a"))]
    let partner = Profile("Bob")
    partner.birthdays = [Date(timeIntervalSinceReferenceDate: 7)]
    partner.links = [try #require(URL(string: "https://example.org/b"))]
    profile.partner = partner
    return [
      (themes[0], [NSString.self]), (themes[1], [NSString.self]), (Coupon(unchecked: "SPRING", percent: 20), []),
      (Parcel(label: "lunch", meal: meal), []), (Parcel(label: "empty", meal: nil), []),
      (
        Notice(
          name: "saved",
          userInfo: ["meal": meal, 7: "seven", "list": ["a", 1] as [Any], "none": NSNull(), "count": 3]), []
      ),
      (Notice(name: "bare", userInfo: nil), []), (Cart(["apple", "pear", "apple"]), []),
      (Club(members: Set(members), chair: members[1]), []), (Club(members: [], chair: members[0]), []),
      (
        Filter(
          options: Filter.Options(rawValue: 5), years: 1990...2026, query: Filter.Query(words: ["swift"], limit: nil)),
        []
      ),
      (
        Timetable(
          rows: [["8:00", "Math"], ["9:00"]], minutes: ["Math": [45, 50], "Art": []],
          weights: [3, 2.5, NSNumber(value: true), NSNumber(value: Int64.min)]), []
      ),
      (profile, []),
    ]
  }

  @Test("every class goes every way, and its archives do not differ", arguments: Way.allCases)
  func everyWay(_ way: Way) throws {
    func check<Object: FoundationCoding & Summarized>(_ object: Object, _ untyped: [AnyClass]) throws {
      var expected = object.summary
      // An accent that is nil is decoded as its default.
      if object is Theme { expected = expected.replacing(" - ", with: " blue ") }
      #expect(try way.send(object, untyped: untyped).summary == expected, "\(Object.self)")
      // Foundation writes the dictionaries of the inner archive in another order each time.
      let differences = try Way.differences(object).filter { $0.path != "root.inner" }.map { "\($0)" }
      #expect(differences == [], "\(Object.self)")
    }
    let objects = try Self.objects()
    for (object, untyped) in objects { try check(object, untyped) }
    #expect(Set(objects.map { ObjectIdentifier(type(of: $0.object)) }).count == 9)
  }

  @Test("mutable collections can be changed after decoding", arguments: Way.allCases)
  func mutable(_ way: Way) throws {
    let cart = try way.send(Cart(["apple"]))
    cart.items.add("plum")
    cart.counts["plum" as NSString] = 1
    cart.seen.add("plum")
    cart.log.append(Data([3]))
    #expect(cart.summary == #"["apple", "plum"] ["apple=1", "plum=1"] ["apple", "plum"] [1, 2, 3]"#)
  }

  @Test("an initializer that returns nil is an error of both decoders, also inside of a list")
  func returnsNil() throws {
    for coupon in [Coupon(unchecked: "", percent: 20), Coupon(unchecked: "X", percent: 0)] {
      for data in [try Way.ours(coupon), try Way.theirs(coupon)] {
        let error = #expect(throws: KeyedArchiveError.self) {
          try KeyedUnarchiver.unarchivedObject(ofClass: Coupon.self, from: data)
        }
        #expect(error?.code == .valueNotFound && error?.className == "KeyedArchivingFoundationTests.Coupon")
        #expect(error?.keyPath == (coupon.code.isEmpty ? "root.code" : "root.percent"))
        #expect(error?.remedy != nil)
        #expect(throws: (any Error).self) { try NSKeyedUnarchiver.unarchivedObject(ofClass: Coupon.self, from: data) }
      }
    }
    let data = try Probe.archive {
      $0.encode([Coupon(unchecked: "A", percent: 1), Coupon(unchecked: "", percent: 1)], forKey: "all")
    }
    let error = try Probe.errorOfReading(data) {
      #expect($0.decodeObject(of: [NSArray.self, Coupon.self], forKey: "all") == nil)
    }
    #expect(error.code == .valueNotFound && error.keyPath == "root.all[1].code")
  }

  // Foundation on Linux compares collections and values by contents, and Apple's archiver by identity.
  @Test("Foundation on Linux archives two equal lists as one object, and this package each")
  func equalLists() throws {
    let differences = try Way.differences(Timetable(rows: [["a"], ["a"]], minutes: [:], weights: []))
    #expect(!differences.isEmpty && differences.allSatisfy { $0.kind == .sharing })
    for way in Way.allCases {
      #expect(try way.send(Timetable(rows: [["a"], ["a"]], minutes: [:], weights: [])).rows == [["a"], ["a"]])
    }
  }

  @Test("a class without secure coding goes every way of coders that do not require it")
  func insecure() throws {
    let recording = Recording("one", takes: [1, 2], next: Recording("two", takes: []))
    let ours = try KeyedArchiver.archivedData(withRootObject: recording, requiringSecureCoding: false)
    let theirs = try NSKeyedArchiver.archivedData(withRootObject: recording, requiringSecureCoding: false)
    #expect(try KeyedArchive(ours).differences(from: KeyedArchive(theirs)).isEmpty)
    for data in [ours, theirs] {
      let read = try KeyedUnarchiver.unarchiveTopLevelObjectWithData(data, classes: [Recording.self])
      #expect((read as? Recording)?.summary == recording.summary)
      let foundation = try NSKeyedUnarchiver(forReadingFrom: data)
      foundation.requiresSecureCoding = false
      #expect((foundation.decodeObject(forKey: "root") as? Recording)?.summary == recording.summary)
      let ran = Initializations.during {
        let error = #expect(throws: KeyedArchiveError.self) {
          try KeyedUnarchiver.unarchivedObject(ofClass: Recording.self, from: data)
        }
        #expect(error?.code == .classNotSecure)
      }
      #expect(ran == [])
    }
  }

  // Foundation on Linux maps no name with more than one dot to a class.
  @Test("a nested class keeps the name of Apple's runtime, which Foundation on Linux does not know")
  func nested() async throws {
    let book = Library.Book("Swift", .guide)
    let data = try Way.ours(book)
    #expect(try KeyedArchive(data).root.className == "_TtCO29KeyedArchivingFoundationTests7Library4Book")
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Library.Book.self, from: data)?.summary == book.summary)
    let foundation = try NSKeyedUnarchiver(forReadingFrom: data)
    foundation.setClass(Library.Book.self, forClassName: "_TtCO29KeyedArchivingFoundationTests7Library4Book")
    #expect(foundation.decodeObject(of: Library.Book.self, forKey: "root")?.summary == book.summary)
    await #expect(processExitsWith: .failure) {
      _ = try NSKeyedArchiver.archivedData(
        withRootObject: Library.Book("Swift", .guide), requiringSecureCoding: true)
    }
  }

  @Test("a private class goes through this package, and Foundation on Linux ends the process")
  func privateClass() async throws {
    let data = try Way.ours(Secret("x"))
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Secret.self, from: data)?.text == "x")
    await #expect(processExitsWith: .failure) {
      _ = try NSKeyedArchiver.archivedData(withRootObject: Secret("x"), requiringSecureCoding: true)
    }
  }

  @Test("an error goes to Foundation, whose archiver on Linux ends the process")
  func error() async throws {
    let alarm = Alarm(NSError(domain: "App", code: 42, userInfo: ["tries": 3, NSLocalizedDescriptionKey: "It failed"]))
    for way in [Way.ours, .toFoundation] { #expect(try way.send(alarm).summary == alarm.summary) }
    await #expect(processExitsWith: .failure) {
      _ = try NSKeyedArchiver.archivedData(
        withRootObject: Alarm(NSError(domain: "App", code: 42)), requiringSecureCoding: true)
    }
  }
}

/// A class that only this file can name.
private final class Secret: NSObject, NSSecureCoding, FoundationCoding {
  static var supportsSecureCoding: Bool { true }
  let text: String
  init(_ text: String) { self.text = text }
  func encode(with coder: NSCoder) { coder.encode(text, forKey: "text") }
  init?(coder: NSCoder) {
    Initializations.note("Secret")
    text = coder.decodeObject(of: NSString.self, forKey: "text") as String? ?? ""
  }
}
