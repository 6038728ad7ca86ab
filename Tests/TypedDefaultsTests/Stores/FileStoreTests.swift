// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TestSupport
import Testing
import TypedDefaultsTesting

@testable import TypedDefaults

@Suite("A store with a file")
struct FileStoreTests {
  @Test("writes a property list that others read, whose values are their own kinds")
  func native() throws {
    let place = try Place()
    let store = try place.store()
    try store.set(3, for: DefaultsKey("int", default: 0))
    try store.set(["a", "b"], for: DefaultsKey("texts", default: []))
    try store.set(Date(timeIntervalSince1970: 0), for: DefaultsKey("date", default: .distantPast))
    let file = try #require(try place.file())
    #expect(file["int"] as? Int == 3)
    #expect(file["texts"] as? [String] == ["a", "b"])
    #expect(file["date"] as? Date == Date(timeIntervalSince1970: 0))
    #expect(try Data(contentsOf: place.url).starts(with: Data("bplist00".utf8)))
  }

  @Test(
    "keeps the format of the file that is there, and what it does not know",
    arguments: [
      PropertyList.Format.xml, .binary,
    ])
  func keeps(_ format: PropertyList.Format) throws {
    let place = try Place()
    let others: PropertyListValue = ["other": ["deep": [1, 2.5, true]], "e\u{301}": 1, "é": 2]
    try others.propertyList(format).write(to: place.url)
    try place.store().setRawValue(1, for: "mine")
    let data = try Data(contentsOf: place.url)
    #expect(data.starts(with: Data("bplist00".utf8)) == (format == .binary))
    guard case .dictionary(let entries) = try PropertyListValue(propertyList: data) else {
      Issue.record("a dictionary is expected")
      return
    }
    #expect(entries["other"] == ["deep": [1, 2.5, true]])
    #expect(entries["é"] == 2 && entries["e\u{301}"] == 1 && entries["mine"] == 1)
  }

  @Test("writes in XML what a program stores, however often equal texts and data are repeated")
  func repeatedValues() throws {
    let place = try Place()
    try PropertyListValue.dictionary([:]).propertyList(.xml).write(to: place.url)
    let texts = (0..<20_000).map { "\($0 % 10)" + String(repeating: "x", count: 100) }
    let data = (0..<1000).map { Data(repeating: UInt8($0 % 3), count: 4000) }
    let store = try place.store()
    try store.set(texts, for: DefaultsKey("texts", default: [String]()))
    try store.set(data, for: DefaultsKey("data", default: [Data]()))
    try store.flush()
    let file = try #require(try place.file())
    #expect(try Data(contentsOf: place.url).starts(with: Data("<?xml".utf8)))
    #expect(file["texts"] as? [String] == texts && file["data"] as? [Data] == data)
  }

  @Test("is read by Python", .enabled(if: Python.isPresent, "\(Python.isAbsent)"))
  func python() throws {
    let place = try Place()
    try place.store().setRawValue(["n": 1, "t": "x"], for: "key")
    let output = try Python.run(
      "import plistlib,sys; print(plistlib.load(open(sys.argv[1],'rb'))['key']['n'])", [place.url.path])
    #expect(String(decoding: output, as: UTF8.self) == "1\n")
  }

  @Test(
    "has written when the call returns, and when it is gone",
    arguments: [
      FileStore.Durability.synced, .written, .deferred(.seconds(1000)),
    ])
  func durable(_ durability: FileStore.Durability) throws {
    let place = try Place()
    do {
      let store = try place.store(durability)
      try store.setRawValue(1, for: "a")
      if case .deferred = durability {
        #expect(!FileManager.default.fileExists(atPath: place.url.path))
        try store.flush()
        #expect(try place.file()?["a"] as? Int == 1)
        try store.setRawValue(2, for: "a")
      } else {
        try store.setRawValue(2, for: "a")
        #expect(try place.file()?["a"] as? Int == 2)
      }
    }
    #expect(try place.file()?["a"] as? Int == 2)
    #expect(try place.store().rawValue(for: "a") == 2)
  }

