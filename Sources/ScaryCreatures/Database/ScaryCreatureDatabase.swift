// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import DocumentLibraries
import PNGImages
import PropertyListFormat

/// The creatures of a folder.
///
/// ```swift
/// let database = try ScaryCreatureDatabase(at: ScaryCreatureDatabase.privateDocsDir)
/// let ghost = try database.addCreature(title: "Ghost", rating: 5, fullImage: png)
/// for doc in try database.loadScaryCreatureDocs() { print(try doc.data?.title ?? "") }
/// ```
public typealias ScaryCreatureDatabase = DocumentLibrary<ScaryCreatureData>

extension DocumentLibrary where Model == ScaryCreatureData {
  /// The name of the folder that the tutorial's app keeps its creatures in.
  public static var privateDocumentsName: String { "PrivateDocuments" }

  /// The folder that is used where none is named: `PrivateDocuments` in the user's documents on Apple systems, in
  /// `ScaryCreatures` in the user's folder for data (`XDG_DATA_HOME`, else `~/.local/share`) elsewhere.
  public static var privateDocsDir: URL { privateDocsDir(in: ProcessInfo.processInfo.environment) }

  /// The same for other environment variables than the process's own.
  package static func privateDocsDir(in environment: [String: String]) -> URL {
    #if canImport(Darwin)
      let parent = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
      return (parent ?? URL(filePath: NSHomeDirectory())).appending(path: privateDocumentsName)
    #else
      var parent = URL(filePath: environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/").appending(
        path: ".local/share")
      // By the rules for that variable a relative path does not count.
      if let named = environment["XDG_DATA_HOME"], named.hasPrefix("/") { parent = URL(filePath: named) }
      return parent.appending(path: "ScaryCreatures").appending(path: privateDocumentsName)
    #endif
  }

  /// The folder that the next new creature gets, if nobody else adds one first.
  /// - Throws: `LibraryError`.
  public func nextScaryCreatureDocPath() throws(LibraryError) -> URL {
    folder.appending(path: "\(try nextNumber()).\(ScaryCreatureData.folderExtension)")
  }

  /// All creatures' documents in the order of their numbers. Nothing of them is read before it is asked for.
  /// - Throws: `LibraryError` if the folder cannot be read.
  public func loadScaryCreatureDocs() throws(LibraryError) -> [ScaryCreatureDoc] { try documents() }

  /// Makes a creature and saves it: it appears whole, with the number after the largest one.
  /// - Throws: `LibraryError`.
  @discardableResult
  public func addCreature(
    title: String, rating: Float = 0, thumbImage: Data? = nil, fullImage: Data? = nil
  ) throws -> ScaryCreatureDoc {
    let doc = ScaryCreatureDoc(
      title: title, rating: rating, thumbImage: thumbImage, fullImage: fullImage, in: self)
    try doc.save()
    return doc
  }

  /// Adds the seven creatures of the tutorial, with pictures.
  /// - Throws: `LibraryError`.
  @discardableResult
  public func addSamples() throws -> [ScaryCreatureDoc] {
    try SampleCreature.allCases.map { try addSample($0) }
  }

  /// Adds one of the tutorial's creatures, with its picture.
  /// - Throws: `LibraryError`.
  @discardableResult
  public func addSample(_ sample: SampleCreature) throws -> ScaryCreatureDoc {
    try addCreature(title: sample.title, rating: sample.rating, fullImage: sample.fullImage().pngData())
  }
}
