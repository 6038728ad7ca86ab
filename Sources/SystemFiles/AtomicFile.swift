// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The calls that an ``AtomicFile`` makes, each for one file and its temporary file.
///
/// A conforming type calls the system, or stands in for it: a simulated disk loses power, a test makes a call fail.
package protocol AtomicFileCalls {
  /// An open file.
  associatedtype File
  associatedtype Failure: Error
  /// Creates the temporary file, in the folder of the file.
  func create() throws(Failure) -> File
  /// Appends at least one byte, if `bytes` has any, and returns the number of bytes appended.
  func write(_ bytes: Data, to file: File) throws(Failure) -> Int
  /// Waits until the bytes are on the disk.
  func flush(_ file: File) throws(Failure)
  func close(_ file: File)
  /// Gives the temporary file the name of the file, and replaces a file of that name.
  func rename() throws(Failure)
  /// Waits until the folder's entries are on the disk.
  func flushFolder() throws(Failure)
  /// Removes the temporary file, if it exists.
  func remove()
}

/// The durable atomic replacement of a file. All modules use it, except for the documents of a library, which also replace
/// several files and folders, and can be in memory.
///
/// The bytes go to a temporary file in the same folder. ``commit(durably:)`` flushes it, renames it and flushes the
/// folder. A crash of the program or of the machine then leaves the old content or the new one. A file that is released
/// before it is renamed is removed.
package final class AtomicFile<Calls: AtomicFileCalls> {
  private let calls: Calls
  /// The open temporary file.
  package let file: Calls.File
  private var isFlushed = false
  /// Whether the file was replaced. If ``commit(durably:)`` throws an error after that, the folder could not be flushed, and a
  /// loss of power can undo the replacement.
  package private(set) var isCommitted = false

  package init(_ calls: Calls) throws(Calls.Failure) {
    self.calls = calls
    file = try calls.create()
  }

  deinit {
    if !isCommitted { calls.remove() }
    calls.close(file)
  }

  package func write(_ bytes: Data) throws(Calls.Failure) {
    isFlushed = false
    var rest = bytes
    while !rest.isEmpty { rest = rest.dropFirst(try calls.write(rest, to: file)) }
  }

  /// Waits until all bytes are on the disk.
  package func flush() throws(Calls.Failure) {
    if !isFlushed { try calls.flush(file) }
    isFlushed = true
  }

  /// Replaces the file.
  /// - Parameter isDurable: Whether the replacement outlasts a loss of power. Atomic it is in any case.
  /// - Throws: An error of the calls. The old file is untouched, unless ``isCommitted`` is true.
  package func commit(durably isDurable: Bool = true) throws(Calls.Failure) {
    if isDurable { try flush() }
    try calls.rename()
    isCommitted = true
    if isDurable { try calls.flushFolder() }
  }
}
