// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import Testing

/// A library with valid and damaged documents, unknown files, subfolders and a trash.
enum Wreck {
  static func room(_ place: Place) throws -> Room {
    let room = try place.room()
    let storage = room.storage
    // Trashed twice, so that the second has a suffix.
    for name in ["first", "second"] {
      try room.plant("6.recipe", name)
      try room.library().document(6).moveToTrash()
    }
    try storage.setModified(".trash" / "6.recipe", to: StorageDate(seconds: 1_262_304_001))
    try room.plant("1.recipe", "Soup", photo: "photo")
    try room.plant("2.recipe", data: Data("no archive".utf8))
    try storage.plant("2.recipe" / "photo.jpg", Data("sound".utf8))
    try storage.makeFolder("3.recipe")
    try storage.plant("3.recipe" / "photo.jpg", Data("alone".utf8))
    try storage.makeFolder("4.recipe")
    try room.plant("5.recipe", "Cake")
    try storage.plant("5.recipe" / ".hidden", Data("h".utf8))
    try storage.plant("5.recipe" / "empty", Data())
    try storage.makeFolder("5.recipe" / "notes")
    try storage.makeFolder("5.recipe" / "notes" / "Übung 👻")
    try storage.plant("5.recipe" / "notes" / "Übung 👻" / "mine.txt", Data("mine".utf8))
    try storage.makeFolder("5.recipe" / "nothing")
    try room.plant("007.recipe", "not a number")
    try storage.plant("9.recipe", Data("a file".utf8))
    try storage.plant("readme.txt", Data("read me".utf8))
    try storage.setModified("readme.txt", to: StorageDate(seconds: 1_600_000_001, nanoseconds: 5))
    return room
  }

  /// A library with one of each: a valid and a damaged document, a subfolder, another file, a document in the trash.
  static func small(_ place: Place) throws -> Room {
    let room = try place.room()
    try room.plant("6.recipe", "trashed")
    try room.library().document(6).moveToTrash()
    try room.plant("2.recipe", data: Data("no archive".utf8))
    try room.plant("5.recipe", "Cake")
    try room.storage.makeFolder("5.recipe" / "notes")
    try room.storage.plant("5.recipe" / "notes" / "mine.txt", Data("mine".utf8))
    try room.storage.makeFolder("5.recipe" / "nothing")
    try room.storage.plant("readme.txt", Data("read me".utf8))
    return room
  }

  /// The paths of the damaged entries.
  static let damaged = ["2.recipe/Data.plist", "3.recipe", "4.recipe"]
}

extension DocumentStorage {
  /// The content of all files, and nil for each folder, by path. The work folder is left out.
  func content() throws -> [String: Data?] {
    try inventory().filter { $0.key != "." && !$0.key.hasPrefix(".work") }.mapValues(\.bytes)
  }
}

extension DocumentLibrary {
  /// Makes a backup, and returns it with its problems.
  func backup() throws -> (file: Data, problems: [BackupProblem]) {
    var file = Data()
    var problems: [BackupProblem] = []
    try backUp(to: { file += $0 }, report: { problems.append($0) })
    return (file, problems)
  }
}
