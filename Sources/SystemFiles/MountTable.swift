// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The mounted file systems of Linux.
package enum MountTable {
  /// File systems that notice all changes. On others, such as those of networks, other computers can change files without
  /// a notice.
  private static let noticing = [
    "bcachefs", "btrfs", "exfat", "ext2", "ext3", "ext4", "f2fs", "jfs", "msdos", "ntfs3", "overlay", "ramfs", "tmpfs",
    "vfat", "xfs", "zfs",
  ].map { Array($0.utf8) }

  /// Returns whether the disk of a file or folder notices all changes.
  ///
  /// The table lacks the numbers of parts of a disk, such as subvolumes of btrfs. Such disks are local.
  package static func noticesAllChanges(of status: FileStatus) -> Bool {
    guard let table = try? WholeFile.bytes(at: "/proc/self/mountinfo") else { return false }
    return fileSystem(of: status.identity.device, in: table).map { noticing.contains($0) } ?? true
  }

  /// File systems that `syncfs` flushes to the disk, like `fsync` for each file. With FUSE and some networks, it leaves
  /// changes in a server. Through an overlay, it does not report errors of writing.
  private static let flushing = ["btrfs", "ext2", "ext3", "ext4", "f2fs", "ramfs", "tmpfs", "xfs"].map {
    Array($0.utf8)
  }

  /// Returns whether one call flushes the file system of a file or folder and reports all errors: on Linux from 5.17 on.
  /// Earlier versions ignore errors of the file system itself.
  package static func flushesAtOnce(_ status: FileStatus) -> Bool {
    guard let release = try? WholeFile.bytes(at: "/proc/sys/kernel/osrelease"), flushReportsErrors(release: release),
      let table = try? WholeFile.bytes(at: "/proc/self/mountinfo")
    else { return false }
    return fileSystem(of: status.identity.device, in: table).map { flushing.contains($0) } ?? false
  }

  /// Returns whether a release such as `5.17.3-generic` is 5.17 or later.
  static func flushReportsErrors(release: [UInt8]) -> Bool {
    let numbers = release.split(separator: 0x2E, maxSplits: 2, omittingEmptySubsequences: false).prefix(2).map { part in
      Int(String(decoding: part.prefix { 0x30...0x39 ~= $0 }, as: UTF8.self)) ?? 0
    }
    return numbers.count == 2 && (numbers[0], numbers[1]) >= (5, 17)
  }

  /// The type of the file system with a device number, from lines such as
  /// `36 35 98:0 /root /mnt rw,noatime master:1 - ext3 /dev/root rw`; nil if no line has the number.
  static func fileSystem(of device: UInt64, in table: [UInt8]) -> [UInt8]? {
    let major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
    let minor = (device & 0xFF) | (device >> 12 & ~0xFF & 0xFFFF_FFFF)
    let number = Array("\(major):\(minor)".utf8)
    for line in table.split(separator: 0x0A) {
      let fields = line.split(separator: 0x20)
      guard fields.count > 2, fields[2].elementsEqual(number) else { continue }
      // A hyphen ends the optional fields.
      return fields.drop { !$0.elementsEqual([0x2D]) }.dropFirst().first.map { Array($0) }
    }
    return nil
  }
}
