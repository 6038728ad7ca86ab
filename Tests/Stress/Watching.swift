// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DocumentLibraries
import HarnessSupport
import SystemFiles

/// Measures the processor time of a process that watches an idle library, and checks that it then reports a change.
enum Watching {
  static func run(_ arguments: inout Arguments) throws {
    let count = max(1, try arguments.number("documents", 20_000))
    let seconds = max(1, try arguments.number("seconds", 20))
    let interval = try arguments.milliseconds("interval") ?? 200
    let limit = try arguments.number("at-most-ppm", 1000)
    let place = arguments.folder()
    try arguments.finish()
    try place.use { folder in
      try Listing.make(count, in: folder)
      let changes = try DocumentLibrary<Note>(at: folder).changes(every: .milliseconds(interval))
      // The stream's first look is not part of the idle time.
      System.sleep(microseconds: 1_500_000)
      let (start, begin) = (System.processorTime(), ContinuousClock.now)
      System.sleep(microseconds: seconds * 1_000_000)
      let share = (System.processorTime() - start) / ((ContinuousClock.now - begin) / .seconds(1))
      try DocumentLibrary<Note>(at: folder, sweeping: false).addDocument(Note(1), attachments: Note.attachments(1))
      try wait(for: changes, number: count + 1)
      let text = "\((share * 1_000_000).rounded() / 10_000)"
      guard share * 1_000_000 <= Double(limit) else {
        throw Breach("an idle watcher of \(count) documents takes \(text) % of a core")
      }
      print("an idle watcher of \(count) documents takes \(text) % of a core (at most \(Double(limit) / 10_000) %)")
    }
  }

  /// Waits until the addition of a document is reported.
  private static func wait(for changes: AsyncStream<LibraryChange>, number: Int) throws {
    let found = Locked(false)
    let reading = Task.detached {
      for await change in changes where change == .added(DocumentNumber(integerLiteral: number)) {
        found.withLock { $0 = true }
      }
    }
    defer { reading.cancel() }
    for _ in 0..<600 {
      if found.withLock({ $0 }) { return }
      System.sleep(microseconds: 100_000)
    }
    throw Breach("the addition of document \(number) is not reported")
  }
}
