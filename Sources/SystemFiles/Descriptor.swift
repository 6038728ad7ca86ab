// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The system's number for an open file or folder, with the calls on it. Who opens one closes it.
///
/// A call that takes a name finds it in this folder. It does nothing else than the system's call of that kind: it is made
/// once, even if a signal comes in between, and checks no name, which may as well be a path.
package struct Descriptor: Hashable, Sendable {
  package let number: Int32

  package init(number: Int32) { self.number = number }

  /// What is opened, and for what.
  package enum Purpose: Sendable {
    /// A folder.
    case folder
    /// What is there, for reading. Does not wait for the other end of a pipe.
    case reading
    /// A new file, for writing. What the process leaves out of new files' permissions is left out.
    case creating(permissions: UInt32)
    /// A file for locking, reading and writing, which is made if it is not there and shall be.
    case locking(creates: Bool)
  }

  /// What a move does with what is at the target.
  package enum MoveMode: Sendable {
    /// A file, or an empty folder, is replaced.
    case replacing
    /// Anything there is an error.
    case exclusive
    /// The two change places.
    case exchanging
  }

  /// Opens a folder by its path, which may have links in it.
  package static func folder(_ path: String) throws(SystemError) -> Descriptor {
    try working.open(FileName(path), for: .folder, followingLinks: true)
  }
}
