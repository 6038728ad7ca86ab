// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// `convert`: the same archive in another format.
struct ConvertCommand: Command {
  static let help = CommandHelp(
    name: "convert", summary: "write an archive as binary, XML or JSON, and JSON back again",
    operands: [
      .init(
        name: "FILE", meaning: "a keyed archive, binary, XML or JSON made by this command; '-' is standard input",
        kind: .file)
    ],
    options: [
      Option("to", short: "t", choices: ["binary", "xml", "json"], "the format to write; always needed"),
      Option(
        "output", short: "o", value: "OUT", kind: .file,
        "the file to write, '-' (if nothing is said) is standard output"),
      Option("plain", "with '--to json': JSON for reading, which cannot be converted back"),
      Option("force", short: "f", "write to a terminal what it might obey: binary, and XML with control characters"),
      .anyArchiver,
    ],
    notes: [
      "A binary file converted to binary, and an XML file to XML, is copied byte for byte. JSON is the file's table of "
        + "objects and converts back to the same bytes; where it would not, for files that no program of Apple wrote, "
        + "a note says so.",
      "The JSON is an object with the keys keyedarchive (1), format, documentType (only of old XML files), top (a row) and objects (the rows, one a line, "
        + "numbered from 0). A row is a string, true, false, null or an integer, or an object with one key, its kind: "
        + "uid, integer (as text, beyond 2^53), integer16 (stored in 16 bytes; as text), float and double (a number, or "
        + "'bits:' and hexadecimal digits), date (seconds since 2001), data (Base64), array, set (rows), dictionary "
        + "(pairs of rows, key and value).",
      "With --plain references are followed. An object is written where it is met first; where it is met again stands "
        + "{\"$seen\": 12}, also for cycles. Objects have their class as '$class' and their number as '$uid', data "
        + "is {\"$data\": Base64}, and dictionaries with keys that are no strings are {\"$pairs\": [[key, value]]}.",
      "OUT is replaced in one step: it is there in its old form or in its new one.",
    ],
    examples: [
      .init(arguments: "convert Fixtures/apple/NSURL.plist --to json", meaning: "everything, for programs and editors"),
      .init(arguments: "convert Fixtures/apple/NSURL.plist --to json --plain", meaning: "the values, for reading"),
    ],
    exitCodes: [.fine, .unreadable, .notAnArchive, .limitReached, .notWritten])

  private enum Target: String {
    case binary, xml, json
  }

  private let arguments: Arguments
  private let target: Target
  private let isPlain: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    guard let target = arguments.value("to").flatMap(Target.init) else {
      throw UsageError("'--to' is missing", remedy: "Say --to binary, --to xml or --to json")
    }
    self.target = target
    isPlain = arguments.has("plain")
    guard !isPlain || target == .json else { throw UsageError("'--plain' goes with '--to json' only") }
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
    let data = try InputFile.read(file, on: console)
    let list = TableJSON.recognizes(data) ? try TableJSON.read(data).list : try Input.list(data)
    let archive = try Input.archive(list, arguments)
    do {
      switch target {
      case .binary: return try archive.data(format: .binary)
      case .xml: return try archive.data(format: .xml)
      case .json where isPlain:
        var json = PlainJSON(archive)
        return Data(try json.write(top: try archive.top))
      case .json:
        let json = Data(try TableJSON.write(list, within: OutputLimit(archiveOf: data.count)))
        try checkWayBack(list, json, file, on: console)
        return json
      }
    } catch let error as KeyedArchiveError {
      throw Failure(error)
    } catch let error as Failure {
      throw error
    } catch {
      throw Failure(.notWritten, "notWritten", "\(error)")
    }
  }

  /// Says so if the JSON does not lead back to the same bytes.
  private func checkWayBack(_ list: PropertyList, _ json: Data, _ file: String, on console: Console) throws(Failure) {
    let back = try TableJSON.read(json).list
    do {
      guard try back.data(format: list.format) != list.data() else { return }
    } catch {
      throw Failure(error)
    }
    console.say(
      "\(file): note: the JSON holds every value, but converted back it gives other bytes than the file's, which is not "
        + "laid out as Apple's programs do; 'roundtrip' says where")
  }
}
