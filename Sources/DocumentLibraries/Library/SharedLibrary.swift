// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import SystemFiles

/// A library that a program opens at its first use, and then keeps.
package final class SharedLibrary<Model: DocumentModel>: Sendable {
  private let library = Locked<DocumentLibrary<Model>?>(nil)

  /// Creates a library that is not open.
  package init() {}

  /// Returns the library, and opens it unless it is open.
  /// - Parameter folder: The library's folder, evaluated when it is opened.
  /// - Returns: The library.
  /// - Throws: ``LibraryError`` if the library cannot be opened. The next call tries it again.
  package func opened(at folder: @autoclosure () -> URL) throws(LibraryError) -> DocumentLibrary<Model> {
    try library.withLock { (library) throws(LibraryError) in
      if let library { return library }
      let opened = try DocumentLibrary<Model>(at: folder())
      library = opened
      return opened
    }
  }
}
