// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// The values of a decoded object for the keys that its type does not know.
///
/// A value type keeps them so that they are archived again. Their objects belong to them alone: no other caller gets
/// them, so nothing changes them, and threads can share them.
package final class KeptValues: @unchecked Sendable {  // nothing changes the objects after they are decoded
  /// The values in the order in which they were encoded.
  private let entries: [ArchivedObject.Entry]
  private let origin: SourceArchive
  /// Ends the reference cycles of the objects with the last values that refer to them.
  private let objects: KeptObjects

  fileprivate init(_ entries: [ArchivedObject.Entry], origin: SourceArchive, objects: KeptObjects) {
    self.entries = entries
    self.origin = origin
    self.objects = objects
  }

  /// The keys as they are stored, in the order in which they were encoded.
  package var keys: [String] { entries.map(\.key) }

  /// The string, number or data for a key, inline or boxed.
  package func primitive(forKey key: String) -> ArchivePrimitive? {
    switch entries.first(where: { $0.key.hasSameBytes(as: key) })?.value {
    case .primitive(let value): value
    case .boxed(let box): box.value
    default: nil
    }
  }

  /// Encodes the values in the current object.
  package func encode(with coder: KeyedArchiver) throws {
    for entry in entries {
      if let value = coder.recordedAsRead(entry, of: origin) {
        coder.record(value, storedKey: entry.key)
      } else {
        try coder.encode(entry.value, forStoredKey: entry.key)
      }
    }
  }

  /// Returns whether other values have the same keys and the same archived form.
  package func hasSameContents(as other: KeptValues) -> Bool {
    if self === other { return true }
    guard entries.count == other.entries.count, let archive, let otherArchive = other.archive else { return false }
    return archive.hasSameBytes(as: otherArchive)
  }

  /// The values as an archive, whose bytes do not depend on the order of the keys.
  private var archive: Data? {
    let sorted = entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    let object = ArchivedObject(classes: "NSObject", entries: sorted.map { ArchivedObject.Entry($0.key, $0.value) })
    return try? KeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false, layout: .compact)
  }
}

/// The objects that the kept values of one decode refer to. They can contain themselves.
private final class KeptObjects {
  var objects: [ArchivedObject] = []

  deinit { for object in objects { object.entries = [] } }
}

/// The kept values of a decoder.
private final class KeptValuesOfDecoder {
  /// An object as one type knows it: the places of the other keys.
  struct Key: Hashable {
    var uid: UInt32
    var places: [Int]
  }

  let graph = ArchivedObjects()
  let objects = KeptObjects()
  var values: [Key: KeptValues] = [:]
}

extension KeyedUnarchiver {
  /// The number of keys up to which searching them is not charged. An object with fewer has the size of its keys in the file.
  private static let countOfFewKeys = 64

  /// Decodes the values of the current object for all but the given keys, and all objects that they refer to. None of
  /// their classes is checked, because they become data. The result is the same instance each time.
  /// - Parameter known: The keys that the object's type reads itself.
  /// - Returns: The values, or nil if the object has no other keys.
  /// - Throws: `KeyedArchiveError` if a value is damaged.
  package func keptValues(except known: [String]) throws -> KeptValues? {
    guard let uid = storage.state.objectUID else { return nil }
    let (item, shape, places) = try otherKeys(than: known, of: uid)
    guard !places.isEmpty else { return nil }
    let decoder = companions.object(KeptValuesOfDecoder())
    let key = KeptValuesOfDecoder.Key(uid: uid, places: places)
    if let values = decoder.values[key] { return values }
    let values = try keptValues(at: places, of: item, uid, shape, decoder)
    decoder.values[key] = values
    return values
  }

  /// Returns whether the current object has other keys than those that its type knows.
  package func hasOtherKeys(than known: [String]) throws -> Bool {
    try storage.state.objectUID.map { try hasOtherKeys(than: known, $0) } ?? false
  }

  /// Returns whether an object has other keys than those that its type knows.
  func hasOtherKeys(than known: [String], _ uid: UInt32) throws -> Bool {
    try !otherKeys(than: known, of: uid).places.isEmpty
  }

  /// Returns the places of the keys of an object that its type does not know.
  private func otherKeys(
    than known: [String], of uid: UInt32
  ) throws -> (item: BinaryItem, shape: Int, places: [Int]) {
    let item = try storage.state.source.entry(uid)
    let shape = try storage.state.layout(of: item)
    // Many objects can share the list of their keys.
    if item.count > Self.countOfFewKeys { try storage.state.charge(work: Int64(item.count) * Int64(1 + known.count)) }
    let classPosition = storage.state.classPosition(ofLayout: shape)
    let places = (0..<item.count).filter { place in
      guard place != classPosition else { return false }
      let key = storage.state.storedKey(place, ofLayout: shape)
      return !known.contains { $0.hasSameBytes(as: key) }
    }
    return (item, shape, places)
  }

  private func keptValues(
    at places: [Int], of item: BinaryItem, _ uid: UInt32, _ shape: Int, _ decoder: KeptValuesOfDecoder
  ) throws -> KeptValues {
    let graph = decoder.graph
    try spend(item, graph)
    let stored = try places.map { try storage.state.storedEntry($0, of: item, layout: shape) }
    if stored.contains(where: { $0.value.kind == .uid || $0.value.kind == .array }) {
      var order = graph.encodingOrder ?? EncodingOrder(storage.state)
      graph.encodingOrder = nil
      try order.follow(uid, &storage.state)
      graph.encodingOrder = order
    }
    var unfilled: [(object: ArchivedObject, uid: UInt32)] = []
    var entries: [(entry: ArchivedObject.Entry, last: UInt32)] = []
    do {
      for (place, stored) in zip(places, stored) {
        var last: UInt32 = 0
        let entry = try entry(stored, EncodingOrder.Place(uid: uid, place: place), graph, &last, &unfilled)
        entries.append((entry, last))
      }
      while let next = unfilled.popLast() {
        decoder.objects.objects.append(next.object)
        try fill(next.object, next.uid, graph, &unfilled)
      }
    } catch {
      // Some objects are incomplete.
      graph.values = [:]
      throw error
    }
    // Objects that were encoded first have the lower UIDs. A stable order, as `sort` is not documented to be one.
    let order = entries.indices.sorted { (entries[$0].last, $0) < (entries[$1].last, $1) }
    return KeptValues(order.map { entries[$0].entry }, origin: graph.origin, objects: decoder.objects)
  }
}
