// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A type together with one of the classes that its values are archived under.
struct TypeVariant: Hashable {
  var type: Int32
  var variant: ClassVariant
}

extension ArchiverState {
  /// The number of the type of a value that names its class itself.
  mutating func variant(_ type: Int, of value: any KeyedCoding) -> Int {
    guard let value = value as? any DynamicArchiveClass else { return type }
    let variant = TypeVariant(type: Int32(truncatingIfNeeded: type), variant: value.classVariant)
    if let known = numberOfVariant[variant] { return Int(known) }
    types.append(ArchivedType(types[type], as: value.archivedClass))
    if case .layout = variant.variant, let layout = value.layoutAsRead {
      let origin = identity(0, in: layout.origin)
      let keys = zip(layout.writtenKeys, layout.keyRows).map { ($0, origin | UInt64($1)) }
      types[types.count - 1].keys = tree.addRoot(keys)
      types[types.count - 1].names = NamesOfClass(rows: layout.nameRows, origin: origin)
    } else {
      types[types.count - 1].keys = tree.addRoot()
    }
    numberOfVariant[variant] = Int32(truncatingIfNeeded: types.count - 1)
    return types.count - 1
  }
}
