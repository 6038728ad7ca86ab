// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import PropertyListFormat
import SystemFiles

extension Option {
  static let records = Option("records", short: "R", "read archives from standard input, a line of text for each")

  static let hex = Option("hex", "with --records: the lines have hexadecimal digits, not Base64")

  /// Returns the options of a command that reads records in place of the files that an operand names; see ``RecordRun``.
  static func ofRecords(
    inPlaceOf operand: String = "FILE", jobs: String = "with --records: use N threads (default: 1)"
  ) -> [Option] {
    var records = records
    records.replacedOperand = operand
    return [records, hex, .jobs(jobs)]
  }
}

extension CommandHelp {
  /// The explanation of ``Option/records``.
  static let recordsNote =
    "With --records, each line of standard input is a record: NAME, a tab, and the archive in Base64. Empty lines are "
    + "skipped. The output is a line of JSON for each record, in order, with record (NAME) in place of file. If an archive "
    + "cannot be read, the line has error, an object with code, exit and message, and the run continues. The exit code is 0 "
    + "unless the input or the output breaks. A line has at most 256 MiB."
}

/// A run over a stream of archives: for each line of standard input, lines of JSON on standard output, in order.
///
/// Memory holds a few records for each thread. An archive that cannot be read gives a line with `error`, and the run
/// continues. So only a stream that cannot be read or written ends in another exit code than 0.
struct RecordRun {
  private let input: Input
  private let form: Record.Form
  private let jobs: Int
  private let schema: Int?
  private let console: Console

  /// The number of bytes of unanswered records after which no record is read.
  private static let maximumByteCount = 1 << 23

  /// Checks the options of a command that reads records.
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - usesThreads: Whether the command also uses threads without records.
  /// - Throws: ``UsageError``.
  static func check(_ arguments: Arguments, usesThreads: Bool = false) throws(UsageError) {
    let jobs = try arguments.jobs()
    guard !arguments.has(.records) else { return }
    if arguments.has(.hex) { throw UsageError("'--hex' requires '--records'") }
    if jobs != nil, !usesThreads { throw UsageError("'--jobs' requires '--records'") }
  }

  /// Creates a run with checked arguments.
  init(_ arguments: Arguments, _ input: Input, on console: Console) {
    self.input = input
    form = arguments.has(.hex) ? .hexadecimal : .base64
    jobs = (try? arguments.jobs()) ?? 1
    schema = console.tool.schema
    self.console = console
  }

  /// Writes a line for each record.
  /// - Parameter fields: Writes what the command says of the bytes of an archive.
  /// - Returns: The exit code of the stream.
  func callAsFunction(
    _ fields: @escaping @Sendable (_ archive: Data, _ line: inout JSONWriter) throws(Failure) -> Void
  ) -> ExitCode {
    let (input, schema) = (input, schema)
    return lines { record in
      do throws(Failure) {
        let data = try input.data(in: record.content.get())
        return try Self.line(record, schema, inside: input.insideText) { (line) throws(Failure) in
          try fields(data, &line)
        }
      } catch {
        return Self.line(error, of: record, schema, inside: input.insideText)
      }
    }
  }

  /// Writes any number of lines for each record.
  /// - Parameter answer: Returns the lines of a record.
  /// - Returns: The exit code of the stream.
  func lines(_ answer: @escaping @Sendable (Record) -> [UInt8]) -> ExitCode {
    let form = form
    let work = OrderedWork(threadCount: jobs, maximumCost: Self.maximumByteCount) { (line: Line) in
      answer(Record(line.bytes, isWhole: line.isWhole, form: form))
    }
    func write(_ lines: [UInt8]) {
      if console.output.isOpen { console.output.write(lines) }
    }
    defer { work.finish(taking: write) }
    do {
      try console.input.forEachItem(
        endedBy: UInt8(ascii: "\n"), limit: Record.maximumLineByteCount, skipsRest: true,
        idle: { work.takeNextWhileIdle(on: console, taking: write) }
      ) { bytes, isWhole in
        // Lines of other systems end in CR LF.
        guard !bytes.isEmpty, bytes != [UInt8(ascii: "\r")] else { return true }
        work.add(Line(bytes: bytes, isWhole: isWhole), cost: bytes.count, taking: write)
        return console.output.isOpen
      }
      return .fine
    } catch {
      work.finish(taking: write)
      console.report(error, file: "-", json: true)
      return error.exit
    }
  }

  private struct Line: Sendable {
    let bytes: [UInt8]
    let isWhole: Bool
  }

  /// Returns a line about a record.
  static func line<Problem: Error>(
    _ record: Record, _ schema: Int?, inside: String? = nil, _ fields: (inout JSONWriter) throws(Problem) -> Void
  ) throws(Problem) -> [UInt8] {
    var line = JSONWriter()
    line.beginObject()
    if let schema { line.field("schema", schema) }
    line.field("record", record.name)
    if let inside { line.field("inside", inside) }
    try fields(&line)
    line.endObject()
    line.newline()
    return line.bytes
  }

  /// Returns a line about the error of a record.
  static func line(_ failure: Failure, of record: Record, _ schema: Int?, inside: String? = nil) -> [UInt8] {
    line(record, schema, inside: inside) { $0.error(failure) }
  }
}

extension JSONWriter {
  /// Writes an error as a part of a result.
  mutating func error(_ failure: Failure) {
    key("error")
    beginObject()
    field("code", failure.code)
    field("exit", Int(failure.exit.rawValue))
    field("message", EscapedText.plain(failure.line))
    endObject()
  }
}

extension OrderedWork {
  /// Takes the next result while the input has no more bytes.
  ///
  /// Output does not wait for a slow result. The other end of a pipe may wait for an answer before it writes more.
  /// - Parameters:
  ///   - console: The console of the input and the output.
  ///   - take: Receives the result.
  /// - Returns: Whether results are to come, so that the input is to be asked again.
  func takeNextWhileIdle(on console: Console, taking take: (Result) -> Void) -> Bool {
    let before = count
    guard takeNext(within: 1, taking: take) else {
      console.output.flush()
      return false
    }
    if count == before { console.output.flush() }
    return true
  }
}
