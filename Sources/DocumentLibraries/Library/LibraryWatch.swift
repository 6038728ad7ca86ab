// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import SystemFiles

/// A change to a library.
public enum LibraryChange: Hashable, Sendable {
  /// A document was added.
  case added(DocumentNumber)
  /// A document was removed.
  case removed(DocumentNumber)
  /// The data or the attachments of a document changed.
  case changed(DocumentNumber)

  /// The kinds of changes.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A document was added.
    case added
    /// A document was removed.
    case removed
    /// The data or the attachments of a document changed.
    case changed
  }

  /// The kind of the change.
  public var kind: Kind {
    switch self {
    case .added: .added
    case .removed: .removed
    case .changed: .changed
    }
  }

  /// The document's number.
  public var number: DocumentNumber {
    switch self {
    case .added(let number), .removed(let number), .changed(let number): number
    }
  }

  /// Creates the change between two states of a document; nil if they are equal.
  init?(_ number: DocumentNumber, from old: [WatchedFile]?, to new: [WatchedFile]?) {
    switch (old, new) {
    case (nil, nil): return nil
    case (nil, _): self = .added(number)
    case (_, nil): self = .removed(number)
    case (let old, let new):
      guard old != new else { return nil }
      self = .changed(number)
    }
  }
}

/// A file of a document that is watched.
struct WatchedFile: Equatable {
  /// The position of its name in the model's names.
  var nameIndex: Int
  var version: FileVersion
}

/// The observers of a library, and the state that they know.
struct LibraryWatch: Sendable {
  /// The files of each document.
  typealias Snapshot = [DocumentNumber: [WatchedFile]]

  var streams: [Int: AsyncStream<LibraryChange>.Continuation] = [:]
  var snapshot: Snapshot = [:]
  /// The documents whose files could not be read at the last look. The snapshot has what was known of them before.
  var unread: Set<DocumentNumber> = []
  var nextStream = 0
  /// The number of reports. The state of a document in a snapshot from before its last report is stale.
  private var reportCount = 0
  /// The number of running refreshes.
  private var refreshCount = 0
  /// The numbers of the last reports of documents, of those since the running refreshes began.
  private var reports: [DocumentNumber: Int] = [:]
  /// The number of reports when all of the snapshot was last replaced by one that is not of a refresh.
  private var resetCount = 0

  /// Notes that the snapshot has a newer state of a document than the snapshots of running refreshes.
  mutating func noteReport(of number: DocumentNumber) {
    reportCount += 1
    if refreshCount > 0 { reports[number] = reportCount }
  }

  /// Replaces the snapshot by one that no running refresh knows.
  mutating func reset(to new: Snapshot, unread: Set<DocumentNumber>) {
    reportCount += 1
    resetCount = reportCount
    (snapshot, self.unread) = (new, unread)
  }

  /// Begins a refresh.
  /// - Returns: The snapshot, and the number of reports for ``refresh(to:unread:since:)``.
  mutating func beginRefresh() -> (Snapshot, Int) {
    refreshCount += 1
    return (snapshot, reportCount)
  }

  mutating func endRefresh() {
    refreshCount -= 1
    if refreshCount == 0 { reports = [:] }
  }

  /// Takes a new snapshot, except for documents that were reported since it was begun.
  /// - Parameters:
  ///   - new: The new snapshot.
  ///   - newUnread: The documents that could not be read for it.
  ///   - count: The number of reports when it was begun.
  /// - Returns: The changes; nil if the snapshot is older than all of the present one.
  mutating func refresh(
    to new: Snapshot, unread newUnread: Set<DocumentNumber>, since count: Int
  ) -> [LibraryChange]? {
    guard resetCount <= count else { return nil }
    var changes: [LibraryChange] = []
    let numbers = Set(snapshot.keys).union(new.keys).union(unread)
    for number in numbers.sorted() where reports[number, default: 0] <= count {
      if newUnread.contains(number) { unread.insert(number) } else { unread.remove(number) }
      guard let change = LibraryChange(number, from: snapshot[number], to: new[number]) else { continue }
      snapshot[number] = new[number]
      noteReport(of: number)
      changes.append(change)
    }
    return changes
  }

  func send(_ changes: [LibraryChange]) {
    for stream in streams.values {
      for change in changes { stream.yield(change) }
    }
  }
}

