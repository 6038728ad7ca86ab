// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@testable import ZipContainers

@Suite("Files in pieces")
struct PieceTests {
  private static let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) })

  private func take(_ content: Data, _ take: (Data) throws -> Void) throws {
    var rest = content
    while !rest.isEmpty {
      try take(rest.prefix(30_000))
      rest = rest.dropFirst(30_000)
    }
  }

  @Test("have the bytes of the same file written as a whole")
  func equal() throws {
    var (whole, pieces) = (Data(), Data())
    var first = ZipWriter { whole += $0 }
    var second = ZipWriter { pieces += $0 }
    let date = Date(timeIntervalSince1970: 1_600_000_001)
    for content in [Self.content, Data(), Data([1])] {
      try first.addFile("f\(content.count)", content, compression: .stored, modified: date)
      try second.addFile("f\(content.count)", modified: date) { try self.take(content, $0) }
    }
    try first.finish()
    try second.finish()
    #expect(whole == pieces)
    let reader = try ZipReader(whole)
    for entry in reader.entries {
      var read: [Data] = []
      try reader.read(entry, inMemory: 0) { read.append($0) }
      #expect(read.reduce(Data(), +) == (try reader.read(entry)))
      #expect(read.allSatisfy { $0.count <= ZipReader.pieceByteCount })
    }
  }

  /// The failures of a source.
  enum Failure: Error, CaseIterable {
    case first, second, longer, shorter, other
  }

  @Test("are left out if the source fails or changes, and other readers agree", arguments: Failure.allCases)
  func failures(_ failure: Failure) throws {
    var file = Data()
    var writer = ZipWriter { file += $0 }
    try writer.addFile("before", Data("before".utf8))
    var calls = 0
    let error = #expect(throws: (any Error).self) {
      try writer.addFile("bad") { take in
        calls += 1
        switch (failure, calls) {
        case (.first, 1): throw failure
        case (.second, 2):
          try take(Self.content.prefix(1000))
          throw failure
        case (.longer, 2): try self.take(Self.content + [0], take)
        case (.shorter, 2): try self.take(Self.content.dropLast(), take)
        case (.other, 2): try self.take(Self.content.dropLast() + [Self.content.last.map { ~$0 } ?? 0], take)
        default: try self.take(Self.content, take)
        }
      }
    }
    switch failure {
    case .first, .second: #expect(error is Failure)
    default: #expect((error as? ZipError)?.code == .readFailed)
    }
    let isUsable = !writer.hasFailed
    #expect(isUsable)
    try writer.addFile("after") { try self.take(Self.content, $0) }
    try writer.finish()
    let reader = try ZipReader(file)
    #expect(reader.entries.map(\.name) == ["before", "after"])
    #expect(try reader.entries.map { try reader.read($0) } == [Data("before".utf8), Self.content])
    guard Python.isPresent else { return }
    let names = try Python.run(
      "import io,sys,zipfile; z=zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read())); print(z.testzip(), *z.namelist())",
      input: file)
    #expect(String(decoding: names, as: UTF8.self) == "None before after\n")
  }

  @Test("end with the error of the sink, after which nothing can be written", arguments: 0..<7)
  func sink(_ allowed: Int) throws {
    struct Full: Error {}
    var left = allowed
    var writer = ZipWriter { _ in
      left -= 1
      if left < 0 { throw Full() }
    }
    #expect(throws: Full.self) { try writer.addFile("a") { try self.take(Self.content, $0) } }
    let hasFailed = writer.hasFailed
    #expect(hasFailed)
    let error = #expect(throws: ZipError.self) { try writer.addFile("b", Data()) }
    #expect(error?.code == .writerFailed)
  }

  @Test("are verified, and compressed ones are limited")
  func damaged() throws {
    var file = Data()
    var writer = ZipWriter { file += $0 }
    try writer.addFile("stored", Self.content, compression: .stored)
    try writer.addFile("deflated", Self.content, compression: .deflated)
    try writer.finish()
    let reader = try ZipReader(file)
    let limited = #expect(throws: ZipError.self) { try reader.read(reader.entries[1], inMemory: 1000) { _ in } }
    #expect(limited?.code == .limitReached)
    var bytes = Data()
    try reader.read(reader.entries[1], inMemory: 1 << 20) { bytes += $0 }
    #expect(bytes == Self.content)
    file[100_000] ^= 1
    let damaged = try ZipReader(file)
    let error = #expect(throws: ZipError.self) { try damaged.read(damaged.entries[0], inMemory: 0) { _ in } }
    #expect(error?.code == .checksumMismatch)
  }
}
