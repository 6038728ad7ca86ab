// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@testable import SystemFiles

/// Notices that arrived.
private final class Arrivals: Sendable {
  private let all = Locked<[FolderNotice]>([])

  func add(_ notices: [FolderNotice]) { all.withLock { $0 += notices } }

  /// Waits until the notices contain one.
  func contain(_ notice: FolderNotice) async throws -> Bool {
    for _ in 0..<1000 {
      if all.withLock({ $0.contains(notice) }) { return true }
      try await Task.sleep(for: .milliseconds(10))
    }
    return false
  }
}

@Suite(
  "Folder notices",
  .enabled(if: FolderNotices.isAvailable, "this system has no notices of changes in folders"))
struct FolderNoticesTests {
  private let folder: ScratchFolder
  private let arrivals = Arrivals()
  private let notices: FolderNotices

  init() throws {
    folder = try ScratchFolder()
    notices = try FolderNotices { [arrivals] in arrivals.add($0) }
  }

  private func add(_ name: String = "", followingLinks: Bool = false) throws(SystemError) -> FolderWatch {
    try notices.add(FileName(name.isEmpty ? folder.url.path : folder.path(name)), followingLinks: followingLinks)
  }

  @Test("name a file that is made, written in place, replaced, renamed or removed")
  func files() async throws {
    let watch = try add()
    let path = try folder.file("made", Data("a".utf8))
    #expect(try await arrivals.contain(.changed(watch, FileName("made"))))
    _ = try folder.file("before", Data())
    let other = try FolderNotices { [arrivals] in arrivals.add($0) }
    // The other queue has no notices of what happened before.
    let later = try other.add(FileName(folder.url.path), followingLinks: false)
    let handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.write(contentsOf: Data("b".utf8))
    #expect(try await arrivals.contain(.changed(later, FileName("made"))))
    try handle.close()
    try WholeFile.write(Data("c".utf8), to: folder.url.appending(path: "replaced"))
    #expect(try await arrivals.contain(.changed(watch, FileName("replaced"))))
    try FileManager.default.moveItem(atPath: path, toPath: folder.path("renamed"))
    #expect(try await arrivals.contain(.changed(watch, FileName("renamed"))))
    try FileManager.default.removeItem(atPath: folder.path("before"))
    #expect(try await arrivals.contain(.changed(watch, FileName("before"))))
  }

  @Test("report a removed and a renamed folder as lost", arguments: [true, false])
  func lost(isRemoved: Bool) async throws {
    try FileManager.default.createDirectory(atPath: folder.path("inner"), withIntermediateDirectories: false)
    let watch = try add("inner")
    if isRemoved {
      try FileManager.default.removeItem(atPath: folder.path("inner"))
    } else {
      try FileManager.default.moveItem(atPath: folder.path("inner"), toPath: folder.path("other"))
    }
    #expect(try await arrivals.contain(.lost(watch)))
  }

