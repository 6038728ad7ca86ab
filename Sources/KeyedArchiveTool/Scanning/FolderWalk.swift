// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import PropertyListFormat

/// Goes through folders file by file, those in each in the order of their names' bytes.
///
/// Links in folders are passed over, so there is no way in circles; devices, pipes and sockets are not opened. In memory
/// are the names in the folders on the way to a file.
struct FolderWalk {
  /// What is met: a regular file, or what cannot be looked into.
  enum Item {
    case file(String, byteCount: Int)
    case failure(String, Failure)
  }

  /// The folders on the way, each with the names that are left in it, the next one last.
  private var stack: [(path: String, names: [String])] = []
  private var next: Item?

  /// Begins at a path, which may be a link.
  init(_ path: String) {
    guard !path.isEmpty, !path.contains("\0") else {
      next = .failure(path, Failure(.unreadable, "fileAccess", "no such file"))
      return
    }
    switch FileKind(path) {
    case .none: next = .failure(path, Failure(.unreadable, "fileAccess", "no such file"))
    case .folder: open(path)
    // Size and all are those of what a link leads to.
    case .file: next = Self.file(URL(filePath: path).resolvingSymlinksInPath().path, as: path)
    case .other: next = .failure(path, Failure(.unreadable, "fileAccess", "is neither a file nor a folder"))
    }
  }

  /// The next file or failure; nil if there are no more.
  mutating func step() -> Item? {
    while true {
      if let item = next {
        next = nil
        return item
      }
      guard let last = stack.indices.last else { return nil }
      guard let name = stack[last].names.popLast() else {
        stack.removeLast()
        continue
      }
      meet(stack[last].path.hasSuffix("/") ? stack[last].path + name : "\(stack[last].path)/\(name)")
    }
  }

  private mutating func open(_ path: String) {
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: path)
      stack.append((path, names.sorted { $1.utf8.lexicographicallyPrecedes($0.utf8) }))
    } catch {
      next = .failure(path, Failure(.unreadable, "fileAccess", "the folder cannot be read"))
    }
  }

  private mutating func meet(_ path: String) {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
      next = .failure(path, Failure(.unreadable, "fileAccess", "cannot be looked at"))
      return
    }
    switch attributes[.type] as? FileAttributeType {
    case .typeDirectory?: open(path)
    case .typeRegular?: next = .file(path, byteCount: Self.size(attributes))
    default: break
    }
  }

  private static func file(_ target: String, as path: String) -> Item {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: target) else {
      return .failure(path, Failure(.unreadable, "fileAccess", "cannot be looked at"))
    }
    return .file(path, byteCount: size(attributes))
  }

  private static func size(_ attributes: [FileAttributeKey: Any]) -> Int {
    // Which type of integer it is differs from one Foundation to another.
    if let size = attributes[.size] as? any BinaryInteger { return Int(clamping: size) }
    return attributes[.size] as? Int ?? 0
  }
}
