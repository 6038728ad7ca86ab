// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import PropertyListFormat

/// Creatures as lines of a table.
enum CreatureTable {
  /// What stands above a table of comma-separated values.
  static let heading = "number,title,rating,thumbImage,fullImage,modified\r\n"

  /// A line of comma-separated values (RFC 4180).
  static func csv(_ record: CreatureRecord) -> String {
    let cells = [
      "\(record.number)", record.title, record.rating.isFinite ? "\(record.rating)" : "", "\(record.hasThumb)",
      "\(record.hasFull)", record.modifiedText,
    ]
    return cells.map(quoted).joined(separator: ",") + "\r\n"
  }

  /// A spreadsheet takes a cell that begins with one of these for a formula; a blank in front makes it text.
  private static let formulaSigns: Set<UInt8> = Set("=+-@\t\r".utf8)

  private static func quoted(_ cell: String) -> String {
    let cell = cell.utf8.first.map { formulaSigns.contains($0) } == true ? " " + cell : cell
    guard cell.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return cell }
    return "\"" + cell.replacing("\"", with: "\"\"") + "\""
  }

  /// A line of JSON.
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
