// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchiving
import Synchronization
import TestSupport
import Testing

/// A value of one of several forms. It finds its form by trying one after the other.
private final class Tree: KeyedCodable {
  /// The errors of all forms that a value did not have.
  final class Errors: Sendable {
    private let list = Mutex<[DecodingError]>([])
    var all: [DecodingError] { list.withLock { $0 } }
    func add(_ error: DecodingError) { list.withLock { $0.append(error) } }
  }

  @TaskLocal static var errors = Errors()

  private enum CodingKeys: String, CodingKey { case name, child, leaves }

  let child: Tree?
  let leafCount: Int

  init(depth: Int, leaves: Int) {
    child = depth > 0 ? Tree(depth: depth - 1, leaves: leaves) : nil
    leafCount = depth > 0 ? 0 : leaves
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if let child { return try container.encode(child, forKey: .child) }
    try container.encode(Array(repeating: 1, count: leafCount), forKey: .leaves)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    child = try container.decodeIfPresent(Tree.self, forKey: .child)
    leafCount = child == nil ? try container.decode([Int].self, forKey: .leaves).count : 0
    for _ in 0..<leafCount {
      do {
        _ = try container.decode(String.self, forKey: .name)
      } catch let error as DecodingError {
        Tree.errors.add(error)
      }
    }
  }
}

private func context(_ error: DecodingError) -> DecodingError.Context? {
  if case .keyNotFound(_, let context) = error { context } else { nil }
}

@Suite("Coding paths of many errors")
struct CodingPathTests {
  private func errors(depth: Int, leaves: Int) throws -> (data: Data, errors: [DecodingError]) {
    let data = try KeyedArchiver.archivedData(
      withRootObject: Tree(depth: depth, leaves: leaves), requiringSecureCoding: true)
    let errors = Tree.Errors()
    let tree = try Tree.$errors.withValue(errors) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Tree.self, from: data)
    }
    #expect(tree != nil)
    return (data, errors.all)
  }

  @Test("are complete for a few errors")
  func complete() throws {
    let (_, errors) = try errors(depth: 40, leaves: 20)
    #expect(errors.count == 20)
    for error in errors {
      let path = context(error)?.codingPath.map(\.stringValue)
      #expect(path == ["root"] + Array(repeating: "child", count: 40))
    }
  }

  @Test("have in all a number of steps that the size of the file limits")
  func limited() throws {
    let (data, errors) = try errors(depth: 100, leaves: 5000)
    #expect(errors.count == 5000)
    let steps = errors.map { context($0)?.codingPath.count ?? 0 }
    #expect(steps.first == 101)
    #expect(steps.reduce(0, +) < data.count + 16_384 + 4 * errors.count)
    // The error of the library has the complete path, which is made when it is read.
    let cause = try #require(errors.last.flatMap { context($0)?.underlyingError } as? KeyedArchiveError)
    #expect(cause.keyPath == "root" + String(repeating: ".child", count: 100) + ".name")
  }
}

/// The paths of the encoders that values of one kind see.
private struct Traveller: Codable {
  final class Paths: Sendable {
    private let list = Mutex<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func add(_ path: [any CodingKey]) {
      let steps = path.map { key in key.intValue.map { "\($0)" } ?? key.stringValue }
      list.withLock { $0.append(steps.joined(separator: "/")) }
    }
  }

  @TaskLocal static var paths: Paths?

  var lists: [[Traveller]] = []
  var table: [String: Traveller] = [:]
  var next: [Traveller] = []

  func encode(to encoder: any Encoder) throws {
    Traveller.paths?.add(encoder.codingPath)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(1, forKey: .number)
    try container.encode(["plain", "texts"], forKey: .texts)
    try container.encode(lists, forKey: .lists)
    try container.encode(table, forKey: .table)
    try container.encode(next, forKey: .next)
  }

  init() {}
  init(from decoder: any Decoder) throws {}

  private enum CodingKeys: String, CodingKey { case number, texts, lists, table, next }
}

@Suite("The coding path of an encoder")
struct EncoderPathTests {
  private func paths(_ encode: () throws -> Void) rethrows -> [String] {
    let paths = Traveller.Paths()
    try Traveller.$paths.withValue(paths) { try encode() }
    return paths.all
  }

