// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SystemFiles

/// How a library finds changes by other processes for its streams.
struct LibraryNotices: Sendable {
  enum State: Sendable {
    /// The system notifies the library.
    case noticing(WatchedLibrary)
    /// The library looks for changes. It tries to get notices again unless the system refused them.
    case looking(isRefused: Bool)
    /// The library waits until the system has the watches of a queue back, and then watches all folders anew.
    case closing
  }

  var state = State.looking(isRefused: false)
  /// The number of streams that need the changes by other processes.
  var streamCount = 0
  var budget = WatchBudget()
  /// The number of the last queue of notices. Notices of earlier ones are ignored.
  var generation = 0
}

/// The watched folders of a library: its own and those of its documents.
struct WatchedLibrary: Sendable {
  let notices: FolderNotices
  let path: String
  let root: FolderWatch
  /// The folder that the path led to when the watch began.
  let identity: FileStatus.Identity
  private var watches: [StorageName: FolderWatch] = [:]
  private var owners: [FolderWatch: (name: StorageName, number: DocumentNumber)] = [:]
  /// The folders with capital letters in the extension.
  private var otherNames: [DocumentNumber: Set<StorageName>] = [:]

  init(_ notices: FolderNotices, _ path: String) throws(SystemError) {
    self.notices = notices
    self.path = path
    root = try notices.add(FileName(path), followingLinks: true)
    // After the watch began: if another folder takes the place in between, the next look finds another identity.
    let status = try Descriptor.working.status(of: FileName(path), followingLinks: true)
    guard status.kind == .folder, MountTable.noticesAllChanges(of: status) else {
      throw SystemError(lacking: .folderNotices)
    }
    identity = status.identity
  }

  /// Whether the path leads to the watched folder.
  var isCurrent: Bool {
    (try? Descriptor.working.status(of: FileName(path), followingLinks: true).identity) == identity
  }

  func number(of watch: FolderWatch) -> DocumentNumber? { owners[watch]?.number }

  /// The name of the folder that is the document, as ``DocumentLibrary/contents()`` chooses it.
  func name(of number: DocumentNumber, extension: String) -> StorageName {
    let canonical = FolderName.name(for: number, extension: `extension`)
    guard watches[canonical] == nil else { return canonical }
    return otherNames[number]?.min { $0.bytes.lexicographicallyPrecedes($1.bytes) } ?? canonical
  }

  /// Watches the folder that a name of a document leads to now, in place of the one that it led to before.
  mutating func update(_ name: StorageName, of number: DocumentNumber, isCanonical: Bool) throws(SystemError) {
    var new: FolderWatch?
    do {
      new = try notices.add(FileName(bytes: Array(path.utf8) + [0x2F] + name.bytes), followingLinks: false)
    } catch {
      // The name leads to no folder. For any other reason, the system refuses the watch.
      guard [.notFound, .notAFolder, .link, .badName].contains(error.reason) else { throw error }
    }
    if let old = watches[name], old != new, owners[old]?.name == name {
      owners[old] = nil
      notices.remove(old)
    }
    watches[name] = new
    if let new { owners[new] = (name, number) }
    guard !isCanonical else { return }
    if new != nil { otherNames[number, default: []].insert(name) } else { otherNames[number]?.remove(name) }
  }
}

extension DocumentLibrary {
  /// Asks for notices for a stream. The first stream begins the watch.
  func beginNotices(limit: Int) {
    notices.withLock { notices in
      notices.streamCount += 1
      guard notices.streamCount == 1 else { return }
      notices.budget = WatchBudget(limit)
      notices.state = .looking(isRefused: false)
      beginWatch(&notices)
    }
  }

  /// Ends the watch with the last stream that needs it.
  func endNotices() {
    notices.withLock { notices in
      notices.streamCount -= 1
      if notices.streamCount == 0 { notices.state = .looking(isRefused: false) }
    }
  }

  /// Whether the system notifies the library.
  var isNoticing: Bool {
    notices.withLock { if case .noticing = $0.state { true } else { false } }
  }

  /// The time until the next look. With notices, it only checks that the path still leads to the watched folder.
  func timeToNextLook(_ interval: Duration) -> Duration { max(interval, isNoticing ? .seconds(1) : .milliseconds(10)) }

