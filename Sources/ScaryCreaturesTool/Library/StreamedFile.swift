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

/// A file that is written piece by piece and there when it is finished, or standard output.
final class StreamedFile {
  private enum Target {
    case output(TextOutput)
    case file(DurableFileWriter)
  }

  private let target: Target

  /// Begins; what has the name now stays until the end.
  init(_ path: String, force: Bool, on console: Console) throws(Failure) {
    guard path != "-" else {
      guard !console.output.isTerminal || force else {
        throw Failure(
          .notWritten, "terminal", "binary data is not written to a terminal",
          remedy: "Name a file with -o, or say --force")
      }
      target = .output(console.output)
      return
    }
    let kind = FileKind(path)
    guard kind == .none || kind == .file else {
      throw Failure(
        .notWritten, "fileAccess", "cannot write '\(path)': it is a folder, a device or a pipe",
        remedy: "Name a file, or say '-o -' and redirect the output")
    }
    do {
      target = .file(try DurableFileWriter(URL(filePath: path)))
    } catch {
      throw Failure(error)
    }
  }

  func write(_ bytes: Data) throws {
    switch target {
    case .output(let output): output.write([UInt8](bytes))
    case .file(let file): try file.write(bytes)
    }
  }

  /// Gives the file its name.
  func finish() throws {
    if case .file(let file) = target { try file.finish() }
  }

  /// Leaves nothing behind.
  func discard() {
    if case .file(let file) = target { file.discard() }
  }
}
