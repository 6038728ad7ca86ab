// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SystemFiles

/// A change, or a locked reading, that a thread is inside of. The thread would wait forever for the lock of another one.
struct ThreadChange: Hashable, Sendable {
  /// The locked document.
  enum Target: Hashable, Sendable {
    /// A document's object, which may be new.
    case object(ObjectIdentifier)
    /// A document's folder.
    case folder(StorageName)
  }

  private let thread = SystemThread.current
  private let target: Target

  init(_ target: Target) { self.target = target }
}

extension DocumentLibrary {
  /// Throws an error if this thread is inside of a change of the document.
  ///
  /// Without a C library, threads cannot be told apart. A change inside of another one then waits in vain, up to the time limit
  /// of the library.
  func checkNotInside(_ target: ThreadChange.Target, at path: String) throws(LibraryError) {
    guard SystemThread.areDistinguished else { return }
    let change = ThreadChange(target)
    guard threadChanges.withLock({ $0.contains(change) }) else { return }
    throw LibraryError(
      .nestedChange, path, "nested change: the document was used inside of a change of it by the same thread",
      remedy: "Change the values that the closure receives, and use the document after the change")
  }

  /// Notes that this thread begins a change of the document, before it waits for the lock.
  /// - Returns: The change. Pass it to ``endChange(_:)``.
  /// - Throws: ``LibraryError`` if the thread is inside of one already.
  func beginChange(_ target: ThreadChange.Target, at path: String) throws(LibraryError) -> ThreadChange {
    try checkNotInside(target, at: path)
    let change = ThreadChange(target)
    threadChanges.withLock { _ = $0.insert(change) }
    return change
  }

  func endChange(_ change: ThreadChange) { threadChanges.withLock { _ = $0.remove(change) } }
}

extension Document {
  /// Performs a save or a deletion. Those by other threads wait until it ends, up to the time limit of the library. Two
  /// threads can wait for each other, each inside of an edit of another document.
  func withSaving<Result>(_ body: () throws -> Result) throws -> Result {
    let path = docPath?.path ?? library.folder.path
    // First, because another thread that saves this object may be waiting for the folder.
    if let folderName { try library.checkNotInside(.folder(folderName), at: path) }
    let change = try library.beginChange(.object(ObjectIdentifier(self)), at: path)
    defer { library.endChange(change) }
    let hasBegun: Void? = LockWait.take(within: library.limits.patience) {
      isSaving.withLock { isSaving -> Void? in
        guard !isSaving else { return nil }
        isSaving = true
        return ()
      }
    }
    guard hasBegun != nil else {
      throw LibraryError(
        .busy, path, "another thread has been changing the document for longer than the time limit",
        remedy: "End that change, or raise LibraryLimits.patience")
    }
    defer { isSaving.withLock { $0 = false } }
    return try body()
  }
}
