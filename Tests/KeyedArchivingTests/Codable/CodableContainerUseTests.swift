// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

/// A key of any name.
private struct Key: CodingKey, ExpressibleByStringLiteral {
  var stringValue: String
  var intValue: Int? { nil }
  init(stringLiteral text: String) { stringValue = text }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// A value that encodes itself as a closure says.
private struct Encoding: Encodable {
  let body: (any Encoder) throws -> Void
  init(_ body: @escaping (any Encoder) throws -> Void) { self.body = body }
  func encode(to encoder: any Encoder) throws { try body(encoder) }

  /// Encodes a single value.
  static func single(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(1)
  }
}

/// What a type kept of an encoder or decoder.
private final class Kept {
  var encoder: (any Encoder)?
  var keyed: KeyedEncodingContainer<Key>?
  var unkeyed: (any UnkeyedEncodingContainer)?
  var single: (any SingleValueEncodingContainer)?

  init() {}

  /// Keeps a container of a kind, of the encoder itself or nested in it.
  func keep(_ way: Way, of encoder: any Encoder) {
    switch way {
    case .encoder: self.encoder = encoder
    case .keyed: keyed = encoder.container(keyedBy: Key.self)
    case .unkeyed: unkeyed = encoder.unkeyedContainer()
    case .single: single = encoder.singleValueContainer()
    case .nestedKeyed:
      var container = encoder.container(keyedBy: Key.self)
      keyed = container.nestedContainer(keyedBy: Key.self, forKey: "nested")
    case .nestedUnkeyed:
      var container = encoder.unkeyedContainer()
      unkeyed = container.nestedUnkeyedContainer()
    case .superEncoder:
      var container = encoder.container(keyedBy: Key.self)
      self.encoder = container.superEncoder()
    }
  }

  /// Encodes a value in what was kept.
  func write(_ kind: Int) throws {
    if var keyed {
      switch kind {
      case 0: try keyed.encode(1, forKey: "late")
      case 1: try keyed.encode(["x"], forKey: "late")
      case 2: try keyed.encodeNil(forKey: "late")
      case 3:
        var row = keyed.nestedUnkeyedContainer(forKey: "late")
        try row.encode(1)
      case 4: try Encoding.single(to: keyed.superEncoder())
      default:
        var nested = keyed.nestedContainer(keyedBy: Key.self, forKey: "late")
        try nested.encode(1, forKey: "x")
      }
    } else if var unkeyed {
      switch kind {
      case 0: try unkeyed.encode(1)
      case 1: try unkeyed.encode(["x"])
      case 2: try unkeyed.encodeNil()
      case 3:
        var row = unkeyed.nestedUnkeyedContainer()
        try row.encode(1)
      case 4: try Encoding.single(to: unkeyed.superEncoder())
      default:
        var nested = unkeyed.nestedContainer(keyedBy: Key.self)
        try nested.encode(1, forKey: "x")
      }
    } else if var single {
      switch kind {
      case 0: try single.encode(1)
      case 1: try single.encode(["x"])
      default: try single.encodeNil()
      }
    } else if let encoder {
      switch kind {
      case 0:
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: "late")
      case 1:
        var container = encoder.unkeyedContainer()
        try container.encode(1)
      default:
        var container = encoder.singleValueContainer()
        try container.encode(1)
      }
    }
  }

  enum Way: CaseIterable { case encoder, keyed, unkeyed, single, nestedKeyed, nestedUnkeyed, superEncoder }
}

@Suite("Codable: the containers of an object are used for no other object")
struct CodableContainerUseTests {
  /// Encodes a value of its own without Codable, and what a closure encodes.
  private struct Plain: SecureKeyedCoding, Encodable {
    let body: () throws -> Void
    static let archiveClassName = "Plain"
    init(body: @escaping () throws -> Void) { self.body = body }
    func encode(with coder: KeyedArchiver) throws {
      coder.encode(1, forKey: "own")
      try body()
    }
    func encode(to encoder: any Encoder) throws {}
    init?(coder: KeyedUnarchiver) throws { nil }
  }

  /// The first value encodes itself as its single value, and the second one a value that encodes it.
  private enum Endless: String, KeyedCodable {
    case itself, other

