// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import Foundation
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

@testable import ArchiveGenerators

/// A tenth of 200 graphs; see ``Sample``.
@Suite("Random graphs of classes, structs, enums, Codable types and collections, shared and in circles")
struct RandomGraphTests {
  @Test(
    "come back as they were under every layout, and give the same bytes again",
    arguments: Sample.cases(0..<UInt64(200), each: 10))
  func layouts(_ seed: UInt64) throws {
    let graph = RandomGraph(seed: seed)
    defer { graph.takeApart() }
    let expected = GraphText.of(graph.knots[0])
    for layout in ArchiveLayout.allCases {
      let data = try KeyedArchiver.archivedData(
        withRootObject: graph.knots[0], requiringSecureCoding: true, layout: layout)
      let made = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Knot.self, from: data))
      #expect(GraphText.of(made) == expected, "seed \(seed), \(layout)")
      // A reference back to an object that is not in the archive is nil from then on, and takes no place any more.
      let second = try KeyedArchiver.archivedData(withRootObject: made, requiringSecureCoding: true, layout: layout)
      let third = try #require(try again(made, layout))
      let data3 = try KeyedArchiver.archivedData(withRootObject: third, requiringSecureCoding: true, layout: layout)
      #expect(data3 == second, "seed \(seed), \(layout)")
      if !graph.losesReferences { #expect(second == data, "seed \(seed), \(layout)") }
      if layout == .apple {
        let xml = try PropertyList(data).data(format: .xml)
        let fromXML = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Knot.self, from: xml))
        #expect(GraphText.of(fromXML) == expected, "seed \(seed), \(layout) in XML")
      }
    }
  }

  @Test("are of every kind")
  func kinds() {
    // A generator that had stopped to make something would make the test above prove less than it says.
    let texts = (0..<UInt64(200)).map { seed in
      let graph = RandomGraph(seed: seed)
      defer { graph.takeApart() }
      return GraphText.of(graph.knots[0])
    }
    for part in ["plain", "hand", "twin", "knot", "back", "calm", "wild", "none", "]", ": #"] {
      #expect(texts.count { $0.contains(part) } >= 40, "\(part)")
    }
    #expect(Set(texts).count == 200)
  }

  @Test("that Foundation can hold go through it both ways", arguments: Sample.cases(0..<UInt64(200), each: 10))
  func foundation(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    // Foundation decodes no circles.
    let count = Int.random(in: 1...25, using: &random)
    let nodes = (0..<count).map { SharedNode($0) }
    for place in 0..<count {
      let node = nodes[place]
      node.text = RandomGraph.text(&random)
      node.number = Double.random(in: 2...1e6, using: &random)
      node.date = Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &random))
      node.bytes = Data((0..<Int.random(in: 0..<5, using: &random)).map(UInt8.init))
      node.temper = Temper.allCases.randomElement(using: &random)
      for _ in 0..<Int.random(in: 0..<4, using: &random) {
        guard let child = nodes[(place + 1)...].randomElement(using: &random) else { break }
        node.children.append(child)
        node.table[RandomGraph.text(&random)] = child
      }
      node.favourite = nodes[(place + 1)...].randomElement(using: &random)
      node.tags = Set((0..<Int.random(in: 0..<4, using: &random)).map { "tag \($0)" })
    }
    let expected = SharedText.of(nodes[0])
    let layout = ArchiveLayout.allCases[Int(seed) % 3]
    let data = try KeyedArchiver.archivedData(withRootObject: nodes[0], requiringSecureCoding: true, layout: layout)
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    unarchiver.requiresSecureCoding = true
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    unarchiver.setClass(FoundationSharedNode.self, forClassName: "KeyedArchivingTests.FoundationSharedNode")
    let theirs = try #require(unarchiver.decodeObject(of: FoundationSharedNode.self, forKey: "root"))
    #expect(unarchiver.error == nil)
    #expect(SharedText.of(theirs) == expected, "seed \(seed), \(layout)")
    let back = try NSKeyedArchiver.archivedData(withRootObject: theirs, requiringSecureCoding: true)
    let made = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: SharedNode.self, from: back))
    #expect(SharedText.of(made) == expected, "seed \(seed), \(layout)")
  }
}

/// A node that both sides have.
protocol SharedGraphNode: AnyObject {
  var id: Int { get }
  var text: String { get }
  var number: Double { get }
  var date: Date { get }
  var bytes: Data { get }
  var tags: Set<String> { get }
  var temperText: String { get }
  var childNodes: [any SharedGraphNode] { get }
  var tableNodes: [String: any SharedGraphNode] { get }
  var favouriteNode: (any SharedGraphNode)? { get }
}

