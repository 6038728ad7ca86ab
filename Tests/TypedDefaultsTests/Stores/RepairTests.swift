// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Dispatch
import Foundation
import PropertyListFormat
import SystemFiles
import TestSupport
import Testing
import TypedDefaults
import TypedDefaultsTesting

@Suite("Repair of a FileStore")
struct RepairTests {
  private static let garbage = Data("hello".utf8)

  /// Returns options for a disk with or without hard links.
  private func options(
    _ location: StoreLocation, _ durability: FileStore.Durability = .synced, hasLinks: Bool,
    _ fault: @escaping @Sendable (FileCall) -> Int32 = { _ in 0 }
  ) -> FileStore.Options {
    var options = location.options(durability)
    options.fault = { call in
      let number = fault(call)
      return number == 0 && call == .link && !hasLinks ? EPERM : number
    }
    return options
  }

  /// Makes a file with two writes, and damages it. Before the last write, "a" and "b" have the value 1.
  private func damage(_ location: StoreLocation, hasLinks: Bool) throws {
    let store = try FileStore(at: location.url, options: options(location, hasLinks: hasLinks))
    try store.update {
      $0.setRawValue(1, for: "a")
      $0.setRawValue(1, for: "b")
    }
    try store.update {
      $0.setRawValue(2, for: "b")
      $0.setRawValue(2, for: "c")
    }
    try Self.garbage.write(to: location.url, options: .atomic)
  }

  @Test(
    "says at opening and afterwards what is kept and what is lost, on disks with and without links",
    arguments: [true, false])
  func lostKeys(_ hasLinks: Bool) throws {
    let location = try StoreLocation()
    try damage(location, hasLinks: hasLinks)
    let options = options(location, hasLinks: hasLinks)
    let store = try FileStore(at: location.url, options: options)
    let report = try #require(location.reported.last)
    #expect(report.code == .damaged)
    #expect(report.detail.contains(" Sound state: 2 values kept, changes after "))
    #expect(report.detail.hasSuffix("Z lost: 'b', 'c'") && report.remedy?.hasPrefix("Call repair()") == true)

    let repair = try #require(try store.repair())
    #expect(repair.keys == ["a", "b"] && repair.lostKeys == ["b", "c"] && repair.written != nil)
    #expect(repair.description.hasSuffix("Z lost: 'b', 'c'; the damaged file is \(repair.damagedFile.path)"))
    #expect(store.snapshot().values == ["a": 1, "b": 1])
    #expect(try Data(contentsOf: repair.damagedFile) == Self.garbage)

    // The kept state is that of the repaired file.
    try Self.garbage.write(to: location.url, options: .atomic)
    let again = try #require(try FileStore(at: location.url, options: options).repair())
    #expect(again.lostKeys == [] && again.written == nil)
    #expect(again.description.hasPrefix("2 values kept, nothing lost; "))
  }

