// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The results of casts of a type to the protocols that coders handle specially.
///
/// A cast to a protocol that a type does not adopt takes 400 instructions and more. The result depends on the type alone,
/// so each thread keeps it. The names that a type computes are not kept. A conformance in a library that is
/// loaded later is not noticed for a type that was archived or decoded before.
struct TypeFacts: OptionSet, Sendable {
  let rawValue: UInt8

  /// Values can be replaced when they are archived: ``ArchiveReplacing``.
  static let replaces = TypeFacts(rawValue: 1)
  /// Instances can be replaced when they are decoded: ``ArchiveAwakening``.
  static let awakens = TypeFacts(rawValue: 2)
  static let holdsValue = TypeFacts(rawValue: 4)
  static let isIdentifiedPrimitive = TypeFacts(rawValue: 8)
  static let isDynamic = TypeFacts(rawValue: 16)
  /// The type is not ``KeyedCoding``.
  static let isNotCoded = TypeFacts(rawValue: 32)
  /// The type chooses the class that is decoded in its place: ``ArchiveClassResolving``.
  static let resolvesClass = TypeFacts(rawValue: 64)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  private init(casting type: any KeyedCoding.Type) {
    self = []
    if type is any ArchiveReplacing.Type { insert(.replaces) }
    if type is any ArchiveAwakening.Type { insert(.awakens) }
    if type is any ArchiveClassResolving.Type { insert(.resolvesClass) }
    // One cast precedes the others, because it fails for most types.
    guard type is any SpeciallyArchived.Type else { return }
    if type is any ValueStorage.Type { insert(.holdsValue) }
    if type is any IdentifiedPrimitive.Type { insert(.isIdentifiedPrimitive) }
    if type is any DynamicArchiveClass.Type { insert(.isDynamic) }
  }

  /// Returns the facts of a type.
  static func of(_ type: any KeyedCoding.Type) -> TypeFacts {
    let id = ObjectIdentifier(type)
    let memory = ThreadMemory.current
    // A library that was loaded since can make a class KeyedCoding that was not.
    if let known = memory.state.typeFacts[id], !known.contains(.isNotCoded) { return known }
    let facts = TypeFacts(casting: type)
    memory.state.typeFacts[id] = facts
    return facts
  }

  /// Returns a class as an archivable type, or nil if it is not ``KeyedCoding``.
  static func archivable(_ type: AnyClass) -> (any KeyedCoding.Type)? {
    let id = ObjectIdentifier(type)
    let memory = ThreadMemory.current
    if let known = memory.state.typeFacts[id], known.contains(.isNotCoded) { return nil }
    if let coded = type as? any KeyedCoding.Type { return coded }
    memory.state.typeFacts[id] = .isNotCoded
    return nil
  }

  /// A direct-mapped cache of 64 types. Another type in the same slot replaces the former one.
  struct Cache: ~Copyable {
    private struct Slot {
      var id: ObjectIdentifier?
      var facts: TypeFacts = []
    }

    private static let count = 64
    private var slots = TrivialArray(repeating: Slot(), count: count)

    subscript(id: ObjectIdentifier) -> TypeFacts? {
      get {
        let slot = slots[Self.index(id)]
        return slot.id == id ? slot.facts : nil
      }
      set { slots[Self.index(id)] = Slot(id: id, facts: newValue ?? []) }
    }

    private static func index(_ id: ObjectIdentifier) -> Int {
      let address = UInt(bitPattern: id)
      return Int(truncatingIfNeeded: (address >> 4 ^ address >> 10) % UInt(count))
    }
  }
}
