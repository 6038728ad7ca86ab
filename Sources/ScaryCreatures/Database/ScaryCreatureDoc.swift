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

/// A creature's document: a folder with its data and images.
///
/// ```swift
/// let doc = try database.document(3)
/// try doc.data?.title                       // reads the data
/// try doc.setRating(4)                      // saves immediately
/// try doc.setFullImage(png)                 // does not save
/// try doc.saveImages()                      // saves the image and a thumbnail of it, atomically
/// try doc.deleteDoc()
/// ```
public typealias ScaryCreatureDoc = Document<ScaryCreatureData>

/// The images that `saveImages(_:)` saves.
public enum ImagePolicy: Hashable, Sendable {
  /// Each image that was set. A missing thumbnail is made from the full image.
  case each
  /// The tutorial's rule: both images, or none if one is missing.
  case bothOrNone
}

extension ScaryCreatureDoc {
  /// Creates an unsaved document.
  /// - Parameters:
  ///   - title: The title.
  ///   - rating: The rating, 0 to 5; 0 means not rated.
  ///   - thumbImage: The thumbnail; nil to make it from the full image.
  ///   - fullImage: The full image.
  ///   - database: The library to save the document to.
  public convenience init(
    title: String, rating: Float, thumbImage: Data? = nil, fullImage: Data? = nil, in database: ScaryCreatureDatabase
  ) {
    var images: [String: Data] = [:]
    if let thumbImage { images[CreatureImage.thumb.fileName(for: thumbImage)] = thumbImage }
    if let fullImage { images[CreatureImage.full.fileName(for: fullImage)] = fullImage }
    self.init(in: database, ScaryCreatureData(title: title, rating: rating), attachments: images)
  }

  /// Creates an unsaved document of the default library; see `ScaryCreatureDatabase.standard`.
  /// - Parameters:
  ///   - title: The title.
  ///   - rating: The rating, 0 to 5; 0 means not rated.
  ///   - thumbImage: The thumbnail; nil to make it from the full image.
  ///   - fullImage: The full image.
  /// - Throws: `LibraryError` if the default library cannot be opened.
  public convenience init(title: String, rating: Float, thumbImage: Data? = nil, fullImage: Data? = nil) throws {
    self.init(
      title: title, rating: rating, thumbImage: thumbImage, fullImage: fullImage, in: try ScaryCreatureDatabase.standard
    )
  }

  /// The title; nil if the document has no data, or its data are not readable.
  ///
  /// A new title is not saved; see `saveData(overwriting:)`. nil stands for an empty title. If the data cannot be read, they
  /// do not change, and the next save throws the error.
  public var title: String? {
    get { creature?.title }
    set { changeData(orNew: ScaryCreatureData(title: "")) { $0.title = newValue ?? "" } }
  }

  /// The rating; nil if the document has no data, or its data are not readable.
  ///
  /// A new rating is not saved; see `saveData(overwriting:)`, which rejects one that is not from 0 to 5. nil stands for 0, not
  /// rated. If the data cannot be read, they do not change, and the next save throws the error.
  public var rating: Float? {
    get { creature?.rating }
    set { changeData(orNew: ScaryCreatureData(title: "")) { $0.rating = newValue ?? 0 } }
  }

  /// The data, if they are readable.
  private var creature: ScaryCreatureData? {
    do { return try data } catch { return nil }
  }

  /// The stored thumbnail, read on first access; nil if the creature has none.
  public var thumbImage: Data? {
    get throws(LibraryError) { try image(.thumb) }
  }

  /// The stored full image, read on first access; nil if the creature has none.
  public var fullImage: Data? {
    get throws(LibraryError) { try image(.full) }
  }

  /// Returns an image in any format, which is read on first access.
  /// - Parameter image: The image.
  /// - Returns: The image file; nil if the creature has none.
  /// - Throws: `LibraryError`.
  public func image(_ image: CreatureImage) throws(LibraryError) -> Data? {
    guard let name = try fileName(of: image) else { return nil }
    if let bytes = try attachment(name) { return bytes }
    // Another process can have stored it in another format meanwhile.
    return try fileName(of: image).flatMap { (name) throws(LibraryError) in try attachment(name) }
  }

  /// Returns whether the creature has an image, without reading it.
  /// - Parameter image: The image.
  /// - Returns: `true` if the creature has the image, in any format.
  /// - Throws: `LibraryError`.
  public func hasImage(_ image: CreatureImage) throws(LibraryError) -> Bool { try fileName(of: image) != nil }

