// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import KeyedArchives
import KeyedArchiving

/// Lines of records: a name, a tab, and the bytes of an archive as text.
///
/// Each line is read in both forms. What is read is written in the other form and read again, and a line of JSON about it has
/// the name.
enum RecordsDoor {
  static func enter(_ bytes: Data) throws {
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      for form in [Record.Form.base64, .hexadecimal] { try enter([UInt8](line), form) }
      try answer(Record([UInt8](line), isWhole: false, form: .base64))
    }
  }

  /// Sends bytes through as the only record of a stream, in both forms.
  static func enter(archive: Data) throws {
    try enter(Array("name\t\(archive.base64EncodedString())".utf8), .base64, expecting: archive)
    try enter(Array("name\t".utf8) + hexadecimal(archive), .hexadecimal, expecting: archive)
  }

  private static func enter(_ line: [UInt8], _ form: Record.Form, expecting archive: Data? = nil) throws {
    let record = Record(line, form: form)
    try answer(record)
    let bytes: Data
    switch record.content {
    case .success(let data): bytes = data
    case .failure(let failure):
      guard archive == nil else { throw Breach("a record that was written cannot be read: \(failure.line)") }
      return
    }
    guard archive == nil || archive == bytes else { throw Breach("a record is read as other bytes") }
    let other: (text: [UInt8], form: Record.Form) =
      switch form {
      case .base64: (hexadecimal(bytes), .hexadecimal)
      case .hexadecimal: (Array(bytes.base64EncodedString().utf8), .base64)
      }
    guard case .success(bytes) = Record(Array("a\tb\t".utf8) + other.text, form: other.form).content else {
      throw Breach("a record in the other form is read as other bytes")
    }
  }

  private static func hexadecimal(_ data: Data) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return data.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }

  /// Writes a line of JSON about a record, and reads it.
  private static func answer(_ record: Record) throws {
    var line = JSONWriter()
    line.beginObject()
    line.field("record", record.name)
    switch record.content {
    case .success(let data):
      do {
        let archive = try KeyedArchive(data, archivers: .any)
        line.field("archiver", archive.archiverName)
        line.field("topKeys", archive.topKeys)
        line.field("classes", archive.classNames)
      } catch {
        line.field("error", error.description)
      }
    case .failure(let failure): line.field("error", failure.line)
    }
    line.endObject()
    guard !line.bytes.contains(UInt8(ascii: "\n")) else { throw Breach("the answer has several lines") }
    guard case .object(let members) = try JSONReader.read(Data(line.bytes)).kind, members.count > 1,
      members[0].value.string.map({ Array($0.utf8) }) == Array(record.name.utf8)
    else { throw Breach("the answer does not have the record's name") }
  }
}
