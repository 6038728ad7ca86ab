// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

private enum Fallible {
  // example: fallible
  struct Reading: Encodable {
    var sensor: any Encodable
    var isUsable: Bool

    private enum CodingKeys: CodingKey { case sensor }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      // do … catch would not catch an error of the sensor.
      if isUsable { try container.encode(sensor, forKey: .sensor) }
    }
  }
  // end of example
}

@Suite("The page on the choice of a coder")
struct CoderChoicePageTests {
  @Test("shows these examples", arguments: ["creature", "fallible", "cycle"])
  func examples(_ name: String) throws {
    try ReadmeExample.check(
      name, in: #filePath, page: "Sources/KeyedArchiving/KeyedArchiving.docc/ChoosingACoder.md")
  }

  @Test("shows how a plain Codable type is coded in one call")
  func creature() throws {
    // example: creature
    struct Creature: Codable {
      var title: String
      var rating: Float
    }

    let data = try KeyedArchiveEncoder().encode([Creature(title: "Ghost", rating: 5)])
    let creatures = try KeyedArchiveDecoder().decode([Creature].self, from: data)
    // end of example
    #expect(creatures.map(\.title) == ["Ghost"] && creatures.map(\.rating) == [5])
  }

  @Test("shows how plain Codable objects refer to each other")
  func cycle() throws {
    // example: cycle
    final class Station: Codable {
      var name: String
      @ArchiveReference var next: Station?
      @ArchiveBackReference var previous: Station?

      init(_ name: String) { self.name = name }
    }

    let (north, south) = (Station("North"), Station("South"))
    north.next = south
    south.next = north
    south.previous = north
    let line = try KeyedArchiveDecoder().decode([Station].self, from: KeyedArchiveEncoder().encode([north, south]))
    // line[0].next === line[1], line[1].next === line[0], line[1].previous === line[0]
    // end of example
    defer {
      north.next = nil
      line[0].next = nil
    }
    #expect(line.map(\.name) == ["North", "South"])
    #expect(line[0].next === line[1] && line[1].next === line[0])
    #expect(line[1].previous === line[0] && line[0].previous == nil)
  }

  // MARK: Errors of nested values

  private struct Failure: Error, Equatable {}

  private struct Sensor: Encodable {
    func encode(to encoder: any Encoder) throws { throw Failure() }
  }

  /// Tries to catch the error of a value inside of it.
  private struct Catching: Encodable {
    private enum CodingKeys: CodingKey { case sensor }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      do {
        try container.encode(Sensor(), forKey: .sensor)
      } catch {
        try container.encode("broken", forKey: .sensor)
      }
    }
  }

  @Test("states that the error of a nested value cannot be caught, other than with JSONEncoder")
  func nestedErrors() throws {
    #expect(throws: Failure()) { try KeyedArchiveEncoder().encode(Catching()) }
    #expect(throws: Failure()) { try KeyedArchiveEncoder().encode([Catching()]) }
    #expect(try String(decoding: JSONEncoder().encode(Catching()), as: UTF8.self) == #"{"sensor":"broken"}"#)
  }

  @Test("shows that a value which is not encoded cannot fail")
  func fallible() throws {
    let data = try KeyedArchiveEncoder().encode(Fallible.Reading(sensor: Sensor(), isUsable: false))
    #expect(try KeyedArchive(data).root.keys == [])
    #expect(throws: Failure()) {
      try KeyedArchiveEncoder().encode(Fallible.Reading(sensor: Sensor(), isUsable: true))
    }
  }
}
