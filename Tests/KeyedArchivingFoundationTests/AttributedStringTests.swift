// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import KeyedArchivingFoundation
import TestSupport
import Testing

/// A type that has no archived form.
private struct Loose {}

@Suite("Texts of Foundation")
struct AttributedStringTests {
  private func roundTrip(_ text: NSAttributedString) throws -> NSAttributedString {
    let data = try KeyedArchiver.archivedData(
      withRootObject: ArchivedAttributedString(text), requiringSecureCoding: true)
    let archived = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedAttributedString.self, from: data)
    return try NSAttributedString(try #require(archived))
  }

  private func attributes(_ text: NSAttributedString, at index: Int) -> [NSAttributedString.Key: Any] {
    unsafe text.attributes(at: index, effectiveRange: nil)
  }

  @Test("keep their runs, and attributes with values of Foundation and of archives")
  func values() throws {
    let link = try #require(URL(string: "https://example.org/"))
    let shared: [NSAttributedString.Key: Any] = [
      .init("on"): true, .init("date"): NSDate(timeIntervalSinceReferenceDate: 9),
      .init("list"): ["x", ["k": 1]] as [Any], .init("NSFont"): ArchivedFont(name: "Helvetica", size: 12),
    ]
    let (linked, spaced): ([NSAttributedString.Key: Any], [NSAttributedString.Key: Any]) = (
      [.init("NSLink"): link], [.init("kern"): NSNumber(value: 1.5)]
    )
    let text = NSMutableAttributedString(string: "")
    text.append(NSAttributedString(string: "a🎈", attributes: shared.merging(linked) { $1 }))
    text.append(NSAttributedString(string: "b\u{301}", attributes: shared.merging(spaced) { $1 }))
    text.append(NSAttributedString(string: "c", attributes: shared))
    let made = try roundTrip(text)
    #expect(made.string == text.string && made.length == 6)
    let first = attributes(made, at: 2)
    #expect(first[.init("NSLink")] as? URL == link)
    #expect(first[.init("kern")] == nil && first[.init("on")] as? Bool == true)
    #expect(first[.init("date")] as? Date == Date(timeIntervalSinceReferenceDate: 9))
    #expect((first[.init("NSFont")] as? ArchivedFont)?.name == "Helvetica")
    let list = try #require(first[.init("list")] as? [Any])
    #expect(list.first as? String == "x" && (list.last as? [String: Any])?["k"] as? Int == 1)
    let second = attributes(made, at: 3)
    #expect(second[.init("NSLink")] == nil && second[.init("kern")] as? Double == 1.5)
    #expect(attributes(made, at: 5)[.init("kern")] == nil)
  }

