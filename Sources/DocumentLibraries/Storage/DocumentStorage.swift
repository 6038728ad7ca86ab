// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The place where a library's documents are stored: single calls, each of which succeeds or has no effect.
///
/// The calls are those of a POSIX file system. The library builds its loops, flushes and cleanup from them, so a test
/// can make any call fail and record the real sequence. ``DiskStorage`` uses the disk, and ``MemoryStorage`` uses
/// memory.
///
/// All paths are relative to the root. No call follows a symbolic link or accepts a name that is not plain; see
/// ``StorageName/isPlain``.
public protocol DocumentStorage: Sendable {
  /// The operations that the storage supports, or nil if the library must try them. A call that is not among them throws
  /// an error with reason ``StorageError/Reason/unsupported``.
  var abilities: StorageAbilities? { get }

  /// Creates the root and its parents, if they do not exist.
  /// - Throws: ``StorageError``.
  func makeRoot() throws(StorageError)

  /// Calls `visit` for each entry of a folder, in any order, without `.` and `..`.
  /// - Parameters:
  ///   - folder: The folder.
  ///   - visit: Receives the entries. The bytes of a name are valid only during the call.
  /// - Throws: ``StorageError``.
  func list(
    _ folder: StoragePath, _ visit: (_ name: Span<UInt8>, _ kind: StorageStatus.Kind) -> Void
  ) throws(StorageError)

  /// Returns the status of a file or folder.
  /// - Parameter path: The path of the entry.
  /// - Returns: The status.
  /// - Throws: ``StorageError``.
  func status(of path: StoragePath) throws(StorageError) -> StorageStatus

  /// Creates a folder. An existing entry of that name is an error.
  /// - Parameter path: The path of the folder.
  /// - Throws: ``StorageError``.
  func makeFolder(_ path: StoragePath) throws(StorageError)

  /// Creates an empty file for writing. An existing entry of that name is an error.
  /// - Parameter path: The path of the file.
  /// - Returns: The open file.
  /// - Throws: ``StorageError``.
  func create(_ path: StoragePath) throws(StorageError) -> StorageFile

  /// Creates an empty file for writing, with the permissions of the file that it will replace. The default calls
  /// ``create(_:)`` and ``copyPermissions(from:to:)``.
  ///
  /// A storage with permissions must not let others open the file before it has them, because they could read its content
  /// later.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - source: The path of the other file. If it does not exist, the permissions are those of a new file.
  /// - Returns: The open file.
  /// - Throws: ``StorageError``, but not if the permissions cannot be set, because some file systems have none.
  func create(_ path: StoragePath, permissionsOf source: StoragePath) throws(StorageError) -> StorageFile

  /// Opens a file for reading. An entry of another kind is an error.
  /// - Parameter path: The path of the file.
  /// - Returns: The open file.
  /// - Throws: ``StorageError``.
  func open(_ path: StoragePath) throws(StorageError) -> StorageFile

  /// Appends the next bytes of a file to `bytes`.
  /// - Parameters:
  ///   - file: The open file.
  ///   - bytes: Receives the bytes.
  ///   - count: The maximum number of bytes.
  /// - Returns: The number of bytes; 0 at the end of the file.
  /// - Throws: ``StorageError``.
  func read(_ file: StorageFile, into bytes: inout Data, atMost count: Int) throws(StorageError) -> Int

  /// Writes the first of `bytes`, at least one.
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - file: The open file.
  /// - Returns: The number of bytes written.
  /// - Throws: ``StorageError``.
  func write(_ bytes: Data, to file: StorageFile) throws(StorageError) -> Int

  /// Waits until the content of a file is on the disk.
  /// - Parameter file: The open file.
  /// - Throws: ``StorageError``.
  func flush(_ file: StorageFile) throws(StorageError)

  /// Closes a file, or releases a lock.
  /// - Parameter file: The open file, or that of the lock.
  /// - Throws: ``StorageError``.
  func close(_ file: StorageFile) throws(StorageError)

  /// Waits until changes to a folder's entries are on the disk.
  /// - Parameter path: The path of the folder.
  /// - Throws: ``StorageError`` with reason ``StorageError/Reason/unsupported`` if the storage cannot do that. A library
  ///   then goes on.
  func flushFolder(_ path: StoragePath) throws(StorageError)

