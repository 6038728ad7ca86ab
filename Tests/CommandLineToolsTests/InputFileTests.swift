// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TestSupport
import Testing

@testable import CommandLineTools

#if canImport(Glibc)
  import Glibc
#endif

@Suite("Files that arguments name")
struct InputFileTests {
  private func failure(_ path: String) throws -> Failure {
    try #require(throws: Failure.self) { try InputFile.read(path) }
  }

  @Test("a file that is larger than the limit is refused before it is in memory")
  func tooLarge() throws {
    let folder = try ScratchFolder()
    let path = try folder.file("large.plist", Data())
    let count = ReadLimits.default.maximumByteCount + 1
    // A sparse file, which takes no space.
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.truncate(atOffset: UInt64(count))
    try file.close()
    let error = try failure(path)
    #expect(error.exit == .limitReached && error.code == "limitReached")
    #expect(error.detail == "file too large: \(count) bytes; the limit is \(count - 1)")
    #expect(error.remedy?.contains("limits of this tool are fixed") == true)
  }

  #if os(Linux) && canImport(Glibc)
    @Test("an error of the disk has the system's text and nothing else")
    func deviceError() throws {
      // Nothing is mapped at the first address, so the system cannot read this file.
      #expect(try failure("/proc/self/mem").detail == "cannot be read: \(unsafe String(cString: strerror(EIO)))")
    }
  #endif
}
