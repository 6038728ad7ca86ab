// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

/// Many tasks at once on the same bytes, archives and objects. The thread sanitizer runs these as well.
@Suite("Used from many tasks at once")
struct ConcurrencyTests {
  private static let tasks = 16
  private static let rounds = 25

  /// What every task's every round returns, which must be one and the same.
  private func together<T: Hashable & Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> Set<T> {
    try await withThrowingTaskGroup(of: Set<T>.self) { group in
      for _ in 0..<Self.tasks {
        group.addTask { try Set((0..<Self.rounds).map { _ in try body() }) }
      }
      return try await group.reduce(into: []) { $0.formUnion($1) }
    }
  }

  private static let data = try? Data(
    contentsOf: Locations.fixtures.appending(path: "foundation").appending(path: "dictionary.plist"))

  @Test("The same bytes are decoded by all, each with a decoder of its own")
  func decoding() async throws {
    let data = try #require(Self.data)
    let results = try await together { () throws -> Data in
      let value = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data)
      return try KeyedArchiver.archivedData(withRootObject: #require(value), requiringSecureCoding: false)
    }
    #expect(results.count == 1)
  }

  @Test("One archive as a graph is read, checked and written by all")
  func graph() async throws {
    let archive = try KeyedArchive(#require(Self.data))
    let results = try await together { () throws -> [String] in
      let keys = archive.root.keys
      return try keys + archive.check().map(\.description) + [archive.data().base64EncodedString()]
    }
    #expect(results.count == 1)
  }

  @Test("One property list is read and translated by all")
  func list() async throws {
    let list = try PropertyList(#require(Self.data))
    let results = try await together { () throws -> Data in try list.rewritten(as: .xml) }
    #expect(results.count == 1)
  }

  @Test("One object that all archive at once is the same bytes for each")
  func encoding() async throws {
    let song = Song(title: "Toccata", length: 541.5)
    let results = try await together { () throws -> Data in
      try KeyedArchiver.archivedData(withRootObject: [song, song], requiringSecureCoding: true)
    }
    #expect(results.count == 1)
    let bytes = try #require(results.first)
    let songs = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: [Song].self, from: bytes))
    #expect(songs.count == 2)
    #expect(songs[0] === songs[1])
    #expect(songs[0].title == song.title)
  }

  private final class Song: SecureKeyedCoding, Sendable {
    static var archiveClassName: String { "Song" }
    let title: String
    let length: Double

    init(title: String, length: Double) {
      self.title = title
      self.length = length
    }

    func encode(with coder: KeyedArchiver) {
      coder.encode(title, forKey: "title")
      coder.encode(length, forKey: "length")
    }

    init?(coder: KeyedUnarchiver) {
      guard let title = coder.decodeObject(of: String.self, forKey: "title") else { return nil }
      self.title = title
      length = coder.decodeDouble(forKey: "length")
    }
  }
}
