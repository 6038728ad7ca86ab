// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import PropertyListFormat
import SystemFiles

/// The file of a store, with its lock file.
///
/// The file is replaced atomically: the new content is written to `.NAME.new`, flushed, and renamed. Without the flush, a
/// loss of power could leave an empty file under the name. Readers therefore need no lock. The lock is a separate file,
/// `.NAME.lock`, because each write gives the store's file a new identity. The lock file contains the number of writes.
/// Without it, two files of equal size that were written within one tick of the clock could have the same status.
///
/// After the number, the lock file has the keys that the last write changed, and marks of the kept file. A write does not
/// flush the lock file. After a loss of power it can have the keys of an earlier write, which had another kept file.
///
/// Callers must not use it concurrently.
struct DefaultsFile: Sendable {
  /// A version of the file.
  struct Version: Equatable, Sendable {
    var stamp: FileStatus?
    var count: UInt64

    /// When the content was written.
    var written: Date? {
      (stamp?.modified).map {
        Date(timeIntervalSince1970: Double($0.seconds) + Double($0.nanoseconds) / 1e9)
      }
    }
  }

  enum Content: Sendable {
    case absent
    case values(StoreCore.Values, PropertyList.Format)
    case damaged(PropertyListError)
    /// It exceeds a limit, so nothing is known of its values. It may be intact, and must not be replaced.
    case tooLarge(PropertyListError)
  }

  let path: String
  /// Whether `path` is a symbolic link to a name that is not valid UTF-8. Its target can be read, but has no path as text.
  private let isLinkToBytes: Bool
  private let folder: String
  private let lockPath: String
  private let temporaryPath: String
  /// The file that the last write replaced; nil if none is kept.
  private let keptPath: String?
  /// The name under which the kept file is prepared.
  private var newKeptPath: String { "\(folder)/.\(URL(filePath: path).lastPathComponent).last.new" }
  private let calls: FileCalls
  private let limits: ReadLimits
  private let patience: Duration
  private var lockFile: OpenFile?

  init(_ url: URL, _ calls: FileCalls, limits: ReadLimits, patience: Duration, keepsLastState: Bool) {
    // A write replaces the target of a symbolic link, even if it does not exist yet, and not the link. The error of links
    // that lead in a circle comes from the first use of the path.
    let end = (try? WholeFile.linkEnd(of: url.path)) ?? FileName(url.path)
    isLinkToBytes = !end.isText
    let url = end.isText ? URL(filePath: end.text, directoryHint: .notDirectory) : url
    path = url.path
    folder = url.deletingLastPathComponent().path
    let name = url.lastPathComponent
    lockPath = "\(folder)/.\(name).lock"
    temporaryPath = "\(folder)/.\(name).new"
    keptPath = keepsLastState ? "\(folder)/.\(name).last" : nil
    self.calls = calls
    self.limits = limits
    self.patience = patience
  }

  // MARK: The lock

  /// Takes the lock, which each writer of the file takes.
  mutating func lock() throws -> OpenFile {
    guard Capability.fileLocks.isAvailable else {
      throw failure(FileFailure(error: SystemError(lacking: .fileLocks), call: .lock, path: lockPath), .cannotWrite)
    }
    guard !isLinkToBytes else {
      throw DefaultsError(
        .cannotWrite, path: path, "the symbolic link leads to a name that is not valid UTF-8",
        remedy: "Rename the file that it leads to, and let the link lead to the new name")
    }
    try makeFolder()
    let lock = try LockWait.take(within: patience) {
      do throws(FileFailure) {
        let file: OpenFile
        if let lockFile { file = lockFile } else { file = try calls.openLock(lockPath, for: path, creates: true) }
        lockFile = file
        guard try calls.lock(file) else { return OpenFile?.none }
        // If the lock file was removed and created again, other processes lock the new one.
        if try isStillThere(file) { return file }
        calls.unlock(file)
        lockFile = nil
        return nil
      } catch {
        // Closing the descriptor releases the lock.
        lockFile = nil
        throw failure(error, .cannotWrite)
      }
    }
    guard let lock else {
      throw DefaultsError(
        .busy, path: path, "lock timeout: another process has held the lock for \(patience)",
        remedy: "Find the process that has \(lockPath) open, or raise FileStore.Options.patience")
    }
    return lock
  }

  private func isStillThere(_ lock: OpenFile) throws(FileFailure) -> Bool {
    guard let entry = try status(lockPath) else { return false }
    return try entry.identity == calls.status(lock).identity
  }

  func unlock(_ lock: OpenFile) { calls.unlock(lock) }

