// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import PropertyListFormat
import SystemFiles

/// A store's file on the disk, with the lock beside it.
///
/// A file is replaced and never changed in place: the new one is written under the name `.NAME.new`, flushed if it shall
/// outlast a loss of power, and takes the name in one step. So a reader sees the old file or the new one, and the lock is
/// needed only to change it. The lock is a file of its own, `.NAME.lock`, for the other changes its identity with each
/// write. In it is a number that counts the writes: two files of the same size that were written within one tick of the
/// disk's clock may look the same otherwise.
///
/// One thread at a time may use it.
struct DefaultsFile: Sendable {
  /// A version of the file.
  struct Version: Equatable, Sendable {
    var stamp: FileStatus?
    var count: UInt64
  }

  enum Content: Sendable {
    case absent
    case values(StoreCore.Values, PropertyList.Format)
    case damaged(PropertyListError)
  }

  let path: String
  private let folder: String
  private let lockPath: String
  private let temporaryPath: String
  private let calls: FileCalls
  private let limits: ReadLimits
  private let patience: Duration
  private var lockFile: OpenFile?

  init(_ url: URL, _ calls: FileCalls, limits: ReadLimits, patience: Duration) {
    let url = Self.target(of: url)
    path = url.path
    folder = url.deletingLastPathComponent().path
    let name = url.lastPathComponent
    lockPath = "\(folder)/.\(name).lock"
    temporaryPath = "\(folder)/.\(name).new"
    self.calls = calls
    self.limits = limits
    self.patience = patience
  }

