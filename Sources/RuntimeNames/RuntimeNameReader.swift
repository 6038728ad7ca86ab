// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A reader of names that Apple's Objective-C runtime gives to classes, as `docs/ABI/OldMangling.rst` of Swift describes
/// them.
///
/// The name may come from a hostile file. Each step reads at least one byte, and no step reads bytes again, so the time is
/// linear. ``TypeGraph/depthLimit`` bounds the recursion.
struct RuntimeNameReader {
  private(set) var graph = TypeGraph()
  private var bytes: NameBytes
  private var substitutions: [TypeGraph.ID] = []
  /// The types of the standard library that were read, by their letters.
  private var standardTypes: [Unicode.Scalar: TypeGraph.ID] = [:]
  private var depth = 0

  init(_ name: some Sequence<UInt8>) throws(UnsupportedName) { bytes = try NameBytes(Array(name)) }

  /// Reads the name of a class.
  /// - Returns: The class, as a node of ``graph``.
  mutating func read() throws(UnsupportedName) -> TypeGraph.ID {
    guard bytes.skip("_"), bytes.skip("T"), bytes.skip("t") else { throw UnsupportedName() }
    let type = try readType()
    _ = bytes.skip("$")
    guard bytes.isAtEnd else { throw UnsupportedName() }
    let declared = graph[type].kind == .bound ? graph[type].children[0] : type
    guard graph[declared].kind == .classType else { throw UnsupportedName() }
    return type
  }