  @Test("names no keys if they are not known, and at most ten")
  func unknownKeys() throws {
    let location = try StoreLocation()
    func summary(_ store: FileStore) throws -> String {
      try Self.garbage.write(to: location.url, options: .atomic)
      let repair = try #require(try FileStore(at: location.url, options: location.options()).repair())
      return String(try #require(repair.description.split(separator: ";").first).replacing(#/ after \S+/#, with: ""))
    }
    let store = try location.store()
    try store.setRawValue(1, for: "a")
    try store.update { store in for number in 10..<22 { store.setRawValue(1, for: "k\(number)") } }
    let named = (10..<20).map { "'k\($0)'" }.joined(separator: ", ")
    #expect(try summary(store) == "1 value kept, changes lost: \(named) and 2 more")
    // Names that are too long for the file with the lock.
    try store.setRawValue(1, for: String(repeating: "k", count: 70_000))
    #expect(try summary(store) == "1 value kept, changes lost")
    // A store that keeps no state has written between.
    try store.setRawValue(2, for: "a")
    var options = location.options()
    options.keepsLastState = false
    try FileStore(at: location.url, options: options).setRawValue(3, for: "a")
    #expect(try summary(store) == "1 value kept, changes lost")
  }

  @Test(
    "names no keys if the lock file is that of an earlier write, as after a loss of power", arguments: [true, false])
  func olderLockFile(_ hasLinks: Bool) throws {
    let location = try StoreLocation()
    let options = options(location, .written, hasLinks: hasLinks)
    let lock = location.url.deletingLastPathComponent().appending(path: ".defaults.plist.lock")
    let store = try FileStore(at: location.url, options: options)
    var locks: [Data] = []
    for number in 0..<4 {
      try store.setRawValue(1, for: "k\(number)")
      locks.append(try Data(contentsOf: lock))
    }
    try Self.garbage.write(to: location.url, options: .atomic)
    for (number, bytes) in locks.enumerated() {
      try bytes.write(to: lock, options: [])
      _ = try FileStore(at: location.url, options: options)
      let detail = try #require(location.reported.last?.detail)
      #expect(detail.hasSuffix(number < 3 ? "Z lost" : "Z lost: 'k3'"))
    }
  }

  @Test("says at opening that no sound state is kept")
  func nothingKept() throws {
    let location = try StoreLocation()
    try Self.garbage.write(to: location.url)
    _ = try location.store()
    let report = try #require(location.reported.last)
    #expect(report.detail.hasSuffix(". No sound state is kept") && report.remedy?.hasPrefix("Restore it") == true)
  }

  @Test(
    "a change without a repair keeps the damaged file, and the state before its last write", arguments: [true, false])
  func changeWithoutRepair(_ hasLinks: Bool) throws {
    let location = try StoreLocation()
    try damage(location, hasLinks: hasLinks)
    let store = try FileStore(at: location.url, options: options(location, hasLinks: hasLinks))
    try store.setRawValue(7, for: "n")
    try store.setRawValue(8, for: "n")
    #expect(try location.file()?.keys.sorted() == ["n"])
    let damaged = location.url.path + ".damaged-1"
    #expect(try Data(contentsOf: URL(filePath: damaged)) == Self.garbage)
    let kept = try PropertyListValue(propertyList: Data(contentsOf: URL(filePath: damaged + ".last")))
    #expect(kept == ["a": 1, "b": 1])
    #expect(
      location.reported.last?.detail
        == "the damaged file was renamed to \(damaged), and the state before its last write is \(damaged).last")
  }

  @Test("gives a damaged file one new name, also if a repair was interrupted")
  func interrupted() throws {
    let location = try StoreLocation()
    try damage(location, hasLinks: true)
    let store = try FileStore(
      at: location.url, options: options(location, hasLinks: true) { $0 == .rename ? EIO : 0 })
    #expect(throws: DefaultsError.self) { try store.repair() }
    #expect(try Data(contentsOf: location.url) == Self.garbage)
    let repair = try #require(try location.store().repair())
    #expect(repair.damagedFile.lastPathComponent == "defaults.plist.damaged-1")
    #expect(try location.names.filter { $0.contains("damaged") } == ["defaults.plist.damaged-1"])
  }

  @Test(
    "leaves one copy of a damaged file at most, however often a change fails",
    arguments: [
      FileCall.readCount, .writeCount, .rename, .flushFolder,
    ], [true, false])
  func copiesOfFailures(_ call: FileCall, _ hasLinks: Bool) throws {
    let location = try StoreLocation()
    try damage(location, hasLinks: hasLinks)
    let isFailing = ValueRecorder<Void>()
    let store = try FileStore(
      at: location.url,
      options: options(location, hasLinks: hasLinks) { $0 == call && isFailing.all.count == 1 ? ENOSPC : 0 })
    isFailing.add(())
    for number in 1...5 as ClosedRange<Int64> { try? store.setRawValue(.integer(number), for: "n") }
    // Only the flush of the folder comes after the file was replaced.
    let names = call == .flushFolder ? ["defaults.plist.damaged-1", "defaults.plist.damaged-1.last"] : []
    #expect(try location.names.filter { $0.contains("damaged") } == names)
    isFailing.add(())
    try store.setRawValue(7, for: "n")
    #expect(try location.names.count { $0.contains("damaged") } == 2)
    let damaged = location.url.deletingLastPathComponent().appending(path: "defaults.plist.damaged-1")
    #expect(try Data(contentsOf: damaged) == Self.garbage)
  }

