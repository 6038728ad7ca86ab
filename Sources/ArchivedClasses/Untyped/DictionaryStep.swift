// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A step of a key path to a value of a dictionary.
package enum DictionaryStep {
  /// Returns the text of the step for a key.
  ///
  /// The middle of a long key is removed. Hundreds of nested dictionaries can share one key of any length, and the path has
  /// a step for each of them.
  /// - Parameter key: The key.
  /// - Returns: The text, such as `["name"]`.
  package static func text(_ key: String) -> String { "[\(MessageText.shortened(key).debugDescription)]" }
}