  @Test("that writes later does so after its time")
  func later() async throws {
    let place = try Place()
    let calls = ValueRecorder<FileCall>()
    var options = place.options(.deferred(.milliseconds(20)))
    options.fault = {
      calls.add($0)
      return 0
    }
    let store = try FileStore(at: place.url, options: options)
    for number in 1...2 {
      try store.setRawValue(.integer(Int64(number)), for: "a")
      #expect(await calls.come(to: { $0.count { $0 == .flushFolder } == number }))
      #expect(try place.file()?["a"] as? Int == number)
    }
  }

  @Test("that writes later reports what it cannot write, and tries again until it can")
  func laterAgain() async throws {
    let place = try Place()
    let (calls, reported, room) = (ValueRecorder<FileCall>(), ValueRecorder<DefaultsError>(), ValueRecorder<Void>())
    var options = place.options(.deferred(.milliseconds(1)))
    options.reports = { reported.add($0) }
    options.fault = { call in
      calls.add(call)
      return call == .write && room.all.isEmpty ? ENOSPC : 0
    }
    let store = try FileStore(at: place.url, options: options)
    try store.setRawValue(1, for: "a")
    #expect(await reported.come(to: { $0.count >= 2 }))
    #expect(reported.all.allSatisfy { $0.code == .cannotWrite && $0.remedy?.contains("disk") == true })
    #expect(store.rawValue(for: "a") == 1)
    room.add(())
    #expect(await calls.come(to: { $0.contains(.flushFolder) }))
    #expect(try place.file()?["a"] as? Int == 1)
  }

  @Test("does not write what is there already")
  func same() throws {
    let place = try Place()
    let store = try place.store()
    try store.setRawValue(1, for: "a")
    let before = try FileManager.default.attributesOfItem(atPath: place.url.path)[.systemFileNumber] as? Int
    try store.setRawValue(1, for: "a")
    try store.update { $0.setRawValue(1, for: "a") }
    #expect(try FileManager.default.attributesOfItem(atPath: place.url.path)[.systemFileNumber] as? Int == before)
  }

  @Test(
    "changes what others have written meanwhile, and tells of it",
    arguments: [
      FileStore.Durability.written, .deferred(.seconds(1000)),
    ])
  func others(_ durability: FileStore.Durability) throws {
    let place = try Place()
    let first = try place.store(durability)
    let second = try place.store(durability)
    let told = ValueRecorder<DefaultsChanges>()
    let token = second.observe(nil) { told.add($0) }
    try first.setRawValue(1, for: "a")
    try second.setRawValue(2, for: "b")
    try first.flush()
    try second.flush()
    #expect(second.rawValue(for: "a") == 1)
    #expect(told.all.contains { $0["a"]?.origin == .external && $0["a"]?.new == 1 })
    try first.refresh()
    #expect(first.rawValue(for: "b") == 2)
    #expect(try place.file()?.count == 2)
    withExtendedLifetime(token) {}
  }

  @Test("sees by itself what others write, also those who know nothing of it")
  func watching() async throws {
    let place = try Place()
    var options = place.options()
    options.watching = .milliseconds(10)
    let store = try FileStore(at: place.url, options: options)
    let told = ValueRecorder<PropertyListValue?>()
    let token = store.observe(["a.b"]) { told.add($0["a.b"]?.new) }
    try place.store().setRawValue(1, for: "a.b")
    #expect(await told.come(to: { $0.last == 1 }))
    try PropertyListSerialization.data(fromPropertyList: ["a.b": 22], format: .xml, options: 0).write(to: place.url)
    #expect(await told.come(to: { $0.last == 22 }))
    try FileManager.default.removeItem(at: place.url)
    #expect(await told.come(to: { $0.last == .some(nil) }))
    withExtendedLifetime(token) {}
  }

  @Test("adds up what two stores on one file count")
  func counting() async throws {
    let place = try Place()
    let key = DefaultsKey("n", default: 0)
    let stores = try (0..<4).map { _ in try place.store() }
    try await withThrowingTaskGroup { group in
      for store in stores {
        group.addTask { for _ in 0..<100 { try store.modify(key) { $0 += 1 } } }
      }
      try await group.waitForAll()
    }
    #expect(try place.store().value(for: key) == 400)
  }

