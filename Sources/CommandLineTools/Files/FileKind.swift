// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// What is at a path.
package enum FileKind {
  /// Nothing, a regular file, a folder.
  case none, file, folder
  /// A device, pipe or socket.
  case other

  /// Finds out, through links.
  package init(_ path: String) {
    guard let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType else {
      self = .none
      return
    }
    switch type {
    case .typeRegular: self = .file
    case .typeDirectory: self = .folder
    case .typeSymbolicLink:
      let url = URL(filePath: path).resolvingSymlinksInPath()
      // What cannot be resolved, such as a link that leads in a circle, stays itself.
      self = url.path == path ? .other : FileKind(resolved: url)
    default: self = .other
    }
  }

  private init(resolved url: URL) {
    switch try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType {
    case .typeRegular?: self = .file
    case .typeDirectory?: self = .folder
    case nil: self = .none
    default: self = .other
    }
  }
}