final class SharedNode: KeyedCodable, SharedGraphNode {
  static var archiveClassName: String { "KeyedArchivingTests.FoundationSharedNode" }
  let id: Int
  var text = ""
  var number = 0.0
  var date = Date()
  var bytes = Data()
  var tags: Set<String> = []
  var temper: Temper?
  var children: [SharedNode] = []
  var table: [String: SharedNode] = [:]
  var favourite: SharedNode?

  init(_ id: Int) { self.id = id }

  var temperText: String { temper?.rawValue ?? "-" }
  var childNodes: [any SharedGraphNode] { children }
  var tableNodes: [String: any SharedGraphNode] { table }
  var favouriteNode: (any SharedGraphNode)? { favourite }
}

final class FoundationSharedNode: NSObject, NSSecureCoding, SharedGraphNode {
  static var supportsSecureCoding: Bool { true }
  let id: Int
  let text: String
  let number: Double
  let date: Date
  let bytes: Data
  let tags: Set<String>
  let temper: String?
  let children: [FoundationSharedNode]
  let table: [String: FoundationSharedNode]
  let favourite: FoundationSharedNode?

  func encode(with coder: NSCoder) {
    coder.encode(id, forKey: "id")
    coder.encode(text as NSString, forKey: "text")
    coder.encode(number, forKey: "number")
    coder.encode(date as NSDate, forKey: "date")
    coder.encode(bytes as NSData, forKey: "bytes")
    coder.encode(tags as NSSet, forKey: "tags")
    coder.encode(temper as NSString?, forKey: "temper")
    coder.encode(children as NSArray, forKey: "children")
    coder.encode(table as NSDictionary, forKey: "table")
    coder.encode(favourite, forKey: "favourite")
  }

  init?(coder: NSCoder) {
    guard let text = coder.decodeObject(of: NSString.self, forKey: "text"),
      let date = coder.decodeObject(of: NSDate.self, forKey: "date"),
      let bytes = coder.decodeObject(of: NSData.self, forKey: "bytes"),
      let tags = coder.decodeObject(of: [NSSet.self, NSString.self], forKey: "tags") as? Set<String>,
      let children = coder.decodeObject(of: [NSArray.self, FoundationSharedNode.self], forKey: "children")
        as? [FoundationSharedNode],
      let table = coder.decodeObject(
        of: [NSDictionary.self, NSString.self, FoundationSharedNode.self], forKey: "table")
        as? [String: FoundationSharedNode]
    else { return nil }
    id = coder.decodeInteger(forKey: "id")
    self.text = text as String
    number = coder.decodeDouble(forKey: "number")
    self.date = date as Date
    self.bytes = bytes as Data
    self.tags = tags
    // Unlike Apple's, this Foundation takes a key that is absent for an error.
    temper =
      coder.containsValue(forKey: "temper") ? coder.decodeObject(of: NSString.self, forKey: "temper") as String? : nil
    self.children = children
    self.table = table
    favourite =
      coder.containsValue(forKey: "favourite")
      ? coder.decodeObject(of: FoundationSharedNode.self, forKey: "favourite") : nil
  }

  var temperText: String { temper ?? "-" }
  var childNodes: [any SharedGraphNode] { children }
  var tableNodes: [String: any SharedGraphNode] { table }
  var favouriteNode: (any SharedGraphNode)? { favourite }
}

/// The graph of such nodes as text.
private struct SharedText {
  private var numbers: [ObjectIdentifier: Int] = [:]
  private var todo: [any SharedGraphNode] = []

  static func of(_ root: any SharedGraphNode) -> String {
    var text = SharedText()
    _ = text.name(root)
    var lines: [String] = []
    while lines.count < text.todo.count {
      let node = text.todo[lines.count]
      let children = node.childNodes.map { text.name($0) }
      let table = node.tableNodes.keys.sorted().map { "\($0.debugDescription) \(text.name(node.tableNodes[$0]))" }
      lines.append(
        "\(node.id) \(node.text.debugDescription) \(node.number) \(node.date.timeIntervalSinceReferenceDate) "
          + "\([UInt8](node.bytes)) \(node.tags.sorted()) \(node.temperText) \(children) \(table) "
          + text.name(node.favouriteNode))
    }
    return lines.joined(separator: "\n")
  }

  private mutating func name(_ node: (any SharedGraphNode)?) -> String {
    guard let node else { return "-" }
    if let number = numbers[ObjectIdentifier(node)] { return "#\(number)" }
    numbers[ObjectIdentifier(node)] = todo.count
    todo.append(node)
    return "#\(todo.count - 1)"
  }
}
