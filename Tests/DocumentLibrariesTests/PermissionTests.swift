// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import SystemFiles
import Testing

@Suite("Permissions of documents")
struct PermissionTests {
  /// The permissions of the entries of a document's folder, and of the folder, as Foundation finds them.
  private func modes(_ room: Room) throws -> [String: Int] {
    let folder = room.folder.appending(path: "1.recipe")
    var modes: [String: Int] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) + ["."] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
      modes[name] = (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
    return modes
  }

  private func setModes(_ room: Room, folder: Int, file: Int) throws {
    let root = room.folder.appending(path: "1.recipe")
    for name in try modes(room).keys {
      let path = root.appending(path: name).path
      var isFolder: ObjCBool = false
      guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { continue }
      try FileManager.default.setAttributes(
        [.posixPermissions: isFolder.boolValue ? folder : file], ofItemAtPath: path)
    }
  }

  /// The changes of a document that replace its files or its folder.
  enum Change: CaseIterable { case values, attachment, both, added, undo, repair, update, updateOfBoth }

  private func make(_ change: Change, _ document: Document<Recipe>, _ library: DocumentLibrary<Recipe>) throws {
    switch change {
    case .values: try document.edit { $0.name = "three" }
    case .attachment:
      try document.setAttachment("photo.jpg", to: Data("r".utf8))
      try document.saveAttachments()
    case .both: try document.edit(attachments: ["photo.jpg": Data("r".utf8)]) { $0.name = "three" }
    case .added: try document.edit(attachments: ["thumb.png": Data("t".utf8)]) { $0.name = "three" }
    case .undo: try document.undoLastSave()
    case .repair: try library.repair([1]) { _ in true }
    case .update: try library.update { $0.edit(1) { $0.name = "three" } }
    case .updateOfBoth: try library.update { $0.edit(1, attachments: ["photo.jpg": nil]) { $0.name = "three" } }
    }
  }

  @Test(
    "stay those of the replaced files and folders", arguments: Change.allCases,
    [
      (0o700, 0o600, []), (0o750, 0o640, []), (0o777, 0o666, []), (0o700, 0o444, []), (0o750, 0o640, .links),
      (0o700, 0o600, [.links, .exchanges]),
    ] as [(Int, Int, StorageAbilities)])
  func kept(_ change: Change, _ wanted: (folder: Int, file: Int, lacking: StorageAbilities)) throws {
    let room = try Place.disk.room()
    try room.plant("1.recipe", "one", photo: "p")
    try room.storage.makeFolder("1.recipe" / "notes")
    try room.storage.plant("1.recipe" / "notes" / "mine.txt", Data())
    let library = try DocumentLibrary<Recipe>(in: FaultyStorage(room.storage, .lacks(wanted.lacking)))
    let document = try library.document(1)
    try document.edit(attachments: ["photo.jpg": Data("q".utf8)]) { $0.name = "two" }
    if change == .repair {
      try room.storage.removeFile("1.recipe" / "Data.plist")
      try room.storage.plant("1.recipe" / "Data.plist", Data("damaged".utf8))
    }
    try setModes(room, folder: wanted.folder, file: wanted.file)
    try make(change, document, library)
    for (name, mode) in try modes(room) where name != "thumb.png" && !name.contains(".absent-") {
      let isFolder = name == "." || name == "notes"
      #expect(mode == (isFolder ? wanted.folder : wanted.file), "\(name)")
    }
  }

