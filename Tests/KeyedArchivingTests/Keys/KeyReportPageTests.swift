// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

private enum Zoo {
  // example: type
  struct Creature: Codable {
    var title: String
    var nickname: String?

    enum CodingKeys: String, CodingKey {
      case title
      case nickname = "nickName"
    }
  }
  // end of example

  /// A creature as a former version archived it.
  private struct FormerCreature: Encodable {
    var title = "Ghost"
    var nickname = "Boo"
  }

  /// The name of the creature's class in archives.
  static func className() throws -> String {
    let data = try KeyedArchiveEncoder().encode(Creature(title: "", nickname: nil))
    return try #require(try KeyedArchive(data).root.className)
  }

  static func data() throws -> Data {
    var encoder = KeyedArchiveEncoder()
    encoder.classNames[FormerCreature.self] = try className()
    return try encoder.encode([FormerCreature()])
  }
}

private typealias Creature = Zoo.Creature

private final class Pet: SecureKeyedCoding {
  static var archiveClassName: String { "Zoo.Creature" }
  let title: String?
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) { title = coder.decodeObject(of: String.self, forKey: "title") }
}

@Suite("The page on unread keys")
struct KeyReportPageTests {
  @Test("shows these examples", arguments: ["type", "report", "log", "unarchiver"])
  func examples(_ name: String) throws {
    try ReadmeExample.check(
      name, in: #filePath, page: "Sources/KeyedArchiving/KeyedArchiving.docc/FindingUnreadKeys.md")
  }

  /// The line that the page says is printed, with the name of the creature's class.
  private func line() throws -> String {
    let page = try String(
      contentsOf: Locations.package.appending(
        path: "Sources/KeyedArchiving/KeyedArchiving.docc/FindingUnreadKeys.md"), encoding: .utf8)
    let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("root[0], ") })
    return try line.replacing("Zoo.Creature", with: Zoo.className())
  }

  @Test("says what the first example prints")
  func report() throws {
    let data = try Zoo.data()
    var printed: [String] = []
    func print(_ keys: KeyReport) { printed.append("\(keys)") }
    // example: report
    let (creatures, keys) = try KeyedArchiveDecoder().decodeReportingKeys([Creature].self, from: data)
    print(keys)
    // end of example
    #expect(creatures.map(\.title) == ["Ghost"])
    #expect(try printed == [line()])
  }

  @Test("shows how an app logs")
  func log() throws {
    let data = try Zoo.data()
    let lines = Lines()
    let log: @Sendable (String) -> Void = { lines.add($0) }
    // example: log
    var decoder = KeyedArchiveDecoder()
    decoder.keyReportHandler = { report in log("\(report)") }
    let creatures = try decoder.decode([Creature].self, from: data)
    // end of example
    #expect(try creatures.count == 1 && lines.all == [line()])
  }

  @Test("shows how NSCoding code tracks keys")
  func unarchiver() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.setClassName("Zoo.Creature", for: Other.self)
    archiver.encode([Other()], forKey: "pets")
    archiver.encode(1, forKey: "version")
    let data = try archiver.encodedData
    var printed: [String] = []
    func print(_ keys: [String]) { printed += keys }
    // example: unarchiver
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.tracksKeys = true
    let pets = try unarchiver.decode([Pet].self, forKey: "pets")
    print(unarchiver.keyReport.unreadKeys.map(\.keyPath))
    // end of example
    #expect(pets.map(\.title) == ["Slug"] && printed == ["version", "pets[0].weight"])
  }

  /// Archives what ``Pet`` decodes, and more.
  private final class Other: SecureKeyedCoding {
    init() {}
    func encode(with coder: KeyedArchiver) {
      coder.encode("Slug", forKey: "title")
      coder.encode(2.5, forKey: "weight")
    }
    init?(coder: KeyedUnarchiver) {}
  }

  private final class Lines: @unchecked Sendable {  // Used by one thread only.
    private(set) var all: [String] = []
    func add(_ line: String) { all.append(line) }
  }
}
