// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// `validate`: checks archives.
struct ValidateCommand: Command {
  static let help = CommandHelp(
    name: "validate", summary: "check the structure and, with --allow, the classes",
    operands: [.files],
    options: [
      Option("allow", short: "a", value: "NAME", "allow a class, and no class not named so; repeatable"),
      .json, .inside, .anyArchiver,
    ] + Option.ofRecords(),
    notes: [
      "A finding of severity 'error' makes a decoder refuse the archive or a part of it; others are of severity 'note'. The "
        + "codes are stable: danglingReference, noClass, badClassRecord, badObject, badTop, misspelledRoot, "
        + "firstIsNotNull, classNotAllowed, unequalCounts, limitReached (errors), unreferencedObject, duplicateKey (notes).",
      "The text has at most 100 findings of a file, errors first, and the number of the others; JSON has all of them.",
      "With --json, each line is an object with the keys file, valid and findings; a finding has code, severity, detail "
        + "and, where known, object and byte, or line in an XML file.",
      "--allow compares the names of class records. Strings, numbers and data that are stored without one are always allowed; "
        + "a decoder's list must have their types if it requests them with one.",
      "The exit code is 5 if the only errors have the code classNotAllowed, and 6 if they have the code limitReached.",
      CommandHelp.recordsNote,
    ],
    examples: [
      .init(arguments: "validate Fixtures/apple/NSURL.plist", meaning: "check an archive"),
      .init(
        arguments: "validate --allow NSURL --json Fixtures/apple/NSURL.plist",
        meaning: "check that it is valid and has no other class than NSURL"),
    ],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached])

  private let arguments: Arguments
  private let input: Input

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    input = try Input(arguments)
    try RecordRun.check(arguments)
  }

  func run(on console: Console) -> ExitCode {
    let json = arguments.has("json")
    let allowed = arguments.has("allow") ? Set(arguments.values("allow")) : nil
    if arguments.has(.records) {
      let input = input
      return RecordRun(arguments, input, on: console)() { (data, line) throws(Failure) in
        Self.write(try input.archive(data).check(allowing: allowed), to: &line)
      }
    }
    return FileRun(console: console, json: json)(arguments.operands) { (file) throws(Failure) in
      let findings = try input.archive(file, on: console).check(allowing: allowed)
      let errors = findings.filter { $0.severity == .error }
      if json {
        console.writeJSON { line in
          line.source(file, input)
          Self.write(findings, to: &line)
        }
      } else {
        for finding in Self.shown(findings, errors) {
          console.output.write(EscapedText.plain("\(input.name(file)): \(finding)") + "\n")
        }
        if findings.count > Self.maximumLineCount {
          console.output.write(
            EscapedText.plain(input.name(file))
              + ": and \(findings.count - Self.maximumLineCount) more; --json lists all\n")
        }
        if errors.isEmpty { console.output.write(EscapedText.plain("\(input.name(file)): valid") + "\n") }
      }
      if errors.isEmpty { return .fine }
      if errors.allSatisfy({ $0.code == "classNotAllowed" }) { return .classNotAllowed }
      if let first = errors.first, errors.allSatisfy({ $0.code == "limitReached" }) {
        var failure = Failure(first.asError)
        failure.detail = "nothing wrong was found, but a limit kept some objects from being checked"
        throw failure
      }
      return .negative
    }
  }

  /// The number of findings of a file that are printed as text. A damaged file of 600 KB can have 50,000.
  static let maximumLineCount = 100

  /// Returns the findings to print as text: all of them, or the first ones, errors before notes.
  private static func shown(
    _ findings: [KeyedArchive.Issue], _ errors: [KeyedArchive.Issue]
  ) -> ArraySlice<KeyedArchive.Issue> {
    guard findings.count > maximumLineCount else { return findings[...] }
    return (errors + findings.filter { $0.severity == .note }).prefix(maximumLineCount)
  }

  private static func write(_ findings: [KeyedArchive.Issue], to json: inout JSONWriter) {
    json.field("valid", !findings.contains { $0.severity == .error })
    json.key("findings")
    json.beginArray()
    for finding in findings {
      json.beginObject()
      json.field("code", finding.code)
      json.field("severity", finding.severity.rawValue)
      json.field("detail", finding.detail)
      if let uid = finding.uid { json.field("object", uid.rawValue) }
      if let byte = finding.byteOffset { json.field("byte", byte) }
      if let line = finding.line { json.field("line", line) }
      json.endObject()
    }
    json.endArray()
  }
}
