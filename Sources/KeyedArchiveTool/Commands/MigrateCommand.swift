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

/// `migrate`: archives of old programs become such that new ones read.
struct MigrateCommand: Command {
  static let help = CommandHelp(
    name: "migrate", summary: "rewrite archives of old programs for new ones, by rules, with nothing lost",
    operands: [
      .init(name: "PATH", meaning: "archives, and folders to be searched for archives", repeats: true, kind: .file)
    ],
    options: [
      Option(
        "rules", short: "r", value: "FILE", kind: .file, "rules as JSON; may be said several times, in order"),
      Option("top-key", value: "OLD=NEW", "give a top-level key another name, such as Data=root"),
      Option("rename-class", value: "OLD=NEW", "give a class another name, wherever archives have it"),
      Option(
        "objects", value: "CLASS[:KEY]",
        "store numbers as objects, as secure coding reads them: of all keys of a class, or of one"),
      Option("inline", value: "CLASS[:KEY]", "store numbers inside their objects, as old readers want them"),
      Option(
        "allow", short: "a", value: "NAME", "a class that may be in migrated archives; once this is given, no other may"
      ),
      Option("backup", short: "b", value: "DIR", kind: .folder, "keep each old file in DIR"),
      Option("backup-suffix", value: "SUFFIX", "keep each old file beside the new one, with SUFFIX to its name"),
      Option(
        "output", short: "o", value: "OUT", kind: .file, "write the one migrated archive there; '-' is standard output"),
      .force, .noInput, .dryRun, .quiet, .json, .anyArchiver,
    ],
    notes: [
      "Rules apply in the order top-key, rename-class, objects, inline, after those of rules files. The page \"Migrating "
        + "archives\" of the library KeyedArchiving has what a rules file may say.",
      "Each archive is proved before it is replaced: read back from its bytes and with the changes undone, the graph "
        + "is the old one, bit for bit; it is sound and has no other classes than those allowed; and the rules find nothing "
        + "more to do in it. An archive of which that cannot be said stays as it is, and the reason is told.",
      "A file is replaced in one step; permissions and time of change stay. A run may be killed at any point: the next one "
        + "goes on from there, removes what was left over, and in the end changes nothing. Symbolic links in folders are "
        + "not followed. Files in folders that are no archives are counted and left alone.",
      "Before files are changed for which no old ones are kept, you are asked; where nobody can be asked, say --force.",
      "Each line has a path, what became of it (migrated, nothing to change, or refused and why, on standard error) and what "
        + "was changed. With --json it is an object with the keys file, outcome (migrated, current or refused), changes "
        + "(how many of each kind: topKey, class, key, numbers, kind, added, dropped, format), backup if there is one, and "
        + "for refused ones code and reason; with --dry-run the outcome says what would be.",
    ],
    examples: [
      .init(
        arguments: "migrate -n --objects make.Creature Fixtures/creatures/insecure/1.scarycreature/Data.plist",
        meaning: "what would be done to one file"),
      .init(
        arguments: "migrate -n --quiet --json --rules Fixtures/migration/creatures.json Fixtures/creatures",
        meaning: "and to all in a folder, by rules in a file"),
    ],
    exitCodes: [
      .fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached, .notWritten,
    ])

