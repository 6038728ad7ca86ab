// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveTools
import CommandLineTools
import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Finds the archive that a file is, and those in its data.
struct ArchiveFinder {
  struct Found {
    let archive: KeyedArchive
    let byteCount: Int
    /// The path to the data, which '--inside' takes; nil for the file itself.
    let inside: String?
  }

  /// The size of the smallest archive. It also excludes system files of size 0 with endless content.
  private static let minimumByteCount = 60
  private let followsNested: Bool
  /// The budget for a file's data.
  private var budget: ExpansionBudget

  private init(followingNested: Bool, byteCount: Int) {
    followsNested = followingNested
    // Data counts twice: when a list is searched, and when the data is. So files may nest as deep as the limit allows.
    budget = ExpansionBudget(byteCount: 2 * Int64(byteCount), limits: .default)
  }

  /// Calls `body` with each archive in a file.
  ///
  /// Bytes that are not a property list, and lists that are not archives, are skipped; a damaged archive is an error.
  /// - Parameters:
  ///   - data: The file's bytes.
  ///   - followingNested: Whether to find archives in data.
  ///   - body: Receives an archive.
  /// - Throws: ``Failure`` for a damaged archive, and of `body`.
  static func find(in data: Data, followingNested: Bool, _ body: (Found) throws(Failure) -> Void) throws(Failure) {
    var finder = ArchiveFinder(followingNested: followingNested, byteCount: data.count)
    try finder.look(at: data, inside: nil, nesting: 0, body)
  }

  /// Returns the paths to the archives in the data of a property list.
  static func places(in list: PropertyList) -> [String] {
    var finder = ArchiveFinder(followingNested: true, byteCount: list.byteCount)
    var places: [String] = []
    // What is found before an error is worth naming.
    try? finder.lookInside(list, isArchive: false, nil, 0) { (found) throws(Failure) in
      if let inside = found.inside { places.append(inside) }
    }
    return places
  }

  /// Returns whether a file may be or contain an archive; only its first and last bytes are read.
  static func isCandidate(_ path: String, byteCount: Int, followingNested: Bool) throws(Failure) -> Bool {
    guard byteCount >= minimumByteCount else { return false }
    let start = try InputFile.read(path, at: 0, count: min(byteCount, ArchiveBytes.beginning))
    guard ArchiveBytes.mayBeArchiveFile(start, orHoldOne: followingNested) else { return false }
    guard start.starts(with: "bplist".utf8), byteCount > start.count else { return true }
    do {
      try checkEnd(path, byteCount: byteCount)
    } catch {
      guard ArchiveBytes.mayBeArchive(start) else { return false }
      throw error
    }
    return true
  }

  /// Checks that a file that begins like a binary property list also ends like one; only these bytes are read.
  static func checkEnd(_ path: String, byteCount: Int) throws(Failure) {
    let start = try InputFile.read(path, at: 0, count: 8)
    guard start.starts(with: "bplist".utf8) else { return }
    let end = try InputFile.read(path, at: byteCount - ArchiveBytes.end, count: ArchiveBytes.end)
    guard !ArchiveBytes.isSound(end: end, ofByteCount: byteCount) else { return }
    throw Failure(
      .notAnArchive, "damagedPropertyList",
      "invalid trailer: the file begins like a binary property list, but does not end like one of its length",
      remedy: "The file may be truncated, or have other bytes after the list; compare its size with the original")
  }

  private mutating func look(
    at data: Data, inside: String?, nesting: Int, _ body: (Found) throws(Failure) -> Void
  ) throws(Failure) {
    guard data.count >= Self.minimumByteCount, ArchiveBytes.mayBeArchiveFile(data, orHoldOne: followsNested) else {
      return
    }
    let list: PropertyList
    do {
      list = try PropertyList(data)
    } catch {
      // Only damaged lists with the keys of an archive were archives.
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
    guard followsNested else { return }
    try lookInside(list, isArchive: archive != nil, inside, nesting, body)
  }

  private static func failure(_ failure: Failure, _ inside: String?) -> Failure {
    guard let inside else { return failure }
    var failure = failure
    failure.place.insert("in the data at \(inside)", at: 0)
    return failure
  }

  /// Looks into all data of a list.
  private mutating func lookInside(
    _ list: PropertyList, isArchive: Bool, _ inside: String?, _ nesting: Int, _ body: (Found) throws(Failure) -> Void
  ) throws(Failure) {
    var walk = DataWalk(list, isArchive: isArchive)
    while let bytes = walk.next(budget: &budget) {
      guard budget.take(Int64(bytes.count)) else { break }
      // Only the paths to what may be found become text.
      guard bytes.count >= Self.minimumByteCount, ArchiveBytes.mayBeArchiveFile(bytes, orHoldOne: true),
        let path = walk.path(budget: &budget)
      else { continue }
      guard nesting < NestedData.maximumDepth else {
        worst =
          worst
          ?? Failure(
            .limitReached, "limitReached",
            "data nests deeper than \(NestedData.maximumDepth) property lists: not all of it was searched",
            place: inside.map { ["in the data at \($0)"] } ?? [])
        break
      }
      do {
        try look(at: bytes, inside: inside.map { "\($0) > \(path)" } ?? path, nesting: nesting + 1, body)
      } catch {
        // A damaged archive does not hide the others; its error is thrown at the end.
        worst = worst ?? error
      }
    }
    if walk.isTooDeep {
      worst =
        worst
        ?? Failure(
          .limitReached, "limitReached",
          "containers nest deeper than \(list.limits.maximumDepth) levels: not all data was searched",
          place: inside.map { ["in the data at \($0)"] } ?? [])
    }
    guard !budget.isExhausted else {
      throw Failure(
        .limitReached, "limitReached",
        "expansion limit reached: data is shared so often that not all of it was searched",
        place: inside.map { ["in the data at \($0)"] } ?? [])
    }
    if nesting == 0, let worst { throw worst }
  }

  private var worst: Failure?
}
