// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import ArchiveTools
import ArchivedClasses
import Foundation
import HarnessSupport
import KeyedArchives
import PropertyListFormat
import TestSupport
import Testing

@testable import KeyedArchiving

@Suite("Honest files with nearly as many values as bytes")
struct DenseArchiveTests {
  @Test(
    "are read, checked, compared with themselves and others, migrated and rebuilt",
    arguments: Sample.cases(DenseFiles.all.map(\.name), each: 5))
  func graph(_ name: String) throws {
    let data = try #require(DenseFiles.all.first { $0.name == name }).data
    let archive = try KeyedArchive(data)
    #expect(data.count > 9000)
    try archive.validate()
    for number in 0..<archive.objectCount { _ = try archive.object(ArchiveUID(rawValue: UInt32(number))) }
    #expect(try archive.differences(from: archive) == [])
    #expect(archive.keyPath(to: ArchiveUID(rawValue: UInt32(archive.objectCount - 1))) != nil)
    let audit = try ArchiveAudit(of: archive)
    #expect(!audit.classNames.isEmpty)
    _ = GeneratedSwift(audit).types
    let rules: MigrationRules = [
      .storeNumbers(as: .objects, of: ClassSelector(["NSObject"], includingSubclasses: true)),
      .renameTopLevelKey("root", to: "top"),
    ]
    let migrated = try archive.migrated(by: rules).archive
    #expect(migrated["top"].array?.count == archive.root.array?.count)
    #expect(try !migrated.differences(from: archive).isEmpty)
    #expect(try !RebuiltArchive(of: data).data.isEmpty)
    // An XML list has no references: one data in two thousand objects is written two thousand times.
    if name != DenseFiles.oneData { _ = try PropertyList(data).data(format: .xml) }
    #expect(try PropertyList(archive.propertyList.rewritten()).objectCount > 0)
  }

  @Test("are compared with others that have nothing in common with them")
  func differences() throws {
    let archive = try KeyedArchive(DenseFiles.booleans)
    var other = archive
    // Every boolean is another one.
    let (first, second) = (ArchiveUID(rawValue: 1), ArchiveUID(rawValue: 2))
    let values = (try archive.object(first), try archive.object(second))
    try other.setObject(first, to: values.1)
    try other.setObject(second, to: values.0)
    #expect(try !other.differences(from: archive).isEmpty)
  }

  @Test("are decoded as every type that they may be, and archived again", arguments: DenseFiles.all.map(\.name))
  func decoding(_ name: String) throws {
    let data = try #require(DenseFiles.all.first { $0.name == name }).data
    let object = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data)
    let again = try KeyedArchiver.archivedData(withRootObject: #require(object), requiringSecureCoding: true)
    #expect(again.count > 9000)
    let array = try KeyedUnarchiver.unarchivedObject(ofClasses: KeyedUnarchiver.valueTypes, from: data)
    let values = try #require(array as? ArchivedArray)
    #expect(try KeyedArchiver.archivedData(withRootObject: values, requiringSecureCoding: true).count > 9000)
  }

  private struct Flags: KeyedCodable {
    static var archiveClassName: String { "Flags" }
    var flags: [Bool]
    var rows: [[Int]]
    var names: [String: [Int?]]
  }

  @Test("are decoded as collections of Swift, and by Codable types")
  func collections() throws {
    let flags = try KeyedUnarchiver.unarchivedObject(ofClass: [Bool].self, from: DenseFiles.booleans)
    #expect(flags?.count == 20_000)
    let rows = try KeyedUnarchiver.unarchivedObject(ofClass: [[Bool]].self, from: DenseFiles.arraysOfBooleans)
    #expect(rows?.count == 100 && rows?.allSatisfy { $0.count == 200 } == true)
    let row = [0, 1, 1]
    let value = Flags(
      flags: (0..<20_000).map { $0 % 3 == 0 }, rows: (0..<50).map { _ in (0..<400).map { row[$0 % 3] } },
      names: ["a": (0..<9000).map { $0 % 2 == 0 ? 1 : nil }])
    let data = try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    let decoded = try KeyedUnarchiver.unarchivedObject(ofClass: Flags.self, from: data)
    #expect(decoded?.flags == value.flags && decoded?.rows == value.rows && decoded?.names == value.names)
  }
}
