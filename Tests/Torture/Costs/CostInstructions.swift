// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport

/// The processor's instructions of an operation, counted by valgrind: unlike times, they are the same on a busy machine.
struct CostInstructions {
  private let valgrind: String
  private let folder: String

  /// Whether valgrind is installed.
  static var isAvailable: Bool { path != nil }

  private static var path: String? {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.map { "\($0)/valgrind" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Fails if valgrind is not installed.
  init() throws {
    guard let path = Self.path else { throw Breach("valgrind is not installed") }
    valgrind = path
    folder =
      FileManager.default.temporaryDirectory
      .appending(path: "costs-instructions-\(ProcessInfo.processInfo.processIdentifier)").path
  }

  /// The instructions per byte of an input, relative to a plain file.
  func ratio(_ input: Data, _ door: CostDoor, _ plain: (input: Data, door: CostDoor)) throws -> Double {
    let cost = try count(input, door) / door.weight(input)
    return try cost / (count(plain.input, plain.door) / Double(plain.input.count))
  }

  private func count(_ input: Data, _ door: CostDoor) throws -> Double {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let file = "\(folder)/file"
    try input.write(to: URL(filePath: file))
    switch door.operation {
    case .call(let call):
      guard let number = CostDoor.all.firstIndex(where: { $0.name == door.name }) else { return 0 }
      let written = (try? call(input)) ?? 0
      let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().path
      let counts = try [1, 3].map { turns in
        try run([program, "costs-once", "--number", "\(number)", "--file", file, "--turns", "\(turns)"])
      }
      // The first turn also initializes what lasts.
      return (counts[1] - counts[0]) / 2 * Double(input.count) / Double(max(input.count, written))
    case .command(let arguments):
      let changed = "\(folder)/changed"
      try CostDoor.changed(input).write(to: URL(filePath: changed))
      let names = ["FILE": file, "CHANGED": changed]
      let all = try run([CommandTool.program] + arguments.map { names[$0] ?? $0 }, input: file)
      return try all - run([CommandTool.program, "--version"])
    }
  }

  /// Runs a program. Returns its instructions.
  private func run(_ arguments: [String], input: String? = nil) throws -> Double {
    let child = try Child(
      ["--tool=callgrind", "--callgrind-out-file=/dev/null"] + arguments, of: valgrind, input: input)
    var count: Double?
    while let line = try child.line(timeout: CostRun.longest) {
      // "==123== Collected : 456"
      let words = line.split(separator: " ")
      if words.count == 4, words[1] == "Collected" { count = Double(words[3]) }
      // The parent process waits for a sign of life.
      System.say("counted")
    }
    _ = child.end()
    guard let count else { throw Breach("valgrind printed no number of instructions for \(arguments)") }
    return count
  }

  /// Performs an operation several times, in a process that valgrind observes.
  static func work(_ arguments: inout Arguments) throws {
    let door = CostDoor.all[try arguments.number("number", 0)]
    guard let file = arguments.text("file") else { throw UsageError() }
    let turns = try arguments.number("turns", 1)
    try arguments.finish()
    let data = try Data(contentsOf: URL(filePath: file))
    for _ in 0..<turns { _ = door.cost(data) }
  }
}
