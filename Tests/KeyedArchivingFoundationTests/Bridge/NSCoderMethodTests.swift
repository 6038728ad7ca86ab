// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import KeyedArchivingFoundation
import Testing

@Suite("Methods of NSCoder")
struct NSCoderMethodTests {
  @Test("primitives, with their widths")
  func primitives() throws {
    let data = try Probe.archive { coder in
      coder.encode(true, forKey: "bool")
      coder.encode(-7, forKey: "int")
      coder.encode(Int32.min, forKey: "int32")
      coder.encode(Int64.max, forKey: "int64")
      coder.encode(Float(0.1), forKey: "float")
      coder.encode(0.1, forKey: "double")
    }
    try Probe.read(data) { coder in
      #expect(coder.decodeBool(forKey: "bool"))
      #expect(coder.decodeInteger(forKey: "int") == -7)
      #expect(coder.decodeInt32(forKey: "int32") == .min)
      #expect(coder.decodeCInt(forKey: "int32") == .min)
      #expect(coder.decodeInt64(forKey: "int64") == .max)
      #expect(coder.decodeFloat(forKey: "float") == 0.1)
      #expect(coder.decodeDouble(forKey: "double") == 0.1)
    }
  }

  @Test("absent keys give zero, and no error")
  func absentKeys() throws {
    try Probe.read(Probe.archive { _ in }) { coder in
      #expect(!coder.decodeBool(forKey: "a") && coder.decodeInteger(forKey: "a") == 0)
      #expect(coder.decodeInt32(forKey: "a") == 0 && coder.decodeInt64(forKey: "a") == 0)
      #expect(coder.decodeFloat(forKey: "a") == 0 && coder.decodeDouble(forKey: "a") == 0)
      #expect(coder.decodeObject(forKey: "a") == nil && coder.decodeObject(of: NSString.self, forKey: "a") == nil)
      #expect(coder.decodePropertyList(forKey: "a") == nil)
      #expect(coder.decodePoint(forKey: "a") == .zero && coder.decodeRect(forKey: "a") == .zero)
      #expect(coder.error == nil)
    }
  }

  @Test("bytes")
  func bytes() throws {
    let data = try Probe.archive { coder in
      unsafe coder.encodeBytes([1, 2, 3], length: 2, forKey: "two")
      unsafe coder.encodeBytes(nil, length: 0, forKey: "none")
    }
    try Probe.read(data) { coder in
      let two = unsafe coder.withDecodedUnsafeBytes(forKey: "two") { bytes in
        unsafe bytes.map { bytes in unsafe Array(bytes) }
      }
      #expect(two == [1, 2])
      let same = unsafe coder.withDecodedUnsafeBufferPointer(forKey: "two") { bytes in
        unsafe bytes.map { bytes in unsafe Array(bytes) }
      }
      #expect(same == [1, 2])
      let isAbsent = unsafe coder.withDecodedUnsafeBytes(forKey: "absent") { bytes in unsafe bytes == nil }
      #expect(isAbsent)
    }
    for length in [-1, 3] {
      let error = try Probe.errorOfArchiving { unsafe $0.encodeBytes(nil, length: length, forKey: "wrong") }
      #expect(error.detail.contains("encodeBytes(_:length:forKey:) with \(length) bytes"))
    }
  }

  @Test("objects of one class, and of a list")
  func objects() throws {
    let data = try Probe.archive { coder in
      coder.encode("text", forKey: "text")
      coder.encode(["a", 1] as [Any], forKey: "list")
      coder.encode(nil, forKey: "nil")
      coder.encode(7 as Any, forKey: "boxed")
      coder.encode(Optional<String>.none as Any, forKey: "nothing")
    }
    try Probe.read(data) { coder in
      #expect(coder.decodeObject(of: NSString.self, forKey: "text") == "text")
      #expect(coder.decodeObject(of: [NSNumber.self, NSString.self], forKey: "text") as? String == "text")
      let list = coder.decodeObject(of: [NSArray.self, NSString.self, NSNumber.self], forKey: "list")
      #expect(list as? NSArray == ["a", 1] as NSArray)
      #expect(coder.decodeObject(of: NSNumber.self, forKey: "boxed") == 7)
      #expect(coder.decodeObject(of: nil, forKey: "text") as? String == "text")
      #expect(coder.containsValue(forKey: "nil") && coder.decodeObject(of: NSString.self, forKey: "nil") == nil)
      #expect(coder.containsValue(forKey: "nothing") && coder.decodeObject(forKey: "nothing") == nil)
      #expect(!coder.containsValue(forKey: "absent"))
    }
  }

