// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

/// What `NSCoding` code for the toolchain's Foundation looks like whose keys are those of ``Ship``.
final class FoundationShip: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  var name = ""
  var crew = 0
  var speed = 0.0
  var draught: Float = 0
  var afloat = false
  var kind = ""
  var rank = 0
  var captain: FoundationSailor?
  var sailors: [FoundationSailor] = []
  var byName: [String: FoundationSailor] = [:]
  var ports: Set<String> = []
  var built = Date(timeIntervalSinceReferenceDate: 0)
  var flag = Data()
  var link: URL?
  var id = UUID()

  override init() {}

  func encode(with coder: NSCoder) {
    coder.encode(name as NSString, forKey: "name")
    coder.encode(crew, forKey: "crew")
    coder.encode(speed, forKey: "speed")
    coder.encode(draught, forKey: "draught")
    coder.encode(afloat, forKey: "afloat")
    coder.encode(kind as NSString, forKey: "kind")
    coder.encode(rank, forKey: "rank")
    coder.encode(captain, forKey: "captain")
    coder.encode(sailors as NSArray, forKey: "sailors")
    coder.encode(byName as NSDictionary, forKey: "byName")
    coder.encode(ports as NSSet, forKey: "ports")
    coder.encode(built as NSDate, forKey: "built")
    coder.encode(flag as NSData, forKey: "flag")
    coder.encode(link as NSURL?, forKey: "link")
    coder.encode(id as NSUUID, forKey: "id")
  }

  init?(coder: NSCoder) {
    super.init()
    name = coder.decodeObject(of: NSString.self, forKey: "name") as String? ?? "absent"
    crew = coder.decodeInteger(forKey: "crew")
    speed = coder.decodeDouble(forKey: "speed")
    draught = coder.decodeFloat(forKey: "draught")
    afloat = coder.decodeBool(forKey: "afloat")
    kind = coder.decodeObject(of: NSString.self, forKey: "kind") as String? ?? "absent"
    rank = coder.decodeInteger(forKey: "rank")
    captain = coder.decodeObject(of: FoundationSailor.self, forKey: "captain")
    sailors =
      coder.decodeObject(of: [NSArray.self, FoundationSailor.self], forKey: "sailors") as? [FoundationSailor] ?? []
    byName =
      coder.decodeObject(of: [NSDictionary.self, NSString.self, FoundationSailor.self], forKey: "byName")
      as? [String: FoundationSailor] ?? [:]
    ports = coder.decodeObject(of: [NSSet.self, NSString.self], forKey: "ports") as? Set<String> ?? []
    built = coder.decodeObject(of: NSDate.self, forKey: "built") as Date? ?? .distantPast
    flag = coder.decodeObject(of: NSData.self, forKey: "flag") as Data? ?? Data([0])
    link = coder.decodeObject(of: NSURL.self, forKey: "link") as URL?
    id = coder.decodeObject(of: NSUUID.self, forKey: "id") as UUID? ?? UUID()
  }
}

final class FoundationSailor: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  var name = ""
  var age = 0

  init(_ name: String, _ age: Int) {
    self.name = name
    self.age = age
  }

  func encode(with coder: NSCoder) {
    coder.encode(name as NSString, forKey: "name")
    coder.encode(age, forKey: "age")
  }

  init?(coder: NSCoder) {
    name = coder.decodeObject(of: NSString.self, forKey: "name") as String? ?? "absent"
    age = coder.decodeInteger(forKey: "age")
  }
}

/// The same in one line; the sailor is Codable and nothing else.
private final class Ship: KeyedCodable {
  static var archiveClassName: String { "KeyedArchivingTests.FoundationShip" }
  enum Kind: String, Codable { case sloop, brig }
  enum Rank: Int, Codable { case first = 1, second }
  var name = "Argo"
  var crew = -50
  var speed = 7.25
  var draught: Float = 1.5
  var afloat = true
  var kind = Kind.brig
  var rank = Rank.second
  var captain: Sailor?
  var sailors: [Sailor] = []
  var byName: [String: Sailor] = [:]
  var ports: Set<String> = ["Iolcos", "Colchis"]
  var built = Date(timeIntervalSinceReferenceDate: 99.5)
  var flag = Data([1, 2])
  var link = URL(string: "https://example.org/a?b#c")
  var id = UUID(uuid: (15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))
  init() {}
}

private final class Sailor: Codable {
  var name: String
  var age: Int
  init(_ name: String, _ age: Int) {
    self.name = name
    self.age = age
  }
}

/// The name a nested type that is Codable only has in archives: its own.
private let sailorName = "KeyedArchivingTests.Sailor"

@Suite("Codable: the toolchain's Foundation and KeyedCodable read each other")
struct CodableInteropTests {
  @Test("NSCoding code with the same keys reads what KeyedCodable wrote", arguments: ArchiveLayout.allCases)
  func foundationReads(_ layout: ArchiveLayout) throws {
    let ship = Ship()
    let jason = Sailor("Jason", 30)
    ship.captain = jason
    ship.sailors = [Sailor("Orpheus", 28), jason]
    ship.byName = ["J": jason]
    for format in PropertyList.Format.allCases {
      let archiver = KeyedArchiver(requiringSecureCoding: true, layout: layout)
      archiver.outputFormat = format
      archiver.encode(ship, forKey: "root")
      let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
      unarchiver.requiresSecureCoding = true
      unarchiver.decodingFailurePolicy = .setErrorAndReturn
      unarchiver.setClass(FoundationShip.self, forClassName: "KeyedArchivingTests.FoundationShip")
      unarchiver.setClass(FoundationSailor.self, forClassName: sailorName)
      let made = try #require(unarchiver.decodeObject(of: FoundationShip.self, forKey: "root"))
      #expect(unarchiver.error == nil)
      #expect(made.name == "Argo" && made.crew == -50 && made.speed == 7.25 && made.draught == 1.5 && made.afloat)
      #expect(made.kind == "brig" && made.rank == 2)
      #expect(made.captain?.name == "Jason" && made.captain?.age == 30)
      #expect(made.sailors.map(\.name) == ["Orpheus", "Jason"])
      #expect(made.sailors.last === made.captain && made.byName["J"] === made.captain)
      #expect(made.ports == ["Iolcos", "Colchis"])
      #expect(made.built == ship.built && made.flag == ship.flag && made.link == ship.link && made.id == ship.id)
    }
  }

