// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
package import KeyedArchives
package import KeyedArchiving

/// A random graph of objects that can be replaced when they are archived, and that conditional references lead to before and
/// after all others. It can be built many times: the same graph, with other addresses and hash values.
package struct HookGraph {
  private let seed: UInt64
  package let count: Int
  /// Whether the objects archive their numbers.
  package let isDistinct: Bool

  /// Creates a graph that depends on the seed alone.
  package init(seed: UInt64, isDistinct: Bool? = nil) {
    self.seed = seed
    var random = SeededRandom(seed: seed)
    let (size, distinct) = (Int.random(in: 1...12, using: &random), Int.random(in: 0..<3, using: &random) == 0)
    count = size
    self.isDistinct = isDistinct ?? distinct
  }

  /// The keys of conditional references.
  package static let conditionalKeys: Set<String> = ["back", "boxBack", "chosen"]

  /// All keys in the order in which objects encode them.
  package static func keyOrder(conditionalFirst: Bool) -> [String] {
    let other = ["id", "link", "box", "links", "set", "table", "knot", "spares", "NS.keys", "NS.objects"]
    let conditional = ["back", "boxBack", "chosen"]
    return conditionalFirst ? conditional + other : other + conditional
  }

  /// One build of the graph.
  package struct Build {
    package let root: HookNode
    let nodes: [HookNode]

    /// Breaks the cycles, so that the objects are freed.
    package func takeApart() {
      for node in nodes {
        (node.link, node.links, node.set, node.table, node.knot) = (nil, [], [], [:], nil)
        (node as? SwappedNode)?.replacement = .itself
      }
    }
  }

  /// Builds the graph.
  /// - Parameters:
  ///   - salt: Another salt gives other hash values, and so other orders of sets.
  ///   - conditionalFirst: Whether objects encode their conditional references before all others.
  /// - Returns: The objects.
  package func build(salt: UInt64, conditionalFirst: Bool) -> Build {
    var (random, chance) = (SeededRandom(seed: seed &+ 1), SeededRandom(seed: salt))
    let settings = HookNode.Settings(archivesNumbers: isDistinct, conditionalFirst: conditionalFirst)
    func hash() -> Int { Int(truncatingIfNeeded: chance.next()) }
    let nodes = (0..<count).map { id in
      Int.random(in: 0..<3, using: &random) == 0
        ? SwappedNode(id, salt: hash(), settings) : HookNode(id, salt: hash(), settings)
    }
    let boxes = (0..<2).map { number in
      BoxedPrimitive([.string("a text that no pointer holds"), .number(.integer(7))][number])
    }
    let spares = (0..<3).map { HookSpare($0, salt: hash()) }
    let knots = (0..<2).map { HookKnot($0, settings) }
    let density = [10, 30, 60].randomElement(using: &random) ?? 30
    func isChosen() -> Bool { Int.random(in: 0..<100, using: &random) < density }
    func one<Element>(_ all: [Element]) -> Element? { isChosen() ? all.randomElement(using: &random) : nil }
    func some<Element>(_ all: [Element]) -> [Element] {
      isChosen()
        ? (0..<Int.random(in: 1...4, using: &random)).compactMap { _ in all.randomElement(using: &random) } : []
    }
    for knot in knots {
      knot.chosen = one(spares)
      knot.spares = Set(some(spares))
    }
    for node in nodes {
      node.link = one(nodes)
      node.back = isChosen() ? nodes.randomElement(using: &random) : one(nodes)
      node.links = some(nodes)
      node.set = Set(some(nodes) + some(nodes))
      for key in some(nodes) { node.table[key] = nodes.randomElement(using: &random) }
      node.box = one(boxes)
      node.boxBack = one(boxes)
      node.knot = one(knots)
      if let node = node as? SwappedNode { node.replacement = replacement(nodes, &random) }
    }
    return Build(root: nodes[0], nodes: nodes)
  }

  /// Chooses a replacement. An object that replaces another one is not replaced itself: whether the archiver asks it depends
  /// on which of them it meets first.
  private func replacement(_ nodes: [HookNode], _ random: inout SeededRandom) -> HookReplacement {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return .itself
    case 1: return .nothing
    case 2: return .text("short")
    case 3: return .text("a replacement that no pointer holds")
    case 4: return .value(Int.random(in: 0...1, using: &random))
    case 5: return .list(nodes.filter { !($0 is SwappedNode) }.prefix(2).map { $0 })
    default: return nodes.filter { !($0 is SwappedNode) }.randomElement(using: &random).map { .node($0) } ?? .itself
    }
  }
}

/// What is archived instead of an object.
package enum HookReplacement {
  case itself, nothing
  case text(String)
  /// A ``HookValue``.
  case value(Int)
  case list([HookNode])
  case node(HookNode)
}

