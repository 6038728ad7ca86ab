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

/// `scan`: finds archives.
struct ScanCommand: Command {
  static let help = CommandHelp(
    name: "scan", summary: "find archives in folders or in a list of files; print one JSON line each",
    operands: [
      .init(
        name: "PLACE", meaning: "a folder or file; '-' reads a list of these from standard input, one per line",
        repeats: true, kind: .folder)
    ],
    options: [
      Option("null", short: "0", "the items of the list end with a zero byte, as from 'find -print0'"),
      Option("nested", short: "n", "also find archives stored as data in property lists and archives"),
      Option("json", "print errors as JSON too, one object per line, on standard error"),
      Option("errors-as-records", short: "e", "print errors as lines of the output, and end with exit code 0"), .quiet,
    ] + Option.ofRecords(inPlaceOf: "PLACE"),
    notes: [
      "Each line is an object with the keys of 'info --json': file, format, archiver, version, topKeys, objects, classes, "
        + "cyclic, bytes; for an archive in data also inside, the path to the data in the file, which --inside of other "
        + "commands takes as it is. Any '$archiver' is accepted.",
      "Folders are searched in the byte order of names. Links in them are not followed, and only regular files are opened. "
        + "A file is read only as far as needed to see that it is not an archive. Unreadable files and damaged archives are "
        + "reported on standard error; the run continues and ends with the highest exit code. A search without a result "
        + "succeeds.",
      "With --errors-as-records, the line of an unreadable file or a damaged archive has file and error, an object with "
        + "code, exit and message. A job on a cluster then keeps such files in its result, and does not end at the first.",
      "With --records, each line of standard input is a record: NAME, a tab, and a file in Base64. A line of the output has "
        + "record (NAME) in place of file. A record without an archive gives no line, a damaged archive one with error.",
      "Lines of less than 4096 bytes are written at once, so that several processes can share a pipe. To use several "
        + "processors: find DIR -type f -print0 | xargs -0 -n 500 -P 8 keyedarchive scan -- ; for lines of any length: "
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

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    try RecordRun.check(arguments)
  }

  func run(on console: Console) throws(UsageError) -> ExitCode {
    if arguments.has(.records) { return try runOnRecords(on: console) }
    let progress = ProgressLine(of: "file", isQuiet: arguments.has(.quiet), on: console)
    var run = Run(
      console: console, json: arguments.has("json"), writesErrors: arguments.has("errors-as-records"),
      followsNested: arguments.has("nested"), progress: progress)
    for place in arguments.operands {
      guard console.output.isOpen else { break }
      guard place == "-" else {
        run.scan(place)
        continue
      }
      do {
        try console.input.forEachItem(endedBy: arguments.has("null") ? 0 : UInt8(ascii: "\n")) { path in
          run.scan(path)
          // The other end of a pipe may wait for this answer before it writes the next path.
          console.output.flush()
          return console.output.isOpen
        }
      } catch {
        run.report(error, "-")
      }
    }
    progress.finish()
    return run.worst
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

  /// A run over all places.
  private struct Run {
    let console: Console
    let json: Bool
    let writesErrors: Bool
    let followsNested: Bool
    let progress: ProgressLine
    private(set) var worst = ExitCode.fine
    /// The number of buffered bytes.
    private var pending = 0

    init(console: Console, json: Bool, writesErrors: Bool, followsNested: Bool, progress: ProgressLine) {
      self.console = console
      self.json = json
      self.writesErrors = writesErrors
      self.followsNested = followsNested
      self.progress = progress
    }

    /// The largest atomic write to a pipe (PIPE_BUF).
    private static let wholePiece = 4096

    mutating func scan(_ place: String) {
      var walk = FolderWalk(place)
      while console.output.isOpen, let item = walk.step() {
        progress.advance()
        switch item {
        case .failure(let path, let failure): fail(failure, path)
        case .file(let path, let byteCount): look(at: path, byteCount: byteCount)
        }
      }
    }

    mutating func fail(_ failure: Failure, _ path: String) {
      guard writesErrors else { return report(failure, path) }
      write(path) { $0.error(failure) }
    }

    mutating func report(_ failure: Failure, _ path: String) {
      console.report(failure, file: path, json: json)
      worst = max(worst, failure.exit)
    }

    private mutating func look(at path: String, byteCount: Int) {
      do throws(Failure) {
        guard try ArchiveFinder.isCandidate(path, byteCount: byteCount, followingNested: followsNested) else { return }
        // Here, '-' is the name of a file, not standard input.
        let data = try InputFile.read(path == "-" ? "./-" : path, on: console)
        try ArchiveFinder.find(in: data, followingNested: followsNested) { (found) throws(Failure) in
          write(found, path)
        }
      } catch {
        fail(error, path)
      }
    }

    private mutating func write(_ found: ArchiveFinder.Found, _ path: String) {
      write(path) { line in
        if let inside = found.inside { line.field("inside", inside) }
        line.info(found.archive, byteCount: found.byteCount)
      }
    }

    private mutating func write(_ path: String, _ fields: (inout JSONWriter) -> Void) {
      var line = JSONWriter()
      line.beginObject()
      if let schema = console.tool.schema { line.field("schema", schema) }
      line.field("file", path)
      fields(&line)
      line.endObject()
      line.newline()
      if pending + line.bytes.count > Self.wholePiece {
        console.output.flush()
        pending = 0
      }
      console.output.write(line.bytes)
      pending += line.bytes.count
    }
  }
}
