// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import PropertyListFormat
import SystemFiles

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
  private var stack: [(path: String, names: [FileName])] = []
  private var next: Item?

  /// Begins at a path, which may be a link.
  /// - Parameters:
  ///   - path: A folder or a file.
  ///   - readsPipe: Whether the path may be a pipe. Reading one waits for its writer.
  init(_ path: String, readsPipe: Bool) {
    guard !path.isEmpty, !path.contains("\0") else {
      next = .failure(path, InputBytes.missing)
      return
    }
    do throws(SystemError) {
      switch try FileKind(of: path) {
      case .none: next = .failure(path, InputBytes.missing)
      case .folder: open(path)
      case .file: next = .file(path, byteCount: InputFile.byteCount(path) ?? 0)
      case .pipe where readsPipe: next = .pipe(path)
      case .pipe, .other: next = .failure(path, Self.notRegular)
      }
    } catch {
      next = .failure(path, InputBytes.failure(error))
    }
  }

  /// Visits nothing but a path that cannot be read.
  init(_ path: String, failing failure: Failure) { next = .failure(path, failure) }

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
      let path = stack[last].path
      visit(path.hasSuffix("/") ? path + name.text : "\(path)/\(name.text)", name)
    }
  }

  private mutating func open(_ path: String) {
    do throws(SystemFailure) {
      stack.append((path, try OpenFolder(path).names().sorted(by: >)))
    } catch {
      next = .failure(path, Failure.unreadable(error.text))
    }
  }

  private mutating func visit(_ path: String, _ name: FileName) {
    guard name.isText else {
      next = .failure(path, InputFile.invalidName)
      return
    }
    do throws(SystemError) {
      let status = try Descriptor.working.status(of: FileName(path))
      switch status.kind {
      case .folder: open(path)
      case .file: next = .file(path, byteCount: status.byteCount)
      case .link, .other: break
      }
    } catch {
      next = .failure(path, Failure.unreadable(error.message))
    }
  }

  /// `-` is a list of files for this command, so the remedy is another one than that of ``InputFile/notRegular``.
  private static let notRegular = Failure(
    .unreadable, "fileAccess", "is not a regular file", remedy: "Write the bytes to a file")
}
