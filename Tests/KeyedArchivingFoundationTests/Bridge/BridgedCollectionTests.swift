// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import KeyedArchivingFoundation
import PropertyListFormat
import TestSupport
import Testing

@Suite("Collections of bridged objects")
struct BridgedCollectionTests {
  /// Two different values of each class that Foundation can represent.
  private static func pairs() throws -> [(name: String, values: [any KeyedCoding])] {
    let dates = [Date(timeIntervalSinceReferenceDate: 1), Date(timeIntervalSinceReferenceDate: 2)]
    func name(_ text: String) -> PersonNameComponents {
      var name = PersonNameComponents()
      name.givenName = text
      return name
    }
    return [
      ("NSString", ["a", "b"]), ("NSMutableString", [ArchivedMutableString("a"), ArchivedMutableString("b")]),
      ("NSNumber", [1, 2.5]), ("NSNumber", [true, UInt64.max]),
      ("NSDecimalNumber", [Decimal(1), Decimal(3.14)]),
      ("NSData", [Data([1]), Data([2])]), ("NSMutableData", [ArchivedMutableData([1]), ArchivedMutableData([2])]),
      ("NSNull", [ArchiveNull(), 1]), ("NSDate", dates), ("NSURL", [URL(filePath: "/a"), URL(filePath: "/b")]),
      ("NSUUID", [UUID(), UUID()]), ("NSArray", [ArchivedArray([1]), ArchivedArray(["a"], isMutable: true)]),
      ("NSDictionary", [ArchivedDictionary([("a", 1)]), ArchivedDictionary([("a", 2)])]),
      ("NSSet", [ArchivedSet([1]), ArchivedSet([2])]),
      ("NSOrderedSet", [ArchivedOrderedSet([1]), ArchivedOrderedSet([2])]),
      ("NSCountedSet", [ArchivedCountedSet([(1, 2)]), ArchivedCountedSet([(1, 3)])]),
      ("NSIndexSet", [ArchivedIndexSet([1..<2]), ArchivedIndexSet([2..<5])]),
      ("NSIndexPath", [IndexPath(index: 1), IndexPath(index: 2)]),
      ("NSCharacterSet", [CharacterSet(charactersIn: "a"), CharacterSet(charactersIn: "b")]),
      ("NSTimeZone", ["Asia/Tokyo", "Europe/Paris"].map { ArchivedTimeZone(name: $0) }),
      ("NSLocale", [Locale(identifier: "de_DE"), Locale(identifier: "fr_FR")]),
      ("NSCalendar", [Calendar(identifier: .gregorian), Calendar(identifier: .buddhist)]),
      ("NSDateComponents", [DateComponents(day: 1), DateComponents(day: 2)]),
      ("NSDateInterval", dates.map { DateInterval(start: $0, duration: 1) }),
      ("NSPersonNameComponents", [name("a"), name("b")]),
      ("NSAffineTransform", [AffineTransform(translationByX: 1, byY: 0), AffineTransform(translationByX: 2, byY: 0)]),
      ("NSRegularExpression", [ArchivedRegularExpression(pattern: "a"), ArchivedRegularExpression(pattern: "b")]),
      ("Unit", [try ArchivedUnit(UnitLength.meters), try ArchivedUnit(UnitMass.grams)]),
      ("NSMeasurement", [1, -1].map { Measurement<Unit>(value: $0 * 1e308, unit: UnitLength.meters) }),
      ("NSValue", [ArchivedPoint(x: 1, y: 2), ArchivedSize(width: 1, height: 2)]),
      ("NSValue", [ArchivedRange(location: 1, length: 2), ArchivedRange(location: 3, length: 2)]),
      ("NSError", [ArchivedError(domain: "d", code: 1), ArchivedError(domain: "d", code: 2)]),
      ("NSAttributedString", [ArchivedAttributedString("a"), ArchivedAttributedString("b")]),
    ]
  }

