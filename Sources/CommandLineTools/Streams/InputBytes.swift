// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat
package import SystemFiles

/// Reads the bytes of files and streams with the limit of readers, and converts the errors of the system.
package enum InputBytes {
  /// Returns the next bytes of a pipe, at most 64 KiB; nil at its end.
  static func nextPiece(of pipe: Descriptor) throws(Failure) -> Data? {
    var piece = Data()
    let count = try asking { () throws(SystemError) in try pipe.readNext(into: &piece, atMost: 1 << 16) }
    return count > 0 ? piece : nil
  }

  /// Reads a file with the limit of readers.
  /// - Parameters:
  ///   - byteCount: The size that the file states, which the error names; nil for a stream.
  ///   - read: Reads the file.
  /// - Returns: The bytes.
  /// - Throws: ``Failure`` if the file cannot be read, or is larger than the limit.
  static func data(
    ofByteCount byteCount: Int?, _ read: (_ limit: Int) throws(SystemError) -> Data
  ) throws(Failure) -> Data {
    let limit = ReadLimits.default.maximumByteCount
    do throws(SystemError) {
      return try read(limit)
    } catch .tooLarge {
      let found = byteCount.flatMap { $0 > limit ? "\($0) bytes; the limit is \(limit)" : nil }
      throw Failure(
        .limitReached, "limitReached", "file too large: \(found ?? "more than \(limit) bytes")",
        remedy: Failure.fixedLimits)
    } catch {
      throw failure(error)
    }
  }

  /// Makes a call to the system, and converts its error.
  static func asking<Result>(_ call: () throws(SystemError) -> Result) throws(Failure) -> Result {
    do {
      return try call()
    } catch {
      throw failure(error)
    }
  }

  /// Returns the failure for an error of the system about a file.
  package static func failure(_ error: SystemError) -> Failure {
    switch error.reason {
    case .notFound: missing
    case .noPermission: .unreadable("permission denied")
    case .link: linkLoop
    default: .unreadable(error.message)
    }
  }

  /// The failure for a missing file.
  package static let missing = Failure(.unreadable, "fileAccess", "no such file")

  /// The failure for a path whose symbolic links lead in a circle.
  private static let linkLoop = Failure(
    .unreadable, "fileAccess", "cannot be read: too many levels of symbolic links",
    remedy: "The links lead in a circle; show them with 'ls -l'")
}