  /// Begins to watch all writes. A call of ``flushAll(_:)`` uses the watch.
  /// - Returns: The watch, which ``close(_:)`` ends.
  /// - Throws: ``StorageError`` with reason ``StorageError/Reason/unsupported`` if the storage cannot flush all changes
  ///   with one call, or if that call could miss an error.
  func beginFlushingAll() throws(StorageError) -> StorageFile

  /// Waits until all changes of the storage are on the disk.
  /// - Parameter watch: The result of ``beginFlushingAll()``, which was called before the changes.
  /// - Throws: ``StorageError``, also if a write failed since the watch began.
  func flushAll(_ watch: StorageFile) throws(StorageError)

  /// Renames a file or folder atomically.
  /// - Parameters:
  ///   - path: The path of the entry.
  ///   - target: The new path.
  ///   - mode: The effect if the target exists.
  /// - Throws: ``StorageError``.
  func move(_ path: StoragePath, to target: StoragePath, _ mode: StorageMove) throws(StorageError)

  /// Gives a file a second name, a hard link.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - target: The second path.
  /// - Throws: ``StorageError``.
  func link(_ path: StoragePath, to target: StoragePath) throws(StorageError)

  /// Removes a file or a symbolic link.
  /// - Parameter path: The path of the entry.
  /// - Throws: ``StorageError``.
  func removeFile(_ path: StoragePath) throws(StorageError)

  /// Removes an empty folder.
  /// - Parameter path: The path of the folder.
  /// - Throws: ``StorageError``.
  func removeFolder(_ path: StoragePath) throws(StorageError)

  /// Sets the modification date of a file.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - date: The modification date.
  /// - Throws: ``StorageError``.
  func setModified(_ path: StoragePath, to date: StorageDate) throws(StorageError)

  /// Gives a new folder the permissions of the one that it will replace, before it has any content. The default of
  /// ``create(_:permissionsOf:)`` calls it for files, too. The default does nothing.
  /// - Parameters:
  ///   - source: The path of the other entry.
  ///   - path: The path of the new entry.
  /// - Throws: ``StorageError``. A library ignores it, because some file systems have no permissions.
  func copyPermissions(from source: StoragePath, to path: StoragePath) throws(StorageError)

  /// Locks a folder. Locks exclude each other within a process and between processes. A lock ends when its file is
  /// closed or the process ends.
  /// - Parameters:
  ///   - folder: The folder.
  ///   - kind: The kind of the lock.
  /// - Returns: The lock; nil if another lock excludes it. The call does not wait.
  /// - Throws: ``StorageError`` with reason ``StorageError/Reason/unsupported`` if the storage has no locks.
  func lock(_ folder: StoragePath, _ kind: StorageLockKind) throws(StorageError) -> StorageLock?

  /// Opens a folder for several calls on its entries, which then need not look it up again. The default returns nil.
  ///
  /// If another process replaces the folder, the calls continue to use the old one.
  /// - Parameter path: The path of the folder.
  /// - Returns: A storage whose root is the folder; nil if the storage looks up each path.
  /// - Throws: ``StorageError``.
  func openFolder(_ path: StoragePath) throws(StorageError) -> (any DocumentStorage)?

  /// Returns the location of an entry.
  /// - Parameter path: The path of the entry.
  /// - Returns: A file on the disk if the storage uses the disk, or else a location for people.
  func url(of path: StoragePath) -> URL
}

extension DocumentStorage {
  /// Returns nil: the storage looks up each path.
  /// - Parameter path: The path of the folder.
  /// - Returns: nil.
  /// - Throws: The default implementation throws no error.
  public func openFolder(_ path: StoragePath) throws(StorageError) -> (any DocumentStorage)? { nil }

  /// Calls ``create(_:)`` and ``copyPermissions(from:to:)``.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - source: The path of the other file.
  /// - Returns: The open file.
  /// - Throws: ``StorageError`` of ``create(_:)``.
  public func create(_ path: StoragePath, permissionsOf source: StoragePath) throws(StorageError) -> StorageFile {
    let file = try create(path)
    try? copyPermissions(from: source, to: path)
    return file
  }

  /// The default implementation does nothing.
  /// - Parameters:
  ///   - source: The path of the other entry.
  ///   - path: The path of the new entry.
  /// - Throws: The default implementation throws no error.
  public func copyPermissions(from source: StoragePath, to path: StoragePath) throws(StorageError) {}

