// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

@Suite("Where a thread has little stack, what nests too deep for it ends in an error and not in its overflow")
struct SmallStackTests {
  /// How many levels of arrays come out.
  private static func decode(_ levels: Int) throws -> Int {
    let types: [any KeyedCoding.Type] = [ArchivedArray.self, String.self]
    var value = try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: NestedArchives.arrays(levels))
    var count = 0
    while let array = value as? ArchivedArray {
      count += 1
      value = array.elements.first
    }
    return count
  }

  /// What a step on a thread with so much stack threw.
  private static func failure(stack byteCount: Int, _ read: @escaping () throws -> Any?) throws -> (any Error)? {
    var failure: (any Error)?
    try System.onThread(stackBytes: byteCount) {
      do { _ = try read() } catch { failure = error }
    }
    return failure
  }

  /// A property list of lists.
  private struct Lists: Decodable {
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      if !container.isAtEnd { _ = try container.decode(Lists.self) }
    }
  }

  @Test("a few levels come out; 510 arrays, objects or lists end in an error", arguments: [128, 256])
  func smallStack(_ kilobytes: Int) throws {
    #expect(try Self.failure(stack: kilobytes << 10) { try Self.decode(8) } == nil)
    let reads: [() throws -> Any?] = [
      { try Self.decode(510) },
      { try KeyedUnarchiver.unarchivedObject(ofClass: Parent.self, from: NestedArchives.parents(510)) },
      {
        let unarchiver = try KeyedUnarchiver(forReadingFrom: NestedArchives.arrays(510))
        return try unarchiver.decodeTopLevelDecodable(Lists.self, forKey: "root")
      },
    ]
    for read in reads {
      let error = try #require(try Self.failure(stack: kilobytes << 10, read) as? KeyedArchiveError)
      #expect(error.code == .limitReached)
      #expect(error.detail.contains("stack"))
      #expect(error.remedy?.contains("larger stack") == true)
    }
  }

  private enum Key: CodingKey { case lists }

  /// A Codable class of which each holds the next one.
  private final class Link: KeyedCodable {
    let next: Link?

    private enum CodingKeys: CodingKey { case next }
  }

  /// Goes down nested containers one after another.
  private struct Stroll: KeyedCodable {
    init(from decoder: any Decoder) throws {
      var container = try decoder.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: .lists)
      while true { container = try container.nestedUnkeyedContainer() }
    }

    func encode(to encoder: any Encoder) throws {}
  }

  /// What comes of nested containers, the last of which holds a text.
  private static func decode<Value: KeyedCodable>(
    containersOf type: Value.Type, levels: Int, stack: Int
  ) throws -> String {
    let archive = HandmadeList.archive(
      [.classRecord(type.archiveClassName, "NSObject"), Hostile.object(1, [("lists", .uid(4))]), Hostile.array]
        + (0..<levels).map { Hostile.object(3, [("NS.objects", [.uid(UInt64($0 + 5))])]) } + ["the end"],
      top: [("root", .uid(2))])
    let error = try failure(stack: stack) { try KeyedUnarchiver.unarchivedObject(ofClass: type, from: archive) }
    return error.map { "\($0)" } ?? "a value"
  }

  @Test("Codable objects in each other end in an error as well")
  func codable() throws {
    let chain = NestedArchives.objects(510, .classRecord(Link.archiveClassName, "NSObject")) { ("next", .uid($0)) }
    let error = try Self.failure(stack: 256 << 10) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Link.self, from: chain)
    }
    #expect(
      (error as? KeyedArchiveError)?.detail.contains("stack of this thread") == true, "\(String(describing: error))")
  }

  @Test("nested containers that are gone through one after another take no stack")
  func containers() throws {
    #expect(try Self.decode(containersOf: Stroll.self, levels: 4, stack: 256 << 10).contains("class 'NSString'"))
    #expect(try Self.decode(containersOf: Stroll.self, levels: 200, stack: 256 << 10).contains("class 'NSString'"))
  }

  @Test("a thread with room for them decodes 500 levels, whatever a smaller one did before")
  func otherThread() throws {
    #expect(try Self.failure(stack: 256 << 10) { try Self.decode(500) } != nil)
    #expect(try Self.failure(stack: 16 << 20) { try Self.decode(500) } == nil)
  }
}
