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
  /// Copies the creatures of the Mac app of 2015, which kept an array of documents with their pictures as one keyed archive
  /// in its preferences, under the key `bugs`.
  ///
  /// Pictures are taken over as they are: `NSImage` keeps them as TIFF, of which no small picture can be made here, but the
  /// app archived one itself.
  /// - Parameter data: the archive, or the preferences file that holds it.
  /// - Returns: what was added and what was refused.
  /// - Throws: `LibraryError` with code `LibraryError.Code.unreadableArchive` for anything else.
  public func importMacArchive(_ data: Data) throws -> CreatureImport {
    var report = CreatureImport()
    do {
      let archive = try Self.macArchive(in: data, limits.reading)
      guard let key = archive.topKeys.first, let docs = archive[key].array else {
        throw KeyedArchiveError(.typeMismatch, "expected an array of documents")
      }
      for (index, doc) in docs.enumerated() {
        let source = "\(key)[\(index)]"
        do {
          guard let uid = doc["data"].uid ?? doc["Data"].uid else {
            throw KeyedArchiveError(
              .valueNotFound, "the document has no data", keyPath: "\(source).data", className: doc.className)
          }
          let file = try CreatureFile(archive, uid, at: "\(source).data")
          report.add(
            file.creature, thumb: Self.picture(in: doc["thumbImage"]), full: Self.picture(in: doc["fullImage"]),
            warnings: file.warnings, from: source, to: self)
        } catch {
          report.refused.append(.init(source: source, error: error))
        }
      }
    } catch let error as KeyedArchiveError {
      throw LibraryError(
        .unreadableArchive, "the Mac app's archive", "\(error)",
        remedy: "Give the app's preferences file, or the value of its key 'bugs'", underlying: error)
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

  /// The first picture in an image's object: its representations are objects, in arrays of arrays, with the bytes.
  private static func picture(in image: KeyedArchive.Node) -> Data? {
    var pending = [image]
    var seen: Set<ArchiveUID> = []
    // An image has a handful of representations; arrays that hold one another many times over have no end.
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
