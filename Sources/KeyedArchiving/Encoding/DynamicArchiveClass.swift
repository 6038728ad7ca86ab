// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A type whose values may be archived under one class or another, as an `NSSet` or an `NSMutableSet` is: what
/// `classForKeyedArchiver` says on Apple's systems.
package protocol DynamicArchiveClass: KeyedCoding {
  /// What the archive records of the class of this value.
  var archivedClass: ClassDescription { get }
  /// What two values have in common that are of one class. It saves asking for the class of each.
  var classVariant: ClassVariant { get }
  /// How an object that was read has its keys; nil for any other value.
  var layoutAsRead: ArchivedLayout? { get }
}

/// Tells the classes apart that values of one type are archived under.
package enum ClassVariant: Hashable {
  /// One of a few classes.
  case number(Int)
  /// Any class.
  case named(ClassDescription)
  /// The class and the keys of an object that was read.
  case layout(ObjectIdentifier)
}

extension DynamicArchiveClass {
  /// The class itself.
  package var classVariant: ClassVariant { .named(archivedClass) }

  /// Nil.
  package var layoutAsRead: ArchivedLayout? { nil }
}
