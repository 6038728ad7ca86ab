// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Codable: what KeyedCodable archives")
struct CodableFormTests {
  @Test("everything comes back, in every layout", arguments: ArchiveLayout.allCases)
  func roundTrip(_ layout: ArchiveLayout) throws {
    let owner = Owner.full()
    #expect(try again(owner, layout) == owner)
    #expect(try again([owner, owner], layout)?[1] == owner)
  }

  @Test("keys are the coding keys; numbers and booleans stand inside the object")
  func inline() throws {
    let root = try archive(Owner.full()).root
    #expect(root.className == "KeyedArchivingTests.Owner")
    #expect(root.classDescription?.chain == ["KeyedArchivingTests.Owner", "NSObject"])
    #expect(root["age"].uid == nil && root["age"].number == .integer(41))
    #expect(root["weight"].uid == nil && root["weight"].number == .double(72.5))
    #expect(root["height"].uid == nil && root["height"].number == .float(1.75))
    #expect(root["isHome"].uid == nil && root["isHome"].number == .boolean(true))
    #expect(root["small"].uid == nil && root["small"].number == .integer(-8))
    // There is no call of NSCoder's that stores it inline.
    #expect(root["wide"].uid != nil && root["wide"].number == .unsigned(.max))
    #expect(!root.keys.contains("missing"))
  }

  @Test("strings, dates, data, URLs, UUIDs and collections are objects of Apple's classes")
  func classes() throws {
    let root = try archive(Owner.full()).root
    #expect(root["name"].uid != nil && root["name"].string == "Ann")
    #expect(root["since"].className == "NSDate" && root["since"].date == Owner.full().since)
    #expect(root["photo"].data == Data([1, 2, 3]))
    #expect(root["link"].className == "NSURL")
    #expect(root["id"].className == "NSUUID")
    #expect(root["others"].className == "NSArray")
    #expect(root["byName"].className == "NSDictionary")
    #expect(root["tags"].className == "NSSet")
    #expect(root["places"].className == "NSSet")
    #expect(root["maybes"].array?.map(\.className) == ["NSNumber", "NSNull", "NSNumber"])
  }

  @Test("a nested type that is only Codable is an object of its own")
  func nested() throws {
    let root = try archive(Owner.full()).root
    #expect(root["home"].className == "KeyedArchivingTests.Address")
    #expect(root["home"]["street"].string == "Elm")
    #expect(root["home"]["number"].number == .integer(5))
    #expect(root["others"].array?.map { $0["street"].string } == ["Elm", "Oak"])
    #expect(root["byName"]["work"]["street"].string == "Mill")
  }

  @Test("an enum with raw values is its raw value, as if encode(with:) had stored rawValue")
  func rawValues() throws {
    let root = try archive(Owner.full()).root
    #expect(root["mood"].uid != nil && root["mood"].string == "wild")
    #expect(root["rank"].uid == nil && root["rank"].number == .integer(9))
    #expect(root["moods"]["calm"].number == .integer(1))
  }

  @Test("the bytes are those of encode(with:) written by hand", arguments: ArchiveLayout.allCases)
  func sameAsByHand(_ layout: ArchiveLayout) throws {
    struct ByHand: SecureKeyedCoding {
      static var archiveClassName: String { "Ship" }
      func encode(with coder: KeyedArchiver) {
        coder.encode("Argo", forKey: "name")
        coder.encode(50, forKey: "crew")
        coder.encode(1.5, forKey: "speed")
        coder.encode(true, forKey: "afloat")
        coder.encode(["a", "b"], forKey: "ports")
        coder.encode(Harbour(), forKey: "home")
      }
      init() {}
      init(coder: KeyedUnarchiver) {}
    }
    struct Harbour: SecureKeyedCoding {
      static var archiveClassName: String { "KeyedArchivingTests.CodableFormTests.Port" }
      func encode(with coder: KeyedArchiver) { coder.encode("Iolcos", forKey: "name") }
      init() {}
      init(coder: KeyedUnarchiver) {}
    }
    struct Port: Codable { var name = "Iolcos" }
    struct ByCodable: KeyedCodable {
      static var archiveClassName: String { "Ship" }
      var name = "Argo"
      var crew = 50
      var speed = 1.5
      var afloat = true
      var ports = ["a", "b"]
      var home = Port()
    }
    let expected = try KeyedArchiver.archivedData(
      withRootObject: [ByHand(), ByHand()], requiringSecureCoding: true, layout: layout)
    let found = try KeyedArchiver.archivedData(
      withRootObject: [ByCodable(), ByCodable()], requiringSecureCoding: true, layout: layout)
    #expect(found == expected)
  }

  @Test(
    "the same value gives the same bytes, whatever the order of sets and dictionaries",
    arguments: ArchiveLayout.allCases)
  func deterministic(_ layout: ArchiveLayout) throws {
    struct Bag: KeyedCodable {
      var places: Set<Address>
      var ranks: [Address: Rank]
      var moods: Set<Temper?>
    }
    let places = (0..<40).map { Address(street: "Street \($0 % 7)", number: $0) }
    func bag(_ places: [Address]) -> Bag {
      // Sets of other capacities enumerate in another order.
      var set = Set<Address>(minimumCapacity: places.first?.number == 0 ? 40 : 400)
      var ranks: [Address: Rank] = [:]
      for place in places {
        set.insert(place)
        ranks[place] = place.number % 2 == 0 ? .low : .high
      }
      return Bag(places: set, ranks: ranks, moods: [.calm, nil, .wild])
    }
    let a = try KeyedArchiver.archivedData(
      withRootObject: bag(places), requiringSecureCoding: true, layout: layout)
    let b = try KeyedArchiver.archivedData(
      withRootObject: bag(places.reversed()), requiringSecureCoding: true, layout: layout)
    #expect(a == b)
    let made = try KeyedUnarchiver.unarchivedObject(ofClass: Bag.self, from: a)
    #expect(made?.places == Set(places))
    #expect(made?.ranks.count == 40)
    #expect(made?.moods == [.calm, nil, .wild])
  }

  @Test("a nest of any depth is encoded in constant stack")
  func deep() throws {
    indirect enum List: KeyedCodable {
      case end
      case more(Int, List)
    }
    var list = List.end
    for number in 0..<5000 { list = .more(number, list) }
    var result: Result<KeyedArchive, any Error>?
    try System.onThread(stackBytes: 512 << 10) { [list] in result = Result { try archive(list) } }
    #expect(try #require(result).get().root["more"]["_0"].number == .integer(4999))
    // It is taken apart by hand, for the compiler would do it by recursion.
    while case .more(_, let rest) = list { list = rest }
  }
}