  @Test("keep the names and values of each two runs beside each other")
  func neighbors() throws {
    let choices: [String?] = [nil, "x", "y"]
    let sets: [[NSAttributedString.Key: Any]] = choices.flatMap { first in
      choices.map { second in
        var set: [NSAttributedString.Key: Any] = [:]
        set[.init("first")] = first
        set[.init("second")] = second
        return set
      }
    }
    let text = NSMutableAttributedString(string: "")
    for former in sets {
      for next in sets {
        text.append(NSAttributedString(string: "a", attributes: former))
        text.append(NSAttributedString(string: "b", attributes: next))
      }
    }
    let made = try roundTrip(text)
    try #require(made.length == 2 * 81)
    func texts(_ text: NSAttributedString, at index: Int) -> [String: String] {
      Dictionary(
        uniqueKeysWithValues: attributes(text, at: index).map { ($0.key.rawValue, $0.value as? String ?? "none") })
    }
    for index in 0..<made.length { #expect(texts(made, at: index) == texts(text, at: index), "\(index)") }
  }

  @Test("may be empty, without attributes, or mutable")
  func forms() throws {
    #expect(try roundTrip(NSAttributedString(string: "")).length == 0)
    let plain = try ArchivedAttributedString(NSAttributedString(string: "plain"))
    #expect(plain.attributeSets.isEmpty && plain.runs.isEmpty && !plain.isMutable)
    let mutable = try ArchivedAttributedString(NSMutableAttributedString(string: "x"))
    #expect(mutable.isMutable)
    #expect(try NSMutableAttributedString(mutable).string == "x")
    // Swift's text converts by way of the archived one.
    var swift = AttributedString("link")
    swift.link = URL(string: "https://example.org/")
    let converted = try NSAttributedString(ArchivedAttributedString(swift))
    #expect(attributes(converted, at: 0)[.init("NSLink")] as? URL == swift.link)
    #expect(try AttributedString(ArchivedAttributedString(converted)) == swift)
  }

  @Test("have one object for all references")
  func shared() throws {
    let text = NSAttributedString(string: "shared", attributes: [.init("name"): "value"])
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    for key in ["a", "b"] { archiver.encodeFoundationObject(text, forKey: key) }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let first = try #require(unarchiver.decodeObject(of: NSAttributedString.self, forKey: "a"))
    #expect(first.string == "shared")
    #expect(unarchiver.decodeObject(of: NSAttributedString.self, forKey: "b") === first)
  }

  @Test("have the new link once if they were decoded with a link that is a string")
  func replacedLink() throws {
    let attributes = ArchivedDictionary([("NSLink", "https://example.org/old"), ("other", 1)])
    let data = try KeyedArchiver.archivedData(
      withRootObject: ArchivedAttributedString("text", attributes: attributes), requiringSecureCoding: true)
    var text = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: AttributedString.self, from: data))
    text.link = URL(string: "https://example.org/new")
    let archived = try ArchivedAttributedString(text)
    #expect(archived.attributeSets[0].keys.compactMap { $0 as? String }.sorted() == ["NSLink", "other"])
    #expect(archived.attributeSets[0]["NSLink"] as? URL == text.link)
    #expect(try NSAttributedString(archived).string == "text")
  }

  @Test(
    "are refused with runs that do not fit, and are not shortened",
    arguments: [("text", [3]), ("text", [-1, 5]), ("", [-5, 5]), ("", [.min]), ("", [.max]), ("text", [.max, 1])])
  func unfitRuns(text: String, lengths: [Int]) throws {
    let sets = lengths.indices.map { ArchivedDictionary([("name", $0)]) }
    let runs = lengths.enumerated().map { ArchivedAttributedString.Run(length: $1, attributes: $0) }
    let archived = ArchivedAttributedString(text, attributeSets: sets, runs: runs)
    #expect(throws: KeyedArchiveError.self) { try AttributedString(archived) }
    #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: archived, requiringSecureCoding: true)
    }
  }

  @Test("are archived with the same bytes in each run of the program")
  func order() throws {
    let text = NSMutableAttributedString(string: "ab")
    let names = (0..<20).map { "attribute \($0)" }
    for name in names {
      var value: [String: Any] = [:]
      for (index, other) in names.enumerated() { value[other] = index == 0 ? "first" as Any : index }
      text.addAttribute(.init(name), value: value, range: NSRange(location: 0, length: 2))
    }
    let archived = try ArchivedAttributedString(text)
    #expect(archived.attributeSets[0].keys.compactMap { $0 as? String } == names.sorted())
    let nested = try #require(archived.attributeSets[0]["attribute 1"] as? ArchivedDictionary)
    #expect(nested.keys.compactMap { $0 as? String } == names.sorted())
  }

  @Test(
    "are those that Foundation reads from a file of macOS",
    .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
  func apple() throws {
    let file = try #require(
      Corpus.valid.first { $0.name.contains("corelibs-foundation__NSMutableAttributedString.archive__") })
    let data = try file.data()
    let archived = try #require(
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedAttributedString.self, from: data))
    let made = try NSMutableAttributedString(archived)
    let theirs = try #require(
      try NSKeyedUnarchiver.unarchivedObject(
        ofClasses: [NSMutableAttributedString.self, NSArray.self, NSDictionary.self, NSString.self, NSNumber.self],
        from: data) as? NSMutableAttributedString)
    #expect(made.string == theirs.string && made.length > 5)
    for index in 0..<made.length {
      #expect(attributes(made, at: index) as NSDictionary == attributes(theirs, at: index) as NSDictionary, "\(index)")
    }
    // Back again it has the runs of the file.
    let anew = try ArchivedAttributedString(made)
    #expect(anew.runs.map(\.length) == archived.runs.map(\.length) && anew.text == archived.text)
    let theirsAgain = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [NSMutableAttributedString.self, NSArray.self, NSDictionary.self, NSString.self, NSNumber.self],
      from: KeyedArchiver.archivedData(withRootObject: anew, requiringSecureCoding: true))
    #expect(theirsAgain as? NSMutableAttributedString == theirs)
  }

  @Test("with a value that has no archived form are an error with the attribute")
  func notEncodable() throws {
    let text = NSMutableAttributedString(string: "ab")
    text.addAttribute(.init("odd one"), value: [1, Loose()] as [Any], range: NSRange(location: 0, length: 1))
    let error = try #require(#expect(throws: KeyedArchiveError.self) { try ArchivedAttributedString(text) })
    #expect(
      error.code == .notEncodable && error.keyPath == #"["odd one"][1]"# && error.className == "Loose", "\(error)")
  }

  @Test("whose runs or names of attributes are made up are an error")
  func malformed() throws {
    let attributes = ArchivedDictionary([("a", 1)])
    let wrong = [
      ArchivedAttributedString("ab", attributeSets: [attributes], runs: [.init(length: 3, attributes: 0)]),
      ArchivedAttributedString("ab", attributeSets: [attributes], runs: [.init(length: .max, attributes: 0)]),
      ArchivedAttributedString("ab", attributeSets: [attributes], runs: [.init(length: -1, attributes: 0)]),
      ArchivedAttributedString("ab", attributeSets: [attributes], runs: [.init(length: 1, attributes: 7)]),
      ArchivedAttributedString("ab", attributeSets: [attributes], runs: [.init(length: 1, attributes: -1)]),
      ArchivedAttributedString(
        "ab", attributeSets: [attributes], runs: [.init(length: 1, attributes: 0), .init(length: .max, attributes: 0)]),
      ArchivedAttributedString("ab", attributes: ArchivedDictionary([(1, "a")])),
      ArchivedAttributedString(
        "ab", attributes: ArchivedDictionary([("a" + String(repeating: "\u{301}", count: 10_000), 1)])),
    ]
    for archived in wrong {
      let error = #expect(throws: KeyedArchiveError.self) { try NSAttributedString(archived) }
      #expect([.malformedValue, .limitReached].contains(error?.code))
    }
  }

  @Test("keep an archived value that Foundation cannot represent")
  func unrepresentable() throws {
    let archived = ArchivedAttributedString(
      "a", attributes: ArchivedDictionary([("pattern", ArchivedRegularExpression(pattern: "("))]))
    let made = try NSAttributedString(archived)
    #expect((attributes(made, at: 0)[.init("pattern")] as? ArchivedRegularExpression)?.pattern == "(")
  }
}

