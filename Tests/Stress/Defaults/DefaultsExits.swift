// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import HarnessSupport
import PropertyListFormat
import SystemFiles
import TypedDefaults

/// Ends processes with deferred changes in each way that a process can end, and checks the file that remains.
enum DefaultsExits {
  /// How a process ends.
  private enum End: String, CaseIterable {
    /// `main` returns.
    case returns
    /// Another thread calls `exit`.
    case exits
    /// The process receives `SIGTERM`.
    case terminated
    /// The process receives `SIGTERM` while threads change the store.
    case busy
    /// A thread calls `exit` while another one is in a transaction that never ends.
    case stuck
    /// The process receives `SIGTERM`, for which it installed an action before it opened the store.
    case own
    /// The process receives `SIGTERM`, for which it installed an action after it opened the store.
    case later
    /// `SIGTERM` is ignored, and then `main` returns.
    case ignored
    /// The store was told not to write.
    case off
    /// The process is killed between changes.
    case killed

    /// The exit code, or the number of the signal with a minus sign.
    var status: Int32 {
      switch self {
      case .returns, .ignored, .off: 0
      case .exits, .stuck: 5
      case .terminated, .busy: -15
      case .own, .later: 9
      case .killed: -9
      }
    }

    /// Whether the changes must be in the file. Otherwise none must be, which shows that nothing else wrote them.
    var isFlushed: Bool { ![.stuck, .own, .later, .off].contains(self) }
  }

  static func run(_ arguments: inout Arguments) throws {
    let rounds = try arguments.number("rounds", 20)
    let most = try arguments.milliseconds("window") ?? 2000
    let place = arguments.folder()
    try arguments.finish()
    try place.use { folder in
      var ends = 0
      for round in 1...max(1, rounds) {
        for end in End.allCases where end != .killed && (end != .stuck || round == 1) {  // it takes seconds
          let file = folder.appending(path: "\(end.rawValue)-\(round).plist")
          let worker = try Child(["defaults-exits-worker", file.path, "--end", end.rawValue])
          guard let line = try worker.line(timeout: 600), let told = Int(line) else {
            throw Breach("\(end): the worker said nothing")
          }
          var last = told
          if [.terminated, .busy, .own, .later, .ignored].contains(end) { worker.terminate() }
          while let line = try worker.line(timeout: 120) { last = max(last, Int(line) ?? 0) }
          let status = worker.end()
          guard status == end.status else {
            throw Breach("\(end): the status is \(status); expected \(end.status)")
          }
          guard end.isFlushed else {
            guard !FileManager.default.fileExists(atPath: file.path) else { throw Breach("\(end): there is a file") }
            continue
          }
          guard case .dictionary(let values) = try PropertyListValue(propertyList: Data(contentsOf: file)),
            case .integer(let found)? = values["last"], found >= last
          else { throw Breach("\(end): change \(last) is lost") }
          ends += 1
        }
      }
      var window = Duration.zero
      for round in 1...max(1, rounds) {
        window = max(window, try kill(folder.appending(path: "killed-\(round).plist")))
      }
      let milliseconds = Int((window / .milliseconds(1)).rounded())
      guard milliseconds <= most else {
        throw Breach("a kill lost a change that was \(milliseconds) ms old, though changes are deferred by \(delay)")
      }
      print("kills lost changes of the last \(milliseconds) ms at most, which are deferred by \(delay)")
      print("\(ends) ends with deferred changes, none lost")
    }
  }

  /// The time by which the worker of ``kill(_:)`` defers changes.
  private static let delay = Duration.milliseconds(200)

  /// Kills a process that makes deferred changes, and returns the age of the oldest change that is lost.
  private static func kill(_ file: URL) throws -> Duration {
    let worker = try Child(["defaults-exits-worker", file.path, "--end", "killed"])
    var times: [ContinuousClock.Instant] = []
    let start = ContinuousClock.now
    // Until the file was written at least twice, without a call of `flush`.
    var first: Int64?
    while true {
      guard try worker.line(timeout: 600) != nil else { throw Breach("the worker ended by itself") }
      times.append(.now)
      guard let found = try last(in: file) else { continue }
      if let first, found > first { break }
      first = first ?? found
      guard ContinuousClock.now - start < .seconds(600) else { throw Breach("deferred changes are not written") }
    }
    worker.kill()
    let end = ContinuousClock.now
    while try worker.line(timeout: 600) != nil { times.append(end) }
    guard worker.end() == -9, let found = try last(in: file) else { throw Breach("the file is gone") }
    return Int(found) < times.count ? end - times[Int(found)] : .zero
  }

  /// The number of the last change in a file; nil before the first write.
  private static func last(in file: URL) throws -> Int64? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    guard case .dictionary(let values) = try PropertyListValue(propertyList: Data(contentsOf: file)),
      case .integer(let found)? = values["last"]
    else { throw Breach("the file of a killed process is not complete") }
    return found
  }

  /// The store of a worker, which the end of the process must not release: a released store writes its changes.
  private static let kept = Locked<FileStore?>(nil)

  static func work(_ arguments: inout Arguments) throws {
    let file = URL(filePath: try arguments.operand())
    guard let end = arguments.text("end").flatMap(End.init) else { throw UsageError() }
    try arguments.finish()
    var options = FileStore.Options()
    options.durability = .deferred(end == .killed ? delay : .seconds(100_000))
    options.flushesAtExit = end != .off
    if end == .own { System.endOnTermination() }
    if end == .ignored { System.ignoreTermination() }
    let store = try FileStore(at: file, options: options)
    kept.withLock { $0 = store }
    if end == .later { System.endOnTermination() }
    if end == .killed { try change(store) }
    for number in 1...100 { try store.setRawValue(.integer(Int64(number)), for: "last") }
    switch end {
    case .returns, .off, .killed: System.say("100")
    case .exits:
      System.say("100")
      try System.onThread(stackBytes: 1 << 20) { System.end(5) }
    case .stuck:
      try System.onThread(stackBytes: 1 << 20) {
        try? store.update { _ in
          System.say("100")
          try? System.onThread(stackBytes: 1 << 20) { System.end(5) }
        }
      }
    case .ignored:
      System.say("100")
      System.sleep(microseconds: 50_000)
    case .terminated, .own, .later:
      System.say("100")
      while true { System.sleep(microseconds: 1_000_000) }
    case .busy:
      var number = 100
      while true {
        // A change is told after it was made, so the file has it, or a later one.
        try store.setRawValue(.integer(Int64(number)), for: "last")
        System.say("\(number)")
        number += 1
      }
    }
  }

  /// Makes changes until the process is killed, and tells each one after it.
  private static func change(_ store: FileStore) throws {
    var number: Int64 = 1
    while true {
      try store.setRawValue(.integer(number), for: "last")
      System.say("\(number)")
      System.sleep(microseconds: 2000)
      number += 1
    }
  }
}
