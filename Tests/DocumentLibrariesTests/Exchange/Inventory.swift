// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import TestSupport

/// An entry of a storage: its identity, modification date and content.
struct Thing: Equatable, CustomStringConvertible {
  var status: StorageStatus
  var bytes: Data?

  var description: String { "\(status.kind) \(status.identity) \(status.modified) \(bytes?.count ?? 0) bytes" }
}

extension DocumentStorage {
  /// All entries by path, including hidden ones and the root.
  func inventory() throws -> [String: Thing] {
    let steps = StorageSteps(storage: self)
    var things: [String: Thing] = [:]
    var pending = [StoragePath.root]
    while let path = pending.popLast() {
      let status = try self.status(of: path)
      things[path.description] = Thing(status: status, bytes: status.kind == .file ? try bytes(path) : nil)
      if status.kind == .folder { pending += try steps.entries(of: path).map { path / $0.name } }
    }
    return things
  }

  /// The content of each document's files, by folder and file name.
  func documents() throws -> [String: [String: Data]] {
    let steps = StorageSteps(storage: self)
    var documents: [String: [String: Data]] = [:]
    for folder in try steps.entries(of: .root) where !folder.name.isHidden && folder.kind == .folder {
      documents[folder.name.description] = [:]
      for file in try steps.entries(of: .root / folder.name) where file.kind == .file {
        documents[folder.name.description]?[file.name.description] = try bytes(.root / folder.name / file.name)
      }
    }
    return documents
  }
}

extension DocumentLibrary {
  /// Exports documents to one file; nil exports all.
  func exported(_ numbers: [DocumentNumber]? = nil, progress: () -> Void = {}) throws -> Data {
    var file = Data()
    try export(try numbers ?? contents().numbers, to: { file += $0 }, progress: progress)
    return file
  }
}

extension ImportReport {
  /// The error codes by rejected name; "?" for an error that is not a library error.
  var codes: [String: String] {
    Dictionary(refused.map { ($0.source, ($0.error as? LibraryError)?.code.name ?? "?") }) { "\($0) and \($1)" }
  }
}

extension Recipe {
  /// The bytes of a data file.
  static func file(_ name: String) throws -> Data {
    try KeyedArchiver.archivedData(withRootObject: Recipe(name), requiringSecureCoding: true)
  }
}

/// A library with one document, in a folder where nothing else may change.
struct Cage {
  let room: Room
  let library: DocumentLibrary<Recipe>
  private let outside: [String: Thing]
  private let inside: [String: Thing]
  private static let place = "a/b/c/library"

  init() throws {
    room = try Place.disk.room()
    let folder = room.folder.appending(path: Self.place)
    library = try DocumentLibrary<Recipe>(at: folder)
    try library.addDocument(Recipe("Here before"), attachments: ["photo.jpg": Data("old".utf8)])
    outside = try Self.outside(room)
    inside = try Self.inside(library)
  }

  private static func outside(_ room: Room) throws -> [String: Thing] {
    try DiskStorage(room.folder).inventory().filter { !$0.key.hasPrefix(place) }
  }

  /// The entries of the documents.
  private static func inside(_ library: DocumentLibrary<Recipe>) throws -> [String: Thing] {
    try library.storage.inventory().filter { $0.key != "." && $0.key != ".work" }
  }

  /// The new content of the library besides a restored entry; nil if anything else changed, or a leftover remains.
  func added(besides other: String? = nil) throws -> [String: [String: Data]]? {
    guard try Self.outside(room) == outside, try library.storage.leftovers() == [] else { return nil }
    let now = try Self.inside(library).filter { name, _ in
      guard let other else { return true }
      return name != other && !name.hasPrefix(other + "/") && (name != ".trash" || !other.hasPrefix(".trash/"))
    }
    guard inside.allSatisfy({ now[$0.key] == $0.value }) else { return nil }
    let documents = try library.storage.documents().filter { $0.key != "1.recipe" && $0.key != other }
    // Only documents and their files.
    let paths = documents.flatMap { folder, files in [folder] + files.keys.map { "\(folder)/\($0)" } }
    guard Set(now.keys) == Set(inside.keys).union(paths) else { return nil }
    return documents
  }
}

/// Handmade entries of documents.
enum HandmadeDocument {
  /// The data file of a valid document.
  static func data(_ folder: String, _ name: String = "New") throws -> HandmadeZip.Entry {
    HandmadeZip.Entry("\(folder)/Data.plist", Array(try Recipe.file(name)))
  }
}
