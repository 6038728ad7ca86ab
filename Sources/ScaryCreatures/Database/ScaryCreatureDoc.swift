// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import DocumentLibraries
import PropertyListFormat

/// A creature's document: the folder with its data and pictures.
///
/// ```swift
/// let doc = try database.document(3)
/// try doc.data?.title                       // read now
/// try doc.setRating(4)                      // saved at once
/// try doc.setFullImage(png)                 // the small picture is made from it
/// try doc.saveImages()                      // both, in one step
/// try doc.deleteDoc()
/// ```
public typealias ScaryCreatureDoc = Document<ScaryCreatureData>

/// Which pictures `saveImages(_:)` saves.
public enum ImagePolicy: Hashable, Sendable {
  /// Each that was set; a small one is made if there is none.
  case each
  /// The tutorial's rule: none unless there are both.
  case bothOrNone
}

extension Document where Model == ScaryCreatureData {
  /// A new creature's document, without a place until it is saved for the first time.
  /// - Parameters:
  ///   - title: the name.
  ///   - rating: 0 to 5; 0 is "not rated".
  ///   - thumbImage: the small picture; made from the large one if there is none.
  ///   - fullImage: the large picture.
  ///   - database: where it will be.
  public convenience init(
    title: String, rating: Float, thumbImage: Data? = nil, fullImage: Data? = nil, in database: ScaryCreatureDatabase
  ) {
    var images: [String: Data] = [:]
    images[CreatureImage.thumb.rawValue] = thumbImage
    images[CreatureImage.full.rawValue] = fullImage
    self.init(in: database, ScaryCreatureData(title: title, rating: rating), attachments: images)
  }

  /// The small picture as it is stored, read when first asked for; nil if there is none.
  public var thumbImage: Data? {
    get throws(LibraryError) { try attachment(CreatureImage.thumb.rawValue) }
  }

  /// The large picture as it is stored, read when first asked for; nil if there is none.
  public var fullImage: Data? {
    get throws(LibraryError) { try attachment(CreatureImage.full.rawValue) }
  }

  /// Sets the small picture; nil for none. Saved by ``saveImages(_:)``.
  /// - Throws: `LibraryError` after the document was deleted.
  public func setThumbImage(_ bytes: Data?) throws(LibraryError) {
    try setAttachment(CreatureImage.thumb.rawValue, to: bytes)
  }

  /// Sets the large picture; nil for none. Saved by ``saveImages(_:)``, with a small one made from it unless one is set too.
  /// - Throws: `LibraryError` after the document was deleted.
  public func setFullImage(_ bytes: Data?) throws(LibraryError) {
    try setAttachment(CreatureImage.full.rawValue, to: bytes)
  }

  /// Changes the name and saves it at once.
  /// - Throws: `LibraryError`; what was stored before is intact then.
  public func setTitle(_ title: String) throws { try edit { $0.title = title } }

  /// Changes the rating and saves it at once.
  /// - Throws: `LibraryError`: `LibraryError.Code.invalidValue` for a number that is not from 0 to 5.
  public func setRating(_ rating: Float) throws {
    let old = try data
    try ScaryCreatureData(title: old?.title ?? "", rating: rating).check(
      replacing: nil, at: docPath?.path ?? library.folder.path)
    try edit { $0.rating = rating }
  }

  /// Makes the document's folder, whole, unless it has one.
  /// - Returns: the folder; nil for a document that has no data to save.
  /// - Throws: `LibraryError`.
  @discardableResult
  public func createDataPath() throws -> URL? {
    if number == nil { try save() }
    return docPath
  }

  /// Saves the pictures that were set, in one step.
  /// - Parameter policy: which of them.
  /// - Throws: `LibraryError`; what was stored before is intact then.
  public func saveImages(_ policy: ImagePolicy = .each) throws {
    if policy == .bothOrNone {
      guard try hasAttachment(CreatureImage.thumb.rawValue), try hasAttachment(CreatureImage.full.rawValue) else {
        return
      }
    }
    try saveAttachments()
  }

  /// Deletes the document: it is gone in one step.
  /// - Throws: `LibraryError`; the document is intact then.
  public func deleteDoc() throws { try delete() }
}
