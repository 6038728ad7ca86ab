// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DocumentLibraries
import HarnessSupport

/// Creates documents in one library with several processes, which may be killed and restarted.
struct Crowd {
  /// A process, and its successors after kills.
  private struct Seat {
    var child: Child
    /// The number of documents that it must still create.
    var rest: Int
    /// The document that it announced and has not acknowledged.
    var running: Int64?
    /// The number of announced documents, so that no two have the same counter.
    var begun = 0
    var isDone = false
  }

  private let folder: URL
  private var seats: [Seat] = []
  private var acknowledged: [Int: Int64] = [:]
  /// The documents that were announced and never acknowledged.
  private var uncertain: Set<Int64> = []
  private var kills = 0

  static func run(_ arguments: inout Arguments) throws {
    let processes = max(1, try arguments.number("processes", 8))
    let documents = try arguments.number("documents", 500)
    let interval = try arguments.milliseconds("kill-every")
    let seed = try arguments.number("seed", 1)
    let place = arguments.folder()
    try arguments.finish()
    try place.use { folder in
      var crowd = Crowd(folder: folder.appending(path: "library"))
      let start = ContinuousClock.now
      try crowd.work(processes, documents, interval, SeededRandom(seed: UInt64(seed)))
      let time = (ContinuousClock.now - start) / .seconds(1)
      let survived = try crowd.check(processes * documents)
      print(
        "\(processes) processes, \(crowd.acknowledged.count) distinct numbers, \(crowd.kills) kills, "
          + "\(survived) unacknowledged survived, all whole, none overwritten; \(Int(time.rounded())) s")
    }
  }

  private init(folder: URL) { self.folder = folder }

  private mutating func work(_ processes: Int, _ documents: Int, _ interval: Int?, _ random: SeededRandom) throws {
    var random = random
    for index in 0..<processes { seats.append(Seat(child: try start(index, documents, 0), rest: documents)) }
    var nextKill = interval.map { ContinuousClock.now + .milliseconds($0) }
    while true {
      let working = seats.indices.filter { !seats[$0].isDone }
      guard !working.isEmpty else { return }
      _ = System.wait(for: working.map { seats[$0].child.pipe }, milliseconds: nextKill == nil ? 1000 : 5)
      for index in working where System.wait(for: [seats[index].child.pipe], milliseconds: 0) {
        seats[index].child.readSome()
        try take(index)
        guard seats[index].child.isAtEnd else { continue }
        let end = seats[index].child.end()
        guard end == 0, seats[index].rest == 0 else {
          throw Breach("process \(index) ended with \(end) and owes \(seats[index].rest) documents")
        }
        seats[index].isDone = true
      }
      guard let interval, let time = nextKill, ContinuousClock.now >= time else { continue }
      nextKill = ContinuousClock.now + .milliseconds(interval)
      if let victim = seats.indices.filter({ !seats[$0].isDone }).randomElement(using: &random) { try kill(victim) }
    }
  }

  private func start(_ index: Int, _ documents: Int, _ begun: Int) throws -> Child {
    try Child([
      "crowd-worker", folder.path, "--documents", "\(documents)", "--first",
      "\((index + 1) * 10_000_000 + begun)",
    ])
  }

  private mutating func kill(_ index: Int) throws {
    let child = seats[index].child
    child.kill()
    while !child.isAtEnd { child.readSome() }
    try take(index)
    let end = child.end()
    // The process may have ended just before.
    guard end == -9 || end == 0 else { throw Breach("process \(index) ended with \(end)") }
    kills += 1
    if let running = seats[index].running { uncertain.insert(running) }
    seats[index].running = nil
    guard seats[index].rest > 0 else {
      seats[index].isDone = true
      return
    }
    seats[index].child = try start(index, seats[index].rest, seats[index].begun)
  }

  private mutating func take(_ index: Int) throws {
    while let line = seats[index].child.nextLine() {
      let words = line.split(separator: " ").map(String.init)
      switch (words.first, Int(words.last ?? "")) {
      case ("begin", let counter?):
        seats[index].running = Int64(counter)
        seats[index].begun += 1
      case ("done", let number?):
        guard let counter = seats[index].running else { throw Breach("'\(line)' without a beginning") }
        guard acknowledged.updateValue(counter, forKey: number) == nil else {
          throw Breach("the number \(number) was given twice")
        }
        seats[index].running = nil
        seats[index].rest -= 1
      default: throw Breach("process \(index) says '\(line)'")
      }
    }
  }

  /// Returns the number of unacknowledged documents in the library.
  private func check(_ count: Int) throws -> Int {
    guard acknowledged.count == count else { throw Breach("\(acknowledged.count) documents instead of \(count)") }
    let found = try Kills.look(at: folder)
    for (number, counter) in acknowledged.sorted(by: { $0.key < $1.key }) {
      guard found.notes[number] == NoteState(counter, counter, counter) else {
        let text = found.notes[number].map { "\($0)" } ?? "missing"
        throw Breach("document \(number) is \(text) instead of all \(counter)")
      }
    }
    let others = found.notes.filter { acknowledged[$0.key] == nil }
    for (number, note) in others {
      guard uncertain.contains(note.data), note == NoteState(note.data, note.data, note.data) else {
        throw Breach("document \(number), \(note), was never announced")
      }
    }
    guard Set(others.values).count == others.count else { throw Breach("a document is there twice") }
    let numbers = found.notes.keys.sorted()
    guard numbers == Array(1...numbers.count) else { throw Breach("there are gaps between the numbers") }
    return others.count
  }
}

/// Creates documents.
enum CrowdWorker {
  static func run(_ arguments: inout Arguments) throws {
    let folder = URL(filePath: try arguments.operand(), directoryHint: .isDirectory)
    let documents = try arguments.number("documents", 500)
    let first = try arguments.number("first", 1)
    try arguments.finish()
    let library = try DocumentLibrary<Note>(at: folder)
    for counter in first..<first + documents {
      let counter = Int64(counter)
      System.say("begin \(counter)")
      let document = try library.addDocument(Note(counter), attachments: Note.attachments(counter))
      System.say("done \(document.number.map { "\($0)" } ?? "none")")
    }
  }
}
