// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import ScaryCreatures
import SystemFiles
import TestSupport
import Testing

@Suite("Tutorial API")
struct TutorialTests {
  @Test("defines all names of folders and files")
  func constants() throws {
    #expect(ScaryCreatureDatabase.privateDocumentsName == "PrivateDocuments")
    #expect(ScaryCreatureDatabase.privateDocsDir.lastPathComponent == "PrivateDocuments")
    #expect(ScaryCreatureDatabase.privateDocsDir.path.hasPrefix("/"))
    #expect(ScaryCreatureData.folderExtension == "scarycreature")
    #expect(ScaryCreatureData.dataFileName == "Data.plist")
    #expect(ScaryCreatureData.attachmentNames.prefix(2) == ["thumbImage.png", "fullImage.png"])
    #expect(ScaryCreatureData.Keys.title.rawValue == "Title")
    #expect(ScaryCreatureData.Keys.rating.rawValue == "Rating")
    #expect(ScaryCreatureData.archiveClassName == "ScaryCreatures.ScaryCreatureData")
  }

  @Test("creates the folder with its parents on request")
  func baseFolder() throws {
    let room = try CreatureRoom()
    let folder = room.folder.appending(path: "a b/ü/PrivateDocuments")
    #expect(failure { _ = try ScaryCreatureDatabase(at: folder, creating: false) } == .notFound)
    #expect(!room.exists("a b"))
    for _ in 0..<2 { #expect(try ScaryCreatureDatabase(at: folder).loadScaryCreatureDocs().isEmpty) }
    try room.plant("file", Data())
    #expect(throws: LibraryError.self) { try ScaryCreatureDatabase(at: room.folder.appending(path: "file")) }
    #expect(throws: LibraryError.self) { try ScaryCreatureDatabase(at: room.folder.appending(path: "file/below")) }
  }

  @Test("returns the path after the largest number")
  func nextPath() throws {
    let room = try CreatureRoom()
    let database = try room.database()
    func next() throws -> String { try database.nextScaryCreatureDocPath().lastPathComponent }
    #expect(try next() == "1.scarycreature")
    #expect(!room.exists("1.scarycreature"))
    let docs = try (1...3).map { try database.addCreature(title: "\($0)") }
    #expect(try next() == "4.scarycreature")
    try docs[1].deleteDoc()
    #expect(try next() == "4.scarycreature")
    try docs[2].deleteDoc()
    #expect(try next() == "2.scarycreature")
    #expect(try database.nextScaryCreatureDocPath().deletingLastPathComponent().path == room.folder.path)
  }

  @Test("reports invalid names, and reserves the numbers of files and links")
  func oddNames() throws {
    let room = try CreatureRoom()
    try room.plant("2.scarycreature/Data.plist", HandmadeCreature().data)
    for name in ["007", "+20", "-5", "99999999999999999999", "x", "", " 8", "٣"] {
      try room.plantFolder("\(name)x.scarycreature")
      if !name.isEmpty { try room.plantFolder("\(name).scarycreature") }
    }
    try room.plantFolder(".9.scarycreature")
    try room.plantFolder("30.scarybug")
    try room.plantFolder("31")
    try room.plant("25.scarycreature", Data("a file".utf8))
    try FileManager.default.createSymbolicLink(
      at: room.folder.appending(path: "26.scarycreature"), withDestinationURL: room.folder)
    try room.plantFolder("12.ScaryCreature")
    let database = try room.database()
    #expect(try database.nextScaryCreatureDocPath().lastPathComponent == "27.scarycreature")
    #expect(try database.loadScaryCreatureDocs().map(\.number) == [2, 12])
    let problems = try database.contents().problems
    #expect(problems.filter { $0.reason == .notAFolder }.map(\.name) == ["25.scarycreature"])
    #expect(problems.filter { $0.reason == .link }.map(\.name) == ["26.scarycreature"])
    #expect(problems.filter { $0.reason == .notANumber }.count == 13)
    #expect(problems.filter { $0.reason == .numberTooLarge }.map(\.name) == ["99999999999999999999.scarycreature"])
    #expect(failure { _ = try database.document(26) } == .notADocument)
    #expect(try database.addCreature(title: "New").number == 27)
  }

  @Test("throws an error after the largest number")
  func largestNumber() throws {
    let room = try CreatureRoom()
    try room.plantFolder("9223372036854775807.scarycreature")
    let database = try room.database()
    #expect(failure { _ = try database.nextScaryCreatureDocPath() } == .numbersExhausted)
    #expect(failure { try database.addCreature(title: "One more") } == .numbersExhausted)
    #expect(try database.loadScaryCreatureDocs().map(\.number?.description) == ["9223372036854775807"])
    #expect(try room.names() == ["9223372036854775807.scarycreature"])
  }

  @Test("sorts 10 after 2")
  func order() throws {
    let room = try CreatureRoom()
    for number in [10, 3, 25, 2, 12, 1] { try room.plantFolder("\(number).scarycreature") }
    #expect(try room.database().loadScaryCreatureDocs().map(\.number) == [1, 2, 3, 10, 12, 25])
  }

  @Test("never shares a folder between concurrent additions", .notHanging)
  func adders() async throws {
    let room = try CreatureRoom()
    let folder = room.folder
    let titles = try await withThrowingTaskGroup(of: [String].self) { group in
      for adder in 0..<4 {
        group.addTask {
          let database = try ScaryCreatureDatabase(at: folder)
          return try (0..<15).map { index in
            let doc = try database.addCreature(title: "\(adder)-\(index)", rating: Float(adder))
            return "\(doc.number?.description ?? "") \(adder)-\(index)"
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let docs = try room.database().loadScaryCreatureDocs()
    #expect(docs.map(\.number) == (1...60).map { DocumentNumber($0) })
    let found = try docs.map { "\($0.number?.description ?? "") \(try $0.data?.title ?? "")" }
    #expect(Set(found) == Set(titles))
  }

  @Test("lists documents without opening them")
  func lazyListing() throws {
    let room = try CreatureRoom()
    for number in 1...5 { try room.plantFolder("\(number).scarycreature/Data.plist") }
    #expect(try room.database().loadScaryCreatureDocs().count == 5)
  }

  @Test("assigns a path on the first save, and keeps it")
  func firstSave() throws {
    let room = try CreatureRoom()
    let doc = ScaryCreatureDoc(title: "New Creature", rating: 0, in: try room.database())
    #expect(doc.docPath == nil)
    #expect(doc.number == nil)
    #expect(try doc.data == ScaryCreatureData(title: "New Creature", rating: 0))
    #expect(try doc.thumbImage == nil)
    #expect(try doc.fullImage == nil)
    #expect(try room.names().isEmpty)
    let path = try #require(try doc.createDataPath())
    #expect(path.lastPathComponent == "1.scarycreature")
    #expect(doc.docPath == path)
    try room.database().addCreature(title: "Another")
    try doc.setTitle("Ghost")
    try doc.saveData()
    try doc.saveImages()
    #expect(try doc.createDataPath() == path)
    #expect(doc.docPath == path)
    #expect(try room.names() == ["1.scarycreature", "2.scarycreature"])
    #expect(try room.names("1.scarycreature") == ["Data.plist"])
  }

  @Test("saves a new document with both images atomically")
  func appearsWhole() throws {
    let room = try CreatureRoom()
    let png = try SampleFiles.png(1, 2, 3)
    // A concurrent reader sees complete creatures only.
    let isDone = Locked(false)
    let folder = room.folder
    let adder = Thread {
      defer { isDone.withLock { $0 = true } }
      let database = try? ScaryCreatureDatabase(at: folder)
      for _ in 0..<25 { _ = try? database?.addCreature(title: "Ghost", rating: 5, fullImage: png) }
    }
    adder.start()
    var looks = 0
    while !isDone.withLock({ $0 }) {
      for name in try room.names() where name.hasSuffix(".scarycreature") {
        #expect(try room.names(name) == ["Data.plist", "fullImage.png", "thumbImage.png"])
        looks += 1
      }
    }
    #expect(looks > 0)
    #expect(try room.names().count == 25)
  }

  @Test("saves nothing for a document without data")
  func pathless() throws {
    let room = try CreatureRoom()
    let doc = ScaryCreatureDoc(in: try room.database(), nil)
    #expect(try doc.data == nil)
    #expect(try doc.thumbImage == nil)
    #expect(try doc.fullImage == nil)
    #expect(try doc.modified == nil)
    try doc.saveData()
    try doc.saveImages()
    try doc.save()
    #expect(try doc.createDataPath() == nil)
    #expect(failure { try doc.setTitle("x") } == .notSaved)
    #expect(try room.names().isEmpty)
    try doc.setData(ScaryCreatureData(title: "Now"))
    try doc.saveData()
    #expect(try room.names() == ["1.scarycreature"])
  }

  @Test(
    "deletes a document, and rejects later changes")
  func delete() throws {
    let room = try CreatureRoom()
    let png = try SampleFiles.png(1, 2, 3)
    let doc = try room.database().addCreature(title: "Ghost", fullImage: png)
    try room.plant("1.scarycreature/deep/er/file", Data([1]))
    try doc.deleteDoc()
    #expect(doc.isDeleted)
    #expect(try room.names().isEmpty)
    try doc.deleteDoc()
    #expect(failure { try doc.setTitle("x") } == .deleted)
    #expect(failure { try doc.setRating(1) } == .deleted)
    #expect(failure { try doc.setFullImage(png) } == .deleted)
    #expect(failure { try doc.saveData() } == .deleted)
    #expect(failure { try doc.saveImages() } == .deleted)
    #expect(failure { _ = try doc.data } == .deleted)
    #expect(try room.names().isEmpty)

    // Deleted by another process.
    let other = try room.database().addCreature(title: "Ghost")
    let same = try room.database().document(1)
    _ = try other.data
    try same.deleteDoc()
    #expect(failure { try other.setTitle("x") } == .notFound)
    try other.setFullImage(png)
    #expect(failure { try other.saveImages() } == .notFound)
    #expect(failure { try other.deleteDoc() } == .notFound)
    #expect(try room.names().isEmpty)
  }

  @Test("restores a document from the trash")
  func trash() throws {
    let room = try CreatureRoom()
    let database = try room.database()
    let png = try SampleFiles.png(1, 2, 3)
    try database.addCreature(title: "Ghost", rating: 5, fullImage: png).moveToTrash()
    #expect(try database.loadScaryCreatureDocs().isEmpty)
    let name = try #require(try database.trash().first)
    let doc = try database.restore(name)
    #expect(try doc.data == ScaryCreatureData(title: "Ghost", rating: 5))
    #expect(try doc.fullImage == png)
  }

  @Test("saves edits immediately, and writes only the data file")
  func edits() throws {
    let room = try CreatureRoom()
    let doc = try room.database().addCreature(title: "Ghost", fullImage: SampleFiles.png(1, 2, 3))
    let before = try room.files()
    try doc.setTitle("Banshee")
    #expect(try room.database().document(1).data?.title == "Banshee")
    try doc.setRating(4)
    #expect(try room.database().document(1).data == ScaryCreatureData(title: "Banshee", rating: 4))
    #expect(try doc.data == ScaryCreatureData(title: "Banshee", rating: 4))
    let after = try room.files()
    for name in ["fullImage.png", "thumbImage.png"].map({ "1.scarycreature/\($0)" }) {
      #expect(after[name] == before[name])
    }
    #expect(Set(after.keys) == Set(before.keys))
  }

  @Test("keeps the changes of two concurrent edits")
  func editsOfTwo() throws {
    let room = try CreatureRoom()
    try room.database().addCreature(title: "Ghost", rating: 1)
    let (one, other) = (try room.database().document(1), try room.database().document(1))
    _ = (try one.data, try other.data)
    try one.setTitle("Banshee")
    try other.setRating(5)
    #expect(try room.database().document(1).data == ScaryCreatureData(title: "Banshee", rating: 5))
    // Setting all values reports the conflict.
    try one.setData(ScaryCreatureData(title: "Mine", rating: 2))
    #expect(failure { try one.saveData() } == .changedElsewhere)
    #expect(try room.database().document(1).data == ScaryCreatureData(title: "Banshee", rating: 5))
    try one.saveData(overwriting: true)
    #expect(try room.database().document(1).data == ScaryCreatureData(title: "Mine", rating: 2))
  }

  @Test("caches content until it is discarded")
  func caching() throws {
    let room = try CreatureRoom()
    let png = try SampleFiles.png(1, 2, 3)
    try room.database().addCreature(title: "Ghost", fullImage: png)
    let doc = try room.database().document(1)
    #expect(try doc.data?.title == "Ghost")
    #expect(try doc.fullImage == png)
    try room.plant("1.scarycreature/Data.plist", HandmadeCreature(title: "Changed by others").data)
    try FileManager.default.removeItem(at: room.folder.appending(path: "1.scarycreature/fullImage.png"))
    #expect(try doc.data?.title == "Ghost")
    #expect(try doc.fullImage == png)
    doc.discardCache()
    #expect(try doc.data?.title == "Changed by others")
    #expect(try doc.fullImage == nil)
    // Unsaved values remain.
    try doc.setFullImage(png)
    doc.discardCache()
    #expect(try doc.fullImage == png)
    doc.revert()
    #expect(try doc.fullImage == nil)
  }

  /// With smaller images; the test `fullSize` of ``SampleCreatureTests`` has the size of the real ones.
  @Test("adds the seven samples only on request")
  func samples() throws {
    let room = try CreatureRoom()
    for _ in 0..<2 { #expect(try room.database().loadScaryCreatureDocs().isEmpty) }
    try SampleCreature.$imageSide.withValue(250) { _ = try room.database().addSamples() }
    for _ in 0..<2 {
      let docs = try room.database().loadScaryCreatureDocs()
      #expect(
        try docs.compactMap { try $0.data?.title } == [
          "Ghost", "Monster", "Panda", "Red Bug", "Slug", "Spider", "Yeti",
        ])
      #expect(try docs.compactMap { try $0.data?.rating } == [5, 5, 1, 3, 4, 3, 3])
      #expect(try docs.map { HandmadePNG.size(try $0.fullImage) } == Array(repeating: [250, 250], count: 7))
      #expect(try docs.map { HandmadePNG.size(try $0.thumbImage) } == Array(repeating: [214, 214], count: 7))
    }
  }

  @Test("follows no symbolic links to folders and data files")
  func links() throws {
    let (room, outside) = (try CreatureRoom(), try CreatureRoom())
    try outside.plant("1.scarycreature/Data.plist", HandmadeCreature(title: "Secret").data)
    let before = try outside.files()
    try FileManager.default.createSymbolicLink(
      at: room.folder.appending(path: "1.scarycreature"),
      withDestinationURL: outside.folder.appending(path: "1.scarycreature"))
    try room.plantFolder("2.scarycreature")
    try FileManager.default.createSymbolicLink(
      at: room.folder.appending(path: "2.scarycreature/Data.plist"),
      withDestinationURL: outside.folder.appending(path: "1.scarycreature/Data.plist"))
    let database = try room.database()
    #expect(try database.loadScaryCreatureDocs().map(\.number) == [2])
    #expect(failure { _ = try database.document(1) } == .notADocument)
    #expect(failure { _ = try database.document(2).data } == .notADocument)
    try database.migrate { result in
      if case .failed = result.outcome {} else { Issue.record("a link was migrated") }
      return true
    }
    try database.document(2).deleteDoc()
    #expect(try outside.files() == before)
  }
}
