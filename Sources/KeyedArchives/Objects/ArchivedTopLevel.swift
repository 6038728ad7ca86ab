// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// The whole content of an archive as data: its top-level values with all objects reachable from them.
///
/// ```swift
/// let all = try KeyedUnarchiver(forReadingFrom: data).decodeTopLevel()
/// let archiver = KeyedArchiver(requiringSecureCoding: true)
/// try archiver.encodeTopLevel(all)
/// ```
///
/// For an archive that Apple's archiver wrote, this results in the same bytes if the archiver uses the layout of its
/// time.
public struct ArchivedTopLevel {
  /// The top-level keys and values, in stored order.
  public var entries: [ArchivedObject.Entry]

  /// The layout that was read.
  var layout: ArchivedLayout?

  /// The archived objects that values may contain. ``dismantle()`` needs them.
  var heldObjects: [ArchivedObject] = []

  /// Creates the top level of an archive.
  /// - Parameter entries: The top-level keys and values.
  public init(_ entries: [ArchivedObject.Entry]) { self.entries = entries }

  /// The value for a top-level key, or nil if the key is absent.
  /// - Parameter key: The key.
  public subscript(key: String) -> ArchivedObject.Value? {
    entries.first { $0.key.hasSameBytes(as: key) }?.value
  }

  /// Removes the references between the archived objects, which breaks reference cycles. Includes objects inside of
  /// decoded values, such as those in an error's user info.
  public func dismantle() {
    var objects = heldObjects
    for entry in entries { entry.value.collectObjects(into: &objects) }
    for object in objects { object.dismantle() }
  }
}

extension KeyedUnarchiver {
  /// Decodes the whole archive as data.
  ///
  /// Objects whose class matches one of `types` are decoded as that type, each in an ``ArchivedInstance`` that
  /// preserves its identity. Collections always become an ``ArchivedObject``, because they may be shared and may
  /// contain themselves.
  ///
  /// Each call returns new objects. They are others than those that the decoder's other functions return.
  /// - Parameter types: The types to decode values as.
  /// - Returns: The top-level values.
  /// - Throws: `KeyedArchiveError` if an object is damaged.
  public func decodeTopLevel(makingValues types: [any KeyedCoding.Type] = []) throws -> ArchivedTopLevel {
    try throwing { try graphTopLevel(makingValues: types) }
  }
}

extension KeyedArchiver {
  /// Encodes the whole content of an archive. Call this method before encoding any other value.
  /// - Parameter top: The top-level values.
  /// - Throws: `KeyedArchiveError` for values that cannot be stored at the top level.
  public func encodeTopLevel(_ top: ArchivedTopLevel) throws {
    let isAsRead = top.layout?.fits(top.entries) ?? false
    topLevelLayout = isAsRead ? top.layout : nil
    let order = isAsRead ? top.layout?.encodingOrder ?? [] : Array(top.entries.indices)
    for index in order {
      let entry = top.entries[index]
      let asRead = top.layout.flatMap { recordedAsRead(entry, of: $0.origin) }
      try record(topLevel: asRead ?? recorded(entry.value, entry.key), storedKey: entry.key)
    }
    if let error { throw error }
  }
}
