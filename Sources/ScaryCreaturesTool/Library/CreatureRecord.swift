// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import DocumentLibraries
import ScaryCreatures

/// A creature as the tool shows it.
struct CreatureRecord {
  let number: DocumentNumber
  let title: String
  let rating: Float
  let hasThumb: Bool
  let hasFull: Bool
  let layout: String
  let isSecure: Bool
  let modified: Date?
  let warnings: [DocumentWarning]
  let path: String

  /// Reads a creature's data; its pictures are only looked for.
  init?(_ doc: ScaryCreatureDoc) throws {
    guard let number = doc.number, let stored = try doc.stored else { return nil }
    self.number = number
    title = stored.model.title
    rating = stored.model.rating
    hasThumb = try doc.hasAttachment(CreatureImage.thumb.rawValue)
    hasFull = try doc.hasAttachment(CreatureImage.full.rawValue)
    layout = stored.layout
    isSecure = stored.isCurrent
    modified = try doc.modified?.date
    warnings = stored.warnings
    path = doc.docPath?.path ?? ""
  }

  /// When the data was changed last, to the second.
  var modifiedText: String {
    modified.map { DateText.iso8601($0.timeIntervalSinceReferenceDate.rounded(.down)) } ?? ""
  }

  /// Which pictures there are.
  var pictures: String {
    switch (hasThumb, hasFull) {
    case (true, true): "both"
    case (true, false): "thumb"
    case (false, true): "full"
    case (false, false): "none"
    }
  }

  /// The rating as five faces.
  var faces: String {
    guard ScaryCreatureData.ratings.contains(rating) else { return "\(rating)?" }
    let whole = Int(rating)
    let half = rating > Float(whole) ? "◐" : ""
    let faces = String(repeating: "☻", count: whole) + half
    return faces + String(repeating: "·", count: 5 - faces.count)
  }

  func write(to json: inout JSONWriter) {
    json.field("number", number.rawValue)
    json.field("title", title)
    if rating.isFinite {
      json.field("rating", rating)
    } else {
      json.key("rating")
      json.raw("null")
    }
    json.field("thumbImage", hasThumb)
    json.field("fullImage", hasFull)
    json.field("layout", layout)
    json.field("secure", isSecure)
    json.field("modified", modifiedText)
    json.field("warnings", warnings.map(\.code))
    json.field("path", path)
  }
}
