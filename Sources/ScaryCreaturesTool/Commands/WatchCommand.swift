// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import DocumentLibraries
import PropertyListFormat
import ScaryCreatures

struct WatchCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "watch", summary: "print a line for each change of the library by any program",
    options: [
      Option("count", short: "n", value: "COUNT", "end after this number of changes"),
      Option("for", value: "SECONDS", "end after this time (default: watch until interrupted)"),
      Option(
        "interval", value: "SECONDS", "the time between two looks on disks without notices of changes (default: 1)"),
      Library.option, .json,
    ],
    notes: [
      "Each line has the change (added, changed or removed), the number and the title. Several changes to a creature in "
        + "quick succession can be one line.",
      "On a local disk of Linux, the system notifies the command of changes, which costs nothing while nothing changes. On "
        + "other systems and disks, and for more creatures than the system watches folders, it looks at the interval.",
      "With --json, each line is an object with the keys schema, change and number, and for readable creatures the other "
        + "keys of 'list --json'. Changes of unreadable creatures have only the first three.",
    ],
    examples: [
      .init(
        arguments: "watch --library ./creatures --for 0.5", meaning: "print the changes of half a second"),
      .init(
        arguments: "watch --library ./creatures --count 1 --for 0.5 --json",
        meaning: "wait for a change, and print it as JSON"),
    ],
    exitCodes: [.fine, .negative, .unreadable])

  let arguments: Arguments
  private let count: Int
  private let time: Duration?
  private let interval: Duration

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    count = try arguments.count("count") ?? .max
    time = try Self.seconds(arguments, "for")
    interval = max(try Self.seconds(arguments, "interval") ?? .seconds(1), .milliseconds(10))
  }

  /// Returns the value of an option as a time; nil if the option is not there.
  private static func seconds(_ arguments: Arguments, _ option: String) throws(UsageError) -> Duration? {
    guard let text = arguments.value(option) else { return nil }
    // `Double` also accepts hexadecimal digits, exponents and words.
    let isDecimal = text.utf8.allSatisfy { $0 == 0x2E || 0x30...0x39 ~= $0 }
    guard isDecimal, let seconds = Double(text), seconds <= 1e9 else {
      throw UsageError(
        "invalid value '\(text)' for '--\(option)'",
        remedy: "Use a number of seconds of at most 1000000000, such as 0.5")
    }
    return .milliseconds(Int64((seconds * 1000).rounded()))
  }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let database = try Library(arguments, on: console).open()
    let changes = try failing { try database.changes(every: interval) }
    let mailbox = Mailbox<LibraryChange>()
    let reading = Task.detached { for await change in changes { mailbox.put(change) } }
    defer { reading.cancel() }
    let end = time.map { ContinuousClock.now + $0 }
    var rest = count
    while rest > 0, console.output.isOpen {
      let timeLeft = end.map { max(.zero, $0 - .now) }
      guard let change = mailbox.take(within: timeLeft) else { break }
      write(change, of: database, json: json, on: console)
      rest -= 1
    }
    return .fine
  }

  private func write(_ change: LibraryChange, of database: ScaryCreatureDatabase, json: Bool, on console: Console) {
    // A creature can be unreadable, or be removed again by now.
    let record = change.kind == .removed ? nil : try? CreatureRecord(database.document(change.number))
    if json {
      console.writeJSON { line in
        line.field("change", change.kind.rawValue)
        if let record { record.write(to: &line) } else { line.field("number", change.number.rawValue) }
      }
    } else {
      console.output.write(
        "\(change.kind.rawValue)\t\(change.number)\t\(EscapedText.plain(record?.title ?? ""))\n")
    }
    console.output.flush()
  }
}