  @Test("a folder has one watch, under any path")
  func sameFolder() throws {
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: folder.url.path)
    let watch = try add()
    #expect(try add() == watch)
    #expect(try add("link", followingLinks: true) == watch)
  }

  @Test("a link, a file and a missing folder cannot be watched")
  func refused() throws {
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: folder.url.path)
    _ = try folder.file("file", Data())
    #expect(throws: SystemError(ENOTDIR)) { try add("link") }
    #expect(throws: SystemError(ENOTDIR)) { try add("file") }
    #expect(throws: SystemError(ENOENT)) { try add("missing") }
  }

  @Test("a limit is reported like the system's")
  func limit() throws {
    let notices = try FolderNotices(budget: WatchBudget(1)) { _ in }
    let watch = try notices.add(FileName(folder.url.path), followingLinks: false)
    #expect(throws: SystemError(ENOSPC)) { try notices.add(FileName("/"), followingLinks: false) }
    // A folder that is watched already needs no other watch.
    #expect(try notices.add(FileName(folder.url.path), followingLinks: false) == watch)
    notices.remove(watch)
    notices.remove(watch)
    _ = try notices.add(FileName("/"), followingLinks: false)
    #expect(throws: SystemError(ENOSPC)) { try notices.add(FileName(folder.url.path), followingLinks: false) }
  }

  @Test("a closed queue has given its watches back when it says so, even if it closes while it receives", .notHanging)
  func closing() async throws {
    let budget = WatchBudget(1)
    let path = FileName(folder.url.path)
    let queue = Locked<FolderNotices?>(nil)
    let result: SystemError? = try await withCheckedThrowingContinuation { continuation in
      do {
        let notices = try FolderNotices(budget: budget) { _ in
          guard let notices = queue.withLock({ $0.take() }) else { return }
          // The queue stays open until this function returns.
          notices.close {
            do {
              let next = try FolderNotices(budget: budget) { _ in }
              _ = try next.add(path, followingLinks: false)
              continuation.resume(returning: nil)
            } catch {
              continuation.resume(returning: error as? SystemError)
            }
          }
          let early = try? FolderNotices(budget: budget) { _ in }
          #expect(throws: SystemError(ENOSPC)) { try early?.add(path, followingLinks: false) }
        }
        queue.withLock { $0 = notices }
        _ = try notices.add(path, followingLinks: false)
        _ = try folder.file("change", Data())
      } catch {
        continuation.resume(throwing: error)
      }
    }
    #expect(result == nil)
  }

  @Test("a queue that is not read reports that notices were dropped")
  func dropped() async throws {
    let isBlocked = Locked(true)
    let late = try FolderNotices { [arrivals] in
      // The queue fills while its reader waits.
      while isBlocked.withLock({ $0 }) { usleep(1000) }
      arrivals.add($0)
    }
    let watch = try late.add(FileName(folder.url.path), followingLinks: false)
    let file = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let most = try #require(Int(file.dropLast()))
    try #require(most < 1 << 20, "the queue of this system is too long to fill it")
    _ = try folder.file("a", Data())
    _ = try folder.file("b", Data())
    let open = try Descriptor.folder(folder.url.path)
    // Equal notices in a row are one, so two files take turns. A read takes at most 4096 notices out of the queue.
    for index in 0...(most + 4096) {
      try open.setModified(.init(seconds: 1, nanoseconds: 0), of: FileName(index.isMultiple(of: 2) ? "a" : "b"))
    }
    try open.close()
    isBlocked.withLock { $0 = false }
    #expect(try await arrivals.contain(.dropped))
    // The watch goes on.
    _ = try folder.file("after", Data())
    #expect(try await arrivals.contain(.changed(watch, FileName("after"))))
  }

  @Test("bytes are parsed as in inotify(7), also if they are cut")
  func bytes() throws {
    func event(_ watch: Int32, _ mask: UInt32, _ name: String, room: Int) -> [UInt8] {
      let words = [UInt32(bitPattern: watch), mask, 7, UInt32(room)]
      // The tests run on computers whose first byte is the low one.
      return words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } } + Array(name.utf8)
        + Array(repeating: 0, count: room - name.utf8.count)
    }
    let watch = FolderWatch(number: 5)
    // IN_CREATE, IN_MODIFY, IN_ATTRIB of the folder itself, IN_MOVE_SELF, IN_UNMOUNT, IN_IGNORED, IN_Q_OVERFLOW
    let all =
      event(5, 0x100, "name", room: 16) + event(5, 0x2, "name", room: 16) + event(5, 0x4000_0004, "", room: 0)
      + event(5, 0x800, "", room: 0) + event(5, 0x2000, "", room: 0) + event(5, 0x8000, "", room: 0)
      + event(-1, 0x4000, "", room: 0)
    let expected: [FolderNotice] = [
      .changed(watch, FileName("name")), .changed(watch, nil), .lost(watch), .lost(watch), .lost(watch), .dropped,
    ]
    #expect(FolderNotices.parse(all) == expected)
    for count in 0..<all.count { #expect(FolderNotices.parse(Array(all[..<count])).count <= expected.count) }
  }
}

@Suite("Mount table")
struct MountTableTests {
  /// The line of proc_pid_mountinfo(5).
  private static let table = Array(
    """
    22 1 0:21 / / rw - overlay overlay rw
    36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
    37 35 4660:354185 / /a\\040b rw shared:2 propagate_from:3 - nfs4 host:/x rw
    38 35 1:2 / /short rw

    """.utf8)

  @Test(
    "a device number leads to the type of the file system",
    .enabled(if: Python.isPresent, Comment(rawValue: Python.isAbsent)))
  func types() throws {
    let program = "import os; [print(os.makedev(*d)) for d in ((0, 21), (98, 0), (4660, 354185), (1, 2))]"
    let numbers = try Python.run(program).split(separator: 0x0A).compactMap {
      UInt64(String(decoding: $0, as: UTF8.self))
    }
    let types = numbers.map { number in
      MountTable.fileSystem(of: number, in: Self.table).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(types == ["overlay", "ext3", "nfs4", nil])
  }

  @Test("a disk in memory notices all changes, and the system's own does not")
  func disks() throws {
    #if os(Linux)
      func noticesAll(_ path: String) throws -> Bool {
        MountTable.noticesAllChanges(of: try Descriptor.working.status(of: FileName(path), followingLinks: true))
      }
      #expect(try noticesAll("/dev/shm"))
      #expect(try !noticesAll("/proc"))
    #endif
  }

  @Test("one call flushes only disks of known types, and only if the system reports all errors")
  func flushes() throws {
    for release in ["5.17.0-generic", "5.18", "6.1.2", "10.0"] {
      #expect(MountTable.flushReportsErrors(release: Array(release.utf8)), "\(release)")
    }
    for release in ["5.16.20", "4.19.0-25-amd64", "5", "", "unknown", "x.y.z"] {
      #expect(!MountTable.flushReportsErrors(release: Array(release.utf8)), "\(release)")
    }
    #if os(Linux)
      #expect(!MountTable.flushesAtOnce(try Descriptor.working.status(of: FileName("/proc"), followingLinks: true)))
    #endif
  }
}
