// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import TestSupport
import Testing

@Suite("Random graphs of bridged and other classes, with selected classes, a delegate and nested errors")
struct RandomMixedGraphTests {
  private static let seeds = 0..<UInt64(600)

  /// Decodes a graph, which ends in an object or an error.
  private static func decode(_ graph: MixedGraph, as request: MixedGraph.Request) throws -> MixedGraph.Fate {
    let delegate = MixedDelegate()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: graph.data)
    unarchiver.delegate = delegate
    defer { withExtendedLifetime(delegate) {} }
    let key = KeyedArchiver.rootKey
    return try MixedRules.$current.withValue(graph.rules) {
      do {
        let object: Any? =
          switch request {
          case .bridged: try unarchiver.decode(MixBridged.self, forKey: key)
          case .own: try unarchiver.decode(MixOwn.self, forKey: key)
          case .list:
            try unarchiver.decodeFoundationObject(
              ofClasses: [NSArray.self, MixBridged.self, MixOwn.self], forKey: key)
          }
        return .object("\(try #require(object))")
      } catch let error as KeyedArchiveError {
        return .fails(error.code, path: error.keyPath)
      }
    }
  }

  @Test(
    "give what the rules say: the selected classes, and each error at its place",
    arguments: Sample.cases(seeds, each: 6))
  func fates(_ seed: UInt64) throws {
    let graph = MixedGraph(seed: seed)
    for request in MixedGraph.Request.allCases {
      let expected = graph.fate(as: request)
      let fate = try Self.decode(graph, as: request)
      switch (expected, fate) {
      case (.fails(let code, nil), .fails(let found, _)): #expect(found == code, "seed \(seed), \(request)")
      case (.fails(let code, _), .fails(let found, _)) where !graph.isTree:
        #expect(found == code, "seed \(seed), \(request)")
      default:
        let (found, said) = (Self.text(fate, like: expected), Self.text(expected, like: expected))
        #expect(found == said, "seed \(seed), \(request)")
      }
    }
  }

  /// The text of a fate. Where the rules do not tell the path of an error, no error of this kind has a path.
  private static func text(_ fate: MixedGraph.Fate, like expected: MixedGraph.Fate) -> String {
    "\(expected)".contains("!classNotAllowed@-")
      ? "\(fate)".replacing(/!classNotAllowed@[^ )]*/, with: "!classNotAllowed") : "\(fate)"
  }

  @Test("have everything that they are to have")
  func kinds() {
    var counts: [String: Int] = [:]
    for seed in Self.seeds {
      let graph = MixedGraph(seed: seed)
      for request in MixedGraph.Request.allCases {
        switch graph.fate(as: request) {
        case .fails(let code, _): counts["fails \(code)", default: 0] += 1
        case .object(let text):
          for part in [
            "MixBridged#", "MixFormer#", "MixLate#", "MixOwn#", "list=[", "!classNotAllowed", "!typeMismatch",
            "!valueNotFound", "#10",
          ] where text.contains(part) {
            counts[part, default: 0] += 1
          }
        }
      }
    }
    #expect(counts.count == 12 && counts.values.allSatisfy { $0 >= 20 }, "\(counts)")
  }
}
