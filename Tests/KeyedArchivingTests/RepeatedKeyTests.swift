// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
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
        Self.entry("root[1]", "Cat", "kind"),
        Self.entry("nested.inner", "NSDictionary", "value", isDictionaryKey: true), Self.entry("$top", nil, "number"),
      ])
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
