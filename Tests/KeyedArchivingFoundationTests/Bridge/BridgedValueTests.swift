// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import KeyedArchivingFoundation
import TestSupport
import Testing

@Suite("Foundation's objects in bridged classes")
struct BridgedValueTests {
  /// An object of each class that is bridged, and the classes to request it with.
  static var objects: [(object: NSObject, classes: [AnyClass])] {
    let text: [AnyClass] = [NSString.self, NSNumber.self]
    let attributed = NSMutableAttributedString(string: "a🎈b")
    attributed.addAttribute(.init("x"), value: 1, range: NSRange(location: 1, length: 2))
    let counted = NSCountedSet(array: ["a", "b", "a"])
    return [
      ("a text" as NSString, [NSString.self]), (NSMutableString("m"), [NSMutableString.self]),
      (NSNumber(value: true), [NSNumber.self]), (NSNumber(value: UInt64.max), [NSNumber.self]),
      (NSNumber(value: Float(0.1)), [NSNumber.self]), (NSNumber(value: 0.1), [NSValue.self]),
      (NSNumber(value: -5), [NSNumber.self]), (NSDecimalNumber(string: "1e-20"), [NSDecimalNumber.self]),
      (NSDecimalNumber(string: "7"), [NSNumber.self]), (NSNull(), [NSNull.self]),
      (NSDate(timeIntervalSinceReferenceDate: 0.25), [NSDate.self]), (NSData(data: Data([1, 2])), [NSData.self]),
      (NSMutableData(data: Data([3])), [NSMutableData.self]), (NSURL(fileURLWithPath: "/a/b"), [NSURL.self]),
      (NSUUID(), [NSUUID.self]), (NSArray(array: ["a", 1]), [NSArray.self] + text),
      (NSMutableArray(array: ["a"]), [NSMutableArray.self] + text), (NSArray(), [NSArray.self]),
      (NSDictionary(dictionary: ["k": 1]), [NSDictionary.self] + text),
      (NSMutableDictionary(dictionary: ["k": "v"]), [NSMutableDictionary.self] + text),
      (NSSet(array: ["a", "b", 3]), [NSSet.self] + text), (NSMutableSet(array: ["a"]), [NSMutableSet.self] + text),
      (counted, [NSCountedSet.self] + text), (counted, [NSSet.self] + text),
      (NSOrderedSet(array: ["b", "a"]), [NSOrderedSet.self] + text),
      (NSMutableOrderedSet(array: ["b"]), [NSMutableOrderedSet.self] + text),
      (NSAttributedString(attributedString: attributed), [NSAttributedString.self] + text),
      (attributed, [NSMutableAttributedString.self] + text),
      (NSAttributedString(string: ""), [NSAttributedString.self]),
      (NSIndexSet(indexesIn: NSRange(location: 2, length: 9)), [NSIndexSet.self]),
      (NSMutableIndexSet(index: 4), [NSMutableIndexSet.self]), (NSIndexPath(index: 3), [NSIndexPath.self]),
      (CharacterSet(charactersIn: "a-z🎈") as NSCharacterSet, [NSCharacterSet.self]),
      (NSError(domain: "d", code: 3, userInfo: ["k": "v"]), [NSError.self] + text),
      (NSTimeZone(name: "Asia/Tokyo") ?? NSTimeZone(forSecondsFromGMT: 0), [NSTimeZone.self]),
      (NSLocale(localeIdentifier: "de_DE"), [NSLocale.self]),
      (Calendar(identifier: .buddhist) as NSCalendar, [NSCalendar.self]),
      (DateComponents(year: 2024, month: 2) as NSDateComponents, [NSDateComponents.self]),
      (NSValue(point: CGPoint(x: 1, y: 2)), [NSValue.self]), (NSValue(size: .zero), [NSValue.self]),
      (NSValue(rect: CGRect(x: 1, y: 2, width: 3, height: 4)), [NSValue.self]),
      (NSValue(range: NSRange(location: 5, length: 6)), [NSValue.self]),
      (NSMeasurement(doubleValue: 2, unit: UnitLength.miles), [NSMeasurement.self]), (UnitMass.grams, [UnitMass.self]),
    ]
  }

  @Test("a URL keeps its base, as with Foundation's archiver")
  func relativeURL() throws {
    let url = try #require(NSURL(string: "b?x", relativeTo: URL(string: "http://a/c/")))
    let data = try Probe.archive { $0.encode(url, forKey: "value") }
    let theirs = try NSKeyedArchiver.archivedData(withRootObject: url, requiringSecureCoding: true)
    for node in [try KeyedArchive(data).root["value"], try KeyedArchive(theirs).root] {
      #expect(node["NS.relative"].string == "b?x")
      #expect(node["NS.base"]["NS.relative"].string == "http://a/c/")
    }
    let read = try Probe.read(data) { $0.decodeObject(of: NSURL.self, forKey: "value") }
    #expect(read?.relativeString == "b?x" && read?.baseURL?.absoluteString == "http://a/c/")
  }

