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

    /// The exit code, or the number of the signal with a minus sign.
    var status: Int32 {
      switch self {
      case .returns, .ignored, .off: 0
      case .exits, .stuck: 5
      case .terminated, .busy: -15
      case .own, .later: 9
      }
    }

    /// Whether the changes must be in the file. Otherwise none must be, which shows that nothing else wrote them.
    var isFlushed: Bool { ![.stuck, .own, .later, .off].contains(self) }
  }

  static func run(_ arguments: inout Arguments) throws {
    let rounds = try arguments.number("rounds", 20)
    let place = arguments.folder()
    try arguments.finish()
    try place.use { folder in
      var ends = 0
      for round in 1...max(1, rounds) {
        for end in End.allCases where end != .stuck || round == 1 {  // it takes seconds
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
      print("\(ends) ends with deferred changes, none lost")
    }
  }

  /// The store of a worker, which the end of the process must not release: a released store writes its changes.
  private static let kept = Locked<FileStore?>(nil)

  static func work(_ arguments: inout Arguments) throws {
    let file = URL(filePath: try arguments.operand())
    guard let end = arguments.text("end").flatMap(End.init) else { throw UsageError() }
    try arguments.finish()
    var options = FileStore.Options()
    options.durability = .deferred(.seconds(100_000))
    options.flushesAtExit = end != .off
    if end == .own { System.endOnTermination() }
    if end == .ignored { System.ignoreTermination() }
    let store = try FileStore(at: file, options: options)
    kept.withLock { $0 = store }
    if end == .later { System.endOnTermination() }
    for number in 1...100 { try store.setRawValue(.integer(Int64(number)), for: "last") }
    switch end {
    case .returns, .off: System.say("100")
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
}
