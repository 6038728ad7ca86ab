// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import SystemFiles

/// Writing files durably and atomically, with the errors of this module.
package enum DurableFile {
  /// Replaces a file so that a crash, of the program or of the machine, leaves the old content or the new.
  /// - Parameters:
  ///   - data: The new content.
  ///   - url: The file. If it is a symbolic link, the file that it leads to is replaced. A pipe or device receives the bytes.
  ///   - isDurable: Whether the content outlasts a crash of the machine. Pass `false` for a file that can be made again.
  /// - Throws: ``PropertyListError`` with code ``PropertyListError/Code/fileAccess``; the old file is then
  ///   untouched, unless only its folder could not be flushed.
  package static func write(
    _ data: Data, to url: URL, durably isDurable: Bool = true
  ) throws(PropertyListError) {
    guard url.isFileURL else {
      throw PropertyListError(.fileAccess, "could not write \(url): it is not the URL of a file")
    }
    guard Descriptor.isAvailable else {
      do {
        return try data.write(to: url.resolvingSymlinksInPath(), options: .atomic)
      } catch {
        throw PropertyListError(.fileAccess, "could not write \(url.path): \(error)")
      }
    }
    try attempt { () throws(SystemFailure) in try WholeFile.write(data, to: url, durably: isDurable) }
  }

  private static func attempt(_ body: () throws(SystemFailure) -> Void) throws(PropertyListError) {
    do {
      try body()
    } catch {
      let reason =
        switch error.error.reason {
        case .notFound: "the folder does not exist"
        case .noPermission: "no permission"
        case .noSpace: "the disk is full"
        case .readOnly: "the disk is read-only"
        default: error.error.message
        }
      throw PropertyListError(.fileAccess, "could not \(error.call): \(reason)")
    }
  }
}

extension PropertyList {
  /// Writes the list to a file atomically: after a crash, the file has the old content or the new one. A pipe or device is not
  /// replaced, and receives the bytes.
  /// - Parameters:
  ///   - url: The file.
  ///   - format: The format to write. The default is the format of the input.
  /// - Throws: The errors of ``data(format:)``, and ``PropertyListError`` with code
  ///   ``PropertyListError/Code/fileAccess`` if the file cannot be written.
  public func write(to url: URL, format: Format? = nil) throws(PropertyListError) {
    try DurableFile.write(data(format: format), to: url)
  }
}
