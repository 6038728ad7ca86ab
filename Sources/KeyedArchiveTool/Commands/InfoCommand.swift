// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// `info`: summarizes each file in a line.
struct InfoCommand: Command {
  static let help = CommandHelp(
    name: "info", summary: "print a one-line summary of each archive; fail on damaged files",
    operands: [.files], options: Option.ofRecords() + [.json, .inside, .anyArchiver],
    notes: [
      "With --json, each line is an object with the keys file, format (binary or xml), archiver (the value of "
        + "'$archiver'), version, topKeys, objects (the size of '$objects'), classes (the sorted names of all class "
        + "records), cyclic (whether an object refers to itself, directly or through others) and bytes.",
      "An archive in which 'validate' finds an error fails with exit code 4.", CommandHelp.recordsNote,
    ],
    examples: [
      .init(arguments: "info Fixtures/apple/NSURL.plist", meaning: "summarize an archive"),
      .init(arguments: "info --json Fixtures/apple/NSURL.plist", meaning: "print JSON for programs"),
    ],
    exitCodes: [.fine, .unreadable, .notAnArchive, .limitReached])

  private let arguments: Arguments
  private let input: Input

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    input = try Input(arguments)
    try RecordRun.check(arguments)
  }

  func run(on console: Console) -> ExitCode {
    if arguments.has(.records) { return runOnRecords(on: console) }
    let json = arguments.has("json")
    return FileRun(console: console, json: json)(arguments.operands) { (file) throws(Failure) in
      let data = try input.data(file, on: console)
      let archive = try input.archive(data)
      try Failure.convertingArchiveError(try archive.validate())
      if json {
        console.writeJSON { json in
          json.source(file, input)
          json.info(archive, byteCount: data.count)
        }
      } else {
        console.output.write(text(input.name(file), archive, byteCount: data.count))
      }
      return .fine
    }
  }

  private func runOnRecords(on console: Console) -> ExitCode {
    let input = input
    return RecordRun(arguments, input, on: console)() { (data, line) throws(Failure) in
      let archive = try input.archive(data)
      try Failure.convertingArchiveError(try archive.validate())
      line.info(archive, byteCount: data.count)
    }
  }

  private func text(_ file: String, _ archive: KeyedArchive, byteCount: Int) -> String {
    let keys = archive.topKeys
    let shownKeys = keys.prefix(5).joined(separator: " ") + (keys.count > 5 ? " …" : "")
    let classCount = archive.classNames.count
    let parts = [
      archive.format.rawValue, archive.archiverName, "top \(shownKeys)",
      CountText.text(archive.objectCount, "object"), classCount == 1 ? "1 class" : "\(classCount) classes",
      archive.isCyclic ? "cyclic" : nil, CountText.text(byteCount, "byte"),
    ]
    return EscapedText.plain("\(file): \(parts.compactMap(\.self).joined(separator: ", "))") + "\n"
  }
}

extension JSONWriter {
  /// Writes the summary of an archive.
  mutating func info(_ archive: KeyedArchive, byteCount: Int) {
    field("format", archive.format.rawValue)
    field("archiver", archive.archiverName)
    // Every archive that can be opened has this version.
    field("version", 100_000)
    field("topKeys", archive.topKeys)
    field("objects", archive.objectCount)
    field("classes", archive.classNames)
    field("cyclic", archive.isCyclic)
    field("bytes", byteCount)
  }
}