  /// Files that are no store's, by what is wrong with them.
  private static let damaged: [(name: String, bytes: @Sendable () throws -> Data)] = [
    ("empty", { Data() }), ("cut", { Data("bplist00".utf8) }), ("text", { Data("hello".utf8) }),
    ("an array", { Data("<plist><array/></plist>".utf8) }), ("cut XML", { Data("<plist>".utf8) }),
    ("deep", { Data("<plist><dict><key>a</key>\(String(repeating: "<array>", count: 20_000))".utf8) }),
    ("too large", { Data(count: 1 << 21) }),
    (
      "a bomb",
      {
        // Each row has the next one ten times over.
        let rows = (1...30).map { row in
          PropertyListObject.array(Array(repeating: ObjectRef(rawValue: UInt32(row)), count: 10))
        }
        return try PropertyList(table: rows + [.boolean(true)], top: ObjectRef(rawValue: 0)).data(format: .binary)
      }
    ),
  ]

  @Test("sets a damaged file aside, whole, when something is stored", arguments: damaged.indices)
  func damage(_ number: Int) throws {
    let place = try Place()
    let bytes = try Self.damaged[number].bytes()
    try bytes.write(to: place.url)
    var options = place.options()
    options.limits.maximumByteCount = 1 << 20
    let store = try FileStore(at: place.url, options: options)
    #expect(place.reported.map(\.code) == [.damaged], "\(Self.damaged[number].name)")
    #expect(store.keys == [])
    #expect(try Data(contentsOf: place.url) == bytes, "reading has changed it")
    try store.setRawValue(1, for: "a")
    #expect(
      try Data(contentsOf: place.url.deletingLastPathComponent().appending(path: "defaults.plist.damaged-1"))
        == bytes)
    #expect(try place.file()?["a"] as? Int == 1)
    try bytes.write(to: place.url)
    // What is still known is kept.
    try store.setRawValue(2, for: "b")
    #expect(try place.file()?["a"] as? Int == 1)
    #expect(try place.names.filter { $0.contains("damaged") }.count == 2)
  }

  @Test("is whole for every prefix of its file: read, or reported and left")
  func prefixes() throws {
    let place = try Place()
    let whole = try PropertyListValue.dictionary(["a": 1, "b": "text"]).propertyList()
    for count in 0..<whole.count {
      try whole.prefix(count).write(to: place.url)
      #expect(try place.store().keys == [])
      #expect(try Data(contentsOf: place.url).count == count)
    }
    #expect(place.reported.count == whole.count)
  }

  @Test("is as before when a call fails, whichever it is, and works again after", arguments: FileCall.allCases)
  func faults(_ call: FileCall) throws {
    for number in [EIO, ENOSPC, EACCES] {
      let place = try Place()
      let isFailing = ValueRecorder<Void>()
      var options = place.options(.synced)
      options.fault = { $0 == call && !isFailing.all.isEmpty ? number : 0 }
      let store = try FileStore(at: place.url, options: options)
      try store.setRawValue(1, for: "a")
      isFailing.add(())
      let told = ValueRecorder<DefaultsChanges>()
      let token = store.observe(nil) { told.add($0) }
      var hasFailed = false
      do {
        try store.setRawValue(2, for: "a")
      } catch is DefaultsError {
        hasFailed = true
      }
      let other = try place.store()
      if hasFailed {
        // Whether the new file got its name or not, it is one of the two.
        #expect(store.rawValue(for: "a") == 1 && told.all.isEmpty)
        #expect([1, 2].contains(other.rawValue(for: "a")))
        if call != .flushFolder { #expect(other.rawValue(for: "a") == 1, "\(call)") }
      }
      #expect(try place.names.filter { $0.hasSuffix(".new") && call != .remove } == [])
      withExtendedLifetime(token) {}
    }
  }

  @Test("waits for the disk in the order that a loss of power demands")
  func order() throws {
    let place = try Place()
    let calls = ValueRecorder<FileCall>()
    var options = place.options(.synced)
    options.fault = {
      calls.add($0)
      return 0
    }
    let store = try FileStore(at: place.url, options: options)
    try store.setRawValue(1, for: "a")
    let steps: [FileCall] = [.lock, .create, .write, .flush, .writeCount, .rename, .flushFolder]
    #expect(calls.all.filter { steps.contains($0) } == steps)
  }

  @Test("refuses what is no file, and does not wait for the other end of a pipe")
  func noFile() throws {
    let folder = try Place()
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: false)
    let pipe = try Place()
    #expect(unsafe mkfifo(pipe.url.path, 0o600) == 0)
    for place in [folder, pipe] {
      let error = #expect(throws: DefaultsError.self) { try place.store() }
      #expect(error?.code == .cannotRead)
      #expect(try place.names == ["defaults.plist"])
    }
  }

  @Test("writes nothing if something else has the place of its lock, and reads all the same")
  func noLock() throws {
    let place = try Place()
    try place.store().setRawValue(1, for: "a")
    let lock = place.url.deletingLastPathComponent().appending(path: ".defaults.plist.lock")
    let victim = place.url.deletingLastPathComponent().appending(path: "victim")
    try Data("whole".utf8).write(to: victim)
    for put in [
      { try FileManager.default.createDirectory(at: lock, withIntermediateDirectories: false) },
      { try FileManager.default.createSymbolicLink(at: lock, withDestinationURL: victim) },
    ] {
      try FileManager.default.removeItem(at: lock)
      try put()
      let store = try place.store()
      #expect(store.rawValue(for: "a") == 1)
      let error = #expect(throws: DefaultsError.self) { try store.setRawValue(2, for: "a") }
      #expect(error?.code == .cannotWrite)
      #expect(try place.store().rawValue(for: "a") == 1)
    }
    #expect(try Data(contentsOf: victim) == Data("whole".utf8))
  }

  @Test("does not read on and on in a file that grows while it is read")
  func growing() throws {
    let place = try Place()
    try Data(count: 100_000).write(to: place.url)
    let calls = FileCalls()
    let data = try calls.read(calls.open(place.url.path), expecting: 10, limit: 1000)
    #expect(data.count > 1000 && data.count < 3000)
  }

  @Test("sees what somebody who takes no lock puts in the place of a file that was just written")
  func replacedAtOnce() throws {
    let place = try Place()
    let others = try PropertyListValue.dictionary(["theirs": 1]).propertyList()
    var options = place.options(.synced)
    options.fault = { call in
      // The new file has its name already.
      if call == .flushFolder { try? others.write(to: place.url, options: .atomic) }
      return 0
    }
    let store = try FileStore(at: place.url, options: options)
    try store.setRawValue(1, for: "mine")
    #expect(store.keys == ["mine"])
    try store.refresh()
    #expect(store.keys == ["theirs"])
  }

  @Test("takes any time for its times", arguments: [Duration.seconds(Int64.max), .zero, .seconds(Int64.min)])
  func times(_ time: Duration) async throws {
    let place = try Place()
    let calls = ValueRecorder<FileCall>()
    var options = place.options(.deferred(time))
    options.watching = time
    options.patience = time
    options.fault = {
      calls.add($0)
      return 0
    }
    let store = try FileStore(at: place.url, options: options)
    try store.setRawValue(1, for: "a")
    if time > .zero {
      try store.flush()
    } else {
      #expect(await calls.come(to: { $0.contains(.flushFolder) }))
    }
    #expect(try place.file()?["a"] as? Int == 1)
  }

  @Test("does not make a thread wait that only looks for changes")
  func idle() throws {
    let core = StoreCore()
    try core.write { _ in core.writeIfIdle { _ in Issue.record("two are inside") } }
    var isInside = false
    core.writeIfIdle { _ in isInside = true }
    #expect(isInside)
  }

  @Test("makes the folders it is in and has them on the disk, too")
  func folders() throws {
    let place = try Place("a/b/defaults.plist")
    let calls = ValueRecorder<FileCall>()
    var options = place.options(.synced)
    options.fault = {
      calls.add($0)
      return 0
    }
    try FileStore(at: place.url, options: options).setRawValue(1, for: "a")
    #expect(
      calls.all.filter { [.flushFolder, .create].contains($0) } == [.flushFolder, .flushFolder, .create, .flushFolder])
  }

  @Test("replaces what a link leads to, and keeps permissions")
  func places() throws {
    let place = try Place("a/b/defaults.plist")
    try place.store().setRawValue(1, for: "a")
    #expect(try FileManager.default.attributesOfItem(atPath: place.url.path)[.posixPermissions] as? Int == 0o600)
    let link = place.url.deletingLastPathComponent().appending(path: "link.plist")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: place.url)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: place.url.path)
    try FileStore(at: link, options: place.options()).setRawValue(2, for: "a")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == place.url.path)
    #expect(try FileManager.default.attributesOfItem(atPath: place.url.path)[.posixPermissions] as? Int == 0o644)
    #expect(try place.file()?["a"] as? Int == 2)
  }

  @Test("makes what a link leads to if it is not there yet; links that lead in circles are an error")
  func links() throws {
    let place = try Place()
    let folder = place.url.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder.appending(path: "synced"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: place.url.path, withDestinationPath: "other")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/other", withDestinationPath: "synced/../synced/file")
    try place.store().setRawValue(1, for: "a")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place.url.path) == "other")
    #expect(try Data(contentsOf: folder.appending(path: "synced/file")).starts(with: Data("bplist".utf8)))
    #expect(try place.store().rawValue(for: "a") == 1)
    #expect(try place.names == ["defaults.plist", "other", "synced"])

    let circle = try Place()
    try FileManager.default.createSymbolicLink(atPath: circle.url.path, withDestinationPath: "defaults.plist")
    let error = #expect(throws: DefaultsError.self) { try circle.store() }
    #expect(error?.code == .cannotRead)
  }

  @Test("writes over what a killed process left, and not through a link that somebody put there")
  func leftovers() throws {
    let place = try Place()
    let folder = place.url.deletingLastPathComponent()
    let (victim, new) = (folder.appending(path: "victim"), folder.appending(path: ".defaults.plist.new"))
    try Data("whole".utf8).write(to: victim)
    try FileManager.default.createSymbolicLink(at: new, withDestinationURL: victim)
    try place.store().setRawValue(1, for: "a")
    try FileManager.default.linkItem(at: victim, to: new)
    try place.store().setRawValue(2, for: "a")
    #expect(try Data(contentsOf: victim) == Data("whole".utf8))
    #expect(try place.file()?["a"] as? Int == 2)
  }

  @Test("gives up on a lock that somebody holds for ever")
  func busy() throws {
    let place = try Place()
    var options = place.options()
    options.patience = .milliseconds(50)
    let store = try FileStore(at: place.url, options: options)
    try store.update { _ in
      let other = try FileStore(at: place.url, options: options)
      let error = #expect(throws: DefaultsError.self) { try other.setRawValue(1, for: "a") }
      #expect(error?.code == .busy)
    }
  }

  @Test("goes on when somebody removes its lock")
  func lostLock() throws {
    let place = try Place()
    let (first, second) = (try place.store(), try place.store())
    try first.setRawValue(1, for: "a")
    try FileManager.default.removeItem(
      at: place.url.deletingLastPathComponent().appending(path: ".defaults.plist.lock"))
    try second.setRawValue(2, for: "b")
    try first.setRawValue(3, for: "c")
    #expect(try place.file()?.count == 3)
  }

  @Test("in XML survives whatever binary does, but for parts of seconds")
  func xml() throws {
    let place = try Place()
    var options = place.options()
    options.format = .xml
    let store = try FileStore(at: place.url, options: options)
    try store.setRawValue([.double(.nan), .double(.infinity), "$null", .integer(.min)], for: "a")
    let read = try place.store()
    #expect(read.rawValue(for: "a") == [.double(.nan), .double(.infinity), "$null", .integer(.min)])
  }
}
