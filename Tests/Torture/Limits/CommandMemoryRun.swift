// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import KeyedArchiving

/// The memory of commands whose output is as large as the archive, relative to the size of the file.
enum CommandMemoryRun {
  /// The most memory relative to the size of the file.
  static let limit = 6
  /// What the program takes to start.
  private static let slack = 16 << 20

  /// Commands that keep their output or the texts of all objects in memory, which are much larger than some archives.
  private static let largeOutputs = [
    ["convert", "--to", "xml", "FILE", "-o", "OUT"], ["convert", "--to", "json", "--plain", "FILE", "-o", "OUT"],
    ["tree", "--json", "FILE"],
  ]

  private static let commands = [
    ["convert", "--to", "json", "FILE", "-o", "OUT"], ["graph", "--to", "html", "FILE", "-o", "OUT"],
    ["roundtrip", "FILE"], ["tree", "FILE"], ["validate", "FILE"],
  ]

  /// The kinds of archives.
  private enum Kind: String, CaseIterable {
    /// 60,000 objects, nested up to 8 deep.
    case items
    /// 100,000 objects, each in the one before, with long keys.
    case nested
    /// An array of 300,000 numbers.
    case numbers

    var commands: [[String]] { CommandMemoryRun.commands + (self == .items ? CommandMemoryRun.largeOutputs : []) }
  }

  static var count: Int { Kind.allCases.reduce(0) { $0 + $1.commands.count } }

  /// An object with the members of a typical model.
  private final class Item: SecureKeyedCoding {
    let number: Int
    let next: Item?

    init(_ number: Int, _ next: Item?) {
      self.number = number
      self.next = next
    }

    init?(coder: KeyedUnarchiver) { nil }

    func encode(with coder: KeyedArchiver) {
      coder.encode(number, forKey: "number")
      coder.encode("item \(number)", forKey: "name")
      coder.encode(Double(number) / 7, forKey: "weight")
      coder.encode(next, forKey: "previous")
    }
  }

  /// Runs each command, and returns how many failed, or nil if memory cannot be measured.
  static func run() throws -> Int? {
    guard Memory.reset() > 0 else { return nil }
    guard FileManager.default.isExecutableFile(atPath: CommandTool.program) else {
      throw Breach("\(CommandTool.program) is not built")
    }
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "archive-torture-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = ["FILE": folder.appending(path: "file").path, "OUT": folder.appending(path: "out").path]
    var failures = 0
    for kind in Kind.allCases { failures += try run(kind, files) }
    return failures
  }

  private static func run(_ kind: Kind, _ files: [String: String]) throws -> Int {
    let file = files["FILE"] ?? ""
    // In another process, because the memory of this one counts for the commands that it starts.
    let child = try Child(["command-memory-file", "--kind", kind.rawValue, "--file", file])
    child.drain()
    guard child.end() == 0 else { throw Breach("no archive of kind '\(kind.rawValue)' was written") }
    let byteCount = try Data(contentsOf: URL(filePath: file), options: .mappedIfSafe).count
    let most = limit * byteCount + slack
    var failures = 0
    for command in kind.commands {
      var columns: [String]
      do {
        let memory = try CommandTool.peakMemory(of: command.map { files[$0] ?? $0 })
        columns = ["-", "\(memory)", "\(most / 1024)", "\(byteCount)", kind.rawValue]
        if memory * 1024 > most { columns.insert("FAILED", at: 0) }
      } catch {
        columns = ["FAILED", "\(error)"]
      }
      if columns[0] == "FAILED" { failures += 1 }
      System.say((columns + ["keyedarchive " + command.joined(separator: " ")]).joined(separator: "\t"))
    }
    return failures
  }

  /// An object with long keys, and another one in it before its other values.
  private final class Link: SecureKeyedCoding {
    let next: Link?

    init(_ next: Link?) { self.next = next }

    init?(coder: KeyedUnarchiver) { nil }

    func encode(with coder: KeyedArchiver) {
      coder.encode(next, forKey: "anObjectOfTheSameClass")
      coder.encode(true, forKey: "aFirstPropertyOfTheObject")
      coder.encode(7, forKey: "aSecondPropertyOfTheObject")
      coder.encode("text", forKey: "aThirdPropertyOfTheObject")
    }
  }

  /// Writes an archive, in a process of its own.
  static func writeFile(_ arguments: inout Arguments) throws {
    guard let kind = arguments.text("kind").flatMap(Kind.init), let path = arguments.text("file") else {
      throw UsageError()
    }
    try arguments.finish()
    let data: Data
    switch kind {
    case .items:
      var items: [Item] = []
      for number in 0..<60_000 { items.append(Item(number, number % 8 == 0 ? nil : items.last)) }
      data = try KeyedArchiver.archivedData(withRootObject: items, requiringSecureCoding: true)
    case .nested:
      var links: [Link] = []
      for _ in 0..<100_000 { links.append(Link(links.last)) }
      data = try KeyedArchiver.archivedData(withRootObject: links[links.count - 1], requiringSecureCoding: true)
      // From the outermost to the innermost, so that no release releases another object.
      while links.popLast() != nil {}
    case .numbers:
      data = try KeyedArchiver.archivedData(withRootObject: (0..<300_000).map { $0 }, requiringSecureCoding: true)
    }
    try data.write(to: URL(filePath: path))
  }
}
