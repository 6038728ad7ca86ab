// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A printer of types as `String(reflecting:)` prints them, without what tells private and local types apart.
struct SwiftNamePrinter {
  private let graph: TypeGraph
  private var text: [UInt8] = []
  /// How many nodes may still be visited. Most print something, but a type can have many contexts that do not.
  private var stepsLeft = SwiftNamePrinter.limit

  /// The longest text that is printed. A short name can repeat its parts, and these theirs.
  static let limit = 4096

  init(_ graph: TypeGraph) { self.graph = graph }

  mutating func name(of type: TypeGraph.ID) throws(UnsupportedName) -> String {
    try print(type)
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func print(_ bytes: some Collection<UInt8>) throws(UnsupportedName) {
    guard bytes.count <= SwiftNamePrinter.limit - text.count else { throw UnsupportedName() }
    text += bytes
  }

  private mutating func print(_ part: String) throws(UnsupportedName) { try print(part.utf8) }

  private mutating func print(all nodes: some Collection<TypeGraph.ID>, separator: String) throws(UnsupportedName) {
    for (place, node) in nodes.enumerated() {
      if place > 0 { try print(separator) }
      try print(node)
    }
  }

  private mutating func print(_ id: TypeGraph.ID) throws(UnsupportedName) {
    guard stepsLeft > 0 else { throw UnsupportedName() }
    stepsLeft -= 1
    let node = graph[id]
    switch node.kind {
    case .module, .name: try print(node.text)
    case .privateName, .anonymousContext, .functionContext: try print(node.children[0])
    case .extensionContext:
      try print("(extension in ")
      try print(node.children[0])
      try print("):")
      try print(node.children[1])
    case .structure, .enumeration, .classType, .protocolType: try print(all: node.children, separator: ".")
    case .bound:
      try print(node.children[0])
      try print("<")
      try print(all: graph[node.children[1]].children, separator: ", ")
      try print(">")
    case .tuple, .variadicTuple:
      try print("(")
      try print(all: node.children, separator: ", ")
      try print(node.kind == .tuple ? ")" : "...)")
    case .element:
      if !node.text.isEmpty {
        try print(node.text)
        try print(": ")
      }
      try print(node.children[0])
    case .function, .cFunction, .block, .autoclosure: try printFunction(node)
    case .inOut: try print("inout ", node.children[0])
    case .shared: try print("__shared ", node.children[0])
    case .owned: try print("__owned ", node.children[0])
    case .metatype: try printMetatype(of: node.children[0], isExistential(node.children[0]) ? ".Protocol" : ".Type")
    case .existentialMetatype: try printMetatype(of: node.children[0], ".Type")
    case .protocolList:
      if node.children.isEmpty { try print("Any") } else { try print(all: node.children, separator: " & ") }
    case .classAndProtocols:
      try print(all: [node.children[node.children.count - 1]] + node.children.dropLast(), separator: " & ")
    case .list, .marker: throw UnsupportedName()
    }
  }

  private mutating func print(_ prefix: String, _ type: TypeGraph.ID) throws(UnsupportedName) {
    try print(prefix)
    try print(type)
  }

  private mutating func printFunction(_ node: TypeGraph.Node) throws(UnsupportedName) {
    switch node.kind {
    case .cFunction: try print("@convention(c) ")
    case .block: try print("@convention(block) ")
    case .autoclosure: try print("@autoclosure ")
    default: break
    }
    if node.text.contains(UInt8(ascii: "y")) { try print("@Sendable ") }
    let parameters = node.children[0]
    if graph[parameters].kind == .tuple || graph[parameters].kind == .variadicTuple {
      try print(parameters)
    } else {
      try print("(", parameters)
      try print(")")
    }
    if node.text.contains(UInt8(ascii: "Z")) { try print(" async") }
    if node.text.contains(UInt8(ascii: "z")) { try print(" throws") }
    try print(" -> ", node.children[1])
  }

  private func isExistential(_ type: TypeGraph.ID) -> Bool {
    [.protocolList, .classAndProtocols, .existentialMetatype].contains(graph[type].kind)
  }

  private mutating func printMetatype(of type: TypeGraph.ID, _ suffix: String) throws(UnsupportedName) {
    let needsParentheses =
      switch graph[type].kind {
      case .function, .cFunction, .block, .autoclosure, .classAndProtocols: true
      case .protocolList: graph[type].children.count > 1
      default: false
      }
    if needsParentheses { try print("(") }
    try print(type)
    try print(needsParentheses ? ")" + suffix : suffix)
  }
}