  @Test(
    "is possible after a change that failed at any system call, also if the file is then damaged in place",
    arguments: FileCall.allCases, [true, false])
  func damageAfterFailure(_ call: FileCall, _ hasLinks: Bool) throws {
    for turn in 1... {
      let location = try StoreLocation()
      let calls = ValueRecorder<FileCall>()
      let isFailing = ValueRecorder<Void>()
      let store = try FileStore(
        at: location.url,
        options: options(location, hasLinks: hasLinks) {
          guard $0 == call, !isFailing.all.isEmpty else { return 0 }
          calls.add($0)
          return calls.all.count == turn ? ENOSPC : 0
        })
      try store.setRawValue(1, for: "a")
      try store.setRawValue(1, for: "b")
      isFailing.add(())
      let isStored = (try? store.setRawValue(1, for: "c")) != nil
      if calls.all.count < turn { break }
      // If the last rename fails, the kept file is the current one.
      if call == .rename, !isStored { continue }
      try Self.garbage.write(to: location.url, options: [])
      let other = try FileStore(at: location.url, options: options(location, hasLinks: hasLinks))
      let repair = try #require(try other.repair())
      let known = repair.lostKeys.map { repair.keys + $0 }?.sorted()
      let keys = other.snapshot().keys
      #expect(keys == ["a"] || keys == ["a", "b"], "call \(turn)")
      #expect(known == nil || known == ["a", "b"] || known == ["a", "b", "c"], "call \(turn)")
      if !isStored, call != .flushFolder {
        #expect(keys == ["a"] && known ?? ["a", "b"] == ["a", "b"], "call \(turn)")
      }
    }
  }

