// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// A large file is in memory once while it is read, whatever reads it.
enum FileMemoryRun {
  /// The most memory beyond what the process had before, relative to the size of the file.
  static let limit = 1.1
  /// What each way may take besides: the allocator's own memory, and code that runs for the first time.
  private static let slack = 4 << 20

  /// Each reads the file and returns how many objects or bytes it found, which are more than the file has otherwise.
  private static let ways: [(name: String, read: @Sendable (URL) throws -> Int)] = [
    (
      "decode a file",
      {
        let data = try KeyedUnarchiver(contentsOf: $0).decodeTopLevelObject(of: Data.self, forKey: "root")
        return data?.count ?? 0
      }
    ),
    (
      "open a file as a graph",
      {
        let archive = try KeyedArchive(contentsOf: $0)
        return archive.root.exists ? archive.objectCount : 0
      }
    ),
    (
      "check a file",
      {
        let archive = try KeyedArchive(contentsOf: $0)
        return archive.check().isEmpty ? archive.objectCount : 0
      }
    ),
    ("open a file as a property list", { try PropertyList(contentsOf: $0).objectCount }),
  ]

  static var count: Int { ways.count }

  /// Runs each way in a process of its own, and returns how many failed, or nil if memory cannot be measured.
  static func run(_ byteCount: Int) throws -> Int? {
    guard Memory.reset() > 0 else { return nil }
    let name = "archive-torture-\(UInt64.random(in: 0 ... .max))"
    let file = FileManager.default.temporaryDirectory.appending(path: name)
    defer { try? FileManager.default.removeItem(at: file) }
    try KeyedArchiver.archivedData(
      withRootObject: Data(repeating: 7, count: byteCount), requiringSecureCoding: true
    ).write(to: file)
    var failures = 0
    for (number, way) in ways.enumerated() {
      var cost: [Substring]?
      do {
        let child = try Child(["file-memory-worker", "--way", "\(number)", "--file", file.path])
        defer { _ = child.end() }
        try child.lines(timeout: 120) { text in
          if text.hasPrefix("memory\t") { cost = text.split(separator: "\t") }
        }
      } catch {
        System.say("FAILED\t\(way.name)\t\(error)")
        failures += 1
        continue
      }
      let memory = cost.flatMap { $0.count == 3 ? Int($0[1]) : nil }
      let found = cost.flatMap { $0.count == 3 ? Int($0[2]) : nil } ?? 0
      let most = Int(Double(byteCount) * limit) + slack
      let isFine = memory.map { $0 * 1024 <= most } ?? false && found >= 2
      if !isFine { failures += 1 }
      let columns = ["-", memory.map(String.init) ?? "-", "\(most / 1024)", "\(byteCount)", "large data", way.name]
      System.say(((isFine ? [] : ["FAILED"]) + columns).joined(separator: "\t"))
    }
    return failures
  }

  /// One way through the file, in a process of its own.
  static func work(_ arguments: inout Arguments) throws {
    let way = ways[try arguments.number("way", 0)]
    guard let path = arguments.text("file") else { throw UsageError() }
    try arguments.finish()
    let idle = Memory.reset()
    let found = try way.read(URL(filePath: path))
    System.say("memory\t\(max(0, Memory.peak() - idle))\t\(found)")
  }
}
