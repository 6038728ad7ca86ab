// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving

/// A node of any graph: a tree with parents, a chain, a ring.
final class Node: SecureKeyedCoding {
  var name: String
  var id = 0
  var weight = 0.0
  var flag = false
  var next: Node?
  weak var parent: Node?
  var children: [Node] = []

  init(_ name: String) { self.name = name }

  func encode(with coder: KeyedArchiver) {
    coder.encode(name, forKey: "name")
    coder.encode(id, forKey: "id")
    coder.encode(weight, forKey: "weight")
    coder.encode(flag, forKey: "flag")
    coder.encode(next, forKey: "next")
    coder.encodeConditionalObject(parent, forKey: "parent")
    coder.encode(children, forKey: "children")
  }

  init?(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "name")
    id = coder.decodeInteger(forKey: "id")
    weight = coder.decodeDouble(forKey: "weight")
    flag = coder.decodeBool(forKey: "flag")
    children = try coder.decode([Node].self, forKey: "children")
    coder.decodeObject(of: Node.self, forKey: "next") { self.next = $0 }
    coder.decodeObject(of: Node.self, forKey: "parent") { self.parent = $0 }
  }

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