extension DocumentLibrary {
  /// Returns the future changes by this process and by others.
  ///
  /// A change by this process is reported immediately. With an interval, changes by other processes are found too. On a
  /// local disk of Linux, the system notifies the library of them at once, and an idle stream costs next to nothing. On
  /// other systems and disks, in memory, and if the system refuses to watch the folders, the stream calls
  /// ``refresh()`` at the interval. Its cost grows with the number of documents.
  ///
  /// Each change is reported once. Several changes to a document in quick succession can be reported as one. If the
  /// library's folder is removed, its documents are removed; they are added again with the folder. The stream ends when
  /// the task that iterates over it is canceled.
  /// - Parameter interval: The interval between two refreshes without notices of the system; nil to find changes by other
  ///   processes only when ``refresh()`` is called. The shortest one is 10 ms.
  /// - Returns: The stream of changes.
  /// - Throws: ``LibraryError`` if the folder cannot be read.
  public func changes(every interval: Duration? = nil) throws(LibraryError) -> AsyncStream<LibraryChange> {
    try changes(every: interval, watching: .max)
  }

  /// Returns the future changes. The system is asked to watch at most `limit` folders.
  func changes(every interval: Duration?, watching limit: Int) throws(LibraryError) -> AsyncStream<LibraryChange> {
    let (snapshot, unread) = try snapshot(after: [:])
    let (stream, continuation) = AsyncStream.makeStream(of: LibraryChange.self)
    let number = watch.withLock { watch in
      if watch.streams.isEmpty { watch.reset(to: snapshot, unread: unread) }
      watch.nextStream += 1
      watch.streams[watch.nextStream] = continuation
      return watch.nextStream
    }
    // After the stream was added, so that a change since the snapshot is reported.
    if interval != nil { beginNotices(limit: limit) }
    let poll = interval.map { interval in
      // The task keeps the library alive, because the caller may keep only the stream. It ends with the stream.
      Task.detached { [self] in
        while !Task.isCancelled {
          do {
            try await Task.sleepAtMostYear(for: timeToNextLook(interval))
          } catch {
            return
          }
          look()
        }
      }
    }
    continuation.onTermination = { [weak self] _ in
      poll?.cancel()
      self?.watch.withLock { $0.streams[number] = nil }
      if interval != nil { self?.endNotices() }
    }
    return stream
  }

  /// Reports changes by other processes to all streams.
  /// - Returns: The changes since the last refresh, in the order of the numbers; none if no stream is open.
  /// - Throws: ``LibraryError`` if the folder cannot be read.
  @discardableResult
  public func refresh() throws(LibraryError) -> [LibraryChange] {
    while true {
      let known = watch.withLock { $0.streams.isEmpty ? nil : $0.beginRefresh() }
      guard let (old, count) = known else { return [] }
      defer { watch.withLock { $0.endRefresh() } }
      let (new, unread) = try snapshot(after: old)
      let changes = watch.withLock { watch -> [LibraryChange]? in
        guard let changes = watch.refresh(to: new, unread: unread, since: count) else { return nil }
        watch.send(changes)
        return changes
      }
      if let changes { return changes }
    }
  }

  /// Reports the changes since the last refresh. A missing folder has no documents; one that cannot be read for another
  /// reason may be readable at the next look.
  func refreshIfReadable() {
    do {
      try refresh()
    } catch {
      let isMissing = (try? attempt { () throws(StorageError) in try steps.status(of: .root) == nil }) ?? false
      guard isMissing else { return }
      watch.withLock { watch in
        watch.send(watch.snapshot.keys.sorted().map { .removed($0) })
        watch.reset(to: [:], unread: [])
      }
    }
  }

  /// Reports changes of documents by other processes to all streams.
  func reportChanges(of numbers: [DocumentNumber], named name: (DocumentNumber) -> StorageName) {
    // In parts, because changes by this process wait for the lock.
    for start in stride(from: 0, to: numbers.count, by: 64) {
      watch.withLock { watch in
        guard !watch.streams.isEmpty else { return }
        for number in numbers[start..<min(numbers.count, start + 64)] {
          let old = watch.snapshot[number]
          do {
            let folder = name(number)
            let new = try state(of: folder, after: old) ?? stateIfReplaced(number, folder, after: old)
            watch.unread.remove(number)
            guard let change = LibraryChange(number, from: old, to: new) else { continue }
            watch.snapshot[number] = new
            watch.noteReport(of: number)
            watch.send([change])
          } catch {
            // A document that cannot be read is not removed. A refresh may have read it before.
            watch.unread.insert(number)
            watch.noteReport(of: number)
          }
        }
      }
    }
  }

