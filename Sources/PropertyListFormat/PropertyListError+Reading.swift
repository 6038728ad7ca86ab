// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension PropertyListError {
  /// The error for a file that could not be read, in plain words where the reason is a common one.
  package static func unreadable(_ url: URL, _ error: any Error) -> PropertyListError {
    let reason =
      switch (error as? CocoaError)?.code {
      case .fileNoSuchFile?, .fileReadNoSuchFile?: "no such file"
      case .fileReadNoPermission?: "permission denied"
      case .fileReadInvalidFileName?: "invalid file name"
      default: "\(error)"
      }
    return PropertyListError(.fileAccess, "could not read '\(url.path)': \(reason)")
  }
}
