// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The keys that initializers have requested so far. The report of a decode is made from them.
///
/// Decoding without a tracker costs nothing more. Without a tracker, most keys are predicted. With one, no key is predicted
/// (``KeyLayoutCache/isTracking``), so that each request takes the slow path. The slow path calls the tracker. Likewise,
/// with a tracker each object begins on the slow path, as an object with a hook does.
///
/// The memory is linear in the number of objects of the archive and in the number of their keys.
final class KeyTracker {
  /// The requests for one element of `$objects`, or for the top level.
  private struct Row {
    /// The positions of the requested keys.
    var requested: Set<Int> = []
    /// An initializer of the program's own type began.
    var isTracked = false
    /// An initializer of a known type began; see ``KeyTracker/isKnown(_:)``.
    var isKnown = false
  }

  /// A dictionary that a nested container reads.
  private struct NestedDictionary {
    var keys: [String]
    var requested: Set<Int> = []
  }

  /// A key that was requested from an object and that is absent.
  struct AbsentKey: Hashable {
    var uid: UInt32
    /// The index in ``keys``.
    var key: Int
  }

  private var rows: [Row]
  private var dictionaries: [UInt32: NestedDictionary] = [:]
  /// The requested keys that are absent, and for each whether a call returned nil or zero for it.
  private(set) var absentKeys: [AbsentKey: Bool] = [:]
  /// The texts of absent keys.
  private(set) var keys: [String] = []
  private var indexOfKey: [BytewiseString: Int] = [:]
  private var knownTypes: [ObjectIdentifier: Bool] = [:]

  /// Creates a tracker for a number of objects. Row 0 is the top level, because its UID refers to nothing.
  init(objectCount: Int) {
    rows = Array(repeating: Row(), count: max(1, objectCount))
    rows[0].isTracked = true
  }

  // MARK: While decoding

  /// Determines whether a type is known. Each type is classified before an object is decoded as it.
  func classify(_ type: Any.Type) {
    if knownTypes[ObjectIdentifier(type)] == nil { knownTypes[ObjectIdentifier(type)] = Self.isKnown(type) }
  }

  /// Returns whether a type belongs to Swift, Foundation or this package. Such a type reads what it needs of the keys that
  /// several systems and versions write, so the others mean nothing.
  private static func isKnown(_ type: Any.Type) -> Bool {
    guard let module = TypeName.module(of: TypeName.unwrapped(type)) else { return true }
    return knownModules.contains { module == $0 }
  }

  private static let knownModules = [
    "Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization", "CoreFoundation", "CoreGraphics",
    "__C", "KeyedArchiving", "KeyedArchives", "ArchivedClasses", "KeyedArchivingFoundation",
  ]

  /// Notes that the initializer of a type begins for an object.
  func begin(_ uid: UInt32, as type: ObjectIdentifier) {
    if knownTypes[type] == true { rows[Int(uid)].isKnown = true } else { rows[Int(uid)].isTracked = true }
  }

  /// Notes that a nested container begins to read a collection.
  func beginNested(_ uid: UInt32) { rows[Int(uid)].isKnown = true }

  /// Notes the keys of a dictionary that a nested container reads.
  func readNested(_ uid: UInt32, keys: [String]) {
    if dictionaries[uid] == nil { dictionaries[uid] = NestedDictionary(keys: keys) }
  }

  /// Notes a request for the key at a position of an object.
  func request(_ position: Int, of uid: UInt32) { rows[Int(uid)].requested.insert(position) }

  /// Notes a request for a key of a dictionary that a nested container reads.
  func request(entry position: Int, of uid: UInt32) { dictionaries[uid]?.requested.insert(position) }

  /// Notes a request for a key that an object or a nested dictionary lacks.
  func request(absent key: String, of uid: UInt32, isNested: Bool = false) {
    guard isNested || !rows[Int(uid)].isKnown else { return }
    let exact = BytewiseString(key)
    let index = indexOfKey[exact] ?? keys.count
    if index == keys.count {
      indexOfKey[exact] = index
      keys.append(key)
    }
    let absent = AbsentKey(uid: uid, key: index)
    if absentKeys[absent] == nil { absentKeys[absent] = false }
  }

  /// Notes that a call returned nil or zero for a key, which may be absent.
  func noteFallback(for key: String, of uid: UInt32) {
    guard let index = indexOfKey[BytewiseString(key)] else { return }
    let absent = AbsentKey(uid: uid, key: index)
    if absentKeys[absent] != nil { absentKeys[absent] = true }
  }

  // MARK: For the report

  /// The number of objects, including the top level.
  var count: Int { rows.count }

  /// Whether only the program's own types have decoded an object.
  func isTracked(_ uid: Int) -> Bool { rows[uid].isTracked && !rows[uid].isKnown }

  /// Whether an object was decoded at all.
  func isDecoded(_ uid: UInt32) -> Bool { rows[Int(uid)].isTracked || rows[Int(uid)].isKnown }

  func isRequested(_ position: Int, of uid: Int) -> Bool { rows[uid].requested.contains(position) }

  /// Returns the keys of a nested dictionary that no call requested.
  func unreadEntries(of uid: UInt32) -> [String] {
    guard let dictionary = dictionaries[uid] else { return [] }
    return dictionary.keys.indices.compactMap { dictionary.requested.contains($0) ? nil : dictionary.keys[$0] }
  }

  /// Whether a nested container reads an object.
  func isNestedDictionary(_ uid: UInt32) -> Bool { dictionaries[uid] != nil }
}

/// A type that decodes an object for a type that is only Codable.
protocol DecodableWrapper {
  static var wrappedType: Any.Type { get }
}

extension TypeName {
  /// Returns the type that a message names: the caller's instead of a wrapper of this package.
  static func unwrapped(_ type: Any.Type) -> Any.Type { (type as? any DecodableWrapper.Type)?.wrappedType ?? type }
}
