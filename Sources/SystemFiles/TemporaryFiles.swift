// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The temporary files that this process writes beside its outputs.
///
/// The temporary file of `NAME` is `.NAME.keyedarchiver-unfinished`, or has a number if several processes write to the
/// file. It is locked while it is written. One that is not locked was left by a killed process, and the next write to
/// `NAME` removes it.
package enum TemporaryFiles {
  static let suffix = ".keyedarchiver-unfinished"
  /// The number of names to try. Where locks are missing, leftovers cannot be recognized, and these names stay taken.
  private static let nameCount = 8

  private struct State: Sendable {
    /// The open files, and the objects that keep their folders open.
    var files: [Entry: (any Sendable)?] = [:]
    var removesAtSignals = false
    var isInstalled = false
    /// Whether a signal has removed the files. The process is about to end.
    var isEnding = false
  }

  private struct Entry: Hashable {
    var folder: Descriptor
    var name: FileName
  }

  private static let state = Locked(State())

  /// Makes signals that end the process, such as that of Ctrl-C, first remove the temporary files. Programs call it, not
  /// libraries. The actions are set with the first temporary file.
  package static func removeAtSignals() { state.withLock { $0.removesAtSignals = true } }

  /// Whether the program called ``removeAtSignals()``.
  package static var isRemovingAtSignals: Bool { state.withLock { $0.removesAtSignals } }

  /// Creates a file with `body`, which is removed if a signal ends the process before ``end(_:in:_:)``.
  static func begin(
    _ name: FileName, in folder: Descriptor, owner: (any Sendable)? = nil,
    _ body: () throws(SystemError) -> Descriptor
  ) throws(SystemError) -> Descriptor {
    try change { (state) throws(SystemError) in
      if state.removesAtSignals, !state.isInstalled {
        state.isInstalled = true
        EndingSignals.add(EndingSignals.all) { removeAll() }
      }
      // With the lock, so that a signal finds each file that exists.
      let file = try body()
      state.files[Entry(folder: folder, name: name)] = .some(owner)
      return file
    }
  }

  /// Renames or removes a file with `body`. After an error, the file still counts as temporary.
  static func end<Failure: Error>(
    _ name: FileName, in folder: Descriptor, _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    try change { (state) throws(Failure) in
      try body()
      state.files[Entry(folder: folder, name: name)] = nil
    }
  }

  /// Changes the files, unless the process is about to end. Then the call does not return, because a new file would remain,
  /// and the rename of a removed one would fail.
  private static func change<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    while true {
      let result = try state.withLock { (state) throws(Failure) -> Result? in
        guard !state.isEnding else { return nil }
        return try body(&state)
      }
      if let result { return result }
      EndingSignals.wait()
    }
  }

  /// Removes all files. The process ends after that.
  private static func removeAll() {
    state.withLock { state in
      state.isEnding = true
      for file in state.files.keys { try? file.folder.removeFile(file.name) }
    }
  }

  /// Creates a locked temporary file beside a file, after removing those that killed processes left.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - permissions: The permissions of the temporary file.
  ///   - isThere: Returns whether a path is still that of an open file. Tests replace it.
  /// - Returns: The open file and its path.
  /// - Throws: ``SystemError``. Its reason is ``SystemError/Reason/exists`` if no name stays that of the new file.
  static func create(
    beside path: FileName, permissions: UInt32,
    isThere: (_ path: FileName, _ file: Descriptor) -> Bool = Descriptor.working.has
  ) throws(SystemError) -> (file: Descriptor, path: FileName) {
    var index = 0
    var removals = 0
    // A disk on which no new file has its name must not be filled with files.
    while index < 2 * nameCount {
      let temporary = name(of: path, index)
      do throws(SystemError) {
        let file = try begin(temporary, in: .working) { () throws(SystemError) in
          try Descriptor.working.open(temporary, for: .creating(permissions: permissions))
        }
        // Another process may have removed it as a leftover before it was locked. Not every disk has locks.
        let isLocked = (try? file.lock()) ?? true
        if isLocked, isThere(temporary, file) { return (file, temporary) }
        end(temporary, in: .working) {}
        try? file.close()
        index += 1
      } catch {
        guard error.reason == .exists, index <= nameCount else { throw error }
        if removals < 64, removeLeftover(temporary) { removals += 1 } else { index += 1 }
      }
    }
    throw .exists
  }

  private static func name(of path: FileName, _ index: Int) -> FileName {
    guard index < nameCount else { return FileName(bytes: path.folderBytes + ".\(UUID().uuidString)\(suffix)".utf8) }
    let end = index == 0 ? suffix : "\(suffix)-\(index + 1)"
    return FileName(bytes: path.folderBytes + [UInt8(ascii: ".")] + beginning(of: path.lastBytes) + end.utf8)
  }

  /// The bytes of a name that have space in the names of its temporary files. Most disks allow 255 bytes, and some only UTF-8.
  ///
  /// Files with equal beginnings have the same names for their temporary files, as several writers of one file have.
  private static func beginning(of name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let limit = 255 - ".\(suffix)-\(nameCount)".utf8.count
    guard name.count > limit else { return name }
    func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
    var end = name.startIndex + limit
    while end > name.startIndex, isContinuation(name[end]) { end -= 1 }
    return name[..<end]
  }

  /// Removes a file that no process has locked, and returns whether it did.
  private static func removeLeftover(_ path: FileName) -> Bool {
    (try? Descriptor.working.removeUnlocked(path)) ?? false
  }

  /// Removes the temporary files of a file that killed processes left.
  package static func sweep(beside path: String) {
    for index in 0..<nameCount { _ = removeLeftover(name(of: FileName(path), index)) }
  }
}
