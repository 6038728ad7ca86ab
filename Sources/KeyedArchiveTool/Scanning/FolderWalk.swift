// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import PropertyListFormat

/// Visits the files in folders, in the byte order of names.
///
/// Links in folders are skipped, which excludes cycles. Devices, sockets, and pipes in folders are not opened. Memory
/// holds the names of the folders on the current path.
struct FolderWalk {
  /// A regular file, a pipe that is the whole walk, or a failure.
  enum Item: Sendable {
    case file(String, byteCount: Int)
    case pipe(String)
    case failure(String, Failure)
  }

  /// The folders on the current path, each with its remaining names in reverse order.
  private var stack: [(path: String, names: [String])] = []
  private var next: Item?

  /// Begins at a path, which may be a link.
  /// - Parameters:
  ///   - path: A folder or a file.
  ///   - readsPipe: Whether the path may be a pipe. Reading one waits for its writer.
  init(_ path: String, readsPipe: Bool) {
    guard !path.isEmpty, !path.contains("\0") else {
      next = .failure(path, InputFile.missing)
      return
    }
    switch FileKind(path) {
    case .none: next = .failure(path, InputFile.missing)
    case .folder: open(path)
    // The size is that of the link's target.
    case .file: next = Self.file(URL(filePath: path).resolvingSymlinksInPath().path, as: path)
    case .pipe where readsPipe: next = .pipe(path)
    case .pipe, .other: next = .failure(path, Self.notRegular)
    }
  }

  /// Returns the next file or failure, or nil at the end.
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
      visit(stack[last].path.hasSuffix("/") ? stack[last].path + name : "\(stack[last].path)/\(name)")
    }
  }

  private mutating func open(_ path: String) {
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: path)
      stack.append((path, names.sorted { $1.utf8.lexicographicallyPrecedes($0.utf8) }))
    } catch {
      next = .failure(path, Failure(.unreadable, "fileAccess", "cannot be read: the folder's names cannot be listed"))
    }
  }

  private mutating func visit(_ path: String) {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
      next = .failure(path, Self.noAttributes)
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
      return .failure(path, noAttributes)
    }
    return .file(path, byteCount: size(attributes))
  }

  /// `-` is a list of files for this command, so the remedy is another one than that of ``InputFile/notRegular``.
  private static let notRegular = Failure(
    .unreadable, "fileAccess", "is not a regular file", remedy: "Write the bytes to a file")

  private static let noAttributes = Failure(.unreadable, "fileAccess", "cannot be read: no access to its attributes")

  private static func size(_ attributes: [FileAttributeKey: Any]) -> Int {
    // The integer type differs between implementations of Foundation.
    if let size = attributes[.size] as? any BinaryInteger { return Int(clamping: size) }
    return attributes[.size] as? Int ?? 0
  }
}
