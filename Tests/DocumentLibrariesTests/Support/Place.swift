// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import Testing

/// The storages in which tests of behavior run.
enum Place: String, CaseIterable, CustomTestStringConvertible {
  case memory, disk

  var testDescription: String { rawValue }

  func room() throws -> Room { try Room(self) }
}

/// The parent of all folders of these tests, removed when the process ends.
private let allRooms: URL = {
  // In memory if possible, because flushes to a real disk would dominate the time.
  let memory = URL(filePath: "/dev/shm")
  let parent =
    FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
  let folder = parent.appending(path: "recipes-\(UUID().uuidString)")
  atexit { try? FileManager.default.removeItem(at: allRooms) }
  return folder
}()

/// A storage with a library, which tests can also change directly.
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

  /// A library with documents of these numbers, named after them.
  func library(_ numbers: Int..., limits: LibraryLimits = .default) throws -> DocumentLibrary<Recipe> {
    for number in numbers { try plant(StorageName("\(number).recipe"), "Recipe \(number)") }
    return try DocumentLibrary<Recipe>(in: storage, limits: limits)
  }

  /// Creates a document's folder.
  func plant(_ folder: StorageName, _ name: String, photo: String? = nil) throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Recipe(name), requiringSecureCoding: true)
    try plant(folder, data: data)
    if let photo { try storage.plant(.root / folder / "photo.jpg", Data(photo.utf8)) }
  }

  /// Creates a document's folder with this data file.
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
  /// Creates a file.
  func plant(_ path: StoragePath, _ bytes: Data) throws {
    try StorageSteps(storage: self).write(bytes, to: path)
  }

  func bytes(_ path: StoragePath) throws -> Data? { try StorageSteps(storage: self).read(path, limit: .max) }

  func names(_ folder: StoragePath) throws -> [String] {
    try StorageSteps(storage: self).entries(of: folder).map(\.name.description)
  }

  /// The entries of a document's folder, without what its last save replaced.
  func files(_ folder: StoragePath) throws -> [String] {
    try names(folder).filter { FormerFileName(StorageName($0)) == nil }
  }

  /// The entries of the work folder.
  func leftovers() throws -> [String] {
    try names(.root).contains(".work") ? names(".work").filter { !WorkFolder.isLasting(StorageName($0)) } : []
  }
}
