// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DocumentLibraries
import KeyedArchiving
import HarnessSupport

/// Compares listing a library with listing its folder, and opening and adding a document in a library of few documents with
/// one of many. Measures a gallery and the flushes of an update.
struct Listing {
  private let folder: URL
  private let few: URL
  private let count: Int
  private let rounds: Int

  static func run(_ arguments: inout Arguments) throws {
    let count = max(10, try arguments.number("documents", 100_000))
    let rounds = max(1, try arguments.number("rounds", 9))
    let tool = arguments.text("tool") ?? Interrupts.usualTool
    let galleryTime = try arguments.milliseconds("gallery") ?? 3000
    let place = arguments.folder()
    try arguments.finish()
    try place.use { folder in
      let listing = Listing(
        folder: folder.appending(path: "many"), few: folder.appending(path: "few"), count: count, rounds: rounds)
      try make(count, in: listing.folder)
      try make(10, in: listing.few)
      try listing.checkCalls()
      // Thrown at the end, so that a slow listing does not hide the other results.
      let breach: (any Error)?
      do {
        try listing.compareListings()
        breach = nil
      } catch {
        breach = error
      }
      try listing.compareOpening()
      let empty = folder.appending(path: "empty")
      try Adding(empty: empty, many: listing.folder, rounds: rounds).compare(count: count)
      try Adding.compareUpdates(in: folder.appending(path: "update"))
      try GalleryTime.run(tool: tool, atMost: galleryTime, in: folder)
      if let breach { throw breach }
    }
  }

  /// Creates document folders directly, with only a data file.
  static func make(_ count: Int, in folder: URL) throws {
    let storage = DiskStorage(folder)
    try storage.makeRoot()
    let data = try KeyedArchiver.archivedData(withRootObject: Note(1), requiringSecureCoding: true)
    for number in 1...count {
      let document = StoragePath.root / StorageName("\(number).\(Note.folderExtension)")
      try storage.makeFolder(document)
      let file = try storage.create(document / StorageName(Note.dataFileName))
      _ = try storage.write(data, to: file)
      try storage.close(file)
    }
  }

  /// Checks that no file of a document is accessed, and that the number of calls does not depend on that of documents.
  private func checkCalls() throws {
    let storage = CountingStorage(folder)
    let library = try DocumentLibrary<Note>(in: storage)
    _ = storage.take()
    guard try library.contents().numbers.count == count else { throw Breach("not all \(count) documents are listed") }
    let contents = storage.take()
    guard contents == [.list: 1] else { throw Breach("contents() makes the calls \(contents)") }
    guard try library.documents().count == count else { throw Breach("not all \(count) documents are listed") }
    let documents = storage.take()
    guard documents == [.list: 1] else { throw Breach("documents() makes the calls \(documents)") }
    _ = try library.document(7).data
    let opening = storage.take()
    guard opening[.list] == nil, opening[.open] == 1 else { throw Breach("opening one makes the calls \(opening)") }
    print("calls: contents() 1 list; documents() 1 list; document(7).data \(text(opening))")
  }

  private func text(_ calls: [StorageError.Call: Int]) -> String {
    calls.map { "\($0.value) \($0.key.rawValue)" }.sorted().joined(separator: ", ")
  }

  private func compareListings() throws {
    let library = try DocumentLibrary<Note>(at: folder)
    let ways: [(title: String, list: () throws -> Int)] = [
      ("names, read and not kept", { try System.names(in: folder.path) - 2 }),
      (
        "names, kept as strings",
        {
          var names: [String] = []
          _ = try System.names(in: folder.path) { names.append($0) }
          return names.count - 2
        }
      ),
      (
        "FileManager.contentsOfDirectory",
        { try FileManager.default.contentsOfDirectory(atPath: folder.path).count }
      ),
      ("library.contents()", { try library.contents().numbers.count }),
      ("library.documents()", { try library.documents().count }),
    ]
    var times = [[Double]](repeating: [], count: ways.count)
    for round in 0...rounds {
      for (index, way) in ways.enumerated() {
        var found = 0
        let time = try milliseconds { found = try way.list() }
        guard found == count else { throw Breach("\(way.title): \(found) instead of \(count)") }
        // The first round is a warm-up.
        if round > 0 { times[index].append(time) }
      }
    }
    let medians = times.map { $0.sorted()[$0.count / 2] }
    for (way, median) in zip(ways, medians) {
      print(
        "\(pad(way.title, 32)) \(pad(number(median), -8)) ms   \(number(median / medians[0])) times the names, "
          + "\(number(median / medians[1])) times the strings")
    }
    let ratio = medians[4] / medians[1]
    guard ratio <= 1.5 else { throw Breach("listing costs \(number(ratio)) times reading the names") }
    print("listing \(count) documents costs \(number(ratio)) times reading their names (at most 1.5)")
  }

  private func compareOpening() throws {
    let libraries = [try DocumentLibrary<Note>(at: few), try DocumentLibrary<Note>(at: folder)]
    var random = SeededRandom(seed: 1)
    var times: [[Double]] = [[], []]
    for round in 0..<1100 {
      // Both cases use the same ten documents, so that the system's cache favors neither.
      let number = DocumentNumber(integerLiteral: Int.random(in: 1...10, using: &random))
      for (index, library) in libraries.enumerated() {
        var data: Note?
        let time = try milliseconds { data = try library.document(number).data }
        guard data?.counter == 1 else { throw Breach("document \(number) cannot be read") }
        if round >= 100 { times[index].append(time * 1000) }
      }
    }
    let medians = times.map { $0.sorted()[$0.count / 2] }
    print(
      "document(n).data: \(number(medians[0])) µs of 10, \(number(medians[1])) µs of \(count); ratio "
        + number(medians[1] / medians[0]))
  }

  private func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .milliseconds(1)
  }

  private func number(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

  /// Pads a text to a width; a negative width aligns it right.
  private func pad(_ text: String, _ width: Int) -> String {
    let blanks = String(repeating: " ", count: max(0, abs(width) - text.count))
    return width < 0 ? blanks + text : text + blanks
  }
}
