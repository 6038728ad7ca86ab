// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A type that answers to more class names than it can list, such as those of all units.
package protocol ArchivedClassMatching: KeyedCoding {
  /// Whether an object of this class may be decoded as the type.
  static func matches(_ description: ClassDescription) -> Bool
}
