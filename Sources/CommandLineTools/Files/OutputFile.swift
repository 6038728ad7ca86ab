// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import PropertyListFormat

/// Writing a result where an argument says.
package enum OutputFile {
  /// Writes all bytes to a file, or to standard output for `-`.
  ///
  /// A file is there in its old form or in its new one, never half written: the bytes go to a temporary file beside it,
  /// which then takes its name. A device or pipe cannot be replaced and is written to as it is.
  package static func write(_ data: Data, to path: String, isBinary: Bool, force: Bool, on console: Console)
    throws(Failure)
  {
    if path == "-" {
      if isBinary, console.output.isTerminal, !force {
        throw Failure(
          .notWritten, "terminal", "binary data is not written to a terminal",
          remedy: "Name a file with -o, or say --force")
      }
      console.output.write([UInt8](data))
      return
    }
    let kind = FileKind(path)
    guard !path.isEmpty, !path.contains("\0"), kind != .folder else {
      throw Failure(.notWritten, "fileAccess", "cannot write '\(path)': it is no name of a file", remedy: remedy)
    }
    // A link keeps pointing where it does; what it points to is replaced.
    let url = URL(filePath: path).resolvingSymlinksInPath()
    do {
      if kind == .other {
        try data.write(to: url)
      } else {
        try DurableFile.write(data, to: url)
      }
    } catch {
      throw Failure(.notWritten, "fileAccess", "cannot write '\(path)': \(error)", remedy: remedy)
    }
  }

  private static let remedy = "Name a file in a folder that exists and may be written to with -o"
}