  @Test("untyped requests get plain values, the own class, and what the program registers")
  func untyped() throws {
    let meal = try #require(Meal(name: "Soup", photo: nil, rating: 1))
    let data = try Probe.archive { coder in
      coder.encode(
        ["when": Date(timeIntervalSinceReferenceDate: 1), "on": [true, NSNull()]] as [String: Any], forKey: "plain")
      coder.encode(Probe { _ in }, forKey: "own")
      coder.encode(meal, forKey: "meal")
    }
    try Probe.read(data) { coder in
      let plain = coder.decodeObject(forKey: "plain") as? NSDictionary
      #expect(plain?["when"] as? Date == Date(timeIntervalSinceReferenceDate: 1))
      #expect(plain?["on"] as? NSArray == [true, NSNull()] as NSArray)
      let list = coder.decodePropertyList(forKey: "absent")
      #expect(list == nil)
    }
    let refused = try Probe.errorOfReading(data) { #expect($0.decodeObject(forKey: "meal") == nil) }
    #expect(refused.code == .classNotAllowed)
    #expect(refused.className == "KeyedArchivingFoundationTests.Meal")
    let registered = try Probe.read(data, settings: { $0.classesForUntypedRequests = [Meal.self] }) { coder in
      #expect(coder.allowedClasses?.contains { $0 == Meal.self } == true)
      return (coder.decodeObject(forKey: "meal") as? Meal)?.name
    }
    #expect(registered == "Soup")
    // The list of the outermost request is registered too.
    var name: String?
    try Probe.$reading.withValue(Probe.Step { name = ($0.decodeObject(forKey: "meal") as? Meal)?.name }) {
      _ = try KeyedUnarchiver.unarchivedObject(ofClasses: [Probe.self, Meal.self], from: data)
    }
    #expect(name == "Soup")
  }

  @Test("property lists")
  func propertyLists() throws {
    let data = try Probe.archive { coder in
      coder.encode(["a": [1, 2.5, Data([1])]], forKey: "list")
      coder.encode(NSURL(string: "http://a"), forKey: "url")
      coder.encodePropertyList(["next"])
    }
    try Probe.read(data) { coder in
      #expect(coder.decodePropertyList(forKey: "list") as? NSDictionary == ["a": [1, 2.5, Data([1])]] as NSDictionary)
      #expect(coder.decodePropertyList() as? [String] == ["next"])
    }
    #expect(try Probe.errorOfReading(data) { _ = $0.decodePropertyList(forKey: "url") }.code == .classNotAllowed)
  }

  @Test("objects without keys")
  func unkeyed() throws {
    let data = try Probe.archive { coder in
      coder.encode("one" as Any?)
      coder.encodeRootObject("two")
      coder.encodeBycopyObject("three")
      coder.encodeByrefObject("four")
      coder.encode(Data([5]))
      coder.encodeConditionalObject(Song(title: "six"))
      coder.encode(nil as Any?)
    }
    try Probe.read(data) { coder in
      for text in ["one", "two", "three", "four"] { #expect(coder.decodeObject() as? String == text) }
      #expect(coder.decodeData() == Data([5]))
      #expect(coder.decodeObject() == nil)
      #expect(coder.decodeObject() == nil)
      #expect(coder.error == nil)
    }
    #expect(try Probe.errorOfReading(Probe.archive { _ in }) { _ = $0.decodeObject() }.code == .valueNotFound)
  }

  @Test("conditional objects")
  func conditional() throws {
    let (kept, lost) = (Song(title: "kept"), Song(title: "lost"))
    let data = try Probe.archive { coder in
      coder.encodeConditionalObject(kept, forKey: "early")
      coder.encode(kept, forKey: "kept")
      coder.encodeConditionalObject(lost, forKey: "lost")
      coder.encodeConditionalObject(NSMutableArray(array: ["x"]), forKey: "array")
      coder.encodeConditionalObject("a text", forKey: "value")
      coder.encodeConditionalObject(nil, forKey: "nil")
    }
    try Probe.read(data) { coder in
      let song = coder.decodeObject(of: Song.self, forKey: "kept")
      #expect(song?.title == "kept")
      #expect(coder.decodeObject(of: Song.self, forKey: "early") === song)
      #expect(coder.decodeObject(of: Song.self, forKey: "lost") == nil)
      #expect(coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "array") == nil)
      #expect(coder.decodeObject(of: Song.self, forKey: "nil") == nil)
    }
    #expect(!String(decoding: data, as: UTF8.self).contains("lost"[...].uppercased()))
    #expect(try KeyedArchive(data).root["lost"].isNull)
  }

  @Test("geometry")
  func geometry() throws {
    let data = try Probe.archive { coder in
      coder.encode(CGPoint(x: 1, y: -2.5), forKey: "point")
      coder.encode(CGSize(width: 3, height: 4), forKey: "size")
      coder.encode(CGRect(x: 5, y: 6, width: 7, height: 8), forKey: "rect")
      coder.encode("garbage", forKey: "garbage")
      coder.encode("{{1, 2}, {3, 4}", forKey: "cut")
      coder.encode("{1.0, 2.0}", forKey: "text")
      coder.encode(NSString(string: "{1.0, 2.0}"), forKey: "bridged")
      coder.encode(NSString(string: "{{1.0, 2}, {3, 4.0}}"), forKey: "bridged rect")
      coder.encode(CGRect(x: 0.1, y: 1e20, width: -1.5, height: 512.0003662109375), forKey: "precise")
      coder.encode(CGRect(x: Double.infinity, y: 0, width: 0, height: 0), forKey: "infinite")
    }
    // The texts are those that Foundation makes.
    let root = try KeyedArchive(data).root
    #expect(root["point"].string == NSStringFromPoint(CGPoint(x: 1, y: -2.5)))
    #expect(root["size"].string == NSStringFromSize(CGSize(width: 3, height: 4)))
    #expect(root["rect"].string == NSStringFromRect(CGRect(x: 5, y: 6, width: 7, height: 8)))
    // A text of the program stays what it is, even if it is like that of a point.
    #expect(root["text"].string == "{1.0, 2.0}" && root["garbage"].string == "garbage")
    #expect(root["bridged"].string == "{1.0, 2.0}" && root["bridged rect"].string == "{{1.0, 2}, {3, 4.0}}")
    #expect(root["infinite"].string == "{{inf, 0.0}, {0.0, 0.0}}")
    try Probe.read(data) { coder in
      #expect(coder.decodePoint(forKey: "point") == CGPoint(x: 1, y: -2.5))
      #expect(coder.decodeSize(forKey: "size") == CGSize(width: 3, height: 4))
      #expect(coder.decodeRect(forKey: "rect") == CGRect(x: 5, y: 6, width: 7, height: 8))
      #expect(
        coder.decodeRect(forKey: "precise") == CGRect(x: 0.1, y: 1e20, width: -1.5, height: 512.0003662109375))
      #expect(coder.decodePoint(forKey: "garbage") == .zero)
      _ = coder.decodeRect(forKey: "cut")
    }
    #expect(throws: KeyedArchiveError.self) {
      try Probe.read(Probe.archive { $0.encode([1], forKey: "a") }) { _ = $0.decodePoint(forKey: "a") }
    }
  }

