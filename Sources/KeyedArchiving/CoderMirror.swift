// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// Swift's runtime ends the process when a mirror reads a stored property whose type cannot be copied, as those of the
// coders. `dump` makes mirrors, and so do test frameworks to describe the arguments of a failed expectation.

extension KeyedArchiver: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}

extension KeyedUnarchiver: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
