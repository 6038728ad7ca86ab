// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import DocumentLibraries

/// Creatures' numbers on the command line.
enum Numbers {
  static let operands = CommandHelp.Operand(name: "N", meaning: "creatures' numbers", repeats: true)
  static let optional = CommandHelp.Operand(
    name: "N", meaning: "creatures' numbers", repeats: true, isOptional: true)
  static let operand = CommandHelp.Operand(name: "N", meaning: "a creature's number")

  static func parse(_ text: String) throws(UsageError) -> DocumentNumber {
    guard let number = DocumentNumber(text) else {
      throw UsageError("'\(text)' is no creature's number", remedy: "'scarycreatures list' shows the numbers there are")
    }
    return number
  }

  /// Numbers, each once, in the order in which they were first given.
  static func parse(_ texts: [String]) throws(UsageError) -> [DocumentNumber] {
    var numbers: [DocumentNumber] = []
    var known: Set<DocumentNumber> = []
    for text in texts {
      let number = try parse(text)
      if known.insert(number).inserted { numbers.append(number) }
    }
    return numbers
  }
}
