// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import Testing

@Suite("A key that is encoded twice")
struct RepeatedKeyTests {
  private class Pet: SecureKeyedCoding {
    class var archiveClassName: String { "Pet" }
    init() {}
    func encode(with coder: KeyedArchiver) { coder.encode("pet", forKey: "kind") }
    required init?(coder: KeyedUnarchiver) { nil }
  }

  /// A subclass that uses a key of its superclass.
  private final class Cat: Pet {
    override class var archiveClassName: String { "Cat" }

    override func encode(with coder: KeyedArchiver) {
      super.encode(with: coder)
      coder.encode("cat", forKey: "kind")
      coder.encode(9, forKey: "lives")
    }
  }

  private struct Nested: KeyedCodable {
    private enum Keys: String, CodingKey { case inner, value }
    init() {}
    init(from decoder: any Decoder) throws {}

    func encode(to encoder: any Encoder) throws {
      var outer = encoder.container(keyedBy: Keys.self)
      var inner = outer.nestedContainer(keyedBy: Keys.self, forKey: .inner)
      try inner.encode(1, forKey: .value)
      try inner.encode(2, forKey: .value)
    }
  }

  @Test("by a superclass and its subclass fails, and the error names both")
  func subclass() throws {
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: [Cat(), Cat()], requiringSecureCoding: true)
    }
    #expect(error?.code == .notEncodable)
    #expect(error?.className == "Cat")
    #expect(error?.description.contains("'kind'") == true)
    #expect(error?.remedy?.contains("repeatedKeyPolicy") == true)
  }

  /// An object that encodes one key many times.
  private struct Repeating: SecureKeyedCoding {
    let count: Int
    init(_ count: Int) { self.count = count }
    func encode(with coder: KeyedArchiver) { for number in 0..<count { coder.encode(number, forKey: "key") } }
    init?(coder: KeyedUnarchiver) { nil }
  }

  @Test(
    "takes time in proportion to how often it is encoded", arguments: [KeyedArchiver.RepeatedKeyPolicy.fail, .keepLast])
  func manyTimes(_ policy: KeyedArchiver.RepeatedKeyPolicy) {
    let times = [1000, 8000].map { count in
      System.leastTime {
        let archiver = KeyedArchiver(requiringSecureCoding: true)
        archiver.repeatedKeyPolicy = policy
        archiver.encode(Repeating(count), forKey: "root")
        #expect(((try? archiver.encodedData) == nil) == (policy == .fail))
      }
    }
    #expect(times[1] < 24 * times[0], "\(times[1] / times[0]) times as long")
  }

  @Test("replaces the first value if the caller wants it so, as Apple's archiver does")
  func keepLast() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.repeatedKeyPolicy = .keepLast
    archiver.encode([Cat(), Cat()], forKey: "root")
    archiver.encode(1, forKey: "number")
    archiver.encode(2, forKey: "number")
    let archive = try KeyedArchive(archiver.encodedData)
    #expect(archive.root[1]["kind"].string == "cat" && archive.root[1]["lives"].number == .integer(9))
    #expect(archive["number"].number == .integer(2))
  }

  @Test("replaces the first value also where sets are put in order")
  func keepLastInSets() throws {
    let log = ["a", "b", "c"]
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.repeatedKeyPolicy = .keepLast
    archiver.encode(Dictionary(uniqueKeysWithValues: log.map { (Data($0.utf8), Cat()) }), forKey: "root")
    let pairs = try #require(try KeyedArchive(archiver.encodedData).root.dictionary)
    #expect(pairs.map { $0.key.data } == log.map { Data($0.utf8) })
    #expect(pairs.allSatisfy { $0.value["kind"].string == "cat" })
  }

  @Test("at the top level fails", arguments: [2, 40])
  func topLevel(count: Int) throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    for number in 0..<count { archiver.encode(number, forKey: "key \(number)") }
    archiver.encode(-1, forKey: "key \(count / 2)")
    let error = #expect(throws: KeyedArchiveError.self) { try archiver.encodedData }
    #expect(error?.code == .notEncodable)
    #expect(error?.description.contains("'key \(count / 2)'") == true)
  }

  @Test("in a nested container fails")
  func nested() throws {
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: Nested(), requiringSecureCoding: true)
    }
    #expect(error?.code == .notEncodable)
    #expect(error?.description.contains("'value'") == true)
  }

  // MARK: Reports

  private static func entry(_ path: String, _ className: String?, _ key: String, isDictionaryKey: Bool = false)
    -> KeyReport.Entry
  {
    KeyReport.Entry(path: path, className: className, key: key, isDictionaryKey: isDictionaryKey)
  }

  @Test("is reported if the later value is kept, once for each class, with the path of its first object")
  func report() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.repeatedKeyPolicy = .keepLast
    archiver.encode([Pet(), Cat(), Cat()], forKey: "root")
    archiver.encode(Nested(), forKey: "nested")
    archiver.encode(1, forKey: "number")
    archiver.encode(2, forKey: "number")
    try archiver.finishEncoding()
    #expect(
      archiver.repeatedKeys == [
        Self.entry("$top", nil, "number"), Self.entry("root[1]", "Cat", "kind"),
        Self.entry("nested.inner", "NSDictionary", "value", isDictionaryKey: true),
      ])
  }

  /// An element of a set that encodes one of ten keys twice, itself or in a nested container.
  private struct Element: KeyedCodable, Hashable {
    struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
    static var archiveClassName: String { "Element" }
    var number: Int
    init(_ number: Int) { self.number = number }
    init(from decoder: any Decoder) throws { number = 0 }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(number, forKey: Key(stringValue: "number"))
      let key = Key(stringValue: "key \(number % 10)")
      if number % 2 == 0 {
        for _ in 0..<2 { try container.encode(number, forKey: key) }
      } else {
        var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "nested"))
        for _ in 0..<2 { try nested.encode(number, forKey: key) }
      }
    }
  }

  @Test("is reported at its place in the archive, whatever the order of Swift's sets", arguments: [false, true])
  func reportOfSets(isCompact: Bool) throws {
    var reports: Set<[KeyReport.Entry]> = []
    for count in 0..<6 {
      var set = Set<Element>(minimumCapacity: 40 << count)
      for number in 0..<30 { set.insert(Element(number)) }
      let archiver = KeyedArchiver(requiringSecureCoding: true, layout: isCompact ? .compact : .apple)
      archiver.repeatedKeyPolicy = .keepLast
      archiver.encode(set, forKey: "root")
      let elements = try #require(try KeyedArchive(archiver.encodedData).root.array)
      // The first element in the archive with each key, as its number tells.
      let numbers = elements.map { $0["number"].number?.integer ?? -1 }
      let expected = (0..<10)
        .compactMap { rest in
          numbers.firstIndex { $0 % 10 == rest }
            .map { place in
              rest % 2 == 0
                ? (place, Self.entry("root[\(place)]", "Element", "key \(rest)"))
                : (place, Self.entry("root[\(place)].nested", "NSDictionary", "key \(rest)", isDictionaryKey: true))
            }
        }
        .sorted { $0.0 < $1.0 }.map(\.1)
      #expect(archiver.repeatedKeys == expected && expected.count == 10)
      reports.insert(archiver.repeatedKeys)
    }
    #expect(reports.count == 1)
  }

  @Test("fails also if an object of the class was archived while the policy was to keep the later value")
  func changedPolicy() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.repeatedKeyPolicy = .keepLast
    archiver.encode([Cat(), Cat()], forKey: "first")
    archiver.repeatedKeyPolicy = .fail
    archiver.encode(Cat(), forKey: "second")
    let error = #expect(throws: KeyedArchiveError.self) { try archiver.finishEncoding() }
    #expect(error?.code == .notEncodable && error?.keyPath == "second" && error?.className == "Cat")
  }

  @Test("is named as the object spells it, in errors and reports")
  func escapedKey() throws {
    struct Twice: SecureKeyedCoding {
      static let archiveClassName = "Twice"
      init() {}
      func encode(with coder: KeyedArchiver) {
        coder.encode(1, forKey: "$a")
        coder.encode(2, forKey: "$a")
      }
      init?(coder: KeyedUnarchiver) { nil }
    }
    let failing = KeyedArchiver(requiringSecureCoding: true)
    failing.encode(Twice(), forKey: "$root")
    let error = #expect(throws: KeyedArchiveError.self) { try failing.finishEncoding() }
    #expect(error?.keyPath == "$root" && error?.detail.contains("'$a'") == true)
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.repeatedKeyPolicy = .keepLast
    archiver.encode(Twice(), forKey: "$root")
    try archiver.finishEncoding()
    #expect(archiver.repeatedKeys == [Self.entry("$root", "Twice", "$a")])
  }

  @Test("is not in a report if it is an error, or if no key is repeated")
  func noReport() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(Cat(), forKey: "root")
    #expect(throws: KeyedArchiveError.self) { try archiver.finishEncoding() }
    #expect(archiver.repeatedKeys == [])
    var encoder = KeyedArchiveEncoder()
    encoder.repeatedKeyPolicy = .keepLast
    encoder.keyReportHandler = { _ in throw CocoaError(.featureUnsupported) }
    #expect(try KeyedArchive(encoder.encode([Pet()])).root[0]["kind"].string == "pet")
  }

  @Test("is passed to the handler of an encoder, whose error is thrown unchanged")
  func handler() throws {
    var encoder = KeyedArchiveEncoder()
    encoder.repeatedKeyPolicy = .keepLast
    encoder.keyReportHandler = { report in
      #expect(report.description == "root[0], 'Cat': encoded more than once: 'kind'" && !report.isEmpty)
      throw KeyedArchiveError(.reportedByClass, "strict", underlying: CocoaError(.featureUnsupported))
    }
    #expect { try encoder.encode([Cat()]) } throws: { ($0 as? KeyedArchiveError)?.detail == "strict" }
    encoder.keyReportHandler = { #expect($0.repeatedKeys.map(\.keyPath) == ["root.inner[\"value\"]"]) }
    #expect(try KeyedArchive(encoder.encode(Nested())).root["inner"]["value"].number == .integer(2))
  }
}
