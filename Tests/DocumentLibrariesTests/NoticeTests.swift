// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import SystemFiles
import TestSupport
import Testing

/// In these tests the interval is so long that only notices of the system can report a change in time.
@Suite(
  "Change streams with notices of the system",
  .enabled(if: FolderNotices.isAvailable, "this system has no notices of changes in folders"))
struct NoticeTests {
  private let room: Room
  private let library: DocumentLibrary<Recipe>
  private let others: DocumentLibrary<Recipe>

  init() throws {
    room = try Place.disk.room()
    library = try room.library(1, 2, 3)
    others = try room.library()
  }

  private func changes(limit: Int = .max, every interval: Duration = .seconds(3600)) throws -> AsyncStream<
    LibraryChange
  > {
    try library.changes(every: interval, watching: limit)
  }

  /// Waits until the state of the documents that the changes tell of is that of the library.
  private func settled(
    _ changes: inout AsyncStream<LibraryChange>.Iterator, from numbers: [Int], to expected: [Int]
  ) async -> Bool {
    var numbers = Set(numbers)
    while numbers != Set(expected), let change = await changes.next() {
      if change.kind == .removed {
        numbers.remove(change.number.rawValue)
      } else {
        numbers.insert(change.number.rawValue)
      }
    }
    return numbers == Set(expected)
  }

  @Test("report each change of other processes", .notHanging)
  func otherProcesses() async throws {
    var changes = try changes().makeAsyncIterator()
    #expect(library.isNoticing)
    try others.addDocument(Recipe("A"))
    #expect(await changes.next() == .added(4))
    // One file is replaced in place, by an exchange with the work folder.
    try others.document(4).edit { $0.name = "B" }
    #expect(await changes.next() == .changed(4))
    // Two files are replaced together with their folder.
    try others.document(4).edit(attachments: ["photo.jpg": Data("p".utf8)]) { $0.name = "C" }
    #expect(await changes.next() == .changed(4))
    // The new folder is watched too.
    try others.document(4).edit { $0.name = "D" }
    #expect(await changes.next() == .changed(4))
    try others.document(4).moveToTrash()
    #expect(await changes.next() == .removed(4))
    try others.restore("4.recipe")
    #expect(await changes.next() == .added(4))
    try others.document(4).edit { $0.name = "E" }
    #expect(await changes.next() == .changed(4))
    try others.document(2).delete()
    #expect(await changes.next() == .removed(2))
    #expect(try library.refresh() == [])
  }

