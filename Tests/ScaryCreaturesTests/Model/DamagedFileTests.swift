// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import ScaryCreatures
import SystemFiles
import TestSupport
import Testing

/// A canary: a class that a creature's file must not instantiate. It counts its instances.
private final class Canary: SecureKeyedCoding {
  static let archiveClassName = "Canary"
  static let count = Locked(0)
  init() {}
  func encode(with coder: KeyedArchiver) { coder.encode("tweet", forKey: "Song") }
  init?(coder: KeyedUnarchiver) { Self.count.withLock { $0 += 1 } }
}

@Suite("Invalid creature files", .serialized)
struct DamagedFileTests {
  /// The error of reading creature 1 of a library.
  private func code(_ file: Data) throws -> LibraryError.Code? {
    let room = try CreatureRoom()
    try room.plant("1.scarycreature/Data.plist", file)
    try room.plant("2.scarycreature/Data.plist", HandmadeCreature().data)
    let docs = try room.database().loadScaryCreatureDocs()
    #expect(docs.count == 2)
    // Other documents stay readable.
    #expect(try docs[1].data?.title == "Ghost")
    let error = #expect(throws: LibraryError.self) { try docs[0].data }
    #expect(error?.path.hasSuffix("1.scarycreature/Data.plist") == true)
    #expect(try room.bytes("1.scarycreature/Data.plist") == file)
    return error?.code
  }

  @Test("are distinguished by error codes")
  func kinds() throws {
    #expect(try code(Data()) == .unreadableArchive)
    #expect(try code(Data("hello".utf8)) == .unreadableArchive)
    #expect(try code(HandmadeList.dictionary([("Title", "Ghost")]).binary) == .unreadableArchive)
    #expect(try code(HandmadeCreature().named("NSDate").data) == .wrongClass)
    #expect(try code(HandmadeCreature().named("ScaryCreatures.ScaryCreatureDoc").data) == .wrongClass)
    #expect(try code(HandmadeCreature().named("").data) == .wrongClass)
    #expect(try code(HandmadeCreature(topKey: "other").data) == .unreadableArchive)
    #expect(try code(HandmadeCreature(titleKey: "Name").data) == .unreadableArchive)
    #expect(try code(HandmadeList.archive(["Ghost"])) == .unreadableArchive)
    #expect(try code(HandmadeList.archive([], top: [("root", .uid(0))])) == .unreadableArchive)
    #expect(try code(HandmadeList.archive([], top: [("root", .uid(99))])) == .unreadableArchive)
    #expect(try code(HandmadeList.archive([], top: [("root", "Ghost")])) == .unreadableArchive)

    let room = try CreatureRoom()
    try room.plantFolder("1.scarycreature")
    #expect(failure { _ = try room.database().document(1).data } == .missingDataFile)
    try room.plantFolder("2.scarycreature/Data.plist")
    #expect(failure { _ = try room.database().document(2).data } == .cannotRead)
    #expect(failure { _ = try room.database().document(3) } == .notFound)
  }

  @Test("are rejected when truncated at any byte", arguments: [false, true])
  func truncated(_ isXML: Bool) throws {
    let room = try CreatureRoom()
    try room.database().addCreature(title: "Kreatür", rating: 2.5)
    let file =
      isXML
      ? HandmadeCreature.xml(title: "Ghost", rating: "<real>5</real>", isInline: false)
      : try room.bytes("1.scarycreature/Data.plist")
    for count in Sample.cases(0..<file.count, each: 5) {
      #expect(throws: KeyedArchiveError.self, "\(count) bytes") {
        try ScaryCreatureData.stored(in: file.prefix(count), limits: .default)
      }
    }
    #expect(throws: Never.self) { try ScaryCreatureData.stored(in: file, limits: .default) }
    #expect(try code(file.dropLast()) == .unreadableArchive)
  }

  @Test("never crash with any byte changed")
  func changedBytes() throws {
    let file = HandmadeCreature().data
    for index in Sample.cases(0..<file.count, each: 5) {
      for byte in [0, 0xFF, file[index] ^ 1, file[index] ^ 0x80] as [UInt8] {
        var changed = file
        changed[index] = byte
        _ = try? ScaryCreatureData.stored(in: changed, limits: .default)
      }
    }
  }

  @Test("never instantiate another class")
  func canary() throws {
    let bird: [HandmadeList] = [
      ["Song": .uid(7), "$class": .uid(6)], HandmadeList.classRecord("Canary", "NSObject"), "tweet",
    ]
    // As the top-level value, the title, the rating, and an unknown value.
    let whole = try KeyedArchiver.archivedData(withRootObject: Canary(), requiringSecureCoding: true)
    var title = HandmadeCreature(objects: bird)
    title.titleKey = "Song"
    title.entries = [("Title", .uid(5))]
    let rating = HandmadeCreature(rating: nil, entries: [("Rating", .uid(5))], objects: bird)
    let beside = HandmadeCreature(entries: [("Pet", .uid(5))], objects: bird)
    #expect(try code(whole) == .wrongClass)
    #expect(try code(title.data) == .unreadableArchive)
    #expect(try code(rating.data) == .unreadableArchive)
    let room = try CreatureRoom()
    try room.plant("1.scarycreature/Data.plist", beside.data)
    let doc = try room.database().document(1)
    #expect(try doc.data?.title == "Ghost")
    try doc.setTitle("Owner")
    let archive = try KeyedArchive(room.bytes("1.scarycreature/Data.plist"))
    #expect(archive.root["Pet"].className == "Canary")
    #expect(archive.root["Pet"]["Song"].string == "tweet")
    #expect(Canary.count.withLock { $0 } == 0)
    // The canary counts if it is requested.
    _ = try KeyedUnarchiver.unarchivedObject(ofClass: Canary.self, from: whole)
    #expect(Canary.count.withLock { $0 } == 1)
  }

  @Test("are rejected over the limits")
  func limits() throws {
    let room = try CreatureRoom()
    try room.plant("1.scarycreature/Data.plist", HandmadeCreature(title: String(repeating: "x", count: 5000)).data)
    let database = try ScaryCreatureDatabase(at: room.folder, limits: LibraryLimits(maximumDataByteCount: 4096))
    #expect(failure { _ = try database.document(1).data } == .limitReached)
  }

  @Test("are overwritten only on request")
  func overwriting() throws {
    let room = try CreatureRoom()
    try room.plant("1.scarycreature/Data.plist", Data("damaged".utf8))
    let doc = try room.database().document(1)
    try doc.setData(ScaryCreatureData(title: "Again", rating: 1))
    #expect(failure { try doc.saveData() } == .unreadableArchive)
    #expect(try room.bytes("1.scarycreature/Data.plist") == Data("damaged".utf8))
    try doc.saveData(overwriting: true)
    #expect(try room.database().document(1).data?.title == "Again")
  }
}
