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

/// `scan`: where there are archives.
struct ScanCommand: Command {
  static let help = CommandHelp(
    name: "scan", summary: "find archives in folders or among listed files; one JSON line each",
    operands: [
      .init(
        name: "PLACE", meaning: "a folder or file; '-' for a list of these on standard input, one a line",
        repeats: true, kind: .folder)
    ],
    options: [
      Option("null", short: "0", "the list's items end with a zero byte, as those of 'find -print0'"),
      Option("nested", short: "n", "find archives in the data of property lists, archives and others, too"),
      Option("json", short: "j", "errors are JSON too, one object a line, on standard error"), .quiet,
    ],
    notes: [
      "Each line is an object with the keys of 'info --json': file, format, archiver, version, topKeys, objects, classes, "
        + "cyclic, bytes; and for an archive in data inside, the way to the data in the file. Any '$archiver' will do.",
      "Folders are gone through in the order of their names' bytes. Links in them are not followed, and nothing but files "
        + "is opened. A file is looked at from its first bytes on, and no further than it takes to see that it is no "
        + "archive. What cannot be read, and archives that are damaged, are said on standard error; the run goes on, and "
        + "the highest exit code wins. That there are no archives is no error.",
      "Lines go out whole, so that several processes can write to one pipe as long as a line has less than 4096 bytes. "
        + "Many processors: find DIR -type f -print0 | xargs -0 -n 500 -P 8 keyedarchive scan -- ; or, lines of any length: "
        + "find DIR -type f | parallel --pipe keyedarchive scan - ; or with Spark, whose workers see the files: "
        + "sc.textFile(\"paths.txt\").pipe(\"keyedarchive scan -\").",
    ],
    examples: [
      .init(arguments: "scan Fixtures/apple", meaning: "the archives below a folder"),
      .init(arguments: "scan --nested Fixtures/made/creatures.xml", meaning: "one file, and what is in its data"),
    ],
    exitCodes: [.fine, .unreadable, .notAnArchive, .limitReached])

  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(on console: Console) -> ExitCode {
    let progress = ProgressLine(of: "file", isQuiet: arguments.has(.quiet), on: console)
    var run = Run(
      console: console, json: arguments.has("json"), followsNested: arguments.has("nested"), progress: progress)
    for place in arguments.operands {
      guard console.output.isOpen else { break }
      guard place == "-" else {
        run.scan(place)
        continue
      }
      do {
        try console.input.forEachItem(endedBy: arguments.has("null") ? 0 : UInt8(ascii: "\n")) { path in
          run.scan(path)
          // A reader at the other end of a pipe may wait for the answer before it asks again.
          console.output.flush()
          return console.output.isOpen
        }
      } catch {
        run.fail(error, "-")
      }
    }
    progress.finish()
    return run.worst
  }

  /// What is done with each place.
  private struct Run {
    let console: Console
    let json: Bool
    let followsNested: Bool
    let progress: ProgressLine
    private(set) var worst = ExitCode.fine
    /// How much was written since lines were handed on.
    private var pending = 0

    init(console: Console, json: Bool, followsNested: Bool, progress: ProgressLine) {
      self.console = console
      self.json = json
      self.followsNested = followsNested
      self.progress = progress
    }

    /// Pipes take so many bytes in one piece (PIPE_BUF).
    private static let wholePiece = 4096

    mutating func scan(_ place: String) {
      var walk = FolderWalk(place)
      while console.output.isOpen, let item = walk.step() {
        progress.advance()
        switch item {
        case .failure(let path, let failure): fail(failure, path)
        case .file(let path, let byteCount):
          look(at: path, byteCount: byteCount)
        }
      }
    }

    mutating func fail(_ failure: Failure, _ path: String) {
      console.report(failure, file: path, json: json)
      worst = max(worst, failure.exit)
    }

    private mutating func look(at path: String, byteCount: Int) {
      do throws(Failure) {
        guard try ArchiveFinder.isCandidate(path, byteCount: byteCount, followingNested: followsNested) else { return }
        // A file of the name that stands for standard input elsewhere.
        let data = try InputFile.read(path == "-" ? "./-" : path, on: console)
        try ArchiveFinder.find(in: data, followingNested: followsNested) { (found) throws(Failure) in
          write(found, path)
        }
      } catch {
        fail(error, path)
      }
    }

    private mutating func write(_ found: ArchiveFinder.Found, _ path: String) {
      var line = JSONWriter()
      line.beginObject()
      if let schema = console.tool.schema { line.field("schema", schema) }
      line.field("file", path)
      if let inside = found.inside { line.field("inside", inside) }
      line.info(found.archive, byteCount: found.byteCount)
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
