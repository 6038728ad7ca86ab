// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing
@testable import TypedDefaults
import TypedDefaultsTesting

private struct Profile: Codable, Equatable, Sendable {
  var name: String
  var age = 0
}

extension DefaultsKey where Value == Int {
  fileprivate static let launches = DefaultsKey("app.launches", default: 0)
}

extension DefaultsKey where Value == Date? {
  fileprivate static let lastOpened = DefaultsKey("lastOpened")
}

extension DefaultsKey where Value == Profile {
  fileprivate static let profile = DefaultsKey("profile", default: Profile(name: "nobody"))
  fileprivate static let lenientProfile = DefaultsKey("profile", default: Profile(name: "nobody"), policy: .useDefault)
}

@Suite("DefaultsKey")
struct KeyTests {
  @Test("has its default value until a value is stored")
  func values() throws {
    let store = MemoryStore()
    #expect(try store.value(for: .launches) == 0)
    #expect(store.isDefault(.launches))
    try store.set(3, for: .launches)
    #expect(try store.value(for: .launches) == 3)
    #expect(store.rawValue(for: "app.launches") == 3)
    try store.modify(.launches) { $0 += 1 }
    #expect(store[.launches] == 4)
    try store.reset(.launches)
    #expect(store[.launches] == 0 && store.keys == [])
  }

  @Test("is nil without a default value, and storing nil removes the value")
  func optionals() throws {
    let store = MemoryStore()
    #expect(try store.value(for: .lastOpened) == nil)
    try store.set(Date(timeIntervalSince1970: 5), for: .lastOpened)
    #expect(try store.value(for: .lastOpened) == Date(timeIntervalSince1970: 5))
    #expect(store.rawValue(for: "lastOpened") == .date(Date(timeIntervalSince1970: 5)))
    try store.set(nil, for: .lastOpened)
    #expect(store.keys == [])
    #expect(try store.value(for: DefaultsKey("x", default: Int?.some(5))) == 5)
  }

  @Test("creates its default value on demand")
  func closure() throws {
    let made = ValueRecorder<Void>()
    let key = DefaultsKey<Int>(
      "n",
      makingDefault: {
        made.add(())
        return made.all.count
      })
    let store = MemoryStore()
    #expect(store[key] == 1 && store[key] == 2)
    store[key] = 7
    #expect(store[key] == 7 && made.all.count == 2)
  }

  @Test("keeps a value that cannot be decoded, and throws or reports by its policy")
  func policies() throws {
    let reported = ValueRecorder<DefaultsError>()
    let old: PropertyListValue = ["name": "Ada", "age": "36"]
    let store = MemoryStore(["profile": old], reports: { reported.add($0) })
    let error = #expect(throws: DefaultsError.self) { try store.value(for: .profile) }
    #expect(error?.code == .undecodable && error?.key == "profile")
    #expect(error?.description.contains("age") == true)
    #expect(reported.all.isEmpty)
    #expect(try store.value(for: .lenientProfile) == Profile(name: "nobody"))
    #expect(reported.all.map(\.code) == [.undecodable])
    #expect(store[.profile] == Profile(name: "nobody"))
    #expect(throws: DefaultsError.self) { try store.modify(.lenientProfile) { $0.age = 1 } }
    #expect(store.rawValue(for: .profile) == old)
  }

