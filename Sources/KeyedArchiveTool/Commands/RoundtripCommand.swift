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

/// `roundtrip`: whether a file, written anew from its objects, comes out the same.
struct RoundtripCommand: Command {
  static let help = CommandHelp(
    name: "roundtrip", summary: "write each file anew from its objects and compare the bytes",
    operands: [.files], options: [.json, .anyArchiver],
    notes: [
      "A file that Apple's programs wrote comes out byte for byte. With --json each line is an object with the keys file "
        + "and preserved, and if it is not preserved, differsAt: the first byte that differs and, where known, line, "
        + "part (header, object, offset table, trailer), row (in the property list's object table), kind and object (the "
        + "number in '$objects').",
      "The key rebuilt says whether the file comes out the same when it is decoded to values and these are archived anew: "
        + "values of Swift for the classes that are known, nodes with keys for the others and for collections. If not, "
        + "notRebuilt has the reason, a word, and the detail, a sentence; and rebuiltFromNodes says whether it comes out "
        + "the same with nodes for every class.",
    ],
    examples: [.init(arguments: "roundtrip Fixtures/apple/NSURL.plist", meaning: "is every byte kept?")],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .limitReached])

  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(on console: Console) -> ExitCode {
    let json = arguments.has("json")
    return FileRun(console: console, json: json)(arguments.operands) { (file) throws(Failure) in
      let data = try InputFile.read(file, on: console)
      let list = try Input.archive(data, arguments).propertyList
      let written: Data
      do throws(PropertyListError) {
        written = try list.rewritten()
      } catch {
        throw Failure(error)
      }
      let difference = ByteDifference(data, written, in: list)
      if json {
        let rebuilding = Rebuilding(of: data, archivers: Input.archivers(arguments))
        console.writeJSON { write(file, difference, rebuilding, to: &$0) }
      } else {
        let result = difference.map { "not preserved: \($0.text)" } ?? "preserved"
        console.output.write(EscapedText.plain("\(file): \(result)") + "\n")
      }
      return difference == nil ? .fine : .negative
    }
  }

  private func write(
    _ file: String, _ difference: ByteDifference?, _ rebuilding: Rebuilding, to json: inout JSONWriter
  ) {
    json.field("file", file)
    json.field("preserved", difference == nil)
    if let difference { write(difference, to: &json) }
    json.field("rebuilt", rebuilding.failure == nil)
    guard let failure = rebuilding.failure else { return }
    json.key("notRebuilt")
    json.beginObject()
    json.field("reason", failure.reason)
    json.field("detail", failure.detail)
    json.endObject()
    json.field("rebuiltFromNodes", rebuilding.isSameFromNodes)
  }

  private func write(_ difference: ByteDifference, to json: inout JSONWriter) {
    json.key("differsAt")
    json.beginObject()
    json.field("byte", difference.byte)
    if let line = difference.line { json.field("line", line) }
    if let part = difference.part { json.field("part", part.rawValue) }
    if let row = difference.row { json.field("row", Int(row.rawValue)) }
    if let kind = difference.kind { json.field("kind", kind) }
    if let object = difference.object { json.field("object", object) }
    json.endObject()
  }
}
