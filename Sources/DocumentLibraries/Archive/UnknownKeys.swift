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
    for entry in entries where unknownKeys.contains(entry.key) {
      let value = try copy.value(entry.value, to: &archive)
      try archive.setValue(value, forKey: entry.key, of: newRoot)
    }
    for match in matches {
      for entry in match.unknown {
        let value = try copy.value(entry.value, to: &archive)
        try archive.setValue(value, forKey: entry.key, of: match.new)
      }
    }
    for entry in unknownTop {
      let value = try copy.value(entry.value, to: &archive)
      try archive.setTopValue(value, forKey: entry.key)
    }
    try copy.finish(&archive)
    return try archive.data()
  }
}
