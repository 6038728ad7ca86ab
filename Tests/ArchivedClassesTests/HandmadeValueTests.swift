// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

private let dictionaryClass: HandmadeList = .classRecord("NSDictionary", "NSObject")

@Suite("Values as the description of the format has them")
struct HandmadeValueTests {
  @Test("are what the stored keys say", arguments: DescribedObject.all)
  func decode(_ row: DescribedObject) throws { #expect(try row.matches(row.data)) }

  @Test("are stored under the same keys", arguments: DescribedObject.all)
  func encode(_ row: DescribedObject) throws {
    let (expected, anew) = (try KeyedArchive(row.data), try KeyedArchive(row.archive()))
    var comparison = NodeComparison(ordered: false)
    #expect(comparison.difference(expected.root, anew.root) == nil)
    #expect(try row.matches(anew.data()))
  }

  @Test("are refused with the key where any key holds what no archiver stores", arguments: DescribedObject.all)
  func wrongKinds(_ row: DescribedObject) throws {
    let archive = try KeyedArchive(row.data)
    let root = try #require(archive.root.uid)
    for key in archive.root.keys {
      var damaged = archive
      try damaged.setValue(.array([.integer(1)]), forKey: key, of: root)
      let error = #expect(throws: KeyedArchiveError.self, "\(key)") { try row.matches(damaged.data()) }
      #expect([.typeMismatch, .malformedValue].contains(error?.code), "\(key): \(String(describing: error))")
      #expect(error?.description.contains(key) ?? false, "\(key): \(String(describing: error))")
      #expect(error?.keyPath?.hasPrefix("root") ?? false, "\(key): \(String(describing: error))")
    }
  }

  @Test("have classes with other names, under which they are read too")
  func aliases() throws {
    let notification = HandmadeList.archive([
      ["NS.name": .uid(3), "NS.object": .uid(0), "NS.userinfo": .uid(0), "$class": .uid(2)],
      .classRecord("NSConcreteNotification", "NSNotification", "NSObject"), "news",
    ])
    let made = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedNotification.self, from: notification)
    #expect(made?.name == "news" && made?.object == nil)
    let decimal = HandmadeList.archive([
      [
        "NS.exponent": -1, "NS.length": 1, "NS.negative": false, "NS.compact": true, "NS.mantissa.bo": 1,
        "NS.mantissa": .data([125] + [UInt8](repeating: 0, count: 15)), "$class": .uid(2),
      ], .classRecord("NSDecimalNumber", "NSNumber", "NSValue", "NSObject"),
    ])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Decimal.self, from: decimal) == Decimal(string: "12.5"))
  }

  @Test("components of a color may be stored as either form of nil", arguments: [0, 3] as [UInt64])
  func nilComponents(_ row: UInt64) throws {
    let data = HandmadeList.archive([
      ["NSColorSpace": 3, "NSWhite": .data(Array("0.5".utf8)), "NSComponents": .uid(row), "$class": .uid(2)],
      .classRecord("NSColor", "NSObject"), "$null",
    ])
    let color = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedColor.self, from: data)
    #expect(color?.white?.values == [0.5] && color?.components == nil)
  }

  @Test("a UIKit color that names AppKit's class for others keeps that name")
  func colorHints() throws {
    let record: HandmadeList = [
      "$classname": "UIColor", "$classes": ["UIColor", "NSObject"], "$classhints": ["NSColor"],
    ]
    let data = HandmadeList.archive([
      ["UIColorComponentCount": 2, "UIWhite": 0.5, "UIAlpha": 1.0, "$class": .uid(2)], record,
    ])
    let color = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedUIColor.self, from: data))
    let anew = try KeyedArchiver.archivedData(withRootObject: color, requiringSecureCoding: true)
    #expect(try KeyedArchive(anew).root.classDescription?.hints == ["NSColor"])
  }

  @Test("date components that are not set are stored as the largest integer")
  func unsetComponents() throws {
    var components = DateComponents()
    components.year = 2020
    let data = try KeyedArchiver.archivedData(withRootObject: components, requiringSecureCoding: true)
    #expect(try KeyedArchive(data).root["NS.month"].number == .integer(.max))
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: DateComponents.self, from: data) == components)
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test("date components with a day of the year are rejected")
  func dayOfYear() throws {
    var components = DateComponents(year: 2020)
    components.dayOfYear = 3
    #if OLD_SYSTEMS
      // Older systems have no day of the year, so it is not archived.
      let data = try KeyedArchiver.archivedData(withRootObject: components, requiringSecureCoding: true)
      let decoded = try KeyedUnarchiver.unarchivedObject(ofClass: DateComponents.self, from: data)
      #expect(decoded == DateComponents(year: 2020))
    #else
      let error = #expect(throws: KeyedArchiveError.self) {
        try KeyedArchiver.archivedData(withRootObject: components, requiringSecureCoding: true)
      }
      #expect(error?.code == .notEncodable)
    #endif
  }

  @Test("date components keep their calendar and time zone")
  func zonedComponents() throws {
    var components = DateComponents(year: 2020, month: 2, day: 29, hour: 3)
    components.calendar = Calendar(identifier: .gregorian)
    components.calendar?.timeZone = .gmt
    components.timeZone = .gmt
    let data = try KeyedArchiver.archivedData(withRootObject: components, requiringSecureCoding: true)
    let root = try KeyedArchive(data).root
    #expect(root["NS.timezone"]["NS.name"].string == "GMT")
    #expect(root["NS.calendar"]["NS.identifier"].string == "gregorian")
    #expect(root["NS.calendar"]["NS.timezone"].uid == root["NS.timezone"].uid)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: DateComponents.self, from: data) == components)
  }

  @Test("a character set is read from the keys of older systems too")
  func oldCharacterSets() throws {
    func decode(_ values: [(String, HandmadeList)], _ other: HandmadeList) throws -> ArchivedCharacterSet? {
      let data = HandmadeList.archive([
        .dictionary(values + [("$class", .uid(2))]), .classRecord("NSCharacterSet", "NSObject"), other,
      ])
      return try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedCharacterSet.self, from: data)
    }
    #expect(try decode([("NSString", .uid(3))], "abc") == ArchivedCharacterSet(.characters("abc")))
    let bits = [UInt8](repeating: 0, count: 8192 + 8193).enumerated().map { $0.offset == 8192 ? 1 : $0.element }
    #expect(
      try decode([("NSBitmap", .uid(3))], .data(bits)) == ArchivedCharacterSet(.bitmap(Data(bits))))
  }

  @Test("strings and data that are objects are read under either of their keys")
  func objectsWithKeys() throws {
    func decode<Value: KeyedCoding>(_ type: Value.Type, _ name: String, _ key: String, _ value: HandmadeList) throws
      -> Value?
    {
      try KeyedUnarchiver.unarchivedObject(
        ofClass: type,
        from: HandmadeList.archive([
          .dictionary([(key, value), ("$class", .uid(2))]), .classRecord(name, "NSObject"),
        ]))
    }
    #expect(try decode(String.self, "NSString", "NS.string", "é") == "é")
    #expect(try decode(String.self, "NSMutableString", "NS.bytes", .data(Array("é".utf8))) == "é")
    #expect(try decode(Data.self, "NSData", "NS.data", .data([7])) == Data([7]))
    #expect(try decode(Data.self, "NSMutableData", "NS.bytes", .data([7])) == Data([7]))
  }

  @Test("collections have two forms, which are the same")
  func twoForms() throws {
    let array = HandmadeList.archive([
      ["NS.object.0": .uid(3), "NS.object.1": .uid(4), "$class": .uid(2)], .classRecord("NSArray", "NSObject"), "a",
      "b",
    ])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [String].self, from: array) == ["a", "b"])
    let ordered = HandmadeList.archive([
      ["NS.objects": [.uid(3), .uid(4)], "$class": .uid(2)], .classRecord("NSOrderedSet", "NSObject"), "a", "b",
    ])
    let types: [any KeyedCoding.Type] = [ArchivedOrderedSet.self, String.self]
    let made = try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: ordered) as? ArchivedOrderedSet
    #expect(made?.elements as? [String] == ["a", "b"])
    let dictionary = HandmadeList.archive([
      ["NS.key.0": .uid(3), "NS.object.0": .uid(4), "$class": .uid(2)], dictionaryClass, "a", "b",
    ])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [String: String].self, from: dictionary) == ["a": "b"])
    let set = HandmadeList.archive([
      ["NS.object.0": .uid(3), "$class": .uid(2)], .classRecord("NSSet", "NSObject"), "a",
    ])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Set<String>.self, from: set) == ["a"])
  }

  @Test("mutable collections stay mutable where their type can say so")
  func mutable() throws {
    let value = ArchivedDictionary(
      [("a", ArchivedArray([1], isMutable: true)), ("b", ArchivedSet(["x"], isMutable: true))], isMutable: true)
    let archive = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true))
    #expect(archive.root.classDescription?.chain == ["NSMutableDictionary", "NSDictionary", "NSObject"])
    #expect(archive.root["a"].className == "NSMutableArray" && archive.root["b"].className == "NSMutableSet")
    let made = try KeyedUnarchiver.unarchivedObject(ofClasses: KeyedUnarchiver.valueTypes, from: archive.data())
    #expect((made as? ArchivedDictionary)?.isMutable == true)
    #expect(((made as? ArchivedDictionary)?["a"] as? ArchivedArray)?.isMutable == true)
  }

  @Test("content of unknown classes is kept as data, that of classes the caller names is theirs")
  func content() throws {
    let objects: [HandmadeList] = [
      ["NSDomain": .uid(3), "NSCode": 1, "NSUserInfo": .uid(4), "$class": .uid(2)],
      .classRecord("NSError", "NSObject"), "d",
      ["NS.keys": [.uid(3)], "NS.objects": [.uid(6)], "$class": .uid(5)], dictionaryClass,
      ["Title": .uid(3), "Rating": .raw([0x22, 0x40, 0, 0, 0]), "$class": .uid(7)],
      .classRecord("ScaryCreatures.ScaryCreatureData", "NSObject"),
    ]
    let data = HandmadeList.archive(objects)
    let error = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedError.self, from: data))
    let object = try #require(error.userInfo?["d"] as? ArchivedObject)
    #expect(object.archivedClass.name == "ScaryCreatures.ScaryCreatureData" && object["Title"]?.string == "d")
    let types: [any KeyedCoding.Type] = [ArchivedError.self, Creature.self]
    let named = try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: data) as? ArchivedError
    #expect((named?.userInfo?["d"] as? Creature)?.rating == 2)
  }

  @Test("affine transforms are stored as briefly as Apple stores them")
  func transforms() throws {
    typealias Matrix = ArchivedAffineTransform.Matrix
    let shift = ArchivedAffineTransform(Matrix(tX: 128, tY: 128))
    #expect(shift.bytes == Data([2, 0x43, 0, 0, 0, 0x43, 0, 0, 0]))
    let scale = ArchivedAffineTransform(Matrix(m11: 64, m22: 64, tX: 64, tY: 64))
    #expect(scale.bytes == Data([0x42, 0x80, 0, 0, 0x42, 0x80, 0, 0, 0x42, 0x80, 0, 0, 0x42, 0x80, 0, 0]))
    for matrix in [Matrix(), Matrix(m11: 2, m12: 3, m21: 4, m22: 5, tX: 6, tY: 7), Matrix(m11: 1, m22: 0)] {
      #expect(ArchivedAffineTransform(matrix).matrix == matrix)
    }
  }

  @Test("a time zone that several refer to is one object, as in the system's cache")
  func sharedZone() throws {
    let zone = try #require(TimeZone(identifier: "GMT"))
    let archive = try KeyedArchive(
      KeyedArchiver.archivedData(withRootObject: [zone, zone], requiringSecureCoding: true))
    #expect(archive.root[0].uid == archive.root[1].uid)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [TimeZone].self, from: archive.data()) == [zone, zone])
  }

  @Test("locales and calendars come out as they went in", arguments: ["gregorian", "buddhist", "islamic-civil"])
  func calendars(_ name: String) throws {
    let identifiers: [String: Calendar.Identifier] = [
      "gregorian": .gregorian, "buddhist": .buddhist, "islamic-civil": .islamicCivil,
    ]
    var calendar = Calendar(identifier: try #require(identifiers[name]))
    calendar.locale = Locale(identifier: "de_DE")
    calendar.timeZone = try #require(TimeZone(identifier: "GMT"))
    (calendar.firstWeekday, calendar.minimumDaysInFirstWeek) = (2, 4)
    let data = try KeyedArchiver.archivedData(withRootObject: calendar, requiringSecureCoding: true)
    #expect(try KeyedArchive(data).root["NS.identifier"].string == name)
    #expect(try KeyedArchive(data).root["NS.locale"]["NS.identifier"].string == "de_DE")
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Calendar.self, from: data) == calendar)
    let locale = Locale(identifier: "fr_CH")
    let other = try KeyedArchiver.archivedData(withRootObject: locale, requiringSecureCoding: true)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Locale.self, from: other) == locale)
  }
}