  @Test("can be called by the function for reports, which can also read and change values", arguments: [true, false])
  func inReport(_ isChange: Bool) throws {
    let location = try StoreLocation()
    let held = Locked<FileStore?>(nil)
    let repairs = ValueRecorder<[String]?>()
    var options = location.options()
    options.reports = { _ in
      guard let store = held.withLock({ $0 }) else { return }
      #expect(throws: Never.self) {
        repairs.add(try store.repair()?.keys)
        try store.modify(DefaultsKey("reports", default: 0)) { $0 += 1 }
      }
      // The thread that reports can wait for another one that uses the store.
      let isChanged = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        #expect(throws: Never.self) { try store.setRawValue(1, for: "other thread") }
        isChanged.signal()
      }
      #expect(isChanged.wait(timeout: .now() + 60) == .success)
    }
    let store = try FileStore(at: location.url, options: options)
    held.withLock { $0 = store }
    defer { held.withLock { $0 = nil } }
    try store.setRawValue(1, for: "a")
    try Self.garbage.write(to: location.url, options: .atomic)
    if isChange {
      // It renames the damaged file and reports that, too.
      try store.setRawValue(2, for: "b")
      #expect(repairs.all == [nil, nil])
    } else {
      try store.refresh()
      #expect(repairs.all == [["a"]])
    }
    let expected: PropertyListDictionary =
      isChange ? ["a": 1, "b": 2, "reports": 2, "other thread": 1] : ["a": 1, "reports": 1, "other thread": 1]
    #expect(store.snapshot().values == expected)
    #expect(try location.store().snapshot().values == expected)
  }

  @Test("keeps the format of the file", arguments: [true, false])
  func format(_ isRepaired: Bool) throws {
    let location = try StoreLocation(files: ["defaults.plist": PropertyListValue.dictionary([:]).propertyList(.xml)])
    let store = try location.store()
    for value in [1, 2] as [PropertyListValue] { try store.setRawValue(value, for: "a") }
    try Self.garbage.write(to: location.url, options: .atomic)
    let other = try location.store()
    if isRepaired { _ = try #require(try other.repair()) } else { try other.setRawValue(3, for: "a") }
    #expect(try Data(contentsOf: location.url).starts(with: Data("<?xml".utf8)))
  }

  @Test("reports when the values were written, on disks with and without links", arguments: [true, false])
  func time(_ hasLinks: Bool) throws {
    let location = try StoreLocation()
    let store = try FileStore(at: location.url, options: options(location, hasLinks: hasLinks))
    try store.setRawValue(1, for: "a")
    let date = Date(timeIntervalSince1970: 1_000_000_000)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: location.url.path)
    try store.setRawValue(2, for: "a")
    try Self.garbage.write(to: location.url, options: .atomic)
    #expect(try location.store().repair()?.written == date)
  }

  @Test("brings back no values of a file that was removed before the last write", arguments: [true, false])
  func removedBefore(_ hasLinks: Bool) throws {
    let location = try StoreLocation()
    let store = try FileStore(at: location.url, options: options(location, hasLinks: hasLinks))
    try store.setRawValue("secret", for: "token")
    try store.setRawValue(1, for: "x")
    try FileManager.default.removeItem(at: location.url)
    try store.setRawValue(2, for: "y")
    #expect(try location.names.filter { $0.hasSuffix(".last") } == [])
    try Self.garbage.write(to: location.url, options: .atomic)
    let other = try FileStore(at: location.url, options: options(location, hasLinks: hasLinks))
    let error = #expect(throws: DefaultsError.self) { try other.repair() }
    #expect(error?.code == .damaged)
    // The store that read the file after its last write still has all values.
    #expect(try store.repair()?.keys == ["y"])
  }

  @Test(
    "keeps the state before an earlier write if a write cannot keep a newer one", arguments: [FileCall.link, .rename])
  func keptState(_ call: FileCall) throws {
    let location = try StoreLocation()
    let calls = ValueRecorder<FileCall>()
    let isFailing = ValueRecorder<Void>()
    // Once, another file is missing.
    let options = options(location, hasLinks: true) {
      guard $0 == call, !isFailing.all.isEmpty else { return 0 }
      calls.add($0)
      return calls.all.count == 1 ? ENOENT : 0
    }
    let store = try FileStore(at: location.url, options: options)
    for value in [1, 2] as [PropertyListValue] { try store.setRawValue(value, for: "a") }
    isFailing.add(())
    try store.setRawValue(3, for: "a")
    #expect(try location.file()?["a"] as? Int == 3)
    let kept = location.url.deletingLastPathComponent().appending(path: ".defaults.plist.last")
    #expect(try PropertyListValue(propertyList: Data(contentsOf: kept)) == ["a": 1])
    try Self.garbage.write(to: location.url, options: .atomic)
    let repair = try #require(try location.store().repair())
    #expect(repair.written != nil && repair.lostKeys == nil)
  }

  @Test(
    "leaves the damaged file or the repaired one after any failed system call", arguments: FileCall.allCases,
    [true, false])
  func faults(_ call: FileCall, _ hasLinks: Bool) throws {
    // One of the errors; with `WHOLE_TESTS`, each.
    for number in Sample.cases([EIO, ENOSPC, EACCES], each: 3) {
      // The call fails the first time, the second time and so on, until it is not made that often.
      for turn in 1... {
        let location = try StoreLocation()
        try damage(location, hasLinks: hasLinks)
        let calls = ValueRecorder<FileCall>()
        let isFailing = ValueRecorder<Void>()
        let options = options(location, hasLinks: hasLinks) {
          guard $0 == call, !isFailing.all.isEmpty else { return 0 }
          calls.add($0)
          return calls.all.count == turn ? number : 0
        }
        let store = try FileStore(at: location.url, options: options)
        isFailing.add(())
        var isRepaired = false
        do {
          isRepaired = try store.repair() != nil
        } catch is DefaultsError {
          #expect(call != .link || hasLinks == false, "a copy takes the place of a link")
        }
        if isRepaired { #expect(store.snapshot().values == ["a": 1, "b": 1]) }
        try checkRepaired(location)
        if calls.all.count < turn { break }
      }
    }
  }

  /// Expects that a file was repaired or can be, and that the damaged one is there.
  private func checkRepaired(_ location: StoreLocation, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try location.names.contains("defaults.plist"), sourceLocation: sourceLocation)
    let store = try location.store()
    _ = try store.repair()
    #expect(store.snapshot().values == ["a": 1, "b": 1], sourceLocation: sourceLocation)
    let damaged = try location.names.filter { $0.contains("damaged-") }
    let folder = location.url.deletingLastPathComponent()
    #expect(
      try damaged.contains { try Data(contentsOf: folder.appending(path: $0)) == Self.garbage },
      sourceLocation: sourceLocation)
  }

  /// Opens a store, and records the states of the disk at each of its system calls.
  private func recorded(
    _ location: StoreLocation, _ durability: FileStore.Durability, hasLinks: Bool
  ) throws -> (store: FileStore, moments: Moments) {
    let moments = Moments(location.url.deletingLastPathComponent())
    let store = try FileStore(
      at: location.url,
      options: options(location, durability, hasLinks: hasLinks) {
        moments.add(before: $0)
        return 0
      })
    return (store, moments)
  }

  @Test(
    "leaves the values before or after a change if the process or the power ends at any system call",
    arguments: [FileStore.Durability.synced, .written], [true, false])
  func powerLossInChange(_ durability: FileStore.Durability, _ hasLinks: Bool) throws {
    let location = try StoreLocation()
    try location.store(.synced).setRawValue(1, for: "a")
    let (store, moments) = try recorded(location, durability, hasLinks: hasLinks)
    for value in [2, 3] as [PropertyListValue] { try store.setRawValue(value, for: "a") }
    moments.addEnd()
    let files = Set(moments.states.map { $0["defaults.plist"] ?? Data() })
    #expect(
      try files.count == 3
        && files.allSatisfy { [["a": 1], ["a": 2], ["a": 3]].contains(try PropertyListValue(propertyList: $0)) })
  }

  @Test(
    "leaves the damaged file or the repaired one if the process or the power ends at any system call",
    arguments: [FileStore.Durability.synced, .written], [true, false])
  func powerLoss(_ durability: FileStore.Durability, _ hasLinks: Bool) throws {
    let location = try StoreLocation()
    try damage(location, hasLinks: hasLinks)
    let (store, moments) = try recorded(location, durability, hasLinks: hasLinks)
    #expect(try store.repair() != nil)
    moments.addEnd()
    let states = moments.states
    #expect(Set(states.map { $0["defaults.plist"] }).count == 2, "the damaged file and the repaired one")
    for state in states { try checkRepaired(StoreLocation(files: state)) }
  }

  @Test(
    "a change without a repair keeps both states if the process or the power ends at any system call",
    arguments: [FileStore.Durability.synced, .written], [true, false])
  func powerLossWithoutRepair(_ durability: FileStore.Durability, _ hasLinks: Bool) throws {
    let location = try StoreLocation()
    try damage(location, hasLinks: hasLinks)
    let (store, moments) = try recorded(location, durability, hasLinks: hasLinks)
    try store.setRawValue(7, for: "n")
    try store.setRawValue(8, for: "n")
    moments.addEnd()
    let kept: PropertyListValue = ["a": 1, "b": 1]
    for state in moments.states {
      let file = try #require(state["defaults.plist"])
      #expect(state.contains { $0.key.hasPrefix("defaults.plist") && $0.value == Self.garbage })
      #expect(
        state.contains { $0.key.hasSuffix(".last") && (try? PropertyListValue(propertyList: $0.value)) == kept })
      let values = try? PropertyListValue(propertyList: file)
      #expect(file == Self.garbage || values == ["n": 7] || values == ["n": 8])
    }
  }
}

