// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import SystemFiles
import Testing

@Suite("Storage rules on disk and in memory")
struct StorageTests {
  /// A storage with a file, an empty folder, and a folder with a file in it.
  private func room(_ place: Place) throws -> Room {
    let room = try Room(place)
    try room.storage.plant("file", Data("text".utf8))
    try room.storage.makeFolder("folder")
    try room.storage.makeFolder("full")
    try room.storage.plant("full" / "file", Data("more".utf8))
    return room
  }

  private func reason(_ body: () throws -> Void) -> StorageError.Reason? {
    (#expect(throws: StorageError.self) { try body() })?.reason
  }

  @Test("reject existing and missing entries", arguments: Place.allCases)
  func making(_ place: Place) throws {
    let storage = try room(place).storage
    #expect(reason { _ = try storage.create("file") } == .exists)
    #expect(reason { try storage.makeFolder("folder") } == .exists)
    #expect(reason { try storage.makeFolder("file" / "folder") } == .notAFolder)
    #expect(reason { _ = try storage.open("none") } == .notFound)
    #expect(reason { _ = try storage.status(of: "none" / "file") } == .notFound)
    #expect(reason { try storage.link("none", to: "other") } == .notFound)
    #expect(reason { try storage.link("file", to: "full" / "file") } == .exists)
    #expect(reason { try storage.link("folder", to: "other") } == .noPermission)
    #expect(reason { _ = try storage.create(.root / "..") } == .badName)
    #expect(reason { _ = try storage.create(.root / "a/b") } == .badName)
  }

  @Test("remove files and empty folders only by their own calls", arguments: Place.allCases)
  func removing(_ place: Place) throws {
    let storage = try room(place).storage
    // POSIX specifies the second reason, and Linux returns the first.
    #expect([.notAFile, .noPermission].contains(reason { try storage.removeFile("folder") }))
    #expect(reason { try storage.removeFolder("file") } == .notAFolder)
    #expect(reason { try storage.removeFolder("full") } == .notEmpty)
    #expect(reason { try storage.removeFile("none") } == .notFound)
    try storage.removeFile("full" / "file")
    try storage.removeFolder("full")
    #expect(reason { _ = try storage.status(of: "full") } == .notFound)
  }

  @Test("replace only a file by a file, and an empty folder by a folder", arguments: Place.allCases)
  func moving(_ place: Place) throws {
    let storage = try room(place).storage
    #expect(reason { try storage.move("file", to: "full" / "file", .exclusive) } == .exists)
    #expect(reason { try storage.move("file", to: "folder", .replacing) } == .notAFile)
    #expect(reason { try storage.move("folder", to: "file", .replacing) } == .notAFolder)
    #expect(reason { try storage.move("folder", to: "full", .replacing) } == .notEmpty)
    #expect(reason { try storage.move("full", to: "full" / "inner", .replacing) } == .unsupported)
    #expect(reason { try storage.move("none", to: "other", .replacing) } == .notFound)
    try storage.move("full", to: "folder", .replacing)
    #expect(try storage.status(of: "folder" / "file").byteCount == 4)
    try storage.move("file", to: "folder" / "file", .replacing)
    #expect(reason { _ = try storage.status(of: "file") } == .notFound)
    try storage.plant("file", Data("long text".utf8))
    try storage.move("file", to: "folder" / "file", .exchanging)
    #expect(try storage.status(of: "file").byteCount == 4)
    #expect(try storage.status(of: "folder" / "file").byteCount == 9)
  }

  @Test("move no folder into itself, nor exchange it with a folder around it", arguments: Place.allCases)
  func cycles(_ place: Place) throws {
    let storage = try place.room().storage
    try storage.makeFolder("a")
    try storage.makeFolder("a" / "b")
    for mode in [.exchanging, .exclusive] as [StorageMove] {
      #expect(throws: StorageError.self) { try storage.move("a" / "b", to: "a", mode) }
      #expect(throws: StorageError.self) { try storage.move("a", to: "a" / "b" / "c", mode) }
    }
    #expect(throws: StorageError.self) { try storage.move("a", to: "a" / "b", .exchanging) }
    #expect(try storage.names("a") == ["b"] && storage.names("a" / "b") == [])
  }

  @Test("name the entry that does not exist in the error of a move or a link", arguments: Place.allCases)
  func pathOfError(_ place: Place) throws {
    let storage = try place.room().storage
    try storage.makeFolder("folder")
    for call in [
      { try storage.move("gone", to: "folder" / "new", $0) }, { _ in try storage.link("gone", to: "folder" / "new") },
    ]
      as [(StorageMove) throws -> Void]
    {
      for mode in [.replacing, .exclusive, .exchanging] as [StorageMove] {
        let error = try #require(throws: StorageError.self) { try call(mode) }
        #expect(error.reason == .notFound && error.path == "gone", "\(error)")
      }
    }
    let error = try #require(throws: StorageError.self) { try storage.link("folder", to: "new") }
    #expect(error.path == "folder")
  }

  @Test("name the file in the error of a link that the system refuses, and else the new name")
  func pathOfRefusedLink() {
    // The numbers of EPERM and EACCES on all systems.
    #expect(SystemError(1).canConcernLinkedFile && !SystemError(13).canConcernLinkedFile)
    #expect([1, 13].allSatisfy { SystemError($0).reason == .noPermission })
  }

  @Test(
    "name the new entry in the error of a link into a folder without permission to write",
    .enabled(if: geteuid() != 0, "root may write everywhere"))
  func pathOfRefusedFolder() throws {
    let room = try room(.disk)
    let folder = room.folder.appending(path: "folder").path
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder)
    let error = try #require(throws: StorageError.self) { try room.storage.link("file", to: "folder" / "new") }
    #expect(error.reason == .noPermission && error.path == "folder" / "new")
  }

