// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TestSupport
import Testing

@testable import CommandLineTools

#if canImport(Glibc)
  import Glibc
#endif

@Suite("Files that arguments name")
struct InputFileTests {
  private func failure(_ path: String) throws -> Failure {
    try #require(throws: Failure.self) { try InputFile.read(path) }
  }

  @Test("a file that is larger than the limit is refused before it is in memory")
  func tooLarge() throws {
    let folder = try ScratchFolder()
    let path = try folder.file("large.plist", Data())
    let count = ReadLimits.default.maximumByteCount + 1
    // A sparse file, which takes no space.
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.truncate(atOffset: UInt64(count))
    try file.close()
    let error = try failure(path)
    #expect(error.exit == .limitReached && error.code == "limitReached")
    #expect(error.detail == "file too large: \(count) bytes; the limit is \(count - 1)")
    #expect(error.remedy?.contains("limits of this tool are fixed") == true)
  }

  #if os(Linux) && canImport(Glibc)
    @Test("an error of the disk has the system's text and nothing else")
    func deviceError() throws {
      // Nothing is mapped at the first address, so the system cannot read this file.
      #expect(try failure("/proc/self/mem").detail == "cannot be read: \(unsafe String(cString: strerror(EIO)))")
    }
  #endif

  @Test(
    "an error has its own reason",
    arguments: [("none", "no such file"), ("file/x", "Not a directory"), ("file/", "Not a directory")])
  func reasons(name: String, reason: String) throws {
    let folder = try ScratchFolder()
    _ = try folder.file("file", Data())
    #expect(try failure("\(folder.url.path)/\(name)").detail.hasSuffix(reason))
  }

  @Test("links that lead in a circle have their own reason")
  func linkLoop() throws {
    let folder = try ScratchFolder()
    try FileManager.default.createSymbolicLink(atPath: folder.path("loop"), withDestinationPath: "loop")
    let error = try failure(folder.path("loop"))
    #expect(error.exit == .unreadable && error.detail == "cannot be read: too many levels of symbolic links")
    #expect(error.remedy == "The links lead in a circle; show them with 'ls -l'")
  }

  @Test("the URL of an argument is absolute, and has neither '~' replaced nor '..' removed before links are followed")
  func urls() throws {
    let folder = try ScratchFolder()
    // The scratch folder can itself be behind a link.
    let real = folder.url.resolvingSymlinksInPath().path
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "real/deep"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "real/deep")
    #expect(try URL(argument: folder.path("link/../new")).path == "\(real)/real/new")
    #expect(try URL(argument: folder.path("link/../.."), isFolder: true).path == real)
    #expect(try URL(argument: folder.path("link/new")).path == folder.path("link/new"))
    let current = FileManager.default.currentDirectoryPath
    #expect(try URL(argument: "~").path == "\(current)/~")
    #expect(try URL(argument: "~/a b").path == "\(current)/~/a b")
    #expect(try URL(argument: "a%2Fb").path == "\(current)/a%2Fb")
    #expect(try URL(argument: "./a").lastPathComponent == "a")
  }

  @Test("the URL of an argument with '..' behind a missing folder names no file, as the path does for the system")
  func missingFolder() throws {
    let folder = try ScratchFolder()
    let file = try folder.file("x", Data("old".utf8))
    let url = try URL(argument: folder.path("none/../x"))
    #expect(url.path == folder.path("none/../x"))
    #expect(try failure(url.path).detail == "no such file")
    #expect(throws: PropertyListError.self) { try DurableFile.write(Data("new".utf8), to: url) }
    #expect(try Data(contentsOf: URL(filePath: file)) == Data("old".utf8))
  }
}
