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

/// A file that a command imports or verifies.
enum ExchangeFile {
  /// A file of `export`. One from a pipe, which has no random access, is in a temporary file.
  case backup(BackupSource)
  case other(Data)

  /// Opens a file, and recognizes one of `export` by the first bytes of a ZIP file.
  init(_ path: String, on console: Console) throws(Failure) {
    let signature: [UInt8] = [0x50, 0x4B]
    if FileKind(path) == .file, try InputFile.read(path, at: 0, count: 2).elementsEqual(signature) {
      let url = try URL(argument: path)
      do {
        self = .backup(try BackupSource(contentsOf: url))
      } catch {
        throw Failure(error)
      }
      return
    }
    // The beginning, and then the whole of a file that is not of `export`.
    var data = Data()
    var spool: BackupSpool?
    let limit = ReadLimits.default.maximumByteCount
    try InputFile.forEachPiece(of: path, on: console) { (piece) throws(Failure) in
      do {
        if let spool { return try spool.write(piece) }
        guard data.count <= limit else { return }
        data += piece
        guard data.starts(with: signature) else { return }
        let new = try BackupSpool()
        try new.write(data)
        spool = new
        data = Data()
      } catch {
        throw Failure(any: error)
      }
    }
    self = spool.map { .backup($0.source()) } ?? .other(data)
  }
  /// The bytes as a backup. Those of another file are rejected when they are read.
  var source: BackupSource {
    switch self {
    case .backup(let source): source
    case .other(let data): BackupSource(data)
    }
  }
}
