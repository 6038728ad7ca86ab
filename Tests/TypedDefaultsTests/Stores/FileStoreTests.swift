// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import SystemFiles
import TestSupport
import Testing
import TypedDefaultsTesting

@testable import TypedDefaults

@Suite("FileStore")
struct FileStoreTests {
  @Test("writes native values that Foundation reads")
  func native() throws {
    let location = try StoreLocation()
    let store = try location.store()
    try store.set(3, for: DefaultsKey("int", default: 0))
    try store.set(["a", "b"], for: DefaultsKey("texts", default: []))
    try store.set(Date(timeIntervalSince1970: 0), for: DefaultsKey("date", default: .distantPast))
    let file = try #require(try location.file())
    #expect(file["int"] as? Int == 3)
    #expect(file["texts"] as? [String] == ["a", "b"])
    #expect(file["date"] as? Date == Date(timeIntervalSince1970: 0))
    #expect(try Data(contentsOf: location.url).starts(with: Data("bplist00".utf8)))
  }

  @Test(
    "keeps the format and the unknown values of an existing file",
    arguments: [
      PropertyList.Format.xml, .binary,
    ])
  func keeps(_ format: PropertyList.Format) throws {
    let location = try StoreLocation()
    let others: PropertyListValue = ["other": ["deep": [1, 2.5, true]], "e\u{301}": 1, "é": 2]
    try others.propertyList(format).write(to: location.url)
    try location.store().setRawValue(1, for: "mine")
    let data = try Data(contentsOf: location.url)
    #expect(data.starts(with: Data("bplist00".utf8)) == (format == .binary))
    guard case .dictionary(let entries) = try PropertyListValue(propertyList: data) else {
      Issue.record("a dictionary is expected")
      return
    }
    #expect(entries["other"] == ["deep": [1, 2.5, true]])
    #expect(entries["é"] == 2 && entries["e\u{301}"] == 1 && entries["mine"] == 1)
  }

  @Test("writes many repeated strings and data as XML")
  func repeatedValues() throws {
    let location = try StoreLocation()
    try PropertyListValue.dictionary([:]).propertyList(.xml).write(to: location.url)
    let texts = (0..<20_000).map { "\($0 % 10)" + String(repeating: "x", count: 100) }
    let data = (0..<1000).map { Data(repeating: UInt8($0 % 3), count: 4000) }
    let store = try location.store()
    try store.set(texts, for: DefaultsKey("texts", default: [String]()))
    try store.set(data, for: DefaultsKey("data", default: [Data]()))
    try store.flush()
    let file = try #require(try location.file())
    #expect(try Data(contentsOf: location.url).starts(with: Data("<?xml".utf8)))
    #expect(file["texts"] as? [String] == texts && file["data"] as? [Data] == data)
  }

  @Test(
    "has the values at once that an XML file holds, and reports no other ones later",
    arguments: [FileStore.Durability.written, .deferred(.seconds(1000))])
  func valuesOfXML(_ durability: FileStore.Durability) throws {
    let location = try StoreLocation()
    var options = location.options(durability)
    options.format = .xml
    let store = try FileStore(at: location.url, options: options)
    let changes = ValueRecorder<DefaultsChanges>()
    let token = store.observe(nil) { changes.add($0) }
    try store.update {
      $0.setRawValue(.date(Date(timeIntervalSinceReferenceDate: 1.5)), for: "d")
      $0.setRawValue(.float(0.1), for: "f")
    }
    let values: PropertyListDictionary = [
      "d": .date(Date(timeIntervalSinceReferenceDate: 1)), "f": .double(Double(Float(0.1))),
    ]
    #expect(store.snapshot().values == values)
    try store.flush()
    try location.store().setRawValue(1, for: "other")
    try store.setRawValue(2, for: "mine")
    try store.flush()
    #expect(store.rawValue(for: "d") == values["d"] && store.rawValue(for: "f") == values["f"])
    #expect(changes.all.flatMap(\.keys).sorted() == ["d", "f", "mine", "other"])
    withExtendedLifetime(token) {}
  }

  @Test("writes files that Python reads", .enabled(if: Python.isPresent, "\(Python.isAbsent)"))
  func python() throws {
    let location = try StoreLocation()
    try location.store().setRawValue(["n": 1, "t": "x"], for: "key")
    let output = try Python.run(
      "import plistlib,sys; print(plistlib.load(open(sys.argv[1],'rb'))['key']['n'])", [location.url.path])
    #expect(String(decoding: output, as: UTF8.self) == "1\n")
  }

  @Test(
    "writes by its durability, and when it is released",
    arguments: [
      FileStore.Durability.synced, .written, .deferred(.seconds(1000)),
    ])
  func durable(_ durability: FileStore.Durability) throws {
    let location = try StoreLocation()
    do {
      let store = try location.store(durability)
      try store.setRawValue(1, for: "a")
      if case .deferred = durability {
        #expect(!FileManager.default.fileExists(atPath: location.url.path))
        try store.flush()
        #expect(try location.file()?["a"] as? Int == 1)
        try store.setRawValue(2, for: "a")
      } else {
        try store.setRawValue(2, for: "a")
        #expect(try location.file()?["a"] as? Int == 2)
      }
    }
    #expect(try location.file()?["a"] as? Int == 2)
    #expect(try location.store().rawValue(for: "a") == 2)
  }

  @Test("names what the system lacks, and another store")
  func lackingSystem() throws {
    let location = try StoreLocation()
    var options = location.options()
    options.fault = { $0 == .lock ? SystemError(lacking: .fileLocks).number : 0 }
    let store = try FileStore(at: location.url, options: options)
    let error = #expect(throws: DefaultsError.self) { try store.setRawValue(1, for: "a") }
    #expect(error?.code == .cannotWrite && error?.detail.contains("this system has no file locks") == true)
    #expect(error?.remedy?.contains("MemoryStore") == true)
  }

