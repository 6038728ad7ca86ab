// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// Everything that an archive holds, as data: the values at its top level with all objects they lead to.
///
/// ```swift
/// let all = try KeyedUnarchiver(forReadingFrom: data).decodeTopLevel()
/// let archiver = KeyedArchiver(requiringSecureCoding: true)
/// try archiver.encodeTopLevel(all)
/// ```
///
/// An archive that Apple's archiver wrote comes out of this byte for byte, with the layout of its time.
public struct ArchivedTopLevel {
  /// The keys and values, in the order in which they are stored.
  public var entries: [ArchivedObject.Entry]

  /// How they were read, as long as that is of use.
  var layout: ArchivedLayout?

  /// The objects that were read and that values may hold, into which nobody can look.
  var heldObjects: [ArchivedObject] = []

  /// Makes a top level.
  public init(_ entries: [ArchivedObject.Entry]) { self.entries = entries }

  /// The value for a key; nil if there is none.
  public subscript(key: String) -> ArchivedObject.Value? {
    entries.first { $0.key.hasSameBytes(as: key) }?.value
  }

  /// Cuts all references between the objects, so that those in circles are let go; also between those that were read as
  /// part of a value, as an error's user info is.
  public func dismantle() {
    var objects = heldObjects
    for entry in entries { entry.value.collectObjects(into: &objects) }
    for object in objects { object.dismantle() }
  }
}

extension KeyedUnarchiver {
  /// Everything that the archive holds, as data.
  ///
  /// Objects whose classes one of `types` answers to are made as that type, each in an ``ArchivedInstance`` that keeps its
  /// identity. Collections stay data, for other objects may share them, and they may hold themselves.
  /// - Throws: `KeyedArchiveError`.
  public func decodeTopLevel(makingValues types: [any KeyedCoding.Type] = []) throws -> ArchivedTopLevel {
    try throwing { try graphTopLevel(makingValues: types) }
  }
}

extension KeyedArchiver {
  /// Archives everything that an archive held, at the top level and before anything else.
  /// - Throws: `KeyedArchiveError` for values that no archive holds at its top level.
  public func encodeTopLevel(_ top: ArchivedTopLevel) throws {
    let isAsRead = top.layout?.fits(top.entries) ?? false
    topLevelLayout = isAsRead ? top.layout : nil
    let order = isAsRead ? top.layout?.encodingOrder ?? [] : Array(top.entries.indices)
    for place in order {
      let entry = top.entries[place]
      let asRead = entry.row > 0 ? top.layout.flatMap { recorded(entry, $0.origin) } : nil
      try record(topLevel: asRead ?? recorded(entry.value, entry.key), storedKey: entry.key)
    }
    if let error { throw error }
  }
}
