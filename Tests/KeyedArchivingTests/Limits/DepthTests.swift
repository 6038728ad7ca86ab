// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

@Suite("500 levels are read, 100,000 end in an error")
struct DepthTests {
  /// A list whose containers nest so deep. Written in place, for a value of that depth cannot even be let go.
  private static func list(_ levels: Int, isDictionary: Bool) -> Data {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    func put(_ value: Int, _ count: Int) {
      for place in (0..<count).reversed() { bytes.append(UInt8(value >> (8 * place) & 0xFF)) }
    }
    for level in 0..<levels {
      offsets.append(bytes.count)
      bytes.append(isDictionary ? 0xD1 : 0xA1)
      if isDictionary { put(levels, 4) }
      put(level + 1, 4)
    }
    offsets.append(bytes.count)
    bytes += [0x51, 0x61]
    let table = bytes.count
    for offset in offsets { put(offset, 8) }
    bytes += [0, 0, 0, 0, 0, 0, 8, 4]
    put(levels + 1, 8)
    put(0, 8)
    put(table, 8)
    return Data(bytes)
  }

  private static func xml(_ levels: Int, isDictionary: Bool) -> Data {
    let (open, close) = isDictionary ? ("<dict><key>a</key>", "</dict>") : ("<array>", "</array>")
    let text = String(repeating: open, count: levels) + "<string>a</string>" + String(repeating: close, count: levels)
    return Data("<plist version=\"1.0\">\(text)</plist>".utf8)
  }

  @Test("binary and XML lists", arguments: [false, true])
  func lists(_ isDictionary: Bool) throws {
    try PropertyList(Self.list(500, isDictionary: isDictionary)).validate()
    try PropertyList(Self.xml(500, isDictionary: isDictionary)).validate()
    _ = try PropertyList(Self.list(500, isDictionary: isDictionary)).data(format: .xml)
    _ = try PropertyList(Self.xml(500, isDictionary: isDictionary)).data(format: .binary)
    let deep = Self.list(10_000, isDictionary: isDictionary)
    expectLimit { try PropertyList(deep).validate() }
    expectLimit { _ = try PropertyList(deep).data(format: .xml) }
    expectLimit { _ = try PropertyList(Self.xml(10_000, isDictionary: isDictionary)) }
  }

  private func expectLimit(sourceLocation: SourceLocation = #_sourceLocation, _ read: () throws -> Void) {
    let error = #expect(throws: PropertyListError.self, sourceLocation: sourceLocation) { try read() }
    #expect(error?.code == .limitReached, sourceLocation: sourceLocation)
    #expect(error?.detail.contains("512 levels") == true, sourceLocation: sourceLocation)
  }

  @Test("arrays of any type, typed ones, and objects")
  func objects() throws {
    let types: [any KeyedCoding.Type] = [ArchivedArray.self, String.self]
    #expect(try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: NestedArchives.arrays(500)) is ArchivedArray)
    let chain = NestedArchives.parents(500)
    let reads: [() throws -> Any?] = [
      { try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: NestedArchives.arrays(5000)) },
      {
        try KeyedUnarchiver.unarchivedObject(
          ofClass: Parent.self, from: NestedArchives.parents(5000))
      },
    ]
    for read in reads {
      let error = #expect(throws: KeyedArchiveError.self) { _ = try read() }
      #expect(error?.code == .limitReached)
      #expect(error?.remedy?.contains("maximumDepth") == true)
    }
    // The last of 500 parents holds a text where a parent should be: it was reached.
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Parent.self, from: chain)
    }
    #expect(error?.code == .classNotAllowed)
  }

  @Test("a graph as data has no limit of depth: it is read, followed and released without recursion")
  func data() throws {
    let levels = Sample.count(20_000, of: 1_000_000)
    let archive = try KeyedArchive(NestedArchives.chain(1000))
    var node = archive.root
    var depth = 0
    while node["next"].exists {
      node = node["next"]
      depth += 1
    }
    #expect(depth == 1000)
    #expect(archive.check().isEmpty)
    #expect(try KeyedArchive(NestedArchives.arrays(20_000)).check().isEmpty)

    // In memory, because a file with so many objects is slow to write.
    var last = ArchivedObject(classes: "Unknown", "NSObject")
    for _ in 1..<levels {
      last = ArchivedObject(classes: "Unknown", "NSObject", entries: [.init("next", .object(last))])
    }
    var lists = ArchivedObject(classes: "Unknown", "NSObject")
    for _ in 1..<levels {
      lists = ArchivedObject(
        classes: "NSArray", "NSObject", entries: [.init("NS.objects", .references([.object(lists)]))])
    }
    // The release of both must not overflow the stack.
    last = lists
    lists = ArchivedObject(classes: "Unknown")
    last = lists

    let chain = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: NestedArchives.chain(40_000))
    var count = 0
    var next = chain
    while let object = next {
      count += 1
      next = object["next"]?.object
    }
    #expect(count == 40_000)
  }

  private indirect enum Tree: SecureKeyedCoding {
    case leaf
    case branch([Tree])
    static var archiveClassName: String { "Tree" }
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) { nil }
    func record(in coder: KeyedArchiver) -> RecordedValue {
      switch self {
      case .leaf: 1.record(in: coder)
      case .branch(let trees): trees.record(in: coder)
      }
    }
    init(_ levels: Int) {
      self = .leaf
      for _ in 0..<levels { self = .branch([self]) }
    }
    /// Releases the levels one by one, because Swift does it recursively.
    mutating func end() {
      while case .branch(let trees) = self { self = trees[0] }
    }
  }

  private final class Watcher: KeyedArchiverDelegate {}

  @Test("arrays in each other that a type records are archived at any depth", arguments: [1, 31, 32, 33, 70, 10_000])
  func recorded(_ levels: Int) throws {
    let archive: (Bool) throws -> Data = { hasDelegate in
      var tree = Tree(levels)
      defer { tree.end() }
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      let watcher = Watcher()
      // With a delegate, no array is recorded together with its elements.
      if hasDelegate { archiver.delegate = watcher }
      archiver.encode(tree, forKey: "root")
      return try archiver.encodedData
    }
    var data = Data()
    try System.onThread(stackBytes: 512 << 10) { data = (try? archive(false)) ?? Data() }
    let expected = try archive(true)
    #expect(!data.isEmpty && data == expected)
  }
}