/// What can be on a disk when a process or the power ends. File systems make changes of a folder in their order; what was
/// written to a file since its last flush can be missing.
private final class Moments: Sendable {
  private struct State {
    var known: Set<UInt64> = []
    /// The files whose bytes can be missing.
    var unflushed: Set<UInt64> = []
    var last: FileCall?
    /// The first content of the file with the lock, which is not flushed.
    var lock = Data()
    var states: Set<[String: Data]> = []
  }
  private let folder: URL
  private let state = Locked(State())

  var states: Set<[String: Data]> { state.withLock { $0.states } }

  init(_ folder: URL) {
    self.folder = folder
    state.withLock { state in
      state.known = Set(files().map(\.number))
      state.lock = files().first { $0.name.hasSuffix(".lock") }?.bytes ?? Data()
    }
  }

  func add(before call: FileCall?) {
    let files = files()
    state.withLock { state in
      if state.last == .flush { state.unflushed = [] }
      state.unflushed.formUnion(files.map(\.number).filter { !state.known.contains($0) })
      state.known.formUnion(files.map(\.number))
      state.last = call
      state.states.insert(Dictionary(files.map { ($0.name, $0.bytes) }) { $1 })
      for lock in [Data(), state.lock] {
        let missing = files.map { file in
          (file.name, file.name.hasSuffix(".lock") ? lock : state.unflushed.contains(file.number) ? Data() : file.bytes)
        }
        state.states.insert(Dictionary(missing) { $1 })
      }
    }
  }

  func addEnd() { add(before: nil) }

  private func files() -> [(name: String, number: UInt64, bytes: Data)] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.compactMap { name in
      let url = folder.appending(path: name)
      guard
        let number = try? FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber] as? NSNumber,
        let bytes = try? Data(contentsOf: url)
      else { return nil }
      return (name, number.uint64Value, bytes)
    }
  }
}