    init(from decoder: any Decoder) throws { self = .itself }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .itself: try container.encode(self)
      case .other: try container.encode(Partner())
      }
    }

    struct Partner: KeyedCodable {
      init() {}
      init(from decoder: any Decoder) throws {}
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Endless.other)
      }
    }
  }

  private struct Wrapped: KeyedCodable {
    let rest: [Int]

    init(_ depth: Int) { rest = Array(repeating: 1, count: depth) }
    init(from decoder: any Decoder) throws { rest = [] }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      if rest.isEmpty { try container.encode("end") } else { try container.encode(Wrapped(rest.count - 1)) }
    }
  }

  @Test("a value that encodes itself as its single value is an error", .notHanging, arguments: [false, true])
  func endless(isIndirect: Bool) throws {
    let value: Endless = isIndirect ? .other : .itself
    for root in [[value], [.itself, .other]] {
      let error = #expect(throws: KeyedArchiveError.self) {
        try KeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true)
      }
      #expect(error?.code == .notEncodable)
    }
  }

  @Test("a chain of single values is archived as its end")
  func chain() throws {
    let data = try KeyedArchiver.archivedData(
      withRootObject: [Wrapped(500), Wrapped(0), Wrapped(500)], requiringSecureCoding: true)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [String].self, from: data) == ["end", "end", "end"])
  }

  @Test("what is kept of one object encodes nothing in another one", arguments: Kept.Way.allCases)
  private func keptEncoding(way: Kept.Way) throws {
    for kind in 0..<6 {
      // A sibling in an array, a sibling that takes the place of a single value, a child, a child that is not Codable.
      for place in 0..<4 {
        let kept = Kept()
        let first = Encoding { encoder in
          if place == 1 {
            kept.keep(.encoder, of: encoder)
            var single = encoder.singleValueContainer()
            try single.encode(7)
            kept.single = way == .single ? single : nil
          } else {
            kept.keep(way, of: encoder)
          }
        }
        let second = Encoding { encoder in
          var own = encoder.container(keyedBy: Key.self)
          try own.encode(2, forKey: "own")
          try kept.write(kind)
        }
        let value = Encoding { encoder in
          guard place >= 2 else {
            var list = encoder.unkeyedContainer()
            try list.encode(first)
            try list.encode(second)
            return
          }
          if place == 2 {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(second, forKey: "child")
            kept.keyed = container
          } else {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(Plain { try kept.write(kind) }, forKey: "child")
            kept.keyed = container
          }
        }
        #expect(throws: (any Error).self, "\(way), value \(kind), place \(place)") {
          try KeyedArchiveEncoder().encode(value)
        }
      }
    }
  }

  @Test("the error of a late value has its key, the place where it was encoded, and the remedy")
  func lateValue() throws {
    let kept = Kept()
    let value = Encoding { encoder in
      var outer = encoder.container(keyedBy: Key.self)
      kept.keyed = outer
      try outer.encode([Encoding { _ in try kept.keyed?.encode(1, forKey: "late") }], forKey: "list")
    }
    let error = #expect(throws: EncodingError.self) { try KeyedArchiveEncoder().encode(value) }
    guard case .invalidValue(_, let context) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["root", "list", "0"])
    #expect(
      context.debugDescription == "late value: the value for 'late' was encoded in a container of an object whose "
        + "encode(to:) has returned. Encode all values of an object before its encode(to:) returns; the objects inside "
        + "are encoded after it")
  }

  @Test("the containers of an object remain valid while a part encodes its values in the same object")
  func flattened() throws {
    struct Part: KeyedCodable {
      var part = 1
    }
    let value = Encoding { encoder in
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(1, forKey: "before")
      let coder = try #require(encoder.keyedArchiver)
      try Part().encode(with: coder)
      try container.encode(2, forKey: "after")
    }
    let root = try KeyedArchive(KeyedArchiveEncoder().encode(value)).root
    #expect(["before", "part", "after"].map { root[$0].number?.integer } == [1, 1, 2])
  }

  @Test("two parts of an object that each encode a single value are an error, in a struct and in a class")
  func twoSingleValues() throws {
    struct Part: KeyedCodable {
      var number: Int
      init(_ number: Int) { self.number = number }
      init(from decoder: any Decoder) throws { number = 0 }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
      }
    }
    struct Whole: SecureKeyedCoding {
      init() {}
      func encode(with coder: KeyedArchiver) throws {
        try Part(1).encode(with: coder)
        try Part(2).encode(with: coder)
      }
      init?(coder: KeyedUnarchiver) { nil }
    }
    final class WholeObject: SecureKeyedCoding {
      init() {}
      func encode(with coder: KeyedArchiver) throws { try Whole().encode(with: coder) }
      init?(coder: KeyedUnarchiver) { nil }
    }
    for value in [Whole(), WholeObject()] as [any KeyedCoding] {
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      archiver.encode(value, forKey: "root")
      #expect(archiver.error?.code == .notEncodable, "\(type(of: value))")
    }
  }

  @Test("an encoder of a nested container, or of an object that was encoded, has no archiver")
  func archiverOfEncoder() throws {
    final class Keeper { var encoder: (any Encoder)? }
    let keeper = Keeper()
    let inner = Encoding { _ in #expect(keeper.encoder?.keyedArchiver == nil) }
    let value = Encoding { encoder in
      var container = encoder.container(keyedBy: Key.self)
      #expect(container.superEncoder(forKey: "super").keyedArchiver == nil)
      #expect(encoder.keyedArchiver != nil)
      keeper.encoder = encoder
      try container.encode(inner, forKey: "inner")
    }
    _ = try KeyedArchiveEncoder().encode(value)
    #expect(keeper.encoder != nil && keeper.encoder?.keyedArchiver == nil)
  }

  /// A program with random containers, of which some are written after others, but none after its object.
  private struct Random: Encodable, Sendable {
    var seed: UInt64
    var depth: Int

    func encode(to encoder: any Encoder) throws {
      var random = SeededRandom(seed: seed)
      switch depth == 0 ? random.next() % 2 : random.next() % 3 {
      case 0:
        var container = encoder.container(keyedBy: Key.self)
        try fill(&container, &random, depth)
        // Another container of the same encoder.
        var again = encoder.container(keyedBy: Key.self)
        try again.encode("again", forKey: "again")
        try container.encode("last", forKey: "last")
      case 1:
        var container = encoder.unkeyedContainer()
        try fill(&container, &random, depth)
        var again = encoder.unkeyedContainer()
        try again.encode("again")
      default:
        var container = encoder.singleValueContainer()
        try container.encode(Random(seed: random.next(), depth: depth - 1))
      }
    }

    private func fill(
      _ container: inout KeyedEncodingContainer<Key>, _ random: inout SeededRandom, _ depth: Int
    ) throws {
      for index in 0..<Int(random.next() % 4) {
        let key = Key(stringValue: "k\(index)")
        switch depth == 0 ? random.next() % 2 : random.next() % 6 {
        case 0: try container.encode(Int(random.next() % 9), forKey: key)
        case 1: try container.encode("text", forKey: key)
        case 2:
          var nested = container.nestedContainer(keyedBy: Key.self, forKey: key)
          try container.encode("after", forKey: Key(stringValue: "after\(index)"))
          try fill(&nested, &random, depth - 1)
        case 3:
          var nested = container.nestedUnkeyedContainer(forKey: key)
          try fill(&nested, &random, depth - 1)
        case 4: try Random(seed: random.next(), depth: depth - 1).encode(to: container.superEncoder(forKey: key))
        default: try container.encode(Random(seed: random.next(), depth: depth - 1), forKey: key)
        }
      }
    }

    private func fill(
      _ container: inout any UnkeyedEncodingContainer, _ random: inout SeededRandom, _ depth: Int
    ) throws {
      for _ in 0..<Int(random.next() % 4) {
        switch depth == 0 ? random.next() % 2 : random.next() % 6 {
        case 0: try container.encode(Int(random.next() % 9))
        case 1: try container.encode("text")
        case 2:
          var nested = container.nestedContainer(keyedBy: Key.self)
          try container.encode("after")
          try fill(&nested, &random, depth - 1)
        case 3:
          var nested = container.nestedUnkeyedContainer()
          try fill(&nested, &random, depth - 1)
        case 4: try Random(seed: random.next(), depth: depth - 1).encode(to: container.superEncoder())
        default: try container.encode(Random(seed: random.next(), depth: depth - 1))
        }
      }
    }
  }

  /// A value that decodes itself as the tree that any decoder shows.
  private indirect enum Tree: Decodable, Equatable {
    case number(Int)
    case text(String)
    case list([Tree])
    case entries([String: Tree])

    init(from decoder: any Decoder) throws {
      if let container = try? decoder.container(keyedBy: Key.self), !container.allKeys.isEmpty {
        var entries: [String: Tree] = [:]
        for key in container.allKeys { entries[key.stringValue] = try container.decode(Tree.self, forKey: key) }
        self = .entries(entries)
      } else if var container = try? decoder.unkeyedContainer() {
        var list: [Tree] = []
        while !container.isAtEnd { list.append(try container.decode(Tree.self)) }
        self = list.isEmpty ? .entries([:]) : .list(list)
      } else {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
          self = .number(number)
        } else if let text = try? container.decode(String.self) {
          self = .text(text)
        } else {
          self = .entries([:])
        }
      }
    }

    /// The objects of an archive, as the same tree.
    init(_ node: KeyedArchive.Node) throws {
      if let number = node.number?.integer {
        self = .number(number)
      } else if let text = node.string {
        self = .text(text)
      } else if let entries = node.dictionary {
        self = .entries(
          try Dictionary(uniqueKeysWithValues: entries.map { (try #require($0.key.string), try Tree($0.value)) }))
      } else if let list = node.array {
        self = list.isEmpty ? .entries([:]) : .list(try list.map { try Tree($0) })
      } else if node.keys.contains("$0") {
        self = .list(try node.keys.indices.map { try Tree(node["$\($0)"]) })
      } else {
        self = .entries(try Dictionary(uniqueKeysWithValues: node.keys.map { ($0, try Tree(node[$0])) }))
      }
    }
  }

  @Test("500 random uses of containers give the tree that JSONEncoder gives")
  func random() throws {
    for seed in Sample.cases(0..<500, each: 10) {
      let value = Random(seed: UInt64(seed), depth: 4)
      let json = try JSONDecoder().decode(Tree.self, from: JSONEncoder().encode(value))
      let archive = try KeyedArchive(KeyedArchiveEncoder().encode(value))
      #expect(try Tree(archive.root) == json, "\(seed)")
    }
  }

  // MARK: Kinds of containers

  private enum Kind: CaseIterable { case keyed, unkeyed, single }

  private static func encode(_ kind: Kind, to encoder: any Encoder) throws {
    switch kind {
    case .keyed:
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(1, forKey: "key")
    case .unkeyed:
      var container = encoder.unkeyedContainer()
      try container.encode(1)
    case .single: try Encoding.single(to: encoder)
    }
  }

  /// A class that encodes itself as a closure says.
  private final class Object: Encodable {
    let body: (any Encoder) throws -> Void
    init(_ body: @escaping (any Encoder) throws -> Void) { self.body = body }
    func encode(to encoder: any Encoder) throws { try body(encoder) }
  }

  @Test("an encoder gives one kind of container, and one single value", arguments: Kind.allCases)
  private func oneKind(first: Kind) throws {
    for second in Kind.allCases {
      let isAllowed = first == second && first != .single
      let body = { (encoder: any Encoder) in
        try Self.encode(first, to: encoder)
        guard first == .keyed, second == .keyed else { return try Self.encode(second, to: encoder) }
        var again = encoder.container(keyedBy: Key.self)
        try again.encode(1, forKey: "again")
      }
      let values: [any Encodable] = [
        Encoding(body), Object(body),
        Encoding { encoder in
          var container = encoder.container(keyedBy: Key.self)
          try body(container.superEncoder())
        },
      ]
      for value in values {
        if isAllowed {
          _ = try KeyedArchiveEncoder().encode([Encoding(value.encode)])
        } else {
          #expect(throws: (any Error).self, "\(first), \(second)") {
            try KeyedArchiveEncoder().encode([Encoding(value.encode)])
          }
        }
      }
    }
  }

  // MARK: Decoding

  /// What a type keeps of a decoder.
  private final class KeptDecoding: @unchecked Sendable {
    static let key = CodingUserInfoKey(rawValue: "kept")

    static func of(_ decoder: any Decoder) -> KeptDecoding? {
      key.flatMap { decoder.userInfo[$0] as? KeptDecoding }
    }

    /// The number of the use, and whether a sibling or the parent keeps.
    var use = 0
    var keepsSibling = false
    var decoder: (any Decoder)?
    var keyed: KeyedDecodingContainer<Key>?
    var nested: KeyedDecodingContainer<Key>?
    /// The value that was read, if no error was thrown.
    var found: [Int] = []

    func keep(_ decoder: any Decoder) throws {
      self.decoder = decoder
      keyed = try decoder.container(keyedBy: Key.self)
      nested = try keyed?.nestedContainer(keyedBy: Key.self, forKey: "nested")
    }

    func read() throws {
      guard let decoder, let keyed, let nested else { return }
      switch use {
      case 0: found = [try keyed.decode(Int.self, forKey: "value")]
      case 1: found = [try keyed.decodeIfPresent(Int.self, forKey: "value") ?? -1]
      case 2: found = [try keyed.decode([Int].self, forKey: "list").first ?? -1]
      case 3: found = [try keyed.decodeIfPresent([Int].self, forKey: "list")?.first ?? -1]
      case 4: found = [try keyed.decodeNil(forKey: "value") ? 0 : -1]
      case 5: found = [try keyed.decodeIfPresent(String.self, forKey: "absent") == nil ? -1 : 0]
      case 6: found = [keyed.contains("value") ? 1 : -1]
      case 7: found = [keyed.allKeys.count]
      case 8: found = [try keyed.nestedContainer(keyedBy: Key.self, forKey: "nested").decode(Int.self, forKey: "value")]
      case 9: found = [try keyed.superDecoder(forKey: "nested").container(keyedBy: Key.self).allKeys.count]
      case 10: found = [try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: "value")]
      case 11: found = [try decoder.unkeyedContainer().count ?? -1]
      case 12: found = [try decoder.singleValueContainer().decode(Int.self)]
      default: found = [try nested.decode(Int.self, forKey: "value")]
      }
    }

    static let uses = 0..<14
  }

  private struct Person: Codable {
    var value: Int
    var list: [Int]
    var nested: [String: Int]

    init(_ value: Int) {
      self.value = value
      list = [value]
      nested = ["value": value]
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let kept = KeptDecoding.of(decoder)
      try kept?.read()
      if kept?.keepsSibling == true, kept?.keyed == nil { try kept?.keep(decoder) }
      value = try container.decode(Int.self, forKey: .value)
      list = try container.decode([Int].self, forKey: .list)
      nested = try container.decode([String: Int].self, forKey: .nested)
    }
  }

  private struct Family: Codable {
    var value = 10
    var list = [10]
    var nested = ["value": 10]
    var people = [Person(1), Person(2)]

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      if let kept = KeptDecoding.of(decoder), !kept.keepsSibling { try kept.keep(decoder) }
      people = try container.decode([Person].self, forKey: .people)
      value = try container.decode(Int.self, forKey: .value)
    }
  }

  @Test("what is kept of one object decodes nothing of another one", arguments: KeptDecoding.uses)
  func keptDecoding(use: Int) throws {
    let data = try KeyedArchiveEncoder().encode(Family())
    for keepsSibling in [false, true] {
      let kept = KeptDecoding()
      kept.use = use
      kept.keepsSibling = keepsSibling
      var decoder = KeyedArchiveDecoder()
      decoder.userInfo[try #require(KeptDecoding.key)] = kept
      let error = #expect(throws: (any Error).self) { try decoder.decode(Family.self, from: data) }
      #expect("\(error as Any)".contains("foreign container"), "\(error as Any)")
      // After the end of the decoding, too.
      #expect(throws: (any Error).self) {
        try kept.read()
        // Calls that cannot throw find nothing.
        if kept.found == [-1] || kept.found == [0] { throw CancellationError() }
      }
    }
  }
}
