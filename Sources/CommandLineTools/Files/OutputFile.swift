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
      if console.output.isTerminal, !force { try refuse(data, isBinary: isBinary) }
      console.output.write([UInt8](data))
      return
    }
    let kind = FileKind(path)
    guard !path.isEmpty, !path.contains("\0"), kind != .folder else {
      throw Failure(.notWritten, "fileAccess", "cannot write '\(path)': it is no name of a file", remedy: remedy)
    }
    // A link keeps pointing where it does; what it points to is replaced.
    let url = URL(filePath: path).resolvingSymlinksInPath()
    do throws(PropertyListError) {
      if kind == .other {
        try DurableFile.write(data, toDevice: url)
      } else {
        try DurableFile.write(data, to: url)
      }
    } catch {
      // It names the file.
      throw Failure(.notWritten, "fileAccess", "\(error)", remedy: remedy)
    }
  }

  /// Refuses what a terminal would obey and not show.
  private static func refuse(_ data: Data, isBinary: Bool) throws(Failure) {
    let what: String
    if isBinary {
      what = "binary data is"
    } else if String(decoding: data, as: UTF8.self).unicodeScalars.contains(where: {
      $0 != "\n" && $0 != "\t" && EscapedText.isHostile($0)
    }) {
      what = "text with control characters is"
    } else {
      return
    }
    throw Failure(
      .notWritten, "terminal", "\(what) not written to a terminal",
      remedy: "Name a file with -o or '>', or say --force")
  }

  private static let remedy = "Name a file in a folder that exists and may be written to with -o"
}
