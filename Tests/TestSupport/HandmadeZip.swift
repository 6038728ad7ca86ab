// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Foundation

/// A ZIP file put together record by record, each number of which can be a lie. It shares nothing with the library's
/// writer.
public struct HandmadeZip {
  /// One entry. What is nil is what a sound file would say.
  public struct Entry {
    /// Its name.
    public var name: [UInt8]
    /// The bytes as they stand in the file.
    public var stored: [UInt8] = []
    /// How many bytes they give.
    public var byteCount: UInt32?
    /// Their checksum.
    public var crc: UInt32?
    /// How many bytes stand in the file.
    public var compressedByteCount: UInt32?
    /// How they are compressed.
    public var method: UInt16 = 0
    /// The general purpose flags.
    public var flags: UInt16 = 0
    /// The system, in the high byte, and version that wrote it.
    public var madeBy: UInt16 = 3 << 8 | 20
    /// The external attributes: a Unix mode in the high half.
    public var attributes: UInt32 = 0o100644 << 16
    /// The part it is in.
    public var disk: UInt16 = 0
    /// Where its header is.
    public var offset: UInt32?
    /// The extra fields in the directory.
    public var extra: [UInt8] = []
    /// What the entry's own header says where it says something else.
    public var localName: [UInt8]?
    /// The method that its own header says.
    public var localMethod: UInt16?
    /// The flags that its own header says.
    public var localFlags: UInt16?
    /// The checksum and sizes that its own header says.
    public var localSizes: (crc: UInt32, compressed: UInt32, full: UInt32)?
    /// The extra fields of its own header.
    public var localExtra: [UInt8] = []
    /// What stands behind the bytes.
    public var descriptor: [UInt8] = []
    /// Whether the entry is only in the directory.
    public var isOnlyListed = false
    /// The date in the form of MS-DOS.
    public var date: UInt16 = 0x21
    /// The time in the form of MS-DOS.
    public var time: UInt16 = 0

    /// An entry that is stored.
    public init(_ name: String, _ stored: [UInt8] = []) {
      self.name = Array(name.utf8)
      self.stored = stored
    }

    /// An entry that is inflated from these blocks.
    public init(_ name: String, deflated blocks: [UInt8], content: [UInt8]) {
      self.init(name, blocks)
      method = 8
      byteCount = UInt32(content.count)
      crc = ReferenceZlib.crc(content)
    }
  }

  /// The entries, in the order of the directory.
  public var entries: [Entry]
  /// What stands in front of them.
  public var prefix: [UInt8] = []
  /// What stands between directory and end record.
  public var gap: [UInt8] = []
  /// The file's comment.
  public var comment: [UInt8] = []
  /// How many entries the end record says there are.
  public var entryCount: UInt16?
  /// How many of them it says are in this part.
  public var diskEntryCount: UInt16?
  /// The part it says this is.
  public var disk: UInt16 = 0
  /// How large it says the directory is.
  public var directoryByteCount: UInt32?
  /// Where it says the directory begins.
  public var directoryOffset: UInt32?
  /// Makes the records of Zip64 from what would be true.
  public var zip64: ((_ count: Int, _ byteCount: Int, _ offset: Int) -> [UInt8])?

  /// A file of these entries, in which nothing lies.
  public init(_ entries: Entry...) { self.entries = entries }

  /// The bytes.
  public var data: Data {
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
  public static func zip64(
    count: Int, byteCount: Int, offset: Int, recordByteCount: Int = 44, at place: Int, parts: UInt32 = 1
  ) -> [UInt8] {
    Array("PK\u{6}\u{6}".utf8) + eight(UInt64(recordByteCount)) + two(45, 45) + four(0, 0)
      + eight(UInt64(count), UInt64(count), UInt64(byteCount), UInt64(offset))
      + "PK\u{6}\u{7}".utf8 + four(0) + eight(UInt64(place)) + four(parts)
  }

  /// Numbers of two bytes.
  public static func two(_ values: UInt16...) -> [UInt8] { values.flatMap(bytes) }
  /// Numbers of four bytes.
  public static func four(_ values: UInt32...) -> [UInt8] { values.flatMap(bytes) }
  /// Numbers of eight bytes.
  public static func eight(_ values: UInt64...) -> [UInt8] { values.flatMap(bytes) }

  /// Lowest byte first.
  private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
