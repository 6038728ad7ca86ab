// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A reader of the mangled name of a type, which Swift's runtime gives, as `docs/ABI/Mangling.rst` of Swift describes it.
///
/// It knows what a name in Apple's Objective-C runtime can express: no parameter packs, no integers as arguments, no
/// constrained protocols and no global actors.
struct MangledTypeReader {
  private(set) var graph = TypeGraph()
  private var bytes: NameBytes
  private var stack: [TypeGraph.ID] = []
  private var substitutions: [TypeGraph.ID] = []
  /// Parts of names that later names can repeat.
  private var words: [ArraySlice<UInt8>] = []
  /// Returns the discriminator of a file's private types, if the file is in the module with a name.
  private let discriminator: ([UInt8]) -> [UInt8]?

  init(
    _ name: String, discriminator: @escaping ([UInt8]) -> [UInt8]? = { _ in nil }
  ) throws(UnsupportedName) {
    bytes = try NameBytes(Array(name.utf8))
    self.discriminator = discriminator
  }

  /// Reads the name.
  /// - Returns: The type, as a node of ``graph``.
  mutating func read() throws(UnsupportedName) -> TypeGraph.ID {
    while !bytes.isAtEnd { try readOperator() }
    let type = try popType()
    guard stack.isEmpty else { throw UnsupportedName() }
    return type
  }

  private mutating func readOperator() throws(UnsupportedName) {
    if bytes.peek.isDigit { return try readIdentifier() }
    switch Unicode.Scalar(try bytes.next()) {
    case "A": try readSubstitutions()
    case "C": try readDeclaredType(.classType)
    case "E": try readExtension()
    case "G": try readArguments()
    case "K": try push(.marker, text: "K")
    case "L": try readPrivateName()
    case "O": try readDeclaredType(.enumeration)
    case "P": try readDeclaredType(.protocolType)
    case "S": try readStandardType()
    case "V": try readDeclaredType(.structure)
    case "X": try readSpecialType()
    case "Y": try readAnnotation()
    case "_": try push(.marker, text: "_")
    case "c": try readFunction(.function)
    case "d": try push(.marker, text: "d")
    case "h": try push(.shared, [popType()])
    case "m": try push(.metatype, [popType()])
    case "n": try push(.owned, [popType()])
    case "p": try push(.protocolList, popProtocols())
    case "s": try stack.append(graph.module("Swift"))
    case "t": try readTuple()
    case "y": try push(.marker, text: "y")
    case "z": try push(.inOut, [popType()])
    default: throw UnsupportedName()
    }
  }

  // MARK: The stack

  private mutating func push(
    _ kind: TypeGraph.Kind, _ children: [TypeGraph.ID] = [], text: String = ""
  ) throws(UnsupportedName) {
    stack.append(try graph.add(kind, children, text: Array(text.utf8)))
  }

  private mutating func pop(where accepts: (TypeGraph.Node) -> Bool) -> TypeGraph.ID? {
    guard let last = stack.last, accepts(graph[last]) else { return nil }
    return stack.popLast()
  }

  private mutating func popMarker(_ letter: Unicode.Scalar) -> Bool {
    pop { $0.kind == .marker && $0.text == [UInt8(ascii: letter)] } != nil
  }

  private static func isType(_ node: TypeGraph.Node) -> Bool {
    switch node.kind {
    case .name, .privateName, .module, .extensionContext, .anonymousContext, .functionContext, .list, .element, .marker:
      false
    default: true
    }
  }

  private mutating func popType() throws(UnsupportedName) -> TypeGraph.ID {
    guard let type = pop(where: MangledTypeReader.isType) else { throw UnsupportedName() }
    return type
  }

  private mutating func popName() throws(UnsupportedName) -> TypeGraph.ID {
    guard let name = pop(where: { $0.kind == .name || $0.kind == .privateName }) else { throw UnsupportedName() }
    return name
  }

  private mutating func popContext() throws(UnsupportedName) -> TypeGraph.ID {
    if let context = pop(where: { [.module, .extensionContext, .anonymousContext].contains($0.kind) }) {
      return context
    }
    if let name = pop(where: { $0.kind == .name }) { return try graph.add(.module, text: moduleName(graph[name].text)) }
    return try popType()
  }

  /// Returns the module's name on Apple's systems. There, the types of the parts of Foundation belong to `Foundation`.
  private func moduleName(_ name: [UInt8]) -> [UInt8] {
    let parts = ["FoundationEssentials", "FoundationInternationalization"]
    return parts.contains { name.elementsEqual($0.utf8) } ? Array("Foundation".utf8) : name
  }

