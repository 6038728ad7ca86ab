// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
@testable import KeyedArchivingTesting
import PropertyListFormat
import TestSupport
import Testing

@Suite("ArchiveFixtures")
struct ArchiveFixturesTests {
  let folder: FixtureFolder

  init() throws { folder = try FixtureFolder() }

  private func creatures(_ environment: [String: String] = [:]) -> ArchiveFixtures<Creature> {
    folder.fixtures({ ArchiveFixtures(of: Creature.self, in: $0) }, environment: environment)
  }

  private func failure(_ body: () throws -> Void) throws -> FixtureFailure {
    try #require(throws: FixtureFailure.self, performing: body)
  }

  /// The command that records what is missing in one of these tests.
  private func command(_ function: String) -> String {
    #"RECORD_ARCHIVES=1 swift test --filter '^KeyedArchivingTestingTests\.ArchiveFixturesTests/"# + function
      + #"\(\)(/|$)'"#
  }

  // MARK: Recording

  @Test("a recording makes a missing fixture and its text, which then pass")
  func records() throws {
    let failure = try failure { try creatures(recording).check("1", archiving: ghost) }
    #expect(failure.kinds == [.recorded, .recorded])
    #expect(failure.problems.map(\.fixture) == ["1.plist", "1.txt"])
    let path = folder.scratch.url.appending(path: "1.plist").path
    #expect(
      failure.description.hasPrefix(
        "1.plist: recorded. Review and commit \(path), and run the test without RECORD_ARCHIVES\n1.txt: recorded."))
    #expect(try folder.names == ["1.plist", "1.txt"])
    #expect(try folder.data("1.plist") == KeyedArchiveEncoder().encode(ghost))
    #expect(try folder.text("1.txt") == ghostText)
    #expect(try creatures().check("1", archiving: ghost) == ghost)
    #expect(try creatures().check("1", fidelity: .sameBytes) == ghost)
    // Where nothing is to be recorded, the variable changes nothing.
    #expect(try creatures(recording).check("1", archiving: ghost) == ghost)
  }

  @Test("without a recording, a missing fixture fails with the command that makes it")
  func missingFixture() throws {
    let failure = try failure { try creatures().check("1", archiving: ghost) }
    #expect(failure.kinds == [.missing])
    #expect(failure.description.contains("To make it, run: " + command("missingFixture")))
    #expect(try folder.names == [])
  }

  @Test("without a recording, a missing text fails with the command that makes it")
  func missingText() throws {
    try folder.add(ghost, as: "1.plist")
    let failure = try failure { try creatures().check("1") }
    #expect(failure.kinds == [.noText])
    #expect(failure.description.contains("To make it, run: " + command("missingText")))
  }

  @Test("the command names the running test, not the helper that calls the check")
  func commandInHelper() throws {
    func helper() throws { try creatures().check("1", archiving: ghost) }
    #expect(try failure(helper).description.contains(#"/commandInHelper\(\)(/|$)'"#))
  }

  @Test("the command matches one test, and no other whose name begins, ends or contains the same")
  func exactCommand() throws {
    let id = "AppTests.Suite/`reads (every) it's version`(_:)/Suite.swift:7:4"
    let filter = CallSite.filter(testID: id)
    #expect(!filter.contains("'"))
    let expression = try Regex(filter)
    #expect(id.firstMatch(of: expression) != nil)
    #expect("AppTests.Suite/`reads (every) it's version`(_:)".firstMatch(of: expression) != nil)
    for other in [
      "AppTests.Suite2/`reads (every) it's version`(_:)/A.swift:1:1",
      "MoreAppTests.Suite/`reads (every) it's version`(_:)",
      "AppTests.Suite/`reads (every) it's version`(_:other:)",
      "AppTests_Suite/`reads (every) it's version`(_:)",
    ] { #expect(other.firstMatch(of: expression) == nil) }
  }

  @Test("the command of a check in a detached task matches the test, too")
  func detachedCommand() async throws {
    let command = await Task.detached { CallSite(fileID: "AppTests/A.swift", function: "reads(_:)").recordingCommand }
      .value
    let filter = try #require(command.split(separator: "'").last)
    let expression = try Regex(String(filter))
    for test in ["AppTests.Suite/reads(_:)", "AppTests.Suite/reads(_:)/A.swift:7:4", "AppTests.ReadTests/reads"] {
      #expect(test.firstMatch(of: expression) != nil)
    }
    for other in ["AppTests.Suite/readsAll(_:)", "MoreAppTests.Suite/reads(_:)"] {
      #expect(other.firstMatch(of: expression) == nil)
    }
  }

  @Test("with listed differences, the value is not archived if the fixture exists")
  func unusedSample() throws {
    /// A value that cannot be archived any more if it has no title.
    struct UntitledCreature: KeyedCodable {
      static var archiveClassName: String { "Zoo.Creature" }
      var title: String
      var rating: Float

      enum CodingKeys: CodingKey { case title, rating }

      init(title: String) { (self.title, rating) = (title, 0) }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        guard !title.isEmpty else { throw CocoaError(.coderInvalidValue) }
        try container.encode(title, forKey: .title)
        try container.encode(rating, forKey: .rating)
      }
    }
    try folder.add(ghost, as: "1.plist")
    let make = { ArchiveFixtures(of: UntitledCreature.self, in: $0) }
    try record { try folder.fixtures(make, environment: recording).check("1", fidelity: .listedDifferences) }
    let fixtures = folder.fixtures(make)
    let sample = UntitledCreature(title: "")
    #expect(throws: Never.self) { try fixtures.check("1", archiving: sample, fidelity: .listedDifferences) }
    #expect(try failure { try fixtures.check("1", archiving: sample) }.kinds.contains(.notArchivable))
  }

  @Test("a recording never overwrites a fixture")
  func keepsFixtures() throws {
    try folder.add(ghost, as: "1.plist")
    let yeti = Creature(title: "Yeti", rating: 3)
    let failure = try failure { try creatures(recording).check("1", archiving: yeti) }
    #expect(failure.kinds == [.changedFormat, .recorded])
    #expect(failure.problems.last?.fixture == "1.txt")
    #expect(try folder.data("1.plist") == KeyedArchiveEncoder().encode(ghost))
  }

  @Test("a recording overwrites a text that is out of date, and fails with the lines that changed")
  func renewsTexts() throws {
    try folder.add(ghost, as: "1.plist")
    try folder.add(ghostText.replacingOccurrences(of: "5.0", with: "4.0"), as: "1.txt")
    let failure = try failure { try creatures(recording).check("1") }
    #expect(failure.kinds == [.recorded])
    #expect(
      failure.description.contains(
        "1.txt: recorded, with these changes:\n  -   rating: 4.0 (float)\n  +   rating: 5.0 (float)\nReview"))
    #expect(try folder.text("1.txt") == ghostText)
    try creatures().check("1")
  }

  @Test("fixtures cannot have the extension of texts, which a recording would write over them")
  func textExtension() throws {
    try folder.add(ghost, as: "1.txt")
    var fixtures = creatures(recording)
    fixtures.fileExtension = "txt"
    #expect(try failure { try fixtures.check("1") }.kinds == [.unexpectedFile])
    #expect(try folder.data("1.txt") == KeyedArchiveEncoder().encode(ghost))
  }

  @Test("a recording is refused in continuous integration, and writes nothing")
  func refusesRecordingInCI() throws {
    let environment = recording.merging(["CI": "true"]) { $1 }
    #expect(try failure { try creatures(environment).check("1", archiving: ghost) }.kinds == [.refusedRecording])
    #expect(
      try failure { try creatures(environment).checkVersions(current: "1", value: ghost) }.kinds == [
        .refusedRecording
      ])
    #expect(try folder.names == [])
  }

  @Test("the variables count as unset if they are empty, 0 or false", arguments: ["", "0", "false", "NO"])
  func unsetVariables(_ value: String) throws {
    #expect(try failure { try creatures(["RECORD_ARCHIVES": value]).check("1", archiving: ghost) }.kinds == [.missing])
    try record { try creatures(["RECORD_ARCHIVES": "1", "CI": value]).check("1", archiving: ghost) }
  }

  // MARK: One fixture

  @Test("a fixture that does not exist fails")
  func absentFixture() throws {
    #expect(try failure { try creatures(recording).check("1") }.kinds == [.missing])
  }

  @Test("a file that is not an archive fails")
  func notAnArchive() throws {
    try folder.add("no archive", as: "1.plist")
    #expect(try failure { try creatures(recording).check("1") }.kinds == [.undecodable])
  }

  @Test("a fixture of another type fails")
  func anotherType() throws {
    try folder.add(ghost, as: "1.plist")
    let fixtures = folder.fixtures { ArchiveFixtures(of: [Creature].self, in: $0) }
    let failure = try failure { try fixtures.check("1") }
    #expect(failure.kinds == [.undecodable])
    #expect(failure.description.contains("'Zoo.Creature' is not allowed"))
  }

  @Test("another value than that of the text fails with the lines that changed")
  func anotherValue() throws {
    try record { try creatures(recording).check("1", archiving: ghost) }
    let fixtures = folder.fixtures { ArchiveFixtures(of: InflatedCreature.self, in: $0) }
    let failure = try failure { try fixtures.check("1") }
    #expect(failure.kinds == [.differences, .text])
    #expect(failure.description.contains("  ~ root.rating: 5.0 (float) → 10.0 (float)\n"))
    #expect(failure.description.contains("  -   rating: 5.0 (float)\n  +   rating: 10.0 (float)\n"))
  }

  @Test("a key that decoding does not read fails, with the key that it requested")
  func misspeltKey() throws {
    try folder.add(ghost, as: "1.plist")
    let fixtures = folder.fixtures({ ArchiveFixtures(of: MisspeltCreature.self, in: $0) }, environment: recording)
    let failure = try failure { try fixtures.check("1") }
    #expect(failure.kinds == [.unreadKeys, .differences, .recorded])
    #expect(failure.description.contains("did not read these keys:\n  root.rating (Zoo.Creature)\n"))
    #expect(failure.description.contains("which are absent:\n  root.Rating (Zoo.Creature)\n"))
  }

  @Test("a key that is not archived again fails")
  func forgottenKey() throws {
    try folder.add(ghost, as: "1.plist")
    let fixtures = folder.fixtures({ ArchiveFixtures(of: ForgetfulCreature.self, in: $0) }, environment: recording)
    let failure = try failure { try fixtures.check("1") }
    #expect(failure.kinds == [.differences, .recorded])
    #expect(failure.description.contains("  - root.rating: 5.0 (float)\n"))
  }

  @Test("other bytes fail only where the same bytes are promised")
  func otherBytes() throws {
    var encoder = KeyedArchiveEncoder()
    encoder.layout = .compact
    let pair = [ghost, ghost, ghost]
    try encoder.encode(pair).write(to: folder.scratch.url.appending(path: "1.plist"))
    func fixtures(_ environment: [String: String] = [:]) -> ArchiveFixtures<[Creature]> {
      folder.fixtures({ ArchiveFixtures(of: [Creature].self, in: $0) }, environment: environment)
    }
    try record { try fixtures(recording).check("1") }
    let failure = try failure { try fixtures().check("1", archiving: pair, fidelity: .sameBytes) }
    #expect(failure.kinds == [.changedFormat, .bytes])
    try fixtures().check("1", archiving: pair)
  }

  @Test("the text of a caller's function is compared in place of the tree")
  func ownText() throws {
    try folder.add(ghost, as: "1.plist")
    var fixtures = creatures(recording)
    fixtures.describe = { "\($0.title), rated \($0.rating)" }
    try record { try fixtures.check("1") }
    #expect(try folder.text("1.txt") == "Ghost, rated 5.0\n")
    fixtures.recording.environment = [:]
    fixtures.describe = { "\($0.title), rated \($0.rating + 1)" }
    #expect(try failure { try fixtures.check("1") }.kinds == [.text])
  }

  @Test("a caller's function shows what decoding and archiving exchange alike")
  func exchangedValues() throws {
    let swapped = ExchangingCreature(title: "Ghost", name: "Casper")
    try KeyedArchiveEncoder().encode(swapped).write(to: folder.scratch.url.appending(path: "1.plist"))
    var fixtures = folder.fixtures({ ArchiveFixtures(of: ExchangingCreature.self, in: $0) }, environment: recording)
    fixtures.describe = { "title \($0.title)" }
    try record { try fixtures.check("1") }
    #expect(try folder.text("1.txt") == "title Ghost\n")
  }

  @Test("a text may have the line ends of any system")
  func lineEnds() throws {
    try folder.add(ghost, as: "1.plist")
    // Some editors also add a mark.
    for mark in ["", "\u{FEFF}"] {
      try folder.add(mark + ghostText.replacingOccurrences(of: "\n", with: "\r\n") + "\r\n", as: "1.txt")
      try creatures().check("1")
    }
  }

  @Test("a decoder's and an encoder's options are used")
  func options() throws {
    var decoder = KeyedArchiveDecoder()
    var encoder = KeyedArchiveEncoder()
    (decoder.rootKey, encoder.rootKey) = ("Data", "Data")
    encoder.outputFormat = .xml
    let fixtures = folder.fixtures(
      { ArchiveFixtures(of: Creature.self, in: $0, decoder: decoder, encoder: encoder) }, environment: recording)
    try record { try fixtures.check("1", archiving: ghost, fidelity: .sameBytes) }
    #expect(try folder.text("1.plist").hasPrefix("<?xml"))
    #expect(try folder.text("1.txt").hasPrefix("Data: Zoo.Creature #1\n"))
  }

  @Test("another extension can be set, or none", arguments: ["archive", ""])
  func fileExtension(_ name: String) throws {
    var fixtures = creatures(recording)
    fixtures.fileExtension = name
    try record { try fixtures.checkVersions(current: "1", value: ghost) }
    #expect(try folder.names == [name.isEmpty ? "1" : "1.archive", "1.txt"])
    try folder.add("no archive", as: name.isEmpty ? "0" : "0.archive")
    #expect(try failure { try fixtures.checkVersions(current: "1", value: ghost) }.kinds == [.undecodable])
  }

  @Test("a relative folder begins at the test's file")
  func relativeFolder() {
    let fixtures = ArchiveFixtures(of: Creature.self, in: "Fixtures/Creatures", filePath: "/Zoo/Tests/ZooTests.swift")
    #expect(fixtures.folder.path == "/Zoo/Tests/Fixtures/Creatures")
  }

  // MARK: Versions

  /// Records a fixture of a version without the mood.
  private func addFormerVersion() throws {
    try folder.add(ghost, as: "1.plist")
  }

  private func moody(_ environment: [String: String] = [:]) -> ArchiveFixtures<MoodyCreature> {
    folder.fixtures({ ArchiveFixtures(of: MoodyCreature.self, in: $0) }, environment: environment)
  }

  private let moodyGhost = MoodyCreature(title: "Ghost", rating: 5, mood: "calm")

  @Test("each former version decodes with today's type")
  func versions() throws {
    try addFormerVersion()
    try record { try moody(recording).checkVersions(current: "2", value: moodyGhost) }
    #expect(try folder.names == ["1.plist", "1.txt", "2.plist", "2.txt"])
    try moody().checkVersions(current: "2", value: moodyGhost)
  }

  @Test("the current version's fixture must exist")
  func missingVersion() throws {
    try addFormerVersion()
    try record { try moody(recording).check("1", fidelity: .listedDifferences) }
    let failure = try failure { try moody().checkVersions(current: "2", value: moodyGhost) }
    #expect(failure.kinds == [.missing])
    #expect(failure.problems.first?.fixture == "2.plist")
    #expect(failure.description.contains(command("missingVersion")))
  }

  @Test("a changed layout under the name of the current version fails with the difference")
  func changedLayout() throws {
    try addFormerVersion()
    try record { try creatures(recording).check("1") }
    let failure = try failure { try moody().checkVersions(current: "1", value: moodyGhost) }
    #expect(failure.kinds == [.changedFormat])
    #expect(failure.description.contains("  + root.mood: \"calm\""))
    #expect(failure.description.contains("pass another name for the current version"))
  }

  @Test("the text of a former version lists what is not read and what changes; anything else fails")
  func listedDifferences() throws {
    try folder.add(MoodyCreature(title: "Ghost", rating: 5, mood: "calm"), as: "old/1.plist")
    try record { try creatures(recording).checkVersions(current: "2", value: ghost) }
    #expect(
      try folder.text("old/1.txt") == ghostText + """

        Not read:
          root.mood (Zoo.Creature)

        Differences when archived again:
          - root.mood: "calm"

        """)
    try creatures().checkVersions(current: "2", value: ghost)
    // With another difference than the listed one.
    try folder.add(MoodyCreature(title: "Ghost", rating: 5, mood: "wild"), as: "old/1.plist")
    let failure = try failure { try creatures().checkVersions(current: "2", value: ghost) }
    #expect(failure.kinds == [.text])
    #expect(failure.description.contains("  -   - root.mood: \"calm\"\n  +   - root.mood: \"wild\"\n"))
    // What is listed must also occur.
    try folder.add(ghost, as: "old/1.plist")
    let unneeded = try self.failure { try creatures().checkVersions(current: "2", value: ghost) }
    #expect(unneeded.kinds == [.text])
    #expect(unneeded.description.contains("  - Not read:\n  -   root.mood (Zoo.Creature)\n"))
  }

  @Test("a failure has the problems of all versions")
  func allProblems() throws {
    try folder.add(ghost, as: "1.plist")
    try folder.add("no archive", as: "2.plist")
    let failure = try failure { try creatures().checkVersions(current: "3", value: ghost) }
    #expect(failure.kinds == [.missing, .noText, .undecodable])
    #expect(failure.problems.map(\.fixture) == ["3.plist", "1.plist", "2.plist"])
  }

  @Test("a text without its fixture fails")
  func abandonedText() throws {
    try record { try creatures(recording).check("2", archiving: ghost) }
    try folder.add(ghostText, as: "1.txt")
    let failure = try failure { try creatures().checkVersions(current: "2", value: ghost) }
    #expect(failure.kinds == [.abandonedText])
    #expect(failure.problems.first?.fixture == "1.plist")
  }

  @Test("hidden files are not fixtures")
  func hiddenFiles() throws {
    try record { try creatures(recording).check("1", archiving: ghost) }
    try folder.add("no archive", as: ".1.plist")
    try folder.add("no archive", as: ".old/1.plist")
    try creatures().checkVersions(current: "1", value: ghost)
  }

  /// Records today's version, and returns a folder with a former version that does not decode.
  private func brokenVersion() throws -> URL {
    try record { try creatures(recording).check("2", archiving: ghost) }
    let folder = try folder.folder("old")
    try Data("no archive".utf8).write(to: folder.appending(path: "1.plist"))
    return folder
  }

  private func versionFailure(_ fixtures: ArchiveFixtures<Creature>) throws -> FixtureFailure {
    try failure { try fixtures.checkVersions(current: "2", value: ghost) }
  }

  @Test("a folder that is a symbolic link has the fixtures of what it refers to")
  func linkedFolder() throws {
    _ = try brokenVersion()
    var fixtures = creatures()
    fixtures.folder = folder.beside.url.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: fixtures.folder, withDestinationURL: folder.scratch.url)
    let failure = try versionFailure(fixtures)
    #expect(failure.kinds == [.undecodable])
    #expect(failure.problems.first?.fixture == "old/1.plist")
  }

  @Test("symbolic links in the folder fail, to folders and to files")
  func links() throws {
    let old = try brokenVersion()
    let moved = folder.beside.url.appending(path: "old")
    try FileManager.default.moveItem(at: old, to: moved)
    try FileManager.default.createSymbolicLink(at: old, withDestinationURL: moved)
    try FileManager.default.createSymbolicLink(
      at: folder.scratch.url.appending(path: "3.plist"), withDestinationURL: moved.appending(path: "1.plist"))
    let failure = try versionFailure(creatures())
    #expect(failure.kinds == [.unexpectedFile, .unexpectedFile])
    #expect(failure.problems.map(\.fixture) == ["3.plist", "old"])
    #expect(failure.description.contains("old: a symbolic link, which checks do not follow. Replace it"))
  }

  @Test(
    "a file that is neither a fixture nor a text fails",
    arguments: ["1.PLIST", "1.plist2", "notes.md", "plist", "old/1"])
  func otherFiles(_ name: String) throws {
    try record { try creatures(recording).check("2", archiving: ghost) }
    try folder.add("no archive", as: name)
    let failure = try versionFailure(creatures())
    #expect(failure.kinds == [.unexpectedFile])
    #expect(failure.problems.first?.fixture == name)
    #expect(failure.description.contains("Rename it if it is a fixture; otherwise move it out of the folder"))
  }

  @Test("a folder with the name of a fixture fails")
  func folderWithExtension() throws {
    try record { try creatures(recording).check("2", archiving: ghost) }
    _ = try folder.folder("1.plist")
    #expect(try versionFailure(creatures()).kinds == [.unexpectedFile])
  }

  @Test("without an extension, the names of versions may have dots")
  func dottedVersions() throws {
    var fixtures = creatures(recording)
    fixtures.fileExtension = ""
    try record { try fixtures.check("2.0", archiving: ghost) }
    try folder.add("no archive", as: "1.0")
    fixtures.recording.environment = [:]
    let failure = try failure { try fixtures.checkVersions(current: "2.0", value: ghost) }
    #expect(failure.kinds == [.undecodable])
    #expect(failure.problems.first?.fixture == "1.0")
  }

  @Test("a folder that cannot be listed fails", .enabled(if: geteuid() != 0, "root may read all"))
  func unreadableFolder() throws {
    let old = try brokenVersion()
    try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: old.path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: old.path) }
    let failure = try versionFailure(creatures())
    #expect(failure.kinds == [.unreadable])
    #expect(failure.description.contains("old: could not be listed: "))
  }

  @Test("a folder that is a file fails")
  func fileAsFolder() throws {
    var fixtures = creatures()
    fixtures.folder = folder.scratch.url.appending(path: "Fixtures")
    try folder.add("no folder", as: "Fixtures")
    let failure = try versionFailure(fixtures)
    #expect(failure.kinds == [.missing, .unreadable])
    #expect(failure.description.contains("Fixtures: could not be listed: "))
  }

  // MARK: Types

  @Test("a type that is only Codable can be checked")
  func codable() throws {
    struct Plain: Codable, Equatable {
      var text: String
    }
    let fixtures = folder.fixtures({ ArchiveFixtures(of: [Plain].self, in: $0) }, environment: recording)
    try record { try fixtures.check("1", archiving: [Plain(text: "a")]) }
    #expect(try fixtures.check("1", archiving: [Plain(text: "a")]) == [Plain(text: "a")])
  }

  @Test("a type can be decoded with an unarchiver, whose error fails the check")
  func unarchiver() throws {
    try folder.add([ghost], as: "1.plist")
    @Sendable func titles(_ coder: KeyedUnarchiver) -> [String] {
      coder.decodeObject(of: [Creature].self, forKey: "root")?.map(\.title) ?? []
    }
    func fixtures(_ key: String) -> ArchiveFixtures<[Creature]> {
      folder.fixtures(
        {
          ArchiveFixtures(
            in: $0, decodingWith: { coder in coder.decodeObject(of: [Creature].self, forKey: key) ?? [] },
            encodingWith: { try KeyedArchiveEncoder().encode($0) })
        }, environment: recording)
    }
    try record { try fixtures("root").check("1") }
    #expect(try fixtures("root").check("1") == [ghost])
    #expect(try failure { try fixtures("Root").check("1") }.kinds == [.unreadKeys, .differences, .recorded])
    let wrong: ArchiveFixtures<[String]> = folder.fixtures(
      {
        ArchiveFixtures(
          in: $0, decodingWith: { coder in coder.decodeObject(of: [String].self, forKey: "root") ?? [] },
          encodingWith: { try KeyedArchiveEncoder().encode($0) })
      }, environment: recording)
    #expect(try failure { try wrong.check("1") }.kinds == [.undecodable])
  }
}
