// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import PropertyListFormat

/// Reading what a file argument names.
package enum InputFile {
  /// The bytes of a file; of standard input for `-`.
  package static func read(_ path: String, on console: Console) throws(Failure) -> Data {
    if path == "-" { return try console.input.readAll() }
    guard !path.isEmpty, !path.contains("\0") else { throw missing }
    do {
      return try Data(contentsOf: URL(filePath: path))
    } catch let error as CocoaError {
      throw failure(error, path)
    } catch {
      throw Failure(.unreadable, "fileAccess", "cannot be read: \(error)")
    }
  }

  /// Some bytes of a file, fewer where it ends.
  package static func read(_ path: String, at offset: Int, count: Int) throws(Failure) -> Data {
    guard !path.contains("\0"), let bytes = Terminal.readPart(of: path, at: offset, count: count) else {
      throw Failure(.unreadable, "fileAccess", "cannot be read")
    }
    return Data(bytes)
  }

  private static let missing = Failure(.unreadable, "fileAccess", "no such file")

  private static func failure(_ error: CocoaError, _ path: String) -> Failure {
    switch error.code {
    case .fileReadNoSuchFile, .fileNoSuchFile, .fileReadInvalidFileName: return missing
    case .fileReadNoPermission: return Failure(.unreadable, "fileAccess", "no permission to read it")
    default:
      if FileKind(path) == .folder { return Failure(.unreadable, "fileAccess", "is a folder, not a file") }
      return Failure(.unreadable, "fileAccess", "cannot be read: \(error)")
    }
  }
}