  /// Each class of Foundation that the bridge decodes.
  static let classes: [AnyClass] = [
    NSString.self, NSNumber.self, NSDecimalNumber.self, NSValue.self, NSData.self, NSNull.self, NSDate.self, NSURL.self,
    NSUUID.self, NSArray.self, NSDictionary.self, NSSet.self, NSCountedSet.self, NSOrderedSet.self, NSIndexSet.self,
    NSIndexPath.self, NSCharacterSet.self, NSTimeZone.self, NSLocale.self, NSCalendar.self, NSDateComponents.self,
    NSDateInterval.self, NSPersonNameComponents.self, NSAffineTransform.self, NSRegularExpression.self, Unit.self,
    NSMeasurement.self, NSError.self, NSAttributedString.self,
  ]

  /// Decodes a value as an object of Foundation, from an archive.
  private func object(_ value: some KeyedCoding) throws -> Any? {
    let data = try Probe.archive { $0.keyedArchiver?.encode(value, forKey: "value") }
    return try Probe.read(data) { $0.decodeObject(of: Self.classes, forKey: "value") }
  }

  /// Returns the number of elements, or nil if a value of one of the named classes caused a documented error.
  private func count(_ value: some KeyedCoding, _ name: String, refused: Set<String>) throws -> Int? {
    do {
      switch try object(value) {
      case let set as NSCountedSet: return set.count
      case let set as NSSet: return set.count
      case let set as NSOrderedSet: return set.count
      case let dictionary as NSDictionary: return dictionary.count
      case let text as NSAttributedString: return text.length
      default: return -1
      }
    } catch let error as KeyedArchiveError {
      #expect(error.code == .typeMismatch && refused.contains(name), "\(error)")
      #expect(error.remedy != nil && error.keyPath == "root.value")
      return nil
    }
  }

  @Test("have elements and keys of every class, or name the class that Foundation cannot hash")
  func hashing() throws {
    let refused: Set<String> = [
      "NSDecimalNumber", "NSError", "NSMeasurement", "NSCountedSet", "NSOrderedSet", "NSPersonNameComponents",
      "NSRegularExpression", "Unit", "NSAttributedString",
    ]
    for (name, values) in try Self.pairs() {
      let counts = [
        try count(ArchivedSet(values), name, refused: refused),
        try count(ArchivedOrderedSet(values), name, refused: refused),
        try count(ArchivedCountedSet(values.map { ($0, 2) }), name, refused: refused),
        try count(ArchivedDictionary(values.map { ($0, 1) }), name, refused: refused),
      ]
      #expect(counts == [Int?](repeating: refused.contains(name) ? nil : 2, count: 4), "\(name)")
      // Inside of a collection, Foundation compares them.
      let arrays = ArchivedSet(values.map { ArchivedArray([$0]) })
      let found = try count(arrays, name, refused: refused)
      #expect(found == (refused.contains(name) ? nil : 2), "\(name)")
    }
  }

  @Test("texts have attributes of every class, or name the attribute that Foundation cannot compare")
  func attributes() throws {
    let refused: Set<String> = [
      "NSDateComponents", "NSDateInterval", "NSPersonNameComponents", "NSAffineTransform", "Unit", "NSMeasurement",
      "NSValue", "NSError", "NSUUID", "NSIndexSet", "NSIndexPath", "NSTimeZone", "NSRegularExpression", "NSSet",
      "NSOrderedSet", "NSCountedSet", "NSAttributedString", "NSNull",
    ]
    for (name, values) in try Self.pairs() {
      let sets = values.map { ArchivedDictionary([("mood", $0)]) }
      let runs = [0, 1, 0].map { ArchivedAttributedString.Run(length: 1, attributes: $0) }
      let text = ArchivedAttributedString("abc", attributeSets: sets, runs: runs)
      #expect(try count(text, name, refused: refused) == (refused.contains(name) ? nil : 3), "\(name)")
      // One value for both runs needs no comparison, and other names none either.
      let same = ArchivedAttributedString(
        "ab", attributeSets: [sets[0]], runs: [.init(length: 1, attributes: 0), .init(length: 1, attributes: 0)])
      #expect(try count(same, name, refused: []) == 2)
      let others = ArchivedAttributedString(
        "ab", attributeSets: [sets[0], ArchivedDictionary([("other", values[1])])],
        runs: [.init(length: 1, attributes: 0), .init(length: 1, attributes: 1)])
      #expect(try count(others, name, refused: []) == 2)
    }
  }

