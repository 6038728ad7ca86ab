// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import DocumentLibraries
import PropertyListFormat
import ScaryCreatures

/// A creature as the tool displays it.
struct CreatureRecord {
  let number: DocumentNumber
  let title: String
  let rating: Float
  let hasThumb: Bool
  let hasFull: Bool
  let layout: String
  let isSecure: Bool
  let modified: Date?
  let warnings: [DocumentWarning]
  let path: String

  /// Reads a creature's data, but not its images.
  init?(_ doc: ScaryCreatureDoc) throws {
    var record: Self?
    try doc.library.readCreatureSummaries(of: [doc]) { doc, summary in
      record = try Self(doc, summary.get())
    }
    guard let record else { return nil }
    self = record
  }

  init?(_ doc: ScaryCreatureDoc, _ summary: DocumentSummary<ScaryCreatureData>) {
    guard let number = doc.number else { return nil }
    self.number = number
    title = summary.stored.model.title
    rating = summary.stored.model.rating
    hasThumb = summary.hasImage(.thumb)
    hasFull = summary.hasImage(.full)
    layout = summary.stored.layout
    isSecure = summary.stored.isCurrent
    modified = summary.modified.date
    warnings = summary.stored.warnings
    path = doc.docPath?.path ?? ""
  }

  /// The modification date of the data, to the second.
  var modifiedText: String {
    modified.map { DateText.iso8601($0.timeIntervalSinceReferenceDate.rounded(.down)) } ?? ""
  }

  /// The images that the creature has.
  var pictures: String {
    switch (hasThumb, hasFull) {
    case (true, true): "both"
    case (true, false): "thumb"
    case (false, true): "full"
    case (false, false): "none"
    }
  }

  /// The rating as five faces.
  var faces: String {
    guard ScaryCreatureData.ratings.contains(rating) else { return "\(rating)?" }
    let whole = Int(rating)
    let half = rating > Float(whole) ? "◐" : ""
    let faces = String(repeating: "☻", count: whole) + half
    return faces + String(repeating: "·", count: 5 - faces.count)
  }

  func write(to json: inout JSONWriter) {
    json.field("number", number.rawValue)
    json.field("title", title)
    if rating.isFinite {
      json.field("rating", rating)
    } else {
      json.key("rating")
      json.raw("null")
    }
    json.field("thumbImage", hasThumb)
    json.field("fullImage", hasFull)
    json.field("layout", layout)
    json.field("secure", isSecure)
    json.field("modified", modifiedText)
    json.field("warnings", warnings.map(\.code))
    json.field("path", path)
  }
}

/// Creatures as lines of a table.
enum CreatureTable {
  /// The header line of comma-separated values.
  static let heading = "number,title,rating,thumbImage,fullImage,modified\r\n"

  /// A line of comma-separated values (RFC 4180).
  static func csv(_ record: CreatureRecord) -> String {
    let cells = [
      "\(record.number)", record.title, record.rating.isFinite ? "\(record.rating)" : "", "\(record.hasThumb)",
      "\(record.hasFull)", record.modifiedText,
    ]
    return cells.map(quoted).joined(separator: ",") + "\r\n"
  }

  /// A spreadsheet interprets a cell with one of these at the start as a formula. A space before it makes it text.
  private static let formulaSigns: Set<UInt8> = Set("=+-@\t\r".utf8)

  private static func quoted(_ cell: String) -> String {
    let cell = cell.utf8.first.map { formulaSigns.contains($0) } == true ? " " + cell : cell
    guard cell.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return cell }
    return "\"" + cell.replacing("\"", with: "\"\"") + "\""
  }

  static func json(_ record: CreatureRecord, schema: Int?) -> String {
    var json = JSONWriter()
    json.beginObject()
    if let schema { json.field("schema", schema) }
    record.write(to: &json)
    json.endObject()
    json.newline()
    return String(decoding: json.bytes, as: UTF8.self)
  }
}

/// The output of a command that added or changed a creature.
enum Reply {
  /// Says what a command would do without `--dry-run`. As JSON it is an object on standard output with the name of the command
  /// and what `fields` writes.
  static func plan(
    _ command: CommandHelp, _ text: String, json: Bool, on console: Console, _ fields: (inout JSONWriter) -> Void
  ) {
    guard json else { return console.say("would \(text)") }
    console.writeJSON { line in
      line.field("planned", command.name)
      fields(&line)
    }
  }

  /// Writes the number and the folder, or all properties as JSON, followed by those that `more` writes. If the data cannot be
  /// read, the properties are the number and the folder.
  static func write(
    _ doc: ScaryCreatureDoc, json: Bool, on console: Console, more: (inout JSONWriter) -> Void = { _ in }
  ) {
    guard json else {
      let number = doc.number.map { "\($0)" } ?? ""
      console.output.write(number + "\t" + EscapedText.plain(doc.docPath?.path ?? "") + "\n")
      return
    }
    // The change is done, so the command must not fail because the data cannot be read.
    let record = try? CreatureRecord(doc)
    console.writeJSON { line in
      if let record {
        record.write(to: &line)
      } else {
        if let number = doc.number { line.field("number", number.rawValue) }
        line.field("path", doc.docPath?.path ?? "")
      }
      more(&line)
    }
  }
}
