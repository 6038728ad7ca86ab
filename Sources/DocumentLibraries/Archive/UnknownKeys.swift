// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// Preserves content of a data file that its model does not know, such as keys of a newer version of an app.
enum UnknownKeys {
  /// Adds the unknown content of an old archive to the new one that replaces it.
  ///
  /// `known` is the old archive, decoded and encoded by the model, so its keys are those that the model knows.
  static func carry(
    from old: Data, rewrittenAs known: Data, to new: Data, of model: any DocumentModel.Type, limits: ReadLimits
  ) throws -> Data {
    guard old != known else { return new }
    let oldArchive = try KeyedArchive(old, limits: limits, archivers: .any)
    let knownArchive = try KeyedArchive(known)
    let topKeys = oldArchive.topKeys
    let oldRoot = ([KeyedArchiver.rootKey] + model.formerTopKeys).first { topKeys.contains($0) } ?? topKeys.first
    guard let oldRoot else { return new }
    let knownKeys = Set(knownArchive.root.keys.exact)
    let oldKeys = Set(oldArchive[oldRoot].keys.exact)
    var archive = try KeyedArchive(new)
    let newKeys = Set(archive.root.keys.exact)
    let unknown = oldArchive[oldRoot].keys.filter { key in
      // The new value wins: a model may store a key only if it has a value, which the old file then lacks.
      guard !knownKeys.contains(key), !newKeys.contains(key) else { return false }
      // The successor has the value of a former key, unless the file has both keys.
      return model.formerKeys.first { $0.key == key }.map { oldKeys.contains($0.value) } ?? true
    }
    let unknownTop = try oldArchive.top.filter {
      $0.key != oldRoot && $0.key != KeyedArchiver.rootKey && $0.key != DocumentVersion.key
    }
    guard let newRoot = archive.root.uid, let root = oldArchive[oldRoot].uid, let knownRoot = knownArchive.root.uid,
      case .instance(_, let entries) = try oldArchive.object(root)
    else { return new }
    var nested = NestedUnknownKeys(old: oldArchive, known: knownArchive, new: archive)
    let matches = try nested.matches(from: (root, knownRoot, newRoot))
    guard !unknown.isEmpty || !unknownTop.isEmpty || matches.contains(where: { !$0.unknown.isEmpty }) else {
      return new
    }
    let unknownKeys = Set(unknown.exact)
    var numbers = [root: newRoot]
    for match in matches { numbers[match.old] = numbers[match.old] ?? match.new }
    var copy = GraphCopy(from: oldArchive, numbers: numbers)
    try add(entries.filter { unknownKeys.contains($0.key) }, to: newRoot, of: &archive, &copy)
    for match in matches { try add(match.unknown, to: match.new, of: &archive, &copy) }
    if !unknownTop.isEmpty {
      let top = try archive.top
      archive.setTop(top + (try copy.entries(unknownTop, to: &archive)))
    }
    try copy.finish(&archive)
    return try archive.data()
  }

  /// Adds entries to an object that has none of their keys. In one step, because an object can have many.
  private static func add(
    _ unknown: [KeyedArchive.Entry], to uid: ArchiveUID, of archive: inout KeyedArchive, _ copy: inout GraphCopy
  ) throws {
    guard !unknown.isEmpty else { return }
    guard case .instance(let record, let entries) = try archive.object(uid) else {
      throw KeyedArchiveError(
        .typeMismatch, "unknown keys cannot be kept: object \(uid) of the new archive is not an instance of a class",
        uid: uid, remedy: "Let the model encode itself as an object with keys")
    }
    let added = try copy.entries(unknown, to: &archive)
    try archive.setStoredObject(uid, to: .instance(class: record, entries + added))
  }
}