@Suite("Swift's attributed strings")
struct AttributedStringTests {
  private func roundTrip(_ text: AttributedString) throws -> AttributedString {
    let data = try KeyedArchiver.archivedData(withRootObject: text, requiringSecureCoding: true)
    return try #require(try KeyedUnarchiver.unarchivedObject(ofClass: AttributedString.self, from: data))
  }

  @Test("keep links, runs and attributes that Swift has no keys for")
  func keep() throws {
    var text = AttributedString("e")
    text.link = URL(string: "http://a/b")
    var tail = AttributedString("\u{301}😀x")
    let font = ArchivedFont(name: "Helvetica", size: 12)
    let unknown = ArchivedObject(classes: "Gadget", "NSObject", entries: [.init("n", .number(.integer(3)))])
    tail[ArchivedAttributes.self] = try ArchivedAttributeSet(ArchivedDictionary([("NSFont", font), ("X", unknown)]))
    text.append(tail)
    let made = try roundTrip(text)
    #expect(made == text)
    let set = try #require(made.runs.compactMap { $0[ArchivedAttributes.self] }.first)
    #expect((try set["NSFont"] as? ArchivedFont)?.name == "Helvetica")
    #expect((try set["X"] as? ArchivedObject)?["n"]?.number == .integer(3))
  }

  @Test("plain and empty ones have no attributes")
  func plain() throws {
    for text in [AttributedString(""), AttributedString("plain")] {
      #expect(try roundTrip(text) == text)
      let archived = try ArchivedAttributedString(text)
      #expect(archived.runs.isEmpty && archived.attributeSets.isEmpty)
    }
  }

  @Test("with an attribute that has no form in an archive are refused")
  func refuse() {
    enum Secret: AttributedStringKey {
      typealias Value = Int
      static let name = "secret"
    }
    var text = AttributedString("x")
    text[Secret.self] = 4
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: text, requiringSecureCoding: true)
    }
    #expect(error?.code == .notEncodable)
  }
}
