// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import SystemFiles

/// Counts the initialisers that must never run.
enum Canary {
  private static let count = Locked(0)

  static func sing() { count.withLock { $0 += 1 } }
  static var songs: Int { count.withLock { $0 } }
}

/// The classes that the files know of.
enum Fixture {
  /// All of them are registered with every decoder; which may come out is the list's affair.
  static let all: [String: any (KeyedCoding & SendableMetatype).Type] = [
    "HCreature": HCreature.self, "HSubCreature": HSubCreature.self, "HNode": HNode.self, "HEvil": HEvil.self,
    "HInsecure": HInsecure.self,
  ]
}

class HCreature: SecureKeyedCoding {
  class var archiveClassName: String { "HCreature" }
  let title: String
  let rating: Double

  func encode(with coder: KeyedArchiver) {
    coder.encode(title, forKey: "title")
    coder.encode(rating, forKey: "rating")
  }

  required init?(coder: KeyedUnarchiver) {
    guard let title = coder.decodeObject(of: String.self, forKey: "title") else { return nil }
    self.title = title
    rating = coder.decodeDouble(forKey: "rating")
  }
}

final class HSubCreature: HCreature {
  override class var archiveClassName: String { "HSubCreature" }
}

final class HNode: SecureKeyedCoding {
  static var archiveClassName: String { "HNode" }
  let name: String?
  private(set) var next: HNode?
  private(set) var children: [HNode] = []

  func encode(with coder: KeyedArchiver) {
    coder.encode(name, forKey: "name")
    coder.encode(next, forKey: "next")
    coder.encode(children, forKey: "children")
  }

  init?(coder: KeyedUnarchiver) {
    name = coder.decodeObject(of: String.self, forKey: "name")
    coder.decodeObject(of: HNode.self, forKey: "next") { self.next = $0 }
    coder.decodeObject(of: [HNode].self, forKey: "children") { self.children = $0 }
  }

  /// A long chain is let go node by node, not one inside of the other.
  deinit {
    var rest = next
    next = nil
    while isKnownUniquelyReferenced(&rest) {
      let following = rest?.next
      rest?.next = nil
      rest = following
    }
  }
}

/// A canary: on no list.
final class HEvil: SecureKeyedCoding {
  static var archiveClassName: String { "HEvil" }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) { Canary.sing() }
}

/// A canary wherever secure coding is required.
final class HInsecure: KeyedCoding {
  static var archiveClassName: String { "HInsecure" }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) { Canary.sing() }
}
