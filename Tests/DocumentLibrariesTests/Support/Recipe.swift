// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import KeyedArchiving
import PropertyListFormat

/// The documents of these tests: a recipe with a photo and a thumbnail.
struct Recipe: DocumentModel, Equatable {
  static let folderExtension = "recipe"
  static let attachmentNames = ["photo.jpg", "thumb.png"]
  static let archiveClassName = "Kitchen.Recipe"
  static let formerKeys = ["Title": "Name"]

  var name = ""
  var steps: [String] = []

  init(_ name: String, _ steps: [String] = []) {
    self.name = name
    self.steps = steps
  }

  func encode(with coder: KeyedArchiver) {
    coder.encode(name, forKey: "Name")
    coder.encode(steps, forKey: "Steps")
  }

  init?(coder: KeyedUnarchiver) {
    let name =
      coder.decodeObject(of: String.self, forKey: "Name") ?? coder.decodeObject(of: String.self, forKey: "Title")
    guard let name else { return nil }
    self.name = name
    steps = coder.decodeObject(of: [String].self, forKey: "Steps") ?? []
  }

  static func stored(in data: Data, limits: ReadLimits) throws -> StoredModel<Self> {
    guard let recipe = try KeyedUnarchiver.unarchivedObject(ofClass: Self.self, from: data, limits: limits) else {
      throw KeyedArchiveError(.valueNotFound, "the archive holds nil")
    }
    let warnings = recipe.name.isEmpty ? [DocumentWarning("emptyName", "the recipe has no name")] : []
    return StoredModel(recipe, warnings: warnings)
  }

  func check(replacing old: Recipe?) throws {
    guard name == "Poison", old?.name != name else { return }
    throw LibraryError(.invalidValue, "", "nobody may cook that")
  }
}

/// Another class with the same file name.
struct Bill: DocumentModel {
  static let folderExtension = "recipe"
  static let archiveClassName = "Kitchen.Bill"
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) {}
  init() {}
}

/// The observable properties of a document.
struct Dish: Equatable, CustomStringConvertible {
  var recipe: Recipe
  var photo: Data?
  var thumb: Data?

  init(_ name: String, photo: String? = nil, thumb: String? = nil) {
    recipe = Recipe(name)
    self.photo = photo.map { Data($0.utf8) }
    self.thumb = thumb.map { Data($0.utf8) }
  }

  /// Reads all of a document.
  init(_ document: Document<Recipe>) throws {
    guard let recipe = try document.data else { throw LibraryError(.notSaved, "", "nothing there") }
    self.recipe = recipe
    photo = try document.attachment("photo.jpg")
    thumb = try document.attachment("thumb.png")
  }

  var attachments: [String: Data] {
    ["photo.jpg": photo, "thumb.png": thumb].compactMapValues(\.self)
  }

  var description: String {
    let parts = [recipe.name, photo.map { String(decoding: $0, as: UTF8.self) } ?? "-"]
    return (parts + [thumb.map { String(decoding: $0, as: UTF8.self) } ?? "-"]).joined(separator: "/")
  }
}
