// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Unknown keys")
struct UnknownKeyTests {
  typealias Entry = KeyedArchive.Entry

  /// A recipe of a newer version, with unknown keys.
  private func newerArchive() throws -> KeyedArchive {
    var archive = try KeyedArchive(
      KeyedArchiver.archivedData(withRootObject: Recipe("Soup", ["Boil"]), requiringSecureCoding: true))
    let root = try #require(archive.root.uid)
    let dish = try archive.addClass(ClassDescription(name: "Kitchen.Dish", chain: ["Kitchen.Dish", "NSObject"]))
    let text = try archive.addObject(.primitive(.string("blue")))
    let plate = try archive.addObject(.null)
    let bowl = try archive.addObject(
      .instance(class: dish, [Entry("colour", .reference(text)), Entry("beside", .reference(plate))]))
    // A cycle, a reference to the recipe, and a shared object.
    try archive.setObject(
      plate,
      to: .instance(
        class: dish,
        [
          Entry("colour", .reference(text)), Entry("beside", .reference(bowl)), Entry("of", .reference(root)),
          Entry("none", .reference(ArchiveUID(rawValue: 0))), Entry("flat", .boolean(true)),
          Entry("width", .double(24.5)),
        ]))
    try archive.setValue(.reference(bowl), forKey: "Bowl", of: root)
    try archive.setValue(.array([.reference(plate), .reference(bowl)]), forKey: "Dishes", of: root)
    try archive.setValue(.integer(4), forKey: "Persons", of: root)
    try archive.setTopValue(.reference(bowl), forKey: "favourite")
    try archive.setTopValue(.integer(3), forKey: "version")
    return archive
  }

  private func check(_ archive: KeyedArchive, name: String) throws {
    let root = archive.root
    #expect(root["Name"].string == name)
    #expect(root["Persons"].number?.integer == 4)
    let (bowl, plate) = (root["Bowl"], root["Bowl"]["beside"])
    #expect(bowl.className == "Kitchen.Dish")
    #expect(bowl.classDescription?.chain == ["Kitchen.Dish", "NSObject"])
    #expect(bowl["colour"].string == "blue")
    #expect(bowl["colour"].uid == plate["colour"].uid)
    #expect(plate["beside"].uid == bowl.uid)
    #expect(plate["of"].uid == root.uid)
    #expect(plate["none"].isNull)
    #expect(plate["width"].number?.real == 24.5)
    guard
      case .array(let dishes)? = try root.uid.flatMap({ uid -> KeyedArchive.StoredValue? in
        guard case .instance(_, let entries) = try archive.object(uid) else { return nil }
        return entries.first { $0.key == "Dishes" }?.value
      })
    else {
      Issue.record("no list")
      return
    }
    #expect(dishes == [.reference(try #require(plate.uid)), .reference(try #require(bowl.uid))])
    #expect(archive["favourite"].uid == bowl.uid)
    #expect(Set(archive.topKeys) == ["root", "favourite", "version"])
    #expect(Set(root.keys) == ["Name", "Steps", "Bowl", "Dishes", "Persons"])
  }

  /// A recipe of a newer version with an unknown list of many objects, each of which has the same list.
  private func sharedArchive(_ count: Int) -> Data {
    var file = ArchiveFile()
    let recipe = file.classUID(Recipe.archiveClassName, "NSObject")
    let array = file.classUID("NSArray", "NSObject")
    let dish = file.classUID("Dish", "NSObject")
    let name = file.reference(file.object(row: file.text("Soup")))
    let steps = file.reference(file.object(row: file.fields(array, [("NS.objects", file.row(.array([])))])))
    // The dishes follow the steps.
    let list = file.row(.array((0..<count).map { file.reference(dish + 3 + $0) }))
    let fields = file.fields(dish, [("x", list)])
    for _ in 0..<count { _ = file.object(row: fields) }
    return file.data(root: file.object(row: file.fields(recipe, [("Name", name), ("Steps", steps), ("x", list)])))
  }

