// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import ArchivedClasses
import Foundation
import HarnessSupport
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
  @Test("date components keep the day of the year where it exists")
  func dayOfYear() throws {
    var components = DateComponents(year: 2020)
    components.dayOfYear = 3
    let data = try KeyedArchiver.archivedData(withRootObject: components, requiringSecureCoding: true)
    let decoded = try KeyedUnarchiver.unarchivedObject(ofClass: DateComponents.self, from: data)
    #if OLD_SYSTEMS
      #expect(decoded == DateComponents(year: 2020))
    #else
      #expect(try KeyedArchive(data).root["NS.dayOfYear"].number == .integer(3))
      #expect(decoded == components)
    #endif
  }

  @Test("date components are read as Apple stores them: without those that are not set, the leap month as a number")
  func applesComponents() throws {
    let data = HandmadeList.archive([
      ["NS.year": 2023, "NS.month": 2, "NS.leapMonth": 1, "$class": .uid(2)],
      .classRecord("NSDateComponents", "NSObject"),
    ])
    let components = try KeyedUnarchiver.unarchivedObject(ofClass: DateComponents.self, from: data)
    var expected = DateComponents(year: 2023, month: 2)
    expected.isLeapMonth = true
    #expect(components == expected)
    // Apple's decoder rejects a calendar or time zone that is present and nil.
    let anew = try KeyedArchiver.archivedData(withRootObject: expected, requiringSecureCoding: true)
    #expect(try KeyedArchive(anew).root.keys.allSatisfy { $0 != "NS.calendar" && $0 != "NS.timezone" })
  }

  @Test("a date interval ends where its duration says, as for Apple's decoder")
  func durations() throws {
    func interval(_ values: [(String, HandmadeList)]) throws -> DateInterval? {
      let data = HandmadeList.archive([
        .dictionary([("NS.startDate", .uid(3)), ("$class", .uid(2))] + values),
        .classRecord("NSDateInterval", "NSObject"), ["NS.time": 1.0, "$class": .uid(5)],
        ["NS.time": 4.0, "$class": .uid(5)], .classRecord("NSDate", "NSObject"),
      ])
      return try KeyedUnarchiver.unarchivedObject(ofClass: DateInterval.self, from: data)
    }
    let start = Date(timeIntervalSinceReferenceDate: 1)
    #expect(try interval([("NS.duration", 2.5)]) == DateInterval(start: start, duration: 2.5))
    #expect(try interval([("NS.endDate", .uid(4)), ("NS.duration", 2.5)])?.duration == 2.5)
    #expect(try interval([("NS.endDate", .uid(4))])?.duration == 3)
    for duration in [HandmadeList.real(-1), .real(.nan), .real(.infinity)] {
      let error = #expect(throws: KeyedArchiveError.self) { try interval([("NS.duration", duration)]) }
      #expect(error?.code == .malformedValue)
    }
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

  @Test("a character set is read from the keys of other coders too")
  func boxedCharacterSets() throws {
    func decode(_ values: [(String, HandmadeList)], _ other: HandmadeList) throws -> ArchivedCharacterSet? {
      let data = HandmadeList.archive([
        .dictionary(values + [("$class", .uid(2))]), .classRecord("NSCharacterSet", "NSObject"), other,
      ])
      return try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedCharacterSet.self, from: data)
    }
    #expect(try decode([("NSString", .uid(3))], "abc") == ArchivedCharacterSet(.characters("abc")))
    #expect(try decode([("NSStringObject", .uid(3))], "abc") == ArchivedCharacterSet(.characters("abc")))
    let bits = [UInt8](repeating: 0, count: 8192 + 8193).enumerated().map { $0.offset == 8192 ? 1 : $0.element }
    #expect(
      try decode([("NSBitmapObject", .uid(3))], .data(bits)) == ArchivedCharacterSet(.bitmap(Data(bits))))
    #expect(
      try decode([("NSBitmap", .data(bits))], "") == ArchivedCharacterSet(.bitmap(Data(bits))))
    // A second representation is not lost.
    let both = try #require(try decode([("NSBuiltinID", 5), ("NSBitmap", .data(bits))], ""))
    #expect(both.content == .builtin(5) && both.otherValues.keys == ["NSBitmap"])
    let root = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: both, requiringSecureCoding: true)).root
    #expect(root["NSBuiltinID"].number == .integer(5) && root["NSBitmap"].data == Data(bits))
  }

  @Test("a regular expression without options has none")
  func expressionWithoutOptions() throws {
    let data = HandmadeList.archive([
      ["NSPattern": .uid(3), "$class": .uid(2)], .classRecord("NSRegularExpression", "NSObject"), "a.b",
    ])
    #expect(
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedRegularExpression.self, from: data)
        == ArchivedRegularExpression(pattern: "a.b"))
  }

  @Test("the opacity of a CMYK color is in its components, if it has no other values")
  func opacityOfComponents() throws {
    let data = HandmadeList.archive([
      ["NSColorSpace": 5, "NSComponents": .data(Array("0 0 0 1 0.5".utf8)), "$class": .uid(2)],
      .classRecord("NSColor", "NSObject"),
    ])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedColor.self, from: data)?.alpha == 0.5)
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

  @Test("the scale of an icon, as a program of Apple's stored it, has no translation")
  func transforms() throws {
    var transform = ArchivedAffineTransform(.init())
    transform.bytes = Data([2, 0x43, 0, 0, 0, 0x43, 0, 0, 0])
    #expect(transform.matrix == ArchivedAffineTransform.Matrix(m11: 128, m22: 128))
    transform.bytes = Data([3, 0x43, 0, 0, 0, 0x43, 0, 0, 0])
    #expect(transform.matrix == nil)
  }

  @Test("a person's name is read as Apple stores it, and archived with the same keys")
  func applesName() throws {
    let data = HandmadeList.archive([
      ["NS.nameComponentsPrivate": .uid(3), "$class": .uid(2)], .classRecord("NSPersonNameComponents", "NSObject"),
      [
        "NS.givenName": .uid(5), "NS.familyName": .uid(6), "NS.middleName": .uid(0), "NS.namePrefix": .uid(0),
        "NS.nameSuffix": .uid(0), "NS.nickname": .uid(0), "NS.phoneticRepresentation": .uid(7), "$class": .uid(4),
      ], .classRecord("_NSPersonNameComponentsData", "NSObject"), "Ada", "Lovelace",
      ["NS.nameComponentsPrivate": .uid(8), "$class": .uid(2)],
      [
        "NS.givenName": .uid(9), "NS.familyName": .uid(0), "NS.middleName": .uid(0), "NS.namePrefix": .uid(0),
        "NS.nameSuffix": .uid(0), "NS.nickname": .uid(0), "NS.phoneticRepresentation": .uid(0), "$class": .uid(4),
      ], "AY-da",
    ])
    let name = try #require(
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedPersonNameComponents.self, from: data))
    #expect(name.givenName == "Ada" && name.familyName == "Lovelace" && name.nickname == nil)
    #expect(name.phoneticRepresentation?.givenName == "AY-da")
    let anew = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: name, requiringSecureCoding: true))
    var comparison = NodeComparison(ordered: false)
    #expect(comparison.difference(try KeyedArchive(data).root, anew.root) == nil)
    #expect(anew.root.keys == ["NS.nameComponentsPrivate"])
  }

  @Test("a person's name with other texts in its own keys keeps both")
  func differingName() throws {
    let data = HandmadeList.archive([
      [
        "NS.nameComponentsPrivate": .uid(3), "NS.givenName": .uid(6), "NS.nickname": .uid(7), "NS.familyName": .uid(0),
        "$class": .uid(2),
      ], .classRecord("NSPersonNameComponents", "NSObject"), ["NS.givenName": .uid(5), "$class": .uid(4)],
      .classRecord("_NSPersonNameComponentsData", "NSObject"), "Ada", "Augusta", "A",
    ])
    let name = try #require(
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedPersonNameComponents.self, from: data))
    // Apple's decoder reads the private object.
    #expect(name.givenName == "Ada" && name.nickname == nil)
    let root = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: name, requiringSecureCoding: true)).root
    #expect(root["NS.givenName"].string == "Augusta" && root["NS.nickname"].string == "A")
    #expect(root["NS.nameComponentsPrivate"]["NS.givenName"].string == "Ada")
    #expect(root["NS.nameComponentsPrivate"]["NS.nickname"].string == nil)
  }

  @Test("a person's name is read as swift-corelibs-foundation stores it")
  func portedName() throws {
    let data = HandmadeList.archive([
      ["NS.givenName": .uid(3), "NS.familyName": .uid(0), "$class": .uid(2)],
      .classRecord("NSPersonNameComponents", "NSObject"), "Ada",
    ])
    let name = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedPersonNameComponents.self, from: data)
    #expect(name?.givenName == "Ada" && name?.familyName == nil)
  }

  @Test("a value of a kind without a type of its own is kept, and what surrounds it is decoded")
  func otherKinds() throws {
    for (kind, keys) in [
      (10, ["NS.atval.a", "NS.atval.b", "NS.atval.c", "NS.atval.d", "NS.atval.tx", "NS.atval.ty"]),
      (13, ["NS.offset.h", "NS.offset.v"]),
      (14, ["NS.dirEdgeVal.top", "NS.dirEdgeVal.leading", "NS.dirEdgeVal.bottom", "NS.dirEdgeVal.trailing"]),
    ] as [(Int64, [String])] {
      let values: [(String, HandmadeList)] = keys.enumerated().map { ($0.element, .real(Double($0.offset))) }
      let data = HandmadeList.archive([
        ["NS.objects": [.uid(3), .uid(4)], "$class": .uid(2)], .classRecord("NSArray", "NSObject"), "hello",
        .dictionary(values + [("NS.special", .integer(kind)), ("$class", .uid(5))]),
        .classRecord("NSValue", "NSObject"),
      ])
      let made = try KeyedUnarchiver.unarchivedObject(ofClasses: KeyedUnarchiver.valueTypes, from: data)
      let array = try #require(made as? ArchivedArray)
      guard array.elements[0] as? String == "hello", case .other(let object)? = array.elements[1] as? ArchivedValue
      else {
        Issue.record("kind \(kind): \(array.elements)")
        continue
      }
      #expect(object[try #require(keys.last)]?.number != nil)
      let anew = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: array, requiringSecureCoding: true))
      var comparison = NodeComparison(ordered: false)
      #expect(comparison.difference(try KeyedArchive(data).root, anew.root) == nil)
    }
  }

  @Test("a constant expression with a value and a class keeps both")
  func twoConstants() throws {
    let data = HandmadeList.archive([
      [
        "NSExpressionType": 0, "NSConstantValue": .uid(3), "NSConstantValueClassName": .uid(4), "$class": .uid(2),
      ],
      .classRecord("NSConstantValueExpression", "NSExpression", "NSObject"), "value", "NSString",
    ])
    let expression = try #require(
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedExpression.self, from: data))
    let anew = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: expression, requiringSecureCoding: true))
    #expect(anew.root["NSConstantValue"].string == "value")
    #expect(anew.root["NSConstantValueClassName"].string == "NSString")
  }

  @Test("constant expressions that share an inline text share its memory")
  func sharedConstant() throws {
    var file = ArchiveFile()
    let classUID = file.classUID("NSConstantValueExpression", "NSExpression", "NSObject")
    let text = file.text(String(repeating: "text", count: 100))
    let constant = file.fields(
      classUID, [("NSExpressionType", file.row(.integer(0))), ("NSConstantValue", text)])
    let list = file.row(.array((0..<2).map { _ in file.reference(file.object(row: constant)) }))
    let array = file.fields(file.classUID("NSArray", "NSObject"), [("NS.objects", list)])
    let expressions = try KeyedUnarchiver.unarchivedObject(
      ofClass: [ArchivedExpression].self, from: file.data(root: file.object(row: array)))
    let places = try #require(expressions).map { expression -> UInt? in
      guard case .constant(let value) = expression, let text = value as? String else { return nil }
      return unsafe text.utf8.withContiguousStorageIfAvailable { UInt(bitPattern: $0.baseAddress) }
    }
    let shared = try #require(places.first ?? nil)
    #expect(places == [shared, shared])
  }

  @Test("an NSValue of a kind that no system writes is an error")
  func unknownKind() throws {
    let data = HandmadeList.archive([
      ["NS.special": 99, "$class": .uid(2)], .classRecord("NSValue", "NSObject"),
    ])
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedValue.self, from: data)
    }
    #expect(error?.detail.contains("'NS.special' is 99") == true)
  }

  @Test("a number is stored again as it was: in 4 bytes, or as an integer")
  func storedReals() throws {
    let shadow = HandmadeList.archive([
      ["NSShadowVert": .raw([0x22, 0xC0, 0, 0, 0]), "NSShadowHoriz": 3, "NSShadowBlurRadius": 0.5, "$class": .uid(2)],
      .classRecord("NSShadow", "NSObject"),
    ])
    var made = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedShadow.self, from: shadow))
    #expect(made == ArchivedShadow(blurRadius: 0.5, horizontalOffset: 3, verticalOffset: -2))
    var root = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: made, requiringSecureCoding: true)).root
    #expect(root["NSShadowVert"].number == .float(-2) && root["NSShadowHoriz"].number == .integer(3))
    #expect(root["NSShadowBlurRadius"].number == .double(0.5))
    // Equal numbers that are not the same: the stored integer 0 has no sign.
    let zero = HandmadeList.archive([["NSShadowVert": 0, "$class": .uid(2)], .classRecord("NSShadow", "NSObject")])
    var flat = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedShadow.self, from: zero))
    flat.verticalOffset = -0.0
    root = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: flat, requiringSecureCoding: true)).root
    #expect(root["NSShadowVert"].number?.real?.sign == .minus)
    made.verticalOffset = -4
    root = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: made, requiringSecureCoding: true)).root
    #expect(root["NSShadowVert"].number == .double(-4))
    let data = HandmadeList.archive([["UIScale": 2, "$class": .uid(2)], .classRecord("UIImage", "NSObject")])
    var image = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedUIImage.self, from: data))
    image.scale = 2
    root = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: image, requiringSecureCoding: true)).root
    #expect(image.scale == 2 && root["UIScale"].number == .integer(2))
    image.scale = -0.0
    image.scale = 0
    #expect(image.scale?.sign == .plus)
    image.scale = 3
    root = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: image, requiringSecureCoding: true)).root
    #expect(root["UIScale"].number == .float(3))
  }

  @Test("an operator without a modifier gets none, and one whose negation is removed has none")
  func operators() throws {
    let data = HandmadeList.archive([
      ["NSOperatorType": 4, "NSNegate": true, "NSOptions": 1, "$class": .uid(2)],
      .classRecord("NSEqualityPredicateOperator", "NSPredicateOperator", "NSObject"),
    ])
    var made = try #require(
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedPredicateOperator.self, from: data))
    #expect(made.modifier == 0 && made.isNegated == true && made.otherValues["NSOptions"] == .number(.integer(1)))
    var root = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: made, requiringSecureCoding: true)).root
    #expect(Set(root.keys) == ["NSOperatorType", "NSNegate", "NSOptions"])
    (made.isNegated, made.modifier) = (nil, 1)
    root = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: made, requiringSecureCoding: true)).root
    #expect(Set(root.keys) == ["NSOperatorType", "NSModifier", "NSOptions"])
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
