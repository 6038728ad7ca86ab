// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A property of a system that files need beyond Foundation's calls.
///
/// Windows, Wasm and Android have no C library that the package imports, so they have none of these there. The raw value
/// completes the sentence "this system has no ...".
package enum Capability: String, Sendable, CaseIterable {
  case openFiles = "calls for open files"
  case openFolders = "calls for open folders"
  case fileLocks = "file locks"
  case atomicExchange = "atomic exchange of two files"
  case hardLinks = "hard links"
  case durableReplacement = "durable replacement of files"
  case folderNotices = "notices of changes in folders"

  /// Whether calls for the capability exist. A file system can lack it nevertheless, and a call then fails.
  package var isAvailable: Bool { self == .folderNotices ? FolderNotices.isAvailable : Descriptor.isAvailable }

  /// The problem of a call on a system without the capability.
  package var problem: String { "this system has no \(rawValue)" }

  /// The number of its ``SystemError``. No system has negative error numbers.
  var errorNumber: Int32 {
    switch self {
    case .openFiles: -1
    case .openFolders: -2
    case .fileLocks: -3
    case .atomicExchange: -4
    case .hardLinks: -5
    case .durableReplacement: -6
    case .folderNotices: -7
    }
  }
}
