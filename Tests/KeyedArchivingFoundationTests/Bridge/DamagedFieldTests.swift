// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import PropertyListFormat
import TestSupport
import Testing

@Suite("Objects of Foundation with a field of another kind or an extreme value")
struct DamagedFieldTests {
  /// The values that replace each field.
  private static let values: [PropertyListObject] = [
    .null, .boolean(true), .integer(0), .integer(1), .integer(-1), .integer(1 << 31), .integer(.max), .integer(.min),
    .wideInteger(high: 0, low: .max), .float(.nan), .double(0.5), .double(.nan), .double(.infinity), .double(-1e308),
    .date(1e300),
    .data(Data()), .data(Data([255])), .data(Data(repeating: 0xFF, count: 8192)), .data(Data(repeating: 1, count: 20)),
    .string(""), .string("$null"),
    .string("a"), .string("a\0b"), .string("(((["), .string("{{1, 2}, {nan, 9e999}}"), .string("1-5"), .uid(0), .uid(1),
    .uid(2),
    .uid(3), .uid(4), .uid(5), .uid(6), .uid(1 << 32 - 1), .array([]), .dictionary(keys: [], values: []),
  ]

  private static func objects() throws -> [NSObject] {
    let name = NSPersonNameComponents()
    name.givenName = "Ann"
    return BridgedValueTests.objects.map(\.object) + [
      name, AffineTransform(translationByX: 1, byY: 2) as NSAffineTransform,
      try NSRegularExpression(pattern: "a+", options: .caseInsensitive),
      NSDateInterval(start: Date(timeIntervalSinceReferenceDate: 1), duration: 2),
      IndexPath(indexes: [1, 2, 3]) as NSIndexPath,
      NSValue(edgeInsets: NSEdgeInsets(top: 1, left: 2, bottom: 3, right: 4)),
      try #require(NSURL(string: "b", relativeTo: URL(string: "http://a/"))),
      NSIndexSet(indexSet: IndexSet([1, 5, 6, 900])),
      NSError(domain: "d", code: 1, userInfo: [NSUnderlyingErrorKey: NSError(domain: "e", code: 2)]),
    ]
  }

  /// The codes of errors outside of all objects.
  private static let codesOfEnvelope: [KeyedArchiveError.Code] = [
    .notAnArchive, .unknownArchiver, .unsupportedVersion, .damagedArchive, .damagedPropertyList,
  ]

  /// A 96th of the archives of an object, each with one field replaced; with `WHOLE_TESTS`, all.
  private static func damaged(_ data: Data, from first: Int, _ run: (Data, String) throws -> Void) throws {
    let list = try PropertyList(data)
    var number = 0
    for row in 0..<list.objectCount {
      let ref = ObjectRef(rawValue: UInt32(row))
      var places: [(String, (ObjectRef) -> PropertyListObject)] = []
      switch try list.object(ref) {
      case .array(let elements):
        for index in elements.indices {
          places.append(
            (
              "[\(index)]",
              { new in
                var changed = elements
                changed[index] = new
                return .array(changed)
              }
            ))
        }
      case .dictionary(let keys, let fields):
        for index in fields.indices {
          places.append(
            (
              try "\(list.object(keys[index]))",
              { new in
                var changed = fields
                changed[index] = new
                return .dictionary(keys: keys, values: changed)
              }
            ))
        }
      default: continue
      }
      for (place, make) in places {
        for value in values {
          number += 1
          guard Sample.includes(number + first, each: 96) else { continue }
          var copy = list
          let added = copy.append(value)
          copy.replace(ref, with: make(added))
          try run(copy.data(), "object \(row) \(place) = \(value)")
        }
      }
    }
  }

  @Test("end in an object that can be archived again, or in a typed error", arguments: try objects().indices)
  func fields(_ index: Int) throws {
    let object = try Self.objects()[index]
    let data = try Probe.archive { $0.encode(object, forKey: "value") }
    try Self.damaged(data, from: index) { changed, place in
      let label = "\(type(of: object)), \(place)"
      for request in [
        { $0.decodeObject(of: BridgedCollectionTests.classes, forKey: "value") }, { $0.decodeObject(forKey: "value") },
        { $0.decodeObject(of: [NSArray.self, type(of: object)], forKey: "value") },
      ] as [(NSCoder) -> Any?] {
        do {
          guard
            let value = try Probe.read(
              changed,
              { coder in
                let found = request(coder)
                #expect(found == nil || coder.error == nil, "\(label)")
                return found
              })
          else { continue }
          let again = try Probe.archive { $0.encode(value, forKey: "value") }
          let second = try Probe.read(again) { $0.decodeObject(of: BridgedCollectionTests.classes, forKey: "value") }
          let (a, b) = ((value as AnyObject) as? NSObject, (second as AnyObject?) as? NSObject)
          // Foundation on Linux compares date intervals by their addresses.
          #expect(a == b || a is NSDateInterval, "\(label)")
        } catch let error as KeyedArchiveError {
          #expect(error.keyPath != nil || Self.codesOfEnvelope.contains(error.code), "\(label): \(error)")
        } catch {
          Issue.record("\(label): \(error)")
        }
      }
    }
  }
}
