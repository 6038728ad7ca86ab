// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import Foundation
import KeyedArchives
import KeyedArchiving
import KeyedArchivingFoundation
import TestSupport
import Testing

@Suite("Classes of apps, unchanged")
struct AppClassTests {
  /// Expects no difference between this package's archive of an object and Foundation's.
  private func expectNoDifference(_ object: some FoundationCoding) throws {
    #expect(try Way.differences(object).map { "\($0)" } == [])
  }

  @Test("a meal", arguments: Way.allCases)
  func meal(_ way: Way) throws {
    let meal = try #require(Meal(name: "Soup", photo: Data([1, 2, 3]), rating: 4))
    let sent = try way.send(meal)
    #expect((sent.name, sent.photo, sent.rating) == ("Soup", Data([1, 2, 3]), 4))
    try expectNoDifference(meal)
  }

  @Test("a hierarchy that calls super", arguments: Way.allCases)
  func hierarchy(_ way: Way) throws {
    let token = CounterToken(issuer: "Bank", secret: Data([9, 8]), tags: ["a", "b"])
    token.counter = 77
    let backup = TimeToken(issuer: "Other", secret: Data([7]))
    backup.period = 60
    token.backup = backup
    let sent = try way.send(token)
    #expect((sent.issuer, sent.secret, sent.tags, sent.counter) == ("Bank", Data([9, 8]), ["a", "b"], 77))
    #expect((sent.backup as? TimeToken)?.period == 60)
    try expectNoDifference(token)
  }

  // Foundation's unarchiver allows only the classes of the outermost list in untyped requests.
  @Test("untyped requests of Swift 2", arguments: Way.allCases)
  func session(_ way: Way) throws {
    let session = Session()
    session.user = "ann"
    session.visits = 12
    session.lastSeen = NSDate(timeIntervalSinceReferenceDate: 1000)
    session.settings = ["theme": "dark" as NSString, "size": NSNumber(value: 2.5)]
    session.previous = Session()
    session.previous?.user = "bob"
    let sent = try way.send(session, untyped: [NSString.self, NSNumber.self, NSDate.self, NSDictionary.self])
    #expect(sent.user == "ann")
    #expect(sent.visits == 12)
    #expect(sent.lastSeen == session.lastSeen)
    #expect(sent.settings["theme"] as? String == "dark")
    #expect((sent.settings["size"] as? NSNumber)?.doubleValue == 2.5)
    #expect(sent.previous?.user == "bob")
    try expectNoDifference(session)
  }

