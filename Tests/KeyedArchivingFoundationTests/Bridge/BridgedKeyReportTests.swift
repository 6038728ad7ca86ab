// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import TestSupport
import Testing

@Suite("The report of the keys of Foundation's coding")
struct BridgedKeyReportTests {
  /// The report of a probe with some values, whose initializer reads as a test says.
  private func report(
    _ values: [(String, HandmadeList)], _ objects: [HandmadeList] = [], _ read: @escaping (NSCoder) -> Void
  ) throws -> KeyReport {
    var decoder: KeyedUnarchiver?
    try Probe.read(Probe.handmade(values, objects), settings: {
      $0.tracksKeys = true
      decoder = $0
    }, read)
    return try #require(decoder).keyReport
  }

  @Test("has the keys that a class did not request from its NSCoder")
  func unread() throws {
    let report = try report([("a", 1), ("b", 2.5), ("c", true), ("d", 4), ("e", 5)]) { coder in
      _ = coder.decodeInteger(forKey: "a")
      _ = coder.decodeDouble(forKey: "b")
      _ = coder.decodeBool(forKey: "c")
      _ = coder.containsValue(forKey: "d")
    }
    #expect(report.unreadKeys.map(\.keyPath) == ["root.e"] && report.absentKeys == [])
  }

  @Test("has the absent keys that it requested, except by containsValue(forKey:)")
  func absent() throws {
    let report = try report([]) { coder in
      _ = coder.decodeInteger(forKey: "a")
      _ = coder.decodeObject(of: NSString.self, forKey: "b")
      _ = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "c")
      _ = coder.decodePropertyList(forKey: "d")
      _ = coder.decodeObject(forKey: "e")
      _ = coder.containsValue(forKey: "f")
    }
    #expect(report.absentKeys.map(\.key) == ["a", "b", "c", "d", "e"])
    #expect(report.absentOptionalKeys.map(\.key) == ["f"])
  }

  @Test("is empty for the classes of an app, and has a key that one of them lacks")
  func app() throws {
    let meal = try #require(Meal(name: "Soup", photo: Data([1]), rating: 3))
    let data = try NSKeyedArchiver.archivedData(withRootObject: meal, requiringSecureCoding: true)
    let (decoded, report) = try KeyedArchiveDecoder().decodeReportingKeys(Meal.self, from: data)
    #expect(decoded.name == "Soup" && report.isEmpty)
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.encode(meal, forKey: "root")
    archiver.encode(7, forKey: "version")
    archiver.finishEncoding()
    let more = try KeyedArchiveDecoder().decodeReportingKeys(Meal.self, from: archiver.encodedData).report
    #expect(more.unreadKeys.map(\.keyPath) == ["version"])
  }
}
