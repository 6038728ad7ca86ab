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
@_spi(Archiving) import PropertyListFormat

/// `roundtrip`: checks whether a file can be reproduced from its objects.
struct RoundtripCommand: Command {
  static let help = CommandHelp(
    name: "roundtrip", summary: "rewrite each file from its objects and compare the bytes",
    operands: [.files], options: [.json, .inside, .anyArchiver],
    notes: [
      "Files of Apple's programs are reproduced byte for byte. With --json, each line is an object with the keys file and "
        + "preserved. If it is not preserved, differsAt has the first byte that differs and, where known, line, part (header, "
        + "object, offset table, trailer), row (the index in the property list's object table), kind and object (the UID).",
      "The key rebuilt says whether decoding the file to values and archiving these gives the same bytes: Swift values for "
        + "known classes, nodes with keys for other classes and collections. If not, notRebuilt has the reason, a word, "
        + "and the detail, a sentence; rebuiltFromNodes says whether nodes for every class give the same bytes.",
    ],
    examples: [.init(arguments: "roundtrip Fixtures/apple/NSURL.plist", meaning: "check that every byte is preserved")],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .limitReached])

  private let arguments: Arguments
  private let input: Input

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    input = try Input(arguments)
  }

  func run(on console: Console) -> ExitCode {
    let json = arguments.has("json")
    return FileRun(console: console, json: json)(arguments.operands) { (file) throws(Failure) in
      let data = try input.data(file, on: console)
      let list = try input.archive(data).propertyList
      let written = try Failure.convertingListError(try list.rewritten())
      let difference = ByteDifference(data, written, in: list)
      if json {
        let rebuilding = Rebuilding(of: data, archivers: input.archivers)
        console.writeJSON { write(file, difference, rebuilding, to: &$0) }
      } else {
        let result = difference.map { "not preserved: \($0.text)" } ?? "preserved"
        console.output.write(EscapedText.plain("\(input.name(file)): \(result)") + "\n")
      }
      if list.format == .xml {
        let problems = try Failure.convertingArchiveError(try XMLProblems(of: written, from: list))
        console.warn(about: problems, in: input.name(file), json: json)
      }
      return difference == nil ? .fine : .negative
    }
  }

  private func write(
    _ file: String, _ difference: ByteDifference?, _ rebuilding: Rebuilding, to json: inout JSONWriter
  ) {
    json.source(file, input)
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
    if let row = difference.row { json.field("row", row.rawValue) }
    if let kind = difference.kind { json.field("kind", kind) }
    if let object = difference.object { json.field("object", object) }
    json.endObject()
  }
}

/// The first difference between a file and its rewritten bytes.
struct ByteDifference {
  enum Part: String {
    case header, object
    case offsetTable = "offset table"
    case trailer
  }

  let byte: Int
  /// The line, in an XML file.
  private(set) var line: Int?
  /// The part of a binary file.
  private(set) var part: Part?
  /// The object that contains the byte.
  private(set) var row: ObjectRef?
  /// The kind of that object.
  private(set) var kind: String?
  /// The UID of that object, if it has one.
  private(set) var object: Int?

  /// Returns nil if the bytes are equal.
  init?(_ old: Data, _ new: Data, in list: PropertyList) {
    guard old != new else { return nil }
    byte = old.equalByteCount(with: new)
    guard list.format == .binary else {
      line = old.prefix(byte).count { $0 == UInt8(ascii: "\n") } + 1
      return
    }
    switch byte {
    case ..<BinaryLayout.headerLength: part = .header
    case ..<list.table.objectsEnd: locateObject(old, list)
    case ..<(old.count - BinaryLayout.trailerLength): part = .offsetTable
    default: part = .trailer
    }
  }

  private mutating func locateObject(_ bytes: Data, _ list: PropertyList) {
    part = .object
    let span = bytes.span
    var best = -1
    for index in 0..<UInt32(list.objectCount) {
      let ref = ObjectRef(rawValue: index)
      guard let offset = try? list.table.offset(of: ref, in: span), offset <= byte, offset > best else { continue }
      best = offset
      row = ref
    }
    guard let row else { return }
    kind = (try? list.object(row))?.kindName
    guard case .dictionary(let keys, let values)? = try? list.object(list.top) else { return }
    for (key, value) in zip(keys, values) {
      // Compare without decoding: a long key may occur a million times.
      guard let item = try? list.table.item(key, in: span), list.table.isString(item, "$objects", in: span),
        case .array(let refs)? = try? list.object(value)
      else { continue }
      object = refs.firstIndex(of: row)
      return
    }
  }

  /// The location in words.
  var text: String {
    var text = "the rewritten bytes differ at byte \(byte)"
    if let line { text += ", line \(line)" }
    if let part, part != .object { text += ", in the \(part.rawValue)" }
    if let row, let kind { text += ", in object index \(row.rawValue), of kind \(kind)" }
    if let object { text += ", which has UID #\(object)" }
    return text
  }
}

/// The result of decoding a file to values and archiving these.
struct Rebuilding {
  /// Why the bytes differ; nil if they are equal.
  private(set) var failure: (reason: String, detail: String)?
  /// Whether nodes for all classes give equal bytes; computed only if values do not.
  private(set) var isSameFromNodes = true

  init(of data: Data, archivers: AcceptedArchivers) {
    do {
      let difference = try RebuiltArchive(of: data, archivers: archivers).difference
      failure = difference.map { ($0.name, $0.description) }
    } catch let error as KeyedArchiveError {
      failure = (error.code.name, error.description)
    } catch {
      failure = ("failed", "\(error)")
    }
    guard failure != nil else { return }
    let fromNodes = try? RebuiltArchive(of: data, makingValues: [], archivers: archivers)
    isSameFromNodes = fromNodes.map { $0.difference == nil } ?? false
  }
}
