// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import SystemFiles
import Testing

/// A model that counts how often its values are decoded.
private struct Counted: DocumentModel {
  static let folderExtension = "counted"
  static let attachmentNames = ["photo.jpg"]
  static let archiveClassName = "Counted"
  static let decodings = Locked(0)

  init() {}
  init?(coder: KeyedUnarchiver) { Self.decodings.withLock { $0 += 1 } }
  func encode(with coder: KeyedArchiver) {}
}

/// The versions of a model, each as the program of its time declared it.
private enum Bread {
  struct One: Codable, DocumentModel {
    static let folderExtension = "bread"
    static let archiveClassName = "Bakery.Bread"
    var name: String
    var hours: Double
  }

  struct Two: Codable, DocumentModel {
    static let folderExtension = "bread"
    static let archiveClassName = "Bakery.Bread"
    static let version = 2
    static let migrations = [Bread.rename]
    var title: String
    var hours: Double
  }

  struct Three: Codable, Equatable, DocumentModel {
    static let folderExtension = "bread"
    static let archiveClassName = "Bakery.Bread"
    static let version = 3
    // In any order.
    static let migrations = [Bread.minutes, Bread.rename]
    var title: String
    var minutes: Int
    var flour: String?
  }

  /// The first version, with a photo.
  struct Pictured: Codable, DocumentModel {
    static let folderExtension = "bread"
    static let archiveClassName = "Bakery.Bread"
    static let attachmentNames = ["photo.jpg"]
    var name: String
  }

  /// The next version of that.
  struct PicturedTwo: Codable, DocumentModel {
    static let folderExtension = "bread"
    static let archiveClassName = "Bakery.Bread"
    static let attachmentNames = ["photo.jpg"]
    static let version = 2
    var name: String
  }

  /// A step that fails for some documents.
  struct Broken: Codable, DocumentModel {
    struct Burnt: Error, CustomStringConvertible { let description = "the bread is burnt" }

    static let folderExtension = "bread"
    static let archiveClassName = "Bakery.Bread"
    static let version = 2
    static let migrations = [
      DocumentMigration(to: 2) { bread in
        if try bread.value(Double.self, forKey: "hours") == 24 { throw Burnt() }
      }
    ]
    var name: String
    var hours: Double
  }

  /// The version was not raised.
  struct Forgotten: Codable, DocumentModel {
    static let folderExtension = "bread"
    static let version = 2
    static let migrations = [Bread.rename, Bread.minutes]
  }

  /// A model of version 2 that archives itself, and whose older files have rules.
  struct Own: DocumentModel, Equatable {
    static let folderExtension = "bread"
    static let archiveClassName = "Bakery.Bread"
    static let version = 2
    static let migrations = [Bread.rename]
    var title: String

    init(title: String) { self.title = title }

    func encode(with coder: KeyedArchiver) { coder.encode(title, forKey: "title") }

    init?(coder: KeyedUnarchiver) {
      guard let title = coder.decodeObject(of: String.self, forKey: "title") else { return nil }
      self.title = title
    }
  }

  /// A model whose steps note that they ran.
  struct Noted: Codable, DocumentModel {
    static let folderExtension = "bread"
    static let archiveClassName = "Bakery.Bread"
    static let version = 5
    static let migrations = [5, 2, 4].map { version in
      DocumentMigration(to: version) { bread in
        let steps = try bread.value([Int].self, forKey: "steps") ?? []
        try bread.setValue(steps + [version], forKey: "steps")
      }
    }
    var name: String
    var steps: [Int]?
  }

  /// A model that does not decode what it archived.
  struct Rising: Codable, DocumentModel {
    static let folderExtension = "bread"
    static let archiveClassName = "Bakery.Bread"
    static let version = 2
    var name: String
    var hours: Double

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      hours = try container.decode(Double.self, forKey: .hours) * 2
    }
  }

  static let rename = DocumentMigration(to: 2) { bread in try bread.renameValue(forKey: "name", to: "title") }
  static let minutes = DocumentMigration(to: 3) { bread in
    let hours = try bread.value(Double.self, forKey: "hours") ?? 0
    try bread.setValue(Int(hours * 60), forKey: "minutes")
    try bread.removeValue(forKey: "hours")
  }
}