  /// The default implementation throws an error with reason ``StorageError/Reason/unsupported``.
  /// - Returns: This implementation returns nothing.
  /// - Throws: ``StorageError``.
  public func beginFlushingAll() throws(StorageError) -> StorageFile {
    throw StorageError(.unsupported, .flushAll, .root)
  }

  /// The default implementation throws an error with reason ``StorageError/Reason/unsupported``.
  /// - Parameter watch: The result of ``beginFlushingAll()``.
  /// - Throws: ``StorageError``.
  public func flushAll(_ watch: StorageFile) throws(StorageError) { throw StorageError(.unsupported, .flushAll, .root) }
}

/// A lock on a folder, which lasts until its file is closed.
public struct StorageLock: Hashable, Sendable {
  /// The file to close.
  public let file: StorageFile
  /// The identity of the locked folder. Another process can replace the folder later.
  public let identity: UInt64

  /// Creates a lock. Implementations of a storage call this initializer.
  /// - Parameters:
  ///   - file: The file to close.
  ///   - identity: The identity of the locked folder.
  public init(file: StorageFile, identity: UInt64) {
    self.file = file
    self.identity = identity
  }
}

/// An open file or a lock of a storage.
public struct StorageFile: Hashable, Sendable {
  /// The storage's identifier of the file.
  public let rawValue: Int32
  /// The status of the file when it was opened, if the storage knows it.
  public let status: StorageStatus?

  /// Creates a handle. Implementations of a storage call this initializer.
  /// - Parameters:
  ///   - rawValue: The storage's identifier of the file.
  ///   - status: The status of the file, if opening it returned that.
  public init(rawValue: Int32, status: StorageStatus? = nil) {
    self.rawValue = rawValue
    self.status = status
  }

  /// Returns whether two handles are of one open file.
  /// - Parameters:
  ///   - a: A handle.
  ///   - b: Another handle.
  /// - Returns: `true` if the identifiers are equal.
  public static func == (a: Self, b: Self) -> Bool { a.rawValue == b.rawValue }

  /// Hashes the identifier.
  /// - Parameter hasher: Receives the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

/// The effect of ``DocumentStorage/move(_:to:_:)`` if the target exists.
public enum StorageMove: Hashable, Sendable {
  /// Replaces a file.
  case replacing
  /// Fails.
  case exclusive
  /// Exchanges the two, if the file system supports it.
  case exchanging
}

/// The kinds of locks.
public enum StorageLockKind: Hashable, Sendable {
  /// A lock that other shared locks do not exclude.
  case shared
  /// A lock that any other lock excludes.
  case exclusive
}

/// A modification date, with the precision of a file system.
public struct StorageDate: Hashable, Comparable, Sendable {
  /// The whole seconds since 1970.
  public var seconds: Int64
  /// The nanoseconds of the last second, 0 to 999,999,999.
  public var nanoseconds: Int64

  /// Creates a date.
  /// - Parameters:
  ///   - seconds: The whole seconds since 1970.
  ///   - nanoseconds: The nanoseconds of the last second.
  public init(seconds: Int64, nanoseconds: Int64 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// Returns whether a date is earlier than another.
  /// - Parameters:
  ///   - a: A date.
  ///   - b: Another date.
  /// - Returns: `true` if `a` is earlier than `b`.
  public static func < (a: Self, b: Self) -> Bool { (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds) }

  /// The date, less precise by some nanoseconds.
  public var date: Date { Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1_000_000_000) }
}

/// The status of a file or folder.
public struct StorageStatus: Hashable, Sendable {
  /// The kinds of entries.
  public enum Kind: Hashable, Sendable {
    /// A file.
    case file
    /// A folder.
    case folder
    /// A symbolic link.
    case link
    /// A pipe, a device or the like.
    case special
    /// A kind that the listing did not report.
    case unknown
  }

  /// The kind.
  public var kind: Kind
  /// The size in bytes.
  public var byteCount: Int
  /// The modification date.
  public var modified: StorageDate
  /// A number that no other existing entry has.
  public var identity: UInt64

  /// Creates a status. Implementations of a storage call this initializer.
  /// - Parameters:
  ///   - kind: The kind.
  ///   - byteCount: The size in bytes.
  ///   - modified: The modification date.
  ///   - identity: A number that no other existing entry has.
  public init(kind: Kind, byteCount: Int, modified: StorageDate, identity: UInt64) {
    self.kind = kind
    self.byteCount = byteCount
    self.modified = modified
    self.identity = identity
  }
}
