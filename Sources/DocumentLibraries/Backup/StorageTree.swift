// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ZipContainers

/// The files and folders in a folder, or a single file, which has an empty path.
struct StorageTree {
  /// The file in which the Finder keeps the look of a folder.
  static let finderFile: StorageName = ".DS_Store"

  /// Whether a file says nothing about the content of a document: one of the Finder, or what the last save replaced.
  static func isIgnored(_ path: [StorageName]) -> Bool {
    guard let name = path.last else { return false }
    return name == finderFile || (path.count == 1 && FormerFileName(name) != nil)
  }

  private(set) var isFolder = false
  /// The sizes of the files, without those of the Finder, and without what the last save replaced.
  private(set) var files: [[StorageName]: Int] = [:]
  private(set) var folders: Set<[StorageName]> = []
  /// The own names of files in the root that are found by another name, by that name.
  private var spellings: [StorageName: StorageName] = [:]

  /// Lists a tree, which can be a document with files that are found by `names`. The result is nil if the entry does not
  /// exist, or if the tree cannot be in a backup. That is one with links or special files, or one that is too deep.
  init?(_ root: StoragePath, _ steps: StorageSteps, spelledAs names: [StorageName]) throws(StorageError) {
    guard let status = try steps.status(of: root) else { return nil }
    guard status.kind == .folder else {
      guard status.kind == .file else { return nil }
      files = [[]: status.byteCount]
      return
    }
    isFolder = true
    var pending: [[StorageName]] = [[]]
    while let folder = pending.popLast() {
      let entries = try steps.entries(of: StoragePath(root.names + folder))
      if folder.isEmpty { spellings = try steps.otherSpellings(of: names, in: root, entries) }
      for (name, kind) in entries {
        let path = folder + [name]
        switch kind {
        case .folder:
          // The time grows with the square of the depth.
          guard root.names.count + path.count <= ZipLimits.default.maximumDepth else { return nil }
          folders.insert(path)
          pending.append(path)
        case .file:
          guard !Self.isIgnored(path) else { continue }
          guard let status = try steps.status(of: StoragePath(root.names + path)) else { return nil }
          files[path] = status.byteCount
        default: return nil
        }
      }
    }
  }

  /// The names and the sizes, and the same ones with the names that files are found by, which a backup has.
  var shapes: [Shape] {
    let shape = Shape(isFolder: isFolder, files: files, folders: folders)
    guard !spellings.isEmpty else { return [shape] }
    var other = shape
    for (name, own) in spellings { other.files[[name]] = other.files.removeValue(forKey: [own]) }
    return [shape, other]
  }

  /// Only trees of equal shapes can be equal.
  struct Shape: Hashable {
    var isFolder: Bool
    var files: [[StorageName]: Int]
    var folders: Set<[StorageName]>
  }
}

extension BackupUnit {
  var shape: StorageTree.Shape {
    StorageTree.Shape(isFolder: isFolder, files: files.mapValues(\.byteCount), folders: folders)
  }
}
