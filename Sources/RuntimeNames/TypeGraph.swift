// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A name that this module cannot read or write. It is malformed or too deeply nested, or has an unknown part.
struct UnsupportedName: Error {}

/// Types as the nodes of a graph in which equal nodes are the same node.
///
/// Both manglings refer back to earlier parts of a name. A short name can therefore describe a type whose tree does not fit
/// in memory. In this graph each part exists once, and comparing two types compares two numbers.
struct TypeGraph {
  typealias ID = Int32

  enum Kind: UInt8 {
    // Names. The text of a private name is what tells files apart; its child is the name.
    case name, privateName
    // Contexts. An extension has its module and the extended type. An anonymous context is private to a file or a
    // function, and the runtime does not know which. A function is a function, a variable or an initializer.
    case module, extensionContext, anonymousContext, functionContext
    // Declared types: their context and their name.
    case structure, enumeration, classType, protocolType
    // A declared type and the list of its arguments.
    case bound, list
    // Tuples, and their elements with their labels as the text.
    case tuple, variadicTuple, element
    // Functions: their parameters and their result, with letters for `throws`, `@Sendable` and `async` as the text.
    case function, cFunction, block, autoclosure
    case inOut, shared, owned
    case metatype, existentialMetatype
    // Compositions of protocols; the second has a class as the last child.
    case protocolList, classAndProtocols
    // What Swift's mangling puts between the parts of a list. The text is its letter.
    case marker
  }

  struct Node: Hashable {
    var kind: Kind
    var text: [UInt8] = []
    var children: [ID] = []
  }

  /// How deeply types may be nested. All recursion over a graph ends here.
  static let depthLimit = 128

  private var nodes: [Node] = []
  private var heights: [Int] = []
  private var idOfNode: [Node: ID] = [:]

  subscript(id: ID) -> Node { nodes[Int(id)] }

  /// Returns the node with some contents.
  mutating func add(_ kind: Kind, _ children: [ID] = [], text: [UInt8] = []) throws(UnsupportedName) -> ID {
    let node = Node(kind: kind, text: text, children: children)
    if let known = idOfNode[node] { return known }
    var height = 1
    for child in children { height = max(height, heights[Int(child)] + 1) }
    guard height <= TypeGraph.depthLimit, let id = ID(exactly: nodes.count) else { throw UnsupportedName() }
    nodes.append(node)
    heights.append(height)
    idOfNode[node] = id
    return id
  }

  mutating func module(_ name: String) throws(UnsupportedName) -> ID { try add(.module, text: Array(name.utf8)) }

  /// Returns a type of the standard library.
  mutating func swiftType(_ kind: Kind, _ name: [UInt8]) throws(UnsupportedName) -> ID {
    try add(kind, [module("Swift"), add(.name, text: name)])
  }

  func isDeclaredType(_ id: ID) -> Bool {
    switch self[id].kind {
    case .structure, .enumeration, .classType, .protocolType: true
    default: false
    }
  }

  /// Returns a type with arguments for itself and for the types around it. The lists of arguments begin with its own.
  mutating func binding(_ type: ID, to lists: ArraySlice<[ID]>) throws(UnsupportedName) -> ID {
    let node = self[type]
    switch node.kind {
    case .extensionContext: return try add(node.kind, [node.children[0], binding(node.children[1], to: lists)])
    case .anonymousContext: return try add(node.kind, [binding(node.children[0], to: lists)])
    case .structure, .enumeration, .classType:
      guard let arguments = lists.first else { throw UnsupportedName() }
      let outer = lists.dropFirst()
      let context = node.children[0]
      let type = outer.isEmpty ? type : try add(node.kind, [binding(context, to: outer), node.children[1]])
      return arguments.isEmpty ? type : try add(.bound, [type, add(.list, arguments)])
    default: throw UnsupportedName()
    }
  }

  /// Returns whether a type, or a type around it, has arguments.
  func isBound(_ id: ID) -> Bool {
    let node = self[id]
    return switch node.kind {
    case .bound: true
    case .structure, .enumeration, .classType, .anonymousContext: isBound(node.children[0])
    case .extensionContext: isBound(node.children[1])
    default: false
    }
  }

  /// Returns a type without its arguments and those of the types around it.
  mutating func unbound(_ id: ID) throws(UnsupportedName) -> ID {
    let node = self[id]
    switch node.kind {
    case .bound: return try unbound(node.children[0])
    case .structure, .enumeration, .classType: return try add(node.kind, [unbound(node.children[0]), node.children[1]])
    case .anonymousContext: return try add(node.kind, [unbound(node.children[0])])
    case .extensionContext: return try add(node.kind, [node.children[0], unbound(node.children[1])])
    default: return id
    }
  }
}
