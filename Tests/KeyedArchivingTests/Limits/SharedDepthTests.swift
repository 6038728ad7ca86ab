// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchiving
import TestSupport
import Testing

@Suite("Shared values in each other have at most as many levels as nested ones")
struct SharedDepthTests {
  /// An array of chains. The first value of a chain contains all other values of it, and the last one contains the first
  /// value of the chain before. Decoded in order, each chain nests 30 levels by itself.
  private static func chains(
    _ count: Int, _ record: HandmadeList, _ member: (UInt64) -> [(String, HandmadeList)]
  ) -> Data {
    var objects: [HandmadeList] = [record, "the end", Hostile.array]
    var end: UInt64 = 2
    var references: [HandmadeList] = []
    for _ in 0..<count {
      let first = UInt64(objects.count + 1)
      for level in 0..<30 {
        objects.append(Hostile.object(1, member(level < 29 ? first + UInt64(level) + 1 : end)))
      }
      end = first
      // Another decode makes a value known to later references.
      references += [.uid(first), .uid(first), .uid(first)]
    }
    objects.append(Hostile.object(3, [("NS.objects", .array(references))]))
    return HandmadeList.archive(objects, top: [("root", .uid(UInt64(objects.count)))])
  }

  private static func arrays(_ count: Int) -> Data { chains(count, Hostile.array) { [("NS.objects", [.uid($0)])] } }

  private static func dictionaries(_ count: Int) -> Data {
    chains(count, .classRecord("NSDictionary", "NSObject")) { [("NS.keys", [.uid(2)]), ("NS.objects", [.uid($0)])] }
  }

  /// A value that contains others.
  private struct Tree: KeyedCodable {
    let children: [Tree]
  }

  /// A value that reads the others from the innermost of 20 nested containers.
  private struct Nest: KeyedCodable {
    let children: [Nest]

    private enum Key: CodingKey { case lists }

    init(from decoder: any Decoder) throws {
      var container = try decoder.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: .lists)
      for _ in 1..<20 { container = try container.nestedUnkeyedContainer() }
      var children: [Nest] = []
      while !container.isAtEnd { children.append(try container.decode(Nest.self)) }
      self.children = children
    }

