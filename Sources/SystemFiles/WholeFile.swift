// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Reading files whole.
///
/// Files are read into memory and not mapped. If another program cuts a mapped file off, the next access to its lost part
/// ends the process; what was read stays.
package enum WholeFile {
  /// The bytes of a file, in one block of memory. Links are followed.
  /// - Throws: ``SystemError``; its reason is ``SystemError/Reason/notAFile`` for a folder, a pipe or a device.
  package static func bytes(at path: String) throws(SystemError) -> [UInt8] {
    let file = try SystemError.repeating { () throws(SystemError) in
      try Descriptor.working.open(FileName(path), for: .reading, followingLinks: true)
    }
    defer { try? file.close() }
    let status = try file.status()
    guard status.kind == .file else { throw .notAFile }
    return try file.readAll(expecting: status.byteCount)
  }
}
