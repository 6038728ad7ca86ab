// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A command line that is not understood.
package struct UsageError: Error {
  /// What is wrong with it.
  package var detail: String
  /// What to do about it.
  package var remedy: String?

  /// Makes an error.
  package init(_ detail: String, remedy: String? = nil) {
    self.detail = detail
    self.remedy = remedy
  }
}
