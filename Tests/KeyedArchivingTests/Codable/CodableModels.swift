// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import KeyedArchiving

/// A place that is Codable and nothing else.
struct Address: Codable, Hashable {
  var street: String
  var number: Int
}

enum Rank: Int, Codable, CaseIterable {
  case low = 1
  case high = 9
}

/// A person with a property of nearly every kind; one line makes it archivable.
final class Owner: KeyedCodable, Equatable {
  var name: String
  var age = 41
  var weight = 72.5
  var height: Float = 1.75
  var isHome = true
  var small: Int8 = -8
  var wide: UInt64 = .max
  var nickname: String?
  var missing: Double?
  var mood = Temper.wild
  var rank = Rank.high
  var home: Address
  var others: [Address] = []
  var byName: [String: Address] = [:]
  var tags: Set<String> = ["a", "b"]
  var places: Set<Address> = []
  var since = Date(timeIntervalSinceReferenceDate: 1234.5)
  var photo = Data([1, 2, 3])
  var link = URL(filePath: "/tmp")
  var id = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
  var price = Decimal(string: "12.50")
  var maybes: [Int?] = [1, nil, 3]
  var grid: [[Double]] = [[1.5], []]
  var moods: [Temper: Rank] = [.calm: .low]

  init(_ name: String, _ home: Address) {
    self.name = name
    self.home = home
  }

  static func == (a: Owner, b: Owner) -> Bool {
    a.name == b.name && a.age == b.age && a.weight == b.weight && a.height == b.height && a.isHome == b.isHome
      && a.small == b.small && a.wide == b.wide && a.nickname == b.nickname && a.missing == b.missing
      && a.mood == b.mood && a.rank == b.rank && a.home == b.home && a.others == b.others && a.byName == b.byName
      && a.tags == b.tags && a.places == b.places && a.since == b.since && a.photo == b.photo && a.link == b.link
      && a.id == b.id && a.price == b.price && a.maybes == b.maybes && a.grid == b.grid && a.moods == b.moods
  }
}

extension Owner {
  /// One with everything in it.
  static func full() -> Owner {
    let owner = Owner("Ann", Address(street: "Elm", number: 5))
    owner.nickname = "A"
    owner.others = [owner.home, Address(street: "Oak", number: 6)]
    owner.byName = ["work": Address(street: "Mill", number: 7), "home": owner.home]
    owner.places = [owner.home, Address(street: "Sea", number: 8)]
    return owner
  }
}
