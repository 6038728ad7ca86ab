// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import KeyedArchiving
import PropertyListFormat
import SystemFiles

/// `scan`: finds archives.
struct ScanCommand: Command {
  static let help = CommandHelp(
    name: "scan", summary: "find archives in folders or in a list of files; print one JSON line each",
    operands: [
      .init(
        name: "PLACE", meaning: "a folder or file; '-' reads a list of these from standard input, one per line",
        repeats: true, kind: .file)
    ],
    options: [
      Option("null", short: "0", "the items of the list end with a zero byte, as from 'find -print0'"),
      Option("nested", short: "n", "also find archives stored as data in property lists and archives"),
      Option("json", "print errors as JSON too, one object per line, on standard error"),
      Option("errors-as-records", short: "e", "print errors as lines of the output, and end with exit code 0"), .quiet,
    ] + Option.ofRecords(inPlaceOf: "PLACE", jobs: "use N threads (default: 1)"),
    notes: [
      "Each line is an object with the keys of 'info --json': file, format, archiver, version, topKeys, objects, classes, "
        + "cyclic, bytes; for an archive in data also inside, the path to the data in the file, which --inside of other "
        + "commands takes as it is. Any '$archiver' is accepted.",
      "Folders are searched in the byte order of names. Links in them are not followed, and only regular files are opened; "
        + "a pipe is read if it is itself a PLACE. A file is read only as far as needed to see that it is not an archive. Unreadable files and damaged archives are "
        + "reported on standard error; the run continues and ends with the highest exit code. A search without a result "
        + "succeeds.",
      "With --errors-as-records, the line of an unreadable file or a damaged archive has file and error, an object with "
        + "code, exit and message. A job on a cluster then keeps such files in its result, and does not end at the first.",
      "With --records, each line of standard input is a record: NAME, a tab, and a file in Base64. A line of the output has "
        + "record (NAME) in place of file. A record without an archive gives no line, a damaged archive one with error.",
      "With -j, the lines and their order are the same. Lines of less than 4096 bytes are written at once, so that several "
        + "processes can share a pipe. To use several processes: find DIR -type f -print0 | xargs -0 -n 500 -P 8 keyedarchive scan -- ; for lines of any length: "
        + "find DIR -type f | parallel --pipe keyedarchive scan - ; with Spark, whose workers see the files: "
        + "sc.textFile(\"paths.txt\").pipe(\"keyedarchive scan -\").",
    ],
    examples: [
      .init(arguments: "scan Fixtures/apple", meaning: "find the archives in a folder"),
      .init(
        arguments: "scan --nested Fixtures/made/creatures.xml", meaning: "list a file and the archives in its data"),
    ],
    exitCodes: [.fine, .unreadable, .notAnArchive, .limitReached])

  private let arguments: Arguments
  private let jobs: Int

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    try RecordRun.check(arguments, usesThreads: true)
    guard !arguments.has("null") || arguments.operands.contains("-") else {
      throw UsageError("'--null' requires the PLACE '-'", remedy: "Add '-' to read a list from standard input")
    }
    jobs = try arguments.jobs() ?? 1
  }

  func run(on console: Console) throws(UsageError) -> ExitCode {
    if arguments.has(.records) { return try runOnRecords(on: console) }
    let search = FileSearch(schema: console.tool.schema, followsNested: arguments.has("nested"))
    var output = ScanOutput(arguments, on: console)
    let work = OrderedWork(threadCount: jobs) { (item: FolderWalk.Item) in
      var reports: [FileSearch.Report] = []
      search.visit(item) { reports.append($0) }
      return reports
    }
    for place in arguments.operands {
      guard console.output.isOpen else { break }
      guard place == "-" else {
        scan(FolderWalk(place, readsPipe: true), search, work, &output)
        continue
      }
      do {
        try console.input.forEachItem(
          endedBy: arguments.has("null") ? 0 : UInt8(ascii: "\n"),
          idle: { work.takeNextWhileIdle(on: console) { output.take($0) } }
        ) { path, isValid in
          // A list may name pipes that nothing writes to.
          let walk = isValid ? FolderWalk(path, readsPipe: false) : FolderWalk(path, failing: InputFile.invalidName)
          scan(walk, search, work, &output)
          return console.output.isOpen
        }
      } catch {
        work.finish { output.take($0) }
        output.report(error, "-")
      }
    }
    work.finish { output.take($0) }
    return output.finish()
  }

  private func scan(
    _ walk: FolderWalk, _ search: FileSearch, _ work: OrderedWork<FolderWalk.Item, [FileSearch.Report]>,
    _ output: inout ScanOutput
  ) {
    var walk = walk
    while output.isOpen, let item = walk.step() {
      if jobs == 1 {
        // One file can have many archives, whose lines need not be in memory at the same time.
        search.visit(item) { output.put($0) }
        output.advance()
      } else {
        work.add(item) { output.take($0) }
      }
    }
  }

  private func runOnRecords(on console: Console) throws(UsageError) -> ExitCode {
    let (schema, followsNested) = (console.tool.schema, arguments.has("nested"))
    return RecordRun(arguments, try Input(arguments), on: console).lines { record in
      var lines: [UInt8] = []
      do throws(Failure) {
        try ArchiveFinder.find(in: record.content.get(), followingNested: followsNested) { (found) throws(Failure) in
          lines += try RecordRun.line(record, schema, inside: found.inside) { (line) throws(Failure) in
            line.info(found.archive, byteCount: found.byteCount)
          }
        }
      } catch {
        lines += RecordRun.line(error, of: record, schema)
      }
      return lines
    }
  }
}

/// The output of a scan of files.
struct ScanOutput {
  private let console: Console
  private let json: Bool
  private let writesErrors: Bool
  private let progress: ProgressLine
  private var worst = ExitCode.fine
  /// The number of buffered bytes.
  private var pending = 0

  init(_ arguments: Arguments, on console: Console) {
    self.console = console
    json = arguments.has("json")
    writesErrors = arguments.has("errors-as-records")
    progress = ProgressLine(of: "file", isQuiet: arguments.has(.quiet), on: console)
  }

  /// The largest atomic write to a pipe (PIPE_BUF).
  private static let wholePiece = 4096

  /// Whether further output can be written.
  var isOpen: Bool { console.output.isOpen }

  /// Writes what was found in a file.
  mutating func take(_ reports: [FileSearch.Report]) {
    for report in reports where isOpen { put(report) }
    advance()
  }

  /// Counts a file as done.
  func advance() { progress.advance() }

  mutating func put(_ report: FileSearch.Report) {
    switch report {
    case .line(let line): write(line)
    case .failure(let path, let failure, let line): if writesErrors { write(line) } else { self.report(failure, path) }
    }
  }

  mutating func report(_ failure: Failure, _ path: String) {
    console.report(failure, file: path, json: json)
    worst = max(worst, failure.exit)
  }

  private mutating func write(_ line: [UInt8]) {
    if pending + line.count > Self.wholePiece {
      console.output.flush()
      pending = 0
    }
    console.output.write(line)
    pending += line.count
  }

  /// Erases the progress, and returns the exit code.
  func finish() -> ExitCode {
    progress.finish()
    return worst
  }
}
