// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport

/// The command `keyedarchive`, which lies beside this program, run with a file.
enum CommandTool {
  static let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "keyedarchive").path
  private static let folder = FileManager.default.temporaryDirectory
    .appending(path: "costs-\(ProcessInfo.processInfo.processIdentifier)").path
  /// What a run takes that has nothing to do.
  private static let start = (0..<10).compactMap { _ in try? run(["--version"]) }.min()

  /// The processor time of a run, in seconds, without what it takes to start. Among the arguments, `FILE` stands for the
  /// file, and `CHANGED` for it with one byte changed. The file is also the standard input.
  static func cost(of arguments: [String], _ data: Data) -> Double {
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let files = ["FILE": "\(folder)/file", "CHANGED": "\(folder)/changed"]
      try data.write(to: URL(filePath: "\(folder)/file"))
      if arguments.contains("CHANGED") { try CostDoor.changed(data).write(to: URL(filePath: "\(folder)/changed")) }
      // Less cannot be told from nothing.
      return try max(run(arguments.map { files[$0] ?? $0 }, input: "\(folder)/file") - (start ?? 0), 1e-3)
    } catch {
      fatalError("cannot run \(program): \(error)")
    }
  }

  /// An archive as JSON; nil if it cannot be converted.
  static func json(_ data: Data) -> Data? {
    let (file, json) = ("\(folder)/file", "\(folder)/json")
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    guard (try? data.write(to: URL(filePath: file))) != nil,
      (try? run(["convert", file, "--to", "json", "-o", json])) != nil
    else { return nil }
    return try? Data(contentsOf: URL(filePath: json))
  }

  /// Runs the command, which must succeed. Returns the most memory that it had, or that this process has if that is
  /// more, in kilobytes: the system counts the memory that a new process shares with its parent.
  static func peakMemory(of arguments: [String]) throws -> Int {
    let child = try Child(arguments, of: program)
    child.drain()
    let code = child.end()
    guard code == 0 else { throw Breach("'keyedarchive \(arguments.joined(separator: " "))' ended with \(code)") }
    return child.peakKilobytes
  }

  /// Runs the command. Returns the processor time that it took, in seconds.
  private static func run(_ arguments: [String], input: String? = nil) throws -> Double {
    let child = try Child(arguments, of: program, input: input)
    child.drain()
    let code = child.end()
    // A usage error costs nothing.
    guard code >= 0, code != 2 else {
      throw Breach("'keyedarchive \(arguments.joined(separator: " "))' ended with \(code)")
    }
    return child.processorTime
  }
}
