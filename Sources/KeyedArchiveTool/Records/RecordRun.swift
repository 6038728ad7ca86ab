// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import Dispatch
import PropertyListFormat
import SystemFiles

extension Option {
  static let records = Option("records", short: "R", "read archives from standard input, a line of text for each")

  static let hex = Option("hex", "with --records: the lines have hexadecimal digits, not Base64")

  static let jobs = Option("jobs", short: "j", value: "N", "with --records: use N threads (default: 1)")

  /// Returns the options of a command that reads records in place of the files that an operand names; see ``RecordRun``.
  static func ofRecords(inPlaceOf operand: String = "FILE") -> [Option] {
    var records = records
    records.replacedOperand = operand
    return [records, hex, jobs]
  }
}

extension CommandHelp {
  /// The explanation of ``Option/records``.
  static let recordsNote =
    "With --records, each line of standard input is a record: NAME, a tab, and the archive in Base64. The output is a line "
    + "of JSON for each record, in order, with record (NAME) in place of file. If an archive cannot be read, the line has "
    + "error, an object with code, exit and message, and the run continues. The exit code is 0 unless the input or the "
    + "output breaks. A line has at most 256 MiB."
}

/// A run over a stream of archives: for each line of standard input, lines of JSON on standard output, in order.
///
/// Memory holds one batch of records. An archive that cannot be read gives a line with `error`, and the run continues. So
/// only a stream that cannot be read or written ends in another exit code than 0.
struct RecordRun {
  private let input: Input
  private let form: Record.Form
  private let jobs: Int
  private let schema: Int?
  private let console: Console

  /// The maximum number of records in a batch, and of bytes after which no record is added.
  private static let batchCount = 512
  private static let batchByteCount = 1 << 23
  private static let maximumJobs = 256

  /// Checks the options of a command that reads records.
  static func check(_ arguments: Arguments) throws(UsageError) {
    guard let jobs = try arguments.count("jobs") else {
      if arguments.has(.hex), !arguments.has(.records) { throw UsageError("'--hex' requires '--records'") }
      return
    }
    guard arguments.has(.records) else { throw UsageError("'--jobs' requires '--records'") }
    guard (1...maximumJobs).contains(jobs) else {
      throw UsageError("invalid value '\(jobs)' for '--jobs': expected 1 to \(maximumJobs)")
    }
  }

  /// Creates a run with checked arguments.
  init(_ arguments: Arguments, _ input: Input, on console: Console) {
    self.input = input
    form = arguments.has(.hex) ? .hexadecimal : .base64
    jobs = max((try? arguments.count("jobs")) ?? 1, 1)
    schema = console.tool.schema
    self.console = console
  }

  /// Writes a line for each record.
  /// - Parameter fields: Writes what the command says of the bytes of an archive.
  /// - Returns: The exit code of the stream.
  func callAsFunction(
    _ fields: @Sendable (_ archive: Data, _ line: inout JSONWriter) throws(Failure) -> Void
  ) -> ExitCode {
    let (input, schema) = (input, schema)
    return lines { record in
      do throws(Failure) {
        let data = try input.data(in: record.content.get())
        return try Self.line(record, schema, inside: input.insideText) { (line) throws(Failure) in
          try fields(data, &line)
        }
      } catch {
        return Self.line(error, of: record, schema)
      }
    }
  }

  /// Writes any number of lines for each record.
  /// - Parameter answer: Returns the lines of a record.
  /// - Returns: The exit code of the stream.
  func lines(_ answer: @Sendable (Record) -> [UInt8]) -> ExitCode {
    var batch: [Line] = []
    var byteCount = 0
    func finish() {
      write(batch, answer)
      batch.removeAll(keepingCapacity: true)
      byteCount = 0
    }
    do {
      try console.input.forEachItem(
        endedBy: UInt8(ascii: "\n"), limit: Record.maximumLineByteCount, skipsRest: true,
        idle: {
          finish()
          console.output.flush()
        }
      ) { bytes, isWhole in
        // Lines of other systems end in CR LF.
        guard !bytes.isEmpty, bytes != [UInt8(ascii: "\r")] else { return true }
        batch.append(Line(bytes: bytes, isWhole: isWhole))
        byteCount += bytes.count
        // With one thread, nothing is gained by waiting for more records.
        if jobs == 1 || batch.count >= Self.batchCount || byteCount >= Self.batchByteCount { finish() }
        return console.output.isOpen
      }
      finish()
      return .fine
    } catch {
      finish()
      console.report(error, file: "-", json: true)
      return error.exit
    }
  }

  private struct Line: Sendable {
    let bytes: [UInt8]
    let isWhole: Bool
  }

  /// The answers of the threads.
  private struct Work: Sendable {
    /// The first line that no thread has taken.
    var next = 0
    var answers: [[UInt8]]
  }

  /// Writes the lines of a batch.
  private func write(_ batch: [Line], _ answer: @Sendable (Record) -> [UInt8]) {
    let form = form
    @Sendable func answered(_ line: Line) -> [UInt8] {
      answer(Record(line.bytes, isWhole: line.isWhole, form: form))
    }
    guard jobs > 1, batch.count > 1 else {
      for line in batch where console.output.isOpen { console.output.write(answered(line)) }
      return
    }
    let work = Locked(Work(answers: [[UInt8]](repeating: [], count: batch.count)))
    // Each thread takes one record after the other, because their sizes differ.
    DispatchQueue.concurrentPerform(iterations: min(jobs, batch.count)) { _ in
      while true {
        let place = work.withLock { work in
          defer { work.next += 1 }
          return work.next
        }
        guard place < batch.count else { return }
        let lines = answered(batch[place])
        work.withLock { $0.answers[place] = lines }
      }
    }
    for lines in work.withLock({ $0.answers }) where console.output.isOpen { console.output.write(lines) }
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
  static func line(_ failure: Failure, of record: Record, _ schema: Int?) -> [UInt8] {
    line(record, schema) { $0.error(failure) }
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
