// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DocumentLibraries
import HarnessSupport

/// Kills a worker at random moments, or ends it by a signal or an exit, and checks the library that it leaves. All rounds
/// use one library.
struct Kills {
  private let folder: URL
  private var random: SeededRandom
  private let seed: Int
  private var shelf = Shelf()
  private var acknowledged = 0
  private var survived = 0
  private var interrupted: [String: Int] = [:]
  private var ended: [Ending: Int] = [:]

  static func run(_ arguments: inout Arguments) throws {
    let rounds = try arguments.number("rounds", 2000)
    let seed = try arguments.number("seed", 1)
    let place = arguments.folder()
    try arguments.finish()
    try place.use { folder in
      let start = ContinuousClock.now
      var kills = Kills(folder: folder.appending(path: "library"), random: SeededRandom(seed: UInt64(seed)), seed: seed)
      for round in 1...max(1, rounds) {
        do {
          try kills.round(round)
        } catch {
          throw Breach("seed \(seed), round \(round): \(error)")
        }
        if round % 200 == 0, round < rounds { print("\(round) rounds, \(kills.acknowledged) acknowledged operations") }
      }
      let time = (ContinuousClock.now - start) / .seconds(1)
      let cut = kills.interrupted.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      print("ended in the middle of: \(cut.joined(separator: ", ")); \(Int(time.rounded())) s")
      let killed = [Ending.kill, .killAgain, .killOnceMore].reduce(0) { $0 + kills.ended[$1, default: 0] }
      print(
        "\(killed) kills, \(kills.ended[.exit, default: 0]) exits, "
          + "\(kills.ended[.termination, default: 0] + kills.ended[.interrupt, default: 0]) signals")
      print(
        "\(rounds) rounds, \(kills.acknowledged) acknowledged operations, \(kills.survived) unacknowledged survived, "
          + "0 breaches")
    }
  }

  private init(folder: URL, random: SeededRandom, seed: Int) {
    self.folder = folder
    self.random = random
    self.seed = seed
  }

  private mutating func round(_ round: Int) throws {
    let worker = try Child([
      "kills-worker", folder.path, "--seed", "\(random.next() >> 2)", "--first", "\(round * 100_000)",
    ])
    var reader = Reader(shelf: shelf)
    // During one of the first operations, or of the following ones if those are faster.
    let target = Int.random(in: 1...3, using: &random)
    let delay = Int.random(in: 200...15_000, using: &random)
    while reader.begun < target, let line = try worker.line() { try reader.take(line) }
    System.sleep(microseconds: delay)
    let ending = Ending.allCases.randomElement(using: &random) ?? .kill
    worker.send(ending.signal)
    while let line = try worker.line() { try reader.take(line) }
    let end = worker.end()
    guard end == ending.status else { throw Breach("the worker ended with \(end) after \(ending) and \(reader.last)") }
    ended[ending, default: 0] += 1
    // A signal waits for the running change.
    if ending == .termination || ending == .interrupt { try checkWorkFolder() }
    acknowledged += reader.acknowledged
    if round % 4 == 0 { try killSweeper() }
    try check(reader)
  }

  /// The ways to end a worker.
  private enum Ending: String, CaseIterable {
    // Half of them are kills.
    case kill, killAgain, killOnceMore, exit, termination, interrupt

    /// The signal that is sent. The worker calls `exit` when it gets SIGHUP.
    var signal: Int32 {
      switch self {
      case .kill, .killAgain, .killOnceMore: 9
      case .exit: 1
      case .termination: 15
      case .interrupt: 2
      }
    }

    var status: Int32 { self == .exit ? 0 : -signal }
  }

