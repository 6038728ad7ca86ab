// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

@testable import ArchiveGenerators

/// A class that refers to the next by a deferred reference, so that chains of any length can be decoded.
private final class Ring: SecureKeyedCoding {
  static var archiveClassName: String { "Ring" }
  var next: Ring?
  init() {}
  func encode(with coder: KeyedArchiver) {
    coder.encode(next, forKey: "next")
    coder.encode(1, forKey: "more")
  }
  init?(coder: KeyedUnarchiver) { coder.decodeObject(of: Ring.self, forKey: "next") { self.next = $0 } }

  /// Archives a chain.
  static func archive(count: Int) throws -> Data {
    let rings = (0..<count).map { _ in Ring() }
    for index in rings.indices.dropLast() { rings[index].next = rings[index + 1] }
    return try KeyedArchiver.archivedData(withRootObject: rings[0], requiringSecureCoding: true)
  }
}

@Suite("The report of the keys of random graphs")
struct RandomKeyReportTests {
  /// The classes of the graphs whose objects report their keys.
  private static let reporting: Set = ["Knot", "Plain", "Spot", "Value", "Hand", "Twin", "Coin"]

  private func isReporting(_ name: String) -> Bool {
    let name = RuntimeClassName(name).swiftName
    return Self.reporting.contains { name.hasSuffix(".\($0)") }
  }

  private func decode(_ data: Data) throws -> (graph: String, report: KeyReport) {
    let (knot, report) = try KeyedArchiveDecoder().decodeReportingKeys(Knot.self, from: data)
    return (GraphText.of(knot), report)
  }

  @Test(
    "has no unread keys, and tracking does not change what is decoded",
    arguments: Sample.cases(0..<UInt64(400), each: 20))
  func nothing(_ seed: UInt64) throws {
    let graph = RandomGraph(seed: seed)
    defer { graph.takeApart() }
    let data = try KeyedArchiver.archivedData(withRootObject: graph.knots[0], requiringSecureCoding: true)
    let (text, report) = try decode(data)
    #expect(text == GraphText.of(graph.knots[0]), "seed \(seed)")
    #expect(report.unreadKeys == [] && report.absentKeys == [], "seed \(seed): \(report)")
  }

  @Test("has exactly a key that is added to one object", arguments: Sample.cases(0..<UInt64(400), each: 20))
  func added(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let graph = RandomGraph(seed: seed)
    defer { graph.takeApart() }
    let data = try KeyedArchiver.archivedData(withRootObject: graph.knots[0], requiringSecureCoding: true)
    var archive = try KeyedArchive(data)
    var candidates: [(uid: ArchiveUID, className: String)] = []
    for number in 0..<UInt32(archive.objectCount) {
      let uid = ArchiveUID(rawValue: number)
      guard case .instance(let classUID, _) = try archive.object(uid) else { continue }
      let name = try archive.classDescription(classUID).name
      if isReporting(name) { candidates.append((uid, name)) }
    }
    let (uid, className) = try #require(candidates.randomElement(using: &random))
    let key = ["added", "$added", "é", "a b", "$"].randomElement(using: &random) ?? ""
    let stored = key.hasPrefix("$") ? "$" + key : key
    try archive.setValue(Bool.random(using: &random) ? .integer(1) : .reference(uid), forKey: stored, of: uid)
    let report = try decode(archive.data()).report
    #expect(report.unreadKeys.map(\.key) == [key] && report.absentKeys == [], "seed \(seed): \(report)")
    #expect(report.unreadKeys.first?.className == className, "seed \(seed): \(report)")
    // Another search, of another module, whose paths have indexes where these have keys of dictionaries.
    let path = try #require(archive.keyPath(to: uid))
    #expect(report.unreadKeys.first.map { shape($0.path) } == shape(path), "seed \(seed): \(report), \(path)")
  }

  /// A path without indexes and keys of dictionaries.
  private func shape(_ path: String) -> String { path.replacing(/\[[^\]]*\]/, with: "[]") }

  @Test("has a removed key as absent, and the key that took its place as unread")
  func renamed() throws {
    var archive = try KeyedArchive(Ring.archive(count: 3))
    let uid = ArchiveUID(rawValue: 2)
    guard case .instance(_, let entries) = try archive.object(uid) else { return }
    let next = try #require(entries.first { $0.key == "next" })
    try archive.setValue(nil, forKey: "next", of: uid)
    try archive.setValue(next.value, forKey: "nxet", of: uid)
    let report = try KeyedArchiveDecoder().decodeReportingKeys(Ring.self, from: archive.data()).report
    #expect(report.unreadKeys.map(\.keyPath) == ["root.more", "root.next.more", "root.next.nxet"])
    #expect(report.absentKeys.map(\.keyPath) == ["root.next.next"])
  }

  @Test("takes memory in proportion to the file, however deep the graph is")
  func chain() throws {
    let count = 5000
    let data = try Ring.archive(count: count)
    var decoder = KeyedArchiveDecoder()
    decoder.limits.maximumExpansion = 20
    let (ring, report) = try decoder.decodeReportingKeys(Ring.self, from: data)
    #expect(report.unreadKeys.count == count)
    #expect(report.unreadKeys.prefix(3).map(\.keyPath) == ["root.more", "root.next.more", "root.next.next.more"])
    // All paths together would take 60 MB. Those for which the budget does not suffice begin at the object.
    #expect(report.unreadKeys.last?.path.hasPrefix("#") == true, "\(report.unreadKeys.last?.path.prefix(100) ?? "")")
    #expect(report.unreadKeys.reduce(0) { $0 + $1.path.utf8.count } < 20 * data.count)
    #expect(report.description.utf8.count < 10_000)
    #expect(report.description.hasSuffix("and \(count - 20) more objects"))
    // Not by recursion.
    var current: Ring? = ring
    while let next = current?.next {
      current?.next = nil
      current = next
    }
  }

  @Test("takes time in proportion to the number of elements of a collection")
  func wide() throws {
    let data = try KeyedArchiver.archivedData(
      withRootObject: (0..<8000).map { _ in Ring() }, requiringSecureCoding: true)
    var report: KeyReport?
    let time = try System.time {
      report = try KeyedArchiveDecoder().decodeReportingKeys([Ring].self, from: data).report
    }
    #expect(report?.unreadKeys.map(\.keyPath) == (0..<8000).map { "root[\($0)].more" })
    // A search from each element through all others would take minutes.
    #expect(time < .seconds(20))
  }
}
