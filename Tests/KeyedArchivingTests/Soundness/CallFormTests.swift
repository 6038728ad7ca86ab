// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

@Suite("The forms of a call agree about")
struct CallFormTests {
  // MARK: Inline values

  enum Kind: Int, KeyedCodable { case low, high }

  /// An object with inline values, which it decodes with closures.
  private final class Meter: SecureKeyedCoding {
    static var archiveClassName: String { "Meter" }
    var kind: Kind?
    var count: Int?
    var bytes: Data?
    var isOn: Bool?
    init() {}
    func encode(with coder: KeyedArchiver) {
      coder.encode(Kind.high, forKey: "kind")
      coder.encode(7, forKey: "count")
      coder.encodeBytes(Data([1, 2, 3]), forKey: "bytes")
      coder.encode(true, forKey: "isOn")
    }
    init(coder: KeyedUnarchiver) throws {
      coder.decodeObject(of: Kind.self, forKey: "kind") { self.kind = $0 }
      coder.decodeObject(of: Int.self, forKey: "count") { self.count = $0 }
      coder.decodeObject(of: Data.self, forKey: "bytes") { self.bytes = $0 }
      coder.decodeObject(of: Bool.self, forKey: "isOn") { self.isOn = $0 }
    }
  }

  @Test("values inside their object, with a closure and without")
  func inline() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Meter(), requiringSecureCoding: true)
    let meter = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Meter.self, from: data))
    #expect(meter.kind == .high && meter.count == 7 && meter.bytes == Data([1, 2, 3]) && meter.isOn == true)
  }

  // MARK: Nil

  private final class Holder: SecureKeyedCoding {
    static var archiveClassName: String { "Holder" }
    var answers: [Bool] = []
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws {
      answers.append(coder.decodeObject(of: Meter.self, forKey: "none") { _ in self.answers.append(true) })
      answers.append(coder.decodeObject(of: [Meter.self], forKey: "none") { _ in self.answers.append(true) })
      answers.append(coder.decodeObject(of: Meter.self, forKey: "reserved") { _ in self.answers.append(true) })
      answers.append(coder.decodeObject(of: [Meter.self], forKey: "reserved") { _ in self.answers.append(true) })
    }
  }

  @Test("nil, and a place that was reserved for an object that was never archived")
  func null() throws {
    let data = HandmadeList.archive([
      ["none": .uid(0), "reserved": .uid(3), "$class": .uid(2)], .classRecord("Holder", "NSObject"), "$null",
    ])
    let holder = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Holder.self, from: data))
    #expect(holder.answers == [false, false, false, false])
  }

  // MARK: Lists

  @Test("a real, whose precision does not depend on the order of a list")
  func reals() throws {
    let data = try KeyedArchiver.archivedData(
      withRootObject: ArchivedArray([Double.pi, 0.5, Float(1.5)]), requiringSecureCoding: true)
    for types: [any KeyedCoding.Type] in [[Float.self, Double.self], [Double.self, Float.self]] {
      let reals = try KeyedUnarchiver.unarchivedArrayOfObjects(ofClasses: types, from: data)
      #expect(reals?.first as? Double == Double.pi, "\(types)")
    }
    let rounded = try KeyedUnarchiver.unarchivedArrayOfObjects(ofClasses: [Float.self], from: data)
    #expect(rounded?.first as? Float == Float(Double.pi))
  }

  private final class Box: SecureKeyedCoding {
    static var archiveClassName: String { "Box" }
    var parts: [ArchivedDictionary] = []
    let isListed: Bool
    init(_ parts: [ArchivedDictionary]) { (self.parts, isListed) = (parts, false) }
    func encode(with coder: KeyedArchiver) {
      for (index, part) in parts.enumerated() { coder.encode(part, forKey: "part\(index)") }
      coder.encode(isListed, forKey: "isListed")
    }
    init(coder: KeyedUnarchiver) throws {
      isListed = !coder.userInfo.isEmpty
      for index in 0..<3 {
        let part =
          isListed
          ? coder.decodeDictionary(
            withKeysOfClasses: [String.self], objectsOfClasses: [ArchiveNumber.self], forKey: "part\(index)")
          : coder.decodeObject(
            of: [ArchivedDictionary.self, String.self, ArchiveNumber.self], forKey: "part\(index)")
            as? ArchivedDictionary
        if let part { parts.append(part) }
      }
    }
  }

  @Test("a shared mutable dictionary, which remains one", arguments: [false, true])
  func dictionary(_ isListed: Bool) throws {
    let part = ArchivedDictionary([("a", ArchiveNumber.integer(1))], isMutable: true)
    let data = try KeyedArchiver.archivedData(withRootObject: Box([part, part, part]), requiringSecureCoding: true)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    if isListed { unarchiver.userInfo[try #require(CodingUserInfoKey(rawValue: "isListed"))] = true }
    let box = try #require(try unarchiver.decodeTopLevelObject(of: Box.self, forKey: "root"))
    #expect(box.parts.count == 3 && box.parts.allSatisfy(\.isMutable))
    #expect(
      try KeyedArchiver.archivedData(withRootObject: Box(box.parts), requiringSecureCoding: true) == data)
  }

  // MARK: Delegates

  private struct Inner: Codable { var x = 1 }

  private final class Outer: KeyedCodable {
    var inner = Inner()
    var many = [Inner(), Inner()]
  }

  private final class Listener: KeyedUnarchiverDelegate {
    var types: [String] = []
    func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: any KeyedCoding) -> (any KeyedCoding)? {
      types.append("\(type(of: object))")
      return object
    }
  }

  @Test("what a delegate receives: no value that is only Codable, and the collections of flat calls themselves")
  func delegates() throws {
    let listener = Listener()
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(Outer(), forKey: "outer")
    archiver.encode(ArchivedArray(["a"]), forKey: "array")
    archiver.encode(ArchivedDictionary([("a", "b")]), forKey: "dictionary")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.delegate = listener
    #expect(try unarchiver.decodeTopLevelObject(of: Outer.self, forKey: "outer")?.many.count == 2)
    #expect(unarchiver.decodeArrayOfObjects(ofClasses: [String.self], forKey: "array")?.count == 1)
    let dictionary = unarchiver.decodeDictionary(
      withKeysOfClasses: [String.self], objectsOfClasses: [String.self], forKey: "dictionary")
    #expect(dictionary?["a"] as? String == "b")
    #expect(listener.types == ["Outer", "ArchivedArray", "ArchivedDictionary"])
  }

  // MARK: Null objects

  private struct Record: KeyedCodable {
    static var archiveClassName: String { "Record" }
    var text: String?
    var number: Int?
    var date: Date?
  }

  @Test("a null object, which is nil for each optional property")
  func nullObject() throws {
    let data = HandmadeList.archive([
      ["text": .uid(3), "number": .uid(3), "date": .uid(3), "$class": .uid(2)], .classRecord("Record", "NSObject"),
      ["$class": .uid(4)], .classRecord("NSNull", "NSObject"),
    ])
    let record = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Record.self, from: data))
    #expect(record.text == nil && record.number == nil && record.date == nil)
  }

  @Test("a dictionary with one key twice, of which one value would be lost")
  func duplicateKey() throws {
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

  // MARK: Remedies

  private class Animal: Codable { var name = "" }
  private final class Cat: Animal {}
  private final class Stone: SecureKeyedCoding {
    static var archiveClassName: String { "Stone" }
    func encode(with coder: KeyedArchiver) {}
    init() {}
    init?(coder: KeyedUnarchiver) {}
  }

  @Test("remedies: for a subclass that is only Codable, and for a mapping to another class")
  func remedies() throws {
    let cats = try KeyedArchiveEncoder().encode([Cat()])
    do {
      _ = try KeyedArchiveDecoder().decode([Animal].self, from: cats)
      Issue.record("a subclass was decoded")
    } catch DecodingError.typeMismatch(_, let context) {
      let error = try #require(context.underlyingError as? KeyedArchiveError)
      #expect(error.remedy?.contains("archiveSubclasses") == true && error.remedy?.contains("accept(") == false)
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Meter(), requiringSecureCoding: true)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.setClass(Stone.self, forClassName: "Meter")
    let error = #expect(throws: KeyedArchiveError.self) {
      try unarchiver.decodeTopLevelObject(of: Meter.self, forKey: "root")
    }
    #expect(error?.remedy == "Request Stone, or remove the mapping with setClass(nil, forClassName:)")
  }

  // MARK: Depth

  private indirect enum Tree: SecureKeyedCoding {
    case leaf
    case branch([Tree])
    static var archiveClassName: String { "Tree" }
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) { nil }
    func record(in coder: KeyedArchiver) -> RecordedValue {
      switch self {
      case .leaf: 1.record(in: coder)
      case .branch(let trees): trees.record(in: coder)
      }
    }
    init(_ levels: Int) {
      self = .leaf
      for _ in 0..<levels { self = .branch([self]) }
    }
    /// Releases the levels one by one, because Swift does it recursively.
    mutating func end() {
      while case .branch(let trees) = self { self = trees[0] }
    }
  }

  private final class Watcher: KeyedArchiverDelegate {}

  @Test("arrays in each other that a type records, of any depth", arguments: [1, 31, 32, 33, 70, 100_000])
  func recorded(_ levels: Int) throws {
    let archive: (Bool) throws -> Data = { hasDelegate in
      var tree = Tree(levels)
      defer { tree.end() }
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      let watcher = Watcher()
      // With a delegate, no array is recorded together with its elements.
      if hasDelegate { archiver.delegate = watcher }
      archiver.encode(tree, forKey: "root")
      return try archiver.encodedData
    }
    var data = Data()
    try System.onThread(stackBytes: 512 << 10) { data = (try? archive(false)) ?? Data() }
    let expected = try archive(true)
    #expect(!data.isEmpty && data == expected)
  }

  private final class Link: KeyedCodable {
    var next: Link?
    init(_ next: Link?) { self.next = next }
    private enum CodingKeys: CodingKey { case next }
    init(from decoder: any Decoder) throws {
      next = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Link.self, forKey: .next)
    }
    func encode(to encoder: any Encoder) throws {
      let path = encoder.codingPath
      if path.count < 64 { #expect(path.allSatisfy { $0.stringValue == "next" || $0.stringValue == "root" }) }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeIfPresent(next, forKey: .next)
    }
  }

  @Test("the path of each object in a long chain, in linear time")
  func codingPaths() throws {
    func time(_ count: Int) throws -> Double {
      var chain: Link?
      var all: [Link] = []
      for _ in 0..<count {
        chain = Link(chain)
        if let chain { all.append(chain) }
      }
      defer { for link in all { link.next = nil } }
      return try System.leastTime {
        _ = try KeyedArchiver.archivedData(withRootObject: #require(chain), requiringSecureCoding: true)
      }
    }
    let (few, many) = (try time(2000), try time(16_000))
    #expect(many < 20 * few)
  }

  /// Lists in lists, the innermost of which has numbers.
  private struct Nest: Codable {
    static let depth = 300
    var numbers: [Int]
    init(_ count: Int) { numbers = Array(0..<count) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for _ in 1..<Self.depth { container = container.nestedUnkeyedContainer() }
      for number in numbers { try container.encode(number) }
    }
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      for _ in 1..<Self.depth { container = try container.nestedUnkeyedContainer() }
      numbers = []
      while !container.isAtEnd { numbers.append(try container.decode(Int.self)) }
    }
  }

  @Test("nested containers: many elements in many of them are beyond the work for a file")
  func nestedContainers() throws {
    let few = try KeyedArchiveEncoder().encode(Nest(100))
    #expect(try KeyedArchiveDecoder().decode(Nest.self, from: few).numbers.count == 100)
    let many = try KeyedArchiveEncoder().encode(Nest(100_000))
    #expect(throws: DecodingError.self) { try KeyedArchiveDecoder().decode(Nest.self, from: many) }
  }
}