  private func makeFolder() throws {
    guard !FileManager.default.fileExists(atPath: folder) else { return }
    // The parents of all new folders. Foundation would not shorten a path that ends with `..`.
    var parents: [String] = []
    var parent = folder
    repeat {
      parent = FileName(parent).folder.text
      parents.append(parent)
    } while parent.utf8.count > 1 && !FileManager.default.fileExists(atPath: parent)
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      // Foundation's text does not say what is wrong.
      throw DefaultsError(
        .cannotWrite, path: path, "cannot create the folder \(folder)",
        remedy: "Check that the program may write there, and that no file has the name of one of its folders",
        underlying: error)
    }
    // A file is durable only if all its parent folders are.
    do throws(FileFailure) {
      for parent in parents { try calls.flushFolder(parent) }
    } catch {
      throw failure(error, .cannotWrite)
    }
  }

  // MARK: Reading

  /// Returns the current version.
  mutating func version() throws(DefaultsError) -> Version {
    let count = try count()
    do throws(FileFailure) {
      return Version(stamp: try status(path), count: count)
    } catch {
      throw failure(error, .cannotRead)
    }
  }

  /// Returns the number of writes with the lock.
  private mutating func count() throws(DefaultsError) -> UInt64 {
    if lockFile == nil { lockFile = try? calls.openLock(lockPath, for: path, creates: false) }
    guard let lockFile else { return 0 }
    do throws(FileFailure) {
      return try calls.count(in: lockFile)
    } catch {
      throw failure(error, .cannotRead)
    }
  }

  /// Reads the file, without the lock.
  ///
  /// The number of writes is read first. If a writer increments it later, the number shows the change. If a writer
  /// incremented it before and has not replaced the file yet, the new file will have another identity.
  mutating func read() throws(DefaultsError) -> (content: Content, version: Version) {
    let count = try count()
    let (content, stamp) = try content(at: path)
    return (content, Version(stamp: stamp, count: count))
  }

  /// Returns the values in the file that the last write replaced, its format, and when they were written. The result is nil
  /// if the file is missing or damaged.
  func keptValues() throws(DefaultsError) -> (
    values: StoreCore.Values, format: PropertyList.Format, written: Date?
  )? {
    guard let keptPath, case (.values(let values, let format), let stamp) = try content(at: keptPath) else {
      return nil
    }
    return (values, format, Version(stamp: stamp, count: 0).written)
  }

  /// Returns the keys whose values in the file differ from those in the kept file; nil if that is not known.
  /// - Parameter count: The number of writes of the file.
  /// - Returns: The keys.
  func keysChangedSinceKept(_ count: UInt64) -> [String]? {
    guard let lockFile, (try? calls.count(in: lockFile)) == count, let keptPath, let kept = try? calls.status(keptPath),
      let bytes = try? calls.bytesAfterCount(in: lockFile, limit: Self.maximumKeyBytes + 4), bytes.count >= 4
    else { return nil }
    let number = bytes.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard let length = Int(exactly: number), length <= bytes.count - 4,
      case .array(let record)? = try? PropertyListValue(propertyList: bytes[4..<4 + length]), record.count == 2,
      case .array(let keys) = record[0], record[1] == Self.marks(kept)
    else { return nil }
    var texts: [String] = []
    for key in keys {
      guard case .string(let text) = key else { return nil }
      texts.append(text)
    }
    return texts
  }

  /// Returns values that another kept file does not have.
  private static func marks(_ kept: FileStatus) -> PropertyListValue {
    .array([
      .integer(Int64(truncatingIfNeeded: kept.identity.number)), .integer(kept.modified.seconds),
      .integer(kept.modified.nanoseconds), .integer(Int64(kept.byteCount)),
    ])
  }

  /// Returns the form of keys in the lock file. Unknown keys, and too many ones, are an empty text.
  /// - Parameters:
  ///   - keys: The keys.
  ///   - kept: The status of the kept file.
  /// - Returns: The bytes that follow the number of writes.
  private static func keyBytes(_ keys: [String]? = nil, since kept: FileStatus? = nil) -> Data {
    var list = Data()
    if let keys, let kept,
      let data = try? PropertyListValue.array([.array(keys.map { .string($0) }), marks(kept)]).propertyList(.binary),
      data.count <= maximumKeyBytes
    {
      list = data
    }
    return Data((0..<4).map { UInt8(truncatingIfNeeded: list.count >> ($0 * 8)) }) + list
  }

  private static let maximumKeyBytes = 1 << 16

  private func content(at path: String) throws(DefaultsError) -> (content: Content, stamp: FileStatus?) {
    let file: OpenFile
    let stamp: FileStatus
    do throws(FileFailure) {
      file = try calls.open(path)
      stamp = try calls.status(file)
    } catch {
      guard error.isAbsence else { throw failure(error, .cannotRead) }
      return (.absent, nil)
    }
    guard stamp.kind == .file else {
      throw DefaultsError(
        .cannotRead, path: path, "not a file: found a folder, a pipe or a device; expected a regular file",
        remedy: "Move it to another path")
    }
    if let error = error(forByteCount: stamp.byteCount) { return (.tooLarge(error), stamp) }
    let data: Data
    do throws(FileFailure) {
      data = try calls.read(file, expecting: stamp.byteCount, limit: limits.maximumByteCount)
    } catch {
      throw failure(error, .cannotRead)
    }
    do throws(PropertyListError) {
      let isBinary = data.starts(with: Array("bplist".utf8))
      return (.values(try values(in: data), isBinary ? .binary : .xml), stamp)
    } catch {
      return (error.code == .limitReached ? .tooLarge(error) : .damaged(error), stamp)
    }
  }

  /// Returns the values in a file's content.
  /// - Throws: `PropertyListError` if the content is damaged or exceeds a limit. Equal texts and data share one object of a
  ///   file, so a store can write values that exceed its own limits.
  func values(in data: Data) throws(PropertyListError) -> StoreCore.Values {
    if let error = error(forByteCount: data.count) { throw error }
    let value = try PropertyListValue(propertyList: data, limits: limits)
    guard case .dictionary(let entries) = value else {
      throw PropertyListError(
        .malformedValue, "invalid top object: found a value of kind \(value.kindName); expected a dictionary")
    }
    return DefaultsSnapshot(entries).merged
  }

  private func error(forByteCount count: Int) -> PropertyListError? {
    guard count > limits.maximumByteCount else { return nil }
    return PropertyListError(
      .limitReached, "byte limit reached: found \(count); expected at most \(limits.maximumByteCount)")
  }

  // MARK: Writing with the lock

  /// The use of the file that a write replaces.
  enum Replaced {
    /// It becomes the kept file.
    case kept
    /// It is damaged, and gets another name. The kept file stays, and gets a second name on request.
    case setAside(withKeptFile: Bool)
  }

  /// The files of a damaged state, under their new names.
  struct Aside {
    var damaged: String
    var kept: String?
    /// The names that this write has made.
    fileprivate var new: [String] = []
  }

  /// A file that has replaced another one.
  struct Written {
    /// The version of the file, if the system provides its status.
    var version: Version?
    /// The new names of a damaged file.
    var aside: Aside?
    /// The error if a loss of power can undo the replacement.
    var unflushed: DefaultsError?
  }

  /// Replaces the file.
  /// - Parameters:
  ///   - data: The new content.
  ///   - keys: The keys whose values differ from those in the file that is then the kept one; nil if they are not known.
  ///   - replaced: What to do with the file that is replaced.
  ///   - flushing: Whether the new content survives a loss of power. Otherwise it or an older one does.
  /// - Returns: The written file.
  /// - Throws: The failure of a call. The file is unchanged.
  func write(
    _ data: Data, changing keys: [String]?, _ replaced: Replaced, flushing: Bool
  ) throws(DefaultsError) -> Written {
    let old = try? calls.status(path)
    var aside: Aside?
    do throws(FileFailure) {
      let new = try AtomicFile(
        StoreFileReplacement(calls: calls, path: path, temporaryPath: temporaryPath, folder: folder, old: old))
      try new.write(data)
      try new.flush()
      var isKept = false
      switch replaced {
      case .kept: isKept = prepareKeptFile()
      case .setAside(let withKeptFile): try setAside(withKeptFile, &aside)
      }
      var count: UInt64 = 0
      // Before the renames, because a reader that sees the new number early only reads once more. The keys are not known while
      // a killed process can leave the kept file of the write before.
      if let lockFile {
        do throws(FileFailure) {
          count = try calls.count(in: lockFile) &+ 1
          try calls.setCount(count, followedBy: Self.keyBytes(), in: lockFile)
          // The kept file stays, so its marks do not tell that the keys of the write before are out of date.
          if case .setAside = replaced { try calls.flush(lockFile) }
        } catch {
          if isKept { try? calls.remove(newKeptPath) }
          throw error
        }
      }
      // As late as possible. If a call before fails, the kept file is still that of the write before, and not a second name of
      // the current one.
      let areKeysKnown = if case .kept = replaced { isKept && replaceKeptFile() } else { true }
      if areKeysKnown, let keys, let lockFile, let keptPath {
        let kept = try? calls.status(keptPath)
        try? calls.setCount(count, followedBy: Self.keyBytes(keys, since: kept), in: lockFile)
      }
      var unflushed: DefaultsError?
      do throws(FileFailure) {
        try new.commit(durably: flushing)
      } catch {
        guard new.isCommitted else { throw error }
        unflushed = failure(error, .notDurable)
      }
      return Written(
        version: (try? calls.status(new.file)).map { Version(stamp: $0, count: count) }, aside: aside,
        unflushed: unflushed)
    } catch {
      // Each try would leave another copy. After a rename, the other name is the only one of the damaged file.
      if let aside, let old, (try? calls.status(path).identity) == old.identity {
        for name in aside.new { try? calls.remove(name) }
      }
      throw failure(error, .cannotWrite)
    }
  }

  /// Gives the kept file its name, and returns whether that succeeded.
  private func replaceKeptFile() -> Bool {
    guard let keptPath else { return false }
    do throws(FileFailure) {
      // A reader finds the kept file of the last write or of this one, at any time.
      try calls.rename(newKeptPath, keptPath)
      return true
    } catch {
      try? calls.remove(newKeptPath)
      return false
    }
  }

  /// Gives the file that a write is about to replace a second name for the kept file, and returns whether that succeeded.
  /// The write itself does not depend on it.
  private func prepareKeptFile() -> Bool {
    guard let keptPath else { return false }
    do throws(FileFailure) {
      do throws(FileFailure) {
        try calls.duplicate(path, as: newKeptPath)
      } catch {
        // A killed process left it.
        guard error.error.reason == .exists else { throw error }
        try calls.remove(newKeptPath)
        try calls.duplicate(path, as: newKeptPath)
      }
      return true
    } catch {
      try? calls.remove(newKeptPath)
      // If the file was removed, the state before this write is empty, and a repair must not bring older values back. The
      // error can be about another file.
      let isAbsent = (try? status(path) == nil) ?? false
      if isAbsent { try? calls.remove(keptPath) }
      return false
    }
  }

  /// Gives the damaged file another name. It also keeps its name until the new file replaces it, because a process that
  /// is killed meanwhile must not leave an empty store.
  /// - Parameters:
  ///   - withKeptFile: Whether the kept file gets another name, too.
  ///   - aside: Receives the names, also before an error.
  /// - Throws: The failure of a call.
  private func setAside(_ withKeptFile: Bool, _ aside: inout Aside?) throws(FileFailure) {
    let file = try calls.status(path)
    var number = 0
    var (damaged, kept) = ("", "")
    var isAside = false
    repeat {
      number += 1
      damaged = "\(path).damaged-\(number)"
      kept = damaged + ".last"
      if let other = try status(damaged) {
        // A process that was killed before it replaced the file has given it this name.
        isAside = other.identity == file.identity
        if isAside { break }
      } else if try status(kept) == nil {
        break
      }
    } while true
    if !isAside { try calls.duplicate(path, as: damaged) }
    aside = Aside(damaged: damaged, new: isAside ? [] : [damaged])
    guard withKeptFile, let keptPath, let keptFile = try status(keptPath) else { return }
    var isKeptAside = false
    if let other = try status(kept) {
      isKeptAside = other.identity == keptFile.identity
      if !isKeptAside { try calls.remove(kept) }
    }
    if !isKeptAside {
      try calls.duplicate(keptPath, as: kept)
      aside?.new.append(kept)
    }
    aside?.kept = kept
  }

  /// Returns the status of a file, or nil if it does not exist.
  private func status(_ path: String) throws(FileFailure) -> FileStatus? {
    do throws(FileFailure) {
      return try calls.status(path)
    } catch {
      if error.isAbsence { return nil }
      throw error
    }
  }

  private func remedy(_ error: FileFailure) -> String? {
    if error.error.lacking != nil { return "Use MemoryStore or UserDefaultsStore" }
    return switch error.error.reason {
    case .noSpace: "Free disk space; no stored value is lost"
    case .noPermission: "Allow the program to read and write \(error.path) and its folder"
    case .readOnly: "Use a file on a disk that is not read-only"
    case .link: "Use the path of the file itself, because the links lead to no file"
    case .notAFolder: "Move away the file that has the name of one of its folders"
    case .notAFile: "Move away the folder that has the name of the file, of \(lockPath) or of \(temporaryPath)"
    default: nil
    }
  }

  func failure(_ error: FileFailure, _ code: DefaultsError.Code) -> DefaultsError {
    let place = error.path.hasSameBytes(as: path) ? "" : " for \(error.path)"
    let result = code == .notDurable ? "the file was replaced, but a loss of power can undo that: " : ""
    return DefaultsError(
      code, path: path, "\(result)the system call '\(error.call.rawValue)' failed\(place): \(error.error.message)",
      remedy: remedy(error), underlying: error)
  }
}
