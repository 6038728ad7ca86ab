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

/// A library of creatures.
///
/// ```swift
/// let database = try ScaryCreatureDatabase(at: ScaryCreatureDatabase.privateDocsDir)
/// let ghost = try database.addCreature(title: "Ghost", rating: 5, fullImage: png)
/// for doc in try database.loadScaryCreatureDocs() { print(try doc.data?.title ?? "") }
/// ```
public typealias ScaryCreatureDatabase = DocumentLibrary<ScaryCreatureData>

private let sharedDatabase = SharedLibrary<ScaryCreatureData>()

extension DocumentLibrary where Model == ScaryCreatureData {
  /// The name of the folder in which the tutorial's app keeps its creatures.
  public static var privateDocumentsName: String { "PrivateDocuments" }

  /// The default folder: `PrivateDocuments` in the user's documents on Apple systems. On other systems it is in the
  /// folder `ScaryCreatures` of `XDG_DATA_HOME`, whose default is `~/.local/share`.
  public static var privateDocsDir: URL {
    // Without the variables, the home folder is that of the system's list of users.
    privateDocsDir(in: ProcessInfo.processInfo.environment)
      ?? URL.homeDirectory.appending(path: ".local/share/ScaryCreatures/\(privateDocumentsName)")
  }

  /// The default folder for the given environment variables; nil if they name no absolute folder.
  package static func privateDocsDir(in environment: [String: String]) -> URL? {
    #if canImport(Darwin)
      let parent = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
      return (parent ?? URL(filePath: NSHomeDirectory())).appending(path: privateDocumentsName)
    #else
      func folder(_ variable: String) -> URL? {
        // The specification of `XDG_DATA_HOME` requires ignoring a relative path.
        environment[variable].flatMap { $0.utf8.first == 0x2F ? URL(filePath: $0) : nil }
      }
      let parent = folder("XDG_DATA_HOME") ?? folder("HOME")?.appending(path: ".local/share")
      return parent?.appending(path: "ScaryCreatures").appending(path: privateDocumentsName)
    #endif
  }

  /// The default library, which the program opens once, in `privateDocsDir`.
  /// - Throws: `LibraryError` if the library cannot be opened. The next access tries it again.
  public static var standard: ScaryCreatureDatabase {
    get throws(LibraryError) { try sharedDatabase.opened(at: privateDocsDir) }
  }

  /// Returns the documents of the default library; see `standard`.
  /// - Returns: The documents.
  /// - Throws: `LibraryError` if the folder cannot be read.
  public static func loadScaryCreatureDocs() throws(LibraryError) -> [ScaryCreatureDoc] {
    try standard.loadScaryCreatureDocs()
  }

  /// Returns the folder that the next new creature of the default library gets; see `standard`.
  /// - Returns: The folder.
  /// - Throws: `LibraryError`.
  public static func nextScaryCreatureDocPath() throws(LibraryError) -> URL { try standard.nextScaryCreatureDocPath() }

  /// Returns the folder that the next new creature gets, unless another process adds one first.
  /// - Returns: The folder.
  /// - Throws: `LibraryError`.
  public func nextScaryCreatureDocPath() throws(LibraryError) -> URL {
    folder.appending(path: "\(try nextNumber()).\(ScaryCreatureData.folderExtension)")
  }

  /// Returns all creatures' documents in the order of their numbers, without reading them.
  /// - Returns: The documents.
  /// - Throws: `LibraryError` if the folder cannot be read.
  public func loadScaryCreatureDocs() throws(LibraryError) -> [ScaryCreatureDoc] { try documents() }

  /// Creates and saves a creature, which gets the number after the largest one.
  /// - Parameters:
  ///   - title: The title.
  ///   - rating: The rating, 0 to 5; 0 means not rated.
  ///   - thumbImage: The thumbnail; nil to make it from the full image.
  ///   - fullImage: The full image.
  /// - Returns: The creature's document.
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

  /// Adds the seven creatures of the tutorial with images.
  /// - Returns: The creatures' documents.
  /// - Throws: `LibraryError`.
  @discardableResult
  public func addSamples() throws -> [ScaryCreatureDoc] {
    try SampleCreature.allCases.map { try addSample($0) }
  }

  /// Adds one of the tutorial's creatures with its image.
  /// - Parameter sample: The creature.
  /// - Returns: The creature's document.
  /// - Throws: `LibraryError`.
  @discardableResult
  public func addSample(_ sample: SampleCreature) throws -> ScaryCreatureDoc {
    try addCreature(title: sample.title, rating: sample.rating, fullImage: sample.fullImage().pngData())
  }
}
