// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
@testable import KeyedArchivingTesting
import PropertyListFormat
import TestSupport
import Testing

@Suite("Damaged copies")
struct DamagedCopiesTests {
  let folder: FixtureFolder

  init() throws { folder = try FixtureFolder() }

  private func failure(_ body: () throws -> Void) throws -> FixtureFailure {
    try #require(throws: FixtureFailure.self, performing: body)
  }

  private func copies(of data: Data) throws -> [DamagedCopy] {
    var copies: [DamagedCopy] = []
    try DamagedCopies(of: data, KeyedArchive(data), without: []).forEach { copies.append($0) }
    return copies
  }

  @Test("a type whose initializer refuses each damage passes, and leaves no files")
  func passes() throws {
    try folder.add([ghost], as: "1.plist")
    var fixtures = folder.fixtures { ArchiveFixtures(of: [Creature].self, in: $0) }
    fixtures.maximumBeginningCount = DamagedCopies.defaultBeginningCount
    try fixtures.checkDamagedCopies(of: "1")
    #expect(try folder.names == ["1.plist"])
    #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.beside.url.path) == ["attempts"])
  }

  @Test("an attempt whose files cannot be written fails with the name of the fixture")
  func unwritableAttempts() throws {
    try folder.add([ghost], as: "1.plist")
    var fixtures = folder.fixtures { ArchiveFixtures(of: [Creature].self, in: $0) }
    fixtures.attemptsFolder = folder.beside.url.appending(path: "file")
    try Data().write(to: fixtures.attemptsFolder)
    let failure = try failure { try fixtures.checkDamagedCopies(of: "1") }
    #expect(failure.kinds == [.unreadable] && failure.problems.map(\.fixture) == ["1.plist"])
  }

