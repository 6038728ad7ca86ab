// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import PropertyListFormat
import Testing

/// Most archives begin with the same objects, which are copied and compared as one. An archiver with a name of the same length
/// writes its envelope by parts, and so a decoder reads it, which is the second source of the expectations here.
@Suite("A prepared envelope is the one that is written and read by parts")
struct PreparedEnvelopeTests {
  private static let (name, other) = (Data("NSKeyedArchiver".utf8), Data("MyKeyedArchiver".utf8))

  private static func archive(_ name: String?, _ encode: (KeyedArchiver) -> Void) throws -> Data {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    if let name { archiver.archiverName = name }
    encode(archiver)
    return try archiver.encodedData
  }

  /// An archive with another name, under its own.
  private static func renamed(_ data: Data) throws -> Data {
    var data = data
    data.replaceSubrange(try #require(data.firstRange(of: other)), with: name)
    return data
  }

  private static let contents: [@Sendable (KeyedArchiver) -> Void] = [
    { _ in }, { $0.encode("text", forKey: "root") }, { $0.encode(Int32(100_000), forKey: "root") },
    { $0.encode(100_000, forKey: "root") }, { $0.encodeObject(Int32(100_000), forKey: "root") },
    { $0.encode((0..<300).map { "text \($0)" }, forKey: "root") }, { $0.encode(["one"], forKey: "$version") },
    {
      $0.encode("NSKeyedArchiver", forKey: "a")
      $0.encode("$top", forKey: "b")
      $0.encode(7, forKey: "c")
    },
  ]

  @Test("the bytes are those of the parts")
  func bytes() throws {
    for (number, content) in Self.contents.enumerated() {
      let archive = try Self.archive(nil, content)
      #expect(try archive == Self.renamed(Self.archive("MyKeyedArchiver", content)), "content \(number)")
    }
  }

  /// What comes of opening and decoding a file.
  private static func outcome(_ data: Data) -> String {
    do {
      let decoder = try KeyedUnarchiver(forReadingFrom: data)
      let text = try decoder.decode(String.self, forKey: "root")
      // A changed reference can lead to the name, in which the files differ.
      return text.hasSuffix("KeyedArchiver") ? "name" : text
    } catch let error as KeyedArchiveError {
      return "\(error.code.name) \(error.byteOffset.map { "\($0)" } ?? "")"
    } catch {
      return "\(error)"
    }
  }

  @Test("each changed byte has the same effect as in an envelope that is read by parts")
  func changedBytes() throws {
    let byParts = try Self.archive("MyKeyedArchiver") { $0.encode("text", forKey: "root") }
    let range = try #require(byParts.firstRange(of: Self.other))
    let prepared = try Self.renamed(byParts)
    #expect(Self.outcome(prepared) == "text")
    for offset in prepared.indices where !range.contains(offset) {
      for value in [0, 1, 5, 6, 7, 8, 0x50, 0xA1, 0xFF, prepared[offset] ^ 1, prepared[offset] &+ 1] as [UInt8] {
        var (a, b) = (prepared, byParts)
        a[offset] = value
        b[offset] = value
        #expect(Self.outcome(a) == Self.outcome(b), "byte \(offset) is \(value)")
      }
    }
  }

  @Test("an object of the envelope is where the offset table has it")
  func offsets() throws {
    // The table's entries for the version and the name are exchanged; the bytes of the objects are those of other files.
    var data = try Self.archive(nil) { $0.encode("text", forKey: "root") }
    let table = data.count - 32 - Int(data[data.count - 32 + 15])
    #expect(data[data.count - 32 + 6] == 1)
    data.swapAt(table + 5, table + 6)
    let error = #expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver(forReadingFrom: data) }
    #expect(error?.code == .notAnArchive)
  }

  @Test("the limit for strings also limits the archiver's name")
  func limits() throws {
    let data = try Self.archive(nil) { $0.encode("text", forKey: "root") }
    for (limit, isAccepted) in [(14, false), (15, true), (63, true), (64, true)] {
      var limits = ReadLimits.default
      limits.maximumStringByteCount = limit
      let decoder = try? KeyedUnarchiver(forReadingFrom: data, limits: limits)
      #expect((decoder != nil) == isAccepted, "\(limit)")
    }
  }

  @Test("a name that is not accepted is refused")
  func acceptedNames() throws {
    let data = try Self.archive(nil) { $0.encode("text", forKey: "root") }
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver(forReadingFrom: data, archivers: .only(["MyKeyedArchiver"]))
    }
    #expect(error?.code == .unknownArchiver)
  }
}
