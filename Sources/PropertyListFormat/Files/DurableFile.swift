// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import SystemFiles

/// Files that are there in their old form or in their new one, whatever happens while they are written.
package enum DurableFile {
  /// Writes a file so that a crash, of the program or of the machine, leaves the old content or the new.
  ///
  /// The bytes go to a hidden file beside it and to the disk before that file takes the name, and the folder to the disk
  /// after it has.
  /// - Throws: ``PropertyListError`` with code ``PropertyListError/Code/fileAccess``; the old file is then untouched.
  package static func write(_ data: Data, to url: URL) throws(PropertyListError) {
    // A link keeps pointing where it does; what it points to is replaced.
    let url = url.resolvingSymlinksInPath()
    let folder = url.deletingLastPathComponent()
    let temporary = folder.appending(path: ".\(UUID().uuidString)")
    guard Descriptor.isAvailable else {
      // Foundation's own way of replacing a file.
      do {
        return try data.write(to: url, options: .atomic)
      } catch {
        throw failure("write", url, reason(error))
      }
    }
    func discard() { try? FileManager.default.removeItem(at: temporary) }
    let permissions = try? FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions]
    func permit(_ permissions: Any) throws {
      try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: temporary.path)
    }
    do {
      try Data().write(to: temporary, options: .withoutOverwriting)
      // What nobody else may read nobody reads while it is written.
      if permissions != nil { try permit(0o600) }
      try data.write(to: temporary)
      if let permissions { try permit(permissions) }
    } catch {
      discard()
      throw failure("write", url, reason(error))
    }
    do throws(SystemError) {
      try flush(temporary)
    } catch {
      discard()
      throw failure("write", url, error.message)
    }
    do throws(SystemError) {
      try Descriptor.working.move(FileName(temporary.path), to: .working, FileName(url.path))
    } catch {
      discard()
      throw failure("replace", url, error.message)
    }
    // Some file systems cannot flush a folder; the file itself is safe by now.
    try? flush(folder)
  }

  /// Writes to what cannot be replaced, such as a device or a pipe.
  /// - Throws: as ``write(_:to:)``.
  package static func write(_ data: Data, toDevice url: URL) throws(PropertyListError) {
    do {
      try data.write(to: url)
    } catch {
      throw failure("write", url, reason(error))
    }
  }

  private static func failure(_ what: String, _ url: URL, _ why: String) -> PropertyListError {
    PropertyListError(.fileAccess, "could not \(what) \(url.path): \(why)")
  }

  private static func flush(_ url: URL) throws(SystemError) {
    let descriptor = try Descriptor.working.open(FileName(url.path), for: .reading, followingLinks: true)
    defer { try? descriptor.close() }
    try descriptor.flush()
  }

  private static func reason(_ error: any Error) -> String {
    switch (error as? CocoaError)?.code {
    case .fileNoSuchFile?, .fileReadNoSuchFile?: "there is no such folder"
    case .fileWriteNoPermission?: "no permission"
    case .fileWriteOutOfSpace?: "the disk is full"
    case .fileWriteVolumeReadOnly?: "the disk is read-only"
    default: "\(error)"
    }
  }
}

extension PropertyList {
  /// Writes the list to a file, which is there in its old form or in its new one whatever happens meanwhile.
  /// - Parameters:
  ///   - url: the file.
  ///   - format: the format to write, the one that was read unless given.
  /// - Throws: ``PropertyListError``, with code ``PropertyListError/Code/fileAccess`` if the file cannot be written.
  public func write(to url: URL, format: Format? = nil) throws(PropertyListError) {
    try DurableFile.write(data(format: format), to: url)
  }
}
