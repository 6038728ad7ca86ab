// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import DocumentLibraries
import PropertyListFormat
import ScaryCreatures

struct VerifyCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "verify", summary: "check every creature of the library, or exported files",
    operands: [
      .init(
        name: "FILE", meaning: "files from 'export' (default: the library)", repeats: true, isOptional: true,
        kind: .file)
    ],
    options: [Library.option, .quiet, .json],
    notes: [
      "Decodes each data file. Of each full image and each thumbnail, it checks the format: of a PNG its parts, their "
        + "checksums and its size, of others the first bytes. Pixels are not decoded. Thumbnails are not compared with full "
        + "images, and missing thumbnails are not reported.",
      "With --json, each finding is an object with the keys schema, severity (error or warning), code, number (or null), path, "
        + "detail and remedy (or null). Warnings do not change the exit code.",
      "Data files of older layouts are warnings; 'migrate' converts them. 'repair' restores damaged data and thumbnails.",
    ],
    examples: [.init(arguments: "verify --library ./creatures", meaning: "check the library")],
    exitCodes: [.fine, .negative, .unreadable, .limitReached])

  let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    guard arguments.operands.isEmpty else {
      return FileRun(console: console, json: json)(arguments.operands) { (file) throws(Failure) in
        try verify(file, json: json, on: console)
      }
    }
    let database = try Library(arguments, on: console).open(sweeping: false)
    let total = try failing { try database.contents().numbers.count }
    let progress = ProgressLine(of: "creature", total: total, isQuiet: arguments.has(.quiet), on: console)
    var counts: [LibraryFinding.Severity: Int] = [:]
    try failing {
      try database.checkCreatures(progress: { progress.advance() }) { finding in
        counts[finding.severity, default: 0] += 1
        write(finding, on: console)
        return console.output.isOpen
      }
    }
    progress.finish()
    let (errors, warnings) = (counts[.error] ?? 0, counts[.warning] ?? 0)
    if !json, !arguments.has(.quiet) {
      console.say(
        "\(CountText.text(total, "creature")), \(CountText.text(errors, "error")), \(CountText.text(warnings, "warning"))"
      )
    }
    return errors == 0 ? .fine : .negative
  }

  /// Checks a file of `export`.
  private func verify(_ file: String, json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let source = try ExchangeFile(file, on: console).source
    let check = try failing { try ScaryCreatureDatabase.checkCreatures(in: source) }
    for problem in check.damaged + check.refused {
      write(LibraryFinding(problem.error, number: nil, path: problem.source), on: console)
    }
    if !json, !arguments.has(.quiet) {
      let others = check.others > 0 ? ", \(check.others) other valid" : ""
      let problems = CountText.text(check.damaged.count + check.refused.count, "problem")
      console.say("\(file): \(CountText.text(check.documents, "creature")) valid\(others), \(problems)")
    }
    return check.isSound ? .fine : .negative
  }

  private func write(_ finding: LibraryFinding, on console: Console) {
    guard arguments.has(.json) else {
      let remedy = finding.remedy.map { ". \($0)" } ?? ""
      let text = "\(finding.severity.rawValue)\t\(finding.code)\t\(EscapedText.plain(finding.path))\t"
      console.output.write(text + EscapedText.plain(finding.detail + remedy) + "\n")
      return
    }
    console.writeJSON { line in
      line.field("severity", finding.severity.rawValue)
      line.field("code", finding.code)
      line.field("number", finding.number?.rawValue)
      line.field("path", finding.path)
      line.field("detail", finding.detail)
      line.field("remedy", finding.remedy)
    }
  }
}