  @Test("a change in place keeps a value that cannot be decoded, and an assignment replaces it")
  func changesInPlace() throws {
    let reported = ValueRecorder<DefaultsError>()
    // A newer version of the program has stored them.
    let old: PropertyListDictionary = ["app.launches": "many", "list": "a, b", "profile": ["name": 1, "age": 36]]
    let store = MemoryStore(old, reports: { reported.add($0) })
    let list = DefaultsKey("list", default: ["default"])
    store[.launches] += 1
    store[list].append("c")
    store[.profile].age += 1
    #expect(throws: CancellationError.self) { try change(&store[.lenientProfile].age, to: 1, failing: true) }
    #expect(throws: DefaultsError.self) { try store.update { try $0.modify(list) { $0.append("c") } } }
    #expect(store.snapshot().values == old)
    #expect(reported.all.map(\.code) == Array(repeating: .undecodable, count: 4))
    #expect(reported.all.map(\.key) == ["app.launches", "list", "profile", "profile"])

    store[.launches] = 1
    store[list] = []
    store[.profile] = Profile(name: "Ada")
    #expect(store.snapshot().values == ["app.launches": 1, "list": [], "profile": ["age": 0, "name": "Ada"]])
    #expect(reported.all.count == 4)
  }

  /// Changes a value, and then throws an error if it shall fail.
  private func change<Value>(_ value: inout Value, to new: Value, failing isFailing: Bool) throws {
    value = new
    if isFailing { throw CancellationError() }
  }

  @Test("a change in place starts from the stored value or the default value")
  func changesInPlaceOfSoundValues() throws {
    let store = RecordingStore(MemoryStore(["list": ["a"]]))
    let list = DefaultsKey("list", default: ["default"])
    store[list].append("b")
    #expect(store.calls == [.read("list"), .set("list", ["a", "b"], .program)])
    try store.reset(list)
    store[list].append("b")
    #expect(store[list] == ["default", "b"])
    // As for every inout argument, a change before an error counts.
    #expect(throws: CancellationError.self) { try change(&store[list], to: ["c"], failing: true) }
    #expect(store[list] == ["c"])
    store[.lastOpened]? += 1
    #expect(store[.lastOpened] == nil)
    store[.lastOpened] = Date(timeIntervalSince1970: 1)
    store[.lastOpened]? += 1
    #expect(store[.lastOpened] == Date(timeIntervalSince1970: 2))
  }

  @Test("converts between kinds only with the lenient conversion")
  func lenient() throws {
    let store = MemoryStore(["n": 12, "s": "42abc", "b": "YES", "d": 2.75])
    #expect(throws: DefaultsError.self) { try store.value(for: DefaultsKey("n", default: "")) }
    #expect(try store.value(for: DefaultsKey("n", default: "", conversion: .lenient())) == "12")
    #expect(try store.value(for: DefaultsKey("s", default: 0, conversion: .lenient())) == 42)
    #expect(try store.value(for: DefaultsKey("b", default: false, conversion: .lenient())))
    #expect(try store.value(for: DefaultsKey("d", default: 0, conversion: .lenient())) == 2)
    #expect(try store.value(for: DefaultsKey("d", default: "", conversion: .lenient())) == "2.75")
    #expect(try store.value(for: DefaultsKey("s", default: 0.0, conversion: .lenient())) == 42)
  }

