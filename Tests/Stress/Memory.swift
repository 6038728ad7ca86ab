// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport

/// Compares the memory that the commands for backups take with a small and with a large library.
enum Memory {
  /// The memory that may be needed for the names of more files, in bytes.
  private static let allowance = 16 << 20

  static func run(_ arguments: inout Arguments) throws {
    let size = max(64, try arguments.number("megabytes", 200)) << 20
    let tool = arguments.text("tool") ?? Interrupts.usualTool
    let place = arguments.folder()
    try arguments.finish()
    try place.use { folder in
      let few = try peaks(8 << 20, tool, in: folder.appending(path: "few"))
      let many = try peaks(size, tool, in: folder.appending(path: "many"))
      for (small, large) in zip(few, many) {
        let text =
          "\(small.name): \(small.kilobytes >> 10) MiB of memory for 8 MiB of files, "
          + "\(large.kilobytes >> 10) MiB for \(size >> 20) MiB"
        guard (large.kilobytes - small.kilobytes) << 10 <= allowance else { throw Breach(text) }
        print(text)
      }
      print("\(few.count) commands take at most \(allowance >> 20) MiB more for \(size >> 20) MiB than for 8 MiB")
    }
  }

  /// The most memory of each command with a library of some bytes.
  private static func peaks(
    _ size: Int, _ tool: String, in folder: URL
  ) throws -> [(name: String, kilobytes: Int)] {
    let files = FileManager.default
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    func path(_ name: String) -> String { folder.appending(path: name).path }
    func peak(_ arguments: [String], input: String? = nil) throws -> Int {
      let process = try Child(arguments, of: tool, input: input)
      process.drain()
      let status = process.end()
      guard status == 0 else { throw Breach("\(arguments) ended with \(status)") }
      return process.peakKilobytes
    }
    let library = path("library")
    try CreatureFolders.make(size / 160_000, in: URL(filePath: library), by: tool)
    let backup = path("backup.zip")
    return [
      ("export --all", try peak(["export", "--all", "-o", backup, "--library", library])),
      ("verify", try peak(["verify", backup])),
      ("import", try peak(["import", backup, "--quiet", "--library", path("imported")])),
      ("import from a pipe", try peak(["import", "-", "--quiet", "--library", path("piped")], input: backup)),
      ("import of a library", try peak(["import", library, "--quiet", "--library", path("copied")])),
      (
        "export --all --to folder",
        try peak(["export", "--all", "--to", "folder", "-o", path("out"), "--library", library])
      ),
    ]
  }
}
