// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import Testing

/// The places that every test of behaviour runs in.
enum Place: String, CaseIterable, CustomTestStringConvertible {
  case memory, disk

  var testDescription: String { rawValue }

  func room() throws -> Room { try Room(self) }
}

/// The folder that holds all folders of these tests; removed when the process ends.
private let allRooms: URL = {
  // In memory where there is such a place: flushing to a real disk would take most of the time.
  let memory = URL(filePath: "/dev/shm")
  let parent =
    FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
  let folder = parent.appending(path: "recipes-\(UUID().uuidString)")
  atexit { try? FileManager.default.removeItem(at: allRooms) }
  return folder
}()

/// A place with a library in it, and means to put things there behind the library's back.
final class Room {
  let place: Place
  let storage: any DocumentStorage
  /// The folder on the disk.
  let folder: URL

  init(_ place: Place) throws {
    self.place = place
    folder = allRooms.appending(path: UUID().uuidString)
    switch place {
    case .memory: storage = MemoryStorage()
    case .disk:
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      storage = DiskStorage(folder)
    }
  }

  func library(limits: LibraryLimits = .default) throws -> DocumentLibrary<Recipe> {
    try DocumentLibrary<Recipe>(in: storage, limits: limits)
  }

  /// A library with documents of these numbers, each called after its own.
  func library(_ numbers: Int...) throws -> DocumentLibrary<Recipe> {
    for number in numbers { try plant(StorageName("\(number).recipe"), "Recipe \(number)") }
    return try library()
  }

  /// Puts a document's folder there.
  func plant(_ folder: StorageName, _ name: String, photo: String? = nil) throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Recipe(name), requiringSecureCoding: true)
    try plant(folder, data: data)
    if let photo { try storage.plant(.root / folder / "photo.jpg", Data(photo.utf8)) }
  }

  /// Puts a document's folder there, with this data file.
  func plant(_ folder: StorageName, data: Data) throws {
    try storage.makeFolder(.root / folder)
    try storage.plant(.root / folder / "Data.plist", data)
  }

  func plantLink(_ path: StoragePath, to target: String) throws {
    if let memory = storage as? MemoryStorage {
      try memory.makeLink(path)
    } else {
      try FileManager.default.createSymbolicLink(
        atPath: storage.url(of: path).path, withDestinationPath: target)
    }
  }
}

extension DocumentStorage {
  /// Puts a file there.
  func plant(_ path: StoragePath, _ bytes: Data) throws {
    try StorageSteps(storage: self).write(bytes, to: path)
  }

  func bytes(_ path: StoragePath) throws -> Data? { try StorageSteps(storage: self).read(path, limit: .max) }

  func names(_ folder: StoragePath) throws -> [String] {
    try StorageSteps(storage: self).entries(of: folder).map(\.name.description)
  }

  /// What is left in the work folder.
  func leftovers() throws -> [String] {
    try names(.root).contains(".work") ? names(".work") : []
  }
}
