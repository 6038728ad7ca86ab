// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchiving
import TestSupport
import Testing

/// An object that fails, or that the rules no longer allow, takes the instances in it with it. No cached value may bring them
/// back.
@Suite("Discarded instances")
struct DiscardedObjectTests {
  private struct Refusal: Error {}

  private final class Leaf: SecureKeyedCoding {
    static var archiveClassName: String { "Leaf" }
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) {}
  }

  /// Decodes a list, and fails.
  private final class Failing: SecureKeyedCoding {
    static var archiveClassName: String { "Failing" }
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws {
      _ = try coder.decode([Leaf].self, forKey: "list")
      throw Refusal()
    }
  }

  /// Decodes what a test names, continues after errors, and fails if it must.
  private struct Root: SecureKeyedCoding {
    @TaskLocal static var order: [Int] = []
    static var archiveClassName: String { "Root" }
    var leaves: [ObjectIdentifier] = []

    static let requests: [@Sendable (KeyedUnarchiver) throws -> Leaf?] = [
      { try $0.decode([Leaf].self, forKey: "list").first }, { try $0.decode(Leaf.self, forKey: "leaf") },
      { try $0.decode([[Leaf]].self, forKey: "lists").first?.first },
      {
        try ($0.decodeTopLevelObject(of: [ArchivedArray.self, Leaf.self], forKey: "list") as? ArchivedArray)?.elements
          .first as? Leaf
      },
      {
        _ = try $0.decode(Failing.self, forKey: "failing"); return nil
      },
      {
        _ = try $0.decode([Failing].self, forKey: "failures"); return nil
      },
    ]

    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws {
      // The instances are retained, so that no later one has the address of one that is gone.
      var found: [Leaf] = []
      for request in Self.order { if let leaf = try? Self.requests[request](coder) { found.append(leaf) } }
      // What was decoded before an error of another object stays; later requests agree with each other.
      let last = try Self.requests.prefix(4).compactMap { try $0(coder) }
      #expect(last.count == 4 && last.allSatisfy { $0 === last[0] }, "after \(Self.order)")
      leaves = last.map { ObjectIdentifier($0) }
      withExtendedLifetime(found) {}
    }
  }

  /// Returns an archive whose root has a list of references to one leaf, and objects that decode this list and fail.
  /// - Parameter count: The number of references.
  /// - Returns: The archive.
  private func archive(_ count: Int) -> Data {
    HandmadeList.archive(
      [
        Hostile.object(
          2,
          [("list", .uid(3)), ("leaf", .uid(5)), ("lists", .uid(9)), ("failing", .uid(7)), ("failures", .uid(10))]),
        .classRecord("Root", "NSObject"),
        Hostile.object(4, [("NS.objects", .array(Array(repeating: .uid(5), count: count)))]), Hostile.array,
        Hostile.object(6), .classRecord("Leaf", "NSObject"),
        Hostile.object(8, [("list", .uid(3))]), .classRecord("Failing", "NSObject"),
        Hostile.object(4, [("NS.objects", .array(Array(repeating: .uid(3), count: 70)))]),
        Hostile.object(4, [("NS.objects", .array([.uid(7), .uid(7)]))]),
      ], top: [("root", .uid(1)), ("list", .uid(3)), ("leaf", .uid(5)), ("failing", .uid(7))])
  }

  @Test("are in no value that is decoded after the error, in any order of requests", arguments: 0..<40)
  func anyOrder(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let order = (0..<Int.random(in: 1...8, using: &random)).map { _ in
      Int.random(in: Root.requests.indices, using: &random)
    }
    for count in [2, 100] {
      let coder = try Hostile.decoder(archive(count))
      let root = try Root.$order.withValue(order) { try coder.decode(Root.self, forKey: "root") }
      #expect(root.leaves.count == 4)
    }
  }

  @Test("are in no value that a later call decodes", arguments: [2, 100])
  func laterCall(_ count: Int) throws {
    let coder = try Hostile.decoder(archive(count))
    #expect(throws: KeyedArchiveError.self) { try coder.decode(Failing.self, forKey: "failing") }
    let list = try coder.decode([Leaf].self, forKey: "list")
    #expect(try coder.decode(Leaf.self, forKey: "leaf") === list[0])
  }

  // Waiting references.

  private class Owner: SecureKeyedCoding {
    class var archiveClassName: String { "Owner" }
    var children: [Child] = []
    func encode(with coder: KeyedArchiver) {}
    required init(coder: KeyedUnarchiver) throws { children = try coder.decode([Child].self, forKey: "children") }
  }

  /// Another type for the objects of owners.
  private final class Stranger: SecureKeyedCoding {
    static var archiveClassName: String { "Owner" }
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws { throw Refusal() }
  }

  private final class Child: SecureKeyedCoding {
    static var archiveClassName: String { "Child" }
    weak var owner: Owner?
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) {
      if coder.decodeBool(forKey: "fails") {
        coder.decodeObject(of: Stranger.self, forKey: "owner") { _ in }
      } else {
        coder.decodeObject(of: Owner.self, forKey: "owner") { self.owner = $0 }
      }
    }
  }

  /// Requests an owner again after an error.
  private struct Persistent: SecureKeyedCoding {
    static var archiveClassName: String { "Persistent" }
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws {
      for _ in 0..<2 {
        #expect(throws: (any Error).self) { try coder.decode(Owner.self, forKey: "owner") }
      }
      // It was decoded by an object that succeeded.
      #expect(try coder.decode(String.self, forKey: "name") == "name")
    }
  }

  @Test("include an object of which a waiting reference failed")
  func waiting() throws {
    let data = HandmadeList.archive([
      Hostile.object(2, [("owner", .uid(3)), ("name", .uid(10))]), .classRecord("Persistent", "NSObject"),
      Hostile.object(4, [("children", .uid(5))]), .classRecord("Owner", "NSObject"),
      Hostile.object(6, [("NS.objects", .array([.uid(7), .uid(8)]))]), Hostile.array,
      Hostile.object(9, [("owner", .uid(3)), ("fails", true)]),
      Hostile.object(9, [("owner", .uid(3)), ("fails", false)]),
      .classRecord("Child", "NSObject"), "name",
    ])
    _ = try Hostile.decoder(data).decode(Persistent.self, forKey: "root")
  }

  // Rules.

  private struct InsecureValue: KeyedCoding {
    static var archiveClassName: String { "Insecure" }
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) {}
  }

  private final class InsecureInstance: KeyedCoding {
    static var archiveClassName: String { "Insecure" }
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) {}
  }

  /// Contains an insecure object. The first one changes the rules after that.
  private struct Box<Content: KeyedCoding>: SecureKeyedCoding {
    static var archiveClassName: String { "Leaf" }
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws {
      _ = try coder.decode(Content.self, forKey: "content")
      coder.requiresSecureCoding = true
    }
  }

  private final class InstanceBox: SecureKeyedCoding {
    static var archiveClassName: String { "Leaf" }
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws { _ = try coder.decode(InsecureInstance.self, forKey: "content") }
  }

  /// Decodes a box, then requires secure coding, then decodes a list of the box.
  private struct Tightening: SecureKeyedCoding {
    static var archiveClassName: String { "Root" }
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws {
      _ = try coder.decode(InstanceBox.self, forKey: "leaf")
      coder.requiresSecureCoding = true
      _ = try? coder.decode([InstanceBox].self, forKey: "list")
    }
  }

  private func boxes(_ count: Int) -> Data {
    HandmadeList.archive(
      [
        Hostile.object(2, [("list", .uid(3)), ("leaf", .uid(5))]), .classRecord("Root", "NSObject"),
        Hostile.object(4, [("NS.objects", .array(Array(repeating: .uid(5), count: count)))]), Hostile.array,
        Hostile.object(6, [("content", .uid(7))]), .classRecord("Leaf", "NSObject"), Hostile.object(8),
        .classRecord("Insecure", "NSObject"),
      ], top: [("root", .uid(1)), ("list", .uid(3))])
  }

  private func expectInsecure(_ body: () throws -> Void) {
    let error = #expect(throws: KeyedArchiveError.self) { try body() }
    #expect(error?.code == .classNotSecure, "\(String(describing: error))")
  }

  @Test("include those of former rules in a cached list")
  func cachedInstances() throws {
    let coder = try Hostile.decoder(boxes(100))
    coder.requiresSecureCoding = false
    _ = try coder.decode(Tightening.self, forKey: "root")
    expectInsecure { _ = try coder.decode([InstanceBox].self, forKey: "list") }
  }

  @Test("include structs of former rules in a cached list")
  func cachedValues() throws {
    let coder = try Hostile.decoder(boxes(1))
    coder.requiresSecureCoding = false
    _ = try coder.decode([Box<InsecureValue>].self, forKey: "list")
    expectInsecure { _ = try coder.decode([Box<InsecureValue>].self, forKey: "list") }
  }

  @Test("are none if a rule is set to the value that it has")
  func sameRules() throws {
    final class Observer: KeyedUnarchiverDelegate {}
    let observer = Observer()
    let coder = try Hostile.decoder(archive(2))
    coder.delegate = observer
    let leaf = try coder.decode(Leaf.self, forKey: "leaf")
    coder.requiresSecureCoding = true
    coder.primitiveValuePolicy = .mustBeListed
    coder.delegate = observer
    #expect(try coder.decode(Leaf.self, forKey: "leaf") === leaf)
    coder.delegate = nil
    #expect(try coder.decode(Leaf.self, forKey: "leaf") !== leaf)
  }
}
