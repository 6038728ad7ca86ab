// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import DocumentLibraries
import PropertyListFormat
import SystemFiles

/// A file that is written in pieces and replaces the old one at the end, or standard output.
final class StreamedFile {
  private enum Target {
    case output(TextOutput)
    case file(DurableFileWriter)
  }

  private let target: Target

  /// Opens the file. The old one remains until ``finish()``.
  init(_ path: String, force: Bool, on console: Console) throws(Failure) {
    guard OutputFile.stream(path) != 1 else {
      guard !console.output.isTerminal || force else {
        throw Failure(
          .notWritten, "terminal", "cannot write binary data to a terminal",
          remedy: "Pass a file with -o, or --force")
      }
      target = .output(console.output)
      return
    }
    let kind = FileKind(path)
    guard OutputFile.stream(path) == nil, path.utf8.last != 0x2F, kind == .none || kind == .file else {
      let isCircle = (try? WholeFile.linkEnd(of: path)) == nil
      let found = isCircle ? "symbolic links that lead in a circle" : "a folder, a device or a pipe"
      throw Failure(
        .notWritten, "fileAccess", "cannot write '\(path)': found \(found)",
        remedy: "Pass a file, or use '-o -' and redirect the output")
    }
    let url = try OutputFile.url(path)
    do {
      target = .file(try DurableFileWriter(url))
    } catch {
      throw Failure(error)
    }
  }

  func write(_ bytes: Data) throws {
    switch target {
    case .output(let output):
      output.write([UInt8](bytes))
      try OutputFile.checkReader(of: output)
    case .file(let file): try file.write(bytes)
    }
  }

  /// Replaces the old file, or writes the rest to standard output.
  func finish() throws {
    switch target {
    case .output(let output):
      output.flush()
      try OutputFile.checkReader(of: output)
    case .file(let file): try file.finish()
    }
  }

  func discard() {
    if case .file(let file) = target { file.discard() }
  }
}
