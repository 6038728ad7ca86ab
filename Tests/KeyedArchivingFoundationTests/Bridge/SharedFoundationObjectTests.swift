// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import PropertyListFormat
import TestSupport
import Testing

// A step for each reference and each value would take minutes: the square of the number is 400,000,000.
private let many = 20_000

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

  @Test("user info that many errors share is converted once", .notHanging)
  func userInfo() throws {
    let errors = (0..<many).map { _ -> HandmadeList in
      ["NSDomain": .uid(UInt64(6 + many)), "NSCode": 1, "NSUserInfo": .uid(3), "$class": .uid(5)]
    }
    let data = archive(
      (0..<many).map { ("e\($0)", .uid(UInt64(6 + $0))) }, many, objects: [.classRecord("NSError", "NSObject")] + errors
    )
    let counts = try Probe.read(data) { coder in
      (0..<many).map { coder.decodeObject(of: NSError.self, forKey: "e\($0)")?.userInfo.count }
    }
    #expect(counts.allSatisfy { $0 == many })
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
    let found = try Probe.read(texts(5000, attributes: 8)) { coder in
      (0..<5000).map { coder.decodeObject(of: NSAttributedString.self, forKey: "t\($0)") }
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
    let texts = (0..<many).map { _ -> HandmadeList in ["NSString": .uid(3), "$class": .uid(4)] }
    let data = Probe.handmade(
      (0..<many).map { ("t\($0)", .uid(UInt64(5 + $0))) },
      [.string(long), .classRecord("NSAttributedString", "NSObject")] + texts)
    let error = try Probe.errorOfReading(data) { coder in
      for number in 0..<many where coder.error == nil {
        _ = coder.decodeObject(of: NSAttributedString.self, forKey: "t\(number)")
      }
    }
    #expect(error.code == .limitReached)
  }

  @Test("a collection that Foundation cannot represent is tried once", .notHanging)
  func failures() throws {
    // The last two keys are two objects with one text.
    let texts = HandmadeList.array((0..<many).map { .uid(UInt64(5 + $0)) })
    let data = Probe.handmade(
      (0..<many).map { ("d\($0)", .uid(3)) },
      [["NS.keys": texts, "NS.objects": texts, "$class": .uid(4)], .classRecord("NSDictionary", "NSObject")]
        + (0..<many).map { .string("text \(min($0, many - 2))") })
    let failed = try Probe.read(data) { coder in
      (0..<many).count { number in
        (try? coder.decodeTopLevelObject(of: [NSDictionary.self, NSString.self], forKey: "d\(number)")) == nil
      }
    }
    #expect(failed == many)
  }

  @Test("a collection with an object of a class that is not allowed is checked once", .notHanging)
  func refusals() throws {
    // Each of many arrays begins with an immutable one, in which only the last array is mutable.
    let texts = HandmadeList.array([.uid(6)] + (0..<many).map { _ in .uid(5) })
    let arrays = (0..<many).map { _ -> HandmadeList in ["NS.objects": [.uid(3)], "$class": .uid(4)] }
    let data = Probe.handmade(
      (0..<many).map { ("a\($0)", .uid(UInt64(8 + $0))) },
      [
        ["NS.objects": texts, "$class": .uid(4)], .classRecord("NSMutableArray", "NSArray", "NSObject"), "x",
        ["NS.objects": [.uid(5)], "$class": .uid(7)], .classRecord("NSArray", "NSObject"),
      ] + arrays)
    let failed = try Probe.read(data) { coder in
      (0..<many).count { number in
        (try? coder.decodeTopLevelObject(of: [NSMutableArray.self, NSString.self], forKey: "a\(number)")) == nil
      }
    }
    #expect(failed == many)
    let allowed = try Probe.read(data) { coder in
      (0..<10).count { coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "a\($0)") is NSArray }
    }
    #expect(allowed == 10)
  }

  @Test("elements that are one long text are limited before each of them is read", .notHanging)
  func longElements() throws {
    let data = Probe.handmade(
      [("s", .uid(3))],
      [
        ["NS.objects": .array((0..<many).map { _ in .uid(5) }), "$class": .uid(4)],
        .classRecord("NSSet", "NSObject"), .string(String(repeating: "a\u{301}", count: 100_000)),
      ])
    let error = try Probe.errorOfReading(data) { _ = $0.decodeObject(forKey: "s") }
    #expect(error.code == .limitReached)
  }
}