  @Test("report changes by programs that write in place or rename", .notHanging)
  func otherPrograms() async throws {
    var changes = try changes().makeAsyncIterator()
    let data = room.folder.appending(path: "1.recipe/Data.plist")
    let handle = try FileHandle(forWritingTo: data)
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("x".utf8))
    #expect(await changes.next() == .changed(1))
    try handle.close()
    let manager = FileManager.default
    try manager.moveItem(at: room.folder.appending(path: "3.recipe"), to: room.folder.appending(path: "8.recipe"))
    #expect(await settled(&changes, from: [1, 2, 3], to: [1, 2, 8]))
    // The renamed folder is still watched.
    try others.document(8).edit { $0.name = "B" }
    #expect(await changes.next() == .changed(8))
    // Folders of old apps.
    try manager.moveItem(at: room.folder.appending(path: "8.recipe"), to: room.folder.appending(path: "8.RECIPE"))
    try others.document(8).edit { $0.name = "C" }
    // The rename may go unnoticed, or be noticed as a removal and an addition.
    while let change = await changes.next(), ![.added(8), .changed(8)].contains(change) {}
    try others.document(8).edit { $0.name = "D" }
    while let change = await changes.next(), change != .changed(8) {}
    try manager.removeItem(at: room.folder.appending(path: "8.RECIPE"))
    #expect(await settled(&changes, from: [1, 2, 8], to: [1, 2]))
  }

  @Test("follow the document if several folders have its number", .notHanging)
  func duplicates() async throws {
    for name in ["7.recipe", "7.RECIPE"] as [StorageName] { try room.plant(name, "\(name)") }
    var changes = try changes().makeAsyncIterator()
    let move = { [room] (old: String, new: String) in
      try FileManager.default.moveItem(at: room.folder.appending(path: old), to: room.folder.appending(path: new))
    }
    try move("7.recipe", "old")
    #expect(await changes.next() == .changed(7))
    #expect(try library.document(7).data?.name == "7.RECIPE")
    // The folder with the first name is the document.
    try move("old", "7.Recipe")
    try others.addDocument(Recipe("A"))
    #expect(await changes.next() == .added(8))
    try move("7.RECIPE", "older")
    #expect(await changes.next() == .changed(7))
    #expect(try library.document(7).data?.name == "7.recipe")
    try move("7.Recipe", "old")
    #expect(await changes.next() == .removed(7))
  }

  @Test("report changes of this process once", .notHanging)
  func ownChanges() async throws {
    var changes = try changes().makeAsyncIterator()
    for number in 4...20 {
      try library.addDocument(Recipe("A"))
      #expect(await changes.next() == .added(DocumentNumber(integerLiteral: number)))
    }
    try others.addDocument(Recipe("end"))
    #expect(await changes.next() == .added(21))
  }

  @Test("report changes after a limit of the system is reached, by looking", .notHanging, arguments: [0, 1, 3, 4])
  func limit(_ limit: Int) async throws {
    var changes = try changes(limit: limit, every: .milliseconds(10)).makeAsyncIterator()
    // The library's folder and its three documents need four watches.
    #expect(library.isNoticing == (limit == 4))
    try others.addDocument(Recipe("A"))
    #expect(await changes.next() == .added(4))
    try others.document(4).edit { $0.name = "B" }
    #expect(await changes.next() == .changed(4))
    #expect(!library.isNoticing)
    try others.document(1).delete()
    #expect(await changes.next() == .removed(1))
  }

  @Test("find all changes after the system dropped notices", .notHanging)
  func dropped() async throws {
    let file = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let most = try #require(Int(file.dropLast()))
    try #require(most < 1 << 20, "the queue of this system is too long to fill it")
    // The system has four watches for this user. New ones are possible only after the old ones were given back.
    var changes = try changes(limit: 4).makeAsyncIterator()
    let open = try Descriptor.folder(room.folder.path)
    try library.notices.withLock { _ in
      // The reader waits for the lock, with at most 4096 notices.
      for index in 0...(most + 4096) {
        let name = FileName(index.isMultiple(of: 2) ? "1.recipe" : "2.recipe")
        try open.setModified(.init(seconds: 1, nanoseconds: 0), of: name)
      }
      try others.addDocument(Recipe("A"))
      try others.document(4).edit { $0.name = "B" }
      try others.document(3).delete()
    }
    try open.close()
    #expect(await settled(&changes, from: [1, 2, 3], to: [1, 2, 4]))
    #expect(library.isNoticing)
    try others.document(4).edit { $0.name = "C" }
    while let change = await changes.next(), change != .changed(4) {}
  }

  @Test("follow the library's path when another folder takes it", .notHanging)
  func replaced() async throws {
    var changes = try changes(every: .milliseconds(10)).makeAsyncIterator()
    let other = try Place.disk.room()
    _ = try other.library(2, 7)
    let aside = room.folder.appendingPathExtension("aside")
    try FileManager.default.moveItem(at: room.folder, to: aside)
    try FileManager.default.moveItem(at: other.folder, to: room.folder)
    #expect(await settled(&changes, from: [1, 2, 3], to: [2, 7]))
    try others.addDocument(Recipe("A"))
    #expect(await settled(&changes, from: [2, 7], to: [2, 7, 8]))
    try others.document(8).delete()
    #expect(await settled(&changes, from: [2, 7, 8], to: [2, 7]))
    try FileManager.default.removeItem(at: aside)
  }

  @Test("follow the library's path when its parent is replaced", .notHanging)
  func replacedParent() async throws {
    let folder = room.folder.appending(path: "outer/inner")
    let library = try DocumentLibrary<Recipe>(at: folder)
    try library.addDocument(Recipe("A"))
    var changes = try library.changes(every: .milliseconds(10)).makeAsyncIterator()
    let outer = folder.deletingLastPathComponent()
    try FileManager.default.moveItem(at: outer, to: room.folder.appending(path: "aside"))
    let others = try DocumentLibrary<Recipe>(at: folder)
    try others.addDocument(Recipe("B"))
    try others.addDocument(Recipe("C"))
    while let change = await changes.next(), change != .added(2) {}
  }

  @Test("report removed documents when the folder is removed, and added ones when it is made again", .notHanging)
  func madeAgain() async throws {
    var changes = try changes(every: .milliseconds(10)).makeAsyncIterator()
    try FileManager.default.removeItem(at: room.folder)
    #expect(await settled(&changes, from: [1, 2, 3], to: []))
    try DocumentLibrary<Recipe>(at: room.folder).addDocument(Recipe("A"))
    #expect(await changes.next() == .added(1))
    while !library.isNoticing { try await Task.sleep(for: .milliseconds(10)) }
    try others.document(1).edit { $0.name = "B" }
    #expect(await changes.next() == .changed(1))
  }

  @Test("give the watches back to the system when the last stream ends", .notHanging)
  func ending() async throws {
    do {
      let first = try changes()
      let second = try changes()
      #expect(library.isNoticing)
      _ = (first, second)
    }
    #expect(!library.isNoticing)
    let stream = try changes()
    #expect(library.isNoticing)
    let task = Task { for await _ in stream {} }
    task.cancel()
    await task.value
    #expect(!library.isNoticing)
  }

  @Test("report all documents of several writers", .notHanging)
  func manyWriters() async throws {
    var changes = try changes().makeAsyncIterator()
    let writers = try (0..<4).map { _ in try room.library() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in writers {
        group.addTask {
          for _ in 0..<10 {
            let document = try writer.addDocument(Recipe("A"))
            try document.edit { $0.name = "B" }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(await settled(&changes, from: [1, 2, 3], to: Array(1...43)))
    #expect(try library.refresh() == [])
  }
}