  @Test("writes deferred changes after the delay")
  func later() async throws {
    let location = try StoreLocation()
    let calls = ValueRecorder<FileCall>()
    var options = location.options(.deferred(.milliseconds(20)))
    options.fault = {
      calls.add($0)
      return 0
    }
    let store = try FileStore(at: location.url, options: options)
    for number in 1...2 {
      try store.setRawValue(.integer(Int64(number)), for: "a")
      #expect(await calls.wait(until: { $0.count { $0 == .flushFolder } == number }))
      #expect(try location.file()?["a"] as? Int == number)
    }
  }

  @Test("plans one deferred write at a time, and none after its release")
  func onePlan() async throws {
    let location = try StoreLocation()
    var plan: Task<Void, Never>?
    do {
      let store = try location.store(.deferred(.seconds(3600)))
      for number in 0..<10 {
        try store.setRawValue(.integer(Int64(number)), for: "a")
        if plan == nil { plan = store.plannedFlush }
        #expect(store.plannedFlush == plan)
        try store.flush()
      }
    }
    // It ends now and not in an hour.
    let task = try #require(plan)
    try #require(task.isCancelled)
    await task.value
  }

  @Test("deferred writes leave the file as it is if no value changes")
  func sameLater() throws {
    let location = try StoreLocation()
    let store = try location.store(.deferred(.seconds(1000)))
    for value in [1, 2] as [PropertyListValue] {
      try store.setRawValue(value, for: "a")
      try store.flush()
    }
    let before = try FileManager.default.attributesOfItem(atPath: location.url.path)[.systemFileNumber] as? Int
    try store.setRawValue(2, for: "a")
    try store.update { $0.setRawValue(2, for: "a") }
    #expect(store.plannedFlush != nil, "that of the first change")
    try store.flush()
    #expect(try FileManager.default.attributesOfItem(atPath: location.url.path)[.systemFileNumber] as? Int == before)
  }

  @Test("deferred writes of a value that another store has changed replace that change")
  func outdatedLater() throws {
    let location = try StoreLocation()
    let store = try location.store(.deferred(.seconds(1000)))
    try store.setRawValue(2, for: "a")
    try store.flush()
    let changes = ValueRecorder<DefaultsChange>()
    let token = store.observe(nil) { for change in $0.changes { changes.add(change) } }
    try location.store().setRawValue(3, for: "a")
    try store.setRawValue(2, for: "a", origin: "me")
    #expect(changes.all.map(\.new) == [2] && changes.all.map(\.origin) == ["me"])
    try store.flush()
    #expect(try location.store().rawValue(for: "a") == 2)
    withExtendedLifetime(token) {}
  }

  /// A disk on which writes fail until ``room`` has a value. Records the calls and the errors of a store with deferred
  /// writes.
  private struct FullDisk {
    let calls = ValueRecorder<FileCall>()
    let reported = ValueRecorder<DefaultsError>()
    let room = ValueRecorder<Void>()

    func store(at location: StoreLocation) throws -> FileStore {
      var options = location.options(.deferred(.milliseconds(1)))
      options.reports = { [reported] in reported.add($0) }
      options.fault = { [calls, room] call in
        calls.add(call)
        return call == .write && room.all.isEmpty ? ENOSPC : 0
      }
      return try FileStore(at: location.url, options: options)
    }
  }

  @Test("deferred writes report a failure and retry until they succeed")
  func laterAgain() async throws {
    let location = try StoreLocation()
    let disk = FullDisk()
    let store = try disk.store(at: location)
    try store.setRawValue(1, for: "a")
    #expect(await disk.reported.wait(until: { $0.count >= 2 }))
    #expect(disk.reported.all.allSatisfy { $0.code == .cannotWrite && $0.remedy?.contains("disk") == true })
    #expect(store.rawValue(for: "a") == 1)
    disk.room.add(())
    #expect(await disk.calls.wait(until: { $0.contains(.flushFolder) }))
    #expect(try location.file()?["a"] as? Int == 1)
  }

  @Test("a flush after failed deferred writes ends their retries, so the next change waits for the delay only")
  func flushAfterFailures() async throws {
    let location = try StoreLocation()
    let disk = FullDisk()
    let store = try disk.store(at: location)
    try store.setRawValue(1, for: "a")
    // The next try is in 1.6 s.
    #expect(await disk.reported.wait(until: { $0.count >= 5 }))
    let retry = try #require(store.plannedFlush)
    disk.room.add(())
    try store.flush()
    #expect(store.plannedFlush == nil && retry.isCancelled)
    await retry.value
    try store.setRawValue(2, for: "a")
    #expect(store.plannedFlush != retry)
    #expect(await disk.calls.wait(until: { $0.count { $0 == .flushFolder } == 2 }))
    #expect(try location.file()?["a"] as? Int == 2)
  }

  @Test("a repair after failed deferred writes ends their retries")
  func repairAfterFailures() async throws {
    let location = try StoreLocation()
    let disk = FullDisk()
    try location.store().setRawValue(1, for: "a")
    let store = try disk.store(at: location)
    try store.setRawValue(2, for: "a")
    #expect(await disk.reported.wait(until: { $0.count >= 5 }))
    let retry = try #require(store.plannedFlush)
    try Data("hello".utf8).write(to: location.url)
    disk.room.add(())
    _ = try store.repair()
    #expect(store.plannedFlush == nil && retry.isCancelled)
    #expect(try location.file()?["a"] as? Int == 2)
  }

