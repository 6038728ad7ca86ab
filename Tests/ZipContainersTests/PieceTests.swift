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

  @Test(
    "can be added again after the source failed or changed, also as a folder",
    arguments: [.first, .second, .shorter] as [Failure])
  func again(_ failure: Failure) throws {
    var file = Data()
    var writer = ZipWriter { file += $0 }
    var calls = 0
    for name in ["a", "b"] {
      #expect(throws: (any Error).self) {
        try writer.addFile(name) { take in
          calls += 1
          if failure == .first { throw failure }
          try take(Self.content.prefix(calls % 2 == 1 ? 2000 : 1000))
          if failure == .second, calls % 2 == 0 { throw failure }
        }
      }
    }
    try writer.addFile("a") { try self.take(Self.content, $0) }
    try writer.addFile("b/c", Data("c".utf8))
    try writer.finish()
    let reader = try ZipReader(file)
    #expect(reader.entries.map(\.name) == ["a", "b/c"])
    #expect(try reader.entries.map { try reader.read($0) } == [Self.content, Data("c".utf8)])
  }

  @Test("a source that ignores an error of the sink does not hide it", arguments: [1, 2])
  func ignored(_ allowed: Int) throws {
    struct Full: Error {}
    var left = allowed
    // Fails once, so the next piece would succeed.
    var writer = ZipWriter { _ in
      left -= 1
      if left == -1 { throw Full() }
    }
    let error = #expect(throws: (any Error).self) {
      try writer.addFile("a") { take in
        var rest = Self.content
        while !rest.isEmpty {
          try? take(rest.prefix(30_000))
          rest = rest.dropFirst(30_000)
        }
      }
    }
    #expect(error is ZipError)
    let hasFailed = writer.hasFailed
    #expect(hasFailed)
    #expect(throws: ZipError(.writerFailed, "")) { try writer.writeDirectory() }
  }

  @Test("errors state how the caller of the writer can mend them")
  func remedies() throws {
    var writer = ZipWriter { _ in }
    try writer.addFile("a", Data())
    let duplicate = #expect(throws: ZipError.self) { try writer.addFile("a", Data()) }
    #expect(duplicate?.remedy == "Choose another name")
    let marks = #expect(throws: ZipError.self) {
      try writer.addFile("e" + String(repeating: "\u{301}", count: 200), Data())
    }
    #expect(marks?.code == .badName && marks?.remedy == "Choose another name")
    var byte: UInt8 = 0
    let changed = #expect(throws: ZipError.self) {
      try writer.addFile("b") {
        byte += 1
        try $0(Data([byte]))
      }
    }
    #expect(changed?.detail == "the file changed while it was read")
    #expect(changed?.remedy == "Try again when no program writes it")
  }

  @Test("that are encrypted or of an unknown method are reported as such, whatever their size")
  func unreadable() throws {
    var encrypted = HandmadeZip.Entry("encrypted", Array(repeating: 7, count: 3000))
    encrypted.flags = 1
    var patched = HandmadeZip.Entry("patched", Array(repeating: 7, count: 3000))
    patched.flags = 1 << 5
    var unknown = HandmadeZip.Entry("unknown", Array(repeating: 7, count: 3000))
    unknown.method = 12
    let reader = try ZipReader(HandmadeZip(encrypted, patched, unknown).data)
    for (entry, code) in zip(reader.entries, [.encrypted, .unsupportedMethod, .unsupportedMethod] as [ZipError.Code]) {
      for limit in [0, 1000, 10_000] {
        let error = #expect(throws: ZipError.self) { try reader.read(entry, inMemory: limit) { _ in } }
        #expect(error?.code == code)
      }
    }
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
    #expect(limited?.code == .limitReached && limited?.remedy?.contains("ZipLimits") == false)
    var bytes = Data()
    try reader.read(reader.entries[1], inMemory: 1 << 20) { bytes += $0 }
    #expect(bytes == Self.content)
    file[100_000] ^= 1
    let damaged = try ZipReader(file)
    let error = #expect(throws: ZipError.self) { try damaged.read(damaged.entries[0], inMemory: 0) { _ in } }
    #expect(error?.code == .checksumMismatch)
  }
}
