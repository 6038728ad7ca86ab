// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import SystemFiles
import TestSupport
import Testing

@Suite("WholeFile")
struct WholeFileTests {
  @Test("reads all bytes of a file of any size", arguments: [0, 1, 4095, 4096, 4097, 1 << 20, (1 << 20) + 1])
  func sizes(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let folder = try ScratchFolder()
    #expect(try WholeFile.bytes(at: folder.file("file", Data(bytes))) == bytes)
  }

  #if os(Linux)
    @Test("reads a file that reports no size")
    func unknownSize() throws {
      #expect(try WholeFile.bytes(at: "/proc/self/maps").count > 4096)
    }
  #endif

  @Test("rejects a file above the limit before it reads it")
  func limit() throws {
    let folder = try ScratchFolder()
    let path = try folder.file("file", Data(count: 1000))
    #expect(try WholeFile.bytes(at: path, limit: 1000).count == 1000)
    #expect(throws: SystemError.tooLarge) { try WholeFile.bytes(at: path, limit: 999) }
    // More than there is memory, if the disk allows it.
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    defer { try? file.close() }
    if (try? file.truncate(atOffset: 1 << 43)) != nil {
      #expect(throws: SystemError.tooLarge) { try WholeFile.bytes(at: path) }
    }
  }

  @Test("rejects a folder and a missing file")
  func refusals() throws {
    let folder = try ScratchFolder()
    #expect(throws: SystemError.notAFile) { try WholeFile.bytes(at: folder.url.path) }
    #expect(throws: SystemError.notFound) { try WholeFile.bytes(at: folder.url.path + "/none") }
  }
}
