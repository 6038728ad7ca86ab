// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import SystemFiles
import TestSupport
import Testing

@Suite("AtomicFile")
struct AtomicFileTests {
  private enum Call: CaseIterable { case create, write, flush, close, rename, flushFolder, remove }

  private struct CallFailure: Error, Equatable {
    var call: Call
  }

  /// A folder of two files in memory, which writes three bytes at a time and can fail.
  private final class Folder: AtomicFileCalls {
    var old: Data? = Data("old".utf8)
    var temporary: Data?
    var calls: [Call] = []
    let failing: Call?

    init(failing: Call? = nil) { self.failing = failing }

    private func make(_ call: Call) throws(CallFailure) {
      calls.append(call)
      if call == failing { throw CallFailure(call: call) }
    }

    func create() throws(CallFailure) {
      try make(.create)
      temporary = Data()
    }

    func write(_ bytes: Data, to file: Void) throws(CallFailure) -> Int {
      try make(.write)
      temporary?.append(bytes.prefix(3))
      return min(3, bytes.count)
    }

    func flush(_ file: Void) throws(CallFailure) { try make(.flush) }
    func close(_ file: Void) { calls.append(.close) }

    func rename() throws(CallFailure) {
      try make(.rename)
      (old, temporary) = (temporary, nil)
    }

    func flushFolder() throws(CallFailure) { try make(.flushFolder) }

    func remove() {
      calls.append(.remove)
      temporary = nil
    }
  }

  private func replace(in folder: Folder, durably: Bool = true) throws(CallFailure) {
    let file = try AtomicFile(folder)
    try file.write(Data("new".utf8))
    try file.write(Data(" bytes".utf8))
    try file.commit(durably: durably)
  }

  @Test("flushes the bytes before the rename and the folder after it")
  func order() throws {
    let folder = Folder()
    try replace(in: folder)
    #expect(folder.old == Data("new bytes".utf8))
    #expect(folder.calls == [.create, .write, .write, .write, .flush, .rename, .flushFolder, .close])
  }

  @Test("flushes nothing when the replacement is not durable")
  func undurable() throws {
    let folder = Folder()
    try replace(in: folder, durably: false)
    #expect(folder.calls == [.create, .write, .write, .write, .rename, .close])
  }

  @Test("flushes the bytes once when the caller flushes them")
  func flushedBefore() throws {
    let folder = Folder()
    let file = try AtomicFile(folder)
    try file.write(Data("new".utf8))
    try file.flush()
    try file.commit()
    #expect(folder.calls.filter { $0 == .flush }.count == 1)
  }

  @Test(
    "keeps the old file and removes the temporary one when a call fails",
    arguments: [Call.create, .write, .flush, .rename])
  private func failures(_ call: Call) {
    let folder = Folder(failing: call)
    #expect(throws: CallFailure(call: call)) { try replace(in: folder) }
    #expect(folder.old == Data("old".utf8))
    #expect(folder.temporary == nil)
    #expect(folder.calls.last == (call == .create ? .create : .close))
  }

  @Test("keeps the new file when only the folder cannot be flushed")
  func unflushedFolder() {
    let folder = Folder(failing: .flushFolder)
    #expect(throws: CallFailure(call: .flushFolder)) { try replace(in: folder) }
    #expect(folder.old == Data("new bytes".utf8))
    #expect(!folder.calls.contains(.remove))
  }

  @Test("removes the temporary file when it is released before a commit")
  func released() throws {
    let folder = Folder()
    do {
      let file = try AtomicFile(folder)
      try file.write(Data("new".utf8))
    }
    #expect(folder.old == Data("old".utf8))
    #expect(folder.temporary == nil)
    #expect(folder.calls.suffix(2) == [.remove, .close])
  }

  @Test("replaces a file that others cannot read by a file that others cannot read")
  func permissions() throws {
    let folder = try ScratchFolder()
    let url = folder.url.appending(path: "file")
    try WholeFile.write(Data("old".utf8), to: url)
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: url.path)
    try WholeFile.write(Data("new".utf8), to: url)
    #expect(try WholeFile.bytes(at: url.path) == Array("new".utf8))
    #expect(try Descriptor.working.status(of: FileName(url.path)).permissions == 0o400)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["file"])
  }
}
