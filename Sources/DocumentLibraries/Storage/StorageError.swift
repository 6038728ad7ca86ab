// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Why a storage could not do one thing.
public struct StorageError: Error, Hashable, Sendable {
  /// What stood in the way. New reasons may be added, so a `switch` needs a `default`.
  public enum Reason: Hashable, Sendable {
    /// There is something of that name.
    case exists
    /// There is nothing of that name.
    case notFound
    /// A folder was expected and something else is there.
    case notAFolder
    /// A file was expected and something else is there: a folder, a pipe, a device.
    case notAFile
    /// A symbolic link, which is never followed.
    case link
    /// The folder is not empty.
    case notEmpty
    /// The disk, or the quota, is full.
    case noSpace
    /// No permission.
    case noPermission
    /// The disk is read-only.
    case readOnly
    /// The device reported an error.
    case deviceError
    /// A signal came in between; the call is made again.
    case interrupted
    /// The two places are on different disks.
    case otherDisk
    /// The file system cannot do this.
    case unsupported
    /// The name is not one, or is too long.
    case badName
    /// Too many files are open.
    case tooManyOpen
    /// The file has more bytes than are read.
    case tooLarge
    /// There are no numbers left.
    case exhausted
    /// Any other number of the system.
    case other(Int32)
  }

  /// The calls of a storage.
  public enum Call: String, Hashable, Sendable, CaseIterable {
    /// Making the root.
    case makeRoot
    /// Reading the names in a folder.
    case list
    /// Asking what is somewhere.
    case status
    /// Making a folder.
    case makeFolder
    /// Making a file.
    case create
    /// Opening a file.
    case open
    /// Reading.
    case read
    /// Writing.
    case write
    /// Waiting until a file is on the disk.
    case flush
    /// Closing.
    case close
    /// Waiting until a folder's entries are on the disk.
    case flushFolder
    /// Moving.
    case move
    /// Giving a file a second name.
    case link
    /// Removing a file.
    case removeFile
    /// Removing a folder.
    case removeFolder
    /// Setting a date.
    case setModified
    /// Locking.
    case lock
  }

  /// What stood in the way.
  public var reason: Reason
  /// What was tried.
  public var call: Call
  /// Where.
  public var path: StoragePath

  /// Makes an error.
  public init(_ reason: Reason, _ call: Call, _ path: StoragePath) {
    self.reason = reason
    self.call = call
    self.path = path
  }
}

extension StorageError: CustomStringConvertible {
  /// What was tried, where, and what stood in the way.
  public var description: String { "\(call.words) \(path): \(reason)" }
}

extension StorageError.Reason: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .exists: "it is there already"
    case .notFound: "it is not there"
    case .notAFolder: "it is no folder"
    case .notAFile: "it is no file"
    case .link: "it is a symbolic link, which is not followed"
    case .notEmpty: "the folder is not empty"
    case .noSpace: "the disk is full"
    case .noPermission: "no permission"
    case .readOnly: "the disk is read-only"
    case .deviceError: "the disk reports an error"
    case .interrupted: "interrupted"
    case .otherDisk: "it is on another disk"
    case .unsupported: "the file system cannot do this"
    case .badName: "the name cannot be used"
    case .tooManyOpen: "too many files are open"
    case .tooLarge: "it has more bytes than the limits allow"
    case .exhausted: "no number is left"
    case .other(let number): "error \(number) of the system"
    }
  }
}

extension StorageError.Call {
  var words: String {
    switch self {
    case .makeRoot: "making the folder"
    case .list: "listing"
    case .status: "looking at"
    case .makeFolder: "making the folder"
    case .create: "making"
    case .open: "opening"
    case .read: "reading"
    case .write: "writing"
    case .flush, .flushFolder: "writing to the disk"
    case .close: "closing"
    case .move: "moving"
    case .link: "linking"
    case .removeFile, .removeFolder: "removing"
    case .setModified: "setting the date of"
    case .lock: "locking"
    }
  }
}
