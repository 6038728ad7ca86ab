// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The class names that ``KeyedArchiveEncoder`` writes and ``KeyedArchiveDecoder`` accepts for types.
///
/// ```swift
/// var names = ArchiveClassNames()
/// names[Creature.self] = "SCCreature"
/// names.accept("Monster", for: Creature.self)
/// ```
///
/// The encoder writes the name that is set for a type. The decoder accepts it and all that were added, where the type is
/// requested, in addition to the type's own names (``KeyedCoding/archiveClassName``). Several types can have one name, for
/// example versions of a type: the requested type decides.
///
/// A collection with contents that are only `Codable` keeps its class name, such as `NSArray`.
public struct ArchiveClassNames: Sendable {
  private struct Entry {
    var type: Any.Type
    /// The name that is written; nil for the type's own.
    var name: String?
    var accepted: [String] = []
  }

  private var entries: [Entry] = []

  /// Creates an empty table.
  public init() {}

  /// The name of a type, or nil for the type's own. A class does not hand it down to its subclasses.
  /// - Parameter type: A type that conforms to `Codable` or ``KeyedCoding``.
  public subscript(type: Any.Type) -> String? {
    get { entries.first { $0.type == type }?.name }
    set { entries[index(of: type)].name = newValue }
  }

  /// Adds a name that the decoder accepts for a type, for example a former one. The encoder does not write it.
  /// - Parameters:
  ///   - name: The name.
  ///   - type: A type that conforms to `Codable` or ``KeyedCoding``.
  public mutating func accept(_ name: String, for type: Any.Type) { entries[index(of: type)].accepted.append(name) }

  private mutating func index(of type: Any.Type) -> Int {
    if let index = entries.firstIndex(where: { $0.type == type }) { return index }
    entries.append(Entry(type: type))
    return entries.count - 1
  }

  func set(in archiver: KeyedArchiver) {
    for entry in entries {
      let type = entry.type as? any KeyedCoding.Type ?? (entry.type as? any Encodable.Type)?.encodableBox
      if let type, let name = entry.name { archiver.setClassName(name, for: type) }
    }
  }

  func set(in unarchiver: KeyedUnarchiver) {
    for entry in entries {
      let type = entry.type as? any KeyedCoding.Type ?? (entry.type as? any Decodable.Type)?.decodableBox
      guard let type else { continue }
      for name in (entry.name.map { [$0] } ?? []) + entry.accepted { unarchiver.accept(name, for: type) }
    }
  }
}

extension Encodable {
  /// The type as which values of this type are archived that is not `KeyedCoding`.
  fileprivate static var encodableBox: any KeyedCoding.Type {
    self is AnyClass ? EncodableObject<Self>.self : EncodableValue<Self>.self
  }
}

extension Decodable {
  /// The type as which values of this type are decoded that is not `KeyedCoding`.
  static var decodableBox: any KeyedCoding.Type {
    self is AnyClass ? DecodableObject<Self>.self : DecodableValue<Self>.self
  }
}