  // MARK: Sharing

  /// Thirty collections, each of which contains the next one twice.
  private func shared(_ end: any KeyedCoding, _ levels: Int = 30) -> any KeyedCoding {
    var value = end
    for _ in 0..<levels { value = ArchivedArray([value, value]) }
    return value
  }

  /// A text with many runs, whose attributes Foundation compares: each time all elements of an array.
  private static var comparedText: ArchivedAttributedString {
    let array = ArchivedArray((0..<5000).map { $0 })
    return ArchivedAttributedString(
      String(repeating: "a", count: 100_000),
      attributeSets: (0..<2).map { ArchivedDictionary([("list", array), ("number", $0)]) },
      runs: (0..<100_000).map { .init(length: 1, attributes: $0 % 2) })
  }

  @Test("that share each other and would become too many end in an error", .notHanging)
  func bombs() throws {
    func text(_ value: any KeyedCoding) -> ArchivedAttributedString {
      ArchivedAttributedString("x", attributes: ArchivedDictionary([("a", value), ("b", value)]))
    }
    func error(_ value: any KeyedCoding) -> ArchivedError {
      ArchivedError(domain: "d", code: 1, userInfo: ArchivedDictionary([("a", value), ("b", value)]))
    }
    var texts: any KeyedCoding = "end"
    var errors: any KeyedCoding = "end"
    for _ in 0..<40 { (texts, errors) = (text(texts), error(errors)) }
    let (first, second) = (shared("a"), shared("b"))
    let bombs: [any KeyedCoding] = [
      first, texts, errors, ArchivedSet([first, second]), ArchivedOrderedSet([first, second]),
      ArchivedDictionary([(first, 1), (second, 2)]), ArchivedCountedSet([(first, 1 << 20)]),
      ArchivedAttributedString(
        "ab", attributeSets: [first, second].map { ArchivedDictionary([("a", $0)]) },
        runs: [.init(length: 1, attributes: 0), .init(length: 1, attributes: 1)]),
      ArchivedCountedSet([(Data(count: 1 << 20), 1 << 20)]), ArchivedCountedSet([(1, .max)]),
      ArchivedArray((0..<300).map { ArchivedCountedSet([($0, 1 << 20)]) }),
    ]
    for (index, bomb) in (bombs + [Self.comparedText]).enumerated() {
      let error = #expect(throws: KeyedArchiveError.self, "\(index)") { try object(bomb) }
      #expect(error?.code == .limitReached, "\(index): \(String(describing: error))")
    }
    // What is shared a few times is within the budget.
    #expect((try object(shared("a", 5)) as? NSArray)?.count == 2)
  }

