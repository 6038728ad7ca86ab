// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import HarnessSupport
import TypedDefaults

/// Changes one file in several processes: a value for each process, and one that they share.
enum DefaultsProcesses {
  private static let sum = DefaultsKey("sum", default: 0)

  static func run(_ arguments: inout Arguments) throws {
    let processes = max(1, try arguments.number("processes", 2))
    let changes = try arguments.number("changes", 10_000)
    let place = arguments.folder()
    try arguments.finish()
    try place.use { folder in
      let start = ContinuousClock.now
      let file = folder.appending(path: "defaults.plist")
      let workers = try (0..<processes).map { number in
        try Child(["defaults-processes-worker", file.path, "--number", "\(number)", "--changes", "\(changes)"])
      }
      // A process that only reads must also see the final values.
      var options = FileStore.Options()
      options.watching = .milliseconds(10)
      let onlooker = try FileStore(at: file, options: options)
      for worker in workers {
        while let line = try worker.line(timeout: 600) { throw Breach(line) }
        let end = worker.end()
        guard end == 0 else { throw Breach("a worker ended with \(end)") }
      }
      try onlooker.refresh()
      for store in [onlooker, try FileStore(at: file)] {
        guard try store.value(for: sum) == processes * changes else {
          throw Breach("\(processes * changes) changes, of which \(try store.value(for: sum)) are left")
        }
        for number in 0..<processes where try store.value(for: own(number)) != changes {
          throw Breach("of process \(number)'s changes, \(try store.value(for: own(number))) are left")
        }
      }
      let time = (ContinuousClock.now - start) / .seconds(1)
      print("\(processes) processes with \(changes) changes each to one file, none lost, \(Int(time.rounded())) s")
    }
  }

  private static func own(_ number: Int) -> DefaultsKey<Int> { DefaultsKey("own.\(number)", default: 0) }

  static func work(_ arguments: inout Arguments) throws {
    let file = URL(filePath: try arguments.operand())
    let number = try arguments.number("number", 0)
    let changes = try arguments.number("changes", 0)
    try arguments.finish()
    var options = FileStore.Options()
    options.durability = .written
    options.patience = .seconds(600)
    options.reports = { System.say("\($0)") }
    let store = try FileStore(at: file, options: options)
    for _ in 0..<changes {
      try store.update { transaction in
        try transaction.set(transaction.value(for: sum) + 1, for: sum)
        try transaction.set(transaction.value(for: own(number)) + 1, for: own(number))
      }
    }
  }
}
