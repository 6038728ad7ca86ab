// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A parsed XML property list: its values in the order of their start tags, linked as a tree.
struct XMLTree {
  enum Kind: UInt8 {
    case dictionary, array, string, integer, wideInteger, real, date, data, `true`, `false`, uid
  }

  struct Node {
    var kind: Kind
    /// A number's bits, or where the bytes of a string or data begin.
    var payload: UInt64 = 0
    /// How many bytes a string or data has; how many values a container.
    var count = 0
    /// In a dictionary, the key it is the value for.
    var key: Int32 = -1
    var firstChild: Int32 = -1
    var lastChild: Int32 = -1
    var nextSibling: Int32 = -1
  }

  var nodes: [Node] = []
  /// The distinct keys.
  var keys: [String] = []
  /// The bytes of strings and data, one after another.
  var bytes: [UInt8] = []
  private var keyNumbers: [BytewiseString: Int32] = [:]

  /// Adds a node, as the last child of a container unless it is the root.
  mutating func add(_ node: Node, to parent: Int32?) -> Int32 {
    let number = Int32(truncatingIfNeeded: nodes.count)
    nodes.append(node)
    guard let parent = parent.map(Int.init) else { return number }
    if nodes[parent].lastChild >= 0 {
      nodes[Int(nodes[parent].lastChild)].nextSibling = number
    } else {
      nodes[parent].firstChild = number
    }
    nodes[parent].lastChild = number
    nodes[parent].count += 1
    return number
  }

  /// The number of a key's text.
  mutating func key(_ text: String) -> Int32 {
    let exact = BytewiseString(text)
    if let number = keyNumbers[exact] { return number }
    let number = Int32(keys.count)
    keys.append(text)
    keyNumbers[exact] = number
    return number
  }
}
