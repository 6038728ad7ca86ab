// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import TestSupport
import Testing

@Suite("Errors speak of the classes that the caller wrote")
struct BridgeMessageTests {
  private let ingredients = try? Probe.archive { coder in
    coder.encode([Ingredient()], forKey: "list")
    coder.encode(Ingredient(), forKey: "one")
    coder.encode(NSNumber(value: 5), forKey: "number")
    coder.encode(NSNull(), forKey: "null")
  }

  private func error(_ read: @escaping (NSCoder) -> Void) throws -> KeyedArchiveError {
    try Probe.errorOfReading(#require(ingredients), read)
  }

  /// No message has a name of the module's own types, which no program can write.
  private func expect(
    _ error: KeyedArchiveError, _ detail: String, _ remedy: String, location: SourceLocation = #_sourceLocation
  ) {
    #expect(error.code == .classNotAllowed, sourceLocation: location)
    #expect(error.detail == detail, sourceLocation: location)
    #expect(error.remedy == remedy, sourceLocation: location)
    #expect(!error.description.contains("Leaf") && !error.description.contains("Archived"), sourceLocation: location)
  }

  private let ingredient = "KeyedArchivingFoundationTests.Ingredient"

  @Test("a list without the class of the elements")
  func elements() throws {
    for read in [
      { @Sendable (coder: NSCoder) in _ = coder.decodeObject(of: [NSArray.self], forKey: "list") },
      { @Sendable (coder: NSCoder) in _ = coder.decodeObject(of: NSArray.self, forKey: "list") },
    ] {
      expect(
        try error(read), "class '\(ingredient)' is not allowed here; allowed: NSArray",
        "If you trust it, add it to the list of the request: [NSArray.self, Ingredient.self]")
    }
  }

  @Test("a request for a mutable class names this class")
  func mutableClass() throws {
    expect(
      try error { _ = $0.decodeObject(of: [NSMutableArray.self], forKey: "list") },
      "class '\(ingredient)' is not allowed here; allowed: NSMutableArray",
      "If you trust it, add it to the list of the request: [NSMutableArray.self, Ingredient.self]")
  }

  @Test("a collection where an object of the program was requested")
  func collection() throws {
    expect(
      try error { _ = $0.decodeObject(of: [Ingredient.self], forKey: "list") },
      "class 'NSArray' is not allowed here; allowed: '\(ingredient)'",
      "If you trust it, add it to the list of the request: [Ingredient.self, NSArray.self]")
  }

  @Test("another class of Foundation than the requested one")
  func otherClass() throws {
    expect(
      try error { _ = $0.decodeObject(of: NSString.self, forKey: "number") },
      "class 'NSNumber' is not allowed here; allowed: NSString",
      "If you trust it, add it to the list of the request: [NSString.self, NSNumber.self]")
    expect(
      try error { _ = $0.decodeObject(of: NSString.self, forKey: "null") },
      "class 'NSNull' is not allowed here; allowed: NSString",
      "If a value may be nil, add it to the list of the request: [NSString.self, NSNull.self]")
  }

  @Test("a call without a list names what it allows, and where the program can allow more")
  func untyped() throws {
    expect(
      try error { _ = $0.decodeObject(forKey: "one") },
      "class '\(ingredient)' is not allowed here; allowed: plain values of Foundation and Probe",
      "decodeObject(forKey:) has no list of classes. If you trust it, request it with "
        + "decodeObject(of: Ingredient.self, forKey:), or add Ingredient.self to the unarchiver's "
        + "classesForUntypedRequests or to the list of unarchivedObject(ofClasses:from:)")
    expect(
      try error { _ = $0.decodePropertyList(forKey: "one") },
      "class '\(ingredient)' is not allowed here; allowed: the classes of property lists",
      "decodePropertyList(forKey:) decodes only property lists; request the object with decodeObject(of:forKey:)")
    // What the remedy says.
    try Probe.read(#require(ingredients), settings: { $0.classesForUntypedRequests = [Ingredient.self] }) {
      #expect($0.decodeObject(forKey: "one") is Ingredient)
    }
  }

  @Test("a request by the unarchiver names its classes")
  func unarchiver() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encodeFoundationObject(NSArray(object: Ingredient()), forKey: "list")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let error = try #require(throws: KeyedArchiveError.self) {
      try unarchiver.decodeFoundationObject(ofClasses: [NSArray.self, NSString.self], forKey: "list")
    }
    expect(
      error, "class '\(ingredient)' is not allowed here; allowed: NSArray, NSString",
      "If you trust it, add it to the list of the request: [NSArray.self, NSString.self, Ingredient.self]")
  }

  @Test("an object inside a request has messages of its own")
  func nested() throws {
    let data = try Probe.archive { $0.encode([Pantry()], forKey: "list") }
    let error = try Probe.errorOfReading(data) {
      _ = $0.decodeObject(of: [NSArray.self, Pantry.self, Unbridged.self], forKey: "list")
    }
    expect(
      error, "class '\(ingredient)' is not allowed here; allowed: NSString",
      "If you trust it, add it to the list of the request: [NSString.self, Ingredient.self]")
  }

  @Test("a class inside of an error or an attributed string is named with the list of the request")
  func contents() throws {
    let error = NSError(domain: "d", code: 1, userInfo: ["k": Ingredient()])
    let text = NSAttributedString(string: "a", attributes: [.init("k"): Ingredient()])
    for object in [error, text] {
      let data = try Probe.archive { $0.encode(object, forKey: "value") }
      let name = object is NSError ? "NSError" : "NSAttributedString"
      let refusal = try Probe.errorOfReading(data) {
        _ = $0.decodeObject(of: [type(of: object), NSString.self], forKey: "value")
      }
      expect(
        refusal, "class '\(ingredient)' is not allowed here; allowed: \(name), NSString and plain values",
        "If you trust it, add it to the list of the request: [\(name).self, NSString.self, Ingredient.self]")
    }
  }

  @Test("what cannot be archived in the user info of an error has the key in its place")
  func placeInUserInfo() throws {
    struct Other {}
    let inner = NSError(domain: "d", code: 1, userInfo: ["list": [1, Other()] as [Any]])
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encodeFoundationObject(["e": inner] as [String: Any], forKey: "root")
    #expect(throws: KeyedArchiveError.self) { try archiver.encodedData }
    #expect(archiver.error?.keyPath == #"root["e"].NSUserInfo["list"][1]"#)
  }

  @Test("an object of the class NSObject itself has no request that decodes it")
  func rootClass() throws {
    let data = Probe.handmade([("one", .uid(3))], [["$class": .uid(4)], .classRecord("NSObject")])
    for request in [{ $0.decodeObject(of: [NSString.self], forKey: "one") }, { $0.decodeObject(forKey: "one") }]
      as [(NSCoder) -> Any?]
    {
      let error = try Probe.errorOfReading(data) { _ = request($0) }
      #expect(error.remedy == "No request decodes an object of NSObject itself, which has no contents")
    }
  }

  @Test("a generic class is shown with its name in Swift")
  func genericClass() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Cupboard<Ingredient>(), requiringSecureCoding: true)
    let error = try #require(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Ingredient.self, from: data)
    }
    let name = Cupboard<Ingredient>.archiveClassName
    #expect(name.hasPrefix("_TtGC"))
    let module = "KeyedArchivingFoundationTests"
    #expect(
      error.detail
        == "class '\(name)' (\(module).Cupboard<\(module).Ingredient>) is not allowed here; allowed: '\(ingredient)'")
  }

  @Test("a bridged class without secure coding is told how to adopt it")
  func secureCoding() throws {
    let unsure = try #require(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: Unsure(), requiringSecureCoding: true)
    }
    #expect(
      unsure.remedy
        == "Let supportsSecureCoding of Unsure return true, or archive with requiringSecureCoding: false")
    let old = try #require(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: Old(), requiringSecureCoding: true)
    }
    let adopt = "Conform Old to NSSecureCoding and FoundationCoding, or without NSCoder to SecureKeyedCoding"
    #expect(old.remedy == adopt + ", or archive with requiringSecureCoding: false")
    let data = try KeyedArchiver.archivedData(withRootObject: Old(), requiringSecureCoding: false)
    let decoding = try #require(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Old.self, from: data)
    }
    #expect(decoding.remedy == adopt + ", or set requiresSecureCoding to false")
  }
}

final class Ingredient: NSObject, NSSecureCoding, FoundationCoding {
  static var supportsSecureCoding: Bool { true }
  override init() {}
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) {}
}

/// A class that requests a string where it has an ingredient.
private final class Pantry: NSObject, NSSecureCoding, FoundationCoding {
  static var supportsSecureCoding: Bool { true }
  override init() {}
  func encode(with coder: NSCoder) { coder.encode(Ingredient(), forKey: "first") }
  init?(coder: NSCoder) { _ = coder.decodeObject(of: NSString.self, forKey: "first") }
}

final class Cupboard<Content>: NSObject, NSSecureCoding, FoundationCoding {
  static var supportsSecureCoding: Bool { true }
  override init() {}
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) {}
}

private final class Unsure: NSObject, NSSecureCoding, FoundationCoding {
  static var supportsSecureCoding: Bool { false }
  override init() {}
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) {}
}

private final class Old: NSObject, NSCoding, InsecureFoundationCoding {
  override init() {}
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) {}
}
