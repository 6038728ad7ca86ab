// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport

/// A ZIP file put together record by record, each number of which can be a lie. It shares nothing with the library's
/// writer.
struct HandmadeZip {
  /// One entry. What is nil is what a sound file would say.
  struct Entry {
    var name: [UInt8]
    /// The bytes as they stand in the file.
    var stored: [UInt8] = []
    /// How many bytes they give.
    var byteCount: UInt32?
    var crc: UInt32?
    var compressedByteCount: UInt32?
    var method: UInt16 = 0
    var flags: UInt16 = 0
    var madeBy: UInt16 = 3 << 8 | 20
    var attributes: UInt32 = 0o100644 << 16
    var disk: UInt16 = 0
    var offset: UInt32?
    var extra: [UInt8] = []
    /// What the entry's own header says where it says something else.
    var localName: [UInt8]?
    var localMethod: UInt16?
    var localFlags: UInt16?
    var localSizes: (crc: UInt32, compressed: UInt32, full: UInt32)?
    var localExtra: [UInt8] = []
    /// What stands behind the bytes.
    var descriptor: [UInt8] = []
    /// Whether the entry is only in the directory.
    var isOnlyListed = false
    var date: UInt16 = 0x21
    var time: UInt16 = 0

    init(_ name: String, _ stored: [UInt8] = []) {
      self.name = Array(name.utf8)
      self.stored = stored
    }

    /// An entry that is inflated from these blocks.
    init(_ name: String, deflated blocks: [UInt8], content: [UInt8]) {
      self.init(name, blocks)
      method = 8
      byteCount = UInt32(content.count)
      crc = ReferenceZlib.crc(content)
    }
  }

  var entries: [Entry]
  var prefix: [UInt8] = []
  /// What stands between directory and end record.
  var gap: [UInt8] = []
  var comment: [UInt8] = []
  var entryCount: UInt16?
  var diskEntryCount: UInt16?
  var disk: UInt16 = 0
  var directoryByteCount: UInt32?
  var directoryOffset: UInt32?
  /// Makes the records of Zip64 from what would be true.
  var zip64: ((_ count: Int, _ byteCount: Int, _ offset: Int) -> [UInt8])?

  init(_ entries: Entry...) { self.entries = entries }

  var data: Data {
    var file = prefix
    var directory: [UInt8] = []
    for entry in entries {
      let offset = file.count
      let crc = entry.crc ?? ReferenceZlib.crc(entry.stored)
      let compressed = entry.compressedByteCount ?? UInt32(entry.stored.count)
      let full = entry.byteCount ?? UInt32(entry.stored.count)
      let local = entry.localSizes ?? (crc, compressed, full)
      let localName = entry.localName ?? entry.name
      if !entry.isOnlyListed {
        file += "PK\u{3}\u{4}".utf8
        file += Self.two(20, entry.localFlags ?? entry.flags, entry.localMethod ?? entry.method, entry.time, entry.date)
        file += Self.four(local.crc, local.compressed, local.full)
        file += Self.two(UInt16(localName.count), UInt16(entry.localExtra.count)) + localName + entry.localExtra
        file += entry.stored + entry.descriptor
      }
      directory += "PK\u{1}\u{2}".utf8
      directory += Self.two(entry.madeBy, 20, entry.flags, entry.method, entry.time, entry.date)
      directory += Self.four(crc, compressed, full)
      directory += Self.two(UInt16(entry.name.count), UInt16(entry.extra.count), 0, entry.disk, 0)
      directory += Self.four(entry.attributes, entry.offset ?? UInt32(offset)) + entry.name + entry.extra
    }
    let start = file.count
    file += directory + gap
    if let zip64 { file += zip64(entries.count, directory.count, start) }
    file += "PK\u{5}\u{6}".utf8
    let count = entryCount ?? UInt16(entries.count)
    file += Self.two(disk, disk, diskEntryCount ?? count, count)
    file += Self.four(directoryByteCount ?? UInt32(directory.count), directoryOffset ?? UInt32(start))
    file += Self.two(UInt16(comment.count)) + comment
    return Data(file)
  }

  /// The records of Zip64: the end record and its locator.
  static func zip64(
    count: Int, byteCount: Int, offset: Int, recordByteCount: Int = 44, at place: Int, parts: UInt32 = 1
  ) -> [UInt8] {
    Array("PK\u{6}\u{6}".utf8) + eight(UInt64(recordByteCount)) + two(45, 45) + four(0, 0)
      + eight(UInt64(count), UInt64(count), UInt64(byteCount), UInt64(offset))
      + "PK\u{6}\u{7}".utf8 + four(0) + eight(UInt64(place)) + four(parts)
  }

  static func two(_ values: UInt16...) -> [UInt8] { values.flatMap(bytes) }
  static func four(_ values: UInt32...) -> [UInt8] { values.flatMap(bytes) }
  static func eight(_ values: UInt64...) -> [UInt8] { values.flatMap(bytes) }

  /// Lowest byte first.
  private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
