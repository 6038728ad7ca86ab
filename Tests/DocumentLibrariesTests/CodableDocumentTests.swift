// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchives
import KeyedArchiving
import Testing

/// A model that is only Codable.
struct Dinner: Codable, Equatable, DocumentModel {
  static let folderExtension = "dinner"
  static let attachmentNames = ["menu.txt"]
  static let archiveClassName = "Kitchen.Dinner"

  var title: String
  var date = Date(timeIntervalSinceReferenceDate: 700_000_000)
  var guests: [Guest] = []
  var seats: [String: Int] = [:]
  var style = Style.buffet
  var price: Double?
  var note: String?

  struct Guest: Codable, Equatable {
    var name: String
    var isVegan = false
  }

  enum Style: String, Codable { case buffet, menu }

  static let party = Dinner(
    title: "Party", guests: [Guest(name: "Ann"), Guest(name: "Bob", isVegan: true)], seats: ["Ann": 1], style: .menu,
    price: 12.5)
}

/// The same values with and without a library.
struct Menu: Codable {
  var title: String
  var guests = Dinner.party.guests
  var seats = ["Ann": 1]
  var style = Dinner.Style.menu
  var price: Double? = 2.5
  var note: String?
}

private struct MenuDocument: Codable, DocumentModel {
  static let folderExtension = "menu"
  static let archiveClassName = "DocumentLibrariesTests.Menu"
  var title: String
  var guests = Dinner.party.guests
  var seats = ["Ann": 1]
  var style = Dinner.Style.menu
  var price: Double? = 2.5
  var note: String?
}

/// A model with both conformances archives itself.
private struct Both: Codable, Equatable, DocumentModel {
  static let folderExtension = "both"
  var name: String

  init(name: String) { self.name = name }

  func encode(with coder: KeyedArchiver) { coder.encode(name, forKey: "Name") }

  init?(coder: KeyedUnarchiver) {
    guard let name = coder.decodeObject(of: String.self, forKey: "Name") else { return nil }
    self.name = name
  }
}

private struct Keyed: KeyedCodable, Equatable, DocumentModel {
  static let folderExtension = "keyed"
  var name: String
}

private enum Mood: String, Codable, DocumentModel {
  static let folderExtension = "mood"
  case happy, sad
}

private struct Unlucky: Codable, DocumentModel {
  struct Refusal: Error, CustomStringConvertible { let description = "it is Friday" }

  static let folderExtension = "unlucky"
  var name = ""

  func encode(to encoder: any Encoder) throws { throw Refusal() }
}

@Suite("Codable documents")
struct CodableDocumentTests {
  private let data: StoragePath = "1.dinner" / "Data.plist"

  private func library(_ room: Room) throws -> DocumentLibrary<Dinner> { try DocumentLibrary(in: room.storage) }

