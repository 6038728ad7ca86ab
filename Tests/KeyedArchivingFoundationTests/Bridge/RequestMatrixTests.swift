// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import TestSupport
import Testing

@Suite("Requests of each kind, and objects of each class of Foundation")
struct RequestMatrixTests {
  /// Objects without contents of other classes: at least one for each class.
  private static var objects: [NSObject] {
    let name = NSPersonNameComponents()
    name.givenName = "Ann"
    return [
      NSString("a text"), NSMutableString("m"), NSNumber(value: true), NSNumber(value: -5), NSNumber(value: UInt64.max),
      NSNumber(value: Float(0.5)), NSNumber(value: 0.1), NSDecimalNumber(string: "1e-20"), NSNull(),
      NSDate(timeIntervalSinceReferenceDate: 0.25), NSData(data: Data([1, 2])), NSMutableData(data: Data([3])),
      NSURL(fileURLWithPath: "/a/b"), NSUUID(), NSArray(), NSMutableArray(), NSDictionary(), NSMutableDictionary(),
      NSSet(), NSMutableSet(), NSCountedSet(), NSOrderedSet(), NSMutableOrderedSet(), NSAttributedString(string: "a"),
      NSMutableAttributedString(string: "a"), NSIndexSet(index: 3), NSMutableIndexSet(index: 4), NSIndexPath(index: 3),
      CharacterSet(charactersIn: "a-z") as NSCharacterSet, NSError(domain: "d", code: 3),
      NSTimeZone(forSecondsFromGMT: 0), NSLocale(localeIdentifier: "de_DE"),
      Calendar(identifier: .buddhist) as NSCalendar, DateComponents(year: 2024) as NSDateComponents,
      NSDateInterval(start: Date(timeIntervalSinceReferenceDate: 1), duration: 2), name,
      AffineTransform(translationByX: 1, byY: 2) as NSAffineTransform, NSValue(point: CGPoint(x: 1, y: 2)),
      NSValue(range: NSRange(location: 5, length: 6)), NSMeasurement(doubleValue: 2, unit: UnitLength.miles),
      UnitMass.grams, UnitLength.meters,
    ]
  }

  private static let classes: [AnyClass] = [
    NSString.self, NSMutableString.self, NSNumber.self, NSDecimalNumber.self, NSValue.self, NSNull.self, NSDate.self,
    NSData.self, NSMutableData.self, NSURL.self, NSUUID.self, NSArray.self, NSMutableArray.self, NSDictionary.self,
    NSMutableDictionary.self, NSSet.self, NSMutableSet.self, NSCountedSet.self, NSOrderedSet.self,
    NSMutableOrderedSet.self, NSAttributedString.self, NSMutableAttributedString.self, NSIndexSet.self,
    NSMutableIndexSet.self, NSIndexPath.self, NSCharacterSet.self, NSMutableCharacterSet.self, NSError.self,
    NSTimeZone.self, NSLocale.self, NSCalendar.self, NSDateComponents.self, NSDateInterval.self,
    NSPersonNameComponents.self, NSAffineTransform.self, NSRegularExpression.self, NSMeasurement.self, Unit.self,
    Dimension.self, UnitLength.self, UnitMass.self, Meal.self,
  ]

  /// An archive with an object alone, in an array and in a dictionary.
  private static func archive(_ object: NSObject) throws -> Data {
    try Probe.archive { coder in
      coder.encode(object, forKey: "value")
      coder.encode(NSArray(object: object), forKey: "list")
      coder.encode(NSDictionary(object: object, forKey: NSString("key")), forKey: "table")
    }
  }

  /// A request for the object of an archive as one class.
  private struct Request: Sendable {
    let name: String
    /// Returns whether a class is in the list for another reason than the request.
    let isAllowed: @Sendable (NSObject) -> Bool
    let run: @Sendable (NSCoder, AnyClass) -> Any?

