// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import KeyedArchives
import KeyedArchiving
import Testing

/// A type with a parameter.
struct Crate<Content: Codable & Equatable>: KeyedCodable, Equatable {
  var content: Content
}

final class Shelf<Content: Codable & Equatable>: KeyedCodable {
  final class Board: KeyedCodable {
    var width = 3
  }
  var board = Board()
  var crate: Crate<Content>

  init(_ content: Content) { crate = Crate(content: content) }
}

@Suite("Codable: generic types, nil and decimals")
struct CodableTypeTests {
  @Test("a generic type has its arguments in its class name, and is not taken for one with others")
  func generics() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Crate(content: 4), requiringSecureCoding: true)
    #expect(try KeyedArchive(data).root.className == "KeyedArchivingTests.Crate<Swift.Int>")
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Crate<Int>.self, from: data) == Crate(content: 4))
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Crate<String>.self, from: data)
    }
    #expect(error?.description.contains("Crate<Swift.Int>") ?? false, "\(String(describing: error))")
  }

  @Test("generic and nested classes come back, inside each other too", arguments: ArchiveLayout.allCases)
  func nested(_ layout: ArchiveLayout) throws {
    let shelf = Shelf(Crate(content: ["a", "b"]))
    let made = try again(shelf, layout)
    #expect(made?.crate == shelf.crate && made?.board.width == 3)
    let root = try archive(shelf).root
    #expect(root["board"].className == "_TtGCC19KeyedArchivingTests5Shelf5BoardGVS_5CrateGSaSS____")
    #expect(root["crate"]["content"]["content"][1].string == "b")
  }

  @Test("a nil property has no key in the archive, which an object that encodes nil by hand has")
  func absentKeys() throws {
    struct Person: KeyedCodable {
      var name: String?
      var age: Int?
      var friend: Crate<Int>?
    }
    #expect(try archive(Person()).root.keys == [])
    let made = try again(Person(name: nil, age: 3, friend: nil))
    #expect(made?.age == 3 && made?.name == nil && made?.friend == nil)
  }

  private let prices = ["0", "12.5", "-0.001", "340282366920938463463374607431768211455", "1e100"].compactMap {
    Decimal(string: $0)
  }

  @Test("a decimal is the object that a decimal number is, and comes back digit by digit")
  func decimals() throws {
    #expect(prices.count == 5)
    for price in prices {
      let crate = Crate(content: [price])
      let archive = try archive(crate)
      #expect(archive.root["content"][0].className == "NSDecimalNumberPlaceholder")
      #expect(archive.root["content"][0]["NS.mantissa"].data?.count == 16)
      #expect(try again(crate) == crate)
    }
  }

  @Test("a decimal in a property list is what Foundation's own encoder makes of it")
  func decimalsInLists() throws {
    for price in prices {
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      try archiver.encodeEncodable([price], forKey: "prices")
      let data = try archiver.encodedData
      let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
      unarchiver.requiresSecureCoding = true
      unarchiver.decodingFailurePolicy = .setErrorAndReturn
      let found = unarchiver.decodeObject(
        of: [NSArray.self, NSDictionary.self, NSNumber.self, NSString.self, NSData.self], forKey: "prices")
      let list = try PropertyListEncoder().encode([price])
      let expected = try unsafe PropertyListSerialization.propertyList(from: list, format: nil)
      #expect(found as? NSArray == expected as? NSArray, "\(price)")
      let ours = try KeyedUnarchiver(forReadingFrom: data)
      #expect(try ours.decodeTopLevelDecodable([Decimal].self, forKey: "prices") == [price])
    }
  }
}
