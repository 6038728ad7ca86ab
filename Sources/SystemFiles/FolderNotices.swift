// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The number of a watched folder in its ``FolderNotices``.
package struct FolderWatch: Hashable, Sendable {
  let number: Int32
}

/// A notice of the system about a watched folder.
package enum FolderNotice: Hashable, Sendable {
  /// An entry was made, removed, renamed or changed. The name is nil if only the folder's own attributes changed.
  case changed(FolderWatch, FileName?)
  /// The folder was removed, renamed or unmounted. Its path may lead to another folder, or to none.
  case lost(FolderWatch)
  /// The system dropped notices, because too many were waiting. Anything may have changed.
  case dropped
}

/// Notices of the system about changes in folders, which cost nothing while nothing changes.
///
/// Linux has them for all local disks (inotify). Where the system lacks or refuses them, creating an object or adding a
/// folder throws an error. The caller then looks for changes at an interval. The notices of a folder do not
/// include those of its subfolders.
package final class FolderNotices: Sendable {
  #if os(Linux) && (canImport(Glibc) || canImport(Musl))
    package static let isAvailable = true
    private let queue: Descriptor
    private let source: ReadingSource
  #else
    package static let isAvailable = false
  #endif
  private let freeCount: Locked<Int>

  /// Opens a queue of notices.
  /// - Parameters:
  ///   - limit: The maximum number of folders, if it is smaller than the system's.
  ///   - receive: Receives the notices in their order, on another thread.
  /// - Throws: ``SystemError`` if the system refuses the queue. The reason is ``SystemError/Reason/unsupported`` on systems
  ///   without notices.
  package init(
    limit: Int = .max, _ receive: @escaping @Sendable ([FolderNotice]) -> Void
  ) throws(SystemError) {
    freeCount = Locked(limit)
    #if os(Linux) && (canImport(Glibc) || canImport(Musl))
      let queue = try Descriptor.noticeQueue()
      self.queue = queue
      source = ReadingSource(queue) {
        var bytes = Data()
        // More bytes call this function again.
        guard (try? queue.read(into: &bytes, atMost: 1 << 16)) ?? 0 > 0 else { return }
        receive(FolderNotices.parse([UInt8](bytes)))
      }
    #else
      throw SystemError(lacking: .folderNotices)
    #endif
  }

  /// Watches a folder. Changes after this call are noticed.
  /// - Parameters:
  ///   - path: The path of the folder.
  ///   - followingLinks: Whether the path may be that of a symbolic link.
  /// - Returns: The watch. It is the same as before if the folder is watched already, under any path.
  /// - Throws: ``SystemError``. The reason is ``SystemError/Reason/noSpace`` if the user watches too many folders.
  package func add(_ path: FileName, followingLinks: Bool) throws(SystemError) -> FolderWatch {
    #if os(Linux) && (canImport(Glibc) || canImport(Musl))
      guard freeCount.withLock({ $0 > 0 }) else { throw .noSpace }
      let mask = Mask.changes | Mask.losses | Mask.onlyFolders | (followingLinks ? 0 : Mask.noLinks)
      let watch = FolderWatch(number: try queue.addWatch(path, mask: mask))
      freeCount.withLock { $0 -= 1 }
      return watch
    #else
      throw SystemError(lacking: .folderNotices)
    #endif
  }

  /// Ends a watch. Notices that are waiting still arrive.
  package func remove(_ watch: FolderWatch) {
    #if os(Linux) && (canImport(Glibc) || canImport(Musl))
      queue.removeWatch(watch.number)
      freeCount.withLock { $0 += 1 }
    #endif
  }

  /// Bits of `sys/inotify.h`.
  private enum Mask {
    static let modified: UInt32 = 0x2
    static let attributes: UInt32 = 0x4
    static let closedAfterWriting: UInt32 = 0x8
    static let movedFrom: UInt32 = 0x40
    static let movedTo: UInt32 = 0x80
    static let created: UInt32 = 0x100
    static let deleted: UInt32 = 0x200
    static let deletedItself: UInt32 = 0x400
    static let movedItself: UInt32 = 0x800
    static let unmounted: UInt32 = 0x2000
    static let overflow: UInt32 = 0x4000
    static let ignored: UInt32 = 0x8000
    static let onlyFolders: UInt32 = 0x100_0000
    static let noLinks: UInt32 = 0x200_0000

    static let changes = modified | attributes | closedAfterWriting | movedFrom | movedTo | created | deleted
    static let losses = deletedItself | movedItself
  }

  /// Parses the bytes of a queue. Each notice has the watch, the mask, a cookie and the length of the name in 4 bytes each.
  /// The name follows, with zeros after it.
  static func parse(_ bytes: [UInt8]) -> [FolderNotice] {
    func word(at offset: Int) -> UInt32 {
      (0..<4).reduce(0) { word, index in
        // Linux has systems of both byte orders.
        let shift = UInt32(1).littleEndian == 1 ? index * 8 : 24 - index * 8
        return word | UInt32(bytes[offset + index]) << UInt32(shift)
      }
    }
    var notices: [FolderNotice] = []
    var start = 0
    while start + 16 <= bytes.count {
      let watch = FolderWatch(number: Int32(bitPattern: word(at: start)))
      let mask = word(at: start + 4)
      let end = min(bytes.count, start + 16 + Int(clamping: word(at: start + 12)))
      let name = Array(bytes[(start + 16)..<end].prefix { $0 != 0 })
      start = end
      if mask & Mask.overflow != 0 {
        notices.append(.dropped)
      } else if mask & (Mask.losses | Mask.unmounted | Mask.ignored) != 0 {
        notices.append(.lost(watch))
      } else {
        let notice = FolderNotice.changed(watch, name.isEmpty ? nil : FileName(bytes: name))
        // A write is several notices for one file.
        if notices.last != notice { notices.append(notice) }
      }
    }
    return notices
  }
}
