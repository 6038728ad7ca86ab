// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@testable import PropertyListFormat

@Suite(
  "Binary property lists of the corpus are written back byte for byte",
  .enabled(if: Corpus.isPresent, Comment(rawValue: Locations.sharedIsAbsent)))
struct BinaryRoundTripTests {
  static let files = Corpus.valid.filter { $0.name.hasSuffix(".bplist") }

  /// Files by a Python writer that gives references more bytes than the number of objects asks for.
  static let wideReferences: Set<String> = [
    "foundation/parabolala.bpylist2__dataclass_archive.plist__ff774300.keyed.bplist",
    "foundation/parabolala.bpylist2__nsmutabledata_archive.plist__33bdc150.keyed.bplist",
  ]

  @Test("as they were read, if nothing was changed", arguments: files)
  func writesWhatItRead(_ file: TestFile) throws {
    let data = try file.data()
    #expect(try PropertyList(data).data() == data)
  }

  @Test("from the objects alone, in the order in which they were read", arguments: files)
  func rewritesExactly(_ file: TestFile) throws {
    let data = try file.data()
    let isExact = try PropertyList(data).rewritten() == data
    #expect(isExact != Self.wideReferences.contains(file.name))
  }

  @Test("with Apple's flattening, numbers and orphans thrown away and made anew", arguments: files)
  func flattensAsApple(_ file: TestFile) throws {
    let data = try file.data()
    let list = try PropertyList(data)
    let isExact = try [.appended, .uniqued].contains { try list.flattened(repeats: $0).write(list) == data }
    #expect(isExact != Self.wideReferences.contains(file.name))
  }
}
