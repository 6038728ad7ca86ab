// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// The name of a hidden file in a document's folder that keeps what the last save replaced.
///
/// `.Data.plist.previous-12-0123456789abcdef` is the former `Data.plist`. `.photo.jpg.absent-12-0123456789abcdef` is
/// empty: the save added `photo.jpg`. 12 is the number of the save. The digits are a hash of the files that it wrote.
/// `.Data.plist.earlier-12-0123456789abcdef` was the former `Data.plist` until a save of attachments. An undo does not use
/// it, but a repair does.
struct FormerFileName: Equatable {
  /// The kinds of kept files.
  enum Kind: String, CaseIterable {
    /// The former content.
    case previous
    /// That the document did not have the file.
    case absent
    /// The former content before the save before the last one.
    case earlier
  }

  /// The document's file.
  var file: StorageName
  var kind: Kind
  var save: FormerSave.ID

  init(_ file: StorageName, _ kind: Kind, _ save: FormerSave.ID) {
    self.file = file
    self.kind = kind
    self.save = save
  }

  /// Parses a name. The result is nil for any other name.
  init?(_ name: StorageName) {
    let bytes = name.bytes
    guard name.isHidden, let dot = bytes.lastIndex(of: 0x2E), dot > 1 else { return nil }
    let suffix = bytes[(dot + 1)...]
    guard let kind = Kind.allCases.first(where: { suffix.starts(with: "\($0.rawValue)-".utf8) }) else { return nil }
    self.kind = kind
    let rest = suffix.dropFirst(kind.rawValue.utf8.count + 1)
    guard let dash = rest.firstIndex(of: 0x2D),
      let number = DocumentNumber.parse(ContiguousArray(rest[..<dash]).span),
      let hash = Self.hash(rest[(dash + 1)...])
    else { return nil }
    file = StorageName(bytes: Array(bytes[1..<dot]))
    guard file.isPlain else { return nil }
    save = FormerSave.ID(number: number, hash: hash)
  }

  /// Parses 16 hexadecimal digits in lower case.
  static func hash(_ digits: ArraySlice<UInt8>) -> UInt64? {
    let text = String(decoding: digits, as: UTF8.self)
    guard let hash = UInt64(text, radix: 16), HexText.digits(hash, count: 16) == text else { return nil }
    return hash
  }

  var name: StorageName {
    let suffix = ".\(kind.rawValue)-\(save.number)-\(HexText.digits(save.hash, count: 16))"
    return StorageName(bytes: [0x2E] + file.bytes + Array(suffix.utf8))
  }
}

/// The files of a document that a save replaced.
struct FormerSave {
  /// The identity of the save that replaced the files.
  struct ID: Hashable {
    /// Larger than the numbers of earlier saves.
    var number: Int
    /// The hash of the files that the save wrote. The former files belong to the document as long as it has these.
    var hash: UInt64
  }

  let id: ID
  /// The changed files, each with the name of the file that keeps its former content; nil if the file did not exist.
  private(set) var files: [(name: StorageName, kept: StorageName?)] = []

  /// The former saves in a folder, the latest first. A crash can leave the files of an unfinished save, and those of the
  /// save before the last one.
  static func all(in entries: [(name: StorageName, kind: StorageStatus.Kind)]) -> [FormerSave] {
    var saves: [ID: FormerSave] = [:]
    for (name, kind) in entries where kind == .file {
      guard let former = FormerFileName(name), former.kind != .earlier else { continue }
      saves[former.save, default: FormerSave(id: former.save)].files.append(
        (former.file, former.kind == .absent ? nil : name))
    }
    return saves.values.sorted { ($0.id.number, $0.id.hash) > ($1.id.number, $1.id.hash) }
  }

  private init(id: ID) { self.id = id }

  /// The hash of files; nil stands for a file that does not exist.
  static func hash(_ files: FileChanges) -> UInt64 {
    var bytes = Data()
    for (name, content) in files.sorted(by: { $0.name.bytes.lexicographicallyPrecedes($1.name.bytes) }) {
      bytes += name.bytes + [0, content == nil ? 0 : 1]
      let hash = content.map { FNVHash.of($0.span) } ?? 0
      for shift in stride(from: UInt64(56), through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: hash >> shift))
      }
    }
    return FNVHash.of(bytes.span)
  }
}

/// The treatment of the files that a change replaces.
enum FormerFiles {
  /// Keeps them in place of those of the save before.
  case kept
  /// Keeps nothing, and removes what the save before has kept.
  case discarded
  /// Keeps nothing, and leaves what the save before has kept.
  case unchanged
}

/// A change of files with the names for their former content.
struct KeepingChange {
  var changes: FileChanges
  /// The names for the former content, in the order of the changes; empty if nothing is kept.
  private(set) var former: [FormerFileName] = []
  /// The kept files of earlier saves.
  private(set) var outdated: [StorageName] = []
  /// The kept data files that get another name, so that an undo does not use them.
  private(set) var renamed: [(old: StorageName, new: StorageName)] = []
  /// The names of changed files in the listing, where they differ from those of the model.
  var otherSpellings: [StorageName] = []

  /// Plans a change. The removal of a file that does not exist is left out.
  /// - Parameters:
  ///   - changes: The change.
  ///   - data: The name of the data file. A change of other files leaves its former content for a repair.
  ///   - entries: The entries of the document's folder.
  ///   - policy: The treatment of the files that the change replaces.
  init(
    _ changes: FileChanges, data: StorageName, in entries: [(name: StorageName, kind: StorageStatus.Kind)],
    _ policy: FormerFiles
  ) {
    let kinds = Dictionary(entries.map { ($0.name, $0.kind) }) { $1 }
    let needed = changes.filter { $0.bytes != nil || kinds[$0.name] != nil }
    self.changes = needed
    guard policy != .unchanged else { return }
    // A folder of such a name is not of a save, and must not be removed. No save may want its name.
    let last = entries.compactMap { FormerFileName($0.name)?.save.number }.max() ?? 0
    let saves = entries.filter { $0.kind == .file }.compactMap { FormerFileName($0.name) }
    outdated = saves.map(\.name)
    // Only the former content of files can be kept, not that of a link or a folder, and not with too long a name.
    guard policy == .kept, last < .max, needed.allSatisfy({ kinds[$0.name, default: .file] == .file }) else { return }
    let id = FormerSave.ID(number: last + 1, hash: FormerSave.hash(needed))
    let names = needed.map { FormerFileName($0.name, kinds[$0.name] == nil ? .absent : .previous, id) }
    guard names.allSatisfy({ $0.name.bytes.count <= 255 }) else { return }
    former = names
    guard !needed.contains(where: { $0.name == data }) else { return }
    let retained = saves.filter { $0.file == data && $0.kind != .absent }
    let retainedNames = Set(retained.map(\.name))
    outdated.removeAll { retainedNames.contains($0) }
    renamed = retained.filter { $0.kind == .previous }.map { ($0.name, FormerFileName(data, .earlier, $0.save).name) }
  }
}
