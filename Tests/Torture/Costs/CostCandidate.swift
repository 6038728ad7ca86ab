// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport

/// An input of the search: a property list, or the text of one.
enum CostCandidate {
  case list(CostGenome)
  case text(CostText)

  /// The bytes to keep: a binary property list, or the text.
  var data: Data {
    switch self {
    case .list(let genome): genome.data
    case .text(let text): Data(text.bytes)
    }
  }

  /// Whether ``data`` is given to entry points as it is.
  var isText: Bool { if case .text = self { true } else { false } }

  /// Changes it in one way.
  mutating func mutate(_ random: inout SeededRandom, for form: CostForm, with other: CostCandidate) {
    switch self {
    case .text(var text):
      text.mutate(&random)
      self = .text(text)
    case .list(var genome):
      if form.textExtension != nil, Int.random(in: 0..<3, using: &random) == 0, let data = form.input(genome.data) {
        self = .text(CostText(data, form))
      } else if case .list(let other) = other {
        genome.mutate(&random, with: other)
        self = .list(genome)
      } else {
        genome.mutate(&random, with: genome)
        self = .list(genome)
      }
    }
  }

  /// Removes what nothing refers to, to make it smaller.
  mutating func removeUnreachable() {
    guard case .list(var genome) = self else { return }
    genome.removeUnreachable()
    self = .list(genome)
  }
}

/// An input with its cost.
struct CostFinding {
  /// The bytes: a binary property list, or a text in the form of the entry point.
  var data: Data
  var isText: Bool
  /// The name of the pattern or file that the search began with.
  var origin: String
  /// The processor time per byte, relative to a plain file.
  var ratio: Double
  /// The size of the input in the form of the entry point.
  var byteCount: Int
  /// The instructions per byte, relative to a plain file; nil if they were not counted.
  var instructions: Double?

  /// The input for an entry point; nil if the bytes cannot have its form.
  func input(_ form: CostForm) -> Data? { isText ? data : form.input(data) }
}