  @Test("include the owner and the group, if the system allows that", arguments: Change.allCases)
  func owner(_ change: Change) throws {
    // Only the superuser may give files away.
    guard geteuid() == 0 else { return }
    let room = try Place.disk.room()
    try room.plant("1.recipe", "one", photo: "p")
    let library = try room.library()
    let document = try library.document(1)
    try document.edit(attachments: ["photo.jpg": Data("q".utf8)]) { $0.name = "two" }
    let folder = room.folder.appending(path: "1.recipe")
    if change == .repair {
      try room.storage.removeFile("1.recipe" / "Data.plist")
      try room.storage.plant("1.recipe" / "Data.plist", Data("damaged".utf8))
    }
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) + ["."] {
      try FileManager.default.setAttributes(
        [.ownerAccountID: 1234, .groupOwnerAccountID: 4321], ofItemAtPath: folder.appending(path: path).path)
    }
    try make(change, document, library)
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) + ["."]
    where path != "thumb.png" && !path.contains(".absent-") {
      let status = try Descriptor.working.status(of: FileName(folder.appending(path: path).path))
      #expect(status.owner == 1234 && status.group == 4321, "\(path)")
    }
  }

  @Test("of a folder that its owner cannot change let the owner use the one that replaces it")
  func readOnlyFolder() throws {
    let room = try Place.disk.room()
    try room.plant("1.recipe", "one", photo: "p")
    try setModes(room, folder: 0o500, file: 0o400)
    let document = try room.library().document(1)
    do {
      try document.edit(attachments: ["photo.jpg": Data("q".utf8)]) { $0.name = "two" }
    } catch let error as LibraryError where geteuid() != 0 {
      // Linux lets only root move such a folder.
      #expect(try error.code == .noPermission && Dish(room.library().document(1)) == Dish("one", photo: "p"))
      return
    }
    let modes = try modes(room)
    #expect(modes["."] == 0o700 && modes["Data.plist"] == 0o400 && modes["photo.jpg"] == 0o400, "\(modes)")
    try document.edit { $0.name = "three" }
    #expect(try Dish(room.library().document(1)) == Dish("three", photo: "q"))
  }

  @Test("do not matter on a disk that has none", arguments: Place.allCases)
  func none(_ place: Place) throws {
    let room = try place.room()
    try room.plant("1.recipe", "one", photo: "p")
    let library = try DocumentLibrary<Recipe>(in: FaultyStorage(room.storage, .refuses(.setPermissions, .unsupported)))
    try library.document(1).edit(attachments: ["photo.jpg": Data("q".utf8)]) { $0.name = "two" }
    try library.document(1).edit { $0.name = "three" }
    try library.update { $0.edit(1, attachments: ["thumb.png": Data("t".utf8)]) { $0.name = "four" } }
    #expect(try Dish(room.library().document(1)) == Dish("four", photo: "q", thumb: "t"))
  }

  @Test("are those of the replaced file before another process can open the new one", arguments: [false, true])
  func beforeContent(_ isUpdate: Bool) throws {
    let room = try Place.disk.room()
    try room.plant("1.recipe", "one", photo: "p")
    try setModes(room, folder: 0o700, file: 0o600)
    let storage = FaultyStorage(room.storage)
    let library = try DocumentLibrary<Recipe>(in: storage)
    // The abilities are tried with files of their own.
    try library.document(1).edit(attachments: ["photo.jpg": Data("q".utf8)]) { $0.name = "two" }
    let open = Locked<[Int]>([])
    let work = room.folder.appending(path: ".work").path
    storage.beforeEachCall { call, _ in
      guard call == .write || call == .setPermissions else { return }
      for name in (try? FileManager.default.subpathsOfDirectory(atPath: work)) ?? [] {
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(work)/\(name)")
        guard attributes?[.type] as? FileAttributeType == .typeRegular, !name.hasPrefix("last-number") else { continue }
        if let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue { open.withLock { $0.append(mode) } }
      }
    }
    if isUpdate {
      try library.update { $0.edit(1, attachments: ["photo.jpg": Data("r".utf8)]) { $0.name = "three" } }
    } else {
      try library.document(1).edit(attachments: ["photo.jpg": Data("r".utf8)]) { $0.name = "three" }
    }
    let modes = open.withLock(\.self)
    #expect(!modes.isEmpty && modes.allSatisfy { $0 == 0o600 }, "\(modes)")
  }
}
