// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import Testing

@Suite("The limit on the number of objects of an archive")
struct ObjectLimitTests {
  private struct Numbers: SecureKeyedCoding {
    var count: Int
    init(_ count: Int) { self.count = count }
    func encode(with coder: KeyedArchiver) {
      for number in 0..<count { coder.encode(number, forKey: "\(number)") }
      coder.encode(Leaf(), forKey: "leaf")
    }
    init?(coder: KeyedUnarchiver) { nil }
  }

  private final class Leaf: SecureKeyedCoding {
    init() {}
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) { nil }
  }

  private static func values() -> [any KeyedCoding] {
    let leaf = Leaf()
    let table = Dictionary(
      uniqueKeysWithValues: (0..<50).map { ("key \($0) of the table", "value \($0) in the table") })
    return [
      "text", 5, Data([1]), ["a", "b"], (0..<50).map { "\($0)" }, table, Set((0..<50).map { Double($0) + 0.5 }),
      Array(repeating: leaf, count: 50), [Leaf(), Leaf()], Numbers(50), [Numbers(3), Numbers(4)],
      [nil, 1, nil] as [Int?],
    ]
  }

  private func archive(_ value: any KeyedCoding, limit: Int, _ layout: ArchiveLayout) throws -> Data {
    let archiver = KeyedArchiver(requiringSecureCoding: true, layout: layout)
    archiver.maximumObjectCount = limit
    archiver.encode(value, forKey: "root")
    return try archiver.encodedData
  }

  @Test("counts the elements of $objects, exactly", arguments: ArchiveLayout.allCases)
  func exact(layout: ArchiveLayout) throws {
    for value in Self.values() {
      let count = try KeyedArchive(archive(value, limit: 1 << 24, layout)).objectCount
      #expect(throws: Never.self, "\(type(of: value))") { try archive(value, limit: count, layout) }
      let error = #expect(throws: KeyedArchiveError.self, "\(type(of: value))") {
        try archive(value, limit: count - 1, layout)
      }
      #expect(error?.code == .limitReached && error?.keyPath?.hasPrefix("root") == true)
    }
  }

  @Test("counts top-level values")
  func topLevel() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.maximumObjectCount = 10
    for number in 0..<20 { archiver.encode("text \(number)", forKey: "key \(number)") }
    // `$null` is the first object.
    #expect(archiver.error?.code == .limitReached && archiver.error?.keyPath == "key 9")
  }
}