  // MARK: Names

  private mutating func readIdentifier() throws(UnsupportedName) {
    var text: [UInt8] = []
    var hasWords = false
    var isPunycoded = false
    if bytes.skip("0") {
      isPunycoded = bytes.skip("0")
      hasWords = !isPunycoded
    }
    repeat {
      while hasWords, bytes.peek.isLowercase || bytes.peek.isUppercase {
        let letter = try bytes.next()
        hasWords = letter.isLowercase
        let index = Int(letter - UInt8(ascii: letter.isLowercase ? "a" : "A"))
        guard index < words.count else { throw UnsupportedName() }
        text += words[index]
      }
      if bytes.skip("0") { break }
      let count = try bytes.natural()
      if isPunycoded { _ = bytes.skip("_") }
      let part = try bytes.slice(count)
      if isPunycoded {
        text += try Punycode.decoded(part)
      } else {
        addWords(of: part)
        text += part
      }
    } while hasWords
    guard !text.isEmpty, text.count <= NameBytes.limit else { throw UnsupportedName() }
    let name = try graph.add(.name, text: text)
    substitutions.append(name)
    stack.append(name)
  }

  /// Adds the words of a name: they begin with a letter, and end before an underscore or before a capital after a lowercase
  /// letter.
  private mutating func addWords(of text: ArraySlice<UInt8>) {
    let underscore = UInt8(ascii: "_")
    var start: Int?
    for index in text.startIndex...text.endIndex {
      let byte = index < text.endIndex ? text[index] : underscore
      if let first = start,
        byte == underscore || (byte.isUppercase && !text[index - 1].isUppercase)
      {
        if index - first >= 2, words.count < 26 { words.append(text[first..<index]) }
        start = nil
      }
      if start == nil, byte != underscore, !byte.isDigit { start = index }
    }
  }

  /// Reads what makes the name of a private type different from the same name in other files.
  private mutating func readPrivateName() throws(UnsupportedName) {
    guard bytes.skip("L"), let discriminator = pop(where: { $0.kind == .name }) else { throw UnsupportedName() }
    let name = try popName()
    stack.append(try graph.add(.privateName, [name], text: graph[discriminator].text))
  }

  // MARK: Substitutions

  private mutating func substitution(_ index: Int) throws(UnsupportedName) -> TypeGraph.ID {
    guard substitutions.indices.contains(index) else { throw UnsupportedName() }
    return substitutions[index]
  }

  private mutating func push(_ id: TypeGraph.ID, count: Int) { stack += repeatElement(id, count: max(1, count)) }

  private mutating func readSubstitutions() throws(UnsupportedName) {
    // An index above 25 is its distance from 27, and 26 has no number.
    var count = -1
    while true {
      let peeked = bytes.peek
      if peeked.isDigit {
        count = try bytes.natural()
      } else if bytes.skip("_") {
        return try push(substitution(count + 27), count: 1)
      } else {
        let letter = try bytes.next()
        guard letter.isLowercase || letter.isUppercase else { throw UnsupportedName() }
        let first = UInt8(ascii: letter.isLowercase ? "a" : "A")
        try push(substitution(Int(letter - first)), count: count)
        if letter.isUppercase { return }
        count = -1
      }
    }
  }

  private mutating func readStandardType() throws(UnsupportedName) {
    if bytes.skip("o") { return stack.append(try graph.module("__C")) }
    if bytes.skip("C") { return stack.append(try graph.module("__C_Synthesized")) }
    if bytes.skip("g") {
      let optional = try graph.add(
        .bound, [graph.swiftType(.enumeration, Array("Optional".utf8)), graph.add(.list, [popType()])])
      substitutions.append(optional)
      return stack.append(optional)
    }
    let count = bytes.peek.isDigit ? try bytes.natural() : 1
    let types = bytes.skip("c") ? StandardTypes.ofConcurrency : StandardTypes.all
    guard let type = types[try bytes.next()] else { throw UnsupportedName() }
    push(try graph.swiftType(type.kind, Array(type.name.utf8)), count: count)
  }

  // MARK: Types

  private mutating func readDeclaredType(_ kind: TypeGraph.Kind) throws(UnsupportedName) {
    let name = try popName()
    let context = try popContext()
    let type = try graph.add(kind, declaration(named: name, in: context))
    substitutions.append(type)
    stack.append(type)
  }