  /// The name of an image's file.
  private func fileName(of image: CreatureImage) throws(LibraryError) -> String? {
    // Most images are PNG files.
    if try hasAttachment(image.rawValue) { return image.rawValue }
    let names = image.fileNames
    return try attachmentNames.first { names.contains($0) }
  }

  private func set(_ image: CreatureImage, to bytes: Data?) throws(LibraryError) {
    for (name, bytes) in image.attachments(bytes) { try setAttachment(name, to: bytes) }
  }

  /// Sets or removes the thumbnail without saving it; see ``saveImages(_:)``.
  /// - Parameter bytes: The image file; nil removes the thumbnail.
  /// - Throws: `LibraryError` if the document is deleted.
  public func setThumbImage(_ bytes: Data?) throws(LibraryError) {
    try set(.thumb, to: bytes)
  }

  /// Sets or removes the full image without saving it; see ``saveImages(_:)``. Saving makes a new thumbnail, unless one
  /// is set.
  /// - Parameter bytes: The image file; nil removes the image.
  /// - Throws: `LibraryError` if the document is deleted.
  public func setFullImage(_ bytes: Data?) throws(LibraryError) {
    try set(.full, to: bytes)
  }

  /// Changes the title and saves it immediately.
  /// - Parameter title: The new title.
  /// - Throws: `LibraryError`; the stored document is then untouched.
  public func setTitle(_ title: String) throws { try edit { $0.title = title } }

  /// Changes the rating and saves it immediately.
  /// - Parameter rating: The new rating.
  /// - Throws: `LibraryError`, with code `LibraryError.Code.invalidValue` if the rating is not from 0 to 5.
  public func setRating(_ rating: Float) throws {
    let old = try data
    try ScaryCreatureData(title: old?.title ?? "", rating: rating).check(
      replacing: nil, at: docPath?.path ?? library.folder.path)
    try edit { $0.rating = rating }
  }

  /// Saves the document, unless it has a folder already.
  /// - Returns: The folder; nil if the document has no data.
  /// - Throws: `LibraryError`.
  @discardableResult
  public func createDataPath() throws -> URL? {
    if number == nil { try save() }
    return docPath
  }

  /// Saves the images that were set, atomically.
  /// - Parameter policy: The images to save.
  /// - Throws: `LibraryError`; the stored document is then untouched.
  public func saveImages(_ policy: ImagePolicy = .each) throws {
    if policy == .bothOrNone {
      guard try hasImage(.thumb), try hasImage(.full) else { return }
    }
    try saveAttachments()
  }

  /// Deletes the document atomically.
  /// - Throws: `LibraryError`; the document is then untouched.
  public func deleteDoc() throws { try delete() }

  /// A Boolean value that indicates whether the thumbnail is missing or damaged, and can be made from a valid full
  /// image.
  /// - Throws: `LibraryError` if an image cannot be read.
  public var needsThumb: Bool {
    get throws {
      guard let full = try fullImage, try CreatureImage.check(full, .full, "") == .png else { return false }
      guard let thumb = try thumbImage else { return true }
      return (try? CreatureImage.check(thumb, .thumb, "")) == nil
    }
  }

  /// Makes the thumbnail from the stored full image and saves it. A damaged thumbnail stays in the folder, for example as
  /// `.thumbImage.png.damaged`, and what the last save replaced can still be restored. A valid one of any format, which
  /// another process can have set, is not replaced.
  /// - Parameter dryRun: Whether to return the name without writing.
  /// - Returns: The name under which the folder keeps the damaged thumbnail; nil if it was missing.
  /// - Throws: `LibraryError`; the stored document is then untouched.
  @discardableResult
  public func remakeThumb(dryRun: Bool = false) throws -> String? {
    let names = CreatureImage.thumb.fileNames.filter { $0 != CreatureImage.thumb.rawValue }
    return try repairAttachment(CreatureImage.thumb.rawValue, orElse: names, dryRun: dryRun) { stored, attachment in
      if let stored, (try? CreatureImage.check(stored, .thumb, "")) != nil { return nil }
      for name in CreatureImage.full.fileNames {
        if let full = try attachment(name) { return try CreatureImage.thumbnail(for: full) }
      }
      return nil
    }
  }
}
