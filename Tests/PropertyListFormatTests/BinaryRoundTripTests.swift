// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@testable import PropertyListFormat

@Suite(
  "Binary property lists of the corpus",
  .enabled(if: Corpus.isPresent, Comment(rawValue: Locations.sharedIsAbsent)))
struct BinaryRoundTripTests {
  /// An eighth of the files; with `WHOLE_TESTS`, all.
  static let files = Sample.cases(Corpus.valid.filter { $0.name.hasSuffix(".bplist") }, each: 8)

  /// Files of a Python writer whose references are wider than necessary.
  static let wideReferences: Set<String> = [
    "foundation/parabolala.bpylist2__dataclass_archive.plist__ff774300.keyed.bplist",
    "foundation/parabolala.bpylist2__nsmutabledata_archive.plist__33bdc150.keyed.bplist",
  ]

  @Test("data(format:) returns the input if the list was not edited", arguments: files)
  func writesWhatItRead(_ file: TestFile) throws {
    let data = try file.data()
    #expect(try PropertyList(data).data() == data)
  }

  @Test("rewriting the objects gives the same bytes", arguments: files)
  func rewritesExactly(_ file: TestFile) throws {
    let data = try file.data()
    let isExact = try PropertyList(data).rewritten() == data
    #expect(isExact != Self.wideReferences.contains(file.name))
  }

  @Test("flattening the objects as Apple's writer gives the same bytes", arguments: files)
  func flattensAsApple(_ file: TestFile) throws {
    let data = try file.data()
    let list = try PropertyList(data)
    let isExact = try [.appended, .uniqued].contains { try list.flattened(repeats: $0).write(list) == data }
    #expect(isExact != Self.wideReferences.contains(file.name))
  }
}
