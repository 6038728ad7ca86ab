// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

/// Each test tries a fifth of its graphs; see ``Sample``.
@Suite("Random graphs with replacements and conditional references")
struct HookGraphTests {
  private final class Spectator: KeyedArchiverDelegate {}

  private func archive(
    _ graph: HookGraph, salt: UInt64, conditionalFirst: Bool, layout: ArchiveLayout = .apple,
    delegate: (any KeyedArchiverDelegate)? = nil
  ) throws -> Data {
    let build = graph.build(salt: salt, conditionalFirst: conditionalFirst)
    defer { build.takeApart() }
    let archiver = KeyedArchiver(requiringSecureCoding: true, layout: layout)
    archiver.delegate = delegate
    archiver.encode(build.root, forKey: "root")
    return try archiver.encodedData
  }

  @Test("archive the same bytes in any order of their sets, with and without a passive delegate", arguments: 0..<12)
  func sameBytes(part: UInt64) throws {
    for seed in Sample.cases(part * 25..<part * 25 + 25, each: 5) {
      let graph = HookGraph(seed: seed)
      let layout: ArchiveLayout = seed % 3 == 0 ? .compact : .apple
      for conditionalFirst in [false, true] {
        let data = try archive(graph, salt: 1, conditionalFirst: conditionalFirst, layout: layout)
        for salt in 2..<6 as Range<UInt64> {
          let delegate = salt % 2 == 0 ? Spectator() : nil
          let other = try archive(
            graph, salt: salt, conditionalFirst: conditionalFirst, layout: layout, delegate: delegate)
          #expect(other == data, "seed \(seed), salt \(salt), conditional first: \(conditionalFirst)")
        }
      }
    }
  }

  @Test("archive the replacements, to which all references to the originals lead", arguments: 0..<12)
  func sameGraph(part: UInt64) throws {
    for seed in Sample.cases(1000 + part * 25..<1025 + part * 25, each: 5) {
      let graph = HookGraph(seed: seed, isDistinct: true)
      for conditionalFirst in [false, true] {
        let build = graph.build(salt: 1, conditionalFirst: conditionalFirst)
        defer { build.takeApart() }
        let expected = HookText.of(build.root)
        for delegate in [nil, Spectator()] {
          let data = try archive(graph, salt: 1, conditionalFirst: conditionalFirst, delegate: delegate)
          let lines = try ArchivedHookText.of(KeyedArchive(data).root)
          #expect(lines == expected, "seed \(seed), conditional first: \(conditionalFirst), \(delegate != nil)")
        }
      }
    }
  }

  @Test("number their objects as a recursive archiver of the graph with the replacements does", arguments: 0..<6)
  func numbering(part: UInt64) throws {
    for seed in Sample.cases(2000 + part * 25..<2025 + part * 25, each: 5) {
      for conditionalFirst in [false, true] {
        let data = try archive(HookGraph(seed: seed), salt: 1, conditionalFirst: conditionalFirst)
        let archive = try KeyedArchive(data)
        let numbers = try RecursiveNumbering.numbers(
          in: archive, keyOrder: HookGraph.keyOrder(conditionalFirst: conditionalFirst),
          conditionalKeys: HookGraph.conditionalKeys)
        #expect(numbers == (0..<UInt32(archive.objectCount)).map { $0 }, "seed \(seed), \(conditionalFirst)")
      }
    }
  }

  @Test("have replacements and conditional references of every kind")
  func kinds() {
    // If the generator no longer made one of these, the tests above would prove less than they claim.
    let lines = (1000..<1300 as Range<UInt64>).flatMap { seed in
      let build = HookGraph(seed: seed, isDistinct: true).build(salt: 1, conditionalFirst: true)
      defer { build.takeApart() }
      return HookText.of(build.root)
    }
    for part in ["short", "no pointer holds", "value 1", "[\"[", "spare 2", ": -", "swapped", "knot 1 spare"] {
      #expect(lines.count { $0.contains(part) } >= 10, "\(part)")
    }
  }
}
