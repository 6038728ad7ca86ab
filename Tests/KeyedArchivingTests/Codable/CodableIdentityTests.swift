// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Codable: shared objects, circles and class hierarchies")
struct CodableIdentityTests {
  /// A class that is Codable and nothing else.
  class Plain: Codable {
    var name: String
    init(_ name: String) { self.name = name }
  }

  final class PlainChild: Plain {}

  struct Pair: KeyedCodable {
    var first: Plain
    var second: Plain
    var all: [Plain]
    var byName: [String: Plain]
  }

  @Test("an instance of a class that is only Codable is archived once and comes out as one")
  func sharedPlain() throws {
    let shared = Plain("shared")
    let other = Plain("shared")
    let pair = Pair(first: shared, second: other, all: [shared, other, shared], byName: ["a": shared])
    let root = try archive(pair).root
    #expect(root["first"].uid == root["all"][0].uid)
    #expect(root["first"].uid != root["second"].uid)
    let made = try #require(try again(pair))
    #expect(made.first === made.all[0])
    #expect(made.first === made.all[2])
    #expect(made.first === made.byName["a"])
    #expect(made.second === made.all[1])
    #expect(made.first !== made.second)
    #expect(made.first.name == "shared")
  }

  @Test("a subclass is archived under its own name, and not taken for its superclass")
  func plainSubclass() throws {
    let pair = Pair(first: PlainChild("c"), second: Plain("p"), all: [], byName: [:])
    let root = try archive(pair).root
    #expect(
      root["first"].classDescription?.chain == [
        "_TtCV19KeyedArchivingTests20CodableIdentityTests10PlainChild",
        "_TtCV19KeyedArchivingTests20CodableIdentityTests5Plain", "NSObject",
      ])
    let error = #expect(throws: KeyedArchiveError.self) { try again(pair) }
    #expect(error?.code == .classNotAllowed)
    #expect(error?.keyPath == "root.first")
  }

  /// A hierarchy whose members stand for each other because the base class says so.
  class Animal: KeyedCodable {
    var name: String
    init(_ name: String) { self.name = name }
    class var archiveSubclasses: [any KeyedCoding.Type] { [Cat.self, Dog.self] }
  }

  final class Cat: Animal {
    var lives = 9
    override init(_ name: String) { super.init(name) }
    enum CodingKeys: CodingKey { case lives }
    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(lives, forKey: .lives)
    }
    required init(from decoder: any Decoder) throws {
      lives = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .lives)
      try super.init(from: decoder)
    }
  }

  final class Dog: Animal {}

  struct Zoo: KeyedCodable {
    var animals: [Animal]
    var favourite: Animal
    var cat: Cat
  }

  @Test("a polymorphic hierarchy comes back as what it was")
  func polymorphic() throws {
    let cat = Cat("Tom")
    cat.lives = 3
    let made = try #require(try again(Zoo(animals: [cat, Dog("Rex"), Animal("It")], favourite: cat, cat: cat)))
    #expect(made.animals.map { "\(type(of: $0)) \($0.name)" } == ["Cat Tom", "Dog Rex", "Animal It"])
    #expect((made.animals[0] as? Cat)?.lives == 3)
    #expect(made.favourite === made.animals[0])
    #expect(made.cat === made.favourite)
    // A dog is an animal but no cat.
    let data = try KeyedArchiver.archivedData(withRootObject: Dog("Rex"), requiringSecureCoding: true)
    #expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver.unarchivedObject(ofClass: Cat.self, from: data) }
  }

  /// A ring of stations of a line.
  final class Station: KeyedCodable {
    var name: String
    @ArchiveReference var next: Station?
    @ArchiveBackReference var line: Line?
    init(_ name: String) { self.name = name }

    deinit {
      // A long chain would otherwise be freed by recursion.
      var rest = next
      next = nil
      while isKnownUniquelyReferenced(&rest) {
        let following = rest?.next
        rest?.next = nil
        rest = following
      }
    }
  }

  final class Line: KeyedCodable {
    var stations: [Station]
    init(_ stations: [Station]) {
      self.stations = stations
      for station in stations { station.line = self }
    }
  }

  @Test("circles and back references", arguments: ArchiveLayout.allCases)
  func circles(_ layout: ArchiveLayout) throws {
    let stations = ["a", "b", "c"].map(Station.init)
    for place in 0..<3 { stations[place].next = stations[(place + 1) % 3] }
    let line = Line(stations)
    let made = try #require(try again(line, layout))
    #expect(made.stations.map(\.name) == ["a", "b", "c"])
    for place in 0..<3 {
      #expect(made.stations[place].next === made.stations[(place + 1) % 3])
      #expect(made.stations[place].line === made)
    }
    for station in stations + made.stations { station.next = nil }
  }

  @Test("an object that is only referred back to is not archived")
  func backReferenceAlone() throws {
    let station = Station("x")
    let line = Line([station])
    #expect(line.stations.count == 1)
    let archive = try archive(station)
    #expect(archive.root["line"].isNull)
    let made = try #require(try again(station))
    #expect(made.line == nil && made.next == nil)
  }

  @Test("a chain of 5,000 objects, in constant stack")
  func chain() throws {
    let first = Station("0")
    var last = first
    for number in 1..<5000 {
      let next = Station("\(number)")
      last.next = next
      last = next
    }
    var result: Result<Station?, any Error>?
    try System.onThread(stackBytes: 512 << 10) { result = Result { try again(first) } }
    let made = try #require(result).get()
    var count = 0
    var current = made
    while let station = current {
      if station.name == "\(count)" { count += 1 }
      current = station.next
    }
    #expect(count == 5000)
  }

  @Test("a circle without a reference that may come later is an error that says what to do")
  func circleWithoutReference() throws {
    final class Knot: KeyedCodable {
      var other: Knot?
    }
    let knot = try #require(try again(try JSONDecoder().decode(Knot.self, from: Data("{}".utf8))))
    knot.other = knot
    let error = #expect(throws: KeyedArchiveError.self) { try again(knot) }
    #expect(error?.code == .cycle)
    #expect(error?.keyPath == "root.other")
    knot.other = nil
  }

  @Test("references are optionals like any other with other coders, and copies of a struct are apart")
  func otherCoders() throws {
    let a = Station("a")
    a.next = Station("b")
    let json = try JSONEncoder().encode(a)
    let made = try JSONDecoder().decode(Station.self, from: json)
    #expect(made.next?.name == "b" && made.next?.next == nil && made.line == nil)
    #expect(try JSONDecoder().decode(Station.self, from: Data(#"{"name":"c"}"#.utf8)).next == nil)

    struct Holder { @ArchiveReference var station: Station? }
    var holder = Holder()
    holder.station = a
    var copy = holder
    copy.station = nil
    #expect(holder.station === a)
  }

  @Test("a type may use the coders behind it, for what Codable has no words for")
  func coders() throws {
    final class Child: KeyedCodable {
      weak var parent: Parent?
      init(_ parent: Parent) { self.parent = parent }
      func encode(to encoder: any Encoder) throws {
        let archiver = try #require(encoder.keyedArchiver)
        archiver.encodeConditionalObject(parent, forKey: "parent")
      }
      init(from decoder: any Decoder) throws {
        let unarchiver = try #require(decoder.keyedUnarchiver)
        unarchiver.decodeObject(of: Parent.self, forKey: "parent") { self.parent = $0 }
      }
    }
    final class Parent: KeyedCodable {
      var children: [Child] = []
      init() {}
    }
    let parent = Parent()
    parent.children = [Child(parent), Child(parent)]
    let made = try #require(try again(parent))
    #expect(made.children.count == 2)
    #expect(made.children.allSatisfy { $0.parent === made })
  }
}