@Suite("Versions of documents")
struct VersionTests {
  private let file: StoragePath = "1.bread" / "Data.plist"

  /// A library of the first version with a key that none of the versions knows.
  private func first(_ place: Place = .memory, hours: Double = 1.5) throws -> Room {
    let room = try place.room()
    try DocumentLibrary<Bread.One>(in: room.storage).addDocument(.init(name: "Rye", hours: hours))
    var archive = try self.archive(room)
    let text = try archive.addObject(.primitive(.string("Anna")))
    try archive.setValue(.reference(text), forKey: "baker", of: try #require(archive.root.uid))
    try archive.setTopValue(.integer(7), forKey: "shelf")
    try replace(room, archive.data())
    return room
  }

  private func replace(_ room: Room, _ bytes: Data) throws {
    try room.storage.removeFile(file)
    try room.storage.plant(file, bytes)
  }

  private func archive(_ room: Room) throws -> KeyedArchive { try KeyedArchive(bytes(room)) }

  private func bytes(_ room: Room) throws -> Data { try #require(try room.storage.bytes(file)) }

  @Test("are migrated in memory when they are read, and stored with the next save", arguments: Place.allCases)
  func reading(_ place: Place) throws {
    let room = try first(place)
    let old = try bytes(room)
    let document = try DocumentLibrary<Bread.Three>(in: room.storage).document(1)
    #expect(try document.data == Bread.Three(title: "Rye", minutes: 90))
    #expect(try document.stored?.isCurrent == false && document.stored?.layout == "version 1")
    #expect(try bytes(room) == old)
    try document.edit { $0.flour = "dark" }
    let saved = try archive(room)
    #expect(saved["documentVersion"].number?.integer == 3)
    // The former keys are gone, and the unknown ones are not.
    #expect(Set(saved.root.keys) == ["title", "minutes", "flour", "baker"] && saved.root["baker"].string == "Anna")
    #expect(Set(saved.topKeys) == ["root", "documentVersion", "shelf"])
    let again = try DocumentLibrary<Bread.Three>(in: room.storage).document(1)
    #expect(try again.data == Bread.Three(title: "Rye", minutes: 90, flour: "dark"))
    #expect(try again.stored?.isCurrent == true)
  }

  @Test("are migrated from each version, also when values are set without reading")
  func eachVersion() throws {
    let room = try first()
    try DocumentLibrary<Bread.Two>(in: room.storage).document(1).edit { $0.title = "Spelt" }
    #expect(try archive(room)["documentVersion"].number?.integer == 2)
    let library = try DocumentLibrary<Bread.Three>(in: room.storage)
    #expect(try library.document(1).data == Bread.Three(title: "Spelt", minutes: 90))
    let document = try library.document(1)
    try document.setData(.init(title: "Oat", minutes: 1))
    try document.save()
    #expect(try archive(room)["documentVersion"].number?.integer == 3)
    #expect(try Set(archive(room).root.keys) == ["title", "minutes", "baker"])
  }

  @Test("are migrated by the steps after their own version, each once and in the order of versions", arguments: 1...5)
  func steps(_ version: Int) throws {
    let room = try first()
    var archive = try archive(room)
    try archive.setTopValue(version == 1 ? nil : .integer(Int64(version)), forKey: "documentVersion")
    try replace(room, archive.data())
    let library = try DocumentLibrary<Bread.Noted>(in: room.storage)
    let expected = [2, 4, 5].filter { $0 > version }
    #expect(try library.document(1).data?.steps ?? [] == expected)
    try library.migrate { _ in true }
    try library.document(1).edit { $0.name = "Oat" }
    #expect(try library.document(1).data?.steps ?? [] == expected)
  }

  @Test("that would hold other values after a migration of the library are untouched")
  func unequal() throws {
    let room = try first()
    let old = try bytes(room)
    let library = try DocumentLibrary<Bread.Rising>(in: room.storage)
    var outcomes: [String] = []
    try library.migrate { result in
      if case .failed(let error) = result.outcome {
        outcomes.append((error as? LibraryError)?.code.description ?? "\(error)")
      } else {
        outcomes.append("\(result.outcome)")
      }
      return true
    }
    #expect(outcomes == ["unreadableArchive"])
    #expect(try bytes(room) == old && room.storage.leftovers() == [])
  }

  @Test("have a number that other programs can read")
  func otherPrograms() throws {
    let room = try Place.memory.room()
    try DocumentLibrary<Bread.Three>(in: room.storage).addDocument(.init(title: "Rye", minutes: 5))
    let list = try unsafe PropertyListSerialization.propertyList(from: bytes(room), format: nil) as? [String: Any]
    #expect((list?["$top"] as? [String: Any])?["documentVersion"] as? Int == 3)
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: bytes(room))
    #expect(unarchiver.decodeInteger(forKey: "documentVersion") == 3)
    // And that other programs can write: as an object, or inline.
    var archive = try archive(room)
    let two = try archive.addObject(.primitive(.integer(2)))
    try archive.setTopValue(.reference(two), forKey: "documentVersion")
    try replace(room, archive.data())
    #expect(try DocumentLibrary<Bread.Three>(in: room.storage).document(1).stored?.layout == "version 2")
  }

  @Test("are read without decoding the values when attachments are saved")
  func attachmentsDecodeNothing() throws {
    let library = try DocumentLibrary<Counted>(in: MemoryStorage())
    try library.addDocument(Counted(), attachments: ["photo.jpg": Data("one".utf8)])
    let document = try library.document(1)
    let before = Counted.decodings.withLock(\.self)
    try document.setAttachment("photo.jpg", to: Data("two".utf8))
    try document.saveAttachments()
    #expect(Counted.decodings.withLock(\.self) == before)
    _ = try document.data
    #expect(Counted.decodings.withLock(\.self) == before + 1)
  }

  @Test("newer than the program are refused and never overwritten", arguments: Place.allCases)
  func newer(_ place: Place) throws {
    let room = try place.room()
    try DocumentLibrary<Bread.Three>(in: room.storage).addDocument(.init(title: "Rye", minutes: 5))
    let kept = try bytes(room)
    let library = try DocumentLibrary<Bread.Two>(in: room.storage)
    let document = try library.document(1)
    try document.setData(.init(title: "Oat", hours: 1))
    let calls: [() throws -> Void] = [
      { _ = try library.document(1).data }, { try library.document(1).edit { $0.hours = 2 } }, { try document.save() },
      { try document.saveData() }, { try document.saveData(overwriting: true) },
      { try DocumentLibrary<Bread.Two>(in: MemoryStorage()).addCopy(of: library.document(1)) },
      {
        try library.migrate { result in
          if case .failed(let error) = result.outcome { #expect((error as? LibraryError)?.code == .newerVersion) }
          return true
        }
        throw LibraryError(.newerVersion, library.folder.path, "version 3", remedy: "newer version")
      },
    ]
    for call in calls {
      let error = try #require(throws: LibraryError.self) { try call() }
      #expect(error.code == .newerVersion && error.path.hasPrefix(library.folder.path), "\(error)")
      #expect(error.detail.contains("version 3") && error.remedy?.contains("newer version") == true)
      #expect(try bytes(room) == kept)
    }
    // A model without versions has version 1.
    #expect(throws: LibraryError.self) { try DocumentLibrary<Bread.One>(in: room.storage).document(1).data }
    // A backup needs no understanding.
    var backup = Data()
    try library.export([1]) { backup += $0 }
    let restored = try DocumentLibrary<Bread.Three>(in: MemoryStorage())
    #expect(try restored.importBackup(BackupSource(backup)).documents.count == 1)
    // It is restored as it is, and is not damaged.
    let whole = try DocumentLibrary<Bread.Two>(in: MemoryStorage()).importBackup(BackupSource(backup))
    #expect(whole.documents.map { $0.damage == nil } == [true])
    #expect(whole.documents.first?.warnings.map(\.code) == ["newerVersion"])
    try library.backUp(to: { _ in }, report: { Issue.record("\($0.error)") })
    var codes: [String] = []
    try library.check { finding in
      codes.append(finding.code)
      return true
    }
    #expect(codes == ["newerVersion"])
    try library.document(1).delete()
    #expect(try library.contents().numbers == [])
  }

  @Test(
    "that are not numbers are an error",
    arguments: [.integer(0), .integer(-1), .double(2), .boolean(true)] as [KeyedArchive.StoredValue])
  func invalid(_ value: KeyedArchive.StoredValue) throws {
    let room = try first()
    var archive = try archive(room)
    try archive.setTopValue(value, forKey: "documentVersion")
    try replace(room, archive.data())
    let error = try #require(throws: LibraryError.self) {
      try DocumentLibrary<Bread.Three>(in: room.storage).document(1).data
    }
    #expect(error.code == .unreadableArchive && error.detail.contains("documentVersion"), "\(error)")
  }

  @Test("whose migration fails are untouched, with an error that names the step")
  func failing() throws {
    let room = try first(hours: 24)
    let kept = try bytes(room)
    let library = try DocumentLibrary<Bread.Broken>(in: room.storage)
    let document = try library.document(1)
    try document.setData(.init(name: "New", hours: 1))
    for call in [{ _ = try library.document(1).data }, { try document.save() }] {
      let error = try #require(throws: LibraryError.self) { try call() }
      #expect(error.code == .migrationFailed && error.path.hasSuffix("1.bread/Data.plist"))
      #expect(error.detail.contains("the step to version 2: the bread is burnt") && error.remedy != nil)
      #expect(error.underlying is Bread.Broken.Burnt)
    }
    #expect(try bytes(room) == kept)
    try document.saveData(overwriting: true)
    #expect(try library.document(1).data?.name == "New")
  }

  @Test("whose migration fails are not damaged: a repair does not replace them", arguments: Place.allCases)
  func repairOfFailing(_ place: Place) throws {
    let room = try place.room()
    let document = try DocumentLibrary<Bread.One>(in: room.storage).addDocument(.init(name: "Rye", hours: 1))
    try document.edit { $0.hours = 24 }
    let kept = try bytes(room)
    let library = try DocumentLibrary<Bread.Broken>(in: room.storage)
    var codes: [LibraryError.Code?] = []
    try library.repair { result in
      if case .failed(let error) = result.outcome { codes.append((error as? LibraryError)?.code) }
      return true
    }
    #expect(codes == [.migrationFailed])
    let error = #expect(throws: LibraryError.self) {
      try library.document(1).repairData(with: .init(name: "New", hours: 1))
    }
    #expect(error?.code == .migrationFailed)
    #expect(try bytes(room) == kept && !room.storage.names("1.bread").contains(".Data.plist.damaged"))
  }

