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

struct RepairCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "repair", summary: "restore damaged data, and remake thumbnails",
    operands: [Numbers.optional],
    options: [
      Option("backup", short: "b", value: "FILE", kind: .file, "the file of 'export' to restore data from"),
      Library.option, .dryRun, .force, .noInput, .json,
    ],
    notes: [
      "Repairs all creatures, or those whose numbers are given. Valid files are not changed. With --dry-run, prints each "
        + "step without doing it.",
      "Missing or damaged data become those that the creature's last change replaced, if it keeps them, or else those of "
        + "the backup. If neither has them, set new values with 'edit N --overwrite --title TEXT'.",
      "A number can be of another creature in an older backup, because numbers of deleted creatures are used again. If no image "
        + "in the backup equals one of the creature, the command asks before it restores the data. --force skips that.",
      "A damaged data file stays in the creature's folder as '.Data.plist.damaged'.",
      "A missing or damaged thumbnail is made again from the full image. A damaged full image is reported.",
      "With --json, each step is an object with the keys schema, number, step (data or thumbnail), source (formerSave or "
        + "backup; null for a thumbnail), done, kept (the name of the damaged file, or null) and asks (whether the step needs "
        + "confirmation or --force).",
    ],
    examples: [
      .init(
        arguments: "repair --backup backup.zip --dry-run --library ./creatures",
        meaning: "show what a repair would restore")
    ],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached])

  let arguments: Arguments
  private let numbers: [DocumentNumber]?

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    numbers = arguments.operands.isEmpty ? nil : try Numbers.parse(arguments.operands)
  }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let file = arguments.value("backup")
    var backup: BackupSource?
    do {
      backup = try file.map { (file) throws(Failure) in try ExchangeFile(file, on: console).source }
    } catch {
      throw Self.failure(error, of: file)
    }
    let isTrial = arguments.has(.dryRun)
    let database = try Library(arguments, on: console).open(sweeping: !isTrial)
    var worst = ExitCode.fine
    do {
      let confirmed = Confirmation(arguments, on: console)
      var asks = false
      func confirm(_ number: DocumentNumber, _ creature: ScaryCreatureData) throws -> Bool {
        asks = true
        let text = "restore creature \(number) as '\(creature.title)' from the backup"
        if isTrial {
          if !json {
            console.say("note: would ask whether to \(text), because no image shows that it is the same creature")
          }
          return true
        }
        return try confirmed("No image shows that it is the same creature. Really \(text)?")
      }
      try database.repair(numbers, from: backup, dryRun: isTrial, confirming: confirm) { result in
        switch result.outcome {
        case .sound: break
        case .restored:
          write(result.number, "data", from: result.source, kept: result.keptName, asks: asks, on: console)
        case .failed(let error):
          var failure = Failure(any: error)
          if backup == nil, failure.exit == .notAnArchive {
            failure.remedy =
              "Pass a backup with --backup FILE, or set new values with 'edit \(result.number) --overwrite --title TEXT'"
          }
          worst = max(worst, report(failure, result.number, on: console))
        }
        asks = false
        worst = max(worst, remakeThumb(result.number, database, on: console))
        return console.continues(changingFiles: !isTrial)
      }
    } catch let error as LibraryError where error.code == .badContainer {
      throw Self.failure(Failure(error), of: file)
    } catch {
      throw Failure(any: error)
    }
    return worst
  }

  /// The error of reading the backup, which names its file.
  private static func failure(_ error: Failure, of file: String?) -> Failure {
    var failure = error
    failure.place = file.map { [$0] } ?? failure.place
    return failure
  }

  private func remakeThumb(
    _ number: DocumentNumber, _ database: ScaryCreatureDatabase, on console: Console
  ) -> ExitCode {
    // The repair of the data reports a creature that does not exist, and a file in its place.
    guard let doc = try? database.document(number) else { return .fine }
    do {
      guard try doc.needsThumb else { return .fine }
      let kept = try doc.remakeThumb(dryRun: arguments.has(.dryRun))
      write(number, "thumbnail", from: nil, kept: kept, on: console)
      return .fine
    } catch let error as LibraryError where error.code == .notFound {
      // Another process has deleted it meanwhile.
      return .fine
    } catch let error as LibraryError where error.code == .notAnImage {
      var failure = Failure(error)
      failure.detail = "the full image is damaged: \(failure.detail)"
      failure.place = [doc.docPath?.path ?? ""]
      failure.remedy = "Set a new image with 'edit \(number) --image FILE', or try 'undo \(number)'"
      return report(failure, number, on: console)
    } catch {
      return report(Failure(any: error), number, on: console)
    }
  }

  private func report(_ failure: Failure, _ number: DocumentNumber, on console: Console) -> ExitCode {
    console.report(failure, file: "\(number)", noun: "creature", json: arguments.has(.json))
    return failure.exit
  }

  private func write(
    _ number: DocumentNumber, _ step: String, from source: RepairResult.Source?, kept: String?, asks: Bool = false,
    on console: Console
  ) {
    let isTrial = arguments.has(.dryRun)
    guard arguments.has(.json) else {
      let words =
        switch source {
        case .backup: "restored from the backup"
        case .formerSave: "restored from the former save"
        case nil: "made again"
        }
      let old = kept.map { "; the damaged file \(isTrial ? "would be kept" : "is kept") as \($0)" } ?? ""
      return console.output.write("\(number)\t\(step)\t\(isTrial ? "would be " : "")\(words)\(old)\n")
    }
    console.writeJSON { line in
      line.field("number", number.rawValue)
      line.field("step", step)
      line.field("source", source?.rawValue)
      line.field("done", !isTrial)
      line.field("kept", kept)
      line.field("asks", asks)
    }
  }
}