  @Test("properties")
  func properties() throws {
    for isSecure in [true, false] {
      let probe = Probe { coder in
        #expect(coder.requiresSecureCoding == isSecure)
        #expect(coder.allowsKeyedCoding && coder.systemVersion == 2000 && coder.error == nil)
        #expect(coder.version(forClassName: "Probe") == 0)
        #expect(coder.decodingFailurePolicy == .setErrorAndReturn)
        #expect(coder.keyedArchiver != nil && coder.keyedUnarchiver == nil)
      }
      let data = try KeyedArchiver.archivedData(withRootObject: probe, requiringSecureCoding: isSecure)
      try Probe.read(data, settings: { $0.requiresSecureCoding = isSecure }) { coder in
        #expect(coder.requiresSecureCoding == isSecure)
        #expect(coder.allowsKeyedCoding && coder.systemVersion == 2000 && coder.error == nil)
        #expect(coder.version(forClassName: "Probe") == 0)
        #expect(coder.decodingFailurePolicy == .setErrorAndReturn)
        #expect(coder.allowedClasses?.contains { $0 == Probe.self } == true)
        #expect(coder.keyedArchiver == nil && coder.keyedUnarchiver != nil)
      }
      try Probe.read(data, settings: { $0.decodingFailurePolicy = .raiseException }) { coder in
        #expect(coder.decodingFailurePolicy == .raiseException)
      }
    }
  }

