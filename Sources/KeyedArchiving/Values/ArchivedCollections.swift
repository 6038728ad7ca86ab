// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// An array whose elements are of any of the types on the list it was decoded under, as an `NSArray` may hold them.
///
/// ```swift
/// unarchiver.decodeObject(of: [ArchivedArray.self, String.self, Creature.self], forKey: "mixed")
/// ```
///
/// Copies are archived as one object until one of them is changed, as are those of the other collections of any types.
public struct ArchivedArray: IdentifiedValue {
  /// The elements. ``ArchiveNull`` stands for those that are nothing.
  public var elements: [any KeyedCoding] {
    get { storage.content.elements }
    _modify {
      Self.makeUnique(&storage)
      yield &storage.content.elements
    }
  }

  /// Whether it is archived as an `NSMutableArray`.
  public var isMutable: Bool {
    get { storage.content.isMutable }
    _modify {
      Self.makeUnique(&storage)
      yield &storage.content.isMutable
    }
  }

  package struct Content {
    var elements: [any KeyedCoding]
    var isMutable: Bool
  }

  package private(set) var storage: IdentifiedStorage<Self>

  package init(storage: IdentifiedStorage<Self>) { self.storage = storage }

  /// Makes an array.
  public init(_ elements: [any KeyedCoding], isMutable: Bool = false) {
    storage = IdentifiedStorage(Content(elements: elements, isMutable: isMutable))
  }

  /// `NSArray`.
  public static var archiveClassName: String { "NSArray" }
  /// True.
  public static var _hasDynamicClass: Bool { true }

  /// `NSMutableArray`.
  public static var archiveClassAliases: [String] { ["NSMutableArray"] }

  /// Stores references to the elements under `NS.objects`.
  public func encode(with coder: KeyedArchiver) { coder.encodeReferences(toMixed: elements, forKey: "NS.objects") }

  /// Reads the elements under the list in force.
  public init?(coder: KeyedUnarchiver) throws {
    coder.keepIdentity()
    let isMutable = try coder.classNameOfObject == Self.mutableName
    self.init(try coder.untypedElements(), isMutable: isMutable)
  }

  /// The note of the content, which copies share.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue { coder.note(storage, conditional: false) }
}

/// A set whose elements are of any of the types on the list it was decoded under, as an `NSSet` may hold them.
public struct ArchivedSet: IdentifiedValue {
  /// The elements, in the order in which they are archived.
  public var elements: [any KeyedCoding] {
    get { storage.content.elements }
    _modify {
      Self.makeUnique(&storage)
      yield &storage.content.elements
    }
  }

  /// Whether it is archived as an `NSMutableSet`.
  public var isMutable: Bool {
    get { storage.content.isMutable }
    _modify {
      Self.makeUnique(&storage)
      yield &storage.content.isMutable
    }
  }

  package struct Content {
    var elements: [any KeyedCoding]
    var isMutable: Bool
  }

  package private(set) var storage: IdentifiedStorage<Self>

  package init(storage: IdentifiedStorage<Self>) { self.storage = storage }

  /// Makes a set. Keeping its elements distinct is up to you.
  public init(_ elements: [any KeyedCoding], isMutable: Bool = false) {
    storage = IdentifiedStorage(Content(elements: elements, isMutable: isMutable))
  }

  /// `NSSet`.
  public static var archiveClassName: String { "NSSet" }
  /// True.
  public static var _hasDynamicClass: Bool { true }

  /// `NSMutableSet`.
  public static var archiveClassAliases: [String] { ["NSMutableSet"] }

  /// Stores references to the elements under `NS.objects`.
  public func encode(with coder: KeyedArchiver) { coder.encodeReferences(toMixed: elements, forKey: "NS.objects") }

  /// Reads the elements under the list in force.
  public init?(coder: KeyedUnarchiver) throws {
    coder.keepIdentity()
    let isMutable = try coder.classNameOfObject == Self.mutableName
    self.init(try coder.untypedElements(), isMutable: isMutable)
  }

  /// The note of the content, which copies share.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue { coder.note(storage, conditional: false) }
}

/// A dictionary whose keys and values are of any of the types on the list it was decoded under, as an `NSDictionary` may
/// hold them.
public struct ArchivedDictionary: IdentifiedValue {
  /// The keys, in the order in which they are archived.
  public var keys: [any KeyedCoding] {
    get { storage.content.keys }
    _modify {
      Self.makeUnique(&storage)
      yield &storage.content.keys
    }
  }

  /// The values, in the order of their keys.
  public var values: [any KeyedCoding] {
    get { storage.content.values }
    _modify {
      Self.makeUnique(&storage)
      yield &storage.content.values
    }
  }

  /// Whether it is archived as an `NSMutableDictionary`.
  public var isMutable: Bool {
    get { storage.content.isMutable }
    _modify {
      Self.makeUnique(&storage)
      yield &storage.content.isMutable
    }
  }

  package struct Content {
    var keys: [any KeyedCoding]
    var values: [any KeyedCoding]
    var isMutable: Bool
  }

  package private(set) var storage: IdentifiedStorage<Self>

  package init(storage: IdentifiedStorage<Self>) { self.storage = storage }

  /// Makes a dictionary of pairs.
  public init(_ pairs: [(key: any KeyedCoding, value: any KeyedCoding)], isMutable: Bool = false) {
    storage = IdentifiedStorage(
      Content(keys: pairs.map(\.key), values: pairs.map(\.value), isMutable: isMutable))
  }

  /// The value for a string key.
  public subscript(key: String) -> (any KeyedCoding)? {
    zip(keys, values).first { ($0.0 as? String)?.hasSameBytes(as: key) ?? false }?.1
  }

  /// `NSDictionary`.
  public static var archiveClassName: String { "NSDictionary" }
  /// True.
  public static var _hasDynamicClass: Bool { true }

  /// `NSMutableDictionary`.
  public static var archiveClassAliases: [String] { ["NSMutableDictionary"] }

  /// Stores references to keys and values under `NS.keys` and `NS.objects`.
  /// - Throws: ``KeyedArchiveError`` with code ``KeyedArchiveError/Code/notEncodable`` if there are not as many values as
  ///   keys.
  public func encode(with coder: KeyedArchiver) throws {
    guard keys.count == values.count else {
      throw KeyedArchiveError(.notEncodable, "a dictionary has \(keys.count) keys and \(values.count) values")
    }
    coder.encodeReferences(toMixed: keys, forKey: "NS.keys")
    coder.encodeReferences(toMixed: values, forKey: "NS.objects")
  }

  /// Reads keys and values under the list in force.
  public init?(coder: KeyedUnarchiver) throws {
    coder.keepIdentity()
    let isMutable = try coder.classNameOfObject == Self.mutableName
    let (keys, values) = try coder.pairs({ try coder.decodeAllowed($0) }, { try coder.decodeAllowed($0) })
    storage = IdentifiedStorage(Content(keys: keys, values: values, isMutable: isMutable))
  }

  /// The note of the content, which copies share.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue { coder.note(storage, conditional: false) }
}

extension ArchivedArray: MutableClassPair {
  package static var mutableName: String { "NSMutableArray" }
}

extension ArchivedSet: MutableClassPair {
  package static var mutableName: String { "NSMutableSet" }
}

extension ArchivedDictionary: MutableClassPair {
  package static var mutableName: String { "NSMutableDictionary" }
}
