// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@testable import PropertyListFormat

@Suite("Binary property lists of the corpus are written back byte for byte")
struct BinaryRoundTripTests {
  static let files = Corpus.valid.filter { $0.name.hasSuffix(".bplist") }

  @Test(
    "from the objects alone, in the order in which they were read",
    .enabled(if: Corpus.isPresent, Comment(rawValue: Locations.sharedIsAbsent)), arguments: files)
  func rewritesExactly(_ file: TestFile) throws {
    let data = try file.data()
    #expect(try PropertyList(data).rewritten() == data)
  }

  @Test(
    "with Apple's flattening, numbers and orphans thrown away and made anew",
    .enabled(if: Corpus.isPresent, Comment(rawValue: Locations.sharedIsAbsent)))
  func flattensAsApple() throws {
    var byRule: [String: Int] = [:]
    var others: [String] = []
    for file in Self.files {
      let data = try file.data()
      let list = try PropertyList(data)
      if try list.flattened(repeats: .appended).write(list) == data {
        byRule["appended", default: 0] += 1
      } else if try list.flattened(repeats: .uniqued).write(list) == data {
        byRule["uniqued", default: 0] += 1
      } else {
        others.append(file.name)
      }
    }
    print(byRule, others)
  }
}
