// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension StorageSteps {
  /// The entries of a document's folder. An entry that a lookup of one of `names` finds has that name, also if the disk
  /// keeps another spelling of it.
  ///
  /// Some disks ignore the case of letters, or the composition of accents. A lookup of `photo.jpg` then finds the file
  /// `Photo.JPG` of another program. A listing has the other name.
  func entries(
    of folder: StoragePath, spelledAs names: [StorageName]
  ) throws(StorageError) -> [(name: StorageName, kind: StorageStatus.Kind)] {
    let entries = try entries(of: folder)
    return Self.respelled(entries, try otherSpellings(of: names, in: folder, entries))
  }

  /// A listing with the names that were looked up in place of those of the entries.
  static func respelled(
    _ entries: [(name: StorageName, kind: StorageStatus.Kind)], _ spellings: [StorageName: StorageName]
  ) -> [(name: StorageName, kind: StorageStatus.Kind)] {
    guard !spellings.isEmpty else { return entries }
    let names = Dictionary(spellings.map { ($0.value, $0.key) }) { $1 }
    return entries.map { (names[$0.name] ?? $0.name, $0.kind) }
  }

  /// The names of those entries that a lookup finds by another name.
  ///
  /// Only a folder with unknown entries takes calls: one for each name that the listing lacks. If the lookup succeeds, each
  /// unknown entry takes one, too.
  /// - Parameters:
  ///   - names: The names to look up.
  ///   - folder: The folder.
  ///   - entries: The listing of the folder.
  /// - Returns: The entries' own names, by the names that were looked up.
  /// - Throws: ``StorageError`` if an entry cannot be looked up.
  func otherSpellings(
    of names: [StorageName], in folder: StoragePath, _ entries: [(name: StorageName, kind: StorageStatus.Kind)]
  ) throws(StorageError) -> [StorageName: StorageName] {
    var spellings: [StorageName: StorageName] = [:]
    let (known, listed) = (Set(names), Set(entries.map(\.name)))
    let unknown = entries.map(\.name).filter { !known.contains($0) }
    for name in names where !listed.contains(name) {
      // What a save or a repair has kept is hidden, and can be a second name of the file.
      let candidates = unknown.filter { $0.isHidden == name.isHidden }
      guard !candidates.isEmpty, let identity = try status(of: folder / name)?.identity else { continue }
      var found: [StorageName] = []
      for candidate in candidates where try status(of: folder / candidate)?.identity == identity {
        found.append(candidate)
      }
      // Another name of the file can be a link by the user.
      spellings[name] = found.first { $0.isEqualIgnoringCase(name) } ?? found.first
    }
    return spellings
  }
}

extension StorageName {
  /// Returns whether two names differ at most in the case of ASCII letters.
  fileprivate func isEqualIgnoringCase(_ other: Self) -> Bool {
    func lowercased(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }
    return bytes.lazy.map(lowercased).elementsEqual(other.bytes.lazy.map(lowercased))
  }
}

extension DocumentModel {
  /// The names of the data file and of the attachments.
  static var fileNames: [StorageName] { ([dataFileName] + attachmentNames).map { StorageName($0) } }
}