  @Test("keep what they share, and the classes of their elements")
  func identity() throws {
    let list = NSMutableArray(array: ["a"])
    let text = NSMutableString("m")
    let data = try Probe.archive { coder in
      coder.encode(NSArray(array: [list, list, text, NSDecimalNumber(value: 1.5)]), forKey: "array")
      coder.encode(NSDictionary(objects: [list, text], forKeys: ["l", "t"] as [NSString]), forKey: "dictionary")
      coder.encode(NSSet(object: list), forKey: "set")
      coder.encode(list, forKey: "list")
    }
    let root = try KeyedArchive(data).root
    let uid = try #require(root["list"].uid)
    #expect(root["list"].className == "NSMutableArray")
    #expect(root["array"][0].uid == uid && root["array"][1].uid == uid && root["set"][0].uid == uid)
    #expect(
      root["array"][2].className == "NSMutableString" && root["array"][3].className == "NSDecimalNumberPlaceholder")
    #expect(root["dictionary"]["l"].uid == uid && root["dictionary"]["t"].uid == root["array"][2].uid)
    try Probe.read(data) { coder in
      let classes: [AnyClass] = [NSArray.self, NSString.self, NSNumber.self]
      let array = coder.decodeObject(of: classes, forKey: "array") as? NSArray
      #expect(array?.count == 4 && array?[3] as? NSDecimalNumber == NSDecimalNumber(value: 1.5))
    }
  }

  @Test("that contain themselves, or share each other, are archived once", .notHanging)
  func graphs() throws {
    let list = NSMutableArray()
    list.add(list)
    let data = try Probe.archive { $0.encode(list, forKey: "list") }
    let root = try KeyedArchive(data).root
    #expect(root["list"][0].uid == root["list"].uid && root["list"].uid != nil)
    list.removeAllObjects()

    var shared = NSArray(array: ["end"])
    for _ in 0..<40 { shared = NSArray(array: [shared, shared]) }
    let count = try KeyedArchive(Probe.archive { [shared] in $0.encode(shared, forKey: "list") }).objectCount
    #expect(count < 60)
  }

  @Test("that nest deeper than the stack are archived", .notHanging)
  func depth() throws {
    let outer = NSMutableArray()
    var innermost = outer
    var all = [outer]
    for _ in 0..<5000 {
      let next = NSMutableArray()
      innermost.add(next)
      all.append(next)
      innermost = next
    }
    var result: Result<Data, any Error>?
    try System.onThread(stackBytes: 512 << 10) { [outer] in
      result = Result { try Probe.archive { $0.encode(outer, forKey: "list") } }
    }
    #expect(try KeyedArchive(#require(result).get()).objectCount > all.count)
    // Foundation would release them recursively.
    for list in all { list.removeAllObjects() }
  }

  // MARK: Values

  @Test("have character sets with ranges beyond the surrogates")
  func characters() throws {
    for (location, length) in [(0xE000, 1), (0xD7FF, 0x802), (0xD800, 0x800), (0x10FFFF, 1), (0, 0x110000), (0x41, 26)]
    {
      let range = ArchivedRange(location: location, length: length)
      let set = try #require(try object(ArchivedCharacterSet(.range(range))) as? NSCharacterSet)
      for code in [location, location + length - 1, location + length / 2] {
        guard let scalar = Unicode.Scalar(UInt32(code)) else { continue }
        #expect(set.longCharacterIsMember(scalar.value), "\(String(code, radix: 16))")
      }
    }
  }

  @Test("have character sets with a second set")
  func unions() throws {
    let spaces = Set(" \t\u{3000}".unicodeScalars.map(\.value))
    for (isInverted, isSecondInverted) in [(false, false), (false, true), (true, false), (true, true)] {
      var archived = ArchivedCharacterSet(.range(ArchivedRange(location: 0x20000, length: 0x30000)))
      archived.isInverted = isInverted
      archived.second = .init(2, isInverted: isSecondInverted)
      let set = try #require(try object(archived) as? NSCharacterSet)
      for code in spaces.union([0x41, 0x1F600, 0x20000, 0x38000, 0x4FFFF, 0x50000, 0x10FFFD]) {
        let isMember = (0x20000..<0x50000).contains(code) != isInverted || spaces.contains(code) != isSecondInverted
        #expect(set.longCharacterIsMember(code) == isMember, "\(String(code, radix: 16))")
      }
    }
  }

  @Test("have names of locales and time zones that are short", .notHanging)
  func names() throws {
    let marks = HostileText.marks(200_000)
    for value in [ArchivedLocale(identifier: marks) as any KeyedCoding, ArchivedTimeZone(name: marks)] {
      let error = try #require(#expect(throws: KeyedArchiveError.self) { try object(value) })
      #expect(error.code == .malformedValue && error.detail.contains("1024"))
    }
  }

  @Test("have options of regular expressions that Foundation keeps, or an error")
  func options() throws {
    #expect(try ArchivedRegularExpression(pattern: "a", options: 1).compiled().options == .caseInsensitive)
    for options in [-1, 1 << 32, .max, .min] {
      let error = #expect(throws: KeyedArchiveError.self) {
        try ArchivedRegularExpression(pattern: "a", options: options).compiled()
      }
      #expect(error?.code == .outOfRange)
    }
    let all = try NSRegularExpression(pattern: "a", options: .init(rawValue: .max))
    #expect(ArchivedRegularExpression(all).pattern == "a")
  }

  @Test("have patterns that compile, or an error with the place")
  func patterns() throws {
    let error = #expect(throws: KeyedArchiveError.self) { try object(ArchivedRegularExpression(pattern: "(")) }
    #expect(error?.code == .malformedValue && error?.keyPath == "root.value.NSPattern")
  }
}