  private let arguments: Arguments
  private let shortRules: [MigrationRule]
  private let backup: FileMigration.Backup

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    var rules: [MigrationRule] = []
    for text in arguments.values("top-key") {
      let (old, new) = try Self.renaming(text, "top-key")
      rules.append(.topKey(old, to: new))
    }
    for text in arguments.values("rename-class") {
      let (old, new) = try Self.renaming(text, "rename-class")
      rules.append(.className(ClassSelector([old]), to: new))
    }
    for (option, form) in [("objects", MigrationRule.NumberForm.objects), ("inline", .inline)] {
      for text in arguments.values(option) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        rules.append(
          .numbers(parts.count > 1 ? [parts[1]] : nil, as: form, of: ClassSelector([parts[0]])))
      }
    }
    shortRules = rules
    guard arguments.has("rules") || !rules.isEmpty else {
      throw UsageError(
        "nothing is said that should be changed",
        remedy: "Say --rules FILE, --objects CLASS:KEY or another of its options")
    }
    do throws(KeyedArchiveError) {
      try MigrationRules(rules).validate()
    } catch {
      throw UsageError(error.detail, remedy: error.remedy)
    }
    switch (arguments.value("backup"), arguments.value("backup-suffix")) {
    case (nil, nil): backup = .none
    case (let folder?, nil): backup = .folder(URL(filePath: folder, directoryHint: .isDirectory))
    case (nil, let suffix?): backup = .beside(suffix: suffix)
    case (_?, _?): throw UsageError("'--backup' and '--backup-suffix' exclude each other")
    }
    guard arguments.has("output") else {
      if arguments.operands.contains("-") {
        throw UsageError("standard input cannot be replaced", remedy: "Say where to write with -o")
      }
      return
    }
    guard arguments.operands.count == 1, backup == .none else {
      throw UsageError("'-o' goes with one archive, which stays as it is")
    }
  }

  private static func renaming(_ text: String, _ option: String) throws(UsageError) -> (String, String) {
    let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      throw UsageError("'--\(option)' needs OLD=NEW, not '\(text)'", remedy: "Names with '=' go into a rules file")
    }
    return (parts[0], parts[1])
  }

  func run(on console: Console) -> ExitCode {
    let json = arguments.has(.json)
    var migration: FileMigration
    do throws(Failure) {
      migration = try prepared(on: console)
      if let out = arguments.value("output") { return try write(to: out, migration, on: console) }
      if !arguments.has(.dryRun), backup == .none {
        let what = arguments.operands.count == 1 ? "'\(arguments.operands[0])'" : "\(arguments.operands.count) paths"
        guard try Confirmation(arguments, on: console)("Migrate \(what) in place, and keep no old files?") else {
          return .negative
        }
      }
    } catch {
      console.report(error, file: nil, json: json)
      return error.exit
    }
    var report = MigrationReport(arguments, on: console)
    let summary: FileMigrationSummary
    do throws(KeyedArchiveError) {
      summary = try migration.run(on: arguments.operands) { report.take($0) }
    } catch {
      report.finish()
      let failure = Failure(error)
      console.report(failure, file: nil, json: json)
      return max(report.worst, failure.exit)
    }
    report.finish(summary)
    return report.worst
  }

  /// What the rules files and options say.
  private func prepared(on console: Console) throws(Failure) -> FileMigration {
    var rules = MigrationRules([])
    var allowed: Set<String>? = arguments.has("allow") ? Set(arguments.values("allow")) : nil
    for path in arguments.values("rules") {
      let file: RulesFile
      do throws(Failure) {
        file = try RulesFile(path, on: console)
      } catch {
        var failure = error
        failure.detail = "\(path): \(failure.detail)"
        throw failure
      }
      rules.rules += file.rules
      rules.format = file.format ?? rules.format
      if let more = file.allowed { allowed = (allowed ?? []).union(more) }
    }
    rules.rules += shortRules
    return FileMigration(
      by: rules, allowing: allowed, backup: backup, isDryRun: arguments.has(.dryRun),
      archivers: Input.archivers(arguments))
  }

  /// Writes one migrated archive somewhere else.
  private func write(to out: String, _ migration: FileMigration, on console: Console) throws(Failure) -> ExitCode {
    let file = arguments.operands[0]
    return FileRun(console: console, json: arguments.has(.json))([file]) { (file) throws(Failure) in
      let archive = try Input.archive(file, arguments, on: console)
      let data: Data
      do throws(KeyedArchiveError) {
        data = try archive.migrated(by: migration.rules, allowing: migration.allowed).archive.data()
      } catch {
        throw Failure(error)
      }
      guard !arguments.has(.dryRun) else { return .fine }
      try OutputFile.write(data, to: out, isBinary: true, force: arguments.has(.force), on: console)
      return .fine
    }
  }
}