/// An object with references of all kinds. Instances are equal by identity.
package class HookNode: SecureKeyedCoding, Hashable {
  struct Settings {
    var archivesNumbers: Bool
    var conditionalFirst: Bool
  }

  package let id: Int
  package var link: HookNode?
  package weak var back: HookNode?
  package var links: [HookNode] = []
  package var set: Set<HookNode> = []
  package var table: [HookNode: HookNode] = [:]
  package var box: BoxedPrimitive?
  package var boxBack: BoxedPrimitive?
  package var knot: HookKnot?
  private let salt: Int
  private let settings: Settings

  init(_ id: Int, salt: Int, _ settings: Settings) { (self.id, self.salt, self.settings) = (id, salt, settings) }

  package static func == (a: HookNode, b: HookNode) -> Bool { a === b }

  package func hash(into hasher: inout Hasher) { hasher.combine(salt) }

  package class var archiveClassName: String { "HookNode" }

  package func encode(with coder: KeyedArchiver) {
    if settings.conditionalFirst { encodeConditionals(in: coder) }
    if settings.archivesNumbers { coder.encode(id, forKey: "id") }
    coder.encode(link, forKey: "link")
    coder.encode(box, forKey: "box")
    coder.encode(links, forKey: "links")
    coder.encode(set, forKey: "set")
    coder.encode(table, forKey: "table")
    coder.encode(knot, forKey: "knot")
    if !settings.conditionalFirst { encodeConditionals(in: coder) }
  }

  private func encodeConditionals(in coder: KeyedArchiver) {
    coder.encodeConditionalObject(back, forKey: "back")
    coder.encodeConditionalObject(boxBack, forKey: "boxBack")
  }

  /// The archives are compared and read as graphs, not decoded.
  package required init(coder: KeyedUnarchiver) throws {
    throw KeyedArchiveError(.typeMismatch, "a HookNode can only be archived")
  }
}

/// A node that can be replaced when it is archived.
package final class SwappedNode: HookNode, ArchiveReplacing {
  package var replacement = HookReplacement.itself

  package override class var archiveClassName: String { "SwappedNode" }

  package func replacementObject(for coder: KeyedArchiver) -> (any KeyedCoding)? {
    switch replacement {
    case .itself: self
    case .nothing: nil
    case .text(let text): text
    case .value(let number): HookValue(number: number)
    case .list(let nodes): nodes
    case .node(let node): node
    }
  }
}

