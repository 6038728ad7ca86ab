// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A writer of the name that Apple's Objective-C runtime gives to a class, as `docs/ABI/OldMangling.rst` of Swift describes
/// it.
struct RuntimeNameWriter {
  private var graph: TypeGraph
  private var text: [UInt8] = []
  private var indexOfSubstitution: [TypeGraph.ID: Int] = [:]

  init(_ graph: TypeGraph) { self.graph = graph }

  /// Returns the name of a class.
  ///
  /// The runtime shows a class that is not in another declaration, not private and not generic as `Module.Name`. It adds a
  /// dollar sign to generic classes of the standard library.
  mutating func name(of type: TypeGraph.ID) throws(UnsupportedName) -> String {
    let node = graph[type]
    if node.kind == .classType, graph[node.children[0]].kind == .module, graph[node.children[1]].kind == .name {
      let name = graph[node.children[0]].text + [UInt8(ascii: ".")] + graph[node.children[1]].text
      return String(decoding: name, as: UTF8.self)
    }
    write("_Tt")
    try write(type)
    if text.starts(with: "_TtGCs".utf8) { write("$") }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func write(_ part: String) { text += part.utf8 }

  private mutating func write(identifier: [UInt8]) {
    text += "\(identifier.count)".utf8
    text += identifier
  }

  private mutating func write(all nodes: some Sequence<TypeGraph.ID>) throws(UnsupportedName) {
    for node in nodes { try write(node) }
  }

  /// Writes a type or a context.
  private mutating func write(_ id: TypeGraph.ID) throws(UnsupportedName) {
    // The name of a class that is generic in itself twice, and so on, doubles with each level.
    guard text.count <= 1 << 16 else { throw UnsupportedName() }
    let node = graph[id]
    switch node.kind {
    case .module: try writeModule(id)
    case .extensionContext:
      write("E")
      try write(all: node.children)
    case .structure: try writeDeclaredType(id, "V")
    case .enumeration: try writeDeclaredType(id, "O")
    case .classType: try writeDeclaredType(id, "C")
    case .bound: try writeBound(id)
    case .tuple, .variadicTuple:
      write(node.kind == .tuple ? "T" : "t")
      try write(all: node.children)
      write("_")
    case .element:
      if !node.text.isEmpty { write(identifier: node.text) }
      try write(node.children[0])
    case .function: try writeFunction(node, "F")
    case .cFunction: try writeFunction(node, "c")
    case .block: try writeFunction(node, "b")
    case .autoclosure: try writeFunction(node, "K")
    case .inOut: try write("R", node.children[0])
    case .shared: try write("h", node.children[0])
    case .owned: try write("n", node.children[0])
    case .metatype: try write("M", node.children[0])
    case .existentialMetatype: try write("PM", node.children[0])
    case .protocolType:
      write("P")
      try writeProtocols([id])
    case .protocolList:
      write("P")
      try writeProtocols(node.children[...])
    case .classAndProtocols:
      guard let superclass = node.children.last else { throw UnsupportedName() }
      try write("Xc", superclass)
      try writeProtocols(node.children.dropLast())
    case .name: write(identifier: node.text)
    case .privateName:
      write("P")
      write(identifier: node.text)
      try write(node.children[0])
    case .anonymousContext, .functionContext, .list, .marker: throw UnsupportedName()
    }
  }

  private mutating func write(_ prefix: String, _ type: TypeGraph.ID) throws(UnsupportedName) {
    write(prefix)
    try write(type)
  }

  private mutating func writeFunction(_ node: TypeGraph.Node, _ prefix: String) throws(UnsupportedName) {
    write(prefix)
    text += node.text
    try write(all: node.children)
  }

  private mutating func writeProtocols(_ protocols: ArraySlice<TypeGraph.ID>) throws(UnsupportedName) {
    for id in protocols {
      guard graph[id].kind == .protocolType else { throw UnsupportedName() }
      try writeUnlessKnown(id) { writer, node throws(UnsupportedName) in try writer.write(all: node.children) }
    }
    write("_")
  }

  private mutating func writeDeclaredType(_ id: TypeGraph.ID, _ prefix: String) throws(UnsupportedName) {
    if graph.isBound(id) { return try writeBound(id) }
    try writeUnlessKnown(id) { writer, node throws(UnsupportedName) in
      writer.write(prefix)
      try writer.write(all: node.children)
    }
  }

  private mutating func writeModule(_ id: TypeGraph.ID) throws(UnsupportedName) {
    let name = graph[id].text
    if name.elementsEqual("Swift".utf8) { return write("s") }
    if name.elementsEqual("__C".utf8) { return write("So") }
    if name.elementsEqual("__C_Synthesized".utf8) { return write("SC") }
    try writeUnlessKnown(id) { writer, node throws(UnsupportedName) in writer.write(identifier: node.text) }
  }

  /// Writes a generic type: without arguments, then the arguments of each type around it, and of itself.
  private mutating func writeBound(_ id: TypeGraph.ID) throws(UnsupportedName) {
    write("G")
    try write(graph.unbound(id))
    try writeArguments(of: id)
  }

  private mutating func writeArguments(of id: TypeGraph.ID) throws(UnsupportedName) {
    let node = graph[id]
    switch node.kind {
    case .bound:
      try writeArguments(of: graph[node.children[0]].children[0])
      try write(all: graph[node.children[1]].children)
      write("_")
    case .structure, .enumeration, .classType:
      try writeArguments(of: node.children[0])
      write("_")
    case .extensionContext: try writeArguments(of: node.children[1])
    default: break
    }
  }

  /// Writes what refers back to a node, or the node itself, to which later names can refer.
  private mutating func writeUnlessKnown(
    _ id: TypeGraph.ID, _ body: (inout RuntimeNameWriter, TypeGraph.Node) throws(UnsupportedName) -> Void
  ) throws(UnsupportedName) {
    if let letter = abbreviation(of: id) {
      write("S")
      text.append(letter)
    } else if let index = indexOfSubstitution[id] {
      write("S")
      if index > 0 { text += "\(index - 1)".utf8 }
      write("_")
    } else {
      try body(&self, graph[id])
      indexOfSubstitution[id] = indexOfSubstitution.count
    }
  }

  private func abbreviation(of id: TypeGraph.ID) -> UInt8? {
    let node = graph[id]
    guard node.kind == .structure || node.kind == .enumeration,
      graph[node.children[1]].kind == .name, graph[node.children[0]].kind == .module,
      graph[node.children[0]].text.elementsEqual("Swift".utf8)
    else { return nil }
    let name = graph[node.children[1]].text
    return StandardTypes.inRuntimeNames.first { $0.kind == node.kind && name.elementsEqual($0.name.utf8) }
      .map { UInt8(ascii: $0.letter) }
  }
}
