// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DocumentLibraries
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// A creature's data file in any known layout. The file is read as a graph of values: no class is instantiated, and
/// only one object, a string and a number are inspected.
struct CreatureFile {
  let creature: ScaryCreatureData
  private(set) var layout = CreatureLayout()
  private(set) var warnings: [DocumentWarning] = []

  init(_ data: Data, limits: ReadLimits) throws(KeyedArchiveError) {
    let archive = try KeyedArchive(data, limits: limits)
    // If a file has both keys, the second one is unknown content, not a creature of an old version.
    let keys = [KeyedArchiver.rootKey] + ScaryCreatureData.formerTopKeys
    guard let key = keys.first(where: { archive.topKeys.contains($0) }) else {
      throw KeyedArchiveError(
        .valueNotFound, "no creature: found the top-level keys \(archive.topKeys.prefix(5)); expected 'root' or 'Data'")
    }
    var known = CreatureLayout()
    if key != KeyedArchiver.rootKey { known.differences.append(.topKey(key)) }
    if archive.format == .xml { known.differences.append(.xml) }
    guard let root = archive[key].uid else {
      throw KeyedArchiveError(.typeMismatch, "invalid creature: expected an object", keyPath: key)
    }
    try self.init(archive, root, at: key, known)
  }

  /// Reads a creature's object.
  init(
    _ archive: KeyedArchive, _ uid: ArchiveUID, at keyPath: String, _ known: CreatureLayout = CreatureLayout()
  ) throws(KeyedArchiveError) {
    layout = known
    guard case .instance(let classUID, let entries) = try archive.object(uid) else {
      throw KeyedArchiveError(.typeMismatch, "invalid creature: expected an object", keyPath: keyPath, uid: uid)
    }
    let name = try archive.classDescription(classUID).name
    if name != ScaryCreatureData.archiveClassName {
      let parts = name.split(separator: ".", omittingEmptySubsequences: false)
      guard CreatureLayout.classNames.contains(String(parts.last ?? "")) else {
        throw KeyedArchiveError(
          .classNotAllowed, "not a creature: found an object of class '\(name)'", keyPath: keyPath, uid: uid,
          className: name, remedy: "If it is a creature, rename its class in the archive")
      }
      layout.differences.append(.className(name))
    }
    func entry(_ key: ScaryCreatureData.Keys) -> KeyedArchive.Entry? {
      entries.first { $0.key == key.rawValue } ?? entries.first { $0.key == key.rawValue.lowercased() }
    }
    func path(_ entry: KeyedArchive.Entry) -> String { "\(keyPath).\(entry.key)" }
    guard let title = entry(.title) else {
      throw KeyedArchiveError(.valueNotFound, "the creature has no title", keyPath: "\(keyPath).Title", uid: uid)
    }
    let rating = entry(.rating)
    if [title.key, rating?.key].contains(where: { $0?.first?.isLowercase == true }) {
      layout.differences.append(.lowerCaseKeys)
    }
    let text = try Self.text(title.value, in: archive, at: path(title))
    guard let rating else {
      warnings.append(DocumentWarning("noRating", "no rating: the creature counts as not rated"))
      layout.differences.append(.noRating)
      creature = ScaryCreatureData(title: text)
      return
    }
    let (number, isInline) = try Self.number(rating.value, in: archive, at: path(rating))
    if isInline { layout.differences.append(.inlineRating) }
    let value: Float
    switch number {
    case .float(let float): value = float
    case .double(let double):
      value = Float(double)
      layout.differences.append(.ratingKind("an 8-byte real"))
      if !double.isNaN, Double(value) != double {
        warnings.append(DocumentWarning("roundedRating", "the rating \(double) is rounded to \(value)"))
      }
    case .integer, .unsigned:
      guard let integer = number.integer, let exact = Float(exactly: integer) else {
        throw KeyedArchiveError(
          .outOfRange, "invalid rating: found an integer that is too large; expected 0 to 5", keyPath: path(rating))
      }
      value = exact
      layout.differences.append(.ratingKind("an integer"))
    case .boolean:
      throw KeyedArchiveError(
        .typeMismatch, "invalid rating: found a Boolean; expected a number", keyPath: path(rating))
    }
    if !ScaryCreatureData.ratings.contains(value) {
      warnings.append(DocumentWarning("ratingOutOfRange", "invalid rating: found \(value); expected 0 to 5"))
    }
    creature = ScaryCreatureData(title: text, rating: value)
  }

  /// Reads a string, inline or boxed, mutable or not.
  private static func text(
    _ value: KeyedArchive.StoredValue, in archive: KeyedArchive, at keyPath: String
  ) throws(KeyedArchiveError) -> String {
    if case .reference(let uid) = value {
      // Read first, because a damaged object must be reported as such and not as missing.
      let object = try archive.object(uid)
      if let text = archive[uid].string { return text }
      // A title is never nil. Apple's archiver writes the string "$null" like any other, and its unarchiver decodes it
      // as nil.
      if case .null = object, uid.rawValue != 0 { return "$null" }
    }
    throw KeyedArchiveError(.typeMismatch, "invalid title: expected a string", keyPath: keyPath)
  }

  private static func number(
    _ value: KeyedArchive.StoredValue, in archive: KeyedArchive, at keyPath: String
  ) throws(KeyedArchiveError) -> (ArchiveNumber, isInline: Bool) {
    switch value {
    case .boolean(let value): return (.boolean(value), true)
    case .integer(let value): return (.integer(value), true)
    case .float(let value): return (.float(value), true)
    case .double(let value): return (.double(value), true)
    case .reference(let uid):
      _ = try archive.object(uid)
      if let number = archive[uid].number { return (number, false) }
    default: break
    }
    throw KeyedArchiveError(.typeMismatch, "invalid rating: expected a number", keyPath: keyPath)
  }
}