  @Test("errors that a class reports")
  func failing() throws {
    let reported = try Probe.errorOfArchiving { coder in
      coder.failWithError(CocoaError(.coderInvalidValue))
      #expect(coder.error != nil)
    }
    #expect(reported.underlying is CocoaError)
    let read = try Probe.errorOfReading(Probe.archive { _ in }) { coder in
      coder.failWithError(CocoaError(.coderReadCorrupt))
      #expect(coder.error != nil)
    }
    #expect(read.underlying is CocoaError)
    #expect(read.keyPath == "root")
  }

  @Test(
    "calls of unkeyed coding are errors that say what to do",
    arguments: [
      "encodeValue(ofObjCType:at:)", "encodeArray(ofObjCType:count:at:)", "encodeBytes(_:length:)",
    ])
  func unkeyedEncoding(_ method: String) throws {
    let error = try Probe.errorOfArchiving { coder in
      var number: Int32 = 1
      switch method {
      case "encodeValue(ofObjCType:at:)": unsafe coder.encodeValue(ofObjCType: "i", at: &number)
      case "encodeArray(ofObjCType:count:at:)": unsafe coder.encodeArray(ofObjCType: "i", count: 1, at: &number)
      default: unsafe coder.encodeBytes(&number, length: 4)
      }
    }
    #expect(error.className == "KeyedArchivingFoundationTests.Probe")
    #expect(error.detail.contains(method))
    #expect(error.remedy?.contains("encode(_:forKey:)") == true)
  }

  @Test(
    "decoding by unkeyed calls is an error that says what to do",
    arguments: ["decodeValue(ofObjCType:at:)", "decodeArray(ofObjCType:count:at:)"])
  func unkeyedDecoding(_ method: String) throws {
    let error = try Probe.errorOfReading(Probe.archive { _ in }) { coder in
      var number: Int32 = 1
      switch method {
      case "decodeValue(ofObjCType:at:)": unsafe coder.decodeValue(ofObjCType: "i", at: &number)
      default: unsafe coder.decodeArray(ofObjCType: "i", count: 1, at: &number)
      }
      #expect(number == 1)
    }
    #expect(error.detail.contains(method))
    #expect(error.remedy?.contains("decodeInteger(forKey:)") == true)
  }

  /// Each call of the other direction, which Foundation's `NSCoder` answers by ending the process.
  private static let decodingCalls: [@Sendable (NSCoder) -> Void] = [
    { _ = $0.containsValue(forKey: "k") }, { _ = $0.decodeData() }, { _ = $0.decodeObject() },
    { _ = $0.decodeObject(forKey: "k") }, { _ = $0.decodeObject(of: NSString.self, forKey: "k") },
    { _ = $0.decodeObject(of: [NSString.self], forKey: "k") }, { _ = $0.decodePropertyList() },
    { _ = $0.decodePropertyList(forKey: "k") }, { _ = $0.decodeBool(forKey: "k") }, { _ = $0.decodeCInt(forKey: "k") },
    { _ = $0.decodeInt32(forKey: "k") }, { _ = $0.decodeInt64(forKey: "k") }, { _ = $0.decodeInteger(forKey: "k") },
    { _ = $0.decodeFloat(forKey: "k") }, { _ = $0.decodeDouble(forKey: "k") },
    { unsafe $0.withDecodedUnsafeBytes(forKey: "k") { _ in } },
    { unsafe $0.withDecodedUnsafeBufferPointer(forKey: "k") { _ in } }, { _ = $0.decodePoint(forKey: "k") },
  ]

  private static let encodingCalls: [@Sendable (NSCoder) -> Void] = [
    { $0.encode(Data()) }, { $0.encode("x" as Any?) }, { $0.encodeRootObject("x") }, { $0.encodeBycopyObject("x") },
    { $0.encodeByrefObject("x") }, { $0.encodePropertyList("x") }, { $0.encodeConditionalObject(NSNull()) },
    { $0.encode("x", forKey: "k") }, { $0.encodeConditionalObject(NSNull(), forKey: "k") },
    { $0.encode(true, forKey: "k") }, { $0.encode(1, forKey: "k") }, { $0.encode(Int32(1), forKey: "k") },
    { $0.encode(Int64(1), forKey: "k") }, { $0.encode(Float(1), forKey: "k") }, { $0.encode(1.0, forKey: "k") },
    { unsafe $0.encodeBytes([1], length: 1, forKey: "k") }, { $0.encode(CGPoint.zero, forKey: "k") },
  ]

