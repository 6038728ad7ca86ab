// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a document library needs of the place where its documents are: single steps, each of which happens or does not.
///
/// The steps are those of a POSIX file system; what is built of them (loops, flushes, clean-up) is the library's, so that
/// a test can make any step fail and see the real sequence. ``DiskStorage`` is the disk, ``MemoryStorage`` is memory.
///
/// Every path is below the root. No call follows a symbolic link, and none accepts a name that is not plain.
public protocol DocumentStorage: Sendable {
  /// Makes the root with the folders it is in; nothing happens if it is there.
  func makeRoot() throws(StorageError)

  /// Calls `visit` with each entry of a folder, in no order, without `.` and `..`.
  ///
  /// The bytes of a name are valid during the call only.
  func list(
    _ folder: StoragePath, _ visit: (_ name: Span<UInt8>, _ kind: StorageStatus.Kind) -> Void
  ) throws(StorageError)

  /// What is at a path.
  func status(of path: StoragePath) throws(StorageError) -> StorageStatus

  /// Makes a folder; an error if there is anything of that name.
  func makeFolder(_ path: StoragePath) throws(StorageError)

  /// Makes an empty file for writing; an error if there is anything of that name.
  func create(_ path: StoragePath) throws(StorageError) -> StorageFile

  /// Opens a file for reading; an error if it is anything else than a file.
  func open(_ path: StoragePath) throws(StorageError) -> StorageFile

  /// Appends what comes next in a file to `bytes`, at most `count` bytes, and returns how many; 0 at the end.
  func read(_ file: StorageFile, into bytes: inout Data, atMost count: Int) throws(StorageError) -> Int

  /// Writes some of `bytes`, at least one, and returns how many.
  func write(_ bytes: Data, to file: StorageFile) throws(StorageError) -> Int

  /// Waits until all of a file is on the disk.
  func flush(_ file: StorageFile) throws(StorageError)

  /// Lets a file, or a lock, go.
  func close(_ file: StorageFile) throws(StorageError)

  /// Waits until what happened to a folder's entries is on the disk.
  func flushFolder(_ path: StoragePath) throws(StorageError)

  /// Gives a file or folder another place, in one step.
  func move(_ path: StoragePath, to target: StoragePath, _ mode: StorageMove) throws(StorageError)

  /// Gives a file a second name.
  func link(_ path: StoragePath, to target: StoragePath) throws(StorageError)

  /// Removes a file, or a link.
  func removeFile(_ path: StoragePath) throws(StorageError)

  /// Removes an empty folder.
  func removeFolder(_ path: StoragePath) throws(StorageError)

  /// Sets when a file was changed last.
  func setModified(_ path: StoragePath, to date: StorageDate) throws(StorageError)

  /// Locks a folder against others who lock it, in this process or another; the lock ends when it is closed, or with the
  /// process.
  /// - Parameters:
  ///   - folder: what to lock.
  ///   - kind: who else may hold a lock on it.
  ///   - waits: whether to wait until it is free.
  /// - Returns: nil if it is not free and the call does not wait.
  /// - Throws: ``StorageError`` with reason ``StorageError/Reason/unsupported`` where there are no locks.
  func lock(_ folder: StoragePath, _ kind: StorageLockKind, waits: Bool) throws(StorageError) -> StorageLock?

  /// Where an entry is for people, and on the disk if it is there.
  func url(of path: StoragePath) -> URL
}

/// A lock on a folder, which lasts until its file is closed.
public struct StorageLock: Hashable, Sendable {
  /// What to close.
  public let file: StorageFile
  /// Which folder was locked; somebody may have put another one in its place meanwhile.
  public let identity: UInt64

  /// Makes a lock; for storages.
  public init(file: StorageFile, identity: UInt64) {
    self.file = file
    self.identity = identity
  }
}

/// An open file, or what holds a lock, of a storage.
public struct StorageFile: Hashable, Sendable {
  /// The storage's number for it.
  public let rawValue: Int32

  /// Makes a handle; for storages.
  public init(rawValue: Int32) { self.rawValue = rawValue }
}

/// How ``DocumentStorage/move(_:to:_:)`` treats what is at the target.
public enum StorageMove: Hashable, Sendable {
  /// A file there is replaced.
  case replacing
  /// Anything there is an error.
  case exclusive
  /// The two change places. A file system may not be able to.
  case exchanging
}

/// Who may hold a lock at the same time.
public enum StorageLockKind: Hashable, Sendable {
  /// Others with a shared lock.
  case shared
  /// Nobody else.
  case exclusive
}

/// A moment, as file systems keep it.
public struct StorageDate: Hashable, Comparable, Sendable {
  /// Whole seconds since 1970.
  public var seconds: Int64
  /// Nanoseconds on top, 0 to 999,999,999.
  public var nanoseconds: Int64

  /// Makes a moment.
  public init(seconds: Int64, nanoseconds: Int64 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// Whether it is earlier.
  public static func < (a: Self, b: Self) -> Bool { (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds) }

  /// The moment as a date, which is a little coarser.
  public var date: Date { Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1_000_000_000) }
}

/// What is at a path.
public struct StorageStatus: Hashable, Sendable {
  /// Kinds of entries.
  public enum Kind: Hashable, Sendable {
    /// A file.
    case file
    /// A folder.
    case folder
    /// A symbolic link.
    case link
    /// A pipe, device or the like.
    case special
    /// The listing did not say.
    case unknown
  }

  /// What it is.
  public var kind: Kind
  /// How many bytes it has.
  public var byteCount: Int
  /// When it was changed last.
  public var modified: StorageDate
  /// What tells it from others that are there at the same time.
  public var identity: UInt64

  /// Makes a status; for storages.
  public init(kind: Kind, byteCount: Int, modified: StorageDate, identity: UInt64) {
    self.kind = kind
    self.byteCount = byteCount
    self.modified = modified
    self.identity = identity
  }
}
