// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("What print shows of an archive is what tree prints")
struct DescriptionTests {
  @Test(
    "of each archive of Apple's",
    arguments: TestFile.all(below: Locations.fixtures.appending(path: "apple")).filter { $0.name.hasSuffix(".plist") })
  func tree(_ file: TestFile) throws {
    guard let archive = try? KeyedArchive(file.data()) else { return }
    let printed = "\(archive)".split(separator: "\n", omittingEmptySubsequences: false)
    let whole = ToolRun("tree", "--depth=4", "--width=8", file.url.path)
    let lines = whole.output.split(separator: "\n")
    #expect(!printed.isEmpty && !lines.isEmpty)
    if printed.last == "…" {
      #expect(printed.dropLast().elementsEqual(lines.prefix(printed.count - 1)) && lines.count > printed.count - 1)
    } else {
      #expect(printed.elementsEqual(lines))
    }
  }
}
