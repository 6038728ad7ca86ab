// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import Synchronization
import TestSupport
import TypedDefaults

/// A place for a store's file, gone when the test is over.
final class Place: Sendable {
  private let folder: Mutex<ScratchFolder>
  let url: URL
  let reports = Mutex<[DefaultsError]>([])

  init(_ name: String = "defaults.plist") throws {
    let folder = try ScratchFolder()
    url = folder.url.appending(path: name)
    self.folder = Mutex(folder)
  }

  /// Options that keep reports, with which only what is asked for happens.
  func options(_ durability: FileStore.Durability = .written) -> FileStore.Options {
    var options = FileStore.Options()
    options.durability = durability
    options.watching = nil
    // Who has the lock may be kept from going on for long where much else is running.
    options.patience = .seconds(3600)
    options.reports = { [weak self] error in self?.reports.withLock { $0.append(error) } }
    return options
  }

  func store(_ durability: FileStore.Durability = .written) throws -> FileStore {
    try FileStore(at: url, options: options(durability))
  }

  var reported: [DefaultsError] { reports.withLock { $0 } }

  /// What the file holds by another reader's account.
  func file() throws -> [String: Any]? {
    try unsafe PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil) as? [String: Any]
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path).sorted() }
  }
}
