// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A command's arguments, sorted into options and operands.
package struct Arguments {
  /// What stands without an option's name, in its order.
  package private(set) var operands: [String] = []
  private var values: [BytewiseString: [String]] = [:]

  /// Sorts arguments: `--name value`, `--name=value`, `-n value`, `-nvalue`, `-ab`; after `--` all are operands.
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
      throw UsageError(
        "unknown option '--\(name)'",
        remedy: near.map { "Did you mean '--\($0)'?" } ?? nil)
    }
    if option.value == nil {
      guard parts.count == 1 else { throw UsageError("'--\(name)' takes no value") }
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
          "unknown option '-\(letter)'", remedy: "A file of that name is given after '--'")
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
    try Self.check(value, "'--\(option.long)'", option.choices)
    values[option.long, default: []].append(value)
  }

  /// Checks that a value is one of those there are, if only some are.
  private static func check(_ value: String, _ what: String, _ choices: [String]) throws(UsageError) {
    guard !choices.isEmpty, !choices.contains(value) else { return }
    let near = Suggestion.nearest(to: value, among: choices)
    throw UsageError(
      "\(what) is one of \(choices.joined(separator: ", ")), not '\(value)'",
      remedy: near.map { "Did you mean '\($0)'?" } ?? nil)
  }

  /// Checks number and choices of the operands; `usage` is what is said where they are too few or too many.
  package func checkOperands(of help: CommandHelp, usage: String) throws(UsageError) {
    let needed = help.operands.filter { !$0.isOptional }
    if operands.count < needed.count {
      throw UsageError("\(needed[operands.count].name) is missing", remedy: "Usage: \(usage)")
    }
    if operands.count > help.operands.count, help.operands.last?.repeats != true {
      throw UsageError("'\(operands[help.operands.count])' is one argument too many", remedy: "Usage: \(usage)")
    }
    guard let last = help.operands.last else { return }
    for (index, text) in operands.enumerated() {
      let operand = index < help.operands.count ? help.operands[index] : last
      try Self.check(text, operand.name, operand.choices)
    }
  }

  /// Whether an option was given.
  package func has(_ name: String) -> Bool { values.keys.contains(BytewiseString(name)) }

  /// Whether one of the options that tools share was given.
  package func has(_ option: Option) -> Bool { has(option.long) }

  /// The value of an option; the last one counts.
  package func value(_ name: String) -> String? { values[name]?.last }

  /// All values of an option, in their order.
  package func values(_ name: String) -> [String] { values[name] ?? [] }

  /// The value of an option that is a count.
  package func count(_ name: String) throws(UsageError) -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw UsageError("'--\(name)' needs a number from 0 upwards, not '\(text)'")
    }
    return number
  }
}
