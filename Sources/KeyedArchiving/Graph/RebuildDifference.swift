// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) import PropertyListFormat

/// Why an archive that was written anew from its values is not the file that they were read from.
///
/// Each is something that the values do not tell.
public struct RebuildDifference: Hashable, Sendable, CustomStringConvertible {
  /// The stable name, as machine-readable output prints it.
  public let name: String
  /// What it means, for people.
  public let description: String

  /// The outermost keys have an order that no 64-bit system of Apple's writes: the file is by older systems, whose hash
  /// tables were others, or by other programs.
  public static let olderGeneration = Self(
    name: "olderGeneration", description: "written by systems before 64 bits or by another program, in another order")
  /// The file has objects that nothing refers to.
  public static let unreferencedObjects = Self(
    name: "unreferencedObjects", description: "the file has objects that nothing refers to")
  /// Equal objects inside values were one in the file and are several now, or the other way round.
  public static let sharedObjects = Self(
    name: "sharedObjects", description: "which equal objects were one is not part of the values")
  /// An object or a class record holds other keys or values than in the file.
  public static let storedValues = Self(
    name: "storedValues", description: "an object or a class record was stored in another form than ours")
  /// The same objects have other numbers: they were encoded in another order, or conditionally.
  public static let objectNumbers = Self(
    name: "objectNumbers", description: "the objects were encoded in another order, or some only conditionally")
  /// The keys of an object are in another order.
  public static let keyOrder = Self(
    name: "keyOrder", description: "keys are in an order that the hash tables of 64-bit systems do not have")
  /// The archives hold the same and differ in what the property list stores once: which equal numbers and strings were one
  /// object in the memory of the program that wrote the file.
  public static let sharedValues = Self(
    name: "sharedValues",
    description: "which equal numbers and strings inside objects were one is not part of the values")

  private init(name: String, description: String) {
    self.name = name
    self.description = description
  }

  /// Finds the first of the reasons that holds for two archives that differ.
  init(from old: KeyedArchive, to new: KeyedArchive) throws(KeyedArchiveError) {
    let (before, after) = (try old.allObjects, try new.allObjects)
    guard before.count == after.count else {
      self = before.count > old.reachableCount ? .unreferencedObjects : .sharedObjects
      return
    }
    let (top, newTop) = (try old.top, try new.top)
    if before == after, top == newTop {
      self = try old.allKeys == new.allKeys ? .sharedValues : .keyOrder
    } else if before.map(\.withKeysSorted) == after.map(\.withKeysSorted), top.sortedByKey == newTop.sortedByKey {
      self = .keyOrder
    } else if Self.counts(before) == Self.counts(after) {
      self = .objectNumbers
    } else {
      self = .storedValues
    }
  }

  /// How often there is each object, whatever the numbers it refers to.
  private static func counts(_ objects: [KeyedArchive.Object]) -> [BytewiseString: Int] {
    var counts: [BytewiseString: Int] = [:]
    for object in objects { counts[object.fingerprint, default: 0] += 1 }
    return counts
  }
}

extension KeyedArchive {
  fileprivate var allObjects: [Object] {
    get throws(KeyedArchiveError) {
      var objects: [Object] = []
      objects.reserveCapacity(objectCount)
      // Values may share one text, of which each object here gets a copy.
      var room = room
      for number in 0..<UInt32(objectCount) { objects.append(try object(ArchiveUID(rawValue: number), room: &room)) }
      return objects
    }
  }

  /// The keys of all objects and class records as they are stored, `$class` among them.
  fileprivate var allKeys: [[BytewiseString]] {
    get throws(KeyedArchiveError) {
      var all: [[BytewiseString]] = []
      all.reserveCapacity(objectCount)
      for number in 0..<UInt32(objectCount) {
        let row = try row(of: ArchiveUID(rawValue: number))
        guard case .dictionary(let keys, _) = try stored(row) else { continue }
        all.append(try keys.map { key throws(KeyedArchiveError) in BytewiseString(try name(key)) })
      }
      return all
    }
  }

  /// How many objects can be reached from the top level, with number 0 and the class records.
  fileprivate var reachableCount: Int {
    var isSeen = [Bool](repeating: false, count: objectCount)
    var stack = topReferences() + [.null]
    var count = 0
    var room = room
    while let uid = stack.popLast() {
      guard uid.index < isSeen.count, !isSeen[uid.index] else { continue }
      isSeen[uid.index] = true
      count += 1
      guard let object = try? object(uid, room: &room) else { continue }
      if case .instance(let classUID, _) = object { stack.append(classUID) }
      stack.append(contentsOf: references(of: object))
    }
    return count
  }
}

extension KeyedArchive.Object {
  fileprivate var withKeysSorted: Self {
    if case .instance(let classUID, let entries) = self {
      .instance(class: classUID, entries.sortedByKey)
    } else {
      self
    }
  }

  /// The object as text, without the numbers that it refers to.
  fileprivate var fingerprint: String {
    guard case .instance(_, let entries) = self else { return "\(self)" }
    return entries.sortedByKey.map { "\($0.key)=\($0.value.fingerprint)" }.joined(separator: ";")
  }
}

extension KeyedArchive.StoredValue {
  fileprivate var fingerprint: String {
    switch self {
    case .reference: "#"
    case .array(let values): "[" + values.map(\.fingerprint).joined(separator: ",") + "]"
    case .data(let bytes): "data \(bytes.base64EncodedString())"
    default: "\(self)"
    }
  }
}

extension [KeyedArchive.Entry] {
  fileprivate var sortedByKey: Self { sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } }
}