  @Test("newer than the program keep their attachments, too", arguments: Place.allCases)
  func attachmentsOfNewer(_ place: Place) throws {
    let room = try place.room()
    let new = try DocumentLibrary<Bread.PicturedTwo>(in: room.storage)
    try new.addDocument(.init(name: "Rye"), attachments: ["photo.jpg": Data("one".utf8)])
    let document = try new.document(1)
    try document.setAttachment("photo.jpg", to: Data("two".utf8))
    try document.saveAttachments()
    let kept = try room.storage.inventory().filter { $0.key.hasPrefix("1.bread") }
    let old = try DocumentLibrary<Bread.Pictured>(in: room.storage)
    let calls: [() throws -> Void] = [
      {
        let document = try old.document(1)
        try document.setAttachment("photo.jpg", to: nil)
        try document.saveAttachments()
      }, { try old.undoLastSave(of: 1) },
      { try old.document(1).repairAttachment("photo.jpg") { _, _ in Data("three".utf8) } },
      { try old.update { $0.edit(1, attachments: ["photo.jpg": nil]) { _ in } } },
    ]
    for (index, call) in calls.enumerated() {
      let error = #expect(throws: LibraryError.self, "\(index)") { try call() }
      #expect(error?.code == .newerVersion, "\(index)")
    }
    #expect(try room.storage.inventory().filter { $0.key.hasPrefix("1.bread") } == kept)
    // Other unreadable data do not prevent a change of the images.
    try room.storage.removeFile("1.bread" / "Data.plist")
    try room.storage.plant("1.bread" / "Data.plist", Data("damaged".utf8))
    let damaged = try old.document(1)
    try damaged.setAttachment("photo.jpg", to: Data("four".utf8))
    try damaged.saveAttachments()
    #expect(try room.storage.bytes("1.bread" / "photo.jpg") == Data("four".utf8))
  }

