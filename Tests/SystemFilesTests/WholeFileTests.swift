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

  @Test("rejects a folder and a missing file")
  func refusals() throws {
    let folder = try ScratchFolder()
    #expect(throws: SystemError.notAFile) { try WholeFile.bytes(at: folder.url.path) }
    #expect(throws: SystemError.notFound) { try WholeFile.bytes(at: folder.url.path + "/none") }
  }
}