    func encode(to encoder: any Encoder) throws {}
  }

  private static func expectLimit(_ read: @escaping () throws -> Any?) throws {
    // How many levels fit the smaller stack depends on the build.
    for (kilobytes, reason) in [(512, "levels"), (2048, "512 levels")] {
      var failure: (any Error)?
      // The values are released here, too.
      try System.onThread(stackBytes: kilobytes << 10) {
        do { _ = try read() } catch { failure = error }
      }
      let error = try #require(failure as? KeyedArchiveError)
      #expect(error.code == .limitReached)
      #expect(error.detail.contains(reason), "\(error)")
    }
  }

  private static var types: [any KeyedCoding.Type] { [ArchivedArray.self, ArchivedDictionary.self, String.self] }

  @Test("untyped collections", arguments: [20, 2000])
  func untyped(_ count: Int) throws {
    let arrays = Self.arrays(count)
    let dictionaries = Self.dictionaries(count)
    try Self.expectLimit { try KeyedUnarchiver.unarchivedObject(ofClasses: Self.types, from: arrays) }
    try Self.expectLimit { try KeyedUnarchiver.unarchivedObject(ofClasses: Self.types, from: dictionaries) }
  }

  @Test("Codable values", arguments: [2, 100])
  func codable(_ count: Int) throws {
    // Each tree is an object with the array of its children; the chain alternates between the two.
    var objects: [HandmadeList] = [Hostile.array, .classRecord(Tree.archiveClassName, "NSObject")]
    objects.append(Hostile.object(1, [("NS.objects", .array([]))]))
    objects.append(Hostile.object(2, [("children", .uid(3))]))
    var end: UInt64 = 4
    var starts: [UInt64] = []
    for _ in 0..<count {
      let first = UInt64(objects.count + 1)
      for level in 0..<240 {
        let tree = first + UInt64(2 * level)
        objects.append(Hostile.object(2, [("children", .uid(tree + 1))]))
        objects.append(Hostile.object(1, [("NS.objects", [.uid(level < 239 ? tree + 2 : end)])]))
      }
      end = first
      starts.append(first)
    }
    let list = starts.flatMap { [HandmadeList.uid($0), .uid($0), .uid($0)] }
    objects.append(Hostile.object(1, [("NS.objects", .array(list))]))
    objects.append(Hostile.object(2, [("children", .uid(UInt64(objects.count)))]))
    let archive = HandmadeList.archive(objects, top: [("root", .uid(UInt64(objects.count)))])
    var failure: (any Error)?
    try System.onThread(stackBytes: 8 << 20) {
      do { _ = try KeyedUnarchiver.unarchivedObject(ofClass: Tree.self, from: archive) } catch { failure = error }
    }
    let text = "\(try #require(failure))"
    #expect(text.contains("512 levels"), "\(text)")
  }

  @Test("levels of nested containers count, also those of a value that was decoded before", arguments: [10, 40])
  func nestedContainers(_ count: Int) throws {
    var objects: [HandmadeList] = [Hostile.array, .classRecord(Nest.archiveClassName, "NSObject")]
    /// Adds a value with others, and returns its number.
    func add(_ children: [UInt64]) -> UInt64 {
      objects.append(Hostile.object(1, [("NS.objects", .array(children.map { .uid($0) }))]))
      for _ in 1..<20 { objects.append(Hostile.object(1, [("NS.objects", [.uid(UInt64(objects.count))])])) }
      objects.append(Hostile.object(2, [("lists", .uid(UInt64(objects.count)))]))
      return UInt64(objects.count)
    }
    // No value has more than 40 levels until another one with it is decoded.
    var nests = [add([])]
    for _ in 1..<count { nests.append(add([nests[nests.count - 1]])) }
    let root = add(nests.flatMap { [$0, $0, $0] })
    let archive = HandmadeList.archive(objects, top: [("root", .uid(root))])
    var failure: (any Error)?
    try System.onThread(stackBytes: 8 << 20) {
      do { _ = try KeyedUnarchiver.unarchivedObject(ofClass: Nest.self, from: archive) } catch { failure = error }
    }
    #expect(failure.map { "\($0)".contains("512 levels") } ?? false == (count == 40), "\(failure as Any)")
  }

  @Test("a property list that is converted from its deepest level ends in an error of the stack")
  func propertyList() throws {
    let archive = DeepDictionary.archive(levels: 480)
    var failure: (any Error)?
    try System.onThread(stackBytes: 512 << 10) {
      do {
        let unarchiver = try KeyedUnarchiver(forReadingFrom: archive)
        _ = try unarchiver.decodeTopLevelDecodable([String: [Int]].self, forKey: "root")
      } catch { failure = error }
    }
    let error = try #require(failure as? KeyedArchiveError)
    #expect(error.detail.contains("collections nest deeper than the stack of this thread"), "\(error)")
  }

  @Test("a thread on which a value could not be released does not get it")
  func smallStack() throws {
    let archive = Self.arrays(16)
    for (kilobytes, isDecoded) in [(128, false), (1024, true)] {
      var failure: (any Error)?
      try System.onThread(stackBytes: kilobytes << 10) {
        do { _ = try KeyedUnarchiver.unarchivedObject(ofClasses: Self.types, from: archive) } catch { failure = error }
      }
      let isRefused = (failure as? KeyedArchiveError)?.detail.contains("fit the stack of this thread") == true
      #expect(isDecoded ? failure == nil : isRefused, "\(failure as Any)")
    }
  }

  @Test("values that are shared at each level, but nest no deeper than the limit, are decoded")
  func honest() throws {
    let value = try KeyedUnarchiver.unarchivedObject(ofClasses: Self.types, from: Self.arrays(1))
    #expect((value as? ArchivedArray)?.elements.count == 3)
  }
}
