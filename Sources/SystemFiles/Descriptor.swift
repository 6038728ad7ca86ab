// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// An open file or folder of the system. Its owner closes it.
///
/// A call that takes a name looks it up in this folder. Each method makes exactly one system call: it is not repeated
/// after a signal, and does not check the name, which can be a path.
package struct Descriptor: Hashable, Sendable {
  package let number: Int32

  package init(number: Int32) { self.number = number }

  /// The entry to open, and the access to it.
  package enum Purpose: Sendable {
    case folder
    /// A file for reading. Opening a pipe does not wait for a writer.
    case reading
    /// A pipe or device for reading. Opening a pipe and reading from it wait for a writer.
    case waiting
    /// An existing file, device or pipe to write to.
    case writing
    /// A new file for writing, with permissions that the process's mask reduces.
    case creating(permissions: UInt32)
    /// A file for locking, reading and writing, which is created on request.
    case locking(creates: Bool)
  }

  /// The effect of a move if the target exists.
  package enum MoveMode: Sendable {
    /// Replaces a file or an empty folder.
    case replacing
    /// Fails.
    case exclusive
    /// Exchanges the two.
    case exchanging
  }

  /// Opens a folder by its path, which can have symbolic links.
  package static func folder(_ path: String) throws(SystemError) -> Descriptor {
    try working.open(FileName(path), for: .folder, followingLinks: true)
  }
}

extension Descriptor {
  /// Returns whether an entry of this folder is an open file, and not removed or replaced. The number of names of the file
  /// does not tell that: some disks report 0 for each file.
  func has(_ name: FileName, as file: Descriptor) -> Bool {
    guard let opened = try? file.status(), let entry = try? status(of: name) else { return false }
    return entry.identity == opened.identity
  }

  /// Removes a file that a killed process left in this folder, and returns whether it did. A file that another process has
  /// locked, a folder and a link remain.
  /// - Throws: ``SystemError`` if the file cannot be opened or removed.
  func removeUnlocked(_ name: FileName) throws(SystemError) -> Bool {
    let file: Descriptor
    do throws(SystemError) {
      file = try open(name, for: .reading)
    } catch {
      guard error.reason == .notFound else { throw error }
      return false
    }
    defer { try? file.close() }
    guard (try? file.status())?.kind == .file, (try? file.lock()) == true, has(name, as: file) else { return false }
    try removeFile(name)
    return true
  }
}

extension Descriptor {
  /// Gives a new file or folder the permissions of the one that it replaces. It gets the owner and the group, too, as far as
  /// the system allows that.
  /// - Parameters:
  ///   - old: The status of the file or folder to replace.
  ///   - permissions: The permissions, if they are not those of `old`.
  /// - Throws: ``SystemError`` if the permissions cannot be set.
  package func setAccess(like old: FileStatus, permissions: UInt32? = nil) throws(SystemError) {
    // The owner comes first, because a new one can clear permissions.
    try? setOwner(like: old)
    let access = try status()
    try setPermissions(access.permissions(permissions ?? old.permissions, of: old))
  }

  /// Gives a new file or folder the owner and the group of another one.
  /// - Throws: ``SystemError`` if the system does not allow both.
  package func setOwner(like other: FileStatus) throws(SystemError) {
    let own = try status()
    // A new file has the group of its folder, and not that of the process, on some systems and in some folders.
    guard own.owner != other.owner || own.group != other.group else { return }
    do throws(SystemError) {
      try setOwner(other.owner, group: other.group)
    } catch {
      // Few processes may set another owner, but each user may set the group to one of theirs.
      try setOwner(own.owner, group: other.group)
      throw error
    }
  }

  /// Waits until changes to the entries of this folder are on the disk, if the file system supports that.
  package func flushEntries() throws(SystemError) {
    do throws(SystemError) {
      try SystemError.repeating { () throws(SystemError) in try flush() }
    } catch {
      guard error.reason == .unsupported else { throw error }
    }
  }
}

/// The name of a file or folder. A name consists of bytes, because a disk can hold names that are not valid UTF-8.
package struct FileName: Hashable, Sendable, Comparable {
  /// The bytes, without a terminating zero.
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  package init(_ text: String) { bytes = Array(text.utf8) }

  /// Whether the name can be an entry of a folder: it is not empty, `.` or `..`, and has no slash or NUL.
  package var isPlain: Bool {
    !bytes.isEmpty && bytes != [0x2E] && bytes != [0x2E, 0x2E] && !bytes.contains { $0 == 0x2F || $0 == 0 }
  }

  /// The name as text. Invalid UTF-8 appears as replacement characters.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Whether the name is valid UTF-8. Otherwise ``text`` names another file.
  package var isText: Bool { text.utf8.elementsEqual(bytes) }

  package static func < (a: Self, b: Self) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

/// The status of a file or folder.
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Sendable {
    case file, folder, link, other
  }

  /// A value that no other existing file has.
  package struct Identity: Hashable, Sendable {
    package var device: UInt64
    package var number: UInt64
  }

  /// A time with the precision of file systems, counted from 1970.
  package struct Moment: Hashable, Sendable {
    package var seconds: Int64
    package var nanoseconds: Int64

    package init(seconds: Int64, nanoseconds: Int64) {
      self.seconds = seconds
      self.nanoseconds = nanoseconds
    }
  }

  package var kind: Kind
  package var byteCount: Int
  /// The time of the last change of the content.
  package var modified: Moment
  /// The time of the last change of the content or of an attribute.
  package var changed: Moment
  package var identity: Identity
  package var permissions: UInt32
  package var owner: UInt32
  package var group: UInt32
  /// The number of names (hard links).
  package var nameCount: Int

  /// Returns the permissions that this file can have in place of another one.
  ///
  /// Another group gets no more access than all users. A program does not run with the rights of another owner or group.
  /// - Parameters:
  ///   - permissions: The permissions under the owner and the group of `old`.
  ///   - old: The status of the other file.
  /// - Returns: The permissions for this file.
  package func permissions(_ permissions: UInt32, of old: Self) -> UInt32 {
    var permissions = permissions
    if owner != old.owner { permissions &= ~0o4000 }
    if group != old.group {
      // For a folder, the bit of the group is about the group of new files.
      permissions &= (kind == .folder ? 0o7707 : 0o5707) | (permissions & 0o007) << 3
    }
    return permissions
  }

  /// Returns whether two statuses are of the same file with unchanged content.
  package func isSame(as other: Self) -> Bool {
    kind == other.kind && identity == other.identity && byteCount == other.byteCount && modified == other.modified
  }
}
