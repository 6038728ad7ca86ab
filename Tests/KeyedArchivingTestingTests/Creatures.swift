// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving

/// A type as a program has it today. The others of this file are archived under its name, each with one fault.
struct Creature: KeyedCodable, Equatable {
  static var archiveClassName: String { "Zoo.Creature" }

  var title: String
  var rating: Float
}

/// The type with a key more, as a later version may have it.
struct MoodyCreature: KeyedCodable, Equatable {
  static var archiveClassName: String { "Zoo.Creature" }

  var title: String
  var rating: Float
  var mood: String?
}

/// Decodes a number that is not the one in the file.
struct InflatedCreature: KeyedCodable {
  static var archiveClassName: String { "Zoo.Creature" }

  var title: String
  var rating: Float

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    title = try container.decode(String.self, forKey: .title)
    rating = try container.decode(Float.self, forKey: .rating) * 2
  }
}

/// Does not archive its rating.
struct ForgetfulCreature: KeyedCodable {
  static var archiveClassName: String { "Zoo.Creature" }

  var title: String
  var rating: Float

  enum CodingKeys: CodingKey {
    case title, rating
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(title, forKey: .title)
  }
}

/// Requests a key that is spelled differently when it is archived.
final class MisspeltCreature: SecureKeyedCoding {
  static var archiveClassName: String { "Zoo.Creature" }

  let title: String
  let rating: Float

  func encode(with coder: KeyedArchiver) {
    coder.encode(title, forKey: "title")
    coder.encode(rating, forKey: "rating")
  }

  init?(coder: KeyedUnarchiver) {
    guard let title = coder.decodeObject(of: String.self, forKey: "title") else { return nil }
    self.title = title
    rating = coder.decodeFloat(forKey: "Rating")
  }
}

/// Exchanges two texts, both when it is archived and when it is decoded.
final class ExchangingCreature: SecureKeyedCoding {
  static var archiveClassName: String { "Zoo.Creature" }

  let title: String
  let name: String

  init(title: String, name: String) { (self.title, self.name) = (title, name) }

  func encode(with coder: KeyedArchiver) {
    coder.encode(title, forKey: "name")
    coder.encode(name, forKey: "title")
  }

  init?(coder: KeyedUnarchiver) {
    title = coder.decodeObject(of: String.self, forKey: "name") ?? ""
    name = coder.decodeObject(of: String.self, forKey: "title") ?? ""
  }
}

/// A creature that trusts its files.
final class TrappingCreature: SecureKeyedCoding {
  static var archiveClassName: String { "Zoo.Creature" }

  let title: String
  let rating: Float

  func encode(with coder: KeyedArchiver) {
    coder.encode(title, forKey: "title")
    coder.encode(rating, forKey: "rating")
  }

  init?(coder: KeyedUnarchiver) {
    guard let title = coder.decodeObject(of: String.self, forKey: "title") else {
      preconditionFailure("a creature without a title")
    }
    self.title = title
    rating = coder.decodeFloat(forKey: "rating")
  }
}

/// A creature that accepts whatever its files have.
struct CarelessCreature: KeyedCodable {
  static var archiveClassName: String { "Zoo.Creature" }

  var title: String
  var rating: Float

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    title = try container.decode(String.self, forKey: .title)
    rating = (try? container.decode(Float.self, forKey: .rating)) ?? 0
  }
}

/// A creature whose rating may be absent.
struct PackMember: KeyedCodable {
  static var archiveClassName: String { "Zoo.Member" }

  var title: String
  var rating: Float?
}

/// A value with a key that its elements have, too.
struct RatedPack: KeyedCodable {
  static var archiveClassName: String { "Zoo.Pack" }

  var rating: Float
  var members: [PackMember]
}
