// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchiving
import KeyedArchivingFoundation
import PropertyListFormat
import TestSupport
import Testing

@Suite("Contents that many bridged objects share")
struct SharedFoundationObjectTests {
  /// A dictionary of `count` different strings, as object #3, and objects that refer to it.
  private func archive(
    _ fields: [(String, HandmadeList)], _ count: Int, _ className: String = "NSDictionary",
    objects: [HandmadeList]
  ) -> Data {
    let first = UInt64(5 + objects.count)
    let texts = HandmadeList.array((0..<count).map { .uid(first + UInt64($0)) })
    return Probe.handmade(
      fields,
      [["NS.keys": texts, "NS.objects": texts, "$class": .uid(4)], .classRecord(className, "NSObject")] + objects
        + (0..<count).map { .string("text \($0)") })
  }

  /// Expects that four times as many references to four times as large a content do not take 16 times the time.
  private func expectLinearTime(_ make: (Int) -> Data, _ read: (Data, Int) throws -> Void) rethrows {
    let times = try [300, 1200].map { count in
      let data = make(count)
      return try System.leastTime(of: 3) { try read(data, count) }
    }
    #expect(times[1] < 10 * times[0])
  }

  @Test("user info that many errors share is converted once")
  func userInfo() throws {
    try expectLinearTime { count in
      let errors = (0..<count).map { _ -> HandmadeList in
        ["NSDomain": .uid(UInt64(6 + count)), "NSCode": 1, "NSUserInfo": .uid(3), "$class": .uid(5)]
      }
      return archive(
        (0..<count).map { ("e\($0)", .uid(UInt64(6 + $0))) }, count,
        objects: [.classRecord("NSError", "NSObject")] + errors)
    } _: { data, count in
      let counts = try Probe.read(data) { coder in
        (0..<count).map { coder.decodeObject(of: NSError.self, forKey: "e\($0)")?.userInfo.count }
      }
      #expect(counts.allSatisfy { $0 == count })
    }
  }

  private func texts(_ count: Int, attributes: Int) -> Data {
    let texts = (0..<count).map { _ -> HandmadeList in
      ["NSString": .uid(UInt64(6 + count)), "NSAttributes": .uid(3), "$class": .uid(5)]
    }
    return archive(
      (0..<count).map { ("t\($0)", .uid(UInt64(6 + $0))) }, attributes,
      objects: [.classRecord("NSAttributedString", "NSObject")] + texts)
  }

  @Test("attributes that many texts share are limited in their product", .notHanging)
  func attributes() throws {
    let found = try Probe.read(texts(1000, attributes: 8)) { coder in
      (0..<1000).map { coder.decodeObject(of: NSAttributedString.self, forKey: "t\($0)") }
    }
    #expect(
      found.allSatisfy {
        let count = unsafe $0?.attributes(at: 0, effectiveRange: nil).count
        return $0?.string == "text 0" && count == 8
      })
    let error = try Probe.errorOfReading(texts(2000, attributes: 2000)) { coder in
      for number in 0..<2000 where coder.error == nil {
        _ = coder.decodeObject(of: NSAttributedString.self, forKey: "t\(number)")
      }
    }
    #expect(error.code == .limitReached)
  }

  @Test("a long text that many attributed strings share is limited", .notHanging)
  func longText() throws {
    let long = String(repeating: "a", count: 1 << 20)
    let texts = (0..<2000).map { _ -> HandmadeList in ["NSString": .uid(3), "$class": .uid(4)] }
    let data = Probe.handmade(
      (0..<2000).map { ("t\($0)", .uid(UInt64(5 + $0))) },
      [.string(long), .classRecord("NSAttributedString", "NSObject")] + texts)
    let error = try Probe.errorOfReading(data) { coder in
      for number in 0..<2000 where coder.error == nil {
        _ = coder.decodeObject(of: NSAttributedString.self, forKey: "t\(number)")
      }
    }
    #expect(error.code == .limitReached)
  }

  @Test("a collection that Foundation cannot represent is tried once")
  func failures() throws {
    try expectLinearTime { count in
      // The last two keys are two objects with one text.
      let texts = HandmadeList.array((0..<count).map { .uid(UInt64(5 + $0)) })
      return Probe.handmade(
        (0..<count).map { ("d\($0)", .uid(3)) },
        [["NS.keys": texts, "NS.objects": texts, "$class": .uid(4)], .classRecord("NSDictionary", "NSObject")]
          + (0..<count).map { .string("text \(min($0, count - 2))") })
    } _: { data, count in
      let failed = try Probe.read(data) { coder in
        (0..<count).count { number in
          (try? coder.decodeTopLevelObject(of: [NSDictionary.self, NSString.self], forKey: "d\(number)")) == nil
        }
      }
      #expect(failed == count)
    }
  }

  /// Many arrays that each hold one mutable array, whose last checked element is an immutable array.
  private func arrays(_ count: Int) -> Data {
    let elements = HandmadeList.array([.uid(6)] + (0..<count).map { _ in .uid(5) })
    let arrays = (0..<count).map { _ -> HandmadeList in ["NS.objects": [.uid(3)], "$class": .uid(4)] }
    return Probe.handmade(
      (0..<count).map { ("a\($0)", .uid(UInt64(8 + $0))) },
      [
        ["NS.objects": elements, "$class": .uid(4)], .classRecord("NSMutableArray", "NSArray", "NSObject"), "x",
        ["NS.objects": [.uid(5)], "$class": .uid(7)], .classRecord("NSArray", "NSObject"),
      ] + arrays)
  }

  @Test("a collection with an object of a class that is not allowed is checked once")
  func refusals() throws {
    try expectLinearTime(arrays) { data, count in
      let failed = try Probe.read(data) { coder in
        (0..<count).count { number in
          (try? coder.decodeTopLevelObject(of: [NSMutableArray.self, NSString.self], forKey: "a\(number)")) == nil
        }
      }
      #expect(failed == count)
    }
    let allowed = try Probe.read(arrays(10)) { coder in
      (0..<10).count { coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "a\($0)") is NSArray }
    }
    #expect(allowed == 10)
  }

  @Test("elements that are one long text are limited before each of them is read", .notHanging)
  func longElements() throws {
    let data = Probe.handmade(
      [("s", .uid(3))],
      [
        ["NS.objects": .array((0..<2000).map { _ in .uid(5) }), "$class": .uid(4)],
        .classRecord("NSSet", "NSObject"), .string(String(repeating: "a\u{301}", count: 100_000)),
      ])
    let error = try Probe.errorOfReading(data) { _ = $0.decodeObject(forKey: "s") }
    #expect(error.code == .limitReached)
  }
}