  @Test("attributes of a text keep their classes, and share their objects with others")
  func attributeObjects() throws {
    let shared = NSMutableString("m")
    let text = NSAttributedString(string: "ab", attributes: [.init("k"): shared])
    let data = try Probe.archive { $0.encode(NSArray(array: [text, shared]), forKey: "value") }
    let elements = try #require(try KeyedArchive(data).root["value"].array)
    let attribute = try #require(elements[0]["NSAttributes"].dictionary?.first?.value)
    #expect(attribute.className == "NSMutableString" && attribute.uid != nil && attribute.uid == elements[1].uid)
  }

  /// A namespace for a unit with the name of one of Foundation's.
  private enum Kitchen {
    final class UnitVolume: Dimension, @unchecked Sendable {
      override class func baseUnit() -> Self { Self(symbol: "cup", converter: UnitConverterLinear(coefficient: 1)) }
    }
  }

  @Test("a program's unit with the name of one of Foundation's is not archived as that one")
  func unitName() throws {
    let cup = Kitchen.UnitVolume(symbol: "cup", converter: UnitConverterLinear(coefficient: 1))
    #expect(try ArchivedUnit(cup).classChain.first?.hasSuffix("Kitchen.UnitVolume") == true)
    #expect(try ArchivedUnit(UnitVolume.liters).classChain.first == "NSUnitVolume")
  }