  @Test("lower than that of a migration are an error when the library is opened")
  func forgotten() throws {
    let error = try #require(throws: LibraryError.self) { try DocumentLibrary<Bread.Forgotten>(in: MemoryStorage()) }
    #expect(error.code == .migrationFailed && error.detail.contains("version 3") && error.detail.contains("is 2"))
    #expect(error.remedy?.contains("static let version = 3") == true)
  }

  @Test("are migrated in files by the library, once", arguments: Place.allCases)
  func wholeLibrary(_ place: Place) throws {
    let room = try first(place)
    let library = try DocumentLibrary<Bread.Three>(in: room.storage)
    try library.addDocument(.init(title: "New", minutes: 1))
    let old = try bytes(room)
    func run(dryRun: Bool = false) throws -> [String] {
      var outcomes: [String] = []
      try library.migrate(dryRun: dryRun) { result in
        outcomes.append("\(result.number) \(result.outcome) \(result.layout ?? "")")
        return true
      }
      return outcomes
    }
    #expect(try run(dryRun: true) == ["1 migrated version 1", "2 alreadyCurrent secure"])
    #expect(try bytes(room) == old)
    #expect(try run() == ["1 migrated version 1", "2 alreadyCurrent secure"])
    #expect(try run() == ["1 alreadyCurrent secure", "2 alreadyCurrent secure"])
    #expect(try archive(room)["documentVersion"].number?.integer == 3)
    #expect(try Set(archive(room).root.keys) == ["title", "minutes", "baker"])
    #expect(try library.document(1).data == Bread.Three(title: "Rye", minutes: 90))
  }

