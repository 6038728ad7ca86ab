// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import SystemFiles
import TestSupport
import TypedDefaults

/// A temporary location of a store's file. Releasing it removes the file.
final class StoreLocation: Sendable {
  private let folder: ScratchFolder
  let url: URL
  let reports = Locked<[DefaultsError]>([])

  init(_ name: String = "defaults.plist") throws {
    let folder = try ScratchFolder()
    url = folder.url.appending(path: name)
    self.folder = folder
  }

  /// Creates a location with files by their names.
  convenience init(files: [String: Data]) throws {
    try self.init()
    for (name, bytes) in files {
      try bytes.write(to: url.deletingLastPathComponent().appending(path: name))
    }
  }

  /// Returns options that record reports and watch no changes.
  func options(_ durability: FileStore.Durability = .written) -> FileStore.Options {
    var options = FileStore.Options()
    options.durability = durability
    options.watching = nil
    // On a busy machine the holder of the lock can be suspended for a long time.
    options.patience = .seconds(3600)
    options.reports = { [weak self] error in self?.reports.withLock { $0.append(error) } }
    return options
  }

  func store(_ durability: FileStore.Durability = .written) throws -> FileStore {
    try FileStore(at: url, options: options(durability))
  }

  var reported: [DefaultsError] { reports.withLock { $0 } }

  /// Returns the content of the file as Foundation reads it.
  func file() throws -> [String: Any]? {
    try unsafe PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil) as? [String: Any]
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path).sorted() }
  }
}