    init(
      _ name: String, isAllowed: @escaping @Sendable (NSObject) -> Bool = { _ in false },
      _ run: @escaping @Sendable (NSCoder, AnyClass) -> Any?
    ) {
      (self.name, self.isAllowed, self.run) = (name, isAllowed, run)
    }
  }

  private static let requests: [Request] = [
    Request("one class") { $0.decodeObject(of: [$1], forKey: "value") },
    Request("a list") { $0.decodeObject(of: [$1, Meal.self], forKey: "value") },
    Request("the elements of an array", isAllowed: { $0.isKind(of: NSArray.self) }) {
      // The methods of the array convert its elements to values of Swift.
      ($0.decodeObject(of: [NSArray.self, $1], forKey: "list") as? NSArray).flatMap {
        Mirror(reflecting: $0).children.first?.value
      }
    },
    Request("an array of objects") { ($0.decodeArrayOfObjects(ofClasses: [$1], forKey: "list"))?.first },
    Request("a dictionary of objects") {
      ($0.decodeDictionary(withKeysOfClasses: [NSString.self], objectsOfClasses: [$1], forKey: "table"))?.values.first
    },
  ]

  // Which objects are of a class is what Foundation itself says.
  /// A ninth of the requests; with `WHOLE_TESTS`, all.
  @Test("give the object if it is of the class, and an error with a place if not", arguments: objects.indices)
  func typed(_ index: Int) throws {
    let object = Self.objects[index]
    let data = try Self.archive(object)
    for number in Self.classes.indices {
      let requested: AnyClass = Self.classes[number]
      for (turn, request) in Self.requests.enumerated()
      where Sample.includes(Self.requests.count * number + turn + index, each: 9) {
        let label = "\(type(of: object)) as \(requested), \(request.name)"
        var error: KeyedArchiveError?
        var found: Any?
        do {
          found = try Probe.read(data) { coder in
            let found = request.run(coder, requested)
            let hasFailed = coder.error != nil
            #expect((found == nil) == hasFailed, "\(label)")
            return found
          }
        } catch let failure as KeyedArchiveError {
          error = failure
        }
        guard object.isKind(of: requested) || request.isAllowed(object) else {
          #expect(found == nil, "\(label)")
          #expect(error?.code == .classNotAllowed || error?.code == .typeMismatch, "\(label): \(error as Any)")
          #expect(error?.remedy != nil && error?.keyPath?.hasPrefix("root") == true, "\(label): \(error as Any)")
          continue
        }
        let read = (found as AnyObject?) as? NSObject
        #expect(error == nil, "\(label)")
        #expect(read.map { "\(type(of: $0))" } == "\(type(of: object))", "\(label)")
        #expect(read == object || object is NSDateInterval, "\(label)")
      }
    }
  }

  /// The classes of the page NSCoderMethods that a request without a list allows.
  private static let plain: [AnyClass] = [
    NSString.self, NSNumber.self, NSData.self, NSDate.self, NSURL.self, NSUUID.self, NSNull.self, NSArray.self,
    NSDictionary.self, NSSet.self, NSOrderedSet.self, NSIndexSet.self, NSIndexPath.self, NSTimeZone.self, NSLocale.self,
    NSCalendar.self, NSDateComponents.self, NSAttributedString.self,
  ]
  private static let propertyLists: [AnyClass] = [
    NSString.self, NSNumber.self, NSData.self, NSDate.self, NSArray.self, NSDictionary.self,
  ]

