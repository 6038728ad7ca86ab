// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving

/// The creature that both archivers archive.
final class BenchmarkCreature: NSObject, SecureKeyedCoding, NSSecureCoding {
  static var archiveClassName: String { "Creature" }
  static var supportsSecureCoding: Bool { true }

  let title: String
  let rating: Float

  init(_ number: Int) {
    title = Workload.title(number)
    rating = Workload.rating(number)
  }

  func encode(with coder: KeyedArchiver) {
    coder.encode(title, forKey: "title")
    coder.encodeObject(rating, forKey: "rating")
  }

  init?(coder: KeyedUnarchiver) {
    guard let title = coder.decodeObject(of: String.self, forKey: "title") else { return nil }
    self.title = title
    rating = coder.decodeFloat(forKey: "rating")
  }

  func encode(with coder: NSCoder) {
    coder.encode(NSString(string: title), forKey: "title")
    coder.encode(NSNumber(value: rating), forKey: "rating")
  }

  init?(coder: NSCoder) {
    guard let title = coder.decodeObject(of: NSString.self, forKey: "title"),
      let rating = coder.decodeObject(of: NSNumber.self, forKey: "rating")
    else { return nil }
    self.title = String(describing: title)
    self.rating = rating.floatValue
  }

  var record: CreatureRecord { CreatureRecord(title: title, rating: rating) }
}

/// The creature with the methods that the compiler generates. Its rating is inline, and the other's is an object.
final class CodableCreature: KeyedCodable {
  static var archiveClassName: String { "Creature" }

  let title: String
  let rating: Float

  init(_ number: Int) {
    title = Workload.title(number)
    rating = Workload.rating(number)
  }

  var record: CreatureRecord { CreatureRecord(title: title, rating: rating) }
}

/// The creature as `Codable` has it.
struct CreatureRecord: Codable, Hashable {
  var title: String
  var rating: Float
}
