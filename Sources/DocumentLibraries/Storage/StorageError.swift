// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// An error of a call of a storage.
public struct StorageError: Error, Hashable, Sendable {
  /// The reasons of errors. A `switch` over reasons needs a `default`, because new reasons may be added.
  public enum Reason: Hashable, Sendable {
    /// The entry exists already.
    case exists
    /// The entry does not exist.
    case notFound
    /// The entry is not a folder.
    case notAFolder
    /// The entry is not a file but, for example, a folder, a pipe or a device.
    case notAFile
    /// The entry is a symbolic link, which is not followed.
    case link
    /// The folder is not empty.
    case notEmpty
    /// The disk or the quota is full.
    case noSpace
    /// The system denies permission.
    case noPermission
    /// The disk is read-only.
    case readOnly
    /// The device reported an error.
    case deviceError
    /// Another process or thread has kept the entry locked for longer than ``LibraryLimits/patience``.
    case busy
    /// A signal interrupted the call. The library repeats it.
    case interrupted
    /// The paths are on different disks.
    case otherDisk
    /// The file cannot have more names. A library copies it then.
    case tooManyNames
    /// The file system does not support the call.
    case unsupported
    /// The system, not only the file system, lacks what the call needs, for example file locks.
    case missing(String)
    /// The name is invalid or too long.
    case badName
    /// The process has too many open files.
    case tooManyOpen
    /// The file would exceed the limit of the process or of the file system for a file's size.
    case fileSizeLimit
    /// The file is larger than the limit.
    case tooLarge
    /// No document number is left.
    case exhausted
    /// Another error number of the system.
    case other(Int32)
  }

  /// The calls of a storage.
  public enum Call: String, Hashable, Sendable, CaseIterable {
    case makeRoot, list, status, makeFolder, create, open, read, write, flush, close, flushFolder, move, link
    case removeFile, removeFolder, setModified, setPermissions, lock, flushAll
  }

  /// The reason.
  public var reason: Reason
  /// The call that failed.
  public var call: Call
  /// The path of the entry.
  public var path: StoragePath

  /// Creates an error.
  /// - Parameters:
  ///   - reason: The reason.
  ///   - call: The call that failed.
  ///   - path: The path of the entry.
  public init(_ reason: Reason, _ call: Call, _ path: StoragePath) {
    self.reason = reason
    self.call = call
    self.path = path
  }
}

extension StorageError: CustomStringConvertible {
  /// The call, the path and the reason.
  public var description: String { "\(call.words) \(path): \(reason)" }
}

extension StorageError.Reason: CustomStringConvertible {
  /// The reason as text.
  public var description: String {
    switch self {
    case .exists: "it exists already"
    case .notFound: "it does not exist"
    case .notAFolder: "it is not a folder"
    case .notAFile: "it is not a file"
    case .link: "it is a symbolic link, which is not followed"
    case .notEmpty: "the folder is not empty"
    case .noSpace: "the disk is full"
    case .noPermission: "permission denied"
    case .readOnly: "the disk is read-only"
    case .deviceError: "the disk reported an error"
    case .busy: "another process or thread has kept it locked for too long"
    case .interrupted: "interrupted"
    case .otherDisk: "the paths are on different disks"
    case .tooManyNames: "the file cannot have more names"
    case .unsupported: "the file system does not support it"
    case .missing(let name): "this system has no \(name). Use MemoryStorage"
    case .badName: "invalid name"
    case .tooManyOpen: "too many open files"
    case .fileSizeLimit: "the file would exceed the size that the process or the file system allows"
    case .tooLarge: "the file is larger than the limit"
    case .exhausted: "no number is left"
    case .other(let number): "system error \(number)"
    }
  }
}

extension StorageError.Call {
  var words: String {
    switch self {
    case .makeRoot, .makeFolder: "creating the folder"
    case .list: "listing"
    case .status: "inspecting"
    case .create: "creating"
    case .open: "opening"
    case .read: "reading"
    case .write: "writing"
    case .flush, .flushFolder, .flushAll: "flushing"
    case .close: "closing"
    case .move: "moving"
    case .link: "linking"
    case .removeFile, .removeFolder: "removing"
    case .setModified: "setting the date of"
    case .setPermissions: "setting the permissions of"
    case .lock: "locking"
    }
  }
}