  @Test(
    "untyped requests of Swift 2 without a list end the process in Foundation, and decode plain values in this package")
  func sessionAlone() async throws {
    let session = Session()
    session.lastSeen = NSDate(timeIntervalSinceReferenceDate: 1000)
    #expect(try Way.fromFoundation.send(session).lastSeen == session.lastSeen)
    await #expect(processExitsWith: .failure) {
      let session = Session()
      session.lastSeen = NSDate(timeIntervalSinceReferenceDate: 1000)
      let data = try NSKeyedArchiver.archivedData(withRootObject: session, requiringSecureCoding: true)
      _ = try NSKeyedUnarchiver.unarchivedObject(ofClass: Session.self, from: data)
    }
  }

  @Test("every kind of number, and bytes", arguments: Way.allCases)
  func gauge(_ way: Way) throws {
    let gauge = Gauge()
    (gauge.isOn, gauge.level, gauge.total, gauge.count) = (true, -5, 1 << 40, .min)
    (gauge.ratio, gauge.exact, gauge.samples) = (0.25, 1e300, [1, 2, 255])
    let sent = try way.send(gauge)
    #expect((sent.isOn, sent.level, sent.total, sent.count) == (true, -5, 1 << 40, .min))
    #expect((sent.ratio, sent.exact, sent.samples) == (0.25, 1e300, [1, 2, 255]))
    try expectNoDifference(gauge)
  }

  @Test("versions", arguments: Way.allCases)
  func script(_ way: Way) throws {
    let script = Script(text: "say hello", font: "Menlo")
    let sent = try way.send(script)
    #expect((sent.text, sent.font, sent.readVersion) == ("say hello", "Menlo", 2))
    try expectNoDifference(script)
  }

  @Test("enumerations and optional values", arguments: Way.allCases)
  func chore(_ way: Way) throws {
    let chore = Chore(title: "Dishes")
    (chore.priority, chore.state, chore.minutes) = (.high, .done, 15)
    chore.due = Date(timeIntervalSinceReferenceDate: 700_000_000.5)
    let sent = try way.send(chore)
    #expect((sent.title, sent.priority, sent.state, sent.minutes) == ("Dishes", .high, .done, 15))
    #expect(sent.due == chore.due)
    let plain = try way.send(Chore(title: "Nothing"))
    #expect((plain.state, plain.minutes, plain.due) == (nil, nil, nil))
    try expectNoDifference(chore)
  }

  @Test("URL, UUID, date and data", arguments: Way.allCases)
  func bookmark(_ way: Way) throws {
    let bookmark = Bookmark(
      id: UUID(), link: try #require(URL(string: "https://example.org/a?b=c")),
      created: Date(timeIntervalSinceReferenceDate: 0.5), icon: Data(repeating: 7, count: 300))
    let sent = try way.send(bookmark)
    #expect(
      (sent.id, sent.link, sent.created, sent.icon) == (bookmark.id, bookmark.link, bookmark.created, bookmark.icon))
    try expectNoDifference(bookmark)
  }

  @Test("an attributed string", arguments: Way.allCases)
  func memo(_ way: Way) throws {
    let text = NSMutableAttributedString(string: "bold and 🎈 plain")
    text.addAttribute(
      NSAttributedString.Key("weight"), value: NSNumber(value: 700), range: NSRange(location: 0, length: 4))
    text.addAttribute(NSAttributedString.Key("name"), value: "balloon", range: NSRange(location: 9, length: 2))
    let memo = Memo(text: NSAttributedString(attributedString: text))
    let sent = try way.send(memo)
    #expect(sent.text == memo.text)
    try expectNoDifference(memo)
  }

  @Test("a list whose objects are shared", arguments: Way.allCases)
  func playlist(_ way: Way) throws {
    let songs = ["one", "two", "three"].map { Song(title: $0) }
    let sent = try way.send(Playlist(songs: songs, current: songs[1]))
    #expect(sent.songs.map(\.title) == ["one", "two", "three"])
    #expect(sent.current === sent.songs[1])
    #expect(sent.byTitle["three"] === sent.songs[2])
    try expectNoDifference(Playlist(songs: songs, current: songs[2]))
  }

  @Test("conditional objects, one that is archived elsewhere and one that is not", arguments: Way.allCases)
  func conditional(_ way: Way) throws {
    let songs = ["one", "two", "three"].map { Song(title: $0) }
    let absent = Song(title: "absent")
    songs[0].mixedInto = songs[2]
    songs[1].mixedInto = absent
    songs[2].mixedInto = songs[1]
    let sent = try way.send(Playlist(songs: songs, current: nil))
    #expect(sent.songs.map(\.title) == ["one", "two", "three"])
    // Foundation's archiver on Linux stores a conditional object only if it was archived before.
    #expect(sent.songs[0].mixedInto === (way == .fromFoundation ? nil : sent.songs[2]))
    #expect(sent.songs[1].mixedInto == nil)
    #expect(sent.songs[2].mixedInto === sent.songs[1])
    withExtendedLifetime(absent) {}
  }

  @Test("a conditional object that is archived nowhere is lost in Foundation's archive too")
  func lostConditional() throws {
    let (song, absent) = (Song(title: "one"), Song(title: "absent"))
    song.mixedInto = absent
    for way in Way.allCases { #expect(try way.send(song).mixedInto == nil) }
    for data in [try Way.ours(song), try Way.theirs(song)] {
      #expect(!String(decoding: data, as: UTF8.self).contains("absent"))
    }
    withExtendedLifetime(absent) {}
  }

  @Test("each object is encoded once")
  func once() throws {
    let songs = ["one", "two"].map { Song(title: $0) }
    _ = try Way.ours(Playlist(songs: songs, current: songs[0]))
    #expect(songs.map(\.encodings) == [1, 1])
  }

  @Test("a dictionary with values of many kinds", arguments: Way.allCases)
  func preferences(_ way: Way) throws {
    let values: [String: Any] = [
      "name": "Ann", "size": 12, "scale": 2.5, "on": true, "when": Date(timeIntervalSinceReferenceDate: 5),
      "list": ["a", 7, ["deep": Data([1])]] as [Any], "none": NSNull(),
    ]
    let sent = try way.send(Preferences(values: values)).values
    #expect(sent as NSDictionary == values as NSDictionary)
    #expect(sent["on"] as? Bool == true)
    try expectNoDifference(Preferences(values: values))
  }

  @Test("a tree whose parents are set after decoding", arguments: Way.allCases)
  func folder(_ way: Way) throws {
    let root = Folder(name: "root")
    for name in ["a", "b"] {
      let child = Folder(name: name)
      child.add(Folder(name: name + name))
      root.add(child)
    }
    let sent = try way.send(root)
    #expect(sent.children.map(\.name) == ["a", "b"])
    #expect(sent.children[1].children[0].name == "bb")
    #expect(sent.children[1].children[0].parent === sent.children[1])
    try expectNoDifference(root)
  }

  @Test("time zone, locale, index set and ordered set", arguments: Way.allCases)
  func trip(_ way: Way) throws {
    let trip = Trip(
      zone: try #require(TimeZone(identifier: "Europe/Paris")), locale: Locale(identifier: "fr_FR"),
      days: NSIndexSet(indexesIn: NSRange(location: 3, length: 4)), stops: NSOrderedSet(array: ["Lyon", "Nice"]))
    let sent = try way.send(trip)
    #expect((sent.zone.identifier, sent.locale.identifier) == ("Europe/Paris", "fr_FR"))
    #expect((sent.days, sent.stops) == (trip.days, trip.stops))
    // Foundation on Linux archives the data of a time zone inside of the object, and Apple's as an NSMutableData, so that
    // the same bytes have another form.
    let differences = try Way.differences(trip)
    #expect(differences.map(\.path) == ["root.zone.NS.data"] && differences.allSatisfy { $0.kind == .form })
    let rules = (trip.zone as NSTimeZone).data
    let (ours, theirs) = (try KeyedArchive(Way.ours(trip)).root, try KeyedArchive(Way.theirs(trip)).root)
    #expect(ours["zone"]["NS.data"].className == "NSMutableData" && ours["zone"]["NS.data"]["NS.data"].data == rules)
    #expect(theirs["zone"]["NS.data"].className == "NSData" && theirs["zone"]["NS.data"].data == rules)
  }

  @Test(
    "Apple's archives have the data of a time zone as an NSMutableData",
    .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
  func timeZonesOfApple() throws {
    var count = 0
    for file in Corpus.all where file.name.contains("ISO8601DateFormatter") {
      let archive = try KeyedArchive(Data(contentsOf: file.url))
      for index in 1..<archive.objectCount {
        let object = archive[ArchiveUID(rawValue: UInt32(index))]
        guard object.className == "NSTimeZone" else { continue }
        #expect(object["NS.data"].className == "NSMutableData", "\(file.name)")
        count += 1
      }
    }
    #expect(count >= 2)
  }

  @Test("geometry", arguments: Way.allCases)
  func sticker(_ way: Way) throws {
    let sticker = Sticker(
      center: CGPoint(x: 1.5, y: -2), size: CGSize(width: 3, height: 4.25),
      frame: CGRect(x: 1, y: 2, width: 3, height: 4))
    let sent = try way.send(sticker)
    #expect((sent.center, sent.size, sent.frame) == (sticker.center, sticker.size, sticker.frame))
    try expectNoDifference(sticker)
  }

  // A value without a key is an untyped request too.
  @Test("values without keys", arguments: Way.allCases)
  func diary(_ way: Way) throws {
    let sent = try way.send(Diary(title: "Summer", pages: ["June", "July"]), untyped: [NSArray.self])
    #expect((sent.title, sent.pages) == ("Summer", ["June", "July"]))
    try expectNoDifference(Diary(title: "Summer", pages: ["June", "July"]))
  }

  // Foundation's archiver on Linux ends the process at both, so the keys are those of Apple's archives.
  @Test("an error and a decimal number")
  func incident() throws {
    let error = NSError(domain: "App", code: 42, userInfo: [NSLocalizedDescriptionKey: "It failed", "tries": 3])
    let incident = Incident(error: error, cost: NSDecimalNumber(string: "-3.1415"))
    let sent = try Way.ours.send(incident)
    #expect((sent.error.domain, sent.error.code, sent.error.localizedDescription) == ("App", 42, "It failed"))
    #expect(sent.error.userInfo["tries"] as? Int == 3)
    #expect(sent.cost == incident.cost)
    let root = try KeyedArchive(Way.ours(incident)).root
    #expect(root["error"]["NSDomain"].string == "App")
    #expect(root["error"]["NSUserInfo"].className == "NSDictionary")
    #expect(root["cost"]["NS.mantissa.bo"].exists)
  }

  @Test(
    "a decimal number has no way through Foundation on Linux: its reader expects an object, where Apple's has bytes")
  func decimal() async throws {
    let incident = Incident(error: NSError(domain: "App", code: 42), cost: NSDecimalNumber(string: "-3.1415"))
    let data = try Way.ours(incident)
    #expect(throws: (any Error).self) { try NSKeyedUnarchiver.unarchivedObject(ofClass: Incident.self, from: data) }
    await #expect(processExitsWith: .failure) {
      let incident = Incident(error: NSError(domain: "App", code: 42), cost: 1)
      _ = try NSKeyedArchiver.archivedData(withRootObject: incident, requiringSecureCoding: true)
    }
  }
}
