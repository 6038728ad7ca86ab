// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Finds the archives that a file is or holds.
struct ArchiveFinder {
  /// An archive that was found.
  struct Found {
    let archive: KeyedArchive
    let byteCount: Int
    /// The way to the data that it is; nil for the file itself.
    let inside: String?
  }

  /// No archive is smaller. Nor are files of the system whose size is 0 and whose content does not end.
  private static let leastByteCount = 60
  /// How many archives and lists may be in each other.
  private static let mostNested = 8

  private let followsNested: Bool
  /// What may be read of a file's data.
  private var room: ExpansionBudget

  private init(followingNested: Bool, byteCount: Int) {
    followsNested = followingNested
    room = ExpansionBudget(byteCount: byteCount, limits: .default)
  }

  /// Looks at a file's bytes and hands over each archive.
  ///
  /// Bytes that are no property list, and lists that are no archive, are passed over; one that seems to be an archive and
  /// is damaged is an error.
  static func find(
    in data: Data, followingNested: Bool, _ body: (Found) throws(Failure) -> Void
  ) throws(Failure) {
    var finder = ArchiveFinder(followingNested: followingNested, byteCount: data.count)
    try finder.look(at: data, inside: nil, nesting: 0, body)
  }

  /// Whether a file may be or hold an archive, by its first bytes and its last; the others are not read.
  static func isCandidate(_ path: String, byteCount: Int, followingNested: Bool) throws(Failure) -> Bool {
    guard byteCount >= leastByteCount else { return false }
    let start = try InputFile.read(path, at: 0, count: min(byteCount, ArchiveBytes.beginning))
    guard ArchiveBytes.mayBeArchiveFile(start, orHoldOne: followingNested) else { return false }
    guard start.starts(with: "bplist".utf8), byteCount > start.count else { return true }
    let end = try InputFile.read(path, at: byteCount - ArchiveBytes.end, count: ArchiveBytes.end)
    guard !ArchiveBytes.isSound(end: end, ofByteCount: byteCount) else { return true }
    guard ArchiveBytes.mayBeArchive(start) else { return false }
    throw Failure(
      .notAnArchive, "damagedPropertyList",
      "begins like a keyed archive, but its last bytes are not those of a property list of its length; perhaps the file's "
        + "end is missing")
  }

  private mutating func look(
    at data: Data, inside: String?, nesting: Int, _ body: (Found) throws(Failure) -> Void
  ) throws(Failure) {
    guard data.count >= Self.leastByteCount, ArchiveBytes.mayBeArchiveFile(data, orHoldOne: followsNested) else {
      return
    }
    let list: PropertyList
    do {
      list = try PropertyList(data)
    } catch {
      // A list that is damaged may have been anything; one that has the words for it was an archive.
      guard ArchiveBytes.mayBeArchive(data) else { return }
      throw Self.failure(Failure(error), inside)
    }
    var archive: KeyedArchive?
    do {
      archive = try KeyedArchive(list, archivers: .any)
      try archive?.validate()
    } catch {
      if error.code != .notAnArchive { throw Self.failure(Failure(error), inside) }
    }
    if let archive { try body(Found(archive: archive, byteCount: data.count, inside: inside)) }
    guard followsNested, nesting < Self.mostNested else { return }
    try lookInside(list, isArchive: archive != nil, inside, nesting, body)
  }

  private static func failure(_ failure: Failure, _ inside: String?) -> Failure {
    guard let inside else { return failure }
    var failure = failure
    failure.place.insert("in the data at \(inside)", at: 0)
    return failure
  }

  /// Looks at all data of a list.
  private mutating func lookInside(
    _ list: PropertyList, isArchive: Bool, _ inside: String?, _ nesting: Int, _ body: (Found) throws(Failure) -> Void
  ) throws(Failure) {
    var walk = DataWalk(list, isArchive: isArchive)
    while let (path, bytes) = walk.next(room: &room) {
      guard room.take(bytes.count) else { break }
      do {
        try look(at: bytes, inside: inside.map { "\($0) > \(path)" } ?? path, nesting: nesting + 1, body)
      } catch {
        // One that is damaged does not hide the others. Of the file it is the last word.
        worst = worst ?? error
      }
    }
    guard !room.isExhausted else {
      throw Failure(
        .limitReached, "limitReached", "the file's data are shared so often that they are not all looked at",
        place: inside.map { ["in the data at \($0)"] } ?? [])
    }
    if nesting == 0, let worst { throw worst }
  }

  private var worst: Failure?
}
