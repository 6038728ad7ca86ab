// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

@Suite("Codable: encodeEncodable and decodeDecodable")
struct PropertyListCodingTests {
  struct Model: Codable, Equatable {
    var name = "n"
    var count = -3
    var big = UInt64(Int64.max)
    var ratio = 2.5
    var small: Float = 0.1
    var flag = true
    var when = Date(timeIntervalSinceReferenceDate: 77.25)
    var bytes = Data([0, 255])
    var list: [Int?] = [1, nil]
    var table: [String: [String]] = ["b": ["x"], "a": []]
    var temper = Temper.calm
    var home = Address(street: "Elm", number: 5)
    var marker = "$null is not alone"
  }

  /// What Foundation makes of a value, by its own encoder and reader.
  private func propertyList<Value: Encodable>(_ value: Value) throws -> NSObject? {
    let data = try PropertyListEncoder().encode([value])
    let list = try unsafe PropertyListSerialization.propertyList(from: data, format: nil)
    return (list as? NSArray)?.firstObject as? NSObject
  }

  private let classes: [AnyClass] = [
    NSArray.self, NSData.self, NSDate.self, NSDictionary.self, NSNumber.self, NSString.self,
  ]

  @Test("Foundation finds the property list that its own encoder makes", arguments: ArchiveLayout.allCases)
  func foundationReads(_ layout: ArchiveLayout) throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true, layout: layout)
    try archiver.encodeEncodable(Model(), forKey: "model")
    try archiver.encodeEncodable(["a", "b"], forKey: "list")
    try archiver.encodeEncodable("text", forKey: "text")
    try archiver.encodeEncodable(2.5, forKey: "number")
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.requiresSecureCoding = true
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    // The types that Apple's decodeDecodable asks for.
    func object(_ key: String) -> NSObject? { unarchiver.decodeObject(of: classes, forKey: key) as? NSObject }
    #expect(object("model") == (try propertyList(Model())))
    #expect(object("list") == ["a", "b"] as NSArray)
    #expect(object("text") == "text" as NSString)
    #expect(object("number") == 2.5 as NSNumber)
    #expect(unarchiver.error == nil)
  }

  private enum Weekday: String, Codable { case monday }

  private struct Nothing: Codable, Equatable {
    init() {}
    init(from decoder: any Decoder) {}
    func encode(to encoder: any Encoder) {}
  }

  /// Values whose form a property-list encoder chooses, and primitives that are not equal to themselves or have a sign.
  private struct Forms: Codable, Equatable {
    var link = URL(string: "b?c", relativeTo: URL(string: "https://example.com/a"))
    var price = Decimal(1) / 3
    var id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var days = [Weekday.monday: 1]
    var numbered = [3: "three"]
    var marker = ["$null": true]
    var markers = ["$$null": true]
    var nothing = Nothing()
    var nothings = [Nothing()]
    var zero = -0.0
    var infinite: [Float] = [.infinity, -.infinity, .leastNonzeroMagnitude]
    var early = Date(timeIntervalSinceReferenceDate: -1e9 - 0.125)
    var nils: [String?] = ["a", nil]
  }

  /// Returns the keys and values of the property list that an unarchiver finds, as the encoder of Foundation has it.
  private func archived(_ value: some Encodable) throws -> NSObject? {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    try archiver.encodeEncodable(value, forKey: "x")
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.requiresSecureCoding = true
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    return unarchiver.decodeObject(of: classes, forKey: "x") as? NSObject
  }

  @Test("values with several possible forms have the form of Foundation's encoder, and come back")
  func forms() throws {
    var forms = Forms()
    #expect(try archived(forms) == propertyList(forms))
    forms.nils = []
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    try archiver.encodeEncodable(forms, forKey: "x")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let read = try #require(try unarchiver.decodeTopLevelDecodable(Forms.self, forKey: "x"))
    #expect(read == forms && read.zero.sign == .minus)
    // Foundation's decoder takes the key of the marker for nil, too.
    forms.marker = [:]
    let data = try PropertyListEncoder().encode(forms)
    let theirs = try PropertyListDecoder().decode(Forms.self, from: data)
    #expect(theirs == forms)
    #expect(read.link?.baseURL == forms.link?.baseURL)
  }

  @Test("a value that encodes nothing at the top is an error, as with Foundation's encoder")
  func nothing() {
    #expect(throws: EncodingError.self) { try PropertyListEncoder().encode(Nothing()) }
    #expect(throws: EncodingError.self) {
      try KeyedArchiver(requiringSecureCoding: true).encodeEncodable(Nothing(), forKey: "x")
    }
  }

  @Test("types find the userInfo of the coder, and an error has the coding path of Foundation's coders")
  func userInfo() throws {
    struct Informed: Codable, Equatable {
      static let key = CodingUserInfoKey(rawValue: "unit")
      var unit: String?
      init(unit: String?) { self.unit = unit }
      private enum CodingKeys: CodingKey { case unit, list }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.key.flatMap { encoder.userInfo[$0] as? String }, forKey: .unit)
      }
      init(from decoder: any Decoder) throws {
        unit = Self.key.flatMap { decoder.userInfo[$0] as? String }
        if unit == "fail" {
          _ = try decoder.container(keyedBy: CodingKeys.self).decode([String: Int].self, forKey: .unit)
        }
      }
    }
    let key = try #require(Informed.key)
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.userInfo[key] = "kg"
    try archiver.encodeEncodable([Informed(unit: nil)], forKey: "x")
    let data = try archiver.encodedData
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.userInfo[key] = "lb"
    #expect(unarchiver.decodeDecodable([Informed].self, forKey: "x") == [Informed(unit: "lb")])
    #expect(unarchiver.decodeDecodable([[String: String]].self, forKey: "x") == [["unit": "kg"]])
    unarchiver.userInfo[key] = "fail"
    let error = #expect(throws: KeyedArchiveError.self) {
      try unarchiver.decodeTopLevelDecodable([Informed].self, forKey: "x")
    }
    guard case .typeMismatch(_, let context)? = error?.underlying as? DecodingError else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue } == ["0", "unit"])
  }

  @Test("what Foundation archives as a property list is decoded")
  func weRead() throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    // What Apple's encoder makes of the model, taken down by hand. Foundation takes the text $null, which stands for nil,
    // for nil itself.
    var model = Model()
    model.list = [7, 2]
    let home = NSMutableDictionary(dictionary: ["street": "Elm", "number": 5])
    let list: [String: Any] = [
      "name": "n", "count": -3, "big": UInt64(Int64.max), "ratio": 2.5, "small": NSNumber(value: Float(0.1)),
      "flag": NSNumber(value: true), "when": model.when, "bytes": model.bytes, "list": NSMutableArray(array: [7, 2]),
      "table": ["b": ["x"], "a": [String]()], "temper": "calm", "home": home, "marker": model.marker,
    ]
    archiver.encode(NSMutableDictionary(dictionary: list), forKey: "model")
    archiver.finishEncoding()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.decodeDecodable(Model.self, forKey: "model") == model)
    #expect(unarchiver.error == nil)
  }

  @Test("values come back, inside objects too, whatever they are", arguments: ArchiveLayout.allCases)
  func roundTrip(_ layout: ArchiveLayout) throws {
    final class Box: SecureKeyedCoding {
      static var archiveClassName: String { "Box" }
      var model: Model?
      var nothing: Model?
      init() {}
      func encode(with coder: KeyedArchiver) throws { try coder.encodeEncodable(Model(), forKey: "model") }
      init(coder: KeyedUnarchiver) {
        model = coder.decodeDecodable(Model.self, forKey: "model")
        nothing = coder.decodeDecodable(Model.self, forKey: "nothing")
      }
    }
    let made = try again(Box(), layout)
    #expect(made?.model == Model())
    #expect(made?.nothing == nil)
    #expect(
      try archive(Box()).root["model"].classDescription?.chain == ["NSMutableDictionary", "NSDictionary", "NSObject"])

    let archiver = KeyedArchiver(requiringSecureCoding: true, layout: layout)
    try archiver.encodeEncodable(Temper.wild, forKey: "enum")
    try archiver.encodeEncodable([[Int]](), forKey: "empty")
    try archiver.encodeEncodable(UInt64.max, forKey: "wide")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decodeTopLevelDecodable(Temper.self, forKey: "enum") == .wild)
    #expect(try unarchiver.decodeTopLevelDecodable([[Int]].self, forKey: "empty") == [])
    #expect(try unarchiver.decodeTopLevelDecodable(UInt64.self, forKey: "wide") == .max)
    #expect(try unarchiver.decodeTopLevelDecodable(Int.self, forKey: "absent") == nil)
    #expect((unarchiver.decodePropertyList(forKey: "enum") as? String) == "wild")
  }

  @Test("the same value gives the same bytes")
  func deterministic() throws {
    func data() throws -> Data {
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      let table = Dictionary(uniqueKeysWithValues: (0..<50).map { ("key \($0)", $0) }.shuffled())
      try archiver.encodeEncodable(table, forKey: "root")
      return try archiver.encodedData
    }
    #expect(try data() == data())
  }

  @Test("what is no property list, or not the wanted one, is an error that is kept or thrown")
  func errors() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(URL(filePath: "/"), forKey: "url")
    try archiver.encodeEncodable("text", forKey: "text")
    let data = try archiver.encodedData
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    #expect(unarchiver.decodeDecodable(Model.self, forKey: "url") == nil)
    #expect(unarchiver.error?.code == .classNotAllowed)
    let other = try KeyedUnarchiver(forReadingFrom: data)
    let error = #expect(throws: KeyedArchiveError.self) {
      try other.decodeTopLevelDecodable(Model.self, forKey: "text")
    }
    #expect(error?.code == .typeMismatch)
    #expect(error?.underlying is DecodingError)
    #expect(throws: EncodingError.self) {
      struct Bad: Encodable {
        func encode(to encoder: any Encoder) throws {
          throw EncodingError.invalidValue(1, .init(codingPath: [], debugDescription: "no"))
        }
      }
      try KeyedArchiver(requiringSecureCoding: true).encodeEncodable(Bad(), forKey: "bad")
    }
  }

  private struct Chip: Codable, Equatable { var number = 1 }

  /// An object with an optional Codable value, as an initializer codes it.
  private final class Animal: SecureKeyedCoding {
    static var archiveClassName: String { "Animal" }
    var chip: Chip?
    var name: String?
    var scores: [Int]?
    var kind: Temper?
    var age: Int?
    init() {}
    func encode(with coder: KeyedArchiver) throws {
      try coder.encodeEncodable(chip, forKey: "chip")
      try coder.encodeEncodable(name, forKey: "name")
      try coder.encodeEncodable(scores, forKey: "scores")
      try coder.encodeEncodable(kind, forKey: "kind")
      try coder.encodeEncodable(age, forKey: "age")
    }
    init(coder: KeyedUnarchiver) {
      chip = coder.decodeDecodable(Chip.self, forKey: "chip")
      name = coder.decodeDecodable(String.self, forKey: "name")
      scores = coder.decodeDecodable([Int].self, forKey: "scores")
      kind = coder.decodeDecodable(Temper.self, forKey: "kind")
      age = coder.decodeDecodable(Int.self, forKey: "age")
    }
  }

  @Test("a nil optional of each kind of type decodes as nil, and another value as itself")
  func nils() throws {
    let none = try #require(try again(Animal()))
    #expect(none.chip == nil && none.name == nil && none.scores == nil && none.kind == nil && none.age == nil)
    let animal = Animal()
    (animal.chip, animal.name, animal.scores, animal.kind, animal.age) = (Chip(), "n", [], .wild, 0)
    let some = try #require(try again(animal))
    #expect(some.chip == Chip() && some.name == "n" && some.scores == [] && some.kind == .wild && some.age == 0)
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    try archiver.encodeEncodable(Chip?.none, forKey: "x")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decodeTopLevelDecodable(Chip.self, forKey: "x") == nil)
    #expect(try unarchiver.decodeTopLevelDecodable(Chip?.self, forKey: "x") == .some(nil))
  }

  /// An object whose value has another type than the one that it requests.
  private final class Mistaken: SecureKeyedCoding, Codable {
    static var archiveClassName: String { "Mistaken" }
    init() {}
    func encode(with coder: KeyedArchiver) throws { try coder.encodeEncodable(["number": "text"], forKey: "chip") }
    init?(coder: KeyedUnarchiver) { _ = coder.decodeDecodable(Chip.self, forKey: "chip") }
  }

  @Test("an error of a decoder has the place of the property list in the archive")
  func placeOfError() throws {
    let data = try KeyedArchiveEncoder().encode([Mistaken()])
    let error = #expect(throws: DecodingError.self) { try KeyedArchiveDecoder().decode([Mistaken].self, from: data) }
    guard case .typeMismatch(let type, let context)? = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(type == Int.self && context.codingPath.map(\.stringValue) == ["number"])
    let cause = try #require(context.underlyingError as? KeyedArchiveError)
    #expect(cause.code == .typeMismatch && cause.keyPath == "root[0].chip")
    let other = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: [Mistaken].self, from: data)
    }
    #expect(other?.keyPath == "root[0].chip" && other?.uid == ArchiveUID(rawValue: 2))
    #expect(other?.underlying is DecodingError)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let top = #expect(throws: KeyedArchiveError.self) {
      try unarchiver.decodeTopLevelDecodable(Int.self, forKey: "root")
    }
    #expect(top?.keyPath?.hasPrefix("root") == true)
  }

  @Test("parts shared many times over cost no more than the limit says")
  func expansion() throws {
    var objects: [HandmadeList] = [
      ["$class": .uid(2), "NS.objects": [.uid(3), .uid(3)]], HandmadeList.classRecord("NSArray", "NSObject"),
    ]
    for level in 0..<60 {
      objects.append(["$class": .uid(2), "NS.objects": [.uid(UInt64(4 + level)), .uid(UInt64(4 + level))]])
    }
    objects.append(true)
    let unarchiver = try KeyedUnarchiver(
      forReadingFrom: HandmadeList.archive(objects), limits: ReadLimits(maximumExpansion: 4))
    #expect(unarchiver.decodeDecodable([Bool].self, forKey: "root") == nil)
    #expect(unarchiver.error?.code == .limitReached)
  }

  @Test("a dictionary with one key twice, of which one value would be lost")
  func repeatedKey() throws {
    let data = HandmadeList.archive([
      ["NS.keys": [.uid(3), .uid(3)], "NS.objects": [.uid(4), .uid(5)], "$class": .uid(2)],
      .classRecord("NSDictionary", "NSObject"), "a", 1, 2,
    ])
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let error = #expect(throws: KeyedArchiveError.self) {
      try unarchiver.decodeTopLevelDecodable([String: Int].self, forKey: "root")
    }
    #expect(error?.detail.contains("duplicate key") == true)
  }
}
