// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import Testing

@Suite("Values with equal hashes")
struct HashTests {
  /// Data with the same number of bytes and the same first 80, which is all that `Data` hashes.
  private static func similar(_ count: Int) -> [Data] {
    (0..<count).map { Data(repeating: 7, count: 90) + Data("\(100_000 + $0)".utf8) }
  }

  /// A type whose author forgot a property.
  private struct Careless: Hashable, SecureKeyedCoding {
    let number: Int

    init(_ number: Int) { self.number = number }

    init?(coder: KeyedUnarchiver) throws { number = try coder.decodeIfPresent(Int.self, forKey: "number") ?? 0 }

    func encode(with coder: KeyedArchiver) { coder.encode(number, forKey: "number") }

    func hash(into hasher: inout Hasher) {}
  }

  private struct Lists: KeyedCodable, Equatable {
    var elements: Set<Data> = []
    var keys: [Data: Int] = [:]
  }

  private func decoded<Value: SecureKeyedCoding>(_ value: Value) throws -> Value? {
    try KeyedUnarchiver.unarchivedObject(
      ofClass: Value.self,
      from: KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true))
  }

  private func refusal(_ body: () throws -> Void) {
    let error = #expect(throws: KeyedArchiveError.self, performing: body)
    #expect(error?.code == .limitReached && error?.detail.contains("same hash") == true, "\(String(describing: error))")
  }

  @Test("are decoded while they are few")
  func few() throws {
    let elements = Set(Self.similar(128))
    let keys = Dictionary(uniqueKeysWithValues: Self.similar(128).map { ($0, 1) })
    #expect(try decoded(elements) == elements)
    #expect(try decoded(keys) == keys)
    #expect(try decoded(Lists(elements: elements, keys: keys)) == Lists(elements: elements, keys: keys))
    #expect(try decoded(Set((0..<128).map(Careless.init)))?.count == 128)
  }

  /// The archived form of ``Lists``, whose collections hash nothing.
  private struct StoredLists: SecureKeyedCoding {
    static var archiveClassName: String { Lists.archiveClassName }
    var elements: ArchivedSet
    var keys: ArchivedDictionary
    func encode(with coder: KeyedArchiver) {
      coder.encode(elements, forKey: "elements")
      coder.encode(keys, forKey: "keys")
    }
    init(_ elements: ArchivedSet, _ keys: ArchivedDictionary) { (self.elements, self.keys) = (elements, keys) }
    init?(coder: KeyedUnarchiver) { nil }
  }

  @Test("are rejected as elements and keys if they are many, because inserting them takes quadratic time")
  func many() throws {
    func decode<Value: SecureKeyedCoding>(_ type: Value.Type, _ stored: some SecureKeyedCoding) throws {
      let data = try KeyedArchiver.archivedData(withRootObject: stored, requiringSecureCoding: true)
      _ = try KeyedUnarchiver.unarchivedObject(ofClass: type, from: data)
    }
    let elements = ArchivedSet(Self.similar(129))
    let keys = ArchivedDictionary(Self.similar(129).map { ($0, 1) })
    refusal { try decode(Set<Data>.self, elements) }
    refusal { try decode([Data: Int].self, keys) }
    refusal { try decode(Lists.self, StoredLists(elements, ArchivedDictionary([]))) }
    refusal { try decode(Lists.self, StoredLists(ArchivedSet([]), keys)) }
    refusal { try decode(Set<Careless>.self, ArchivedSet((0..<129).map(Careless.init))) }
  }

  @Test("are decoded as elements of an array, however many they are")
  func array() throws {
    #expect(try decoded(Self.similar(5_000)) == Self.similar(5_000))
  }
}