@Suite("Collections of Foundation with values of any type")
struct FoundationCollectionTests {
  @Test("have an error with the key path and the type of what cannot be archived")
  func paths() throws {
    let cases: [(Any, String)] = [
      (["a": [1, Loose()]] as [String: Any], #"root["a"][1]"#),
      (NSArray(array: [1, NSDictionary(dictionary: ["b": Thread.current])]), #"root[1]["b"]"#),
      (Loose(), "root"),
    ]
    for (value, path) in cases {
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      archiver.encodeFoundationObject(value, forKey: "root")
      let error = try #require(#expect(throws: KeyedArchiveError.self) { try archiver.encodedData })
      #expect(error.code == .notEncodable && error.keyPath == path, "\(error)")
    }
    let error = try Probe.errorOfArchiving { $0.encode(["k": [Loose()]], forKey: "settings") }
    #expect(error.keyPath == #"root.settings["k"][0]"#, "\(error)")
  }

  @Test("are decoded as values of Swift, too")
  func asValues() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    let settings: NSDictionary = [
      "flag": NSNumber(value: true), "one": NSNumber(value: 1), "real": NSNumber(value: 0.5),
      "list": NSMutableArray(array: ["a", NSNull()]),
    ]
    archiver.encodeFoundationObject(settings, forKey: "root")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let made = try #require(try unarchiver.decodeAny(forKey: "root") as? [String: Any])
    #expect(made["flag"] as? Bool == true && made["one"] as? Int == 1 && made["real"] as? Double == 0.5)
    let list = try #require(made["list"] as? [Any])
    #expect(list[0] as? String == "a" && list[1] is ArchiveNull)
  }

  @Test("that nest too deeply are an error")
  func nesting() throws {
    var value: Any = "end"
    for _ in 0..<200_000 { value = [value] }
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encodeFoundationObject(value, forKey: "root")
    let error = try #require(#expect(throws: KeyedArchiveError.self) { try archiver.encodedData })
    #expect(error.code == .limitReached && error.keyPath == "root", "\(error)")
    // Releasing the arrays recursively would take as much stack.
    while let inner = (value as? [Any])?.first { value = inner }
  }
}
