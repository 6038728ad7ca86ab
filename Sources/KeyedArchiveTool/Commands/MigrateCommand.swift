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

/// `migrate`: rewrites archives of old programs for new ones.
struct MigrateCommand: Command {
  static let help = CommandHelp(
    name: "migrate", summary: "rename classes and keys, or convert to secure coding, and verify the result",
    operands: [
      .init(name: "PATH", meaning: "archives, and folders to search for archives", repeats: true, kind: .file)
    ],
    options: [
      Option(
        "rules", short: "r", value: "FILE", kind: .file,
        "apply the rules of a JSON file or property list, in order; repeatable"),
      Option("top-key", value: "OLD=NEW", "rename a top-level key, such as Data=root"),
      Option("rename-class", value: "OLD=NEW", "rename a class"),
      Option("objects", value: "CLASS[:KEY]", "box the numbers of a class or of one of its keys (for secure coding)"),
      Option("inline", value: "CLASS[:KEY]", "store these numbers inline (for old readers)"),
      Option(
        "allow", short: "a", value: "NAME",
        "allow a class in migrated archives, and no class not named so; strings, "
          + "numbers and data without a class are always allowed"),
      Option("backup", short: "b", value: "DIR", kind: .folder, "keep each old file in DIR"),
      Option("backup-suffix", value: "SUFFIX", "keep each old file in its folder, with SUFFIX appended to its name"),
      Option(
        "output", short: "o", value: "OUT", kind: .output, "write one migrated archive to OUT; '-' is standard output"),
      Option("undo", value: "DIR", kind: .folder, "restore the old files from the folder of --backup; takes no rules"),
      Option("derive", "write the rules that turn the archive OLD into NEW; takes these two PATHs, and no rules"),
      .jobs("use N threads (default: the number of processors)"), .force, .noInput, .dryRun, .quiet, .json, .inside,
      .anyArchiver,
    ],
    notes: [
      "Rules apply in the order top-key, rename-class, objects, inline, after those of rules files. The page \"Migrating "
        + "archives\" of the library ArchiveTools describes rules files. Without a rules file and for at most "
        + "\(MigrationReport.maximumExamined) archives, a note names each rule whose class or key no archive has.",
      "Each archive is verified before it is replaced: its bytes are read back, and with the changes undone, the graph "
        + "equals the old one, bit for bit; it is valid and has only allowed classes; and the rules find nothing more to "
        + "change. An archive that fails verification stays unchanged, with the reason.",
      "With --inside, the archive inside of each file is migrated, and all other values of the file stay as they are. "
        + "Files in folders without such an archive are counted and left unchanged; -o writes the whole file.",
      "A file is replaced atomically and keeps its permissions and modification time. After an interruption, run the command "
        + "again: it continues, removes temporary files, and finally changes nothing. Symbolic links in folders are not "
        + "followed. Other files in folders are counted and left unchanged.",
      "--undo restores files from the folder that --backup created. A backup is found by the absolute path of its file, so "
        + "PATHs can also be parts of those that were migrated. A file that changed after the migration is refused, which its "
        + "modification time shows. One that was deleted or moved is reported and not created again. The backups remain.",
      "Backups of earlier runs are not migrated: a folder of --backup is left out, and so are files with the suffix of "
        + "--backup-suffix. A PATH that is such a folder, or that is in DIR, is refused. In a run without the "
        + "suffix, a file that is probably a backup is refused.",
      "--derive writes a rules file to standard output, or to OUT. OLD and NEW are archives of equal values, one of each "
        + "program, with a different value for each key. The rules remove nothing. Each difference that remains after applying "
        + "them to OLD is a line on standard error, and the exit code is then 1.",
      "Without a backup, the command asks before it changes files; without a terminal, it needs --force.",
      "Each line has a path, the outcome (migrated, nothing to change, or on standard error the refusal with its reason) and "
        + "the changes. With '-o -', the lines are on standard error. With --json, it is an object with the keys file, outcome (migrated or restored, current, or refused), "
        + "changes (the number of each kind: topKey, class, key, numbers, kind, added, dropped, format), backup if one "
        + "exists, and after a refusal code and reason; a refusal is also "
        + "an error on standard error. With --dry-run, the outcome is the expected one.",
    ],
    examples: [
      .init(
        arguments: "migrate -n --objects make.Creature Fixtures/creatures/insecure/1.scarycreature/Data.plist",
        meaning: "show the changes to one file"),
      .init(
        arguments: "migrate -n --quiet --json --rules Fixtures/migration/creatures.json Fixtures/creatures",
        meaning: "show the changes to a folder, by the rules of a file"),
      .init(
        arguments: "migrate --derive Fixtures/versions/2-insecure.plist Fixtures/versions/3-secure.plist",
        meaning: "write the rules that turn one file into the other"),
    ],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached])

  private let arguments: Arguments
  private let shortRules: [MigrationRule]
  private let backup: FileMigration.Backup
  private let input: Input
  private let jobs: Int?

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    input = try Input(arguments)
    jobs = try arguments.jobs()
    var rules: [MigrationRule] = []
    for text in arguments.values("top-key") {
      let (old, new) = try Renamings.pair(text, "top-key")
      rules.append(.renameTopLevelKey(old, to: new))
    }
    for text in arguments.values("rename-class") {
      let (old, new) = try Renamings.pair(text, "rename-class")
      rules.append(.renameClass(ClassSelector([old]), to: new))
    }
    for (option, form) in [("objects", MigrationRule.NumberForm.objects), ("inline", .inline)] {
      for text in arguments.values(option) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let selector = parts[0].hasSameBytes(as: "$top") ? ClassSelector.top : ClassSelector([parts[0]])
        rules.append(.storeNumbers(parts.count > 1 ? [parts[1]] : nil, as: form, of: selector))
      }
    }
    shortRules = rules
    if arguments.has("undo") {
      backup = .none
      try Self.checkUndo(arguments)
      return
    }
    if arguments.has("derive") {
      backup = .none
      try DerivedRulesRun.check(arguments)
      return
    }
    guard arguments.has("rules") || !rules.isEmpty else {
      throw UsageError(
        "no rules given", remedy: "Add --rules FILE, --objects CLASS:KEY or another of the command's rules")
    }
    do throws(KeyedArchiveError) {
      try MigrationRules(rules).validate()
    } catch {
      throw UsageError(error.detail, remedy: error.remedy)
    }
    try arguments.exclude("backup", with: ["backup-suffix"])
    backup =
      if let folder = try arguments.folder("backup") {
        .folder(folder)
      } else {
        arguments.value("backup-suffix").map { .beside(suffix: $0) } ?? .none
      }
    do throws(KeyedArchiveError) {
      try backup.validate()
    } catch {
      throw UsageError(error.detail, remedy: error.remedy)
    }
    guard arguments.has("output") else {
      if arguments.operands.contains(where: InputFile.isStandardInput) {
        throw UsageError("standard input cannot be replaced", remedy: "Name the output file with -o")
      }
      return
    }
    guard arguments.operands.count == 1, backup == .none else {
      throw UsageError("'-o' requires one archive and no backup, because that archive stays unchanged")
    }
  }

  /// Checks that an undo has no options of a migration.
  private static func checkUndo(_ arguments: Arguments) throws(UsageError) {
    try arguments.exclude(
      "undo",
      with: [
        "rules", "top-key", "rename-class", "objects", "inline", "allow", "backup", "backup-suffix", "output", "inside",
        "derive", "jobs", "any-archiver",
      ])
    if arguments.operands.contains(where: InputFile.isStandardInput) {
      throw UsageError("standard input cannot be restored")
    }
  }

  func run(on console: Console) -> ExitCode {
    if let folder = arguments.value("undo") { return undo(from: folder, on: console) }
    if arguments.has("derive") { return DerivedRulesRun(arguments, input)(on: console) }
    let json = arguments.has(.json)
    var migration: FileMigration
    do throws(Failure) {
      migration = try prepared(on: console)
      if let out = arguments.value("output") { return write(to: out, migration, on: console) }
      if !arguments.has(.dryRun), backup == .none {
        let what = arguments.operands.count == 1 ? "'\(arguments.operands[0])'" : "\(arguments.operands.count) paths"
        guard try Confirmation(arguments, on: console)("Migrate \(what) in place, without a backup?") else {
          return .negative
        }
      }
    } catch {
      console.report(error, file: nil, json: json)
      return error.exit
    }
    let interruption = Interruption()
    defer {
      console.output.flush()
      interruption.finish()
    }
    migration.isStopped = { interruption.isRequested }
    var report = MigrationReport(arguments, input, on: console)
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
    guard !interruption.isRequested else {
      noteInterruption(on: console)
      return report.worst
    }
    if let inside = arguments.value("inside"), summary.migrated + summary.current + summary.refused == 0 {
      console.note(
        "no file has an archive at '\(EscapedText.plain(inside))'; 'scan --nested' lists the places", json: json)
    }
    let files = report.examined ?? []
    reportUnmatched(files.count, on: console) { try? input.archive(files[$0], on: console) }
    return report.worst
  }

  /// Restores the files of a migration.
  private func undo(from folder: String, on console: Console) -> ExitCode {
    FileRun(console: console, json: arguments.has(.json)).finish { () throws(Failure) in
      let backup = try URL(argument: folder, isFolder: true)
      var undo = try Failure.convertingArchiveError(try MigrationUndo(from: backup, isDryRun: arguments.has(.dryRun)))
      let what = arguments.operands.count == 1 ? "'\(arguments.operands[0])'" : "\(arguments.operands.count) paths"
      if !arguments.has(.dryRun), try !Confirmation(arguments, on: console)("Restore \(what) from '\(folder)'?") {
        return .negative
      }
      let interruption = Interruption()
      defer {
        console.output.flush()
        interruption.finish()
      }
      undo.isStopped = { interruption.isRequested }
      var report = MigrationReport(arguments, input, on: console)
      let summary = undo.run(on: arguments.operands) { report.take($0) }
      guard interruption.isRequested || summary.migrated + summary.current + summary.refused > 0 else {
        throw Failure(
          .unreadable, "fileAccess", "'\(folder)' has no backup of a file in \(what)",
          remedy: "Pass the same paths as to the migration; if the files were moved since, copy their backups")
      }
      report.finish(summary)
      if interruption.isRequested { noteInterruption(on: console) }
      return report.worst
    }
  }

  private func noteInterruption(on console: Console) {
    console.note("interrupted; to continue, run the command again", json: arguments.has(.json))
  }

  /// Returns the migration that the rules files and options describe.
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
    var migration = FileMigration(
      by: rules, allowing: allowed, backup: backup, isDryRun: arguments.has(.dryRun), archivers: input.archivers)
    migration.inside = input.inside
    if let jobs { migration.threadCount = jobs }
    return migration
  }

  /// Writes one migrated archive to another file.
  private func write(to out: String, _ migration: FileMigration, on console: Console) -> ExitCode {
    let file = arguments.operands[0]
    var report = MigrationReport(arguments, input, on: console)
    var read: KeyedArchive?
    do throws(Failure) {
      let nested = try input.nested(in: Input.bytes(of: file, on: console))
      let archive = try input.archive(nested.data)
      read = archive
      let result = try Failure.convertingArchiveError(
        try archive.migrated(by: migration.rules, allowing: migration.allowed))
      let migrated = result.archive
      let new = try Failure.convertingArchiveError(try migrated.data())
      let data = try Failure.convertingArchiveError(try nested.file(replacing: new))
      if migrated.propertyList.format == .xml {
        let problems = try Failure.convertingArchiveError(
          try XMLProblems(of: new, from: migrated.propertyList))
        console.warn(about: problems, in: input.name(file), json: arguments.has(.json))
        if result.isChanged, let note = archive.propertyList.noteOfLostLayout {
          console.note("\(input.name(file)): \(note)", json: arguments.has(.json))
        }
      }
      if arguments.has(.dryRun) {
        try OutputFile.check(out)
      } else {
        let isBinary = data.starts(with: "bplist".utf8)
        try OutputFile.write(data, to: out, isBinary: isBinary, force: arguments.has(.force), on: console)
      }
      _ = report.take(FileMigrationResult(of: file, result))
    } catch {
      report.refuse(file, error)
    }
    report.finish()
    // The file is not read again, because a pipe has its bytes once.
    if report.worst == .fine { reportUnmatched(1, on: console) { _ in read } }
    return report.worst
  }

  /// Prints a note for each rule of the command line that has no effect on some archives.
  ///
  /// With a rules file, nothing is reported, because its rules may rename what these options name.
  private func reportUnmatched(_ count: Int, on console: Console, _ archive: (Int) -> KeyedArchive?) {
    guard !arguments.has("rules"), !arguments.has(.quiet) else { return }
    var audit = ArchiveAudit()
    var notes: [(rule: String, note: String)] = []
    for place in 0..<count {
      if let archive = archive(place), let more = try? ArchiveAudit(of: archive) { audit.merge(more) }
      // Mostly, one of the first archives has what the rules name, and no other one has to be read again.
      guard place == count - 1 || (place + 1).nonzeroBitCount == 1 else { continue }
      notes = UnmatchedRules(arguments, audit).notes
      if notes.isEmpty { return }
    }
    guard audit.archiveCount > 0 else { return }
    for (rule, note) in notes {
      let line = "'\(rule)' matches nothing: \(note)"
      console.note(arguments.has(.json) ? line : "note: \(line)", json: arguments.has(.json))
    }
  }
}
