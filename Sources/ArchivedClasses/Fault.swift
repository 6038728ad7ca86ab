// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// The reason why a value is invalid. A decoder rejects such a value, so it is not archived either: a saved file could
/// not be opened again.
struct Fault {
  var code: KeyedArchiveError.Code
  var detail: String
  /// The key of the invalid or missing value.
  var key: String?

  init(_ detail: String, code: KeyedArchiveError.Code = .malformedValue, key: String? = nil) {
    self.code = code
    self.detail = detail
    self.key = key
  }
}

extension KeyedUnarchiver {
  /// Throws an error if a decoded value is invalid.
  func check(_ fault: Fault?) throws {
    if let fault { throw error(fault) }
  }

  /// Returns the error for a value that the archive lacks.
  func missing(_ detail: String, key: String? = nil) -> KeyedArchiveError {
    error(Fault(detail, code: .valueNotFound, key: key))
  }

  private func error(_ fault: Fault) -> KeyedArchiveError {
    KeyedArchiveError(
      fault.code, fault.detail, at: place(to: fault.key),
      remedy: fault.code == .malformedValue ? nil : PropertyListError.useAnotherCopy)
  }
}

extension KeyedArchiver {
  /// Returns whether a value is valid. Archiving fails if it is not.
  func isValid(_ fault: Fault?) -> Bool {
    guard let fault else { return true }
    failWithError(
      KeyedArchiveError(
        .notEncodable, fault.detail, remedy: "Correct the value: a decoder would reject it"))
    return false
  }
}
