// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import PropertyListFormat
import Testing

/// A model that can hold values which a reader refuses.
private struct Tree: DocumentModel {
  static let folderExtension = "tree"
  static let archiveClassName = "Garden.Tree"

  var depth = 0
  var names: Set<Data> = []
  /// Whether the initializer refuses what `encode(with:)` writes.
  var isOneWay = false

  init(depth: Int = 0, names: Set<Data> = [], isOneWay: Bool = false) {
    self.depth = depth
    self.names = names
    self.isOneWay = isOneWay
  }

  func encode(with coder: KeyedArchiver) {
    if depth > 0 { coder.encode(Tree(depth: depth - 1), forKey: "branch") }
    coder.encode(names, forKey: "names")
    coder.encode(isOneWay, forKey: "isOneWay")
  }

  init?(coder: KeyedUnarchiver) {
    depth = coder.decodeObject(of: Tree.self, forKey: "branch").map { $0.depth + 1 } ?? 0
    names = coder.decodeObject(of: Set<Data>.self, forKey: "names") ?? []
    if coder.decodeBool(forKey: "isOneWay") { return nil }
  }
}

@Suite("Limits of saving")
struct SavingLimitTests {
  private static let limits = LibraryLimits(maximumDataByteCount: 1000, maximumAttachmentByteCount: 1000)
  private static let long = Recipe(String(repeating: "long ", count: 300))
  private static let large = Data(count: 1001)

  private func expectRefusal(
    _ library: DocumentLibrary<Recipe>, _ name: String, _ change: () throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try library.storage.content()
    let error = try #require(throws: LibraryError.self, sourceLocation: sourceLocation) { try change() }
    #expect(error.code == .limitReached && error.detail.contains(name), "\(error)", sourceLocation: sourceLocation)
    #expect(error.path.hasPrefix(library.folder.path) && error.remedy != nil, sourceLocation: sourceLocation)
    #expect(try library.storage.content() == before, sourceLocation: sourceLocation)
    #expect(try library.storage.leftovers() == [], sourceLocation: sourceLocation)
  }

  @Test("are those of reading, for a new document", arguments: Place.allCases)
  func new(_ place: Place) throws {
    let library = try place.room().library(limits: Self.limits)
    try expectRefusal(library, "Data.plist") { try library.addDocument(Self.long) }
    try expectRefusal(library, "photo.jpg") {
      try library.addDocument(Recipe("R"), attachments: ["photo.jpg": Self.large])
    }
    let document = Document(in: library, Self.long)
    try expectRefusal(library, "Data.plist") { try document.save() }
    try document.setData(Recipe("short"))
    try document.save()
    #expect(try library.documents().map { try $0.data?.name } == ["short"])
  }

  @Test("are those of reading, for changes", arguments: Place.allCases)
  func changes(_ place: Place) throws {
    let library = try place.room().library(limits: Self.limits)
    try library.addDocument(Recipe("one"))
    try library.addDocument(Recipe("two"))
    let document = try library.document(1)
    try expectRefusal(library, "Data.plist") { try document.edit { $0 = Self.long } }
    try expectRefusal(library, "thumb.png") { try document.edit(attachments: ["thumb.png": Self.large]) { _ in } }
    try document.setData(Self.long)
    try expectRefusal(library, "Data.plist") { try document.save() }
    document.revert()
    try document.setAttachment("photo.jpg", to: Self.large)
    try expectRefusal(library, "photo.jpg") { try document.saveAttachments() }
    try expectRefusal(library, "photo.jpg") {
      try document.repairAttachment("photo.jpg") { _, _ in Self.large }
    }
    try expectRefusal(library, "Data.plist") {
      try library.update { update in
        update.edit(1) { $0.name = "new" }
        update.edit(2) { $0 = Self.long }
      }
    }
    try expectRefusal(library, "photo.jpg") {
      try library.update { $0.edit(2, attachments: ["photo.jpg": Self.large]) { _ in } }
    }
    try library.document(1).edit(attachments: ["photo.jpg": Data(count: 1000)]) { _ in }
    #expect(try library.document(1).attachment("photo.jpg")?.count == 1000)
  }

  @Test("are those of reading, for copies and repaired values", arguments: Place.allCases)
  func copies(_ place: Place) throws {
    let library = try place.room().library(limits: Self.limits)
    let source = try Place.memory.room().library()
    try source.addDocument(Self.long)
    try source.addDocument(Recipe("R"), attachments: ["photo.jpg": Self.large])
    try expectRefusal(library, "Data.plist") { try library.addCopy(of: source.document(1)) }
    try expectRefusal(library, "photo.jpg") { try library.addCopy(of: source.document(2)) }
    try library.addDocument(Recipe("one"))
    try library.storage.removeFile("1.recipe" / "Data.plist")
    try expectRefusal(library, "Data.plist") { try library.document(1).repairData(with: Self.long) }
  }

  /// Values that a reader refuses. `Data` hashes its length and its first 80 bytes, and a set may have 128 elements of one hash.
  private static let unreadable: [(tree: Tree, code: LibraryError.Code, detail: String)] = [
    (Tree(depth: 20), .limitReached, "the values could not be read again: objects nest deeper"),
    (
      Tree(names: Set((0..<129).map { Data(count: 80) + Data("\(100 + $0)".utf8) })), .invalidValue,
      "the values cannot be archived: too many values of type Data have the same hash"
    ), (Tree(isOneWay: true), .invalidValue, "the values could not be read again: "),
  ]

  @Test("refuse values that cannot be decoded again, and keep the document", arguments: 0..<3)
  func unreadable(_ index: Int) throws {
    let (tree, code, detail) = Self.unreadable[index]
    let storage = MemoryStorage()
    let library = try DocumentLibrary<Tree>(
      in: storage, limits: LibraryLimits(reading: ReadLimits(maximumDepth: 16)))
    let document = try library.addDocument(Tree(depth: 1))
    let before = try storage.content()
    let saves: [() throws -> Void] = [
      { _ = try library.addDocument(tree) }, { try document.edit { $0 = tree } },
      { try library.update { $0.edit(1) { $0 = tree } } },
      {
        let document = try library.document(1)
        try document.setData(tree)
        try document.save()
      },
    ]
    for save in saves {
      let error = try #require(throws: LibraryError.self) { try save() }
      #expect(error.code == code && error.detail.hasPrefix(detail), "\(error)")
      #expect(error.remedy != nil)
      #expect(try storage.content() == before)
    }
    #expect(try library.document(1).data?.depth == 1)
  }
}