  // Each original once had a budget of its own.
  @Test("whose copy would take too much memory are an error, and the file stays", arguments: [20, 3000])
  func expansion(count: Int) throws {
    let room = try Place.memory.room()
    try room.plant("1.recipe", data: sharedArchive(count))
    let document = try room.library().document(1)
    if count == 20 {
      try document.edit { $0.name = "Stew" }
      let stored = try KeyedArchive(try #require(try room.storage.bytes("1.recipe" / "Data.plist")))
      #expect(stored.root["Name"].string == "Stew")
      #expect(stored.root["x"].array?.count == count && stored.root["x"].array?.last?["x"].array?.count == count)
    } else {
      #expect(throws: (any Error).self) { try document.edit { $0.name = "Stew" } }
      #expect(try room.library().document(1).data?.name == "Soup")
    }
  }

  @Test("remain with each value if a file has a key twice, in the document and in an object that only they lead to")
  func repeatedKeys() throws {
    var archive = try KeyedArchive(
      KeyedArchiver.archivedData(withRootObject: Recipe("Soup"), requiringSecureCoding: true))
    let root = try #require(archive.root.uid)
    let dish = try archive.addClass(ClassDescription(name: "Dish", chain: ["Dish", "NSObject"]))
    let bowl = try archive.addObject(.null)
    let colors = [1, 2].map { Entry("colour", .integer($0)) }
    try archive.setStoredObject(bowl, to: .instance(class: dish, colors))
    guard case .instance(let record, let entries) = try archive.object(root) else {
      Issue.record("no recipe")
      return
    }
    let unknown = [Entry("Bowl", .reference(bowl))] + colors
    try archive.setStoredObject(root, to: .instance(class: record, entries + unknown))
    let room = try Place.memory.room()
    try room.plant("1.recipe", data: archive.data())
    try room.library().document(1).edit { $0.name = "Stew" }
    let stored = try KeyedArchive(try #require(try room.storage.bytes("1.recipe" / "Data.plist")))
    #expect(stored.root["Name"].string == "Stew")
    for uid in [stored.root.uid, stored.root["Bowl"].uid] {
      guard case .instance(_, let entries) = try stored.object(try #require(uid)) else {
        Issue.record("no object")
        continue
      }
      #expect(entries.filter { $0.key == "colour" }.map(\.value) == [.integer(1), .integer(2)])
    }
  }

  @Test("may be many", .notHanging)
  func many() throws {
    var archive = try KeyedArchive(
      KeyedArchiver.archivedData(withRootObject: Recipe("Soup"), requiringSecureCoding: true))
    let root = try #require(archive.root.uid)
    guard case .instance(let record, let entries) = try archive.object(root) else {
      Issue.record("no recipe")
      return
    }
    let unknown = (0..<20_000).map { Entry("key \($0)", .integer(Int64($0))) }
    try archive.setObject(root, to: .instance(class: record, entries + unknown))
    let room = try Place.memory.room()
    try room.plant("1.recipe", data: archive.data())
    try room.library().document(1).edit { $0.name = "Stew" }
    let stored = try KeyedArchive(try #require(try room.storage.bytes("1.recipe" / "Data.plist")))
    #expect(stored.root["Name"].string == "Stew")
    #expect(stored.root.keys.count == 20_002)
    #expect(stored.root["key 19999"].number?.integer == 19_999)
  }

  @Test("remain after any number of saves", arguments: Place.allCases)
  func kept(_ place: Place) throws {
    let room = try place.room()
    let original = try newerArchive()
    try check(original, name: "Soup")
    try room.plant("1.recipe", data: original.data())
    let document = try room.library().document(1)
    #expect(try document.data == Recipe("Soup", ["Boil"]))
    func stored() throws -> KeyedArchive {
      try KeyedArchive(try #require(try room.storage.bytes("1.recipe" / "Data.plist")))
    }
    try document.edit { $0.name = "Stew" }
    try check(stored(), name: "Stew")
    let count = try stored().objectCount
    try document.setData(Recipe("Goulash", ["Cut", "Fry"]))
    try document.setAttachment("photo.jpg", to: Data())
    try document.save()
    try check(stored(), name: "Goulash")
    for round in 0..<5 { try document.edit { $0.name = "\(round)" } }
    try check(stored(), name: "4")
    // Repeated saves do not enlarge the file.
    #expect(try stored().objectCount <= count + 2)
    #expect(try room.library().document(1).data == Recipe("4", ["Cut", "Fry"]))
  }

  @Test("do not include former keys with a successor", arguments: Place.allCases)
  func formerKeys(_ place: Place) throws {
    let room = try place.room()
    var archive = try KeyedArchive(
      KeyedArchiver.archivedData(withRootObject: Recipe("Soup"), requiringSecureCoding: true))
    let root = try #require(archive.root.uid)
    let name = try archive.addObject(.primitive(.string("Old soup")))
    try archive.setValue(.reference(name), forKey: "Title", of: root)
    // If the file has both keys, the old one is unknown content and remains.
    try room.plant("1.recipe", data: archive.data())
    try archive.setValue(nil, forKey: "Name", of: root)
    try room.plant("2.recipe", data: archive.data())
    let library = try room.library()
    #expect(try library.documents().map { try $0.data?.name } == ["Soup", "Old soup"])
    for document in try library.documents() { try document.edit { $0.steps = ["Stir"] } }
    func keys(_ folder: StorageName) throws -> Set<String> {
      Set(try KeyedArchive(try #require(try room.storage.bytes(.root / folder / "Data.plist"))).root.keys)
    }
    #expect(try keys("1.recipe") == ["Name", "Steps", "Title"])
    #expect(try keys("2.recipe") == ["Name", "Steps"])
    #expect(try library.documents().map { try $0.data?.name } == ["Soup", "Old soup"])
  }
}