  @Test("decoding from an archiver is an error", arguments: decodingCalls.indices)
  func decodingWhileEncoding(_ index: Int) throws {
    let error = try Probe.errorOfArchiving { Self.decodingCalls[index]($0) }
    #expect(error.remedy == "Call it in init(coder:); an archiver only encodes")
  }

  @Test("encoding into an unarchiver is an error", arguments: encodingCalls.indices)
  func encodingWhileDecoding(_ index: Int) throws {
    let error = try Probe.errorOfReading(Probe.archive { _ in }) { Self.encodingCalls[index]($0) }
    #expect(error.remedy == "Call it in encode(with:); an unarchiver only decodes")
  }

  @Test("a coder that is kept cannot be used later", arguments: encodingCalls.indices)
  func keptEncoder(_ index: Int) throws {
    var kept: NSCoder?
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(Probe { kept = $0 }, forKey: "root")
    Self.encodingCalls[index](try #require(kept))
    #expect(archiver.error?.detail.contains("after its encode(with:) or init(coder:) had returned") == true)
    #expect(throws: KeyedArchiveError.self) { try archiver.encodedData }
  }

  @Test("a kept decoder returns nothing, and an error", arguments: decodingCalls.indices)
  func keptDecoder(_ index: Int) throws {
    var kept: NSCoder?
    let unarchiver = try KeyedUnarchiver(forReadingFrom: Probe.archive { $0.encode(1, forKey: "k") })
    try Probe.$reading.withValue(Probe.Step { kept = $0 }) { _ = try unarchiver.decode(Probe.self, forKey: "root") }
    Self.decodingCalls[index](try #require(kept))
    #expect(unarchiver.error?.detail.contains("after its encode(with:) or init(coder:) had returned") == true)
  }

  @Test("replacements of a class's own choice")
  func replacements() throws {
    let data = try KeyedArchiver.archivedData(
      withRootObject: [Stand(), Stand()] as [Stand], requiringSecureCoding: true)
    #expect(
      try KeyedUnarchiver.unarchivedObject(ofClass: [Meal].self, from: data)?.map(\.name) == ["stand-in", "stand-in"])
    let disguised = try KeyedArchiver.archivedData(withRootObject: Disguised(), requiringSecureCoding: true)
    #expect(try KeyedArchive(disguised).root.className == "KeyedArchivingFoundationTests.Disguise")
    #expect(try KeyedArchive(disguised).root.classDescription?.hints == ["Older"])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Disguise.self, from: disguised)?.text == "hidden")
    // The class for keyed archivers has precedence over that for all coders, as in Foundation.
    let twofold = try KeyedArchiver.archivedData(withRootObject: Twofold(), requiringSecureCoding: true)
    let theirs = try NSKeyedArchiver.archivedData(withRootObject: Twofold(), requiringSecureCoding: true)
    for data in [twofold, theirs] {
      #expect(try KeyedArchive(data).root.className == "KeyedArchivingFoundationTests.Disguise")
    }
  }
}

/// A class that archives another object in its place.
final class Stand: NSObject, NSSecureCoding, FoundationCoding {
  static var supportsSecureCoding: Bool { true }
  override init() {}
  override func replacementObject(for aCoder: NSCoder) -> Any? { Meal(name: "stand-in", photo: nil, rating: 0) }
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) { nil }
}

class Disguise: NSObject, NSSecureCoding, FoundationCoding {
  class var supportsSecureCoding: Bool { true }
  let text: String
  override init() { text = "hidden" }
  func encode(with coder: NSCoder) { coder.encode(text, forKey: "text") }
  required init?(coder: NSCoder) { text = coder.decodeObject(of: NSString.self, forKey: "text") as String? ?? "?" }
}

/// A class that keyed archivers are to archive as another one than other coders do.
final class Twofold: Disguise {
  override var classForKeyedArchiver: AnyClass? { Disguise.self }
  override var classForCoder: AnyClass { Disguised.self }
}

/// A private subclass that is archived as its superclass.
final class Disguised: Disguise {
  override var classForCoder: AnyClass { Disguise.self }
  override class func classFallbacksForKeyedArchiver() -> [String] { ["Older"] }
}
