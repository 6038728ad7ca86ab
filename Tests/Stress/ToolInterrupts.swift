// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport

/// Ends the command `scarycreatures` by signals while it adds, imports and exports creatures and writes a gallery, and
/// checks what it leaves.
struct ToolInterrupts {
  /// The signals that ask a process to end.
  private static let signals: [Int32] = [1, 2, 15]

  private let tool: String
  private let folder: URL
  private var random = SeededRandom(seed: 1)
  private(set) var ended = 0
  private(set) var completed = 0

  /// A command with the folder that it changes.
  private struct Work {
    var name: String
    var arguments: [String]
    var check: () throws -> Void
    /// Removes what the command wrote.
    var reset: () throws -> Void
  }

  init(tool: String, in folder: URL) {
    self.tool = tool
    self.folder = folder
  }

  mutating func run(rounds: Int, creatures: Int) throws {
    for work in try prepare(creatures) {
      try work.reset()
      let start = ContinuousClock.now
      try finish(work.arguments)
      let duration = ContinuousClock.now - start
      let microseconds = max(1, Int(duration / .microseconds(1)))
      for round in 0..<rounds {
        try work.reset()
        try interrupt(work, Self.signals[round % Self.signals.count], after: microseconds)
      }
      try work.reset()
    }
  }

  private mutating func interrupt(_ work: Work, _ signal: Int32, after longest: Int) throws {
    let process = try Child(work.arguments, of: tool)
    System.sleep(microseconds: Int.random(in: 0...longest, using: &random))
    process.send(signal)
    while try process.line() != nil {}
    let status = process.end()
    switch status {
    case -signal: ended += 1
    // The command came to its end before the signal.
    case 0: completed += 1
    default: throw Breach("\(work.name) ended with \(status) after signal \(signal)")
    }
    do {
      try work.check()
    } catch {
      throw Breach("\(work.name), signal \(signal): \(error)")
    }
  }

  /// Runs a command that must succeed.
  private func finish(_ arguments: [String]) throws {
    let process = try Child(arguments, of: tool)
    var output: [String] = []
    while let line = try process.line() { output.append(line) }
    let status = process.end()
    guard status == 0 else { throw Breach("\(arguments) ended with \(status): \(output.joined(separator: "\n"))") }
  }

  /// A library, of some megabytes if it has 40 creatures, and the commands.
  private func prepare(_ creatures: Int) throws -> [Work] {
    let files = FileManager.default
    let library = folder.appending(path: "creatures")
    try CreatureFolders.make(creatures, in: library, by: tool)
    let backup = folder.appending(path: "backup.zip")
    try finish(["export", "--all", "-o", backup.path, "--library", library.path])
    let whole = try Data(contentsOf: backup)

    let target = folder.appending(path: "target")
    let image = library.appending(path: "1.scarycreature/fullImage.png").path
    let output = folder.appending(path: "output")
    let page = folder.appending(path: "gallery")
    func remove(_ url: URL) throws {
      if files.fileExists(atPath: url.path) { try files.removeItem(at: url) }
    }
    func checkTarget() throws { try Self.checkLibrary(target, copying: library) }
    return [
      Work(
        name: "add", arguments: ["add", "Ghost", "-i", image, "--library", target.path], check: checkTarget,
        reset: { try remove(target) }),
      Work(
        name: "import", arguments: ["import", backup.path, "--keep-numbers", "--library", target.path],
        check: checkTarget, reset: { try remove(target) }),
      Work(
        name: "export",
        arguments: [
          "export", "--all", "--force", "-o", output.appending(path: "out.zip").path, "--library", library.path,
        ],
        check: {
          guard try files.contentsOfDirectory(atPath: output.path) == ["out.zip"] else {
            throw Breach("beside the output: \(try files.contentsOfDirectory(atPath: output.path))")
          }
          let content = try Data(contentsOf: output.appending(path: "out.zip"))
          guard content == whole || content == Data("old".utf8) else { throw Breach("the output is not whole") }
        },
        reset: {
          try files.createDirectory(at: output, withIntermediateDirectories: true)
          try Data("old".utf8).write(to: output.appending(path: "out.zip"))
        }),
      Work(
        name: "gallery", arguments: ["gallery", "--force", "-o", page.path, "--library", library.path],
        check: { try Self.checkGallery(page) }, reset: { try remove(page) }),
    ]
  }

  /// Checks a library in which each creature must be whole.
  private static func checkLibrary(_ target: URL, copying source: URL) throws {
    let files = FileManager.default
    guard files.fileExists(atPath: target.path) else { return }
    for name in try files.contentsOfDirectory(atPath: target.path) {
      let place = target.appending(path: name)
      let names = Set(try files.contentsOfDirectory(atPath: place.path))
      if name == ".work" {
        guard names.isSubset(of: ["last-number"]) else { throw Breach("left in .work: \(names.sorted())") }
      } else {
        let expected: Set = ["Data.plist", "fullImage.png", "thumbImage.png"]
        guard name.hasSuffix(".scarycreature"), names == expected else {
          throw Breach("\(name) has \(names.sorted())")
        }
        // An added creature has the picture of the first one.
        let original = source.appending(path: name).appending(path: "fullImage.png")
        guard try Data(contentsOf: place.appending(path: "fullImage.png")) == Data(contentsOf: original) else {
          throw Breach("the picture of \(name) is not whole")
        }
      }
    }
  }

  /// Checks that the list of a gallery names each image, and that no temporary file is left.
  private static func checkGallery(_ page: URL) throws {
    let files = FileManager.default
    guard files.fileExists(atPath: page.path) else { return }
    let names = try files.subpathsOfDirectory(atPath: page.path)
    var others = Set(names).subtracting(["index.html", ".gallery-files", "images", "thumbs"])
    if names.contains(".gallery-files") {
      let list = try String(contentsOf: page.appending(path: ".gallery-files"), encoding: .utf8)
      others.subtract(list.split(separator: "\n").map(String.init))
    }
    guard others.isEmpty else { throw Breach("the gallery does not list \(others.sorted())") }
  }
}