  @Test("each length of a file, each class and each key have copies")
  func allCopies() throws {
    let data = try KeyedArchiveEncoder().encode([ghost])
    let copies = try copies(of: data)
    #expect(copies.prefix(data.count).map(\.data) == (0..<data.count).map { data.prefix($0) })
    #expect(
      copies.dropFirst(data.count).map(\.description) == [
        "without root", "root is nil", "an unknown class in place of NSArray",
        "an unknown class in place of Zoo.Creature",
        "without Zoo.Creature.title", "Zoo.Creature.title is nil", "Zoo.Creature.title is a number",
        "Zoo.Creature.title is data", "Zoo.Creature.title is an object of an unknown class",
        "Zoo.Creature.title is an inline number", "Zoo.Creature.title is inline data",
        "Zoo.Creature.title is an inline array",
        "without Zoo.Creature.rating", "Zoo.Creature.rating is nil", "Zoo.Creature.rating is a string",
        "Zoo.Creature.rating is data", "Zoo.Creature.rating is an object of an unknown class",
        "Zoo.Creature.rating is inline data", "Zoo.Creature.rating is an inline array",
        "the first element of root is nil", "the first element of root is a string",
        "the first element of root is a number", "the first element of root is an object of an unknown class",
      ])
  }

  /// A type with collections, some of them empty in the first of two objects.
  private struct Zoo: KeyedCodable {
    static var archiveClassName: String { "Zoo.Zoo" }

    var names: [String]
    var ages: [String: Int]
    var tags: Set<String>
    var rows: [[Int]] = []
  }

  private let zoos = [
    Zoo(names: [], ages: [:], tags: ["x"]), Zoo(names: ["a", "b"], ages: ["a": 1, "b": 2], tags: ["y"]),
  ]

  @Test("the first collection with elements under each key has damaged contents")
  func collections() throws {
    let copies = try copies(of: KeyedArchiveEncoder().encode(zoos)).filter {
      $0.description.hasPrefix("the first ") && $0.description.contains("Zoo.Zoo") || $0.description.contains("fewer")
    }
    #expect(
      Set(copies.map(\.description)) == [
        "the first element of Zoo.Zoo.tags is nil", "the first element of Zoo.Zoo.tags is a number",
        "the first element of Zoo.Zoo.tags is an object of an unknown class",
        "the first element of Zoo.Zoo.names is nil", "the first element of Zoo.Zoo.names is a number",
        "the first element of Zoo.Zoo.names is an object of an unknown class",
        "the first value of Zoo.Zoo.ages is nil", "the first value of Zoo.Zoo.ages is a string",
        "the first value of Zoo.Zoo.ages is an object of an unknown class",
        "Zoo.Zoo.ages has fewer values than keys",
      ])
    #expect(copies.count == 10)
    func zoo(_ description: String, _ index: Int = 1) throws -> KeyedArchive.Node {
      try KeyedArchive(#require(copies.first { $0.description == description }).data).root[index]
    }
    #expect(try zoo("the first element of Zoo.Zoo.names is nil")["names"][0].kind == .null)
    #expect(try zoo("the first element of Zoo.Zoo.names is nil")["names"][1].string == "b")
    #expect(try zoo("the first element of Zoo.Zoo.names is a number")["names"][0].number == .integer(1_234_567))
    #expect(try zoo("the first element of Zoo.Zoo.tags is nil", 0)["tags"]["NS.objects"][0].kind == .null)
    #expect(try zoo("Zoo.Zoo.ages has fewer values than keys")["ages"]["NS.objects"][1].exists == false)
    #expect(try zoo("Zoo.Zoo.ages has fewer values than keys")["ages"]["NS.keys"][1].exists)
    #expect(copies.allSatisfy { $0.absentKey == nil })
  }

  @Test("Foundation's coders refuse damaged elements, too, except nil, which they leave out")
  func collectionsOfFoundation() throws {
    let names = try copies(of: KeyedArchiveEncoder().encode(["a", "b"])).filter {
      $0.description.hasPrefix("the first e")
    }
    #expect(names.count == 3)
    for copy in names {
      let read = try? NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, NSString.self], from: copy.data)
      #expect(read as? [String] == (copy.description.hasSuffix(" nil") ? ["b"] : nil), "\(copy.description)")
    }
  }

  @Test("a type whose initializer refuses each damaged element passes")
  func refusedContents() throws {
    try folder.add(zoos, as: "1.plist")
    try folder.fixtures { ArchiveFixtures(of: [Zoo].self, in: $0) }.checkDamagedCopies(of: "1")
  }

  @Test("a type that skips elements fails with each that it accepted, unless they are tolerated")
  func carelessContents() throws {
    struct CarelessZoo: KeyedCodable {
      static var archiveClassName: String { "Zoo.Zoo" }
      var names: [String?]
      var ages: [String: Int]
      var tags: Set<String>
      var rows: [[Int]]
    }
    try folder.add(zoos, as: "1.plist")
    let fixtures = folder.fixtures { ArchiveFixtures(of: [CarelessZoo].self, in: $0) }
    let failure = try failure { try fixtures.checkDamagedCopies(of: "1") }
    #expect(failure.kinds == [.acceptedDamage])
    #expect(failure.description.contains("error:\n  the first element of Zoo.Zoo.names is nil\nRefuse"))
    try fixtures.checkDamagedCopies(of: "1", tolerating: ["the first element of Zoo.Zoo.names is nil"])
  }

  @Test("the copies have the damage that their descriptions state")
  func contents() throws {
    let data = try KeyedArchiveEncoder().encode([ghost])
    let copies = Dictionary(grouping: try copies(of: data), by: \.description)
    func copy(_ description: String) throws -> KeyedArchive {
      try KeyedArchive(#require(copies[description]?.first).data)
    }
    #expect(try copy("without root").topKeys == [])
    #expect(try copy("root is nil").root.kind == .null)
    #expect(try copy("without Zoo.Creature.title").root[0].keys == ["rating"])
    #expect(try copy("Zoo.Creature.title is nil").root[0]["title"].kind == .null)
    #expect(try copy("Zoo.Creature.title is a number").root[0]["title"].kind == .primitive(.integer))
    #expect(try copy("Zoo.Creature.rating is a string").root[0]["rating"].string == "damaged")
    #expect(try copy("Zoo.Creature.rating is inline data").root[0]["rating"].kind == .primitive(.data))
    #expect(try copy("Zoo.Creature.title is an inline array").root[0]["title"].kind == .array)
    let unknown = "KeyedArchivingTesting.UnknownClass"
    #expect(try copy("an unknown class in place of Zoo.Creature").root[0].className == unknown)
    #expect(try copy("Zoo.Creature.title is an object of an unknown class").root[0]["title"].className == unknown)
  }

  @Test(
    "a long file has at most 2,048 beginnings, with those of its start and of its end",
    arguments: [2049, 5000, 10_000_000])
  func longFiles(_ count: Int) {
    let lengths = DamagedCopies.beginnings(of: count)
    #expect(lengths.count <= 2048 && lengths.count > 1024)
    #expect(Array(lengths.prefix(512)) == Array(0..<512))
    #expect(Array(lengths.suffix(512)) == Array(count - 512..<count))
    #expect(lengths == Array(Set(lengths)).sorted())
  }

  @Test("keys of Foundation's classes, and keys that decoding does not read, are left as they are")
  func otherKeys() throws {
    try folder.add(MoodyCreature(title: "Ghost", rating: 5, mood: "calm"), as: "1.plist")
    try folder.fixtures { ArchiveFixtures(of: Creature.self, in: $0) }.checkDamagedCopies(of: "1")
  }

  @Test("a top-level key that begins with a dollar sign and is not read is left as it is")
  func dollarKey() throws {
    var archive = try KeyedArchive(KeyedArchiveEncoder().encode(ghost))
    try archive.setTopValue(.integer(1), forKey: "$$extra")
    try archive.data().write(to: folder.scratch.url.appending(path: "1.plist"))
    try folder.fixtures { ArchiveFixtures(of: Creature.self, in: $0) }.checkDamagedCopies(of: "1")
  }

  /// An animal whose note is only read, and without care, if it is a cat. Each animal archives one.
  private struct NotedAnimal: KeyedCodable {
    static var archiveClassName: String { "Zoo.NotedAnimal" }
    var isCat: Bool
    var note = "calm"

    init(isCat: Bool) { self.isCat = isCat }

    func encode(with coder: KeyedArchiver) throws {
      coder.encode(isCat, forKey: "isCat")
      coder.encode(note, forKey: "note")
    }

    init(coder: KeyedUnarchiver) throws {
      isCat = try coder.decode(Bool.self, forKey: "isCat")
      if isCat { note = (try? coder.decode(String.self, forKey: "note")) ?? "" }
    }
  }

  @Test("a key is damaged in an object in which decoding reads it, also if it does not read it in another of the class")
  func keyOfSomeObjects() throws {
    try folder.add([NotedAnimal(isCat: false), NotedAnimal(isCat: true)], as: "1.plist")
    let fixtures = folder.fixtures { ArchiveFixtures(of: [NotedAnimal].self, in: $0) }
    let failure = try failure { try fixtures.checkDamagedCopies(of: "1") }
    #expect(failure.kinds == [.acceptedDamage])
    #expect(failure.description.contains("\n  without Zoo.NotedAnimal.note\n  Zoo.NotedAnimal.note is nil\n"))
    #expect(failure.description.contains("\n  Zoo.NotedAnimal.note is a number\n"))
    #expect(!failure.description.contains("isCat"))
  }

  @Test("a type that ignores errors fails with each damage that it accepted")
  func carelessType() throws {
    try folder.add(ghost, as: "1.plist")
    let fixtures = folder.fixtures { ArchiveFixtures(of: CarelessCreature.self, in: $0) }
    let failure = try failure { try fixtures.checkDamagedCopies(of: "1", optionalKeys: ["rating"]) }
    #expect(failure.kinds == [.acceptedDamage])
    #expect(failure.description.contains("\n  Zoo.Creature.rating is a string\n  Zoo.Creature.rating is data\n"))
    #expect(!failure.description.contains("Zoo.Creature.title"))
    #expect(!failure.description.contains("  without "))
    try fixtures.checkDamagedCopies(
      of: "1", optionalKeys: ["rating"],
      tolerating: [
        "Zoo.Creature.rating is a string", "Zoo.Creature.rating is data", "Zoo.Creature.rating is inline data",
        "Zoo.Creature.rating is an inline array", "Zoo.Creature.rating is an object of an unknown class",
      ])
  }

  @Test("a key that decodes to zero if it is absent fails unless it is optional")
  func absentKey() throws {
    try folder.add(ghost, as: "1.plist")
    let fixtures = folder.fixtures { ArchiveFixtures(of: MisspeltCreature.self, in: $0) }
    // `rating` is not read, and not changed. `Rating` is absent in the fixture.
    try fixtures.checkDamagedCopies(of: "1")
    let moody = folder.fixtures { ArchiveFixtures(of: MoodyCreature.self, in: $0) }
    try folder.add(MoodyCreature(title: "Ghost", rating: 5, mood: "calm"), as: "2.plist")
    let failure = try failure { try moody.checkDamagedCopies(of: "2") }
    #expect(failure.kinds == [.acceptedDamage])
    #expect(failure.description.contains("error:\n  without Zoo.Creature.mood\n  Zoo.Creature.mood is nil\nRefuse"))
    try moody.checkDamagedCopies(of: "2", optionalKeys: ["mood"])
  }

  /// A pack whose members may lack their rating. Its own rating must be present.
  private func packs() throws -> ArchiveFixtures<RatedPack> {
    let pack = RatedPack(rating: 1, members: [PackMember(title: "Ghost", rating: 5)])
    try folder.add(pack, as: "1.plist")
    return folder.fixtures { ArchiveFixtures(of: RatedPack.self, in: $0) }
  }

  @Test("an optional key that several classes have must be named with its class")
  func qualifiedKeys() throws {
    let fixtures = try packs()
    let failure = try failure { try fixtures.checkDamagedCopies(of: "1", optionalKeys: ["rating"]) }
    #expect(failure.kinds == [.ambiguousKey])
    #expect(failure.description.hasSuffix("\n  Zoo.Member.rating\n  Zoo.Pack.rating"))
    try fixtures.checkDamagedCopies(of: "1", optionalKeys: ["Zoo.Member.rating"])
  }

  @Test("an optional key of one class does not hide that another class accepts its absence")
  func narrowKeys() throws {
    let fixtures = try packs()
    let failure = try failure { try fixtures.checkDamagedCopies(of: "1", optionalKeys: ["Zoo.Pack.rating"]) }
    #expect(failure.kinds == [.acceptedDamage, .unusedException])
    #expect(failure.description.contains("\n  without Zoo.Member.rating\n  Zoo.Member.rating is nil\n"))
    #expect(failure.description.hasSuffix("\n  Zoo.Pack.rating"))
  }

  @Test("a top-level key is named with $top")
  func topLevelKeys() throws {
    try folder.add(ghost, as: "1.plist")
    let fixtures = folder.fixtures {
      ArchiveFixtures(
        of: [Creature].self, in: $0,
        decodingWith: { coder in coder.decodeObject(of: Creature.self, forKey: "root").map { [$0] } ?? [] },
        encodingWith: { try KeyedArchiveEncoder().encode($0) })
    }
    try fixtures.checkDamagedCopies(of: "1", optionalKeys: ["$top.root"])
    try fixtures.checkDamagedCopies(of: "1", optionalKeys: ["root"])
  }

  @Test("an exception that does not occur fails")
  func unusedExceptions() throws {
    try folder.add(ghost, as: "1.plist")
    let fixtures = folder.fixtures { ArchiveFixtures(of: Creature.self, in: $0) }
    let failure = try failure {
      try fixtures.checkDamagedCopies(of: "1", optionalKeys: ["title", "mood"], tolerating: ["nonsense"])
    }
    #expect(failure.kinds == [.unusedException])
    #expect(failure.description.hasSuffix("tolerating:\n  mood\n  title\n  nonsense"))
  }

  @Test("an archive in XML without its last line end is not damaged")
  func xml() throws {
    var encoder = KeyedArchiveEncoder()
    encoder.outputFormat = .xml
    try encoder.encode(ghost).write(to: folder.scratch.url.appending(path: "1.plist"))
    let fixtures = folder.fixtures { ArchiveFixtures(of: Creature.self, in: $0, encoder: encoder) }
    try fixtures.checkDamagedCopies(of: "1")
  }

  @Test("a fixture that is missing, or does not decode undamaged, fails")
  func badFixtures() throws {
    let fixtures = folder.fixtures { ArchiveFixtures(of: Creature.self, in: $0) }
    let missing = try failure { try fixtures.checkDamagedCopies(of: "1") }
    #expect(missing.kinds == [.missing])
    #expect(missing.description.contains("To make it, run a test that has its value with RECORD_ARCHIVES=1"))
    _ = try folder.folder("2.plist")
    #expect(try failure { try fixtures.checkDamagedCopies(of: "2") }.kinds == [.unreadable])
    try folder.add("no archive", as: "1.plist")
    #expect(try failure { try fixtures.checkDamagedCopies(of: "1") }.kinds == [.undecodable])
  }

  /// Returns what the process of an exit test writes.
  private func check(_ result: ExitTest.Result) throws {
    try FixtureFailure.check(standardError: result.standardErrorContent)
  }

  @Test("an exit test passes if each damaged copy was refused")
  func passingExitTest() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = try FixtureFolder()
      try folder.add(ghost, as: "1.plist")
      folder.fixtures { ArchiveFixtures(of: Creature.self, in: $0) }.checkDamagedCopiesAndExit(of: "1")
    }
    try check(result)
  }

  @Test("an exit test passes, too, if the process writes text without a line feed at the end")
  func passingExitTestWithText() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = try FixtureFolder()
      try folder.add(ghost, as: "1.plist")
      // The text of a decoder's last call.
      try FileHandle.standardError.write(contentsOf: Data("no line feed".utf8))
      folder.fixtures { ArchiveFixtures(of: Creature.self, in: $0) }.checkDamagedCopiesAndExit(of: "1")
    }
    try check(result)
  }

  @Test("an exit test whose check fails has the text of the failure")
  func failingExitTest() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = try FixtureFolder()
      try folder.add(ghost, as: "1.plist")
      folder.fixtures { ArchiveFixtures(of: CarelessCreature.self, in: $0) }.checkDamagedCopiesAndExit(of: "1")
    }
    let failure = try failure { try check(result) }
    #expect(failure.kinds == [.exitTest])
    #expect(failure.description.contains("1.plist: damaged copies were decoded without an error:\n"))
    #expect(failure.description.contains("  Zoo.Creature.rating is a string\n"))
  }

  @Test("an exit test that traps has the message of the trap and the folder of the damaged copy")
  func trappingExitTest() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = try FixtureFolder()
      try folder.add(ghost, as: "1.plist")
      folder.fixtures { ArchiveFixtures(of: TrappingCreature.self, in: $0) }.checkDamagedCopiesAndExit(of: "1")
    }
    let failure = try failure { try check(result) }
    #expect(failure.kinds == [.exitTest])
    #expect(failure.description.contains("a creature without a title"))
    let path = try #require(failure.description.firstMatch(of: /if the process ends, (.*) says why/)).output.1
    let file = URL(filePath: String(path))
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    #expect(try String(contentsOf: file, encoding: .utf8) == "without Zoo.Creature.title\n")
  }

  @Test("an exit test that wrote nothing fails")
  func silentExitTest() throws {
    #expect(try failure { try FixtureFailure.check(standardError: []) }.kinds == [.exitTest])
  }

  @Test("an exit test that wrote many lines shows the message of a trap, and the line with the folder")
  func chattyExitTest() throws {
    let lines =
      ["decoding damaged copies of a; if the process ends, /folder says why"]
      + (0..<2000).map { "warning \($0)" } + ["Creature.swift:7: Fatal error: found nil"]
      + (0..<500).map { "frame \($0)" }
    let failure = try failure {
      try FixtureFailure.check(standardError: Data(lines.joined(separator: "\n").utf8))
    }
    for part in ["/folder says why", "Fatal error: found nil", "frame 499"] {
      #expect(failure.description.contains(part), "\(part)")
    }
    #expect(failure.description.split(separator: "\n").count < 50)
  }

  @Test("a trap leaves the damage and the damaged copy in files that standard error names")
  func trap() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = try FixtureFolder()
      try folder.add(ghost, as: "1.plist")
      try folder.fixtures { ArchiveFixtures(of: TrappingCreature.self, in: $0) }.checkDamagedCopies(of: "1")
    }
    let errors = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(errors.contains("a creature without a title"))
    let line = try #require(
      errors.firstMatch(of: /decoding damaged copies of 1.plist; if the process ends, (.*) says why/))
    let file = URL(filePath: String(line.output.1))
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    #expect(try String(contentsOf: file, encoding: .utf8) == "without Zoo.Creature.title\n")
    let copy = file.deletingLastPathComponent().appending(path: "copy.plist")
    #expect(try KeyedArchive(contentsOf: copy).root.keys == ["rating"])
  }
}
