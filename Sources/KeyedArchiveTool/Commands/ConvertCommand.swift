// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveTools
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// `convert`: writes an archive in another format.
struct ConvertCommand: Command {
  static let help = CommandHelp(
    name: "convert", summary: "write an archive as binary, XML or JSON, or JSON as an archive",
    operands: [
      .init(name: "FILE", meaning: "a keyed archive, or JSON made by this command; '-' is standard input", kind: .file)
    ],
    options: [
      Option("to", short: "t", choices: ["binary", "xml", "json"], "the output format (required)"),
      Option("output", short: "o", value: "OUT", kind: .output, "the output file (default: '-', standard output)"),
      Option("plain", "with '--to json': print JSON that is easy to read but cannot be converted back"),
      Option("force", short: "f", "write binary data and control characters to a terminal"),
      .inside, .anyArchiver,
    ],
    notes: [
      "Converting binary to binary, or XML to XML, copies the bytes. JSON is the file's object table and converts back "
        + "to the same bytes. A note says so if it would not, which happens only for files of other writers than Apple's.",
      "XML has carriage returns as &#13;, because XML parsers read a plain one as a line feed. Control characters, U+FFFE and "
        + "U+FFFF have no form in XML. They are written as Apple's programs write them, and a warning on standard error names "
        + "the characters and their places. 'roundtrip' and 'migrate' also warn if they write XML.",
      "Other values that XML would change are an error of 'convert' and 'migrate': fractions of seconds of dates, the payload of a NaN, "
        + "and a dictionary of the form that UIDs have in XML. 4-byte reals become 8-byte reals of equal value.",
      "The JSON is an object with the keys keyedarchive (1), format, documentType (old XML files only), plainReturns (XML "
        + "files with carriage returns that are not written as &#13; only), top (an object index) and objects (the object "
        + "table, one object per line, indexed from 0). An entry is a string, true, false, null or an integer, or an object "
        + "with one key, its kind: uid, integer (as text, beyond 2^53), integer16 (stored in 16 bytes; as text), float and "
        + "double (a number, or 'bits:' and hexadecimal digits), date (seconds since 2001), data (Base64), array, set "
        + "(object indexes), dictionary (pairs of object indexes, key and value).",
      "--plain follows references. An object is written at its first occurrence; later occurrences, also in cycles, are "
        + "{\"$seen\": 12}. An object has its class as '$class' and its UID as '$uid'. Data is {\"$data\": Base64}, "
        + "with the format and size of a PNG, JPEG or GIF picture as '$meaning'. A dictionary with keys other than strings is "
        + "{\"$pairs\": [[key, value]]}. A key of the archive that is one of these has one more '$' before it; of equal keys, only "
        + "the first is written.",
      "OUT is replaced atomically.",
    ],
    examples: [
      .init(arguments: "convert Fixtures/apple/NSURL.plist --to json", meaning: "print the whole file as JSON"),
      .init(
        arguments: "convert Fixtures/apple/NSURL.plist --to json --plain",
        meaning: "print the values in a readable form"),
    ],
    exitCodes: [.fine, .unreadable, .notAnArchive, .limitReached])

  private enum Target: String {
    case binary, xml, json
  }

  private let arguments: Arguments
  private let target: Target
  private let isPlain: Bool
  private let input: Input

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    input = try Input(arguments)
    guard let target = arguments.value("to").flatMap(Target.init) else {
      throw UsageError("missing option '--to'", remedy: "Add --to binary, --to xml or --to json")
    }
    self.target = target
    isPlain = arguments.has("plain")
    guard !isPlain || target == .json else {
      throw UsageError("'--plain' requires '--to json'", remedy: "Remove one of the two")
    }
  }

  func run(on console: Console) -> ExitCode {
    FileRun(console: console, json: false)(arguments.operands) { (file) throws(Failure) in
      let result = try converted(file, on: console)
      try OutputFile.write(
        result, to: arguments.value("output") ?? "-", isBinary: target == .binary, force: arguments.has("force"),
        on: console)
      return .fine
    }
  }

  private func converted(_ file: String, on console: Console) throws(Failure) -> Data {
    let data = try input.data(file, on: console)
    let json = TableJSON.recognizes(data) ? try TableJSON.read(data) : nil
    let archive = if let json { try input.archive(json.list) } else { try input.archive(data) }
    let list = archive.propertyList
    switch target {
    case .binary: return try Failure.convertingArchiveError(try archive.data(format: .binary))
    case .xml:
      let xml = try Failure.convertingArchiveError(try archive.data(format: .xml))
      let problems = try Failure.convertingArchiveError(try XMLProblems(of: xml, from: list))
      console.warn(about: problems, in: input.name(file))
      return xml
    case .json where isPlain:
      var json = PlainJSON(archive)
      return try json.write(top: try Failure.convertingArchiveError(try archive.top))
    case .json:
      // Before the JSON is in memory. The JSON has the objects in their order, so it converts back to these bytes.
      let isReversible = (try? list.rewritten() == list.data()) ?? false
      let text = try TableJSON.write(list, format: json?.format, within: OutputLimit(archiveOf: data.count))
      if !isReversible {
        console.say(
          "\(input.name(file)): note: the JSON has every value, but converts back to different bytes, because the file's "
            + "layout is not Apple's; 'roundtrip' shows where")
      }
      return text
    }
  }
}