  @Test("each class round-trips, and two references to an object stay one", arguments: objects.indices)
  func roundTrip(_ index: Int) throws {
    let (object, classes) = Self.objects[index]
    let data = try Probe.archive { coder in
      coder.encode(object, forKey: "a")
      coder.encode(object, forKey: "b")
    }
    let archive = try KeyedArchive(data)
    #expect(archive.root["a"].uid == archive.root["b"].uid)
    try Probe.read(data) { coder in
      let first = coder.decodeObject(of: classes, forKey: "a") as? NSObject
      #expect(first == object)
      #expect(first.map { type(of: $0).isSubclass(of: classes[0]) } == true)
      let second = coder.decodeObject(of: classes, forKey: "b") as? NSObject
      // A primitive has no identity that anything could show.
      if !archive.root["a"].keys.isEmpty { #expect(first === second) }
    }
  }

  // Foundation on Linux compares date intervals by their addresses.
  @Test("a date interval round-trips")
  func dateInterval() throws {
    let interval = NSDateInterval(start: Date(timeIntervalSinceReferenceDate: 1), duration: 2)
    let data = try Probe.archive { $0.encode(interval, forKey: "interval") }
    let read = try Probe.read(data) { $0.decodeObject(of: NSDateInterval.self, forKey: "interval") }
    #expect(read?.startDate == interval.startDate)
    #expect(read?.duration == 2)
  }

  @Test("the form is that of this package's own values, which is Apple's")
  func form() throws {
    let ours = try KeyedArchiver.archivedData(withRootObject: Plain(), requiringSecureCoding: true)
    let bridged = try KeyedArchiver.archivedData(withRootObject: Bridged(), requiringSecureCoding: true)
    #expect(ours == bridged)
  }

  @Test(
    "objects that macOS wrote", .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"),
    arguments: [
      "NSCountedSet-NumbersAppearingSeveralTimes", "NSIndexPath-OneIndex", "NSIndexSet-ManyRanges",
      "NSMutableIndexSet-OneRange", "NSMutableOrderedSet-Numbers", "NSSet-Empty", "NSSet-Numbers",
    ])
  func applesObjects(_ name: String) throws {
    let file = try #require(Corpus.valid.first { $0.name.contains("corelibs-foundation__\(name).archive__") })
    let data = try file.data()
    let classes: [AnyClass] = [
      NSSet.self, NSNumber.self, NSIndexPath.self, NSIndexSet.self, NSOrderedSet.self, NSString.self,
    ]
    let object = try KeyedUnarchiver(forReadingFrom: data).decodeFoundationObject(ofClasses: classes, forKey: "root")
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encodeFoundationObject(object, forKey: "root")
    let differences = try KeyedArchive(archiver.encodedData).differences(from: KeyedArchive(data))
    #expect(differences.map { "\($0)" } == [])
  }

  @Test("sets and dictionaries have the same bytes whatever their order in memory")
  func order() throws {
    let songs = (0..<20).map { Song(title: "song \($0)") }
    func archive(_ songs: [Song]) throws -> Data {
      try Probe.archive { coder in
        coder.encode(NSSet(array: songs), forKey: "set")
        coder.encode(
          Dictionary(uniqueKeysWithValues: songs.map { ($0.title, $0) }) as [String: Any], forKey: "dictionary")
      }
    }
    let bytes = try archive(songs)
    for _ in 0..<3 { #expect(try archive(songs.shuffled()) == bytes) }
  }

  @Test("a mutable class does not admit an immutable object")
  func mutability() throws {
    let data = try Probe.archive { $0.encode(NSArray(array: ["a"]), forKey: "a") }
    let error = try Probe.errorOfReading(data) { coder in
      #expect(coder.decodeObject(of: [NSMutableArray.self, NSString.self], forKey: "a") == nil)
    }
    #expect(error.code == .classNotAllowed)
    #expect(error.className == "NSArray")
  }

  @Test("Booleans are no integers, and integers no Booleans, as in Foundation's archive")
  func booleans() throws {
    let numbers = [NSNumber(value: true), NSNumber(value: false), NSNumber(value: 1), NSNumber(value: 0)]
    let kinds: [ArchiveNumber] = [.boolean(true), .boolean(false), .integer(1), .integer(0)]
    // Foundation on Linux archives equal numbers as one object, so each has an archive of its own.
    for (number, kind) in zip(numbers, kinds) {
      let probe = Probe { $0.encode(number, forKey: "number") }
      #expect(try KeyedArchive(Way.ours(probe)).root["number"].number == kind)
      #expect(try KeyedArchive(Way.theirs(probe)).root["number"].number == kind)
    }
    let data = try Probe.archive { coder in
      for (index, number) in numbers.enumerated() { coder.encode(number, forKey: "\(index)") }
    }
    try Probe.read(data) { coder in
      let read = (0..<4).map { coder.decodeObject(of: NSNumber.self, forKey: "\($0)") }
      #expect(read[0] === NSNumber(value: true) && read[1] === NSNumber(value: false))
      #expect(read[2] !== NSNumber(value: true) && read[3] !== NSNumber(value: false))
    }
  }

  @Test("the text $null, which represents nil in an archive, stays a text", arguments: ArchiveLayout.allCases)
  func nullText(_ layout: ArchiveLayout) throws {
    let text = NSString("$null")
    let probe = Probe { coder in
      coder.encode(text, forKey: "text")
      coder.encode(NSArray(object: text), forKey: "list")
      coder.encode(NSDictionary(object: text, forKey: text), forKey: "table")
      coder.encode(NSAttributedString(string: "a", attributes: [.init("k"): text]), forKey: "attributed")
      coder.encode(text as Any?)
    }
    let data = try KeyedArchiver.archivedData(withRootObject: probe, requiringSecureCoding: true, layout: layout)
    try Probe.read(data) { coder in
      #expect(coder.decodeObject(of: NSString.self, forKey: "text") == text)
      #expect(coder.decodeArrayOfObjects(ofClass: NSString.self, forKey: "list") == [text])
      #expect((coder.decodeObject(forKey: "table") as? NSDictionary)?["$null"] as? String == "$null")
      let attributed = coder.decodeObject(of: NSAttributedString.self, forKey: "attributed")
      let attributes = unsafe attributed?.attributes(at: 0, effectiveRange: nil)
      #expect(attributes?[.init("k")] as? String == "$null")
      #expect(coder.decodeObject() as? String == "$null")
    }
  }

  @Test("objects of this package inside of bridged ones, and the reverse")
  func mixed() throws {
    let song = Song(title: "both")
    let shelf = Shelf(songs: [song, song], badge: Badge(text: "new"))
    let data = try Probe.archive { coder in
      coder.encode(shelf, forKey: "shelf")
      coder.encode(song, forKey: "song")
      coder.encode([shelf, song] as [Any], forKey: "list")
      coder.keyedArchiver?.encode(Badge(text: "struct"), forKey: "badge")
    }
    #expect(song.encodings == 1)
    try Probe.read(data) { coder in
      let shelf = coder.decodeObject(of: [Shelf.self], forKey: "shelf") as? Shelf
      #expect(shelf?.badge.text == "new")
      let song = coder.decodeObject(of: Song.self, forKey: "song")
      #expect(song?.title == "both" && shelf?.songs.allSatisfy { $0 === song } == true)
      let list = coder.decodeObject(of: [NSArray.self, Shelf.self, Song.self], forKey: "list") as? [AnyObject]
      #expect(list?[0] === shelf && list?[1] === song)
      #expect(coder.keyedUnarchiver?.decodeObject(of: Badge.self, forKey: "badge")?.text == "struct")
    }
  }

  @Test("classes without secure coding need a protocol of their own, and coders that do not require it")
  func insecure() throws {
    #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: Relic(), requiringSecureCoding: true)
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Relic(), requiringSecureCoding: false)
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Relic.self, from: data)
    }
    #expect(error?.code == .classNotSecure)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.requiresSecureCoding = false
    #expect(try unarchiver.decode(Relic.self, forKey: "root").age == 300)
  }

  @Test("what has no form in an archive is named, with what to do")
  func notArchivable() throws {
    let unbridged = try Probe.errorOfArchiving { $0.encode(Unbridged(), forKey: "thing") }
    #expect(unbridged.code == .notEncodable)
    #expect(unbridged.className == "KeyedArchivingFoundationTests.Unbridged")
    #expect(unbridged.remedy == "Declare 'extension Unbridged: FoundationCoding {}'")
    let progress = try Probe.errorOfArchiving { $0.encode([Progress(totalUnitCount: 1)], forKey: "list") }
    #expect(progress.code == .notEncodable)
    #expect(progress.className == "Progress")
    let closure: () -> Void = {}
    #expect(try Probe.errorOfArchiving { $0.encode(closure, forKey: "closure") }.code == .notEncodable)
  }
}

