// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Numbers of things.
package enum CountText {
  /// Such as `1 object` or `2 objects`, for nouns with a regular plural.
  package static func text(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
