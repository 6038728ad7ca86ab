// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@testable import SystemFiles

/// The tests of property lists, libraries and stores test other file operations.
@Suite("Descriptor")
struct DescriptorTests {
  private let scratch = try? ScratchFolder()

  /// Performs an operation in an empty folder.
  private func inFolder(_ body: (Descriptor) throws -> Void) throws {
    let folder = try Descriptor.folder(#require(scratch).url.path)
    defer { try? folder.close() }
    try body(folder)
  }

  private func reason(_ call: () throws(SystemError) -> Void) -> SystemError.Reason? {
    do throws(SystemError) {
      try call()
      return nil
    } catch {
      return error.reason
    }
  }

  @Test("is closed in child processes for every purpose")
  func closedOnExec() throws {
    try inFolder { folder in
      let purposes: [(String, Descriptor.Purpose)] = [
        ("new", .creating(permissions: 0o600)), ("new", .reading), (".", .folder), ("lock", .locking(creates: true)),
        ("lock", .locking(creates: false)),
      ]
      for (name, purpose) in purposes {
        for followingLinks in [false, true] {
          if case .creating = purpose { try? folder.removeFile(FileName(name)) }
          let opened = try folder.open(FileName(name), for: purpose, followingLinks: followingLinks)
          #expect(fcntl(opened.number, F_GETFD) & FD_CLOEXEC != 0, "\(purpose)")
          try opened.close()
        }
      }
    }
  }

  @Test("follows symbolic links only on request", .notHanging)
  func links() throws {
    try inFolder { folder in
      let url = try #require(scratch).url
      try Data("whole".utf8).write(to: url.appending(path: "file"))
      for (link, target) in [("to-file", "file"), ("to-nothing", "nothing")] {
        try FileManager.default.createSymbolicLink(
          atPath: url.appending(path: link).path, withDestinationPath: target)
      }
      #expect(try folder.status(of: FileName("to-file")).kind == .link)
      #expect(try folder.status(of: FileName("to-file"), followingLinks: true).kind == .file)
      let refused: [(String, Descriptor.Purpose, SystemError.Reason)] = [
        ("to-file", .reading, .link), ("to-file", .locking(creates: true), .link),
        ("to-nothing", .locking(creates: true), .link), ("to-nothing", .creating(permissions: 0o600), .exists),
      ]
      for (name, purpose, expected) in refused {
        #expect(reason { () throws(SystemError) in _ = try folder.open(FileName(name), for: purpose) } == expected)
      }
      try folder.open(FileName("to-file"), for: .reading, followingLinks: true).close()
      #expect(try Set(FileManager.default.contentsOfDirectory(atPath: url.path)) == ["file", "to-file", "to-nothing"])
    }
  }

  @Test("appends the bytes read, and none on failure")
  func reading() throws {
    try inFolder { folder in
      let made = try folder.open(FileName("file"), for: .creating(permissions: 0o600))
      defer { try? made.close() }
      #expect(try made.write(Data("one two".utf8)) == 7)
      #expect(try made.write(Data()) == 0)
      #expect(try made.write(Data("T".utf8), at: 4) == 1)
      let file = try folder.open(FileName("file"), for: .reading)
      defer { try? file.close() }
      var bytes = Data("zero ".utf8)
      #expect(try file.read(into: &bytes, atMost: 4) == 4)
      #expect(try file.read(into: &bytes, atMost: 100) == 3)
      #expect(try file.read(into: &bytes, atMost: 100) == 0)
      #expect(try file.read(into: &bytes, atMost: 3, at: 2) == 3)
      #expect(String(decoding: bytes, as: UTF8.self) == "zero one Twoe T")
      let before = bytes
      #expect(reason { () throws(SystemError) in _ = try folder.read(into: &bytes, atMost: 100) } == .notAFile)
      #expect(bytes == before)
      #expect(reason { () throws(SystemError) in _ = try file.write(bytes) } == .unsupported)
    }
  }

  @Test("sets permissions, and times of files and links to the nanosecond")
  func attributes() throws {
    try inFolder { folder in
      let file = try folder.open(FileName("file"), for: .creating(permissions: 0o600))
      defer { try? file.close() }
      try file.setPermissions(0o4751)
      let moment = FileStatus.Moment(seconds: 981_173_106, nanoseconds: 123_456_789)
      try file.setModified(moment)
      let later = FileStatus.Moment(seconds: 981_173_107, nanoseconds: 1)
      try FileManager.default.createSymbolicLink(
        atPath: #require(scratch).path("link"), withDestinationPath: "file")
      try folder.setModified(later, of: FileName("link"))
      #expect(try file.status().permissions == 0o4751)
      #expect(try file.status().modified == moment)
      #expect(try folder.status(of: FileName("link")).modified == later)
      #expect(try file.status() == folder.status(of: FileName("file")))
    }
  }

  @Test("repeats a call after signals, but not after other errors")
  func repeating() {
    for (numbers, calls, reason) in [
      ([EINTR, EINTR, 0, EINTR], 3, nil), ([EINTR, EIO, 0], 2, .deviceError), ([0], 1, nil),
    ] as [([Int32], Int, SystemError.Reason?)] {
      var made = 0
      let failure = self.reason { () throws(SystemError) in
        try SystemError.repeating { () throws(SystemError) in
          made += 1
          if numbers[made - 1] != 0 { throw SystemError(numbers[made - 1]) }
        }
      }
      #expect(made == calls)
      #expect(failure == reason)
    }
  }

  @Test(
    "under another group, a file gives it no more access than all users; under another owner, a program has no special rights",
    arguments: [
      (0o640, true, true, 0o640), (0o640, true, false, 0o600), (0o664, true, false, 0o644), (0o604, true, false, 0o604),
      (0o4755, true, true, 0o4755), (0o4755, false, true, 0o755), (0o2755, true, false, 0o755),
      (0o2755, false, true, 0o2755),
      (0o1777, false, false, 0o1777),
    ] as [(UInt32, Bool, Bool, UInt32)])
  func access(_ permissions: UInt32, _ hasOwner: Bool, _ hasGroup: Bool, _ expected: UInt32) throws {
    try inFolder { folder in
      let old = try folder.status()
      var new = old
      new.kind = .file
      if !hasOwner { new.owner += 1 }
      if !hasGroup { new.group += 1 }
      #expect(new.permissions(permissions, of: old) == expected)
    }
  }

  @Test("a new folder under another group keeps the rule for the group of its files")
  func folderAccess() throws {
    try inFolder { folder in
      let old = try folder.status()
      var new = old
      new.group += 1
      #expect(new.permissions(0o2770, of: old) == 0o2700)
    }
  }

  @Test("an open file has its name until it is removed or replaced")
  func names() throws {
    try inFolder { folder in
      let name = FileName("file")
      let file = try folder.open(name, for: .creating(permissions: 0o600))
      defer { try? file.close() }
      #expect(folder.has(name, as: file))
      try folder.move(name, to: folder, FileName("other"))
      #expect(!folder.has(name, as: file) && folder.has(FileName("other"), as: file))
      let next = try folder.open(name, for: .creating(permissions: 0o600))
      defer { try? next.close() }
      #expect(!folder.has(name, as: file) && folder.has(name, as: next))
    }
  }
}