  @Test("work with models that archive themselves")
  func ownArchiving() throws {
    let room = try first()
    let library = try DocumentLibrary<Bread.Own>(in: room.storage)
    #expect(try library.document(1).data == Bread.Own(title: "Rye"))
    try library.document(1).edit { $0.title = "Oat" }
    #expect(try archive(room)["documentVersion"].number?.integer == 2)
    #expect(try Set(archive(room).root.keys) == ["title", "hours", "baker"])
    #expect(try library.document(1).stored?.isCurrent == true)
  }

  @Test("stay old or become new when the process ends", arguments: [true, false])
  func death(_ edits: Bool) throws {
    for step in 0..<400 {
      let room = try first()
      let old = try bytes(room)
      let storage = FaultyStorage(room.storage)
      let library = try DocumentLibrary<Bread.Three>(in: storage)
      storage.set(.dies(at: step))
      if edits {
        _ = try? library.document(1).edit { $0.flour = "dark" }
      } else {
        _ = try? library.migrate { _ in true }
      }
      let reopened = try DocumentLibrary<Bread.Three>(in: room.storage)
      let found = try bytes(room)
      let isNew = try KeyedArchive(found)["documentVersion"].number?.integer == 3
      #expect(isNew || found == old, "step \(step)")
      #expect(
        try reopened.document(1).data == Bread.Three(title: "Rye", minutes: 90, flour: isNew && edits ? "dark" : nil))
      #expect(try room.storage.leftovers() == [])
      if !storage.hasFailed { return #expect(isNew) }
    }
    Issue.record("the operation never came to its end")
  }
}

