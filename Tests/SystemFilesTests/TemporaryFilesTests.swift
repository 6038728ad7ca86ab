// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite("Temporary files")
struct TemporaryFilesTests {
  private let folder: ScratchFolder
  private let url: URL
  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }
  }

  init() throws {
    folder = try ScratchFolder()
    url = folder.url.appending(path: "out.plist")
  }

  private func leftover(_ suffix: String = "") throws -> String {
    try folder.file(".out.plist.keyedarchiver-unfinished\(suffix)", Data("left".utf8))
  }

  @Test("a write removes what a killed process left for the same file, and nothing else")
  func leftovers() throws {
    _ = try leftover()
    let others = [
      ".out.plist.keyedarchiver-unfinished-2", ".other.plist.keyedarchiver-unfinished", ".out.plist", "out.plist~",
    ]
    for name in others { _ = try folder.file(name, Data("mine".utf8)) }
    try WholeFile.write(Data("new".utf8), to: url)
    #expect(try names == (others + ["out.plist"]).sorted())
    TemporaryFiles.sweep(beside: url.path)
    #expect(try names == (others.dropFirst() + ["out.plist"]).sorted())
  }

  @Test("writers of one file at the same time leave each other's temporary files alone")
  func writers() throws {
    let writers = try (0..<12).map { _ in try ReplacedFile(url) }
    #expect(try names.count == 12)
    TemporaryFiles.sweep(beside: url.path)
    #expect(try names.count == 12)
    for (index, writer) in writers.enumerated() {
      try writer.write(Data("\(index)".utf8))
      try writer.commit()
      #expect(try Data(contentsOf: url) == Data("\(index)".utf8))
    }
    #expect(try names == ["out.plist"])
  }

  @Test("a writer that does not commit leaves the old file and nothing else")
  func discarded() throws {
    _ = try folder.file("out.plist", Data("old".utf8))
    do {
      let writer = try ReplacedFile(url)
      try writer.write(Data("new".utf8))
    }
    #expect(try names == ["out.plist"])
    #expect(try Data(contentsOf: url) == Data("old".utf8))
  }

  @Test("a folder or a link with the name of a temporary file is not touched")
  func otherEntries() throws {
    let path = folder.path(".out.plist.keyedarchiver-unfinished")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: path + "-2", withDestinationPath: "target")
    _ = try folder.file("target", Data("kept".utf8))
    try WholeFile.write(Data("new".utf8), to: url)
    #expect(try names.count == 4)
    #expect(try Data(contentsOf: folder.url.appending(path: "target")) == Data("kept".utf8))
  }

  @Test("names of any length can be written", arguments: [1, 200, 228, 229, 230, 255])
  func longNames(count: Int) throws {
    let url = folder.url.appending(path: String(repeating: "n", count: count))
    try WholeFile.write(Data("new".utf8), to: url)
    #expect(try names == [url.lastPathComponent])
  }

  @Test(
    "what a killed process left for a file with a long name is removed, too", arguments: ["n", "é", "🎈"],
    [200, 228, 229, 230, 255])
  func longLeftovers(letter: String, count: Int) throws {
    let url = folder.url.appending(path: String(repeating: letter, count: count / letter.utf8.count))
    func temporaryNames() throws -> [String] {
      let writers = try (0..<8).map { _ in try ReplacedFile(url) }
      return try withExtendedLifetime(writers) { try names }
    }
    let left = try temporaryNames()
    #expect(left.count == 8 && left.allSatisfy { $0.utf8.count <= 255 && !$0.contains("\u{FFFD}") })
    for name in left { _ = try folder.file(name, Data("left".utf8)) }
    #expect(try temporaryNames() == left)
    for name in left { _ = try folder.file(name, Data("left".utf8)) }
    TemporaryFiles.sweep(beside: url.path)
    #expect(try names == [])
  }

  @Test("a disk on which no new file has its name is not filled with files")
  func namelessFiles() throws {
    let error = #expect(throws: SystemError.self) {
      _ = try TemporaryFiles.create(beside: FileName(url.path), permissions: 0o600) { _, _ in false }
    }
    #expect(error?.reason == .exists)
    #expect(try names.count <= 16)
  }

  #if os(Linux)
    @Test("a write that begins or ends after a signal has removed the temporary files waits for the end of the process")
    func ending() async throws {
      await #expect(processExitsWith: .signal(SIGTERM)) { [path = folder.url.path as String] in
        TemporaryFiles.removeAtSignals()
        let (isWriting, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // An error, too, must not be reported any more.
        let returned: @Sendable () -> Void = { try? Data().write(to: URL(filePath: path + "/returned")) }
        Thread.detachNewThread {
          let first = try? ReplacedFile(URL(filePath: path + "/first"))
          isWriting.signal()
          goesOn.wait()
          try? first?.commit()
          returned()
        }
        isWriting.wait()
        // Called after the function that removes the files.
        EndingSignals.add(EndingSignals.all) {
          goesOn.signal()
          Thread.detachNewThread {
            _ = try? ReplacedFile(URL(filePath: path + "/second"))
            returned()
          }
          Thread.sleep(forTimeInterval: 0.5)
        }
        kill(getpid(), SIGTERM)
        while true { pause() }
      }
      #expect(try names == [])
    }
  #endif
}