  @Test("the lenient conversion reads all numbers and the beginning of strings")
  func coercions() throws {
    func value<Value: LenientValue & SendableMetatype>(_ object: PropertyListValue, _ type: Value.Type) -> Value? {
      try? DefaultsConversion<Value>.lenient().deserialize(object)
    }
    let huge = PropertyListValue.wideInteger(high: 1, low: 0)
    let texts: [(PropertyListValue, String?)] = [
      ("x", "x"), (true, "1"), (false, "0"), (-7, "-7"), (huge, "18446744073709551616"), (.float(0.5), "0.5"),
      (2.0, "2"), (1e300, "1e+300"), ([], nil), (.data(Data()), nil),
      // As those of NSNumber.
      (.float(0.1), "0.1"), (.float(3), "3"), (-0.0, "-0"), (.float(-0.0), "-0"), (0.0, "0"),
    ]
    for (object, text) in texts { #expect(value(object, String.self) == text) }
    let integers: [(PropertyListValue, Int?)] = [
      (5, 5), (true, 1), (.float(-2.75), -2), (2.75, 2), (1e300, nil), (huge, nil), (" -12x", -12), ("+3", 3), ("x", 0),
      ("-", 0), ("99999999999999999999", .max), ("-99999999999999999999", .min), ("٣", 0), ([:], nil),
    ]
    for (object, integer) in integers { #expect(value(object, Int.self) == integer) }
    let reals: [(PropertyListValue, Double?)] = [
      (2.5, 2.5), (.float(0.5), 0.5), (3, 3), (huge, 18_446_744_073_709_551_616), (false, 0), (true, 1),
      (" -1.5e2x", -150), ("1e", 1), ("1e+", 1), (".5", 0.5), ("5.", 5), ("+-5", 0), ("e5", 0), ("", 0), ("1.2.3", 1.2),
      ([], nil),
    ]
    for (object, real) in reals { #expect(value(object, Double.self) == real) }
    let flags: [(PropertyListValue, Bool?)] = [
      (true, true), (0, false), (-1, true), (huge, true), (.float(0), false), (.float(0.5), true), (0.0, false),
      (0.5, true), ("YES", true), ("true", true), ("no", false), ("2", true), ("0", false), ("", false), ([], nil),
      (" yes", true), ("\n\tTrue", true), (" no", false), (" ", false),
    ]
    for (object, flag) in flags { #expect(value(object, Bool.self) == flag) }
    // The stored kind is that of the key's type.
    #expect(try DefaultsConversion<String>.lenient().serialize("1") == "1")
    #expect(try DefaultsConversion<Int>.lenient().serialize(1) == 1)
    #expect(try DefaultsConversion<Double>.lenient().serialize(1) == 1.0)
    #expect(try DefaultsConversion<Bool>.lenient().serialize(true) == true)
  }

  @Test("the lenient conversion reads long strings in linear time", .notHanging)
  func longTexts() throws {
    let lenient = DefaultsConversion<Double>.lenient()
    for text in ["1", "1.", "-1.5", "1e5"] {
      let long = text + String(repeating: "-1", count: 500_000)
      #expect(try lenient.deserialize(.string(long)) == Double(text))
    }
  }

  @Test("errors have the expected and the found kind, but no private text")
  func conversionErrors() throws {
    let store = MemoryStore([
      "array": [1, 2], "dictionary": ["a": 1], "text": "secret", "real": 2.5,
      "nil": .data(try KeyedArchiver.archivedData(withRootObject: URL?.none, requiringSecureCoding: true)),
    ])
    func said<Value: Sendable>(_ name: String, _ conversion: DefaultsConversion<Value>) -> String {
      let error = #expect(throws: DefaultsError.self) {
        try store.storedValue(for: DefaultsKey<Value?>(name, conversion: conversion))
      }
      #expect(error?.code == .undecodable && error?.key == name && error?.errorDescription == error?.description)
      return error?.description ?? ""
    }
    let left = ". It is unchanged; read it with rawValue(for:), or convert it with a migration"
    #expect(
      said("array", DefaultsConversion<[Int]>.json()).hasSuffix(
        "found an array of 2; expected JSON in data or a string" + left))
    #expect(
      said("dictionary", DefaultsConversion<[Int]>.propertyListData())
        .hasSuffix("found a dictionary of 1; expected a property list in data" + left))
    #expect(
      said("text", DefaultsConversion<URL>.keyedArchive())
        .hasSuffix("found a value of kind string; expected a keyed archive in data" + left))
    #expect(said("nil", DefaultsConversion<URL>.keyedArchive()).contains("nil"))
    #expect(
      said("array", DefaultsConversion<Double>.lenient()).hasSuffix(
        "found an array of 2; expected a value for Double" + left))
    #expect(
      said("real", DefaultsConversion<Int>.objects()).hasSuffix("found the real 2.5; expected a value for Int" + left))
    #expect(!said("text", DefaultsConversion<Int>.objects()).contains("secret"))
  }

  @Test("stores primitives natively")
  func natives() throws {
    func check<Value: Codable & Equatable & Sendable>(_ value: Value, _ object: PropertyListValue) throws {
      let store = MemoryStore()
      let key = DefaultsKey<Value?>("k")
      try store.set(value, for: key)
      #expect(store.rawValue(for: "k") == object)
      #expect(try store.value(for: key) == value)
      let conversion = DefaultsConversion<Value>.objects()
      #expect(try conversion.serialize(value) == object)
      #expect(try conversion.deserialize(object) == value)
      for other in [["a"], "text", true] as [PropertyListValue] where other.kindName != object.kindName {
        #expect(throws: (any Error).self) { try conversion.deserialize(other) }
      }
    }
    try check(true, true)
    try check(Int8.min, -128)
    try check(UInt16.max, 65535)
    try check(UInt64.max, .wideInteger(high: 0, low: .max))
    try check(2.5, 2.5)
    try check(Float(0.5), .float(0.5))
    try check("é", "é")
    try check(Data([1]), .data(Data([1])))
    try check(Date(timeIntervalSinceReferenceDate: 1), .date(Date(timeIntervalSinceReferenceDate: 1)))
  }

  @Test("a snapshot uses the key's policy without reporting")
  func snapshots() throws {
    let store = MemoryStore(["profile": 1])
    #expect(try store.snapshot().value(for: .lenientProfile) == Profile(name: "nobody"))
    #expect(throws: DefaultsError.self) { try store.snapshot().value(for: .profile) }
  }

  @Test("the subscript reports errors of foreign stores")
  func foreignErrors() {
    let store = RecordingStore(RefusingStore())
    store[.launches] = 3
    #expect(store.calls == [.set("app.launches", 3, .program), .report(.cannotWrite)])
  }

  @Test("errors are equal by code and key, and have the coding path")
  func errors() {
    #expect(DefaultsError(.undecodable, key: "a", "one") == DefaultsError(.undecodable, key: "a", "two"))
    #expect(DefaultsError(.undecodable, key: "a", "one") != DefaultsError(.undecodable, key: "b", "one"))
    #expect(DefaultsError(.undecodable, key: "a", "one") != DefaultsError(.damaged, key: "a", "one"))
    #expect("\(DefaultsError.Code.undecodable)" == "undecodable")
    let error = DefaultsError(.damaged, key: "k", path: "/p", "it is so", remedy: "Do that")
    #expect(error.localizedDescription == "/p, 'k': it is so. Do that")
    var options = PropertyListCodingOptions()
    options.nils = .omitted
    let key = DefaultsKey<[[Int?]]>("list", default: [], options: options)
    let unencodable = #expect(throws: DefaultsError.self) { try MemoryStore().set([[1], [nil]], for: key) }
    #expect(unencodable?.description.contains("Index 1") == true)
  }

  @Test("stores with each conversion")
  func conversions() throws {
    enum Size: Int, Sendable { case large, small }
    let store = MemoryStore()
    let json = DefaultsKey("json", default: Profile(name: ""), conversion: .json())
    try store.set(Profile(name: "a", age: 1), for: json)
    #expect(store.rawValue(for: "json") == .data(Data(#"{"age":1,"name":"a"}"#.utf8)))
    #expect(try store.value(for: json) == Profile(name: "a", age: 1))
    try store.setRawValue(#"{"age":2,"name":"b"}"#, for: "json")
    #expect(try store.value(for: json).age == 2)

    let list = DefaultsKey("list", default: Profile(name: ""), conversion: .propertyListData())
    try store.set(Profile(name: "a", age: 1), for: list)
    #expect(try store.value(for: list) == Profile(name: "a", age: 1))

    let url = try #require(URL(string: "https://nuomi1.github.io/"))
    let archive = DefaultsKey("archive", default: url, conversion: .keyedArchive())
    try store.set(url, for: archive)
    guard case .data(let data)? = store.rawValue(for: "archive") else { return }
    #expect(data.count == 263)
    #expect(try store.storedValue(for: archive) == url)

    let size = DefaultsKey("size", default: Size.large, conversion: .rawValue())
    try store.set(.small, for: size)
    #expect(store.rawValue(for: "size") == 1)
    #expect(try store.value(for: size) == .small)
    try store.setRawValue(9, for: "size")
    #expect(throws: DefaultsError.self) { try store.value(for: size) }

    let raw = DefaultsKey("raw", default: [:], conversion: .itself)
    try store.set(["a": [1]], for: raw)
    #expect(try store.value(for: raw) == ["a": [1]])
  }

  @Test("each conversion stores nothing for nil")
  func nothing() throws {
    let url = try #require(URL(string: "https://nuomi1.github.io/"))
    func check<Value: Equatable & Sendable>(_ value: Value, _ conversions: [DefaultsConversion<Value?>]) throws {
      for (number, conversion) in conversions.enumerated() {
        let store = MemoryStore()
        let key = DefaultsKey("k", default: nil, conversion: conversion)
        try store.set(value, for: key)
        #expect(try store.storedValue(for: key) == .some(value), "\(number)")
        try store.set(nil, for: key)
        #expect(store.keys == [] && store.isDefault(key), "\(number)")
      }
    }
    try check(
      Profile(name: "Ada"),
      [
        .objects(), .json(), .propertyListData(), .codableArchive(), .optional(.json()), .archivedData(.json()),
      ])
    try check(7, [.objects(), .json(), .codableArchive(), .archivedData(.json())])
    try check(url, [.keyedArchive(), .insecureKeyedArchive(), .optional(.keyedArchive())])
    // A nil that was stored as JSON is read as before.
    let store = MemoryStore(["k": .data(Data("null".utf8))])
    #expect(
      try store.value(for: DefaultsKey<Int?>("k", default: 3, conversion: DefaultsConversion<Int?>.json())) == nil)
  }

  @Test("a value that cannot be encoded changes nothing")
  func unencodable() throws {
    struct Broken: Codable, Sendable {
      func encode(to encoder: any Encoder) throws { throw CocoaError(.coderInvalidValue) }
    }
    let reported = ValueRecorder<DefaultsError>()
    let store = MemoryStore(["b": 1], reports: { reported.add($0) })
    let key = DefaultsKey<Broken?>("b")
    let error = #expect(throws: DefaultsError.self) { try store.set(Broken(), for: key) }
    #expect(error?.code == .unencodable)
    store[key] = Broken()
    #expect(reported.all.map(\.code) == [.unencodable])
    #expect(store.rawValue(for: "b") == 1)
  }

  @Test("reports escape characters that control a terminal, end a line or reorder text")
  func reports() {
    let error = DefaultsError(.undecodable, key: "a\u{1B}[2J\n\u{9B}b é\u{202E}\u{2028}\u{200B}", "there is none")
    let key = #"a\u{1b}[2J\n\u{9b}b é\u{202e}\u{2028}\u{200b}"#
    #expect(DefaultsReports.line("\(error)") == "TypedDefaults: '\(key)': there is none")
  }

  @Test("a transaction stores values together")
  func transactions() throws {
    let store = RecordingStore()
    try store.update { transaction in
      try transaction.set(2, for: .launches)
      try transaction.set(Profile(name: "Ada"), for: .profile)
      #expect(try transaction.value(for: .launches) == 2)
      transaction.reset(.lastOpened)
    }
    #expect(store.calls.count == 1)
    let snapshot = store.snapshot()
    try store.set(9, for: .launches)
    #expect(try snapshot.value(for: .launches) == 2)
    #expect(try snapshot.value(for: .profile).name == "Ada")
    try store.reset()
    #expect(store.calls.isEmpty && store.keys.isEmpty)
  }
}
