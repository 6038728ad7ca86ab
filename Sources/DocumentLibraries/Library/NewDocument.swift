// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SystemFiles

enum NumberChoice {
  /// The number after the largest one, or after a number that was recently the largest.
  case after(DocumentNumber?)
  /// This number, which must be free.
  case exactly(DocumentNumber)
}

/// The last number that a library gave to a document, with the identity and date of the library's folder after that. As
/// long as the folder is unchanged, the number is the largest, and the next document needs no listing.
///
/// A large library also has a file with the hint, which other processes read. The file is never flushed, because a hint that is
/// damaged or outdated costs only a listing.
struct NumberHint: Sendable {
  /// The least number for which the file is worth its write. A listing up to there takes about as long.
  static let leastStoredNumber = 256
  static let maximumByteCount = 200

  var number: DocumentNumber
  var root: StorageStatus

  init(number: DocumentNumber, root: StorageStatus) {
    self.number = number
    self.root = root
  }

  /// Parses a file; nil if it is not whole.
  init?(_ file: Data) {
    guard file.last == 0x0A else { return nil }
    let fields = file.dropLast().split(separator: 0x20, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard fields.count == 5, let number = Int(fields[0]).flatMap({ DocumentNumber($0) }),
      let identity = UInt64(fields[1]), let seconds = Int64(fields[2]), let nanoseconds = Int64(fields[3]),
      let byteCount = Int(fields[4])
    else { return nil }
    self.number = number
    root = StorageStatus(
      kind: .folder, byteCount: byteCount, modified: StorageDate(seconds: seconds, nanoseconds: nanoseconds),
      identity: identity)
  }

  /// The content of the file.
  var file: Data {
    let date = root.modified
    return Data("\(number) \(root.identity) \(date.seconds) \(date.nanoseconds) \(root.byteCount)\n".utf8)
  }

  /// Whether the folder has not changed since. Some file systems also count the entries in the size.
  func isCurrent(_ status: StorageStatus) -> Bool { status == root }
}

struct StoredFile: Sendable {
  var name: StorageName
  var bytes: Data
  /// The modification date; nil for the current one.
  var modified: StorageDate?
}

extension DocumentLibrary {
  /// Creates a document's folder atomically.
  /// - Returns: The number, and the version of the first file, which is the data file.
  func makeDocument(_ files: FileChanges) throws(StorageError) -> (DocumentNumber, FileVersion?) {
    let new = WorkFolder.newName()
    return try withWorkFolder { () throws(StorageError) in
      do throws(StorageError) {
        try steps.makeFolder(new)
        let stored = files.filter { $0.bytes != nil }
        for (name, bytes) in stored { try steps.write(bytes ?? Data(), to: new / name) }
        try steps.flushFolder(new)
        let version = stored.isEmpty ? nil : try version(of: new / stored[0].name)
        return (try moveIntoPlace(new, .after(nil)), version)
      } catch {
        try? steps.removeAll(new)
        throw error
      }
    }
  }

  /// Moves a folder to the place of a document.
  func moveIntoPlace(_ new: StoragePath, _ choice: NumberChoice) throws(StorageError) -> DocumentNumber {
    switch choice {
    case .exactly(let number):
      // A displaced document keeps its number. The rename alone would not notice it if its extension has capital letters.
      // `.after` needs no check, because the largest number includes displaced documents.
      guard try !isDisplaced(number) else { throw StorageError(.exists, .move, new) }
      try rename(new, to: number)
      // The next document gets the number after the largest, which may be another.
      numberHint.withLock { $0 = nil }
      return number
    case .after(let known):
      if let hint = hintedNumber(), known.map({ $0 < hint }) ?? true {
        do throws(StorageError) {
          return try take(hint, by: new)
        } catch {
          // Another process took the number, so the hint is outdated.
          guard error.reason == .exists else { throw error }
        }
      }
      var number: DocumentNumber
      if let next = known?.next { number = next } else { number = try firstFree() }
      while true {
        do throws(StorageError) {
          return try take(number, by: new)
        } catch {
          // Another process took the number.
          guard error.reason == .exists else { throw error }
          guard let next = number.next else { throw StorageError(.exhausted, .move, .root) }
          number = next
        }
      }
    }
  }

  /// Renames a folder to the name of a document with the number after the largest, and remembers the number.
  private func take(_ number: DocumentNumber, by new: StoragePath) throws(StorageError) -> DocumentNumber {
    try rename(new, to: number)
    // No call may fail after the rename. Without a status, the next document's number comes from a listing.
    let hint = (try? steps.status(of: .root)).map { NumberHint(number: number, root: $0) }
    numberHint.withLock { $0 = hint }
    if let hint, number.rawValue >= NumberHint.leastStoredNumber { store(hint) }
    return number
  }

  /// Writes the hint for other processes, if that is possible.
  private func store(_ hint: NumberHint) {
    // In the open folder, because each addition does this.
    guard let folder = try? FolderReader(WorkFolder.path, in: steps), let name = WorkFolder.numberPath.names.last else {
      return
    }
    let new = StoragePath(folder.path.names + WorkFolder.newName().names.suffix(1))
    do throws(StorageError) {
      try folder.steps.write(hint.file, to: new, flushing: false)
      try folder.steps.move(new, to: folder.path / name, .replacing)
    } catch {
      try? folder.steps.removeFile(new)
    }
  }

  /// The number after the last one that this object or another process gave to a document, if the folder is unchanged
  /// since.
  ///
  /// Dates have a limited precision, so a change by another process at the same moment can go unnoticed. The folder's name
  /// is unique nevertheless, because it is taken by an exclusive rename. At worst another process took a larger number at
  /// that moment.
  private func hintedNumber() -> DocumentNumber? {
    guard let now = try? steps.status(of: .root) else { return nil }
    if let hint = numberHint.withLock({ $0 }), hint.isCurrent(now) { return hint.number.next }
    guard let file = try? steps.read(WorkFolder.numberPath, limit: NumberHint.maximumByteCount),
      let hint = NumberHint(file), hint.isCurrent(now)
    else { return nil }
    return hint.number.next
  }

  /// The number after the largest one.
  private func firstFree() throws(StorageError) -> DocumentNumber {
    do {
      return try nextNumber()
    } catch {
      // Only an exhausted range of numbers has no underlying error.
      throw (error.underlying as? StorageError) ?? StorageError(.exhausted, .move, .root)
    }
  }

  /// Renames a folder to a document's name, which must be free.
  private func rename(_ new: StoragePath, to number: DocumentNumber) throws(StorageError) {
    let name = FolderName.name(for: number, extension: Model.folderExtension)
    let document = StoragePath.root / name
    // A document that a change in two steps displaced still has its number, also after a crash between the steps.
    guard try steps.status(of: WorkFolder.name(replacing: name)) == nil else {
      throw StorageError(.exists, .move, document)
    }
    try steps.move(new, to: document, .exclusive)
    // The rename may not survive a crash if the flush fails, so it is undone then.
    try flush(.root) { () throws(StorageError) in try steps.move(document, to: new, .exclusive) }
  }
}