  /// Looks for what the system does not notice: all changes, or another folder in the place of the library. Also looks for
  /// noticed changes that could not be read.
  func look() {
    notices.withLock { notices in
      switch notices.state {
      case .noticing(let watched):
        guard watched.isCurrent else { return restartWatch(watched.notices, &notices) }
        let unread = watch.withLock(\.unread)
        reportChanges(of: unread.sorted()) { watched.name(of: $0, extension: Model.folderExtension) }
      case .closing, .looking(isRefused: true):
        refreshIfReadable()
      case .looking(isRefused: false):
        beginWatch(&notices)
      }
    }
  }

  /// Watches all folders, or looks if the system refuses that, and reports what has changed before.
  private func beginWatch(_ notices: inout LibraryNotices) {
    notices.generation += 1
    notices.state = .looking(isRefused: true)
    if let disk = storage as? DiskStorage {
      do {
        notices.state = .noticing(try watchedLibrary(disk.folder.path, &notices))
      } catch let error as SystemError {
        notices.state = .looking(isRefused: ![.notFound, .notAFolder].contains(error.reason))
      } catch {
        // The folder was removed meanwhile, or cannot be read now.
        notices.state = .looking(isRefused: false)
      }
    }
    refreshIfReadable()
  }

  /// Watches all folders anew once the system has the old watches back. The user may not have enough for both.
  private func restartWatch(_ old: FolderNotices, _ notices: inout LibraryNotices) {
    notices.generation += 1
    notices.state = .closing
    let generation = notices.generation
    old.close { [weak self] in
      self?.notices.withLock { notices in
        guard generation == notices.generation, case .closing = notices.state else { return }
        self?.beginWatch(&notices)
      }
    }
  }

  private func watchedLibrary(_ path: String, _ notices: inout LibraryNotices) throws -> WatchedLibrary {
    let generation = notices.generation
    let queue = try FolderNotices(budget: notices.budget) { [weak self] in self?.receive($0, generation) }
    var watched = try WatchedLibrary(queue, path)
    let contents = try contents()
    for number in contents.numbers {
      let other = contents.otherNames[number]
      let name = other ?? FolderName.name(for: number, extension: Model.folderExtension)
      try watched.update(name, of: number, isCanonical: other == nil)
    }
    // One of them is the document when the other folder is gone.
    for (number, name) in contents.duplicates { try watched.update(name, of: number, isCanonical: false) }
    return watched
  }

  /// Reports the changes that notices are about.
  private func receive(_ received: [FolderNotice], _ generation: Int) {
    notices.withLock { notices in
      guard generation == notices.generation, case .noticing(var watched) = notices.state else { return }
      // Only one owner, so that its tables are not copied.
      notices.state = .closing
      guard let numbers = try? changedNumbers(received, &watched) else {
        return restartWatch(watched.notices, &notices)
      }
      notices.state = .noticing(watched)
      reportChanges(of: numbers) { watched.name(of: $0, extension: Model.folderExtension) }
    }
  }

  /// Returns the documents that may have changed, in order.
  /// - Throws: ``SystemError`` if all folders must be watched anew.
  private func changedNumbers(
    _ received: [FolderNotice], _ watched: inout WatchedLibrary
  ) throws(SystemError) -> [DocumentNumber] {
    var changed: Set<DocumentNumber> = []
    var names: Set<StorageName> = []
    for notice in received {
      switch notice {
      case .dropped: throw .notFound
      case .lost(let watch):
        guard watch != watched.root else { throw .notFound }
        if let number = watched.number(of: watch) { changed.insert(number) }
      case .changed(watched.root, let name?):
        names.insert(StorageName(bytes: name.bytes))
      case .changed(let watch, _):
        if let number = watched.number(of: watch) { changed.insert(number) }
      }
    }
    for name in names {
      guard let (number, isCanonical) = FolderName.document(name.bytes, extension: Model.folderExtension) else {
        continue
      }
      try watched.update(name, of: number, isCanonical: isCanonical)
      changed.insert(number)
    }
    return changed.sorted()
  }
}