  /// The files of a document; nil if it does not exist.
  private func state(of folder: StorageName, after old: [WatchedFile]?) throws(StorageError) -> [WatchedFile]? {
    guard let status = try steps.status(of: .root / folder), status.kind == .folder else { return nil }
    return try watchedFiles(of: folder, after: old)
  }

  /// The files of a known document that was not found; nil if it was removed.
  private func stateIfReplaced(
    _ number: DocumentNumber, _ folder: StorageName, after old: [WatchedFile]?
  ) throws(StorageError) -> [WatchedFile]? {
    guard let old else { return nil }
    // A change in two steps may have displaced the document, or may be over by now.
    return try isDisplaced(number) ? old : state(of: folder, after: old)
  }

  /// Reports a change by this process, unless a refresh has reported it.
  /// - Parameters:
  ///   - number: The number of the document.
  ///   - folder: The folder of a removed document. Without it, a missing one is looked for in the whole library.
  func notifyObservers(of number: DocumentNumber, in folder: StorageName? = nil) {
    watch.withLock { watch in
      guard !watch.streams.isEmpty else { return }
      let old = watch.snapshot[number]
      watch.noteReport(of: number)
      do {
        // The lock is held during the lookup, so that the later state of two changes wins.
        let new = if let folder { try state(of: folder, after: old) } else { try currentFiles(of: number, after: old) }
        watch.snapshot[number] = new
        watch.unread.remove(number)
        if let change = LibraryChange(number, from: old, to: new) { watch.send([change]) }
      } catch {
        // The kind of the change is unknown. The next look finds it, and can report it once more.
        watch.snapshot[number] = old ?? []
        watch.unread.insert(number)
        watch.send([old == nil ? .added(number) : .changed(number)])
      }
    }
  }

  /// The files of a document; nil if it does not exist.
  private func currentFiles(of number: DocumentNumber, after old: [WatchedFile]?) throws -> [WatchedFile]? {
    guard let folder = try existingFolder(of: number), folder.kind == .folder else { return nil }
    return try watchedFiles(of: folder.name, after: old)
  }

  /// The files of all documents, and the documents that cannot be read. Those have their old versions.
  private func snapshot(
    after old: LibraryWatch.Snapshot
  ) throws(LibraryError) -> (LibraryWatch.Snapshot, unread: Set<DocumentNumber>) {
    let contents = try contents()
    var snapshot = LibraryWatch.Snapshot(minimumCapacity: contents.numbers.count)
    var unread: Set<DocumentNumber> = []
    for number in contents.numbers {
      do {
        snapshot[number] = try watchedFiles(
          of: contents.otherNames[number] ?? FolderName.name(for: number, extension: Model.folderExtension),
          after: old[number])
      } catch {
        snapshot[number] = old[number] ?? []
        unread.insert(number)
      }
    }
    let missing = old.filter { snapshot[$0.key] == nil }
    guard !missing.isEmpty else { return (snapshot, unread) }
    let displaced = try attempt { () throws(StorageError) in try displacedNumbers() }
    for (number, files) in missing {
      do {
        // A change in two steps may have displaced the document, or may be over by now.
        snapshot[number] =
          displaced.contains(number.rawValue)
          ? files
          : try state(of: FolderName.name(for: number, extension: Model.folderExtension), after: files)
      } catch {
        snapshot[number] = files
        unread.insert(number)
      }
    }
    return (snapshot, unread)
  }

  /// The files in a document's folder; nil if the folder is removed meanwhile.
  private func watchedFiles(
    of folder: StorageName, after old: [WatchedFile]?
  ) throws(StorageError) -> [WatchedFile]? {
    var files: [WatchedFile] = []
    do throws(StorageError) {
      let reader = try FolderReader(.root / folder, in: steps)
      let names = [Model.dataFileName] + Model.attachmentNames
      let present = try reader.present(names)
      for (index, name) in names.enumerated() where present.contains(name) {
        guard let status = try reader.steps.status(of: reader.path / StorageName(name)) else { continue }
        files.append(WatchedFile(nameIndex: index, version: FileVersion(status)))
      }
      if files == old { return files }
    } catch {
      guard error.reason == .notFound else { throw error }
    }
    // A document that is removed during the lookup lacks files, and must not be reported as changed.
    return try steps.status(of: .root / folder)?.kind == .folder ? files : nil
  }
}
