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

  /// Returns whether two statuses are of the same file with unchanged content.
  package func isSame(as other: Self) -> Bool {
    kind == other.kind && identity == other.identity && byteCount == other.byteCount && modified == other.modified
  }
}