@Suite("Archived fields")
struct ArchivedFieldsTests {
  private struct Point: Codable, Equatable {
    var x: Int
    var label: String?
  }

  private func fields() throws -> ArchivedFields {
    let archive = try KeyedArchive(Dinner.party.archived(at: ""))
    return ArchivedFields(archive, try #require(archive.root.uid), limits: .default)
  }

  @Test("decode values as properties of a Codable type")
  func values() throws {
    let fields = try fields()
    #expect(try fields.value(String.self, forKey: "title") == "Party")
    #expect(try fields.value(Double.self, forKey: "price") == 12.5)
    #expect(try fields.value([Dinner.Guest].self, forKey: "guests") == Dinner.party.guests)
    #expect(try fields.value([String: Int].self, forKey: "seats") == ["Ann": 1])
    #expect(try fields.value(Date.self, forKey: "date") == Dinner.party.date)
    #expect(try fields.value(String.self, forKey: "missing") == nil)
  }

  private struct Nest: Codable {
    var inner: [Nest] = []

    init(levels: Int) { inner = levels == 0 ? [] : [Nest(levels: levels - 1)] }

    var levels: Int { 1 + (inner.first?.levels ?? 0) }
  }

  @Test("decode a value in a time that does not depend on the rest of the document")
  func cost() throws {
    func time(_ count: Int) throws -> Double {
      var fields = try fields()
      try fields.setValue((0..<count).map { "guest \($0)" }, forKey: "waiting")
      return try System.leastTime(of: 3) {
        let title = try fields.value(String.self, forKey: "title")
        #expect(title == "Party")
      }
    }
    let (few, many) = (try time(10), try time(20_000))
    #expect(many < 8 * few, "10 other values: \(few) s, 20,000: \(many) s")
  }

  @Test("decode values within the limits of the library")
  func limits() throws {
    func levels(_ count: Int, _ maximum: Int) throws -> Int? {
      var source = try fields()
      try source.setValue(Nest(levels: count), forKey: "nest")
      var limits = ReadLimits.default
      limits.maximumDepth = maximum
      return try ArchivedFields(source.archive, source.root, limits: limits).value(Nest.self, forKey: "nest")?.levels
    }
    #expect(try levels(10, 100) == 11)
    let error = try #require(throws: DecodingError.self) { try levels(10, 15) }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(error)")
      return
    }
    #expect((context.underlyingError as? KeyedArchiveError)?.code == .limitReached)
  }

  @Test("refuse values of another type, by key")
  func wrongType() throws {
    let fields = try fields()
    let error = try #require(throws: (any Error).self) { try fields.value(Int.self, forKey: "guests") }
    #expect("\(error)".contains("guests"), "\(error)")
  }

  @Test("set, rename and remove values")
  func changes() throws {
    var fields = try fields()
    try fields.setValue([Point(x: 1, label: "a"), Point(x: 2)], forKey: "points")
    try fields.setValue("Feast", forKey: "title")
    try fields.setValue(true, forKey: "$odd")
    try fields.setValue(Int?.none, forKey: "price")
    try fields.renameValue(forKey: "guests", to: "people")
    try fields.renameValue(forKey: "missing", to: "found")
    // A key that exists is not replaced.
    try fields.renameValue(forKey: "style", to: "title")
    try fields.removeValue(forKey: "seats")
    try fields.removeValue(forKey: "missing")
    #expect(try fields.value([Point].self, forKey: "points") == [Point(x: 1, label: "a"), Point(x: 2)])
    #expect(try fields.value(String.self, forKey: "title") == "Feast")
    #expect(try fields.value(Bool.self, forKey: "$odd") == true)
    #expect(try fields.value([Dinner.Guest].self, forKey: "people")?.count == 2)
    let archive = try KeyedArchive(fields.archive.data())
    #expect(Set(archive.root.keys) == ["title", "date", "people", "style", "points", "$$odd"])
    #expect(archive.root["title"].string == "Feast" && archive.root["points"][1]["x"].number?.integer == 2)
    try archive.validate()
  }
}
