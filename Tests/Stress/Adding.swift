// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DocumentLibraries
import HarnessSupport

/// Compares adding a document to a large library with adding one to an empty library.
struct Adding {
  private let empty: URL
  private let many: URL
  private let rounds: Int

  init(empty: URL, many: URL, rounds: Int) {
    self.empty = empty
    self.many = many
    self.rounds = rounds
  }

  func compare(count: Int) throws {
    let libraries = [try DocumentLibrary<Note>(at: empty), try DocumentLibrary<Note>(at: many)]
    // The first addition to a library lists it.
    for library in libraries { try library.addDocument(Note(1)) }
    try check("in one process", count) { index in
      try Self.microseconds { try libraries[index].addDocument(Note(1)) }
    }
    // Each process adds one document, so each is after a change of another one.
    try check("by a process that opens the library", count) { index in
      let worker = try Child(["listing-worker", (index == 0 ? empty : many).path])
      guard let time = try worker.line().flatMap(Double.init), worker.end() == 0 else {
        throw Breach("a process cannot add a document")
      }
      return time
    }
    try check("after a change of another process", count) { index in
      let worker = try Child(["listing-worker", (index == 0 ? empty : many).path])
      _ = try worker.line()
      guard worker.end() == 0 else { throw Breach("a process cannot add a document") }
      return try Self.microseconds { try libraries[index].addDocument(Note(1)) }
    }
  }

  /// Compares additions. A ratio above the limit is measured again, because others may be at work on the disk.
  private func check(_ title: String, _ count: Int, _ add: (Int) throws -> Double) throws {
    for _ in 0..<2 where try measure(title, count, add) { return }
    guard try measure(title, count, add) else { throw Breach("addDocument \(title) takes more than 1.5 times as long") }
  }

  /// Measures additions to both libraries in turn, and returns whether the ratio of the medians is at most 1.5.
  private func measure(_ title: String, _ count: Int, _ add: (Int) throws -> Double) throws -> Bool {
    var times: [[Double]] = [[], []]
    for round in 0..<(rounds * 5 + 2) {
      for index in 0..<2 {
        let time = try add(index)
        // The first two rounds are a warm-up.
        if round >= 2 { times[index].append(time) }
      }
    }
    let medians = times.map { $0.sorted()[$0.count / 2] }
    let ratio = medians[1] / medians[0]
    print(
      "addDocument \(title): \(number(medians[0])) µs into an empty library, \(number(medians[1])) µs into "
        + "\(count) documents; ratio \(number(ratio)) (at most 1.5)")
    return ratio <= 1.5
  }

  /// Opens a library and adds a document.
  static func work(_ arguments: inout Arguments) throws {
    let folder = URL(filePath: try arguments.operand(), directoryHint: .isDirectory)
    try arguments.finish()
    let time = try microseconds { try DocumentLibrary<Note>(at: folder).addDocument(Note(1)) }
    System.say("\(time)")
  }

  /// Counts and measures the flushes of an update of 1,000 documents, and of separate edits.
  static func compareUpdates(in folder: URL) throws {
    let count = 1000
    try Listing.make(count, in: folder)
    let storage = CountingStorage(folder)
    let library = try DocumentLibrary<Note>(in: storage)
    let numbers = try library.contents().numbers
    func measure(_ title: String, _ body: () throws -> Void) throws -> [StorageError.Call: Int] {
      _ = storage.take()
      let time = try microseconds(body)
      let calls = storage.take()
      print(
        "\(count) edits \(title): \(calls[.flush, default: 0]) flushes of files, \(calls[.flushFolder, default: 0]) of "
          + "folders, \(calls[.flushAll, default: 0]) of the disk; \(number(time / 1000)) ms")
      return calls
    }
    // The same documents are edited before, so that each keeps a former save in each case. The first update also tries the
    // abilities of the disk, which flushes a file.
    for (title, counter) in [("at first", 2), ("in one update", 4)] as [(String, Int64)] {
      let calls = try measure(title) {
        try library.update { update in
          for number in numbers { update.edit(number) { $0 = Note(counter) } }
        }
      }
      let (files, folders) = (calls[.flush, default: 0], calls[.flushFolder, default: 0])
      guard calls[.flushAll] == nil || files <= (counter == 2 ? 1 : 0) && folders <= 4 else {
        throw Breach("an update flushes single files")
      }
    }
    _ = try measure("one by one") {
      for number in numbers { try library.document(number).edit { $0 = Note(5) } }
    }
  }

  static func microseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .microseconds(1)
  }

  private func number(_ value: Double) -> String { Self.number(value) }
  private static func number(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}

/// Measures a gallery of 1,000 creatures by the command.
enum GalleryTime {
  static func run(tool: String, atMost limit: Int, in folder: URL) throws {
    let library = folder.appending(path: "creatures")
    try CreatureFolders.make(1000, in: library, by: tool)
    let output = folder.appending(path: "gallery").path
    var times: [Double] = []
    for _ in 0..<3 {
      times.append(
        try Adding.microseconds { try run(tool, ["gallery", "--force", "-o", output, "--library", library.path]) })
    }
    let text = times.map { "\(($0 / 10_000).rounded() / 100)" }.joined(separator: ", ")
    guard let best = times.min(), best <= Double(limit) * 1000 else {
      throw Breach("a gallery of 1000 creatures takes \(text) s, at most \(limit) ms")
    }
    print("a gallery of 1000 creatures takes \(text) s (one at most \(limit) ms)")
  }

  private static func run(_ tool: String, _ arguments: [String]) throws {
    let process = try Child(arguments, of: tool)
    process.drain()
    guard process.end() == 0 else { throw Breach("\(arguments) failed") }
  }
}
