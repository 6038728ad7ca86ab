// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchiving
import Testing

@Suite("A type that wraps a value")
struct WrappedValueTests {
  struct Title: SecureKeyedCoding, Hashable {
    var text: String

    init(_ text: String) { self.text = text }

    func record(in coder: KeyedArchiver) -> RecordedValue { text.record(in: coder) }

    static func decode(_ uid: ArchiveUID, in coder: KeyedUnarchiver) throws -> Title? {
      try String.decode(uid, in: coder).map { Title($0) }
    }

    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) { nil }
  }

  final class Book: SecureKeyedCoding {
    let title: Title
    let subtitles: [Title]

    init(_ title: Title, _ subtitles: [Title]) {
      self.title = title
      self.subtitles = subtitles
    }

    func encode(with coder: KeyedArchiver) {
      coder.encode(title, forKey: "title")
      coder.encode(subtitles, forKey: "subtitles")
    }

    init?(coder: KeyedUnarchiver) throws {
      guard let title = try coder.decodeIfPresent(Title.self, forKey: "title"),
        let subtitles = try coder.decodeIfPresent([Title].self, forKey: "subtitles")
      else { return nil }
      self.title = title
      self.subtitles = subtitles
    }
  }

  /// The same class without wrappers.
  final class PlainBook: SecureKeyedCoding {
    static var archiveClassName: String { Book.archiveClassName }

    func encode(with coder: KeyedArchiver) {
      coder.encode("Frankenstein", forKey: "title")
      coder.encode(["or, the Modern Prometheus", "Frankenstein"], forKey: "subtitles")
    }

    init() {}
    init?(coder: KeyedUnarchiver) { nil }
  }

  private let book = Book(Title("Frankenstein"), [Title("or, the Modern Prometheus"), Title("Frankenstein")])

  @Test("is archived as the value alone, byte for byte", arguments: ArchiveLayout.allCases)
  func archivedAsValue(layout: ArchiveLayout) throws {
    #expect(
      try KeyedArchiver.archivedData(withRootObject: book, requiringSecureCoding: true, layout: layout)
        == KeyedArchiver.archivedData(withRootObject: PlainBook(), requiringSecureCoding: true, layout: layout))
    #expect(
      try KeyedArchiver.archivedData(withRootObject: Title("x"), requiringSecureCoding: true, layout: layout)
        == KeyedArchiver.archivedData(withRootObject: "x", requiringSecureCoding: true, layout: layout))
  }

  @Test("is decoded where it is requested, alone and in collections")
  func decoded() throws {
    let found = try #require(
      try KeyedUnarchiver.unarchivedObject(
        ofClass: Book.self, from: KeyedArchiver.archivedData(withRootObject: book, requiringSecureCoding: true)))
    #expect(found.title == book.title)
    #expect(found.subtitles == book.subtitles)
    let titles: Set = [Title("a"), Title("b")]
    let data = try KeyedArchiver.archivedData(withRootObject: titles, requiringSecureCoding: true)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Set<Title>.self, from: data) == titles)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Set<String>.self, from: data) == ["a", "b"])
  }

  @Test("refuses what the value refuses")
  func refused() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: 7, requiringSecureCoding: true)
    #expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver.unarchivedObject(ofClass: Title.self, from: data) }
  }
}

@Suite("A subclass that adopts secure coding")
struct SecureSubclassTests {
  class Plain: KeyedCoding {
    init() {}
    func encode(with coder: KeyedArchiver) {}
    required init?(coder: KeyedUnarchiver) {}
  }

  final class Careful: Plain, SecureKeyedCoding {}

  struct Declared: KeyedCoding {
    static var supportsSecureCoding: Bool { true }
    func encode(with coder: KeyedArchiver) {}
    init() {}
    init?(coder: KeyedUnarchiver) {}
  }

  final class Careless: SecureKeyedCoding {
    static var supportsSecureCoding: Bool { false }
    init() {}
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) {}
  }

  @Test("is secure, and its superclass is not")
  func subclass() throws {
    #expect(!Plain.supportsSecureCoding)
    #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: Plain(), requiringSecureCoding: true)
    }
    #expect(throws: Never.self) {
      try KeyedArchiver.archivedData(withRootObject: Careful(), requiringSecureCoding: true)
    }
  }

  @Test("what a type says of itself decides")
  func declared() throws {
    #expect(throws: Never.self) {
      try KeyedArchiver.archivedData(withRootObject: Declared(), requiringSecureCoding: true)
    }
    #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: Careless(), requiringSecureCoding: true)
    }
  }
}