  @Test(
    "values that only the format of the file changes are external changes",
    arguments: [FileStore.Durability.written, .deferred(.seconds(1000))])
  func formatChange(_ durability: FileStore.Durability) throws {
    let location = try StoreLocation()
    try location.store().setRawValue(.date(Date(timeIntervalSinceReferenceDate: 1.5)), for: "date")
    var options = location.options(durability)
    options.format = .xml
    let store = try FileStore(at: location.url, options: options)
    let (own, all) = (ValueRecorder<DefaultsChange>(), ValueRecorder<DefaultsChange>())
    let tokens = [
      store.observe(nil, initial: false, ignoring: "me") { for change in $0.changes { own.add(change) } },
      store.observe(nil, initial: false, ignoring: nil) { for change in $0.changes { all.add(change) } },
    ]
    try store.setRawValue(1, for: "mine", origin: "me")
    try store.flush()
    // XML holds whole seconds.
    let rounded = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 1))
    #expect(own.all.map(\.key) == ["date"] && own.all.map(\.new) == [rounded])
    #expect(all.all.count == 2 && all.all.first { $0.key == "date" }?.origin == .external)
    #expect(all.all.first { $0.key == "mine" }?.origin == "me")
    withExtendedLifetime(tokens) {}
  }

  @Test("does not write equal values")
  func same() throws {
    let location = try StoreLocation()
    let store = try location.store()
    try store.setRawValue(1, for: "a")
    let before = try FileManager.default.attributesOfItem(atPath: location.url.path)[.systemFileNumber] as? Int
    try store.setRawValue(1, for: "a")
    try store.update { $0.setRawValue(1, for: "a") }
    #expect(try FileManager.default.attributesOfItem(atPath: location.url.path)[.systemFileNumber] as? Int == before)
  }

  @Test(
    "merges and reports changes by other stores",
    arguments: [
      FileStore.Durability.written, .deferred(.seconds(1000)),
    ])
  func others(_ durability: FileStore.Durability) throws {
    let location = try StoreLocation()
    let first = try location.store(durability)
    let second = try location.store(durability)
    let recorder = ValueRecorder<DefaultsChanges>()
    let token = second.observe(nil) { recorder.add($0) }
    try first.setRawValue(1, for: "a")
    try second.setRawValue(2, for: "b")
    try first.flush()
    try second.flush()
    #expect(second.rawValue(for: "a") == 1)
    #expect(recorder.all.contains { $0["a"]?.origin == .external && $0["a"]?.new == 1 })
    try first.refresh()
    #expect(first.rawValue(for: "b") == 2)
    #expect(try location.file()?.count == 2)
    withExtendedLifetime(token) {}
  }

  @Test("watches the file for changes by any program")
  func watching() async throws {
    let location = try StoreLocation()
    var options = location.options()
    options.watching = .milliseconds(10)
    let store = try FileStore(at: location.url, options: options)
    let recorder = ValueRecorder<PropertyListValue?>()
    let token = store.observe(["a.b"]) { recorder.add($0["a.b"]?.new) }
    try location.store().setRawValue(1, for: "a.b")
    #expect(await recorder.wait(until: { $0.last == 1 }))
    try PropertyListSerialization.data(fromPropertyList: ["a.b": 22], format: .xml, options: 0).write(to: location.url)
    #expect(await recorder.wait(until: { $0.last == 22 }))
    try FileManager.default.removeItem(at: location.url)
    #expect(await recorder.wait(until: { $0.last == .some(nil) }))
    withExtendedLifetime(token) {}
  }

  @Test(
    "is notified of changes by any program, without checking the file", .notHanging,
    .enabled(if: FolderNotices.isAvailable, "this system has no notices of changes in folders"))
  func notices() async throws {
    let location = try StoreLocation()
    var options = location.options()
    // Nothing but a notice can report a change in time.
    options.watching = .seconds(3600)
    let stores = try (0..<3).map { _ in try FileStore(at: location.url, options: options) }
    let recorders = stores.map { _ in ValueRecorder<PropertyListValue?>() }
    let tokens = zip(stores, recorders).map { store, recorder in
      store.observe(["a.b"]) { recorder.add($0["a.b"]?.new) }
    }
    for number in 1...3 {
      try location.store().setRawValue(.integer(Int64(number)), for: "a.b")
      for recorder in recorders { #expect(await recorder.wait(until: { $0.last == .integer(Int64(number)) })) }
    }
    // In place, as by a text editor.
    let xml = try PropertyListSerialization.data(fromPropertyList: ["a.b": 22], format: .xml, options: 0)
    try xml.write(to: location.url, options: [])
    for recorder in recorders { #expect(await recorder.wait(until: { $0.last == 22 })) }
    try FileManager.default.removeItem(at: location.url)
    for recorder in recorders { #expect(await recorder.wait(until: { $0.last == .some(nil) })) }
    withExtendedLifetime(tokens) {}
  }

  @Test("finds changes after its folder was removed and made again, and in one that is made later", .notHanging)
  func watchedFolder() async throws {
    let location = try StoreLocation("later/defaults.plist")
    let folder = location.url.deletingLastPathComponent()
    var options = location.options()
    options.watching = .milliseconds(10)
    let store = try FileStore(at: location.url, options: options)
    let recorder = ValueRecorder<PropertyListValue?>()
    let token = store.observe(["a"]) { recorder.add($0["a"]?.new) }
    for number in 1...3 {
      try location.store().setRawValue(.integer(Int64(number)), for: "a")
      #expect(await recorder.wait(until: { $0.last == .integer(Int64(number)) }))
      try FileManager.default.removeItem(at: folder)
      #expect(await recorder.wait(until: { $0.last == .some(nil) }))
    }
    withExtendedLifetime(token) {}
  }

  @Test("concurrent stores of one file lose no change")
  func counting() async throws {
    let location = try StoreLocation()
    let key = DefaultsKey("n", default: 0)
    let stores = try (0..<4).map { _ in try location.store() }
    try await withThrowingTaskGroup { group in
      for store in stores {
        group.addTask { for _ in 0..<100 { try store.modify(key) { $0 += 1 } } }
      }
      try await group.waitForAll()
    }
    #expect(try location.store().value(for: key) == 400)
  }

  @Test("refuses a URL that is not that of a file")
  func otherURLs() throws {
    let url = try #require(URL(string: "http://example.com/typed-defaults.plist"))
    let error = #expect(throws: DefaultsError.self) { try FileStore(at: url) }
    #expect(error?.code == .cannotRead && error?.remedy?.contains("URL(filePath:)") == true)
  }

  #if os(Linux)
    @Test("that is the standard one is in the folder that the environment names")
    func environment() {
      for (variables, folder) in [
        (["XDG_CONFIG_HOME": "/settings", "HOME": "/people/anna"], "/settings"),
        (["HOME": "/people/anna"], "/people/anna/.config"),
        (["XDG_CONFIG_HOME": "settings", "HOME": "/people/anna"], "/people/anna/.config"),
      ] {
        let url = StandardDefaults.url(in: variables)
        #expect(url.deletingLastPathComponent().deletingLastPathComponent().path == folder)
        #expect(url.lastPathComponent == "defaults.plist")
      }
    }
  #endif

  /// Damaged files by their defect.
  private static let damaged: [(name: String, bytes: Data)] = [
    ("empty", Data()), ("cut", Data("bplist00".utf8)), ("text", Data("hello".utf8)),
    ("an array", Data("<plist><array/></plist>".utf8)), ("cut XML", Data("<plist>".utf8)),
  ]

  @Test("renames a damaged file before the next write", arguments: damaged.indices)
  func damage(_ number: Int) throws {
    let location = try StoreLocation()
    let bytes = Self.damaged[number].bytes
    try bytes.write(to: location.url)
    let store = try location.store()
    #expect(location.reported.map(\.code) == [.damaged], "\(Self.damaged[number].name)")
    #expect(store.keys == [])
    #expect(try Data(contentsOf: location.url) == bytes, "reading has changed it")
    try store.setRawValue(1, for: "a")
    #expect(
      try Data(contentsOf: location.url.deletingLastPathComponent().appending(path: "defaults.plist.damaged-1"))
        == bytes)
    #expect(try location.file()?["a"] as? Int == 1)
    try bytes.write(to: location.url)
    // The values in memory are kept.
    try store.setRawValue(2, for: "b")
    #expect(try location.file()?["a"] as? Int == 1)
    #expect(try location.names.filter { $0.contains("damaged") }.count == 2)
  }

  @Test("brings back the state before the last write of a damaged file", arguments: damaged.indices)
  func repair(_ number: Int) throws {
    let location = try StoreLocation()
    let store = try location.store()
    for value in 1...3 { try store.setRawValue(.integer(Int64(value)), for: "a") }
    try store.setRawValue("x", for: "b")
    #expect(try store.repair() == nil, "the file is sound")
    let kept = location.url.deletingLastPathComponent().appending(path: ".defaults.plist.last")
    let before = try #require(FileManager.default.attributesOfItem(atPath: kept.path)[.modificationDate] as? Date)
    try Self.damaged[number].bytes.write(to: location.url)

    let other = try location.store()
    #expect(location.reported.last?.description.contains("Call repair()") == true)
    let changes = ValueRecorder<String>()
    let token = other.observe(nil) { for change in $0.changes { changes.add(change.key) } }
    let repair = try #require(try other.repair())
    withExtendedLifetime(token) {}
    // The last write was that of "b".
    #expect(other.snapshot().values == ["a": 3] && changes.all == ["a"])
    #expect(try location.file()?["a"] as? Int == 3)
    #expect(repair.keys == ["a"])
    #expect(try abs(#require(repair.written).timeIntervalSince(before)) < 1)
    #expect(try Data(contentsOf: repair.damagedFile) == Self.damaged[number].bytes)
    #expect(
      repair.description.hasPrefix("1 value kept, changes after ")
        && repair.description.hasSuffix("Z lost: 'b'; the damaged file is \(repair.damagedFile.path)"))
    #expect(try other.repair() == nil)
  }

  @Test("repairs a file from memory, with changes that are not written yet")
  func repairFromMemory() throws {
    let location = try StoreLocation()
    let store = try location.store(.deferred(.seconds(1000)))
    try store.setRawValue(1, for: "a")
    try store.setRawValue(2, for: "b")
    try store.flush()
    try store.setRawValue(3, for: "c")
    try Data("hello".utf8).write(to: location.url)
    let repair = try #require(try store.repair())
    #expect(repair.written == nil && repair.keys == ["a", "b", "c"])
    #expect(repair.description.hasPrefix("3 values kept, nothing lost; "))
    #expect(try location.store().snapshot().values == ["a": 1, "b": 2, "c": 3])
  }

  @Test("does not repair a file from a state in memory that others have changed since")
  func repairAfterOthers() throws {
    let location = try StoreLocation()
    let store = try location.store()
    try store.setRawValue(1, for: "a")
    let other = try location.store()
    try other.setRawValue(2, for: "a")
    try other.setRawValue(3, for: "a")
    try Data("hello".utf8).write(to: location.url)
    let repair = try #require(try store.repair())
    #expect(store.rawValue(for: "a") == 2 && repair.written != nil)
  }

  @Test("a damaged file without a sound state stays as it is")
  func noRepair() throws {
    let location = try StoreLocation()
    try Data("hello".utf8).write(to: location.url)
    let store = try location.store()
    let error = #expect(throws: DefaultsError.self) { try store.repair() }
    #expect(error?.code == .damaged && error?.path == location.url.path)
    #expect(try Data(contentsOf: location.url) == Data("hello".utf8))
    // Stores that are told so keep no state.
    try FileManager.default.removeItem(at: location.url)
    var options = location.options()
    options.keepsLastState = false
    let unkept = try FileStore(at: location.url, options: options)
    try unkept.setRawValue(1, for: "a")
    try unkept.setRawValue(2, for: "a")
    #expect(try location.names.filter { $0.hasSuffix(".last") } == [])
  }

  @Test("reports each truncated file and keeps it")
  func prefixes() throws {
    let location = try StoreLocation()
    let whole = try PropertyListValue.dictionary(["a": 1, "b": "text"]).propertyList()
    for count in 0..<whole.count {
      try whole.prefix(count).write(to: location.url)
      #expect(try location.store().keys == [])
      #expect(try Data(contentsOf: location.url).count == count)
    }
    #expect(location.reported.count == whole.count)
  }

  @Test(
    "is unchanged after any failed system call, except for the flush of the folder after the file was replaced",
    arguments: FileCall.allCases)
  func faults(_ call: FileCall) throws {
    for number in [EIO, ENOSPC, EACCES] {
      let location = try StoreLocation()
      let isFailing = ValueRecorder<Void>()
      var options = location.options(.synced)
      options.fault = { $0 == call && !isFailing.all.isEmpty ? number : 0 }
      let store = try FileStore(at: location.url, options: options)
      try store.setRawValue(1, for: "a")
      isFailing.add(())
      let recorder = ValueRecorder<DefaultsChanges>()
      let token = store.observe(nil) { recorder.add($0) }
      var failure: DefaultsError?
      do {
        try store.setRawValue(2, for: "a")
      } catch let error as DefaultsError {
        failure = error
      }
      let isReplaced = failure == nil || call == .flushFolder
      if let failure { #expect((failure.code == .notDurable) == isReplaced, "\(call)") }
      #expect(store.rawValue(for: "a") == (isReplaced ? 2 : 1) && recorder.all.count == (isReplaced ? 1 : 0), "\(call)")
      #expect(try location.store().rawValue(for: "a") == store.rawValue(for: "a"), "\(call)")
      #expect(try location.names.filter { $0.hasSuffix(".new") && call != .remove } == [])
      withExtendedLifetime(token) {}
    }
  }

  @Test("a deferred write whose folder cannot be flushed is an error, and done")
  func deferredNotDurable() throws {
    let location = try StoreLocation()
    var options = location.options(.deferred(.seconds(1000)))
    options.fault = { $0 == .flushFolder ? EIO : 0 }
    let store = try FileStore(at: location.url, options: options)
    try store.setRawValue(1, for: "a")
    let error = #expect(throws: DefaultsError.self) { try store.flush() }
    #expect(error?.code == .notDurable && error?.detail.hasPrefix("the file was replaced, but") == true)
    #expect(try location.store().rawValue(for: "a") == 1)
    // Nothing is left to write.
    try store.flush()
  }

  @Test("a folder that may be changed but not listed is no error")
  func unreadableFolder() throws {
    let location = try StoreLocation()
    let folder = location.url.deletingLastPathComponent().path
    var options = location.options(.synced)
    // The superuser may list each folder.
    if geteuid() == 0 { options.fault = { $0 == .flushFolder ? EACCES : 0 } }
    let store = try FileStore(at: location.url, options: options)
    try FileManager.default.setAttributes([.posixPermissions: 0o300], ofItemAtPath: folder)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder) }
    try store.setRawValue(1, for: "a")
    #expect(try location.store().rawValue(for: "a") == 1)
  }

  @Test("a change without an effect needs no access to write")
  func readOnly() throws {
    let location = try StoreLocation()
    try location.store().setRawValue(1, for: "a")
    var options = location.options()
    options.fault = { $0 == .openLock ? EROFS : 0 }
    let store = try FileStore(at: location.url, options: options)
    try store.setRawValue(1, for: "a")
    try store.update { $0.setRawValue(nil, for: "b") }
    let error = #expect(throws: DefaultsError.self) { try store.setRawValue(2, for: "a") }
    #expect(error?.code == .cannotWrite)
    // The value that this store has read is not the current one.
    try location.store().setRawValue(3, for: "a")
    #expect(throws: DefaultsError.self) { try store.setRawValue(1, for: "a") }
    #expect(try location.store().rawValue(for: "a") == 3 && store.rawValue(for: "a") == 3)
  }

  @Test("flushes in the order that survives a loss of power")
  func order() throws {
    let location = try StoreLocation()
    let calls = ValueRecorder<FileCall>()
    var options = location.options(.synced)
    options.fault = {
      calls.add($0)
      return 0
    }
    let store = try FileStore(at: location.url, options: options)
    try store.setRawValue(1, for: "a")
    let steps: [FileCall] = [.lock, .create, .write, .flush, .link, .writeCount, .rename, .flushFolder]
    #expect(calls.all.filter { steps.contains($0) } == steps)
  }

  @Test("rejects folders and pipes without waiting")
  func noFile() throws {
    let folder = try StoreLocation()
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: false)
    let pipe = try StoreLocation()
    #expect(unsafe mkfifo(pipe.url.path, 0o600) == 0)
    for location in [folder, pipe] {
      let error = #expect(throws: DefaultsError.self) { try location.store() }
      #expect(error?.code == .cannotRead)
      #expect(try location.names == ["defaults.plist"])
    }
  }

  @Test("reads, but does not write, if the lock file is no regular file")
  func noLock() throws {
    let location = try StoreLocation()
    try location.store().setRawValue(1, for: "a")
    let lock = location.url.deletingLastPathComponent().appending(path: ".defaults.plist.lock")
    let victim = location.url.deletingLastPathComponent().appending(path: "victim")
    try Data("whole".utf8).write(to: victim)
    for put in [
      { try FileManager.default.createDirectory(at: lock, withIntermediateDirectories: false) },
      { try FileManager.default.createSymbolicLink(at: lock, withDestinationURL: victim) },
    ] {
      try FileManager.default.removeItem(at: lock)
      try put()
      let store = try location.store()
      #expect(store.rawValue(for: "a") == 1)
      let error = #expect(throws: DefaultsError.self) { try store.setRawValue(2, for: "a") }
      #expect(error?.code == .cannotWrite)
      #expect(try location.store().rawValue(for: "a") == 1)
    }
    #expect(try Data(contentsOf: victim) == Data("whole".utf8))
  }

  @Test("stops reading a growing file at the limit")
  func growing() throws {
    let location = try StoreLocation()
    try Data(count: 100_000).write(to: location.url)
    let calls = FileCalls()
    let data = try calls.read(calls.open(location.url.path), expecting: 10, limit: 1000)
    #expect(data.count > 1000 && data.count < 3000)
  }

  @Test("reads a file that replaces a new one without the lock")
  func replacedAtOnce() throws {
    let location = try StoreLocation()
    let others = try PropertyListValue.dictionary(["theirs": 1]).propertyList()
    var options = location.options(.synced)
    options.fault = { call in
      // The new file is already renamed.
      if call == .flushFolder { try? others.write(to: location.url, options: .atomic) }
      return 0
    }
    let store = try FileStore(at: location.url, options: options)
    try store.setRawValue(1, for: "mine")
    #expect(store.keys == ["mine"])
    try store.refresh()
    #expect(store.keys == ["theirs"])
  }

  @Test("accepts any duration", arguments: [Duration.seconds(Int64.max), .zero, .seconds(Int64.min)])
  func times(_ time: Duration) async throws {
    let location = try StoreLocation()
    let calls = ValueRecorder<FileCall>()
    var options = location.options(.deferred(time))
    options.watching = time
    options.patience = time
    options.fault = {
      calls.add($0)
      return 0
    }
    let store = try FileStore(at: location.url, options: options)
    try store.setRawValue(1, for: "a")
    if time > .zero {
      try store.flush()
    } else {
      #expect(await calls.wait(until: { $0.contains(.flushFolder) }))
    }
    #expect(try location.file()?["a"] as? Int == 1)
  }

  @Test("watching does not wait for a writer")
  func idle() throws {
    let core = StoreCore()
    #expect(try !core.write { _ in core.writeIfIdle { _ in Issue.record("two are inside") } })
    var isInside = false
    #expect(core.writeIfIdle { _ in isInside = true })
    #expect(isInside)
  }

  @Test("creates and flushes missing folders")
  func folders() throws {
    let location = try StoreLocation("a/b/defaults.plist")
    let calls = ValueRecorder<FileCall>()
    var options = location.options(.synced)
    options.fault = {
      calls.add($0)
      return 0
    }
    try FileStore(at: location.url, options: options).setRawValue(1, for: "a")
    #expect(
      calls.all.filter { [.flushFolder, .create].contains($0) } == [.flushFolder, .flushFolder, .create, .flushFolder])
  }

  @Test("replaces the target of a symbolic link and keeps permissions")
  func places() throws {
    let location = try StoreLocation("a/b/defaults.plist")
    try location.store().setRawValue(1, for: "a")
    #expect(try FileManager.default.attributesOfItem(atPath: location.url.path)[.posixPermissions] as? Int == 0o600)
    let link = location.url.deletingLastPathComponent().appending(path: "link.plist")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: location.url)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: location.url.path)
    try FileStore(at: link, options: location.options()).setRawValue(2, for: "a")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == location.url.path)
    #expect(try FileManager.default.attributesOfItem(atPath: location.url.path)[.posixPermissions] as? Int == 0o644)
    #expect(try location.file()?["a"] as? Int == 2)
  }

  @Test("gives the lock file the permissions of the file, so that who may write the file may lock it")
  func lockPermissions() throws {
    let location = try StoreLocation(files: ["defaults.plist": PropertyListValue.dictionary([:]).propertyList(.binary)])
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: location.url.path)
    try location.store().setRawValue(1, for: "a")
    for name in ["defaults.plist", ".defaults.plist.lock", ".defaults.plist.last"] {
      let path = location.url.deletingLastPathComponent().appending(path: name).path
      #expect(try Descriptor.working.status(of: FileName(path)).permissions == 0o666, "\(name)")
    }
  }

  @Test("gives an existing lock file the permissions that the file has got since")
  func changedPermissions() throws {
    let location = try StoreLocation()
    try location.store().setRawValue(1, for: "a")
    let lock = location.url.deletingLastPathComponent().appending(path: ".defaults.plist.lock").path
    for permissions in [0o660, 0o600] {
      try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: location.url.path)
      _ = try location.store()
      #expect(try FileManager.default.attributesOfItem(atPath: lock)[.posixPermissions] as? Int == permissions)
    }
  }

  @Test("an error of a system call names the file that the call was for")
  func failedFile() throws {
    let location = try StoreLocation()
    let folder = location.url.deletingLastPathComponent().path
    for (call, name) in [
      (FileCall.openLock, ".defaults.plist.lock"), (.writeCount, ".defaults.plist.lock"),
      (.write, ".defaults.plist.new"),
    ] {
      var options = location.options()
      options.fault = { $0 == call ? EACCES : 0 }
      let store = try FileStore(at: location.url, options: options)
      let error = #expect(throws: DefaultsError.self) { try store.setRawValue(1, for: "a") }
      #expect(error?.path == location.url.path)
      #expect(error?.detail.hasPrefix("the system call '\(call)' failed for \(folder)/\(name): ") == true)
      #expect(error?.remedy == "Allow the program to read and write \(folder)/\(name) and its folder")
    }
  }

  #if os(Linux)
    @Test("gives another group no more access than all users if the system does not allow to keep the group")
    func otherGroup() throws {
      guard geteuid() == 0 else { return }
      let location = try StoreLocation(files: [
        "defaults.plist": PropertyListValue.dictionary([:]).propertyList(.binary)
      ])
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o664, .groupOwnerAccountID: 4321], ofItemAtPath: location.url.path)
      var options = location.options()
      options.fault = { [.setOwner, .link].contains($0) ? EPERM : 0 }
      try FileStore(at: location.url, options: options).setRawValue(1, for: "a")
      for name in ["defaults.plist", ".defaults.plist.lock", ".defaults.plist.last"] {
        let path = location.url.deletingLastPathComponent().appending(path: name).path
        let status = try Descriptor.working.status(of: FileName(path))
        #expect(status.group != 4321 && status.permissions == 0o644, "\(name)")
      }
    }

    @Test(
      "keeps the owner of a file if the system allows it, also for its lock", arguments: [true, false])
    func owner(_ hasLinks: Bool) throws {
      // Only the superuser may give files away.
      guard geteuid() == 0 else { return }
      let location = try StoreLocation(files: [
        "defaults.plist": PropertyListValue.dictionary([:]).propertyList(.binary)
      ])
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o640, .ownerAccountID: 1234, .groupOwnerAccountID: 4321], ofItemAtPath: location.url.path)
      var options = location.options()
      options.fault = { $0 == .link && !hasLinks ? EPERM : 0 }
      try FileStore(at: location.url, options: options).setRawValue(1, for: "a")
      for name in ["defaults.plist", ".defaults.plist.lock", ".defaults.plist.last"] {
        let path = location.url.deletingLastPathComponent().appending(path: name).path
        let status = try Descriptor.working.status(of: FileName(path))
        #expect(status.owner == 1234 && status.group == 4321 && status.permissions == 0o640, "\(name)")
      }
    }
  #endif

  @Test("creates the missing target of a symbolic link, and rejects cycles of links")
  func links() throws {
    let location = try StoreLocation()
    let folder = location.url.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder.appending(path: "synced"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: location.url.path, withDestinationPath: "other")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/other", withDestinationPath: "synced/../synced/file")
    try location.store().setRawValue(1, for: "a")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: location.url.path) == "other")
    #expect(try Data(contentsOf: folder.appending(path: "synced/file")).starts(with: Data("bplist".utf8)))
    #expect(try location.store().rawValue(for: "a") == 1)
    #expect(try location.names == ["defaults.plist", "other", "synced"])

    // The system and the store find the same file, whatever links the path has.
    for target in [
      "../real", "inner/../real", "./inner/real", "../deep/../deep/inner/../../real", "/FOLDER/way/../real",
      "later", "/FOLDER/way/inner/../real",
    ] {
      let location = try StoreLocation("way/settings")
      let folder = location.url.deletingLastPathComponent().deletingLastPathComponent()
      try FileManager.default.createDirectory(
        at: folder.appending(path: "other/deep"), withIntermediateDirectories: true)
      try FileManager.default.createDirectory(
        at: folder.appending(path: "far/inner"), withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(atPath: folder.path + "/way", withDestinationPath: "other/deep")
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/other/deep/inner", withDestinationPath: "../../far/inner")
      let path = target.replacing("/FOLDER", with: folder.path)
      try FileManager.default.createSymbolicLink(atPath: location.url.path, withDestinationPath: path)
      try location.store().setRawValue(1, for: "a")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: location.url.path) == path)
      #expect((try? Data(contentsOf: location.url))?.starts(with: Data("bplist".utf8)) == true, "\(target)")
    }

    let circle = try StoreLocation()
    try FileManager.default.createSymbolicLink(atPath: circle.url.path, withDestinationPath: "defaults.plist")
    let error = #expect(throws: DefaultsError.self) { try circle.store() }
    #expect(error?.code == .cannotRead)
    #expect(error?.remedy == "Use the path of the file itself, because the links lead to no file")
  }

  #if os(Linux)
    @Test("follows as many symbolic links as the system")
    func manyLinks() throws {
      let location = try StoreLocation()
      let folder = location.url.deletingLastPathComponent()
      let names = ["defaults.plist"] + (1..<39).map { "link \($0)" } + ["file"]
      for (name, target) in zip(names, names.dropFirst()) {
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/\(name)", withDestinationPath: target)
      }
      try location.store().setRawValue(1, for: "a")
      for (name, target) in zip(names, names.dropFirst()) {
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder.path)/\(name)") == target)
      }
      #expect(try location.file()?["a"] as? Int == 1)
    }

    @Test("reads through a symbolic link to a name that is not valid UTF-8, and does not replace the link")
    func linkToBytes() throws {
      let location = try StoreLocation()
      let folder = location.url.deletingLastPathComponent()
      let name = [CChar]([0x66, -1, 0])
      let target = FileName(bytes: Array(folder.path.utf8) + [0x2F, 0x66, 0xFF])
      let file = try PropertyListValue.dictionary(["a": 1]).propertyList()
      try file.write(to: folder.appending(path: "new"))
      try Descriptor.working.move(FileName(folder.path + "/new"), to: .working, target)
      #expect(unsafe symlink(name, location.url.path) == 0)
      let store = try location.store()
      #expect(store.rawValue(for: "a") == 1)
      let error = #expect(throws: DefaultsError.self) { try store.setRawValue(2, for: "a") }
      #expect(error?.code == .cannotWrite && error?.remedy?.hasPrefix("Rename the file") == true)
      #expect(try Data(contentsOf: location.url) == file && store.rawValue(for: "a") == 1)
      #expect(try Descriptor.working.target(ofLink: FileName(location.url.path)).bytes == [0x66, 0xFF])
    }
  #endif

  @Test("creates the missing folders before '..' in the target of a symbolic link")
  func missingTarget() throws {
    let location = try StoreLocation()
    try FileManager.default.createSymbolicLink(
      atPath: location.url.path, withDestinationPath: "none/deep/../../other/file")
    try location.store(.synced).setRawValue(1, for: "a")
    #expect(try location.file()?["a"] as? Int == 1)
    #expect(try location.store().rawValue(for: "a") == 1)
  }

  @Test("says how to mend what is in the way of its files")
  func remedies() throws {
    let location = try StoreLocation()
    let folder = location.url.deletingLastPathComponent()
    func error(at path: String) throws -> DefaultsError? {
      let store = try FileStore(at: folder.appending(path: path), options: location.options())
      return #expect(throws: DefaultsError.self) { try store.setRawValue(1, for: "a") }
    }
    try Data().write(to: folder.appending(path: "file"))
    #expect(try error(at: "file/a")?.remedy == "Move away the file that has the name of one of its folders")
    let below = try error(at: "file/new/a")
    #expect(below?.detail == "cannot create the folder \(folder.path)/file/new")
    #expect(below?.remedy?.hasPrefix("Check that the program may write there") == true)
    try FileManager.default.createDirectory(at: folder.appending(path: ".a.new"), withIntermediateDirectories: false)
    #expect(try error(at: "a")?.remedy?.contains("\(folder.path)/.a.new") == true)
  }

  @Test("replaces a temporary file of a killed process, and follows no link there")
  func leftovers() throws {
    let location = try StoreLocation()
    let folder = location.url.deletingLastPathComponent()
    let (victim, new) = (folder.appending(path: "victim"), folder.appending(path: ".defaults.plist.new"))
    try Data("whole".utf8).write(to: victim)
    try FileManager.default.createSymbolicLink(at: new, withDestinationURL: victim)
    try location.store().setRawValue(1, for: "a")
    try FileManager.default.linkItem(at: victim, to: new)
    try location.store().setRawValue(2, for: "a")
    #expect(try Data(contentsOf: victim) == Data("whole".utf8))
    #expect(try location.file()?["a"] as? Int == 2)
  }

  @Test("reports a lock timeout")
  func busy() throws {
    let location = try StoreLocation()
    var options = location.options()
    options.patience = .milliseconds(50)
    let store = try FileStore(at: location.url, options: options)
    try store.update { _ in
      let other = try FileStore(at: location.url, options: options)
      let error = #expect(throws: DefaultsError.self) { try other.setRawValue(1, for: "a") }
      #expect(error?.code == .busy)
    }
  }

  @Test("continues after its lock file is removed")
  func lostLock() throws {
    let location = try StoreLocation()
    let (first, second) = (try location.store(), try location.store())
    try first.setRawValue(1, for: "a")
    try FileManager.default.removeItem(
      at: location.url.deletingLastPathComponent().appending(path: ".defaults.plist.lock"))
    try second.setRawValue(2, for: "b")
    try first.setRawValue(3, for: "c")
    #expect(try location.file()?.count == 3)
  }

  @Test("an XML file preserves NaN, infinities and large integers")
  func xml() throws {
    let location = try StoreLocation()
    var options = location.options()
    options.format = .xml
    let store = try FileStore(at: location.url, options: options)
    try store.setRawValue([.double(.nan), .double(.infinity), "$null", .integer(.min)], for: "a")
    let read = try location.store()
    #expect(read.rawValue(for: "a") == [.double(.nan), .double(.infinity), "$null", .integer(.min)])
  }

  @Test(
    "does not write an XML file again for a value that it has already",
    arguments: [
      PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 1.5)), .float(0.1), .double(.nan), .double(-.nan),
      [.date(Date(timeIntervalSinceReferenceDate: 1.5)), .double(-.nan)],
    ])
  func sameInXML(_ value: PropertyListValue) throws {
    let location = try StoreLocation()
    var options = location.options()
    options.format = .xml
    let store = try FileStore(at: location.url, options: options)
    try store.setRawValue(value, for: "a")
    let before = try FileManager.default.attributesOfItem(atPath: location.url.path)[.systemFileNumber] as? Int
    let changes = ValueRecorder<String>()
    let token = store.observe(nil) { changes.add($0.keys.joined()) }
    try store.setRawValue(value, for: "a")
    try store.update { $0.setRawValue(value, for: "a") }
    #expect(try FileManager.default.attributesOfItem(atPath: location.url.path)[.systemFileNumber] as? Int == before)
    #expect(changes.all == [])
    withExtendedLifetime(token) {}
  }

  @Test("a deferred value of an XML file that is not a number does not change when it is written")
  func deferredNaN() throws {
    let location = try StoreLocation()
    var options = location.options(.deferred(.seconds(3600)))
    options.format = .xml
    let store = try FileStore(at: location.url, options: options)
    let changes = ValueRecorder<DefaultsChange>()
    let token = store.observe(nil) { for change in $0.changes { changes.add(change) } }
    // A computation has the sign bit on some processors, and not on others.
    for (key, number) in [("a", Double.nan), ("b", -.nan)] { try store.setRawValue([.double(number)], for: key) }
    try store.flush()
    #expect(changes.all.map(\.key) == ["a", "b"] && changes.all.allSatisfy { $0.origin == .program })
    #expect(try location.store().snapshot().values == store.snapshot().values)
    withExtendedLifetime(token) {}
  }

  @Test("a file that is made after its removal is binary, like each new file")
  func formatAfterRemoval() throws {
    let location = try StoreLocation(files: ["defaults.plist": PropertyListValue.dictionary([:]).propertyList(.xml)])
    let store = try location.store()
    try store.setRawValue(1, for: "a")
    #expect(try Data(contentsOf: location.url).starts(with: Data("<?xml".utf8)))
    try FileManager.default.removeItem(at: location.url)
    try store.setRawValue(2, for: "a")
    #expect(try Data(contentsOf: location.url).starts(with: Data("bplist00".utf8)))
  }

  #if os(Linux)
    @Test("a queue of notices ends when the last watched folder is removed")
    func queueOfRemovedFolder() async throws {
      await #expect(processExitsWith: .success) {
        func queues() throws -> Int {
          try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?.contains("inotify")
              == true
          }
        }
        let location = try StoreLocation("inner/defaults.plist")
        let folder = location.url.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let changes = ValueRecorder<Int>()
        let notices = try FileNotices(of: location.url.path) { changes.add(1) }
        try #require(try queues() == 1)
        try FileManager.default.removeItem(at: folder)
        try #require(await changes.wait(until: { !$0.isEmpty }))
        #expect(notices.isLost)
        // The system closes it on another thread.
        for _ in 0..<1000 where try queues() != 0 { try await Task.sleep(for: .milliseconds(10)) }
        try #require(try queues() == 0)
        withExtendedLifetime(notices) {}
      }
    }
  #endif
}