  @Test("is that of JSONEncoder, after the root")
  func likeJSON() throws {
    var root = Traveller()
    root.lists = [[], [Traveller(), Traveller()], [Traveller()]]
    root.lists[1][1].table = ["a": Traveller(), "b": Traveller()]
    root.lists[1][1].table["a"]?.next = [Traveller(), Traveller(), Traveller()]
    root.next = [Traveller(), Traveller()]
    root.next[1].lists = [[Traveller(), Traveller()], [Traveller()]]
    let expected = try paths { _ = try JSONEncoder().encode(root) }
    let found = try paths { _ = try KeyedArchiveEncoder().encode(root) }
    #expect(found.count == expected.count && expected.count == 14)
    #expect(Set(found) == Set(expected.map { $0.isEmpty ? "root" : "root/\($0)" }))
  }

  /// A type with keys that begin with `$`, which are written with another one.
  private struct Dollar: Codable {
    enum Key: String, CodingKey { case next = "$next", text = "$$text", plain }
    var next: [Dollar] = []
    init(_ depth: Int) { next = depth == 0 ? [] : [Dollar(depth - 1), Dollar(depth - 1)] }

    func encode(to encoder: any Encoder) throws {
      Traveller.paths?.add(encoder.codingPath)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(next, forKey: .next)
      var nested = container.nestedContainer(keyedBy: Key.self, forKey: .text)
      Traveller.paths?.add(nested.codingPath)
      try nested.encode(1, forKey: .plain)
    }

    init(from decoder: any Decoder) throws {
      Traveller.paths?.add(decoder.codingPath)
      let container = try decoder.container(keyedBy: Key.self)
      next = try container.decode([Dollar].self, forKey: .next)
      let nested = try container.nestedContainer(keyedBy: Key.self, forKey: .text)
      Traveller.paths?.add(nested.codingPath)
    }
  }

  @Test(
    "has the keys as a type spells them, as the coding path of a decoder does", arguments: ["root", "$root", "$$r"])
  func escapedKeys(rootKey: String) throws {
    var encoder = KeyedArchiveEncoder()
    encoder.rootKey = rootKey
    var data = Data()
    let encoded = try paths { data = try encoder.encode(Dollar(2)) }
    var decoder = KeyedArchiveDecoder()
    decoder.rootKey = rootKey
    let decoded = try paths { _ = try decoder.decode(Dollar.self, from: data) }
    #expect(Set(encoded) == Set(decoded) && Set(encoded).count == 14)
    #expect(encoded.contains("\(rootKey)/$next/1/$next/0/$$text"))
  }

  @Test("takes the same time in each element of an array")
  func linear() throws {
    func time(_ count: Int) throws -> Duration {
      var root = Traveller()
      root.next = Array(repeating: Traveller(), count: count)
      return try (0..<3).map { _ in
        try System.time { _ = try paths { _ = try KeyedArchiveEncoder().encode(root) } }
      }.min() ?? .zero
    }
    let (few, many) = (try time(250), try time(4000))
    #expect(many < few * 48, "\(few) for 250 elements, \(many) for 4,000")
  }

  private final class Link: KeyedCodable {
    var next: Link?
    init(_ next: Link?) { self.next = next }
    private enum CodingKeys: CodingKey { case next }
    init(from decoder: any Decoder) throws {
      next = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Link.self, forKey: .next)
    }
    func encode(to encoder: any Encoder) throws {
      let path = encoder.codingPath
      if path.count < 64 { #expect(path.allSatisfy { $0.stringValue == "next" || $0.stringValue == "root" }) }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeIfPresent(next, forKey: .next)
    }
  }

  @Test("takes linear time for each object in a long chain")
  func longChain() throws {
    func time(_ count: Int) throws -> Double {
      var chain: Link?
      var all: [Link] = []
      for _ in 0..<count {
        chain = Link(chain)
        if let chain { all.append(chain) }
      }
      defer { for link in all { link.next = nil } }
      return try System.leastTime(of: count > 1000 ? 1 : 2) {
        _ = try KeyedArchiver.archivedData(withRootObject: #require(chain), requiringSecureCoding: true)
      }
    }
    let (few, many) = (try time(1000), try time(8000))
    #expect(many < 20 * few)
  }
}
