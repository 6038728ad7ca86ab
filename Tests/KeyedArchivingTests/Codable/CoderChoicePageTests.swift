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

private enum Both {
  // example: both
  class Animal: SecureKeyedCoding, Codable {
    class var archiveClassName: String { "Zoo.Animal" }
    class var archiveSubclasses: [any KeyedCoding.Type] { [Lion.self] }

    func encode(with coder: KeyedArchiver) {}
    required init?(coder: KeyedUnarchiver) throws {}
    init() {}

    func encode(to encoder: any Encoder) throws { throw OnlyForArchives() }
    required init(from decoder: any Decoder) throws { throw OnlyForArchives() }
  }

  final class Lion: Animal {
    override class var archiveClassName: String { "Zoo.Lion" }
  }

  struct OnlyForArchives: Error {}

  struct Enclosure: Codable {
    var animals: [Animal]
  }
  // end of example
}

/// Codable classes of graphs that an encoder writes and a decoder refuses, and their later versions.
private enum Refused {
  final class Cyclic: Codable { var next: Cyclic? }
  final class CyclicLater: Codable { @ArchiveReference var next: CyclicLater? }
  class Base: Codable { init() {} }
  final class Derived: Base {}
  class BaseLater: KeyedCodable {
    class var archiveClassName: String { "Base" }
    class var archiveSubclasses: [any KeyedCoding.Type] { [DerivedLater.self] }
  }
  final class DerivedLater: BaseLater {
    override class var archiveClassName: String { "Derived" }
  }
}

@Suite("The page on the choice of a coder")
struct CoderChoicePageTests {
  @Test("shows these examples", arguments: ["creature", "fallible", "cycle", "both", "renamed"])
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

  @Test("shows how a class with encode(with:) is a property of a Codable type")
  func both() throws {
    let data = try KeyedArchiveEncoder().encode(Both.Enclosure(animals: [Both.Lion(), Both.Animal()]))
    let animals = try KeyedArchiveDecoder().decode(Both.Enclosure.self, from: data).animals
    #expect(animals.map { $0 is Both.Lion } == [true, false])
  }

  @Test("shows how a renamed plain Codable type is read and written")
  func renamed() throws {
    struct Former: Codable { var title = "Ghost" }
    var old = KeyedArchiveEncoder()
    old.classNames[Former.self] = "Zoo.Animal"
    let data = try old.encode([Former()])
    // example: renamed
    struct Pet: Codable { var title: String }  // formerly Zoo.Animal

    var decoder = KeyedArchiveDecoder()
    decoder.classNames.accept("Zoo.Animal", for: Pet.self)  // reads the old archives
    var encoder = KeyedArchiveEncoder()
    encoder.classNames[Pet.self] = "Zoo.Animal"  // writes archives that old versions read
    // end of example
    let pets = try decoder.decode([Pet].self, from: data)
    #expect(pets.map(\.title) == ["Ghost"])
    #expect(try encoder.encode(pets) == data)
  }

  /// Returns the code of the error in the archive.
  private func code<Value: Decodable>(
    _ type: Value.Type, _ data: Data, _ decoder: KeyedArchiveDecoder = KeyedArchiveDecoder()
  ) -> KeyedArchiveError.Code? {
    do {
      _ = try decoder.decode(type, from: data)
      return nil
    } catch {
      return KeyedArchiveError(wrapping: error).code
    }
  }

  @Test("states which cycle an encoder writes and a decoder refuses, and how a later version reads it")
  func refusedCycle() throws {
    let node = Refused.Cyclic()
    node.next = node
    defer { node.next = nil }
    var names = ArchiveClassNames()
    names[Refused.Cyclic.self] = "Node"
    names[Refused.CyclicLater.self] = "Node"
    var encoder = KeyedArchiveEncoder()
    encoder.classNames = names
    let data = try encoder.encode(node)
    var decoder = KeyedArchiveDecoder()
    decoder.classNames = names
    #expect(code(Refused.Cyclic.self, data, decoder) == .cycle)
    let later = try decoder.decode(Refused.CyclicLater.self, from: data)
    #expect(later.next === later)
    later.next = nil
  }

  @Test("states which subclass an encoder writes and a decoder refuses, and how a later version reads it")
  func refusedSubclass() throws {
    var encoder = KeyedArchiveEncoder()
    encoder.classNames[Refused.Base.self] = "Base"
    encoder.classNames[Refused.Derived.self] = "Derived"
    let data = try encoder.encode([Refused.Base(), Refused.Derived()])
    var decoder = KeyedArchiveDecoder()
    decoder.classNames.accept("Base", for: Refused.Base.self)
    #expect(code([Refused.Base].self, data, decoder) == .classNotAllowed)
    let later = try KeyedArchiveDecoder().decode([Refused.BaseLater].self, from: data)
    #expect(later.map { $0 is Refused.DerivedLater } == [false, true])
  }

  @Test("states which chain an encoder writes and a decoder refuses, and how a later version reads it")
  func refusedChain() throws {
    let first = Refused.Cyclic()
    var last = first
    for _ in 0..<2000 {
      let next = Refused.Cyclic()
      last.next = next
      last = next
    }
    var encoder = KeyedArchiveEncoder()
    encoder.classNames[Refused.Cyclic.self] = "Node"
    let data = try encoder.encode(first)
    var decoder = KeyedArchiveDecoder()
    decoder.classNames.accept("Node", for: Refused.Cyclic.self)
    decoder.classNames.accept("Node", for: Refused.CyclicLater.self)
    #expect(code(Refused.Cyclic.self, data, decoder) == .limitReached)
    var length = 0
    var node: Refused.CyclicLater? = try decoder.decode(Refused.CyclicLater.self, from: data)
    while let current = node {
      length += 1
      node = current.next
      current.next = nil
    }
    #expect(length == 2001)
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