  private mutating func deeper<Result>(
    _ body: (inout RuntimeNameReader) throws(UnsupportedName) -> Result
  ) throws(UnsupportedName) -> Result {
    guard depth < TypeGraph.depthLimit else { throw UnsupportedName() }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  // MARK: Types

  private mutating func readType() throws(UnsupportedName) -> TypeGraph.ID {
    try deeper { reader throws(UnsupportedName) in try reader.readTypeHere() }
  }

  private mutating func readTypeHere() throws(UnsupportedName) -> TypeGraph.ID {
    switch Unicode.Scalar(try bytes.next()) {
    case "C": return try readDeclaredType(.classType)
    case "F": return try readFunction(.function)
    case "G": return try readBound()
    case "K": return try readFunction(.autoclosure)
    case "M": return try graph.add(.metatype, [readType()])
    case "O": return try readDeclaredType(.enumeration)
    case "P":
      if bytes.skip("M") { return try graph.add(.existentialMetatype, [readType()]) }
      return try graph.add(.protocolList, readProtocols())
    case "R": return try graph.add(.inOut, [readType()])
    case "S":
      let type = try readSubstitution()
      guard graph.isDeclaredType(type) else { throw UnsupportedName() }
      return type
    case "T": return try graph.add(.tuple, readElements())
    case "V": return try readDeclaredType(.structure)
    case "X":
      guard bytes.skip("c") else { throw UnsupportedName() }
      let superclass = try readType()
      return try graph.add(.classAndProtocols, readProtocols() + [superclass])
    case "b": return try readFunction(.block)
    case "c": return try readFunction(.cFunction)
    case "h": return try graph.add(.shared, [readType()])
    case "n": return try graph.add(.owned, [readType()])
    case "t": return try graph.add(.variadicTuple, readElements())
    default: throw UnsupportedName()
    }
  }

  private mutating func readFunction(_ kind: TypeGraph.Kind) throws(UnsupportedName) -> TypeGraph.ID {
    var attributes: [UInt8] = []
    for letter in ["z", "y", "Z"] as [Unicode.Scalar] where bytes.skip(letter) {
      attributes.append(UInt8(ascii: letter))
    }
    return try graph.add(kind, [readType(), readType()], text: attributes)
  }

  private mutating func readElements() throws(UnsupportedName) -> [TypeGraph.ID] {
    var elements: [TypeGraph.ID] = []
    while !bytes.skip("_") {
      let label = bytes.peek.isDigit ? try readText() : []
      elements.append(try graph.add(.element, [readType()], text: label))
    }
    return elements
  }

  private mutating func readProtocols() throws(UnsupportedName) -> [TypeGraph.ID] {
    var protocols: [TypeGraph.ID] = []
    while !bytes.skip("_") {
      // What refers back is the protocol or its module.
      if bytes.skip("S") {
        let known = try readSubstitution()
        protocols.append(graph[known].kind == .protocolType ? known : try readProtocol(in: known))
      } else {
        protocols.append(try readProtocol(in: readContext()))
      }
    }
    return protocols
  }

  private mutating func readProtocol(in context: TypeGraph.ID) throws(UnsupportedName) -> TypeGraph.ID {
    try readDeclaration(.protocolType, in: context)
  }

  private mutating func readDeclaredType(_ kind: TypeGraph.Kind) throws(UnsupportedName) -> TypeGraph.ID {
    try readDeclaration(kind, in: readContext())
  }

  private mutating func readDeclaration(
    _ kind: TypeGraph.Kind, in context: TypeGraph.ID
  ) throws(UnsupportedName) -> TypeGraph.ID {
    let type = try graph.add(kind, [context, readDeclarationName()])
    substitutions.append(type)
    return type
  }

  /// Reads a type, and arguments for each type around it and for itself.
  private mutating func readBound() throws(UnsupportedName) -> TypeGraph.ID {
    let type: TypeGraph.ID
    switch Unicode.Scalar(try bytes.next()) {
    case "C": type = try readDeclaredType(.classType)
    case "O": type = try readDeclaredType(.enumeration)
    case "S": type = try readSubstitution()
    case "V": type = try readDeclaredType(.structure)
    default: throw UnsupportedName()
    }
    var lists: [[TypeGraph.ID]] = []
    for _ in 0..<levels(of: type) {
      var list: [TypeGraph.ID] = []
      while !bytes.skip("_") { list.append(try readType()) }
      lists.append(list)
    }
    return try graph.binding(type, to: lists.reversed()[...])
  }

  /// Returns how many types a type is nested in, with itself. The arguments of those outside of a function are not in the
  /// name.
  private func levels(of type: TypeGraph.ID) -> Int {
    let node = graph[type]
    return switch node.kind {
    case .structure, .enumeration, .classType: 1 + levels(of: node.children[0])
    case .extensionContext: levels(of: node.children[1])
    default: 0
    }
  }

  // MARK: Contexts

  private mutating func readContext() throws(UnsupportedName) -> TypeGraph.ID {
    try deeper { reader throws(UnsupportedName) in try reader.readContextHere() }
  }

  private mutating func readContextHere() throws(UnsupportedName) -> TypeGraph.ID {
    if bytes.skip("E") {
      let module = try readContext()
      guard graph[module].kind == .module else { throw UnsupportedName() }
      return try graph.add(.extensionContext, [module, readContext()])
    }
    if bytes.skip("S") { return try readSubstitution() }
    if bytes.skip("s") { return try graph.module("Swift") }
    if bytes.skip("G") { return try readBound() }
    if bytes.skip("C") { return try readDeclaredType(.classType) }
    if bytes.skip("O") { return try readDeclaredType(.enumeration) }
    if bytes.skip("V") { return try readDeclaredType(.structure) }
    _ = bytes.skip("Z")
    if bytes.skip("F") || bytes.skip("v") { return try readFunctionContext() }
    if bytes.skip("I") {
      let context = try readContext()
      if bytes.skip("A") { _ = try bytes.index() } else if !bytes.skip("i") { throw UnsupportedName() }
      return try graph.add(.functionContext, [context])
    }
    let module = try graph.add(.module, text: readText())
    substitutions.append(module)
    return module
  }

  /// Reads a function or variable, of which nothing is kept but its context.
  private mutating func readFunctionContext() throws(UnsupportedName) -> TypeGraph.ID {
    let context = try readContext()
    if bytes.skip("U") || bytes.skip("u") {
      // A closure, with its number.
      _ = try bytes.index()
      _ = try readType()
    } else if !(bytes.skip("D") || bytes.skip("d")) {
      // Initializers have no name. What is before the name of a property says which accessor it is.
      if !(bytes.skip("C") || bytes.skip("c")) {
        let accessors: [Unicode.Scalar] = ["g", "s", "w", "W", "r", "M", "m"]
        for letter in accessors where bytes.skip(letter) { break }
        _ = try readDeclarationName()
      }
      _ = try readType()
    }
    return try graph.add(.functionContext, [context])
  }

  // MARK: Names

  private mutating func readDeclarationName() throws(UnsupportedName) -> TypeGraph.ID {
    if bytes.skip("L") {
      // A number tells apart what has the same name in a function.
      _ = try bytes.index()
      return try graph.add(.name, text: readText())
    }
    if bytes.skip("P") {
      let discriminator = try readText()
      return try graph.add(.privateName, [graph.add(.name, text: readText())], text: discriminator)
    }
    return try graph.add(.name, text: readText())
  }

  private mutating func readText() throws(UnsupportedName) -> [UInt8] {
    let isPunycoded = bytes.skip("X")
    let text = try bytes.slice(bytes.natural())
    let decoded = isPunycoded ? try Punycode.decoded(text) : Array(text)
    guard !decoded.isEmpty else { throw UnsupportedName() }
    return decoded
  }

  private mutating func readSubstitution() throws(UnsupportedName) -> TypeGraph.ID {
    if bytes.peek.isDigit || bytes.peek == UInt8(ascii: "_") {
      let index = try bytes.index()
      guard index < substitutions.count else { throw UnsupportedName() }
      return substitutions[index]
    }
    let letter = Unicode.Scalar(try bytes.next())
    switch letter {
    case "o": return try graph.module("__C")
    case "C": return try graph.module("__C_Synthesized")
    default:
      if let known = standardTypes[letter] { return known }
      guard let type = StandardTypes.inRuntimeNames.first(where: { $0.letter == letter }) else {
        throw UnsupportedName()
      }
      let id = try graph.swiftType(type.kind, Array(type.name.utf8))
      standardTypes[letter] = id
      return id
    }
  }
}
