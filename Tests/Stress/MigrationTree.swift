// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// A tree of generated files: archives without secure coding, of the Objective-C versions, with secure coding and in
/// XML, damaged archives, and other files. The number of a file determines its content.
struct MigrationTree {
  struct File: Equatable {
    var data: Data
    var modified: Date?
    var permissions: Int?
  }

  private let folder: URL
  private let count: Int

  init(_ folder: URL, count: Int) {
    self.folder = folder
    self.count = count
  }

  static func path(_ number: Int) -> String { "\(number / 1000)/\(number / 100 % 10)/\(number).plist" }

  /// The bytes of a file before the migration.
  static func content(_ number: Int) throws -> Data {
    let creature = OldCreature(title: "Creature \(number)", rating: Float(number % 11) / 2)
    switch number % 8 {
    case 0, 1, 2, 3: return try creature.archived(under: "root", as: OldCreature.newName)
    case 4: return try creature.archived(under: "Data", as: "ScaryBugData")
    case 5: return try KeyedArchive(creature.archived(under: "root", as: OldCreature.newName)).data(format: .xml)
    case 6:
      guard number % 16 == 6 else { return try creature.archived(under: "root", as: "Stranger").dropLast(7) }
      return Data("not an archive, but number \(number)".utf8)
    default:
      return try KeyedArchive(creature.archived(under: "root", as: OldCreature.newName)).migrated(by: rules).archive
        .data()
    }
  }

  static let rules: MigrationRules = [
    .renameTopLevelKey("Data", to: "root"),
    .renameClass("ScaryBugData", to: OldCreature.newName, superclasses: ["NSObject"]),
    .storeNumbers(["Rating"], as: .objects, of: [OldCreature.newName]),
  ]

  /// Writes all files with different modification dates.
  func make() throws {
    for start in stride(from: 0, to: count, by: 100) {
      let place = folder.appending(path: "tree").appending(path: Self.path(start)).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      for number in start..<min(count, start + 100) {
        let file = place.appending(path: "\(number).plist")
        try Self.content(number).write(to: file)
        try FileManager.default.setAttributes(
          [
            .modificationDate: Date(timeIntervalSince1970: 1_300_000_000 + Double(number) + 0.25),
            .posixPermissions: number % 3 == 0 ? 0o600 : 0o644,
          ], ofItemAtPath: file.path)
      }
    }
  }

  /// Migrates the tree with backups. `report` receives the number of files reported.
  func migrate(_ report: (Int) -> Void) throws -> FileMigrationSummary {
    let migration = FileMigration(
      by: Self.rules, allowing: [OldCreature.newName], backup: .folder(folder.appending(path: "old")))
    var reported = 0
    return try migration.run(on: [folder.appending(path: "tree").path]) { _ in
      reported += 1
      report(reported)
      return true
    }
  }

  /// All existing files, including unexpected ones, without the list of backups, which has the absolute path of the tree.
  func files() throws -> [String: File] {
    var files: [String: File] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where name != "old/.keyedarchive-backups" {
      let url = folder.appending(path: name)
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
      files[name] = File(
        data: try Data(contentsOf: url), modified: attributes[.modificationDate] as? Date,
        permissions: attributes[.posixPermissions] as? Int)
    }
    return files
  }
}

/// A creature as apps without secure coding archived it.
private struct OldCreature: KeyedCoding {
  static let newName = "ScaryCreatures.ScaryCreatureData"

  let title: String
  let rating: Float

  init(title: String, rating: Float) {
    self.title = title
    self.rating = rating
  }

  func encode(with coder: KeyedArchiver) {
    coder.encode(title, forKey: "Title")
    coder.encode(rating, forKey: "Rating")
  }

  init?(coder: KeyedUnarchiver) { nil }

  func archived(under key: String, as name: String) throws -> Data {
    let archiver = KeyedArchiver(requiringSecureCoding: false)
    archiver.setClassName(name, for: OldCreature.self)
    archiver.encode(self, forKey: key)
    return try archiver.encodedData
  }
}

extension FileMigrationSummary {
  var text: String { "\(migrated) migrated, \(current) unchanged, \(refused) refused, \(others) other files" }
}
