// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import SystemFiles
import TestSupport
import Testing

@Suite("WholeFile")
struct WholeFileTests {
  @Test("reads all bytes of a file of any size", arguments: [0, 1, 4095, 4096, 4097, 1 << 20, (1 << 20) + 1])
  func sizes(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let folder = try ScratchFolder()
    #expect(try WholeFile.bytes(at: folder.file("file", Data(bytes))) == bytes)
  }

  #if os(Linux)
    @Test("reads a file that reports no size")
    func unknownSize() throws {
      #expect(try WholeFile.bytes(at: "/proc/self/maps").count > 4096)
    }
  #endif

  @Test("rejects a file above the limit before it reads it")
  func limit() throws {
    let folder = try ScratchFolder()
    let path = try folder.file("file", Data(count: 1000))
    #expect(try WholeFile.bytes(at: path, limit: 1000).count == 1000)
    #expect(throws: SystemError.tooLarge) { try WholeFile.bytes(at: path, limit: 999) }
    // More than there is memory, if the disk allows it.
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    defer { try? file.close() }
    if (try? file.truncate(atOffset: 1 << 43)) != nil {
      #expect(throws: SystemError.tooLarge) { try WholeFile.bytes(at: path) }
    }
  }

  #if os(Linux)
    /// The status of such a file has the size 0, and reading it takes hours.
    @Test("reads no more of a file than the limit, whatever size it states")
    func endlessFile() throws {
      let path = "/proc/self/pagemap"
      try #require(try Descriptor.working.status(of: FileName(path)).byteCount == 0)
      #expect(throws: SystemError.tooLarge) { try WholeFile.bytes(at: path, limit: 100_000) }
      #expect(throws: SystemError.tooLarge) { try WholeFile.data(at: path, limit: 100_000) }
    }

    /// All of such a file can fit into the first block.
    @Test("refuses a short file that states no size and exceeds the limit")
    func shortFile() throws {
      let path = "/proc/self/status"
      let count = try WholeFile.bytes(at: path).count
      try #require(count > 100 && count < 4096)
      #expect(throws: SystemError.tooLarge) { try WholeFile.bytes(at: path, limit: 100) }
      #expect(throws: SystemError.tooLarge) { try WholeFile.data(at: path, limit: 100) }
    }
  #endif

