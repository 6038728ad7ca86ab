// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import DocumentLibraries
import KeyedArchives
import KeyedArchiving
import PNGImages
import PropertyListFormat

extension DocumentLibrary where Model == ScaryCreatureData {
  /// Copies the creatures of the Mac app of 2015. The app kept an array of documents with their images as a keyed
  /// archive in its preferences, under the key `bugs`.
  ///
  /// Images are copied unchanged. `NSImage` archives them as TIFF, from which this library cannot make a thumbnail, but
  /// the app archived a thumbnail itself. A document that is in the array twice is imported once. All images together can
  /// take `ReadLimits.maximumExpansion` times the size of the archive.
  /// - Parameter data: The archive, or the preferences file that contains it.
  /// - Returns: The imported and the rejected creatures.
  /// - Throws: `LibraryError` with code `LibraryError.Code.unreadableArchive` for other data.
  public func importMacArchive(_ data: Data) throws -> ImportReport {
    var report = ImportReport()
    do {
      let archive = try Self.macArchive(in: data, limits.reading)
      guard let key = archive.topKeys.first, let docs = archive[key].array else {
        throw KeyedArchiveError(.typeMismatch, "not an archive of the Mac app: expected an array of documents")
      }
      var seen: Set<ArchiveUID> = []
      // Many documents can share one image.
      let (limit, isLimitless) = data.count.multipliedReportingOverflow(by: limits.reading.maximumExpansion)
      var imageBytes = isLimitless ? .max : limit
      func picture(_ image: KeyedArchive.Node) throws(KeyedArchiveError) -> Data? {
        guard let picture = Self.picture(in: image) else { return nil }
        guard picture.count <= imageBytes else {
          throw KeyedArchiveError(
            .limitReached,
            "too many documents share an image: the images would take more than "
              + "\(limits.reading.maximumExpansion) times the archive's \(data.count) bytes")
        }
        imageBytes -= picture.count
        return picture
      }
      for (index, doc) in docs.enumerated() {
        let source = "\(key)[\(index)]"
        do {
          if let uid = doc.uid, !seen.insert(uid).inserted {
            throw KeyedArchiveError(.malformedValue, "the document is in the array twice", keyPath: source)
          }
          guard let uid = doc["data"].uid ?? doc["Data"].uid else {
            throw KeyedArchiveError(
              .valueNotFound, "the document has no data", keyPath: "\(source).data", className: doc.className)
          }
          let file = try CreatureFile(archive, uid, at: "\(source).data")
          try report.add(
            file.creature, thumb: picture(doc["thumbImage"]), full: picture(doc["fullImage"]),
            warnings: file.warnings, from: source, to: self)
        } catch {
          report.refuse(source, error)
        }
      }
    } catch let error as KeyedArchiveError {
      throw LibraryError(
        .unreadableArchive, "the Mac app's archive", error.located,
        remedy: "Pass the app's preferences file, or the value of its key 'bugs'", underlying: error)
    }
    return report
  }

  private static func macArchive(in data: Data, _ limits: ReadLimits) throws(KeyedArchiveError) -> KeyedArchive {
    do {
      return try KeyedArchive(data, limits: limits)
    } catch {
      guard let inner = try? bugs(in: PropertyList(data, limits: limits)) else { throw error }
      return try KeyedArchive(inner, limits: limits)
    }
  }

  /// The value of the key `bugs` in a preferences file.
  private static func bugs(in list: PropertyList) throws(PropertyListError) -> Data? {
    guard case .dictionary(let keys, let values) = try list.object(list.top) else { return nil }
    for (key, value) in zip(keys, values) {
      if case .string("bugs") = try list.object(key), case .data(let data) = try list.object(value) { return data }
    }
    return nil
  }

  /// The first image in an `NSImage` object. Its representations are objects in nested arrays, with the bytes.
  private static func picture(in image: KeyedArchive.Node) -> Data? {
    var pending = [image]
    var seen: Set<ArchiveUID> = []
    // An image has few representations, but nested arrays can refer to the same array many times.
    var count = 0
    while let node = pending.popLast() {
      count += 1
      guard count <= 1000 else { return nil }
      if let bytes = node.data {
        if let format = ImageFormat(sniffing: bytes), CreatureImage.isPicture(format) { return bytes }
        continue
      }
      if let uid = node.uid, !seen.insert(uid).inserted { continue }
      if let elements = node.array {
        pending.append(contentsOf: elements.prefix(1000).reversed())
      } else {
        pending.append(contentsOf: node.keys.prefix(100).reversed().map { node[$0] })
      }
    }
    return nil
  }
}