  /// Returns the context and the name of a declaration. The runtime says only that a declaration is private, not to which
  /// file. A local declaration is private to a function too.
  private mutating func declaration(
    named name: TypeGraph.ID, in context: TypeGraph.ID
  ) throws(UnsupportedName) -> [TypeGraph.ID] {
    guard graph[context].kind == .anonymousContext else { return [context, name] }
    let outer = graph[context].children[0]
    guard graph[outer].kind != .anonymousContext, let text = discriminator(module(of: outer)) else {
      return [context, name]
    }
    return try [outer, graph.add(.privateName, [name], text: text)]
  }

  /// Returns the name of the module in which a context is.
  private func module(of context: TypeGraph.ID) -> [UInt8] {
    var node = graph[context]
    while node.kind != .module, let outer = node.children.first { node = graph[outer] }
    return node.text
  }

  private mutating func readExtension() throws(UnsupportedName) {
    let module = try popContext()
    guard graph[module].kind == .module else { throw UnsupportedName() }
    let type = try popType()
    // A name does not mention an extension in the type's own module. On Apple's systems, the parts of Foundation are one.
    guard graph[module].text != self.module(of: type) else { return stack.append(type) }
    try push(.extensionContext, [module, type])
  }

  private mutating func readArguments() throws(UnsupportedName) {
    var lists: [[TypeGraph.ID]] = []
    repeat {
      var list: [TypeGraph.ID] = []
      while let type = pop(where: MangledTypeReader.isType) { list.append(type) }
      lists.append(list.reversed())
      if popMarker("y") { break }
      guard popMarker("_") else { throw UnsupportedName() }
    } while true
    let type = try graph.binding(popType(), to: lists[...])
    substitutions.append(type)
    stack.append(type)
  }

  private mutating func readTuple() throws(UnsupportedName) {
    guard !popMarker("y") else { return try push(.tuple) }
    var elements: [TypeGraph.ID] = []
    var isVariadic = false
    var isFirst: Bool
    repeat {
      isFirst = popMarker("_")
      if popMarker("d") {
        guard elements.isEmpty else { throw UnsupportedName() }
        isVariadic = true
      }
      let label = pop { $0.kind == .name }.map { graph[$0].text } ?? []
      elements.append(try graph.add(.element, [popType()], text: label))
    } while !isFirst
    try push(isVariadic ? .variadicTuple : .tuple, elements.reversed())
  }

  private mutating func readFunction(_ kind: TypeGraph.Kind) throws(UnsupportedName) {
    var attributes = ""
    if popMarker("K") { attributes += "z" }
    if popMarker("b") { attributes += "y" }
    if popMarker("a") { attributes += "Z" }
    let parameters = try popMarker("y") ? graph.add(.tuple) : popType()
    let result = try popMarker("y") ? graph.add(.tuple) : popType()
    try push(kind, [parameters, result], text: attributes)
  }

  private mutating func readAnnotation() throws(UnsupportedName) {
    if bytes.skip("a") { return try push(.marker, text: "a") }
    if bytes.skip("b") { return try push(.marker, text: "b") }
    throw UnsupportedName()
  }

  private mutating func popProtocols() throws(UnsupportedName) -> [TypeGraph.ID] {
    guard !popMarker("y") else { return [] }
    var protocols: [TypeGraph.ID] = []
    var isFirst: Bool
    repeat {
      isFirst = popMarker("_")
      protocols.append(try popProtocol())
    } while !isFirst
    return protocols.reversed()
  }

  private mutating func popProtocol() throws(UnsupportedName) -> TypeGraph.ID {
    if let type = pop(where: { $0.kind == .protocolType }) { return type }
    let name = try popName()
    let context = try popContext()
    return try graph.add(.protocolType, declaration(named: name, in: context))
  }

  private mutating func readSpecialType() throws(UnsupportedName) {
    switch Unicode.Scalar(try bytes.next()) {
    case "A", "K": try readFunction(.autoclosure)
    case "B": try readFunction(.block)
    case "C": try readFunction(.cFunction)
    case "E": try readFunction(.function)
    case "Z":
      guard popMarker("y") else { throw UnsupportedName() }
      _ = try popName()
      try push(.anonymousContext, [popContext()])
    case "c":
      let superclass = try popType()
      try push(.classAndProtocols, popProtocols() + [superclass])
    case "l": try push(.protocolList, popProtocols() + [graph.swiftType(.protocolType, Array("AnyObject".utf8))])
    case "p": try push(.existentialMetatype, [popType()])
    default: throw UnsupportedName()
    }
  }
}
