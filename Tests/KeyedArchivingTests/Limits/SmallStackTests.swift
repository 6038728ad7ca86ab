// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

@Suite("Where a thread has little stack, what nests too deep for it ends in an error and not in its overflow")
struct SmallStackTests {
  /// Runs a step on a thread with so much stack.
  private static func onThread<Value: Sendable>(
    stack byteCount: Int, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let thread = Thread { continuation.resume(with: Result(catching: body)) }
      thread.stackSize = byteCount
      thread.start()
    }
  }

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

  @Test("256 KiB: a few levels come out, 500 end in an error that says what to do")
  func smallStack() async throws {
    #expect(try await Self.onThread(stack: 256 << 10) { try Self.decode(8) } == 8)
    let error = await #expect(throws: KeyedArchiveError.self) {
      try await Self.onThread(stack: 256 << 10) { try Self.decode(500) }
    }
    #expect(error?.code == .limitReached)
    #expect(error?.detail.contains("stack") == true)
    #expect(error?.remedy?.contains("larger stack") == true)
  }

  @Test("objects whose initialisers decode the next one")
  func initialisers() async throws {
    let chain = NestedArchives.parents(500)
    let error = await #expect(throws: KeyedArchiveError.self) {
      try await Self.onThread(stack: 256 << 10) {
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: Parent.self, from: chain)
      }
    }
    #expect(error?.code == .limitReached)
    #expect(error?.detail.contains("stack") == true)
  }

  private enum Key: CodingKey { case lists }

  /// Goes down nested containers, one call in the other.
  private struct Descent: KeyedCodable {
    init(from decoder: any Decoder) throws {
      func descend(_ container: inout any UnkeyedDecodingContainer) throws {
        var inner = try container.nestedUnkeyedContainer()
        try descend(&inner)
      }
      var container = try decoder.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: .lists)
      try descend(&container)
    }

    func encode(to encoder: any Encoder) throws {}
  }

  /// Goes down nested containers one after another.
  private struct Stroll: KeyedCodable {
    init(from decoder: any Decoder) throws {
      var container = try decoder.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: .lists)
      while true { container = try container.nestedUnkeyedContainer() }
    }

    func encode(to encoder: any Encoder) throws {}
  }

  /// What comes of 500 nested containers, the last of which holds a text.
  private static func decode<Value: KeyedCodable & SendableMetatype>(
    containersOf type: Value.Type, levels: Int, stack: Int = 256 << 10
  ) async -> String {
    let archive = HandmadeList.archive(
      [.classRecord(type.archiveClassName, "NSObject"), Hostile.object(1, [("lists", .uid(4))]), Hostile.array]
        + (0..<levels).map { Hostile.object(3, [("NS.objects", [.uid(UInt64($0 + 5))])]) } + ["the end"],
      top: [("root", .uid(2))])
    do {
      try await onThread(stack: stack) {
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: type, from: archive)
      }
      return "a value"
    } catch {
      return "\(error)"
    }
  }

  @Test("nested containers of Codable types take stack where calls do")
  func containers() async {
    #expect(
      await Self.decode(containersOf: Descent.self, levels: 500, stack: 128 << 10).contains("stack of this thread"))
    #expect(await Self.decode(containersOf: Stroll.self, levels: 4).contains("class 'NSString'"))
    #expect(await Self.decode(containersOf: Stroll.self, levels: 200).contains("class 'NSString'"))
  }

  @Test("a thread with room for them decodes 500 levels, whatever a smaller one did before")
  func otherThread() async throws {
    _ = try? await Self.onThread(stack: 256 << 10) { try Self.decode(500) }
    #expect(try await Self.onThread(stack: 16 << 20) { try Self.decode(500) } == 500)
  }
}