/// A struct that replaces an object. By itself it would be archived as a number.
package struct HookValue: KeyedCodable {
  package var number: Int

  package static var archiveClassName: String { "HookValue" }

  init(number: Int) { self.number = number }

  package init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

/// A class that is archived by `Codable`, with objects that are only Codable.
package final class HookKnot: KeyedCodable {
  package let id: Int
  @ArchiveBackReference package var chosen: HookSpare?
  package var spares: Set<HookSpare> = []
  private let conditionalFirst: Bool

  private enum CodingKeys: String, CodingKey { case id, chosen, spares }

  package static var archiveClassName: String { "HookKnot" }

  init(_ id: Int, _ settings: HookNode.Settings) { (self.id, conditionalFirst) = (id, settings.conditionalFirst) }

  package init(from decoder: any Decoder) throws {
    throw KeyedArchiveError(.typeMismatch, "a HookKnot can only be archived")
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if conditionalFirst { try container.encode(_chosen, forKey: .chosen) }
    try container.encode(id, forKey: .id)
    try container.encode(spares, forKey: .spares)
    if !conditionalFirst { try container.encode(_chosen, forKey: .chosen) }
  }
}

/// A class that is Codable only. Instances are equal by identity.
package final class HookSpare: Codable, Hashable {
  package let id: Int
  private var salt = 0

  private enum CodingKeys: String, CodingKey { case id }

  init(_ id: Int, salt: Int) { (self.id, self.salt) = (id, salt) }

  package static func == (a: HookSpare, b: HookSpare) -> Bool { a === b }

  package func hash(into hasher: inout Hasher) { hasher.combine(salt) }
}

/// The graph that an archive of a ``HookGraph`` must have, as text. It is made from the objects in memory, by the rules for
/// replacements and conditional references.
package struct HookText {
  private var isArchived: Set<ObjectIdentifier> = []
  private var nodes: [HookNode] = []
  private var knots: [HookKnot] = []

  /// The lines of all objects with numbers that the root leads to.
  package static func of(_ root: HookNode) -> [String] {
    var text = HookText()
    text.archive(root)
    var done = 0
    while done < text.nodes.count {
      let node = text.nodes[done]
      done += 1
      for other in [node.link].compactMap({ $0 }) + node.links + Array(node.set) { text.archive(other) }
      for (key, value) in node.table {
        text.archive(key)
        text.archive(value)
      }
      if let box = node.box { text.isArchived.insert(ObjectIdentifier(box)) }
      if let knot = node.knot, text.isArchived.insert(ObjectIdentifier(knot)).inserted {
        text.knots.append(knot)
        for spare in knot.spares { text.isArchived.insert(ObjectIdentifier(spare)) }
      }
    }
    return (text.nodes.map { text.line($0) } + text.knots.map { text.line($0) }).sorted()
  }

  private mutating func archive(_ node: HookNode) {
    guard isArchived.insert(ObjectIdentifier(node)).inserted else { return }
    switch (node as? SwappedNode)?.replacement ?? .itself {
    case .itself: nodes.append(node)
    case .node(let other): archive(other)
    case .list(let others): for other in others { archive(other) }
    case .nothing, .text, .value: break
    }
  }

  private func name(_ node: HookNode?) -> String {
    guard let node else { return "-" }
    return switch (node as? SwappedNode)?.replacement ?? .itself {
    case .itself: "#\(node.id)"
    case .nothing: "-"
    case .text(let text): text
    case .value(let number): "value \(number)"
    case .list(let nodes): "\(nodes.map { name($0) })"
    case .node(let other): name(other)
    }
  }

  private func name(_ box: BoxedPrimitive?) -> String {
    switch box?.value {
    case .string(let text)?: text
    case .number(let number)?: "\(number)"
    default: "-"
    }
  }

  private func conditional<Object: AnyObject>(_ object: Object?) -> Object? {
    object.flatMap { isArchived.contains(ObjectIdentifier($0)) ? $0 : nil }
  }

  private func line(_ node: HookNode) -> String {
    var parts = [
      "#\(node.id)", node is SwappedNode ? "swapped" : "node", name(node.link), name(conditional(node.back)),
    ]
    parts.append("\(node.links.map { name($0) })")
    parts.append("\(node.set.map { name($0) }.sorted())")
    parts.append("\(node.table.map { "\(name($0.key)): \(name($0.value))" }.sorted())")
    parts += [name(node.box), name(conditional(node.boxBack)), node.knot.map { "knot \($0.id)" } ?? "-"]
    return parts.joined(separator: " ")
  }

  private func line(_ knot: HookKnot) -> String {
    let chosen = conditional(knot.chosen).map { "spare \($0.id)" } ?? "-"
    return "knot \(knot.id) \(chosen) \(knot.spares.map { "spare \($0.id)" }.sorted())"
  }
}

/// The graph of an archive as text, as ``HookText`` describes the objects.
package struct ArchivedHookText {
  /// The lines of all objects with numbers that the root leads to.
  package static func of(_ root: KeyedArchive.Node) -> [String] {
    var lines: [String: String] = [:]
    var waiting = [root]
    while let node = waiting.popLast() {
      switch node.className {
      case "HookNode"?, "SwappedNode"?:
        guard lines[name(node)] == nil else { continue }
        lines[name(node)] = line(node)
        waiting += [node["link"], node["knot"]] + (node["links"].array ?? []) + (node["set"].array ?? [])
        waiting += (node["table"].dictionary ?? []).flatMap { [$0.key, $0.value] }
      case "HookKnot"?:
        let chosen = node["chosen"].exists ? name(node["chosen"]) : "-"
        lines[name(node)] = "\(name(node)) \(chosen) \((node["spares"].array ?? []).map { name($0) }.sorted())"
      case "NSArray"?: waiting += node.array ?? []
      default: break
      }
    }
    return lines.values.sorted()
  }

  private static func line(_ node: KeyedArchive.Node) -> String {
    var parts = [
      name(node), node.className == "SwappedNode" ? "swapped" : "node", name(node["link"]), name(node["back"]),
    ]
    parts.append("\((node["links"].array ?? []).map { name($0) })")
    parts.append("\((node["set"].array ?? []).map { name($0) }.sorted())")
    parts.append("\((node["table"].dictionary ?? []).map { "\(name($0.key)): \(name($0.value))" }.sorted())")
    parts += [name(node["box"]), name(node["boxBack"]), name(node["knot"])]
    return parts.joined(separator: " ")
  }

  private static func name(_ node: KeyedArchive.Node) -> String {
    if node.isNull { return "-" }
    if let text = node.string { return text }
    if let number = node.number { return "\(number)" }
    let id = node["id"].number?.integer ?? -1
    switch node.className {
    case "HookNode"?, "SwappedNode"?: return "#\(id)"
    case "HookKnot"?: return "knot \(id)"
    case "HookValue"?: return "value \(node["$value"].number?.integer ?? -1)"
    case "NSArray"?: return "\((node.array ?? []).map { name($0) })"
    case let name?: return name.hasSuffix("HookSpare") ? "spare \(id)" : name
    case nil: return "?"
    }
  }
}
