// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Synchronization

/// Something that happened to a document.
public enum LibraryChange: Hashable, Sendable {
  /// A document appeared.
  case added(DocumentNumber)
  /// A document went away.
  case removed(DocumentNumber)
  /// A document's data or attachments are others now.
  case changed(DocumentNumber)

  /// The document.
  public var number: DocumentNumber {
    switch self {
    case .added(let number), .removed(let number), .changed(let number): number
    }
  }

  /// What has happened between two looks at a document; nil if nothing has.
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

/// Who is told of changes, and what they know.
struct LibraryWatch: Sendable {
  /// What tells one state of a document from another: its files' versions.
  typealias Snapshot = [DocumentNumber: [FileVersion?]]

  var streams: [Int: AsyncStream<LibraryChange>.Continuation] = [:]
  var snapshot: Snapshot = [:]
  var nextStream = 0
  /// How many changes by this program were told: what was looked at before is out of date after.
  var noteCount = 0

  /// Tells everyone.
  func tell(_ changes: [LibraryChange]) {
    for stream in streams.values {
      for change in changes { stream.yield(change) }
    }
  }
}

extension DocumentLibrary {
  /// The changes from now on, by this program and by others.
  ///
  /// What this program does through the library is told at once; what others do is seen by ``refresh()``, which the stream
  /// calls from time to time if an interval is given. Each change is told once. The stream ends when the task that waits
  /// for it is cancelled.
  /// - Parameter interval: how long to wait between two looks at the folder; nil to look only when ``refresh()`` is called.
  /// - Returns: a stream of changes.
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
      // It keeps the library, for whoever waits for changes may have nothing else of it; and ends with the stream.
      Task.detached { [self] in
        while !Task.isCancelled {
          do {
            try await Task.sleep(for: interval)
          } catch {
            return
          }
          // A folder that cannot be read now may be readable next time.
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

  /// Looks for changes by others and tells them.
  /// - Returns: the changes, in the order of the numbers, since the last look or, if nobody was watching, none.
  /// - Throws: ``LibraryError`` if the folder cannot be read.
  @discardableResult
  public func refresh() throws(LibraryError) -> [LibraryChange] {
    while true {
      guard let noteCount = watch.withLock({ $0.streams.isEmpty ? nil : $0.noteCount }) else { return [] }
      let new = try snapshot()
      let changes = watch.withLock { watch -> [LibraryChange]? in
        guard watch.noteCount == noteCount else { return nil }
        let old = watch.snapshot
        let changes = Set(old.keys).union(new.keys).sorted().compactMap { number -> LibraryChange? in
          LibraryChange(number, from: old[number], to: new[number])
        }
        watch.snapshot = new
        watch.tell(changes)
        return changes
      }
      if let changes { return changes }
    }
  }

  /// Tells what this program did to a document, unless a look at the folder has told it already.
  func note(_ number: DocumentNumber) {
    watch.withLock { watch in
      guard !watch.streams.isEmpty else { return }
      // Looked at with the lock held, so that of two changes to one document the later look is kept.
      let folder = try? folderName(of: number)
      let versions = folder.map { self.versions(of: $0) }
      let old = watch.snapshot[number]
      watch.snapshot[number] = versions
      watch.noteCount += 1
      guard let told = LibraryChange(number, from: old, to: versions) else { return }
      watch.tell([told])
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
