// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// Writes the rules that turn one archive into another: `migrate --derive`.
struct DerivedRulesRun {
  private let arguments: Arguments
  private let input: Input

  init(_ arguments: Arguments, _ input: Input) {
    self.arguments = arguments
    self.input = input
  }

  /// Checks that the arguments are two archives, without options of a migration.
  static func check(_ arguments: Arguments) throws(UsageError) {
    try arguments.exclude(
      "derive",
      with: [
        "rules", "top-key", "rename-class", "objects", "inline", "allow", "backup", "backup-suffix", "dry-run", "jobs",
      ])
    guard arguments.operands.count == 2 else {
      throw UsageError("'--derive' requires two archives, OLD and NEW: found \(arguments.operands.count)")
    }
  }

  /// Writes the rules, and reports the differences that they do not explain.
  func callAsFunction(on console: Console) -> ExitCode {
    let run = FileRun(console: console, json: arguments.has(.json), hasSummary: false)
    var archives: [KeyedArchive] = []
    let code = run(arguments.operands) { (file) throws(Failure) in
      archives.append(try input.archive(file, on: console))
      return .fine
    }
    guard archives.count == 2, code == .fine else { return code }
    return run.finish { () throws(Failure) in
      let (rules, remaining) = try Self.rules(from: archives[0], to: archives[1])
      let text = RulesText(rules).bytes
      if let out = arguments.value("output") {
        try OutputFile.write(Data(text), to: out, isBinary: false, force: arguments.has(.force), on: console)
      } else {
        console.output.write(text)
      }
      try report(remaining, OutputLimit(archiveOf: archives.reduce(0) { $0 + $1.propertyList.byteCount }), on: console)
      return remaining.isEmpty ? .fine : .negative
    }
  }

  /// Returns the rules that a file can have, and the differences that remain.
  private static func rules(
    from old: KeyedArchive, to new: KeyedArchive
  ) throws(Failure) -> (rules: [MigrationRule], remaining: [ArchiveDifference]) {
    let derived = try Failure.convertingArchiveError(try DerivedRules(from: old, to: new))
    let rules = derived.rules.rules.filter(RulesText.includes)
    guard rules.count < derived.rules.rules.count else { return (rules, derived.remaining) }
    return (
      rules,
      try Failure.convertingArchiveError(
        try new.differences(from: old.migrated(by: MigrationRules(rules)).archive))
    )
  }

  private func report(
    _ remaining: [ArchiveDifference], _ limit: OutputLimit, on console: Console
  ) throws(Failure) {
    var byteCount = 0
    for (place, difference) in remaining.enumerated() {
      guard byteCount <= limit.byteCount else {
        return console.say("\(CountText.text(remaining.count - place, "more difference"))")
      }
      let text = difference.description
      byteCount += text.utf8.count
      if arguments.has(.json) {
        var json = JSONWriter()
        try json.difference(difference, within: limit, remedy: "To see the differences as text, use 'diff'")
        console.sayJSON { line in
          line.key("unexplained")
          line.raw(String(decoding: json.bytes, as: UTF8.self))
        }
      } else {
        console.say("no rule explains: \(text)")
      }
    }
  }
}
