// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import Foundation
import SystemFiles
import TestSupport
import Testing
import ZipContainers

@Suite("Damaged files")
struct DamageTests {
  /// Files of each kind that the reader treats differently.
  private static let files: [String: Data] = {
    var streamed = HandmadeZip.Entry("streamed", Array("ghost ghost".utf8))
    streamed.flags = 8
    streamed.localSizes = (0, 0, 0)
    streamed.descriptor = Array("PK\u{7}\u{8}".utf8) + HandmadeZip.four(ReferenceZlib.crc(streamed.stored), 11, 11)
    var zip64 = HandmadeZip(streamed, HandmadeZip.Entry("d/"), HandmadeZip.Entry("d/b", [1, 2, 3]))
    zip64.zip64 = { HandmadeZip.zip64(count: $0, byteCount: $1, offset: $2, at: $1 + $2) }
    zip64.comment = Array("a comment".utf8)
    var files = ["streamed, Zip64, with a comment": zip64.data]
    let small = [
      Item(name: "a/", modified: 1), Item(name: "a/ä", content: Data(String(repeating: "ghost ", count: 20).utf8)),
      Item(name: "b", content: Data([7, 1, 8]), compression: .stored), Item(name: "c", compression: .stored),
    ]
    files["as written here"] = try? Item.zip(small)
    return files
  }()

  /// Reads all entries. Wrong content and untyped errors fail the test; a trap ends it.
  private func check(_ file: Data, against expected: [Item], _ comment: Comment) {
    let reader: ZipReader
    do {
      reader = try ZipReader(file)
    } catch {
      #expect(!error.detail.isEmpty)
      return
    }
    for entry in reader.entries {
      guard let content = try? reader.read(entry) else { continue }
      // Names can be damaged only if both records agree, which one changed bit cannot cause.
      #expect(expected.contains(Item(name: entry.name, content: content)), comment)
    }
  }

  @Test("are rejected when truncated at any byte", arguments: files.keys.sorted())
  func truncation(_ name: String) throws {
    let file = try #require(Self.files[name])
    #expect(try ZipReader(file).items().count > 2)
    for count in 0..<file.count {
      let error = #expect(throws: ZipError.self, "\(count) bytes") { try ZipReader(file.prefix(count)) }
      #expect(error?.code == (count < 4 ? .notZip : .truncated), "\(count) bytes")
    }
  }

  @Test("give an error or the right content without any byte", arguments: files.keys.sorted())
  func missingBytes(_ name: String) throws {
    let file = try #require(Self.files[name])
    let expected = try ZipReader(file).items()
    for at in 0..<file.count {
      var damaged = file
      damaged.remove(at: at)
      check(damaged, against: expected, "byte \(at)")
    }
  }

  @Test("give an error or the right content with any bit changed", arguments: files.keys.sorted())
  func bitFlips(_ name: String) throws {
    let file = try #require(Self.files[name])
    let expected = try ZipReader(file).items()
    for bit in 0..<8 * file.count where Sample.includes(bit, each: 5) {
      var damaged = file
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      check(damaged, against: expected, "bit \(bit)")
    }
  }

  @Test("give an error or the right content with any byte extreme", arguments: files.keys.sorted())
  func extremeBytes(_ name: String) throws {
    let file = try #require(Self.files[name])
    let expected = try ZipReader(file).items()
    for at in 0..<file.count where Sample.includes(at, each: 5) {
      for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
        var damaged = file
        damaged[at] = value
        check(damaged, against: expected, "byte \(at)")
      }
    }
  }

  @Test("never trap with random changes", arguments: files.keys.sorted())
  func mutations(_ name: String) throws {
    let file = try #require(Self.files[name])
    var random = SeededRandom(seed: 64)
    for _ in 0..<Sample.count(1500, of: 6000) {
      var damaged = file
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        let at = Int.random(in: 0..<damaged.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: damaged[at] = UInt8.random(in: 0...255, using: &random)
        case 1: damaged[at] = [0, 0xFF, 0x7F, 0x80][Int.random(in: 0..<4, using: &random)]
        case 2: for i in at..<min(at + 4, damaged.count) { damaged[i] = 0xFF }
        case 3: for i in at..<min(at + 8, damaged.count) { damaged[i] = UInt8.random(in: 0...255, using: &random) }
        default:
          let from = Int.random(in: 0..<damaged.count, using: &random)
          for i in 0..<min(16, damaged.count - max(at, from)) { damaged[at + i] = damaged[from + i] }
        }
      }
      guard let reader = try? ZipReader(damaged) else { continue }
      for entry in reader.entries {
        _ = try? entry.safePath()
        guard let content = try? reader.read(entry) else { continue }
        #expect(ReferenceZlib.crc(content) == entry.crc32)
        #expect(content.count == entry.byteCount)
      }
    }
  }

  @Test(
    "are distinguished from other formats",
    arguments: ["", "P", "PK", "bplist00", "PK\u{7}\u{8}", "<html></html>"])
  func otherFiles(_ text: String) {
    #expect(throws: ZipError(.notZip, "")) { try ZipReader(Data(text.utf8)) }
    let long = Data(String(repeating: text, count: 9000).utf8)
    #expect(throws: ZipError(.notZip, "")) { try ZipReader(long) }
  }

  @Test("give a typed error when they shrink or cannot be read")
  func failingReads() throws {
    struct Gone: Error {}
    let file = try Item.zip(Item.document)
    for allowed in 0..<12 {
      for isShort in [true, false] {
        let calls = Counter()
        let reader = Result { () throws -> [Item] in
          try ZipReader(byteCount: file.count) { offset, count in
            if calls.next() <= allowed { return file.dropFirst(offset).prefix(count) }
            if isShort { return file.dropFirst(offset).prefix(count - 1) }
            throw Gone()
          }.items()
        }
        let error = #expect(throws: ZipError.self) { try reader.get() }
        #expect(error?.code == .readFailed)
      }
    }
    for byteCount in [-1, 0] {
      #expect(throws: ZipError(.notZip, "")) { try ZipReader(byteCount: byteCount) { _, _ in Data() } }
    }
  }

  /// Counts the calls of a closure.
  private final class Counter: Sendable {
    private let count = Locked(0)

    /// The number of calls, including this one.
    func next() -> Int {
      count.withLock {
        $0 += 1
        return $0
      }
    }
  }
}
