// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing
import ZipContainers

@Suite("Hostile names")
struct HostileTextTests {
  private func open(_ names: [String]) throws -> [ZipEntry] {
    let entries = names.map { name in
      var entry = HandmadeZip.Entry("", [])
      entry.name = Array(name.utf8)
      entry.flags = 1 << 11
      return entry
    }
    var zip = HandmadeZip()
    zip.entries = entries
    return try ZipReader(zip.data, limits: ZipLimits(maximumNameByteCount: 65_535)).entries
  }

  @Test("are rejected with 128 combining marks in a row, and compared in linear time")
  func marks() throws {
    #expect(try open([HostileText.marks(127)]).count == 1)
    for count in [128, 32_000] {
      let time = HostileText.time {
        let error = #expect(throws: ZipError.self) {
          try open((0..<20).map { HostileText.marks(count, after: "\($0)") })
        }
        #expect(error?.code == .badName)
      }
      #expect(time < HostileText.patience)
    }
  }

  @Test("are duplicates if Apple's file systems treat them as equal", arguments: [0, 2, 3])
  func twins(_ number: Int) throws {
    let (a, b) = HostileText.twins[number]
    let error = #expect(throws: ZipError.self) { try open([a, b]) }
    #expect(error?.code == .duplicateName && error?.detail.contains("accents composed in another way") == true)
  }
}
