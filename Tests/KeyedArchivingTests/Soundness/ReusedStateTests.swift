// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import SystemFiles
import TestSupport
import Testing

/// Archivers use the memory of earlier ones, and the trie of their keys. No archive may depend on another one.
@Suite("An archive does not depend on the archives before it")
struct ReusedStateTests {
  private struct Box: SecureKeyedCoding {
    static let name = Locked("First")
    static var archiveClassName: String { name.withLock { $0 } }
    static var archiveClassChain: [String] { [archiveClassName, "NSObject"] }

    func encode(with coder: KeyedArchiver) { coder.encode(1, forKey: "value") }
    init() {}
    init?(coder: KeyedUnarchiver) { nil }
  }

  @Test("a class has the name that its type has now")
  func changedName() throws {
    for name in ["First", "Second", "Third"] {
      Box.name.withLock { $0 = name }
      let archive = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: Box(), requiringSecureCoding: true))
      #expect(archive.root.className == name)
    }
  }

  private struct Heir: SecureKeyedCoding {
    static let parent = Locked("First")
    static var archiveClassName: String { "Heir" }
    static var archiveClassChain: [String] { ["Heir", parent.withLock { $0 }, "NSObject"] }

    func encode(with coder: KeyedArchiver) {}
    init() {}
    init?(coder: KeyedUnarchiver) { nil }
  }

  @Test("a class has the superclasses that its type names now")
  func changedChain() throws {
    for name in ["First", "Second", "Third"] {
      Heir.parent.withLock { $0 = name }
      let archive = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: Heir(), requiringSecureCoding: true))
      #expect(try archive.classDescription(ArchiveUID(rawValue: 2)).chain == ["Heir", name, "NSObject"])
    }
  }

  /// A class whose name each object chooses.
  private struct Named: SecureKeyedCoding, DynamicArchiveClass {
    let archivedClass: ClassDescription
    static var archiveClassName: String { "Named" }
    static var archiveClassChain: [String] { [] }
    func encode(with coder: KeyedArchiver) {}
    init(_ name: String) { archivedClass = ClassDescription(name: name, chain: []) }
    init?(coder: KeyedUnarchiver) { nil }
  }

  @Test("a name that was set for a class, and removed, has no effect on the next archive")
  func removedName() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.setClassName("Named", for: Named.self)
    archiver.encode(Named("Other"), forKey: "root")
    _ = try archiver.encodedData
    archiver.setClassName(nil, for: Named.self)
    try archiver.finishEncoding()
    let archive = try KeyedArchive(Self.archived(Named("Own")))
    #expect(archive.root.className == "Own")
  }

  private struct Changeable: SecureKeyedCoding {
    static let isSecure = Locked(true)
    static var archiveClassName: String { "Changeable" }
    static var supportsSecureCoding: Bool { isSecure.withLock { $0 } }

    func encode(with coder: KeyedArchiver) {}
    init() {}
    init?(coder: KeyedUnarchiver) { nil }
  }

  @Test("a type is as secure as it says now")
  func changedSecurity() throws {
    for isSecure in [true, false, true, false] {
      Changeable.isSecure.withLock { $0 = isSecure }
      let data = try? KeyedArchiver.archivedData(withRootObject: Changeable(), requiringSecureCoding: true)
      #expect((data != nil) == isSecure)
    }
  }

  /// Two types of one name, of which one replaces its values.
  private struct Plain: SecureKeyedCoding {
    static var archiveClassName: String { "Same" }
    func encode(with coder: KeyedArchiver) { coder.encode(1, forKey: "plain") }
    init() {}
    init?(coder: KeyedUnarchiver) { nil }
  }

  private struct Replacing: SecureKeyedCoding, ArchiveReplacing {
    static var archiveClassName: String { "Same" }
    func encode(with coder: KeyedArchiver) { coder.encode(1, forKey: "replacing") }
    func replacementObject(for coder: KeyedArchiver) -> (any KeyedCoding)? { "replacement" }
    init() {}
    init?(coder: KeyedUnarchiver) { nil }
  }

  @Test("types of one name are told apart")
  func sameName() throws {
    for _ in 0..<3 {
      let plain = try KeyedArchive(Self.archived(Plain()))
      #expect(plain.root.className == "Same")
      let text = try KeyedUnarchiver.unarchivedObject(ofClass: String.self, from: Self.archived(Replacing()))
      #expect(text == "replacement")
    }
  }

  /// An object with any keys.
  private final class Item: SecureKeyedCoding {
    static var archiveClassName: String { "Item" }
    private let keys: [String]
    private let children: [Item]

    init(_ keys: [String], _ children: [Item] = []) { (self.keys, self.children) = (keys, children) }

    func encode(with coder: KeyedArchiver) {
      for (number, key) in keys.enumerated() { coder.encode(number, forKey: key) }
      for child in children { coder.encode(child) }
      coder.encodeConditionalObject(children.first, forKey: "first")
    }
    init?(coder: KeyedUnarchiver) { nil }
  }

  private struct Insecure: KeyedCoding {
    func encode(with coder: KeyedArchiver) {}
    init() {}
    init?(coder: KeyedUnarchiver) { nil }
  }

  /// Archives of many kinds, some of which fail.
  private static let makers: [@Sendable () throws -> Data] = [
    { try archived(["a", "b", "\u{E9}", "short", "a text that no tagged pointer holds"] as [String]) },
    { try archived(Set((0..<20).map { "element \($0)" })) },
    { try archived(["one": [1, 2, 3], "two": []] as [String: [Int]]) },
    { try archived([Date(timeIntervalSinceReferenceDate: 1), Date(timeIntervalSinceReferenceDate: 2)]) },
    { try archived([Data("bytes".utf8), Data()]) },
    { try archived(Item(["a", "b", "c", "d"], [Item(["d", "c"]), Item([]), Item(["$x", "$0x"])])) },
    { try archived(Item((0..<70).map { "key \($0)" })) },
    { try archived((0..<300).map { Item(["n\($0 % 40)"]) }) },
    { try archived([1.5, 0, 1] as [Double]) },
    { try archived([UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))]) },
    { try archived(Item(["twice", "twice"])) },
    { try KeyedArchiver.archivedData(withRootObject: Insecure(), requiringSecureCoding: true) },
    {
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      archiver.repeatedKeyPolicy = .keepLast
      archiver.encode(Item(["twice", "twice"]), forKey: "root")
      let data = try archiver.encodedData
      return data + Data(archiver.repeatedKeys.map(\.key).joined().utf8)
    },
    {
      let archiver = KeyedArchiver(requiringSecureCoding: false)
      archiver.setClassName("Renamed", for: Item.self)
      archiver.archiverName = "MyKeyedArchiver"
      archiver.encode(Item(["a"]), forKey: "root")
      archiver.encode("a", forKey: "other")
      archiver.encode(Item(["a"]))
      return try archiver.encodedData
    },
    {
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      archiver.outputFormat = .xml
      archiver.encode(Item(["a", "b"]), forKey: "root")
      return try archiver.encodedData
    },
    {
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      archiver.maximumObjectCount = 3
      archiver.encode((0..<9).map { "\($0)" }, forKey: "root")
      return try archiver.encodedData
    },
    {
      // The archiver stays, so another one must not use its state.
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      archiver.encode(Item(["a", "b"]), forKey: "root")
      let data = try archiver.encodedData
      _ = try archived(Item(["c"]))
      return try data + archiver.encodedData
    },
  ]

  private static func archived(_ value: some KeyedCoding) throws -> Data {
    try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
  }

  /// What a maker returns or throws.
  private static func outcome(_ maker: Int) -> [String] {
    switch Result(catching: makers[maker]) {
    case .success(let data): [data.base64EncodedString()]
    case .failure(let error as KeyedArchiveError): [error.description, error.keyPath ?? "", error.className ?? ""]
    case .failure(let error): ["\(error)"]
    }
  }

  @Test("in any order of archives")
  func anyOrder() {
    let first = Self.makers.indices.map(Self.outcome)
    for step in 1..<Self.makers.count {
      for turn in Self.makers.indices {
        // Each maker follows each other one in some round: the number of makers is a prime.
        let maker = turn * step % Self.makers.count
        #expect(Self.outcome(maker) == first[maker], "maker \(maker) in round \(step)")
      }
    }
  }

  @Test("in several threads at once")
  func threads() async {
    let first = Self.makers.indices.map(Self.outcome)
    await withTaskGroup(of: [[String]].self) { group in
      for task in 0..<8 {
        group.addTask {
          var outcomes = first
          for turn in 0..<Sample.count(40, of: 200) {
            let maker = (turn + task) % Self.makers.count
            outcomes[maker] = Self.outcome(maker)
          }
          return outcomes
        }
      }
      for await outcomes in group { #expect(outcomes == first) }
    }
  }

  /// A coder that was kept weakly must not be another archiver's.
  private final class Keeper: SecureKeyedCoding {
    static var archiveClassName: String { "Keeper" }
    weak var coder: KeyedArchiver?

    init() {}
    func encode(with coder: KeyedArchiver) { self.coder = coder }
    init?(coder: KeyedUnarchiver) { nil }
  }

  @Test("an archiver that is gone is not back for the next archive")
  func weakCoder() throws {
    let keeper = Keeper()
    _ = try Self.archived(keeper)
    #expect(keeper.coder == nil)
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    #expect(archiver !== keeper.coder)
  }
}
