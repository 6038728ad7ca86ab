// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A type of this package that the archiver treats specially. For all other types, one failed cast to this protocol is
/// enough.
package protocol SpeciallyArchived: KeyedCoding {}

/// A type whose archived class depends on the value, as `NSSet` and `NSMutableSet` do: the counterpart of Apple's
/// `classForKeyedArchiver`.
package protocol DynamicArchiveClass: SpeciallyArchived {
  /// The class that the value is archived as.
  var archivedClass: ClassDescription { get }
  /// A key that is equal for two values of the same class. Comparing it is cheaper than comparing descriptions.
  var classVariant: ClassVariant { get }
}

/// Distinguishes the classes of one type's values.
package enum ClassVariant: Hashable {
  /// One of a fixed set of classes.
  case number(Int)
  /// A class with this description.
  case named(ClassDescription)
  /// The class and keys of a decoded object. Retained, because the layout of a later archive could get its address.
  case layout(ArchivedLayout)
}

extension DynamicArchiveClass {
  /// The default implementation compares descriptions.
  package var classVariant: ClassVariant { .named(archivedClass) }
}

/// An object that is archived as a primitive with identity, and never merged with an equal one.
package protocol IdentifiedPrimitive: AnyObject, SpeciallyArchived {
  /// The value.
  var value: ArchivePrimitive { get }
  /// The archive that it was decoded from.
  var origin: SourceArchive? { get }
  /// The row in that archive's object table.
  var row: UInt32 { get }
}

/// A class whose instances are the storage of values, and are archived as these. Delegates receive the values, and
/// class names are theirs.
package protocol ValueStorage: AnyObject, SpeciallyArchived {
  /// The value.
  var value: any KeyedCoding { get }
}

/// A type together with one of the classes of its values.
struct TypeVariant: Hashable {
  var type: Int32
  var variant: ClassVariant

  /// Whether the class has many names.
  var isLong: Bool {
    if case .named(let description) = variant { description.chain.count + description.hints.count > 16 } else { false }
  }

  /// Returns whether both are the same type with copies of one class description. Compares no names in lists.
  func isCopy(of other: Self) -> Bool {
    guard case .named(let a) = variant, case .named(let b) = other.variant else { return false }
    return type == other.type && a.chain.isCopy(of: b.chain) && a.hints.isCopy(of: b.hints)
      && a.name.hasSameBytes(as: b.name)
  }
}

extension ArchiverState {
  /// Returns the index of the type for the class that a value names.
  mutating func variant(_ type: Int, of value: any KeyedCoding) -> Int {
    guard let value = value as? any DynamicArchiveClass else { return type }
    let variant = TypeVariant(type: Int32(truncatingIfNeeded: type), variant: value.classVariant)
    // Decoded objects share the description of their class. To hash thousands of names for each takes longer than all else.
    let isLong = variant.isLong
    if isLong, let known = recentVariants.first(where: { $0.variant.isCopy(of: variant) }) { return Int(known.number) }
    let number = number(of: variant, value, type)
    if isLong {
      if recentVariants.count == 16 { recentVariants.removeFirst() }
      recentVariants.append((variant, Int32(truncatingIfNeeded: number)))
    }
    return number
  }

  private mutating func number(of variant: TypeVariant, _ value: any DynamicArchiveClass, _ type: Int) -> Int {
    if let known = typeOfVariant[variant] { return Int(known) }
    types.append(ArchivedType(types[type], as: value.archivedClass))
    if case .layout(let layout) = variant.variant {
      let origin = identity(0, in: layout.origin)
      let keys = zip(layout.writtenKeys, layout.keyRows).map { ($0, origin | UInt64($1)) }
      types[types.count - 1].keys = trie.addRoot(keys)
      types[types.count - 1].names = NamesOfClass(rows: layout.nameRows, origin: origin)
    } else {
      types[types.count - 1].keys = trie.addRoot()
    }
    typeOfVariant[variant] = Int32(truncatingIfNeeded: types.count - 1)
    return types.count - 1
  }
}