  @Test("reads a stream up to the limit, if it is accepted")
  func streams() throws {
    #expect(throws: SystemError.notAFile) { try WholeFile.bytes(at: "/dev/zero", limit: 1000) }
    #expect(throws: SystemError.notAFile) { try WholeFile.data(at: "/dev/zero", limit: 1000) }
    for limit in [0, 1000, 4095, 4096, 1 << 20] {
      #expect(throws: SystemError.tooLarge) {
        try WholeFile.bytes(at: "/dev/zero", limit: limit, acceptingStreams: true)
      }
      #expect(throws: SystemError.tooLarge) {
        try WholeFile.data(at: "/dev/zero", limit: limit, acceptingStreams: true)
      }
    }
    #expect(try WholeFile.data(at: "/dev/null", acceptingStreams: true).isEmpty)
    #expect(try WholeFile.bytes(at: "/dev/null", acceptingStreams: true).isEmpty)
  }

  @Test(
    "writes into a pipe and does not replace it", .notHanging,
    .enabled(if: Program.installed("mkfifo") != nil && Program.installed("cat") != nil, "no mkfifo or cat here"),
    arguments: [true, false])
  func pipe(isWhole: Bool) throws {
    let folder = try ScratchFolder()
    let path = folder.path("pipe")
    #expect(try Program.installed("mkfifo")?.run([path]).code == 0)
    let reader = Process()
    reader.executableURL = try #require(Program.installed("cat")).url
    reader.arguments = [path]
    reader.standardOutput = FileHandle(forWritingAtPath: try folder.file("read", Data()))
    try reader.run()
    defer { reader.terminate() }
    let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
    if isWhole {
      try WholeFile.write(bytes, to: URL(filePath: path))
    } else {
      let file = try ReplacedFile(URL(filePath: path))
      try file.write(bytes.prefix(1000))
      try file.write(bytes.dropFirst(1000))
      try file.commit()
    }
    try #require(try Descriptor.working.status(of: FileName(path)).kind == .other)
    reader.waitUntilExit()
    #expect(try Data(contentsOf: URL(filePath: folder.path("read"))) == bytes)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["pipe", "read"])
  }

  @Test(
    "throws an error if the reader of a pipe has left", .notHanging,
    .enabled(if: Program.installed("mkfifo") != nil && Program.installed("head") != nil, "no mkfifo or head here"))
  func closedPipe() throws {
    let folder = try ScratchFolder()
    let path = folder.path("pipe")
    #expect(try Program.installed("mkfifo")?.run([path]).code == 0)
    let reader = Process()
    reader.executableURL = try #require(Program.installed("head")).url
    reader.arguments = ["-c", "1", path]
    reader.standardOutput = FileHandle.nullDevice
    try reader.run()
    defer { reader.terminate() }
    // A pipe holds less than that.
    let error = #expect(throws: SystemFailure.self) {
      try WholeFile.write(Data(count: 2_000_000), to: URL(filePath: path))
    }
    #expect(error?.text.contains(path) == true)
  }

  @Test("rejects a folder and a missing file")
  func refusals() throws {
    let folder = try ScratchFolder()
    #expect(throws: SystemError.notAFile) { try WholeFile.bytes(at: folder.url.path) }
    #expect(throws: SystemError.notFound) { try WholeFile.bytes(at: folder.url.path + "/none") }
  }

  @Test("reads the same bytes into data", arguments: [0, 1, 4096, (1 << 20) + 1])
  func data(count: Int) throws {
    let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let folder = try ScratchFolder()
    #expect(try WholeFile.data(at: folder.file("file", bytes)) == bytes)
    #expect(throws: SystemError.notAFile) { try WholeFile.data(at: folder.url.path) }
  }

  /// A folder with a link `link` to `real/deep`.
  private func linked() throws -> ScratchFolder {
    let folder = try ScratchFolder()
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "real/deep"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "real/deep")
    return folder
  }

  @Test("writes to the parent of the folder that a link leads to, for '..' behind the link")
  func parentOfLink() throws {
    let folder = try linked()
    try WholeFile.write(Data("new".utf8), to: URL(filePath: folder.path("link/../file")))
    #expect(try WholeFile.bytes(at: folder.path("real/file")) == Array("new".utf8))
    #expect(!FileManager.default.fileExists(atPath: folder.path("file")))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("real")).sorted() == ["deep", "file"])
  }

  @Test("creates the file that a link in a linked folder leads to, and keeps both links")
  func danglingLink() throws {
    let folder = try linked()
    try FileManager.default.createSymbolicLink(atPath: folder.path("real/deep/file"), withDestinationPath: "../new")
    let file = try ReplacedFile(URL(filePath: folder.path("link/file")))
    try file.write(Data("new".utf8))
    try file.commit()
    #expect(try WholeFile.bytes(at: folder.path("real/new")) == Array("new".utf8))
    #expect(try Descriptor.working.status(of: FileName(folder.path("real/deep/file"))).kind == .link)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["link", "real"])
  }

  @Test(
    "the folder of a path is what precedes its last name",
    arguments: [("/a/b", "/a"), ("/a/..", "/a"), ("/a//b", "/a"), ("/a", "/"), ("//a", "/"), ("/", "/")])
  func folders(path: String, folder: String) {
    #expect(FileName(path).folder.text == folder)
  }

  @Test("does not replace a link that leads in a circle")
  func circle() throws {
    let folder = try ScratchFolder()
    try FileManager.default.createSymbolicLink(atPath: folder.path("a"), withDestinationPath: "a")
    let error = #expect(throws: SystemFailure.self) {
      try WholeFile.write(Data(), to: URL(filePath: folder.path("a")))
    }
    #expect(error?.error.reason == .link)
    #expect(try Descriptor.working.status(of: FileName(folder.path("a"))).kind == .link)
  }

  /// Whether the process may give files to others.
  private static let isPrivileged: Bool = {
    guard let folder = try? ScratchFolder(), let path = try? folder.file("file", Data()) else { return false }
    return (try? FileManager.default.setAttributes([.ownerAccountID: 1], ofItemAtPath: path)) != nil
  }()

  @Test("a replaced file keeps its owner", .enabled(if: isPrivileged, "the process may not change owners"))
  func owner() throws {
    let folder = try ScratchFolder()
    let path = try folder.file("file", Data("old".utf8))
    try FileManager.default.setAttributes(
      [.ownerAccountID: 1, .groupOwnerAccountID: 2, .posixPermissions: 0o640], ofItemAtPath: path)
    try WholeFile.write(Data("new".utf8), to: URL(filePath: path))
    let status = try Descriptor.working.status(of: FileName(path))
    #expect(status.owner == 1 && status.group == 2 && status.permissions == 0o640)
  }

  @Test(
    "a replaced file keeps its group in a folder whose new files have another one",
    .enabled(if: isPrivileged, "the process may not change owners"))
  func groupOfFolder() throws {
    let folder = try ScratchFolder()
    let path = try folder.file("file", Data("old".utf8))
    try FileManager.default.setAttributes([.posixPermissions: 0o660], ofItemAtPath: path)
    let old = try Descriptor.working.status(of: FileName(path))
    try FileManager.default.setAttributes([.groupOwnerAccountID: 4321], ofItemAtPath: folder.url.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o2777], ofItemAtPath: folder.url.path)
    try WholeFile.write(Data("new".utf8), to: URL(filePath: path))
    let new = try Descriptor.working.status(of: FileName(path))
    #expect(new.group == old.group && new.permissions == 0o660)
  }
}
