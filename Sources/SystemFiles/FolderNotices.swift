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

/// A limit for the folders that several queues watch together, as the system has one for each user.
package final class WatchBudget: Sendable {
  private let freeCount: Locked<Int>

  /// Creates a limit.
  /// - Parameter count: The number of folders.
  package init(_ count: Int = .max) { freeCount = Locked(count) }

  fileprivate func take() -> Bool {
    freeCount.withLock { count in
      guard count > 0 else { return false }
      count -= 1
      return true
    }
  }

  fileprivate func give(_ count: Int) { freeCount.withLock { $0 += count } }
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
    private let watches = Watches()
    private let budget: WatchBudget

    /// The watched folders, and the function to call when they are watched no longer.
    private final class Watches: Sendable {
      let numbers = Locked<Set<Int32>>([])
      let closed = Locked<(@Sendable () -> Void)?>(nil)
    }
  #else
    package static let isAvailable = false
  #endif

  /// Opens a queue of notices.
  /// - Parameters:
  ///   - budget: A limit for the folders, if it is smaller than the system's.
  ///   - receive: Receives the notices in their order, on another thread.
  /// - Throws: ``SystemError`` if the system refuses the queue. The reason is ``SystemError/Reason/unsupported`` on systems
  ///   without notices.
  package init(
    budget: WatchBudget = WatchBudget(), _ receive: @escaping @Sendable ([FolderNotice]) -> Void
  ) throws(SystemError) {
    #if os(Linux) && (canImport(Glibc) || canImport(Musl))
      let queue = try Descriptor.noticeQueue()
      self.queue = queue
      self.budget = budget
      let closed: @Sendable () -> Void = { [watches] in
        budget.give(watches.numbers.withLock(\.count))
        watches.closed.withLock { $0 }?()
      }
      source = ReadingSource(queue, closed: closed) {
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
      let mask = Mask.changes | Mask.losses | Mask.onlyFolders | (followingLinks ? 0 : Mask.noLinks)
      let number = try queue.addWatch(path, mask: mask)
      guard watches.numbers.withLock({ $0.insert(number).inserted }) else { return FolderWatch(number: number) }
      guard budget.take() else {
        _ = watches.numbers.withLock { $0.remove(number) }
        queue.removeWatch(number)
        throw .noSpace
      }
      return FolderWatch(number: number)
    #else
      throw SystemError(lacking: .folderNotices)
    #endif
  }

  /// Ends a watch. Notices that are waiting still arrive.
  package func remove(_ watch: FolderWatch) {
    #if os(Linux) && (canImport(Glibc) || canImport(Musl))
      guard watches.numbers.withLock({ $0.remove(watch.number) != nil }) else { return }
      queue.removeWatch(watch.number)
      budget.give(1)
    #endif
  }

  /// Ends all watches, as the release does. No folder may be added or removed after this call.
  /// - Parameter closed: Is called on another thread once the system has the watches back.
  package func close(_ closed: @escaping @Sendable () -> Void) {
    #if os(Linux) && (canImport(Glibc) || canImport(Musl))
      watches.closed.withLock { $0 = closed }
      source.cancel()
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
