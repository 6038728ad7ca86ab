// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SystemFiles

/// Notices of the system about one file. The release ends them.
///
/// All files of the process share one queue, because the systems allow a user only a few.
final class FileNotices: Sendable {
  private let state: State
  private let folder: FolderWatch
  private let number: Int

  private final class State: Sendable {
    let name: FileName
    let changed: @Sendable () -> Void
    let isLost = Locked(false)

    init(_ name: FileName, _ changed: @escaping @Sendable () -> Void) {
      self.name = name
      self.changed = changed
    }
  }

  private struct Queue: Sendable {
    var notices: FolderNotices?
    /// The number of the queue. Notices of earlier ones are ignored.
    var generation = 0
    /// The files in each folder.
    var files: [FolderWatch: [Int: State]] = [:]
    var fileCount = 0
  }

  private static let queue = Locked(Queue())

  /// Begins the notices about a file, whose folder must exist.
  /// - Parameters:
  ///   - path: The path of the file, which need not exist.
  ///   - changed: Called after each change. It must not wait.
  /// - Throws: ``SystemError`` if the folder does not exist, or the system or the disk provides no notices.
  init(of path: String, _ changed: @escaping @Sendable () -> Void) throws(SystemError) {
    let url = URL(filePath: path)
    let (folderName, state) = (
      FileName(url.deletingLastPathComponent().path), State(FileName(url.lastPathComponent), changed)
    )
    guard MountTable.noticesAllChanges(of: try Descriptor.working.status(of: folderName, followingLinks: true)) else {
      throw SystemError(lacking: .folderNotices)
    }
    (folder, number) = try Self.queue.withLock { (queue) throws(SystemError) in
      if queue.notices == nil {
        queue.generation += 1
        let generation = queue.generation
        queue.notices = try FolderNotices { Self.receive($0, generation) }
      }
      guard let notices = queue.notices else { throw SystemError(lacking: .folderNotices) }
      do throws(SystemError) {
        let folder = try notices.add(folderName, followingLinks: true)
        queue.fileCount += 1
        queue.files[folder, default: [:]][queue.fileCount] = state
        return (folder, queue.fileCount)
      } catch {
        if queue.files.isEmpty { queue.notices = nil }
        throw error
      }
    }
    self.state = state
  }

  deinit {
    Self.queue.withLock { queue in
      guard queue.files[folder]?.removeValue(forKey: number) != nil, queue.files[folder]?.isEmpty == true else {
        return
      }
      queue.files[folder] = nil
      queue.notices?.remove(folder)
      if queue.files.isEmpty { queue.notices = nil }
    }
  }

  /// Whether the folder was removed or renamed. No more notices arrive then.
  var isLost: Bool { state.isLost.withLock { $0 } }

  private static func receive(_ notices: [FolderNotice], _ generation: Int) {
    var changed: [Int: State] = [:]
    queue.withLock { queue in
      guard queue.generation == generation else { return }
      for notice in notices {
        switch notice {
        case .dropped:
          for files in queue.files.values { changed.merge(files) { $1 } }
        case .lost(let folder):
          guard let files = queue.files.removeValue(forKey: folder) else { continue }
          queue.notices?.remove(folder)
          for file in files.values { file.isLost.withLock { $0 = true } }
          changed.merge(files) { $1 }
        case .changed(let folder, let name):
          guard let name, let files = queue.files[folder] else { continue }
          for (number, file) in files where file.name == name { changed[number] = file }
        }
      }
      // The system allows a user only a few queues, and no file is left whose release would end this one.
      if queue.files.isEmpty { queue.notices = nil }
    }
    // Without the lock, because a function can release an object of this class.
    for file in changed.values { file.changed() }
  }
}