  private func archive(_ room: Room) throws -> KeyedArchive {
    try KeyedArchive(try #require(try room.storage.bytes(data)))
  }

  @Test("are saved, read and edited with their attachments", arguments: Place.allCases)
  func roundTrip(_ place: Place) throws {
    let room = try place.room()
    let menu = Data("Soup".utf8)
    let document = try library(room).addDocument(.party, attachments: ["menu.txt": menu])
    #expect(try room.storage.names("1.dinner") == ["Data.plist", "menu.txt"])
    let again = try library(room).document(1)
    #expect(try again.data == .party && again.attachment("menu.txt") == menu)
    #expect(try again.stored?.isCurrent == true && again.warnings == [])
    try again.edit { dinner in
      dinner.guests[0].isVegan = true
      dinner.price = nil
      dinner.note = "late"
    }
    document.discardCache()
    var expected = Dinner.party
    expected.guests[0].isVegan = true
    (expected.price, expected.note) = (nil, "late")
    #expect(try document.data == expected)
    try document.setData(.party)
    try document.save()
    #expect(try library(room).document(1).data == .party)
  }

  @Test("have the bytes of KeyedArchiveEncoder")
  func bytes() throws {
    let storage = MemoryStorage()
    try DocumentLibrary<MenuDocument>(in: storage).addDocument(MenuDocument(title: "Soup"))
    let bytes = try #require(try storage.bytes("1.menu" / "Data.plist"))
    #expect(try bytes == KeyedArchiveEncoder().encode(Menu(title: "Soup")))
    #expect(try KeyedArchive(bytes).topKeys == ["root"])
    #expect(try KeyedArchiveDecoder().decode(Menu.self, from: bytes).guests == Dinner.party.guests)
  }

  @Test("can be read with Foundation")
  func foundation() throws {
    final class Reader: NSObject, NSSecureCoding {
      static let supportsSecureCoding = true
      let (title, price): (NSString?, Double)
      func encode(with coder: NSCoder) {}
      init?(coder: NSCoder) {
        title = coder.decodeObject(of: NSString.self, forKey: "title")
        price = coder.decodeDouble(forKey: "price")
      }
    }
    let room = try Place.memory.room()
    try library(room).addDocument(.party)
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: try #require(try room.storage.bytes(data)))
    unarchiver.setClass(Reader.self, forClassName: "Kitchen.Dinner")
    let reader = unarchiver.decodeObject(of: Reader.self, forKey: NSKeyedArchiveRootObjectKey)
    #expect(reader?.title == "Party" && reader?.price == 12.5)
  }

  @Test("of a type that also archives itself have the type's own form")
  func bothConformances() throws {
    let storage = MemoryStorage()
    try DocumentLibrary<Both>(in: storage).addDocument(Both(name: "x"))
    let bytes = try #require(try storage.bytes("1.both" / "Data.plist"))
    #expect(try KeyedArchive(bytes).root.keys == ["Name"])
    #expect(try bytes == KeyedArchiver.archivedData(withRootObject: Both(name: "x"), requiringSecureCoding: true))
    #expect(try DocumentLibrary<Both>(in: storage).document(1).data == Both(name: "x"))
  }

  @Test("can adopt KeyedCodable")
  func keyedCodable() throws {
    let storage = MemoryStorage()
    try DocumentLibrary<Keyed>(in: storage).addDocument(Keyed(name: "x"))
    #expect(try DocumentLibrary<Keyed>(in: storage).document(1).data == Keyed(name: "x"))
  }

  @Test("keep the bytes of models that archive themselves")
  func oldModels() throws {
    let room = try Place.memory.room()
    try room.library().addDocument(Recipe("Soup", ["Boil"]))
    let known = try KeyedArchiver.archivedData(withRootObject: Recipe("Soup", ["Boil"]), requiringSecureCoding: true)
    #expect(try room.storage.bytes("1.recipe" / "Data.plist") == known)
  }

  @Test("keep unknown keys when they are saved", arguments: Place.allCases)
  func unknownKeys(_ place: Place) throws {
    let room = try place.room()
    try library(room).addDocument(.party)
    var newer = try archive(room)
    let root = try #require(newer.root.uid)
    let text = try newer.addObject(.primitive(.string("blue")))
    try newer.setValue(.reference(text), forKey: "color", of: root)
    try newer.setValue(.integer(3), forKey: "stars", of: root)
    // Some programs store nil for a key that this one omits.
    try newer.setValue(.reference(ArchiveUID(rawValue: 0)), forKey: "note", of: root)
    try room.storage.removeFile(data)
    try room.storage.plant(data, newer.data())
    let document = try library(room).document(1)
    #expect(try document.data == .party)
    try document.edit { $0.note = "new" }
    #expect(try archive(room).root["note"].string == "new")
    try document.edit { $0.price = nil }
    let saved = try archive(room).root
    #expect(saved["color"].string == "blue" && saved["stars"].number?.integer == 3)
    #expect(!saved["price"].exists && saved["note"].string == "new")
    try document.edit { $0.note = nil }
    #expect(try !archive(room).root["note"].exists)
  }

  @Test("of another class are refused, and nested objects cannot select a class")
  func allowList() throws {
    let room = try Place.memory.room()
    let bill = try KeyedArchiver.archivedData(withRootObject: Bill(), requiringSecureCoding: true)
    try room.plant("1.dinner", data: bill)
    let error = try #require(throws: LibraryError.self) { try library(room).document(1).data }
    #expect(error.code == .wrongClass && error.path.hasSuffix("1.dinner/Data.plist"))
    try room.storage.removeFile(data)
    var forged = try KeyedArchive(Dinner.party.archived(at: ""))
    let guest = try #require(forged.root["guests"][0].uid)
    let record = try forged.addClass(ClassDescription(name: "Kitchen.Bill", chain: ["Kitchen.Bill", "NSObject"]))
    try forged.setValue(.reference(record), forKey: "$class", of: guest)
    try room.storage.plant(data, forged.data())
    let nested = try #require(throws: LibraryError.self) { try library(room).document(1).data }
    #expect([.wrongClass, .unreadableArchive].contains(nested.code) && nested.detail.contains("Kitchen.Bill"))
  }

  @Test("without a required key are an error that names the document, the key and the remedy")
  func missingKey() throws {
    let room = try Place.memory.room()
    try library(room).addDocument(.party)
    var older = try archive(room)
    try older.setValue(nil, forKey: "seats", of: try #require(older.root.uid))
    try room.storage.removeFile(data)
    try room.storage.plant(data, older.data())
    let document = try library(room).document(1)
    let error = try #require(throws: LibraryError.self) { try document.data }
    #expect(error.code == .unreadableArchive && error.path.hasSuffix("1.dinner/Data.plist"))
    #expect(error.detail.contains("seats"), "\(error)")
    #expect(error.remedy?.contains("declare it as an optional, or add a DocumentMigration") == true, "\(error)")
    #expect(throws: LibraryError.self) { try document.edit { $0.title = "x" } }
    #expect(try room.storage.bytes(data) == older.data())
  }

  @Test("with a value of another type are an error that names the document and the key")
  func wrongType() throws {
    let room = try Place.memory.room()
    try library(room).addDocument(.party)
    var wrong = try archive(room)
    try wrong.setValue(.boolean(true), forKey: "title", of: try #require(wrong.root.uid))
    try room.storage.removeFile(data)
    try room.storage.plant(data, wrong.data())
    let error = try #require(throws: LibraryError.self) { try library(room).document(1).data }
    #expect(error.code == .unreadableArchive && error.detail.contains("title") && error.remedy != nil, "\(error)")
  }

  @Test("that are single values, or cannot be encoded, are not saved")
  func notEncodable() throws {
    let moods = try DocumentLibrary<Mood>(in: MemoryStorage())
    let error = try #require(throws: LibraryError.self) { try moods.addDocument(.happy) }
    #expect(error.code == .invalidValue && error.detail.contains("Mood") && error.path == moods.folder.path)
    #expect(try moods.contents().numbers == [])
    let unlucky = try DocumentLibrary<Unlucky>(in: MemoryStorage())
    let refusal = try #require(throws: LibraryError.self) { try unlucky.addDocument(Unlucky()) }
    #expect(refusal.code == .invalidValue && refusal.detail.contains("it is Friday"), "\(refusal)")
    #expect(try unlucky.contents().numbers == [])
  }
}
