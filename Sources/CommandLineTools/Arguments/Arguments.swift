// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import PropertyListFormat

/// The arguments of a command, separated into options and operands.
package struct Arguments {
  /// The arguments that belong to no option, in their order.
  package private(set) var operands: [String] = []
  private var values: [BytewiseString: [String]] = [:]
  /// The values of options with a file to read.
  private var inputs: [String] = []

  /// Parses arguments: `--name value`, `--name=value`, `-n value`, `-nvalue`, `-ab`; after `--` all are operands.
  package init(_ arguments: [String], for help: CommandHelp) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        return
      } else if argument.hasPrefix("--") {
        try takeLong(argument, &rest, help)
      } else if argument.hasPrefix("-"), argument != "-" {
        try takeShort(argument, &rest, help)
      } else {
        operands.append(argument)
      }
    }
  }

  private mutating func takeLong(
    _ argument: String, _ rest: inout ArraySlice<String>, _ help: CommandHelp
  ) throws(UsageError) {
    let parts = (argument.rest(after: "--") ?? "").split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = help.allOptions.first(where: { $0.long == name }) else {
      let near = Suggestion.nearest(to: name, among: help.allOptions.map(\.long))
      throw UsageError("unknown option '--\(name)'", remedy: near.map { "Did you mean '--\($0)'?" } ?? nil)
    }
    if option.value == nil {
      guard parts.count == 1 else {
        throw UsageError("'--\(name)' takes no value", remedy: "Remove '=\(parts[1])'")
      }
      values[name, default: []].append("")
    } else if parts.count == 2 {
      try add(String(parts[1]), to: option)
    } else {
      try add(rest.popFirst(), to: option)
    }
  }

  private mutating func takeShort(
    _ argument: String, _ rest: inout ArraySlice<String>, _ help: CommandHelp
  ) throws(UsageError) {
    var letters = argument.unicodeScalars.dropFirst()
    while let letter = letters.popFirst() {
      guard let option = help.allOptions.first(where: { $0.short?.unicodeScalars.elementsEqual([letter]) ?? false })
      else {
        throw UsageError(
          "unknown option '-\(letter)'", remedy: "To name a file that begins with '-', put '--' before it")
      }
      guard option.value != nil else {
        values[option.long, default: []].append("")
        continue
      }
      return try add(letters.isEmpty ? rest.popFirst() : String(Substring(letters)), to: option)
    }
  }

  private mutating func add(_ value: String?, to option: Option) throws(UsageError) {
    guard let value else { throw UsageError("'--\(option.long)' needs a value: \(option.value ?? "")") }
    if option.kind.isPath {
      try Self.checkPath(value, "'--\(option.long)'", expected: option.value, orOmit: "the option")
    }
    try Self.check(value, "'--\(option.long)'", option.choices)
    if option.kind == .file { inputs.append(value) }
    values[option.long, default: []].append(value)
  }

  /// Checks that a path is not empty. An empty path is nearly always an unset variable of a shell. Replaced by a default, it
  /// could name the wrong files.
  private static func checkPath(
    _ path: String, _ what: String, expected: String? = nil, orOmit omitted: String? = nil
  ) throws(UsageError) {
    guard path.isEmpty else { return }
    throw UsageError(
      "\(what) is empty: expected \(expected ?? "a path")",
      remedy: "Check the variable that it comes from" + (omitted.map { ", or omit \($0)" } ?? ""))
  }

  /// Checks that a value is one of the choices, if it has any.
  private static func check(_ value: String, _ what: String, _ choices: [String]) throws(UsageError) {
    guard !choices.isEmpty, !choices.contains(value) else { return }
    let near = Suggestion.nearest(to: value, among: choices)
    throw UsageError(
      "invalid value '\(value)' for \(what): expected one of \(choices.joined(separator: ", "))",
      remedy: near.map { "Did you mean '\($0)'?" } ?? nil)
  }

  /// Checks the number and the choices of the operands; the error has the usage line.
  package func checkOperands(of help: CommandHelp, usage: String) throws(UsageError) {
    let replaced = help.options.filter { has($0) }.compactMap(\.replacedOperand)
    let expected = help.operands.filter { !replaced.contains($0.name) }
    let needed = expected.filter { !$0.isOptional }
    if operands.count < needed.count {
      let operand = needed[operands.count]
      let choices = operand.choices.isEmpty ? "" : ": expected one of \(operand.choices.joined(separator: ", "))"
      throw UsageError("\(operand.name) is missing\(choices)", remedy: "Usage: \(usage)")
    }
    if operands.count > expected.count, expected.last?.repeats != true {
      throw UsageError("unexpected argument '\(operands[expected.count])'", remedy: "Usage: \(usage)")
    }
    let described = operands.enumerated().compactMap { index, text in
      (index < expected.count ? expected[index] : expected.last).map { (text: text, operand: $0) }
    }
    try Self.checkOnce(described.filter { $0.operand.kind.isPath }.map { $0.text } + inputs)
    for (text, operand) in described {
      if operand.kind.isPath { try Self.checkPath(text, operand.name, orOmit: operand.isOptional ? "it" : nil) }
      try Self.check(text, operand.name, operand.choices)
    }
  }

  /// Throws if more than one operand, or option with a file to read, names standard input or the same pipe. The second one
  /// would be at the end of the input, or wait for another writer.
  package func checkStandardInput() throws(UsageError) { try Self.checkOnce(operands + inputs) }

  private static func checkOnce(_ files: [String]) throws(UsageError) {
    guard files.count(where: InputFile.isStandardInput) < 2 else {
      throw UsageError("standard input is given twice", remedy: "Standard input can be read once. Write it to a file")
    }
    var known: Set<BytewiseString> = []
    for file in files where !known.insert(BytewiseString(file)).inserted && FileKind(file) == .pipe {
      throw UsageError("the pipe '\(file)' is given twice", remedy: "A pipe can be read once. Write it to a file")
    }
  }

  /// Returns whether the command line has an option.
  package func has(_ name: String) -> Bool { values.keys.contains(BytewiseString(name)) }

  package func has(_ option: Option) -> Bool { has(option.long) }

  /// Throws if the command line has an option and one of the others.
  package func exclude(_ name: String, with others: [String]) throws(UsageError) {
    for other in others where has(name) && has(other) {
      throw UsageError("'--\(name)' excludes '--\(other)'", remedy: "Remove one of the two")
    }
  }

  /// Returns the value of an option; of several, the last one.
  package func value(_ name: String) -> String? { values[name]?.last }

  /// Returns all values of an option, in their order.
  package func values(_ name: String) -> [String] { values[name] ?? [] }

  /// Returns the folder that an option names, or nil without the option.
  package func folder(_ name: String) throws(UsageError) -> URL? {
    guard let path = value(name) else { return nil }
    do {
      return try URL(argument: path, isFolder: true)
    } catch {
      throw UsageError(error.detail, remedy: error.remedy)
    }
  }

  /// Returns the value of an option as a count.
  /// - Throws: ``UsageError`` if it is not a whole number in the range.
  package func count(_ name: String, in range: ClosedRange<Int> = 0...Int.max) throws(UsageError) -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "invalid value '\(text)' for '--\(name)': expected a whole number from \(range.lowerBound) to \(range.upperBound)"
      )
    }
    return number
  }
}

/// An error in the command line.
package struct UsageError: Error {
  package var detail: String
  /// How to correct it.
  package var remedy: String?

  package init(_ detail: String, remedy: String? = nil) {
    self.detail = detail
    self.remedy = remedy
  }
}

/// Suggestions for mistyped names.
package enum Suggestion {
  /// Returns the name nearest to a word, if at most three edits and half of the letters separate them.
  package static func nearest(to word: String, among names: [String]) -> String? {
    let word = Array(word.lowercased().unicodeScalars.prefix(64))
    guard !word.isEmpty else { return nil }
    let ranked = names.map { (name: $0, distance: distance(word, Array($0.lowercased().unicodeScalars.prefix(68)))) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, min(word.count, best.name.unicodeScalars.count) / 2) && best.distance <= 3
      ? best.name : nil
  }

  /// Returns the number of insertions, deletions, substitutions and swaps of neighbors between two words.
  package static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var least = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, beforeLast[j - 1] + 1) }
        row.append(least)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
