// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import PropertyListFormat
import Testing

@Suite("Methods of NSCoder that Foundation lacks on Linux")
struct AppleMethodTests {
  @Test("geometry and integers")
  func values() throws {
    let data = try Probe.archive { coder in
      coder.encode(CGPoint(x: 1, y: 2), forKey: "point")
      coder.encode(CGSize(width: 3, height: 4), forKey: "size")
      coder.encode(CGRect(x: 1, y: 2, width: 3, height: 4), forKey: "rect")
      coder.encodeCInt(-7, forKey: "count")
    }
    try Probe.read(data) { coder in
      #expect(coder.decodeCGPoint(forKey: "point") == CGPoint(x: 1, y: 2))
      #expect(coder.decodeCGSize(forKey: "size") == CGSize(width: 3, height: 4))
      #expect(coder.decodeCGRect(forKey: "rect") == CGRect(x: 1, y: 2, width: 3, height: 4))
      #expect(coder.decodeCInt(forKey: "count") == -7)
    }
  }

  @Test("text without numbers is an error, and never another point, size or rectangle")
  func invalidGeometry() throws {
    let data = try Probe.archive { coder in
      coder.encode(CGPoint(x: Double.nan, y: 1), forKey: "point")
      coder.encode(CGSize(width: 1, height: Double.nan), forKey: "size")
      coder.encode(CGRect.null, forKey: "null")
      coder.encode(CGRect(x: 1, y: 2, width: Double.nan, height: 4), forKey: "rect")
      coder.encode("elsewhere", forKey: "text")
    }
    let calls: [(NSCoder) -> Void] = [
      { #expect($0.decodeCGPoint(forKey: "point") == .zero) }, { #expect($0.decodeCGSize(forKey: "size") == .zero) },
      { #expect($0.decodeCGRect(forKey: "rect") == .zero) }, { #expect($0.decodeCGPoint(forKey: "text") == .zero) },
    ]
    for call in calls { #expect(try Probe.errorOfReading(data, call).code == .malformedValue) }
    try Probe.read(data) { coder in
      #expect(coder.decodeCGRect(forKey: "absent") == .zero)
      #expect(coder.decodeCGRect(forKey: "null") == .null)
    }
  }

  @Test("top-level calls throw errors, and a caller that catches one can continue")
  func topLevel() throws {
    let meal = try #require(Meal(name: "Soup", photo: nil, rating: 1))
    let data = try Probe.archive { coder in
      coder.encode("text", forKey: "text")
      coder.encode(meal, forKey: "meal")
      coder.encode(nil, forKey: "nil")
      coder.encode("first" as Any?)
    }
    func read(_ coder: NSCoder) throws -> String? {
      #expect(try coder.decodeTopLevelObject(forKey: "text") as? String == "text")
      #expect(try coder.decodeTopLevelObject(of: NSString.self, forKey: "text") == "text")
      #expect(try coder.decodeTopLevelObject(of: Meal.self, forKey: "meal")?.name == "Soup")
      #expect(try coder.decodeTopLevelObject(of: [NSString.self, Meal.self], forKey: "meal") is Meal)
      #expect(try coder.decodeTopLevelObject(of: nil, forKey: "text") as? String == "text")
      for key in ["nil", "absent"] {
        #expect(try coder.decodeTopLevelObject(forKey: key) == nil)
        #expect(try coder.decodeTopLevelObject(of: NSString.self, forKey: key) == nil)
        #expect(try coder.decodeTopLevelObject(of: [NSString.self], forKey: key) == nil)
      }
      #expect(try coder.decodeTopLevelObject() as? String == "first")
      #expect(throws: KeyedArchiveError.self) { try coder.decodeTopLevelObject() }
      let refused = [
        { try coder.decodeTopLevelObject(forKey: "meal") },
        { try coder.decodeTopLevelObject(of: NSString.self, forKey: "meal") },
        { try coder.decodeTopLevelObject(of: [NSString.self, Song.self], forKey: "meal") },
      ]
      for call in refused {
        let error = #expect(throws: KeyedArchiveError.self) { try call() }
        #expect(error?.code == .classNotAllowed)
        #expect(error?.className == "KeyedArchivingFoundationTests.Meal")
      }
      #expect(coder.error == nil)
      return coder.decodeObject(of: NSString.self, forKey: "text") as String?
    }
    let title = try Probe.read(data) { coder in Result { try read(coder) } }
    #expect(try title.get() == "text")
  }

  @Test("top-level calls of Foundation's coders, and of an archiver")
  func topLevelOfOthers() throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.encode("text", forKey: "text")
    let foundation = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    foundation.decodingFailurePolicy = .setErrorAndReturn
    #expect(try foundation.decodeTopLevelObject(of: NSString.self, forKey: "text") == "text")
    #expect(try foundation.decodeTopLevelObject(of: [NSString.self], forKey: "text") as? String == "text")
    _ = try Probe.errorOfArchiving { coder in
      #expect(throws: KeyedArchiveError.self) { try coder.decodeTopLevelObject(forKey: "text") }
    }
  }

  @Test("bytes at an address that stays valid")
  func bytes() throws {
    let data = try Probe.archive { coder in
      unsafe coder.encodeBytes([1, 2, 3], length: 3, forKey: "three")
      unsafe coder.encodeBytes(nil, length: 0, forKey: "none")
      coder.encode("text", forKey: "text")
    }
    try Probe.read(data) { coder in
      var length = -1
      let first = unsafe coder.decodeBytes(forKey: "three", returnedLength: &length)
      #expect(length == 3)
      let second = unsafe coder.decodeBytes(forKey: "three", minimumLength: 3)
      let bytes = unsafe first.map { unsafe Array(UnsafeBufferPointer(start: $0, count: 3)) }
      let same = unsafe second.map { unsafe Array(UnsafeBufferPointer(start: $0, count: 3)) }
      #expect(bytes == [1, 2, 3] && same == [1, 2, 3])
      let isThere = unsafe coder.decodeBytes(forKey: "none", returnedLength: &length) != nil
      #expect(isThere && length == 0)
      length = 5
      let isAbsent = unsafe coder.decodeBytes(forKey: "absent", returnedLength: &length) == nil
      #expect(isAbsent && length == 0 && coder.error == nil)
      let isThereWithoutLength = unsafe coder.decodeBytes(forKey: "three", returnedLength: nil) != nil
      #expect(isThereWithoutLength)
    }
    let short = try Probe.errorOfReading(data) { coder in
      let isNil = unsafe coder.decodeBytes(forKey: "three", minimumLength: 4) == nil
      #expect(isNil)
    }
    #expect(short.detail.contains("'three' has 3 bytes; expected at least 4"))
    let wrong = try Probe.errorOfReading(data) { coder in
      let isNil = unsafe coder.decodeBytes(forKey: "text", returnedLength: nil) == nil
      #expect(isNil)
    }
    #expect(wrong.code == .typeMismatch || wrong.code == .classNotAllowed)
    let backwards = try Probe.errorOfArchiving { coder in
      let isNil = unsafe coder.decodeBytes(forKey: "three", returnedLength: nil) == nil
      #expect(isNil)
    }
    #expect(backwards.remedy == "Call it in init(coder:); an archiver only encodes")
  }

  @Test("bytes that are requested again and again are an error before they fill the memory")
  func repeatedBytes() throws {
    let bytes = [UInt8](repeating: 7, count: 16_000)
    let data = try Probe.archive { unsafe $0.encodeBytes(bytes, length: bytes.count, forKey: "bytes") }
    let error = try Probe.errorOfReading(data) { coder in
      for _ in 0..<10_000 where coder.error == nil {
        _ = unsafe coder.decodeBytes(forKey: "bytes", returnedLength: nil)
      }
    }
    #expect(error.code == .limitReached)
  }

  private func archive() throws -> Data {
    try Probe.archive { coder in
      coder.encode(["a", "b"], forKey: "texts")
      coder.encode([Ingredient(), Ingredient()], forKey: "objects")
      coder.encode(["a", 1] as [Any], forKey: "mixed")
      coder.encode([["a"]], forKey: "nested")
      coder.encode("a", forKey: "text")
      coder.encode(["a": Ingredient()], forKey: "dictionary")
      coder.encode(["a": 1, "b": "c"] as [String: Any], forKey: "info")
    }
  }

  @Test("arrays of one class, and of several")
  func arrays() throws {
    try Probe.read(archive()) { coder in
      #expect(coder.decodeArrayOfObjects(ofClass: NSString.self, forKey: "texts") == ["a", "b"])
      #expect(coder.decodeArrayOfObjects(ofClass: Ingredient.self, forKey: "objects")?.count == 2)
      #expect(coder.decodeArrayOfObjects(ofClass: NSString.self, forKey: "absent") == nil)
      let mixed = coder.decodeArrayOfObjects(ofClasses: [NSString.self, NSNumber.self], forKey: "mixed")
      #expect(mixed?.first as? String == "a")
      #expect(mixed?.last as? Int == 1)
      #expect(coder.error == nil)
    }
  }

  @Test("dictionaries of one class each, and of several")
  func dictionaries() throws {
    try Probe.read(archive()) { coder in
      let one = coder.decodeDictionary(withKeyClass: NSString.self, objectClass: Ingredient.self, forKey: "dictionary")
      #expect(one?.keys.first == "a" && one?.count == 1)
      #expect(
        coder.decodeDictionary(withKeyClass: NSString.self, objectClass: NSString.self, forKey: "absent") == nil)
      let several = coder.decodeDictionary(
        withKeysOfClasses: [NSString.self], objectsOfClasses: [NSString.self, NSNumber.self], forKey: "info")
      #expect(several?["a"] as? Int == 1 && several?["b"] as? String == "c")
      #expect(coder.error == nil)
    }
  }

  @Test("a dictionary's keys need a class of the keys, and its values one of the values")
  func dictionaryClasses() throws {
    let data = try Probe.archive { coder in
      coder.encode(NSDictionary(dictionary: [1: 2]), forKey: "numbers")
      coder.encode(NSDictionary(dictionary: ["a": "b"]), forKey: "texts")
      coder.encode(NSDictionary(dictionary: ["a": 1]), forKey: "right")
    }
    for key in ["numbers", "texts"] {
      let several = try Probe.errorOfReading(data) { coder in
        let found = coder.decodeDictionary(
          withKeysOfClasses: [NSString.self], objectsOfClasses: [NSNumber.self], forKey: key)
        #expect(found == nil)
      }
      let one = try Probe.errorOfReading(data) { coder in
        #expect(coder.decodeDictionary(withKeyClass: NSString.self, objectClass: NSNumber.self, forKey: key) == nil)
      }
      for error in [several, one] { #expect(error.code == .typeMismatch && error.detail.contains("'\(key)'")) }
    }
    try Probe.read(data) { coder in
      let found = coder.decodeDictionary(
        withKeysOfClasses: [NSString.self], objectsOfClasses: [NSNumber.self], forKey: "right")
      #expect(found?["a"] as? Int == 1)
      let one = coder.decodeDictionary(withKeyClass: NSString.self, objectClass: NSNumber.self, forKey: "right")
      #expect(one == ["a": 1])
    }
  }

  @Test("mutable elements and values are those that other references get, and can be changed")
  func mutableElements() throws {
    let (text, array) = (NSMutableString("a"), NSMutableArray(array: [1]))
    let data = try Probe.archive { coder in
      coder.encode([text, text], forKey: "texts")
      coder.encode(NSArray(object: array), forKey: "arrays")
      coder.encode(NSDictionary(object: array, forKey: NSString("k")), forKey: "table")
      coder.encode(array, forKey: "array")
    }
    try Probe.read(data) { coder in
      let texts = coder.decodeArrayOfObjects(ofClass: NSMutableString.self, forKey: "texts")
      texts?.first?.append("b")
      #expect(texts == ["ab", "ab"])
      let alone = coder.decodeObject(of: [NSMutableArray.self, NSNumber.self], forKey: "array") as? NSMutableArray
      alone?.add(2)
      let listed = coder.decodeArrayOfObjects(ofClasses: [NSMutableArray.self, NSNumber.self], forKey: "arrays")
      #expect(alone != nil && listed?.first as? NSMutableArray == [1, 2])
      let table = coder.decodeDictionary(
        withKeysOfClasses: [NSString.self], objectsOfClasses: [NSMutableArray.self, NSNumber.self], forKey: "table")
      // Each list of classes has an object of its own.
      #expect(table?["k"] as? NSMutableArray == [1])
    }
  }

  @Test("a chain of 600 objects is archived, and decoded with a raised limit")
  func chain() throws {
    var first: Link?
    for _ in 0..<600 { first = Link(next: first) }
    let link = try #require(first)
    let data = try KeyedArchiver.archivedData(withRootObject: link, requiringSecureCoding: true)
    let error = try #require(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Link.self, from: data)
    }
    #expect(error.code == .limitReached)
    var limits = ReadLimits.default
    limits.maximumDepth = 700
    var current = try KeyedUnarchiver.unarchivedObject(ofClass: Link.self, from: data, limits: limits)
    var count = 0
    while let link = current { (current, count) = (link.next, count + 1) }
    #expect(count == 600)
  }

  @Test("a bridged class can replace itself after decoding")
  func awakening() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Sleeper(), requiringSecureCoding: true)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Sleeper.self, from: data) === Sleeper.shared)
  }

  @Test(
    "what is no such collection is an error",
    arguments: ["text", "mixed", "nested", "keys", "values", "no dictionary"])
  func otherValues(_ kind: String) throws {
    let error = try Probe.errorOfReading(archive()) { coder in
      switch kind {
      case "keys":
        let info = coder.decodeDictionary(
          withKeysOfClasses: [NSNumber.self], objectsOfClasses: [NSString.self, NSNumber.self], forKey: "info")
        #expect(info == nil)
      case "values":
        #expect(coder.decodeDictionary(withKeyClass: NSString.self, objectClass: NSString.self, forKey: "info") == nil)
      case "no dictionary":
        #expect(coder.decodeDictionary(withKeyClass: NSString.self, objectClass: NSString.self, forKey: "text") == nil)
      default: #expect(coder.decodeArrayOfObjects(ofClass: NSString.self, forKey: kind) == nil)
      }
    }
    // A number is refused before it is decoded, unless the list of the values allows it.
    let isRefused = kind == "mixed" || kind == "values"
    #expect(error.code == (isRefused ? .classNotAllowed : .typeMismatch))
  }
}

private final class Link: NSObject, NSSecureCoding, FoundationCoding {
  static var supportsSecureCoding: Bool { true }
  let next: Link?
  init(next: Link?) { self.next = next }
  func encode(with coder: NSCoder) { coder.encode(next, forKey: "next") }
  init?(coder: NSCoder) { next = coder.decodeObject(of: Link.self, forKey: "next") }
}

/// A class with one instance.
private final class Sleeper: NSObject, NSSecureCoding, FoundationCoding, ArchiveAwakening, @unchecked Sendable {
  static let shared = Sleeper()
  static var supportsSecureCoding: Bool { true }
  override init() {}
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) {}
  func awakeAfter(using coder: KeyedUnarchiver) throws -> Sleeper { Self.shared }
}