  @Test("without a list give plain values, or those of property lists", arguments: objects.indices)
  func untyped(_ index: Int) throws {
    let object = Self.objects[index]
    let data = try Self.archive(object)
    let requests: [(String, [AnyClass], (NSCoder) -> Any?)] = [
      ("decodeObject(forKey:)", Self.plain, { $0.decodeObject(forKey: "value") }),
      ("decodeObject(of: nil, forKey:)", Self.plain, { $0.decodeObject(of: nil, forKey: "value") }),
      ("decodeObject(of: [], forKey:)", [], { $0.decodeObject(of: [], forKey: "value") }),
      ("decodePropertyList(forKey:)", Self.propertyLists, { $0.decodePropertyList(forKey: "value") }),
    ]
    for (name, classes, request) in requests {
      let label = "\(type(of: object)), \(name)"
      if classes.contains(where: { object.isKind(of: $0) }) {
        let read = (try Probe.read(data, request) as AnyObject?) as? NSObject
        #expect(read == object, "\(label)")
      } else {
        let error = try Probe.errorOfReading(data) { coder in
          let isNil = request(coder) == nil
          #expect(isNil, "\(label)")
        }
        #expect(error.code == .classNotAllowed && error.keyPath == "root.value", "\(label)")
        let isEmptyList = name.contains("[]")
        #expect(
          error.remedy?.contains(isEmptyList ? "the list of the request" : name.prefix(12)) == true,
          "\(label): \(error)")
        #expect(error.detail.contains("allowed: nothing") == isEmptyList, "\(label): \(error)")
      }
    }
  }

  @Test("for numbers and bytes give those that are stored as objects of Foundation")
  func boxes() throws {
    let data = try Probe.archive { coder in
      coder.encode(NSNumber(value: true), forKey: "boolean")
      coder.encode(NSNumber(value: -7), forKey: "integer")
      coder.encode(NSNumber(value: UInt64.max), forKey: "large")
      coder.encode(NSNumber(value: 0.5), forKey: "real")
      coder.encode(NSData(data: Data([1, 2])), forKey: "bytes")
    }
    try Probe.read(data) { coder in
      #expect(coder.decodeBool(forKey: "boolean"))
      #expect(coder.decodeInteger(forKey: "integer") == -7 && coder.decodeInt32(forKey: "integer") == -7)
      #expect(coder.decodeFloat(forKey: "real") == 0.5 && coder.decodeDouble(forKey: "real") == 0.5)
      let bytes = unsafe coder.withDecodedUnsafeBytes(forKey: "bytes") { bytes in unsafe bytes.map { unsafe Array($0) }
      }
      #expect(bytes == [1, 2])
    }
    #expect(try Probe.errorOfReading(data) { _ = $0.decodeInteger(forKey: "large") }.code == .outOfRange)
  }

  /// The objects that are stored neither as numbers nor as bytes.
  private static var others: [NSObject] {
    objects.filter { $0 is NSDecimalNumber || $0 is NSMutableData || !($0 is NSNumber || $0 is NSData) }
  }

  @Test("for numbers and bytes give zero and an error for any other object", arguments: others.indices)
  func primitives(_ index: Int) throws {
    let object = Self.others[index]
    let data = try Self.archive(object)
    let requests: [(String, (NSCoder) -> Bool)] = [
      ("decodeBool", { !$0.decodeBool(forKey: "value") }),
      ("decodeInteger", { $0.decodeInteger(forKey: "value") == 0 }),
      ("decodeInt32", { $0.decodeInt32(forKey: "value") == 0 }),
      ("decodeInt64", { $0.decodeInt64(forKey: "value") == 0 }),
      ("decodeFloat", { $0.decodeFloat(forKey: "value") == 0 }),
      ("decodeDouble", { $0.decodeDouble(forKey: "value") == 0 }),
      (
        "withDecodedUnsafeBytes",
        { coder in
          unsafe coder.withDecodedUnsafeBytes(forKey: "value") { bytes in unsafe bytes == nil }
        }
      ),
      (
        "decodeBytes",
        { coder in
          let bytes = unsafe coder.decodeBytes(forKey: "value", returnedLength: nil)
          return unsafe bytes == nil
        }
      ),
    ]
    for (name, request) in requests {
      let label = "\(type(of: object)), \(name)"
      let error = try Probe.errorOfReading(data) { coder in
        let (isZero, hasFailed) = (request(coder), coder.error != nil)
        #expect(isZero && hasFailed, "\(label): \(isZero), \(hasFailed)")
      }
      #expect(error.code == .typeMismatch && error.keyPath == "root.value", "\(label): \(error)")
    }
  }
}