/// Values of Swift, coded by this package alone, and the same ones as objects of Foundation.
private final class Plain: SecureKeyedCoding {
  static var archiveClassName: String { "Values" }

  init() {}

  func encode(with coder: KeyedArchiver) {
    coder.encode("text", forKey: "text")
    coder.encodeObject(1.5, forKey: "number")
    coder.encode(Date(timeIntervalSinceReferenceDate: 9), forKey: "date")
    coder.encode(ArchivedMutableString("mutable"), forKey: "mutable")
    coder.encode(URL(string: "https://example.org"), forKey: "url")
    coder.encode(["k": [1, 2]], forKey: "nested")
    coder.encode(Decimal(string: "2.5"), forKey: "decimal")
    coder.encode(ArchivedPoint(x: 1, y: 2), forKey: "point")
    coder.encode(ArchivedIndexSet([1..<4], isMutable: true), forKey: "indexes")
    coder.encode(ArchivedAttributedString("plain"), forKey: "attributed")
  }

  init?(coder: KeyedUnarchiver) throws {}
}

final class Bridged: NSObject, NSSecureCoding, FoundationCoding {
  static var archiveClassName: String { "Values" }
  static var supportsSecureCoding: Bool { true }

  override init() {}

  func encode(with coder: NSCoder) {
    coder.encode("text" as NSString, forKey: "text")
    coder.encode(NSNumber(value: 1.5), forKey: "number")
    coder.encode(NSDate(timeIntervalSinceReferenceDate: 9), forKey: "date")
    coder.encode(NSMutableString("mutable"), forKey: "mutable")
    coder.encode(NSURL(string: "https://example.org"), forKey: "url")
    coder.encode(["k": [1, 2]] as NSDictionary, forKey: "nested")
    coder.encode(NSDecimalNumber(string: "2.5"), forKey: "decimal")
    coder.encode(NSValue(point: CGPoint(x: 1, y: 2)), forKey: "point")
    coder.encode(NSMutableIndexSet(indexesIn: NSRange(location: 1, length: 3)), forKey: "indexes")
    coder.encode(NSAttributedString(string: "plain"), forKey: "attributed")
  }

  init?(coder: NSCoder) { nil }
}

struct Badge: SecureKeyedCoding {
  var text: String

  init(text: String) { self.text = text }

  func encode(with coder: KeyedArchiver) { coder.encode(text, forKey: "text") }

  init?(coder: KeyedUnarchiver) throws { text = try coder.decode(String.self, forKey: "text") }
}

/// A class of this package that contains bridged ones.
final class Shelf: SecureKeyedCoding {
  let songs: [Song]
  let badge: Badge

  init(songs: [Song], badge: Badge) { (self.songs, self.badge) = (songs, badge) }

  func encode(with coder: KeyedArchiver) {
    coder.encode(songs, forKey: "songs")
    coder.encode(badge, forKey: "badge")
  }

  init?(coder: KeyedUnarchiver) throws {
    songs = try coder.decode([Song].self, forKey: "songs")
    badge = try coder.decode(Badge.self, forKey: "badge")
  }
}

/// A class of `NSCoding` alone.
final class Relic: NSObject, NSCoding, InsecureFoundationCoding {
  var age = 300
  override init() {}
  func encode(with coder: NSCoder) { coder.encode(age, forKey: "age") }
  init?(coder: NSCoder) { age = coder.decodeInteger(forKey: "age") }
}

final class Unbridged: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  override init() {}
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) { nil }
}
