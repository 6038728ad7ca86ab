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

  /// The document's number.
  public var number: DocumentNumber {
    switch self {
    case .added(let number), .removed(let number), .changed(let number): number
    }
  }

  /// Creates the change between two states of a document; nil if they are equal.
  init?(_ number: DocumentNumber, from old: [FileVersion?]?, to new: [FileVersion?]?) {
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

/// The observers of a library, and the state that they know.
struct LibraryWatch: Sendable {
  /// The versions of the files of each document.
  typealias Snapshot = [DocumentNumber: [FileVersion?]]

  var streams: [Int: AsyncStream<LibraryChange>.Continuation] = [:]
  var snapshot: Snapshot = [:]
  var nextStream = 0
  /// The number of changes by this process that were reported. A snapshot from before a report is stale.
  var reportCount = 0

  func send(_ changes: [LibraryChange]) {
    for stream in streams.values {
      for change in changes { stream.yield(change) }
    }
  }
}

extension DocumentLibrary {
  /// Returns the future changes by this process and by others.
  ///
  /// A change by this process is reported immediately. ``refresh()`` finds changes by other processes; the stream calls
  /// it at the given interval. Each change is reported once. The stream ends when the task that iterates over it is
  /// canceled.
  /// - Parameter interval: The interval between two refreshes; nil to refresh only when ``refresh()`` is called.
  /// - Returns: The stream of changes.
  /// - Throws: ``LibraryError`` if the folder cannot be read.
  public func changes(every interval: Duration? = nil) throws(LibraryError) -> AsyncStream<LibraryChange> {
    let snapshot = try snapshot()
    let (stream, continuation) = AsyncStream.makeStream(of: LibraryChange.self)
    let number = watch.withLock { watch in
      if watch.streams.isEmpty { watch.snapshot = snapshot }
      watch.nextStream += 1
      watch.streams[watch.nextStream] = continuation
      return watch.nextStream
    }
    let poll = interval.map { interval in
      // The task keeps the library alive, because the caller may keep only the stream. It ends with the stream.
      Task.detached { [self] in
        while !Task.isCancelled {
          do {
            try await Task.sleep(for: interval)
          } catch {
            return
          }
          // A folder that cannot be read now may be readable at the next refresh.
          _ = try? refresh()
        }
      }
    }
    continuation.onTermination = { [weak self] _ in
      poll?.cancel()
      self?.watch.withLock { $0.streams[number] = nil }
    }
    return stream
  }

  /// Reports changes by other processes to all streams.
  /// - Returns: The changes since the last refresh, in the order of the numbers; none if no stream is open.
  /// - Throws: ``LibraryError`` if the folder cannot be read.
  @discardableResult
  public func refresh() throws(LibraryError) -> [LibraryChange] {
    while true {
      guard let reportCount = watch.withLock({ $0.streams.isEmpty ? nil : $0.reportCount }) else { return [] }
      let new = try snapshot()
      let changes = watch.withLock { watch -> [LibraryChange]? in
        guard watch.reportCount == reportCount else { return nil }
        let old = watch.snapshot
        let changes = Set(old.keys).union(new.keys).sorted().compactMap { number -> LibraryChange? in
          LibraryChange(number, from: old[number], to: new[number])
        }
        watch.snapshot = new
        watch.send(changes)
        return changes
      }
      if let changes { return changes }
    }
  }

  /// Reports a change by this process, unless a refresh has reported it.
  func notifyObservers(of number: DocumentNumber) {
    watch.withLock { watch in
      guard !watch.streams.isEmpty else { return }
      // The lock is held during the lookup, so that the later state of two changes wins.
      let folder = try? folderName(of: number)
      let versions = folder.map { self.versions(of: $0) }
      let old = watch.snapshot[number]
      watch.snapshot[number] = versions
      watch.reportCount += 1
      if let change = LibraryChange(number, from: old, to: versions) { watch.send([change]) }
    }
  }

  private func snapshot() throws(LibraryError) -> LibraryWatch.Snapshot {
    let contents = try contents()
    var snapshot = LibraryWatch.Snapshot(minimumCapacity: contents.numbers.count)
    for number in contents.numbers {
      snapshot[number] = versions(
        of: contents.otherNames[number] ?? FolderName.name(for: number, extension: Model.folderExtension))
    }
    return snapshot
  }

  private func versions(of folder: StorageName) -> [FileVersion?] {
    ([Model.dataFileName] + Model.attachmentNames).map { name in
      let status = try? steps.status(of: .root / folder / StorageName(name))
      return status.map { FileVersion($0) }
    }
  }
}