  @Test("describe an error by call, path and reason")
  func texts() {
    let reasons: [(StorageError.Reason, String)] = [
      (.exists, "it exists already"), (.notFound, "it does not exist"), (.notAFolder, "it is not a folder"),
      (.notAFile, "it is not a file"), (.link, "it is a symbolic link, which is not followed"),
      (.notEmpty, "the folder is not empty"), (.noSpace, "the disk is full"), (.noPermission, "permission denied"),
      (.readOnly, "the disk is read-only"), (.deviceError, "the disk reported an error"), (.interrupted, "interrupted"),
      (.otherDisk, "the paths are on different disks"), (.tooManyNames, "the file cannot have more names"),
      (.unsupported, "the file system does not support it"),
      (.badName, "invalid name"), (.tooManyOpen, "too many open files"),
      (.tooLarge, "the file is larger than the limit"), (.exhausted, "no number is left"),
      (.fileSizeLimit, "the file would exceed the size that the process or the file system allows"),
      (.other(5), "system error 5"), (.missing("file locks"), "this system has no file locks. Use MemoryStorage"),
    ]
    for (reason, text) in reasons {
      #expect("\(StorageError(reason, .move, "a" / "b"))" == "moving a/b: \(text)")
    }
    let calls: [(StorageError.Call, String)] = [
      (.makeRoot, "creating the folder"), (.list, "listing"), (.status, "inspecting"),
      (.makeFolder, "creating the folder"),
      (.create, "creating"), (.open, "opening"), (.read, "reading"), (.write, "writing"), (.flush, "flushing"),
      (.close, "closing"), (.flushFolder, "flushing"), (.move, "moving"), (.link, "linking"),
      (.removeFile, "removing"), (.removeFolder, "removing"), (.setModified, "setting the date of"),
      (.setPermissions, "setting the permissions of"), (.lock, "locking"), (.flushAll, "flushing"),
    ]
    #expect(calls.map(\.0) == StorageError.Call.allCases)
    for (call, text) in calls { #expect("\(StorageError(.noSpace, call, "x"))" == "\(text) x: the disk is full") }
  }

  @Test("describe a library error by path, detail and remedy")
  func libraryTexts() {
    let error = LibraryError(.diskFull, "/p/1", "writing failed", remedy: "Free space")
    #expect("\(error)" == "/p/1: writing failed. Free space" && "\(error.code)" == "diskFull")
    #expect("\(LibraryError(.deleted, "/p", "it is gone"))" == "/p: it is gone")
    #expect(error == LibraryError(.diskFull, "/p/1", "other") && error != LibraryError(.diskFull, "/p/2", "other"))
    #expect("\(DocumentWarning("code", "it is odd"))" == "it is odd")
  }

  @Test("keep both names of a file if one is renamed onto the other", arguments: Place.allCases)
  func sameFile(_ place: Place) throws {
    let storage = try room(place).storage
    try storage.link("file", to: "other")
    for target in ["file", "other"] as [StoragePath] {
      try storage.move("file", to: target, .replacing)
      #expect(reason { try storage.move("file", to: target, .exclusive) } == .exists)
      for path in ["file", "other"] as [StoragePath] { #expect(try storage.bytes(path) == Data("text".utf8)) }
    }
    try storage.removeFile("file")
    #expect(try storage.bytes("other") == Data("text".utf8))
  }

  @Test("report a file with too many names")
  func tooManyNames() {
    // The number of EMLINK on Linux and Darwin.
    #expect(StorageError.Reason(SystemError(31)) == .tooManyNames)
  }
}
