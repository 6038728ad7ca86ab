// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchiving
import TestSupport
import Testing

/// An initializer can catch the error of a call and continue. The calls after it must have the results that they have
/// without it.
@Suite("Decoding that continues after an error")
struct ContinuedDecodingTests {
  private static let record: HandmadeList = .classRecord("Forms", "NSObject")

  /// An object with the keys of every collection and values of its own.
  private static func data(_ elements: [HandmadeList], keys: [HandmadeList]? = nil) -> Data {
    let first = UInt64(4)
    var values: [(String, HandmadeList)] = [("number", 5), ("name", .uid(3))]
    let references = { (range: Range<Int>) in HandmadeList.array(range.map { .uid(first + UInt64($0)) }) }
    if let keys { values.append(("NS.keys", references(elements.count..<elements.count + keys.count))) }
    values += [("NS.objects", references(0..<elements.count)), ("$class", .uid(2))]
    return HandmadeList.archive([.dictionary(values), record, "name"] + elements + (keys ?? []))
  }

  /// Values that are archived as one of two collections, of which the first is tried first.
  private struct Forms<First: KeyedCoding, Second: KeyedCoding>: SecureKeyedCoding {
    static var archiveClassName: String { "Forms" }
    var first: First?
    var second: Second?
    var number: Int
    var name: String?
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) throws {
      first = try? First(coder: coder)
      second = try? Second(coder: coder)
      number = coder.decodeInteger(forKey: "number")
      name = coder.decodeObject(of: String.self, forKey: "name")
    }
  }

  private func forms<First: KeyedCoding, Second: KeyedCoding>(
    _ first: First.Type, _ second: Second.Type, _ data: Data
  ) throws -> Forms<First, Second> {
    let forms = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Forms<First, Second>.self, from: data))
    #expect(forms.number == 5 && forms.name == "name")
    return forms
  }

  @Test("tries the elements as other types")
  func collections() throws {
    let texts = Self.data(["one", "two"])
    #expect(try forms([Int].self, [String].self, texts).second == ["one", "two"])
    #expect(try forms(Set<Int>.self, Set<String>.self, texts).second == ["one", "two"])
    #expect(try forms([String: Int].self, [String].self, texts).second == ["one", "two"])
    #expect(try forms([[String]].self, [String].self, texts).second == ["one", "two"])
    let mixed = Self.data(["one", 2])
    #expect(try forms([String].self, [Int].self, mixed).second == nil)
    let table = Self.data(["one", "two"], keys: [1, 2])
    #expect(try forms([String: String].self, [Int: String].self, table).second == [1: "one", 2: "two"])
    #expect(try forms([Int: Int].self, [Int: String].self, table).second == [1: "one", 2: "two"])
  }

  @Test("has errors with the place of the element, if it ends with one")
  func places() throws {
    struct Failing: SecureKeyedCoding {
      static var archiveClassName: String { "Forms" }
      func encode(with coder: KeyedArchiver) {}
      init?(coder: KeyedUnarchiver) throws {
        _ = try? [Int](coder: coder)
        _ = try [String](coder: coder)
      }
    }
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Failing.self, from: Self.data(["one", "two", 3]))
    }
    #expect(error?.keyPath == "root[2]" && error?.code == .classNotAllowed)
  }

  /// Makes calls that can fail, in an order that a seed determines.
  private struct Restless: SecureKeyedCoding {
    @TaskLocal static var order: [Int] = []
    static var archiveClassName: String { "Forms" }
    struct Coded: KeyedCodable {
      static var archiveClassName: String { "Coded" }
      var number: Int
    }
    static let calls: [@Sendable (KeyedUnarchiver) throws -> Void] = [
      { _ = try [Int](coder: $0) }, { _ = try [String](coder: $0) }, { _ = try Set<String>(coder: $0) },
      { _ = try [String: Int](coder: $0) }, { _ = try [Int: String](coder: $0) }, { _ = try [[Int]](coder: $0) },
      { _ = try [Int?](coder: $0) }, { _ = try ArchivedArray(coder: $0) }, { _ = try ArchivedDictionary(coder: $0) },
      { _ = try Coded(coder: $0) }, { _ = try $0.decode(Int.self, forKey: "name") },
      { _ = try $0.decode([String].self, forKey: "name") }, { _ = try $0.decode(String.self, forKey: "absent") },
      { _ = try $0.decode(Restless.self, forKey: "name") },
      { _ = try String(coder: $0) }, { _ = try Data(coder: $0) }, { _ = try Date(coder: $0) },
      { _ = try $0.decodeTopLevelObject(of: [ArchivedArray.self], forKey: "name") },
    ]

    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) throws {
      for call in Self.order {
        try? Self.calls[call](coder)
        #expect(coder.decodeInteger(forKey: "number") == 5, "after call \(call) of \(Self.order)")
        #expect(coder.decodeObject(of: String.self, forKey: "name") == "name", "after call \(call) of \(Self.order)")
      }
      #expect(try [String](coder: coder) == ["one", "two"], "after \(Self.order)")
    }
  }

  @Test("has the same results after any failed calls", arguments: 0..<50)
  func anyOrder(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let order = (0..<Int.random(in: 1...8, using: &random)).map { _ in
      Int.random(in: Restless.calls.indices, using: &random)
    }
    let decoded = try Restless.$order.withValue(order) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Restless.self, from: Self.data(["one", "two"], keys: [1, 2]))
    }
    #expect(decoded != nil)
  }

  /// A parent whose child waits for it.
  private final class Owner: SecureKeyedCoding {
    @TaskLocal static var delivery: (@Sendable (KeyedUnarchiver) -> Void)?
    static var archiveClassName: String { "Owner" }
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) throws {
      _ = try coder.decode(Owned.self, forKey: "first")
      _ = try coder.decode(Owned.self, forKey: "second")
    }
  }

  private struct Refusal: Error, CustomStringConvertible { let description = "the second one" }

  private final class Owned: SecureKeyedCoding {
    static var archiveClassName: String { "Owned" }
    var owner: Owner?
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) {
      let isSecond = coder.decodeBool(forKey: "isSecond")
      coder.decodeObject(of: Owner.self, forKey: "owner") { [unowned coder] owner in
        self.owner = owner
        if isSecond {
          coder.failWithError(Refusal())
        } else {
          _ = coder.decodeObject(of: String.self, forKey: "other")
        }
      }
    }
  }

  @Test("keeps no object of a call that failed when it delivered a reference to its root")
  func deliveries() throws {
    let data = HandmadeList.archive(
      [
        Hostile.object(2, [("first", .uid(3)), ("second", .uid(5))]), .classRecord("Owner", "NSObject"),
        Hostile.object(4, [("owner", .uid(1)), ("isSecond", false)]), .classRecord("Owned", "NSObject"),
        Hostile.object(4, [("owner", .uid(1)), ("isSecond", true)]), "text",
      ], top: [("root", .uid(1)), ("other", .uid(6))])
    let coder = try KeyedUnarchiver(forReadingFrom: data)
    coder.decodingFailurePolicy = .raiseException
    for _ in 0..<3 {
      let error = #expect(throws: KeyedArchiveError.self) { try coder.decode(Owner.self, forKey: "root") }
      #expect(error?.detail.contains("the second one") == true)
    }
    #expect(try coder.decode(String.self, forKey: "other") == "text")
  }

  @Test("A UID of another archive is an error")
  func foreignUIDs() throws {
    struct Asking: SecureKeyedCoding {
      static var archiveClassName: String { "Forms" }
      func encode(with coder: KeyedArchiver) {}
      init?(coder: KeyedUnarchiver) throws {
        for uid in [6, 7, 1 << 16, UInt32.max].map({ ArchiveUID(rawValue: $0) }) {
          let calls: [() throws -> Any?] = [
            { try String.decode(uid, in: coder) }, { try Int.decode(uid, in: coder) },
            { try Double.decode(uid, in: coder) }, { try Data.decode(uid, in: coder) },
            { try [Int].decode(uid, in: coder) }, { try Asking.decode(uid, in: coder) },
            { try Owner.decode(uid, in: coder) }, { try Int?.decode(uid, in: coder) as Any? },
            { try Restless.Coded.decode(uid, in: coder) }, { try ArchivedArray.decode(uid, in: coder) },
          ]
          for (number, call) in calls.enumerated() {
            #expect(throws: KeyedArchiveError.self, "call \(number), UID \(uid)") { _ = try call() }
          }
        }
        #expect(try String.decode(ArchiveUID(rawValue: 3), in: coder) == "name")
      }
    }
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Asking.self, from: Self.data(["one", "two"])) != nil)
  }
}
