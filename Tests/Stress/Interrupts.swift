// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import SystemFiles

/// Ends processes by signals while they write a file or change a library, and checks what remains.
enum Interrupts {
  /// The numbers of the signals on all systems, and whether they ask the process to end.
  private static let signals: [(number: Int32, isAsking: Bool)] = [(1, true), (2, true), (15, true), (9, false)]

  static func run(_ arguments: inout Arguments) throws {
    let rounds = max(1, try arguments.number("rounds", 20))
    let creatures = max(1, try arguments.number("creatures", 40))
    let tool = arguments.text("tool") ?? usualTool
    let place = arguments.folder()
    try arguments.finish()
    try place.use { folder in
      for round in 0..<rounds {
        for (number, isAsking) in signals {
          try check(number, isAsking: isAsking, count: 1 + round % 3, in: folder)
        }
      }
      var commands = ToolInterrupts(tool: tool, in: folder)
      try commands.run(rounds: rounds, creatures: creatures)
      // On a busy machine, each of a few signals may come late.
      guard commands.ended > 0 || rounds < 10 else {
        throw Breach("each of \(commands.completed) commands completed before its signal")
      }
      print("\(commands.ended) commands ended by a signal, \(commands.completed) completed before it")
      print("\(rounds * signals.count) interrupted writes, no output lost, nothing left by signals that ask to end")
    }
  }

  /// The command beside this program.
  static var usualTool: String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "scarycreatures").path
  }

  /// Interrupts processes that write to one file.
  private static func check(_ number: Int32, isAsking: Bool, count: Int, in folder: URL) throws {
    let file = folder.appending(path: "output.plist")
    let old = Data("old \(number)".utf8)
    try old.write(to: file)
    let workers = try (0..<count).map { _ in try Child(["interrupts-worker", file.path]) }
    for worker in workers {
      guard try worker.line(timeout: 600) == "writing" else { throw Breach("a worker does not write") }
    }
    var names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    guard names.count == count + 1 else { throw Breach("\(count) workers have the files \(names.sorted())") }
    for worker in workers {
      worker.send(number)
      let status = worker.end()
      guard status == -number else { throw Breach("the status after signal \(number) is \(status)") }
    }
    guard try Data(contentsOf: file) == old else { throw Breach("signal \(number) changed the file") }
    let hasMark = FileManager.default.fileExists(atPath: mark(beside: file).path)
    guard hasMark == (number == 15) else { throw Breach("signal \(number) ran the wrong functions") }
    if hasMark { try FileManager.default.removeItem(at: mark(beside: file)) }
    names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "output.plist" }
    let left = isAsking ? 0 : count
    guard names.count == left, names.allSatisfy({ $0.hasPrefix(".output.plist.keyedarchiver-unfinished") }) else {
      throw Breach("signal \(number) left \(names.sorted()) of \(count) writes")
    }
    // As many writes at once as there were remove what is left.
    let writers = try (0..<count).map { _ in try ReplacedFile(file) }
    for writer in writers {
      try writer.write(Data("new".utf8))
      try writer.commit()
    }
    names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    guard names == ["output.plist"], try Data(contentsOf: file) == Data("new".utf8) else {
      throw Breach("after the next write, the folder has \(names.sorted())")
    }
  }

  /// The file that a worker writes when another program asks it to end, as a store with deferred changes would.
  private static func mark(beside file: URL) -> URL { URL(filePath: file.deletingLastPathComponent().path + ".ended") }

  /// Writes to a file until a signal ends the process.
  static func work(_ arguments: inout Arguments) throws {
    let file = try arguments.operand()
    try arguments.finish()
    TemporaryFiles.removeAtSignals()
    // A function can wait for another thread, which can add one meanwhile. That one runs, too.
    EndingSignals.add(EndingSignals.termination) {
      let isAdded = Locked(false)
      _ = SystemThread.start(stackByteCount: 65_536) {
        EndingSignals.add(EndingSignals.termination) { try? Data().write(to: mark(beside: URL(filePath: file))) }
        isAdded.withLock { $0 = true }
      }
      for _ in 0..<5000 where !isAdded.withLock({ $0 }) { SystemThread.pause(microseconds: 1000) }
    }
    let output = try ReplacedFile(URL(filePath: file))
    try output.write(Data(repeating: 0x78, count: 100_000))
    System.say("writing")
    // A signal ends a call of the system early.
    while true { System.sleep(microseconds: 600_000_000) }
  }
}