  @Test("KeyedCodable reads what NSCoding code with the same keys wrote", arguments: [true, false])
  func weRead(_ isFull: Bool) throws {
    let ship = FoundationShip()
    ship.name = "Argo"
    ship.crew = 12
    ship.speed = 2.5
    ship.draught = -0.5
    ship.kind = "sloop"
    ship.rank = 1
    ship.ports = ["x", "y"]
    ship.built = Date(timeIntervalSinceReferenceDate: -1.25)
    ship.flag = Data([9])
    if isFull {
      ship.afloat = true
      ship.captain = FoundationSailor("Jason", 30)
      ship.sailors = [FoundationSailor("Orpheus", 28), ship.captain].compactMap { $0 }
      ship.byName = ["J": ship.sailors[1]]
      ship.link = URL(string: "https://example.org/")
    }
    let unarchiver = try KeyedUnarchiver(
      forReadingFrom: NSKeyedArchiver.archivedData(withRootObject: ship, requiringSecureCoding: true))
    // What Foundation calls its classes; a type that is Codable only has one name.
    final class NamedShip: KeyedCodable {
      static var archiveClassName: String { "KeyedArchivingTests.FoundationShip" }
      final class NamedSailor: KeyedCodable {
        static var archiveClassName: String { "KeyedArchivingTests.FoundationSailor" }
        var name: String
        var age: Int
      }
      var name: String
      var crew: Int
      var speed: Double
      var draught: Float
      var afloat: Bool
      var kind: Ship.Kind
      var rank: Ship.Rank
      var captain: NamedSailor?
      var sailors: [NamedSailor]
      var byName: [String: NamedSailor]
      var ports: Set<String>
      var built: Date
      var flag: Data
      var link: URL?
      var id: UUID
    }
    let made = try unarchiver.decode(NamedShip.self, forKey: "root")
    #expect(made.name == "Argo" && made.crew == 12 && made.speed == 2.5 && made.draught == -0.5)
    #expect(made.afloat == isFull && made.kind == .sloop && made.rank == .first)
    #expect(made.captain?.name == ship.captain?.name && made.captain?.age == ship.captain?.age)
    #expect(made.sailors.map(\.name) == ship.sailors.map(\.name))
    #expect(!isFull || (made.sailors.last === made.captain && made.byName["J"] === made.captain))
    #expect(made.ports == ["x", "y"] && made.built == ship.built && made.flag == ship.flag)
    #expect(made.link == ship.link && made.id == ship.id)
  }

  @Test("what a type encodes without keys is read by the calls without keys")
  func unkeyed() throws {
    struct Names: KeyedCodable {
      static var archiveClassName: String { "KeyedArchivingTests.FoundationNames" }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode("a")
        try container.encode(Date(timeIntervalSinceReferenceDate: 5))
        try container.encode("c")
      }
      init() {}
      init(from decoder: any Decoder) throws {}
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Names(), requiringSecureCoding: true)
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    unarchiver.requiresSecureCoding = false
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    unarchiver.setClass(FoundationNames.self, forClassName: "KeyedArchivingTests.FoundationNames")
    let made = unarchiver.decodeObject(forKey: "root") as? FoundationNames
    #expect(made?.names == ["a", "5.0", "c"])
  }

  @Test("nested containers are read as dictionaries and arrays")
  func nested() throws {
    let value = CodableShapeTests.Nested(x: 1, y: 2.5, names: ["a"], inner: [[1, 2]])
    let data = try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    unarchiver.requiresSecureCoding = true
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    unarchiver.setClass(FoundationNested.self, forClassName: "KeyedArchivingTests.CodableShapeTests.Nested")
    let made = try #require(unarchiver.decodeObject(of: FoundationNested.self, forKey: "root"))
    #expect(made.point == ["x": 1, "y": 2.5, "lists": [[1, 2]]] as NSDictionary)
    #expect(made.names == ["a"] as NSArray)
  }
}

/// Reads values without keys.
final class FoundationNames: NSObject, NSCoding {
  var names: [String] = []
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) {
    for _ in 0..<3 {
      let object = coder.decodeObject()
      names.append((object as? Date).map { "\($0.timeIntervalSinceReferenceDate)" } ?? object as? String ?? "absent")
    }
  }
}

/// Reads nested containers.
final class FoundationNested: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let point: NSDictionary?
  let names: NSArray?
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) {
    let classes: [AnyClass] = [NSDictionary.self, NSArray.self, NSString.self, NSNumber.self]
    point = coder.decodeObject(of: classes, forKey: "point") as? NSDictionary
    names = coder.decodeObject(of: classes, forKey: "names") as? NSArray
  }
}