  /// What a link leads to, even if that is not there yet: the link stays, and what it leads to is replaced.
  private static func target(of url: URL) -> URL {
    var url = url
    // Links that lead to each other lead nowhere.
    for _ in 0..<32 {
      guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: url.path) else { break }
      url = path.hasPrefix("/") ? URL(filePath: path) : url.deletingLastPathComponent().appending(path: path)
    }
    return url.resolvingSymlinksInPath()
  }

  // MARK: The lock

  /// Takes the lock that all who change the file take.
  mutating func lock() throws -> OpenFile {
    try makeFolder()
    let deadline = ContinuousClock.now + patience
    var wait: UInt32 = 50
    while true {
      do throws(FileFailure) {
        let file: OpenFile
        if let lockFile { file = lockFile } else { file = try calls.openLock(lockPath, creates: true) }
        lockFile = file
        if try calls.lock(file) {
          // Somebody may have removed the file meanwhile, and others may lock the one that came after it.
          if try isStillThere(file) { return file }
          calls.unlock(file)
          lockFile = nil
        }
      } catch {
        // It is let go of with the descriptor, if it was taken.
        lockFile = nil
        throw failure(error, .cannotWrite)
      }
      guard ContinuousClock.now < deadline else {
        throw DefaultsError(
          .busy, path: path, "another process has held the lock for \(patience)",
          remedy: "See which process has \(lockPath) open, or raise the patience")
      }
      Pause.sleep(microseconds: wait)
      wait = min(1000, wait * 2)
    }
  }

  private func isStillThere(_ lock: OpenFile) throws(FileFailure) -> Bool {
    do throws(FileFailure) {
      return try calls.status(lockPath).identity == calls.status(lock).identity
    } catch {
      if error.isAbsence { return false }
      throw error
    }
  }

  func unlock(_ lock: OpenFile) { calls.unlock(lock) }

  private func makeFolder() throws {
    guard !FileManager.default.fileExists(atPath: folder) else { return }
    // The folders that new ones appear in, up to the first that is there.
    var parents: [URL] = []
    var place = URL(filePath: folder)
    repeat {
      place.deleteLastPathComponent()
      parents.append(place)
    } while place.path.utf8.count > 1 && !FileManager.default.fileExists(atPath: place.path)
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw DefaultsError(.cannotWrite, path: path, "the folder could not be made: \(error)", underlying: error)
    }
    // A file is safe when all that leads to it is.
    do throws(FileFailure) {
      for parent in parents { try calls.flushFolder(parent.path) }
    } catch {
      throw failure(error, .cannotWrite)
    }
  }

  // MARK: Reading

  /// The version that is there now.
  mutating func version() throws(DefaultsError) -> Version {
    let count = try count()
    do throws(FileFailure) {
      return Version(stamp: try calls.status(path), count: count)
    } catch {
      guard error.isAbsence else { throw failure(error, .cannotRead) }
      return Version(stamp: nil, count: count)
    }
  }

  /// How often the file was written by those who have the lock.
  private mutating func count() throws(DefaultsError) -> UInt64 {
    if lockFile == nil { lockFile = try? calls.openLock(lockPath, creates: false) }
    guard let lockFile else { return 0 }
    do throws(FileFailure) {
      return try calls.count(in: lockFile)
    } catch {
      throw failure(error, .cannotRead)
    }
  }

  /// What is in the file.
  ///
  /// It needs no lock. The number is read first: who raises it after that will be noticed by the number, and who has
  /// raised it and not yet replaced the file, by the file, which cannot have the identity of one that is still there.
  mutating func read() throws(DefaultsError) -> (content: Content, version: Version) {
    let count = try count()
    let file: OpenFile
    let stamp: FileStatus
    do throws(FileFailure) {
      file = try calls.open(path)
      stamp = try calls.status(file)
    } catch {
      guard error.isAbsence else { throw failure(error, .cannotRead) }
      return (.absent, Version(stamp: nil, count: count))
    }
    let version = Version(stamp: stamp, count: count)
    guard stamp.kind == .file else {
      throw DefaultsError(
        .cannotRead, path: path, "expected a file, found something else: a folder, a pipe or a device",
        remedy: "Move what stands there out of the way")
    }
    guard stamp.byteCount <= limits.maximumByteCount else {
      return (
        .damaged(
          PropertyListError(
            .limitReached,
            "it has \(stamp.byteCount) bytes, more than the \(limits.maximumByteCount) that are read; raise FileStore.Options.limits"
          )), version
      )
    }
    let data: Data
    do throws(FileFailure) {
      data = try calls.read(file, expecting: stamp.byteCount, limit: limits.maximumByteCount)
    } catch {
      throw failure(error, .cannotRead)
    }
    do throws(PropertyListError) {
      let value = try PropertyListValue(propertyList: data, limits: limits)
      guard case .dictionary(let entries) = value else {
        throw PropertyListError(
          .malformedValue, "expected a dictionary at the top of the file, found a value of kind \(value.kindName)")
      }
      let isBinary = data.starts(with: Array("bplist".utf8))
      return (.values(DefaultsSnapshot(entries).merged, isBinary ? .binary : .xml), version)
    } catch {
      return (.damaged(error), version)
    }
  }

  // MARK: Writing, with the lock held

  /// Puts a new file in the place of the old one.
  /// - Returns: the version that was written, whatever has its name by now; nil if the system does not tell.
  func write(_ data: Data, flushing: Bool) throws(DefaultsError) -> Version? {
    let permissions = (try? calls.status(path)).map { $0.permissions & 0o777 } ?? 0o600
    do throws(FileFailure) {
      let file: OpenFile
      var count: UInt64 = 0
      do throws(FileFailure) {
        file = try calls.create(temporaryPath, permissions: permissions)
        try calls.write(data, to: file)
        if flushing { try calls.flush(file) }
        // Before the file is there: a reader that finds the number changed too early only reads once more.
        if let lockFile {
          count = try calls.count(in: lockFile) &+ 1
          try calls.setCount(count, in: lockFile)
        }
        try calls.rename(temporaryPath, path)
      } catch {
        try? calls.remove(temporaryPath)
        throw error
      }
      if flushing { try calls.flushFolder(folder) }
      return (try? calls.status(file)).map { Version(stamp: $0, count: count) }
    } catch {
      throw failure(error, .cannotWrite)
    }
  }

  /// Gives the file another name, under which it stays.
  func setAside() throws(DefaultsError) -> String {
    for number in 1...999 {
      let name = "\(path).damaged-\(number)"
      guard (try? calls.status(name)) == nil else { continue }
      do throws(FileFailure) {
        try calls.rename(path, name)
        return name
      } catch {
        throw failure(error, .cannotWrite)
      }
    }
    throw DefaultsError(
      .cannotWrite, path: path, "there are 999 damaged files beside it already", remedy: "Move them elsewhere")
  }

  func failure(_ error: FileFailure, _ code: DefaultsError.Code) -> DefaultsError {
    DefaultsError(
      code, path: path, "the call '\(error.call.rawValue)' failed: \(error.error.message)",
      remedy: error.isFullDisk ? "Make room on the disk; nothing that was stored is lost" : nil,
      underlying: error)
  }
}
