// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import Testing

/// A value that hashes a part of itself.
private struct Cell: KeyedCodable, Hashable {
  var x: Int
  var y: Int
  func hash(into hasher: inout Hasher) { hasher.combine(x) }
}

/// A value that hashes a part of itself, and is only Codable.
private struct PlainCell: Codable, Hashable {
  var x: Int
  var y: Int
  func hash(into hasher: inout Hasher) { hasher.combine(x) }
}

@Suite("Sets and dictionaries whose values have equal hashes")
struct EqualHashTests {
  private func expectRefusal(_ count: Int, _ encode: (Int) throws -> Data, _ decode: (Data) throws -> Int) throws {
    #expect(try decode(encode(count)) == count)
    let error = #expect(throws: KeyedArchiveError.self) { try encode(count + 1) }
    #expect(error?.code == .notEncodable && error?.remedy?.contains("encode an array") == true)
  }

  @Test("are archived only if a decoder accepts them")
  func limit() throws {
    try expectRefusal(
      128, { try KeyedArchiveEncoder().encode(Set((0..<$0).map { Cell(x: 0, y: $0) })) },
      { try KeyedArchiveDecoder().decode(Set<Cell>.self, from: $0).count })
    try expectRefusal(
      128, { try KeyedArchiveEncoder().encode(Set((0..<$0).map { PlainCell(x: 0, y: $0) })) },
      { try KeyedArchiveDecoder().decode(Set<PlainCell>.self, from: $0).count })
    try expectRefusal(
      128,
      {
        try KeyedArchiveEncoder().encode(Dictionary(uniqueKeysWithValues: (0..<$0).map { (PlainCell(x: 0, y: $0), 1) }))
      },
      { try KeyedArchiveDecoder().decode([PlainCell: Int].self, from: $0).count })
    // `Data` hashes its first 80 bytes.
    let data = { (count: Int) in (0..<count).map { Data(repeating: 0, count: 80) + Data([UInt8($0)]) } }
    try expectRefusal(
      128, { try KeyedArchiver.archivedData(withRootObject: Set(data($0)), requiringSecureCoding: true) },
      { try KeyedUnarchiver.unarchivedObject(ofClass: Set<Data>.self, from: $0)?.count ?? 0 })
    try expectRefusal(
      128,
      {
        let table = Dictionary(uniqueKeysWithValues: data($0).map { ($0, "value") })
        return try KeyedArchiver.archivedData(withRootObject: table, requiringSecureCoding: true)
      }, { try KeyedUnarchiver.unarchivedObject(ofClass: [Data: String].self, from: $0)?.count ?? 0 })
  }

  @Test("of thousands of values with few equal hashes are archived", arguments: [1, 2, 100, 128])
  func many(_ equal: Int) throws {
    let cells = Set((0..<50 * equal + 100).map { Cell(x: $0 / equal, y: $0) })
    let data = try KeyedArchiver.archivedData(withRootObject: cells, requiringSecureCoding: true)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Set<Cell>.self, from: data) == cells)
  }
}
