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

/// `get`: prints one value.
struct GetCommand: Command {
  static let help = CommandHelp(
    name: "get", summary: "print one value",
    operands: [
      .file,
      .init(name: "KEYPATH", meaning: "a top-level key or '#' and a UID, then '.key', '[\"key\"]' or '[3]'"),
    ],
    options: [
      .init("json", "print plain JSON, as 'convert --to json --plain' does; errors on stderr are JSON too"),
      .init("raw", short: "r", "print only the bytes of data or of a string"),
      .init("force", short: "f", "with --raw: write data and control characters to a terminal"),
      .color, .inside, .anyArchiver,
    ] + Option.ofRecords(),
    notes: [
      "Key paths have the form that 'tree' and messages show: root.creatures[3].Title, root[\"a key\"], #12. A key may "
        + "contain dots (root.NS.relative). For a dictionary, give a string key; for an array, set or dictionary, also "
        + "the key it is stored under (root.NS.keys[0]).",
      "A string is printed without quotes. Control characters other than line feed and tab are escaped, except with --raw. "
        + "Objects and containers are printed as 'tree' does.",
      "If the value does not exist, the exit code is 1, and the message names the part of the path that failed and the "
        + "existing keys.",
      "With --records, a line has the key value, with the value as --json prints it. " + CommandHelp.recordsNote,
    ],
    examples: [
      .init(arguments: "get Fixtures/apple/NSURL.plist root", meaning: "print the URL"),
      .init(arguments: "get Fixtures/apple/NSURL.plist root.NS.relative", meaning: "print the value of a key"),
      .init(arguments: "get --json Fixtures/apple/NSURL.plist '#2'", meaning: "print an object by its UID, as JSON"),
    ],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .limitReached])

  private let arguments: Arguments
  private let path: GraphPath
  private let input: Input

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    input = try Input(arguments)
    try RecordRun.check(arguments)
    path = try GraphPath(argument: arguments.operands[arguments.has(.records) ? 0 : 1])
    try arguments.exclude("raw", with: ["records", "json"])
  }

  func run(on console: Console) -> ExitCode {
    if arguments.has(.records) {
      let (input, path) = (input, path)
      return RecordRun(arguments, input, on: console)() { (data, line) throws(Failure) in
        let archive = try input.archive(data)
        var reader = GraphReader(archive)
        let value = try path.resolve(in: &reader)
        var json = PlainJSON(archive, continuing: line)
        line = try json.write("value", value)
      }
    }
    return FileRun(console: console, json: arguments.has("json"))([arguments.operands[0]]) { (file) throws(Failure) in
      let archive = try input.archive(file, on: console)
      var reader = GraphReader(archive)
      let value = try path.resolve(in: &reader)
      if arguments.has("json") {
        var json = PlainJSON(archive)
        console.output.write([UInt8](try json.write(value)))
      } else if arguments.has("raw") {
        try writeRaw(value, &reader, on: console)
      } else {
        try write(value, &reader, on: console)
      }
      return .fine
    }
  }

  private func write(_ value: KeyedArchive.StoredValue, _ reader: inout GraphReader, on console: Console)
    throws(Failure)
  {
    let style = TextStyle(Style(arguments.value("color"), on: console))
    let text = ValueText(style)
    let shape = reader.shape(of: value)
    switch shape {
    case .scalar(.string(let text), _), .url(let text, _):
      console.output.write(EscapedText.plain(text, keeping: ["\n", "\t"]) + "\n")
    case .scalar(let value, _): console.output.write(text.text(value) + "\n")
    case .uuid(let uuid, _): console.output.write(uuid.uuidString + "\n")
    case .null, .nullObject: console.output.write("null\n")
    case .damaged(let error): throw Failure(reading: error)
    case .object, .array, .dictionary, .classRecord:
      var tree = ArchiveTree(reader, style: style, on: console)
      tree.write(value)
      try tree.checkDamage(in: reader.archive)
    }
  }

  private func writeRaw(
    _ value: KeyedArchive.StoredValue, _ reader: inout GraphReader, on console: Console
  ) throws(Failure) {
    switch reader.shape(of: value) {
    case .scalar(.data(let bytes), _):
      try OutputFile.write(bytes, to: nil, isBinary: true, force: arguments.has("force"), on: console)
    case .scalar(.string(let text), _), .url(let text, _):
      try OutputFile.write(Data(text.utf8), to: nil, isBinary: false, force: arguments.has("force"), on: console)
    case .damaged(let error): throw Failure(reading: error)
    default:
      throw Failure(
        .negative, "typeMismatch", "no raw bytes at '\(path)': expected data or a string",
        remedy: "Remove --raw, or use --json")
    }
  }
}