  /// The names in a library's work folder, without the file with the last number, which stays there.
  static func leftovers(of folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: ".work").path).filter {
      $0 != "last-number"
    }
  }

  /// Checks that the work folder has nothing but an update that the next opening completes.
  private func checkWorkFolder() throws {
    let left = ((try? Self.leftovers(of: folder)) ?? []).filter { !$0.hasPrefix("update-") }
    guard left.isEmpty else { throw Breach("a signal left \(left.sorted()) in .work") }
  }

  /// Kills a worker that is about to clean up after the one before.
  private mutating func killSweeper() throws {
    let sweeper = try Child(["kills-worker", folder.path, "--only-opens", "1"])
    _ = try sweeper.line()
    System.sleep(microseconds: Int.random(in: 0...600, using: &random))
    sweeper.kill()
    let end = sweeper.end()
    guard end == -9 || end == 0 else { throw Breach("the library cannot be opened: \(end)") }
    if end == -9 { interrupted["open", default: 0] += 1 }
  }

  private mutating func check(_ reader: Reader) throws {
    let found = try Self.look(at: folder)
    shelf = reader.shelf
    if let operation = reader.running {
      interrupted[operation.word, default: 0] += 1
      let (after, _) = try shelf.after(operation)
      if found == after, after != shelf {
        survived += 1
        shelf = after
      }
    }
    // What the next operation can undo; its result is checked then.
    let library = try DocumentLibrary<Note>(at: folder)
    for document in try library.documents() {
      guard let number = document.number?.rawValue else { continue }
      let isKept = try document.hasFormerSave
      guard found != shelf || isKept == (shelf.former[number] != nil) else {
        throw Breach("\(number) \(isKept ? "keeps" : "does not keep") a former save; last: \(reader.last)")
      }
    }
    guard found == shelf else {
      let running = reader.running.map { ", killed during '\($0.line)'" } ?? ""
      throw Breach("\(found.differences(from: shelf))\(running); last: \(reader.last)")
    }
  }

  /// The whole content of a library, every part of which must be complete, without other files.
  static func look(at folder: URL) throws -> Shelf {
    let library = try DocumentLibrary<Note>(at: folder)
    let contents = try library.contents()
    guard contents.problems.isEmpty else { throw Breach("\(contents.problems)") }
    var shelf = Shelf()
    for document in library.documents(of: contents) {
      guard let number = document.number?.rawValue, let place = document.docPath else { throw Breach("no number") }
      shelf.notes[number] = try NoteState(of: document)
      try checkFiles(place)
    }
    guard shelf.notes.count == contents.numbers.count else { throw Breach("a number is there twice") }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let expected = Set(shelf.notes.keys.map { "\($0).note" })
    let others = Set(names).subtracting(expected).subtracting([".trash", ".work"])
    guard others.isEmpty, names.count >= expected.count else { throw Breach("in the library: \(others.sorted())") }
    if names.contains(".work") {
      let left = try leftovers(of: folder)
      guard left.isEmpty else { throw Breach("left in .work: \(left.sorted())") }
    }
    // The trash is checked as a library of its own; the names there are those of documents.
    for name in try library.trash() {
      let place = folder.appending(path: ".trash").appending(path: name)
      try checkFiles(place)
      shelf.trash[name] = try trashed(place)
    }
    return shelf
  }

  private static func checkFiles(_ place: URL) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
    let others = Set(names).subtracting([Note.dataFileName, Note.thumb, Note.full])
      .filter { $0.firstMatch(of: /^\..+\.(previous|absent|earlier)-\d+-[0-9a-f]{16}$/) == nil }
      .filter { $0 != ".\(Note.dataFileName).damaged" }
    let kept = place.appending(path: ".\(Note.dataFileName).damaged")
    if names.contains(kept.lastPathComponent) {
      guard Note.counter(ofDamaged: try Data(contentsOf: kept)) != nil else {
        throw Breach("\(kept.path) is not the damaged file")
      }
    }
    guard others.isEmpty else { throw Breach("\(place.path) holds \(others.sorted())") }
  }

  private static func trashed(_ place: URL) throws -> NoteState {
    func counter(_ name: String) throws -> Int64? {
      let file = place.appending(path: name)
      guard FileManager.default.fileExists(atPath: file.path) else { return nil }
      return try Note.counter(of: Data(contentsOf: file), name, in: place.path)
    }
    if let damage = Note.damage(in: place) {
      return NoteState(damage, try counter(Note.thumb), try counter(Note.full), isOld: false, isDamaged: true)
    }
    let stored = try Note.stored(
      in: Data(contentsOf: place.appending(path: Note.dataFileName)), limits: LibraryLimits.default.reading)
    guard stored.model.title == Note.title(stored.model.counter) else { throw Breach("\(place.path): wrong title") }
    return NoteState(
      stored.model.counter, try counter(Note.thumb), try counter(Note.full), isOld: !stored.isCurrent)
  }
}

/// Follows the output of a worker.
private struct Reader {
  var shelf: Shelf
  var begun = 0
  var acknowledged = 0
  var running: Operation?
  var last = "nothing"

  mutating func take(_ line: String) throws {
    if line.hasPrefix("begin ") {
      running = try Operation(line: line.dropFirst(6))
      begun += 1
      last = line
      return
    }
    guard line.hasPrefix("done "), let operation = running else { throw Breach("the worker says '\(line)'") }
    let (after, answer) = try shelf.after(operation)
    guard line.dropFirst(5) == answer else {
      throw Breach("'\(operation.line)' is answered with \(line.dropFirst(5)) instead of \(answer)")
    }
    shelf = after
    running = nil
    acknowledged += 1
  }
}
