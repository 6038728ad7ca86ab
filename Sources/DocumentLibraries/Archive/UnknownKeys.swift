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
    let oldArchive = try KeyedArchive(old, limits: limits, archivers: .any)
    let knownArchive = try KeyedArchive(known)
    let topKeys = oldArchive.topKeys
    let oldRoot = ([KeyedArchiver.rootKey] + model.formerTopKeys).first { topKeys.contains($0) } ?? topKeys.first
    guard let oldRoot else { return new }
    let knownKeys = Set(knownArchive.root.keys.exact)
    let oldKeys = Set(oldArchive[oldRoot].keys.exact)
    let unknown = oldArchive[oldRoot].keys.filter { key in
      guard !knownKeys.contains(key) else { return false }
      // The successor has the value of a former key, unless the file has both keys.
      return model.formerKeys.first { $0.key == key }.map { oldKeys.contains($0.value) } ?? true
    }
    let unknownTop = try oldArchive.top.filter { $0.key != oldRoot && $0.key != KeyedArchiver.rootKey }
    guard !unknown.isEmpty || !unknownTop.isEmpty else { return new }
    let unknownKeys = Set(unknown.exact)
    var archive = try KeyedArchive(new)
    guard let newRoot = archive.root.uid, let root = oldArchive[oldRoot].uid,
      case .instance(_, let entries) = try oldArchive.object(root)
    else { return new }
    var copy = GraphCopy(from: oldArchive, numbers: [root: newRoot])
    for entry in entries where unknownKeys.contains(entry.key) {
      let value = try copy.value(entry.value, to: &archive)
      try archive.setValue(value, forKey: entry.key, of: newRoot)
    }
    for entry in unknownTop {
      let value = try copy.value(entry.value, to: &archive)
      try archive.setTopValue(value, forKey: entry.key)
    }
    try copy.finish(&archive)
    return try archive.data()
  }
}

/// Copies part of one archive's graph into another. Each object is copied once.
private struct GraphCopy {
  let source: KeyedArchive
  /// The UIDs of the copies by those of the originals.
  private var numbers: [ArchiveUID: ArchiveUID]
  private var pending: [ArchiveUID] = []

  init(from source: KeyedArchive, numbers: [ArchiveUID: ArchiveUID]) {
    self.source = source
    self.numbers = numbers
    self.numbers[ArchiveUID(rawValue: 0)] = ArchiveUID(rawValue: 0)
  }

  /// Copies a value. ``finish(_:)`` completes the objects that it refers to.
  mutating func value(_ value: KeyedArchive.StoredValue, to target: inout KeyedArchive) throws
    -> KeyedArchive.StoredValue
  {
    switch value {
    case .reference(let uid): .reference(try copy(of: uid, in: &target))
    case .array(let values): .array(try values.map { try self.value($0, to: &target) })
    case .dictionary(let entries):
      .dictionary(try entries.map { KeyedArchive.Entry($0.key, try self.value($0.value, to: &target)) })
    default: value
    }
  }

  private mutating func copy(of uid: ArchiveUID, in target: inout KeyedArchive) throws -> ArchiveUID {
    if let number = numbers[uid] { return number }
    let number: ArchiveUID
    if case .classRecord(let description) = try source.object(uid) {
      number = try target.addClass(description)
    } else {
      number = try target.addObject(.null)
      pending.append(uid)
    }
    numbers[uid] = number
    return number
  }

  /// Completes the copies, and copies the objects that they refer to.
  mutating func finish(_ target: inout KeyedArchive) throws {
    while let uid = pending.popLast() {
      guard let number = numbers[uid] else { continue }
      switch try source.object(uid) {
      case .instance(let classUID, let entries):
        let record = try copy(of: classUID, in: &target)
        var copied: [KeyedArchive.Entry] = []
        for entry in entries { copied.append(KeyedArchive.Entry(entry.key, try value(entry.value, to: &target))) }
        try target.setObject(number, to: .instance(class: record, copied))
      case .primitive(let bare): try target.setObject(number, to: .primitive(try value(bare, to: &target)))
      case .null: break
      case .classRecord(let description): try target.setObject(number, to: .classRecord(description))
      }
    }
  }
}
