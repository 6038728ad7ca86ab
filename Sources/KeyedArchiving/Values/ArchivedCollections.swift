// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// An array whose elements are of any of the types on the list it was decoded under, as an `NSArray` may hold them.
///
/// ```swift
/// unarchiver.decodeObject(of: [ArchivedArray.self, String.self, Creature.self], forKey: "mixed")
/// ```
public struct ArchivedArray: SecureKeyedCoding {
  /// The elements. ``ArchiveNull`` stands for those that are nothing.
  public var elements: [any KeyedCoding]

  /// Whether it is archived as an `NSMutableArray`.
  public var isMutable: Bool

  /// Makes an array.
  public init(_ elements: [any KeyedCoding], isMutable: Bool = false) {
    self.elements = elements
    self.isMutable = isMutable
  }

  /// `NSArray`.
  public static var archiveClassName: String { "NSArray" }
  /// True.
  public static var _namesClassOfValues: Bool { true }

  /// `NSMutableArray`.
  public static var archiveClassAliases: [String] { ["NSMutableArray"] }

  /// Stores references to the elements under `NS.objects`.
  public func encode(with coder: KeyedArchiver) { coder.encodeReferences(toMixed: elements, forKey: "NS.objects") }

  /// Reads the elements under the list in force.
  public init?(coder: KeyedUnarchiver) throws {
    isMutable = try coder.classNameOfObject == Self.mutableName
    elements = try coder.elements(.objects, path: .elements) { try coder.makeListed($0) }
  }
}

/// A set whose elements are of any of the types on the list it was decoded under, as an `NSSet` may hold them.
public struct ArchivedSet: SecureKeyedCoding {
  /// The elements, in the order in which they are archived.
  public var elements: [any KeyedCoding]

  /// Whether it is archived as an `NSMutableSet`.
  public var isMutable: Bool

  /// Makes a set. Keeping its elements distinct is up to you.
  public init(_ elements: [any KeyedCoding], isMutable: Bool = false) {
    self.elements = elements
    self.isMutable = isMutable
  }

  /// `NSSet`.
  public static var archiveClassName: String { "NSSet" }
  /// True.
  public static var _namesClassOfValues: Bool { true }

  /// `NSMutableSet`.
  public static var archiveClassAliases: [String] { ["NSMutableSet"] }

  /// Stores references to the elements under `NS.objects`.
  public func encode(with coder: KeyedArchiver) { coder.encodeReferences(toMixed: elements, forKey: "NS.objects") }

  /// Reads the elements under the list in force.
  public init?(coder: KeyedUnarchiver) throws {
    isMutable = try coder.classNameOfObject == Self.mutableName
    elements = try coder.elements(.objects, path: .elements) { try coder.makeListed($0) }
  }
}

/// A dictionary whose keys and values are of any of the types on the list it was decoded under, as an `NSDictionary` may
/// hold them.
public struct ArchivedDictionary: SecureKeyedCoding {
  /// The keys, in the order in which they are archived.
  public var keys: [any KeyedCoding]

  /// The values, in the order of their keys.
  public var values: [any KeyedCoding]

  /// Whether it is archived as an `NSMutableDictionary`.
  public var isMutable: Bool

  /// Makes a dictionary of pairs.
  public init(_ pairs: [(key: any KeyedCoding, value: any KeyedCoding)], isMutable: Bool = false) {
    keys = pairs.map(\.key)
    values = pairs.map(\.value)
    self.isMutable = isMutable
  }

  /// The value for a string key.
  public subscript(key: String) -> (any KeyedCoding)? {
    zip(keys, values).first { ($0.0 as? String)?.hasSameBytes(as: key) ?? false }?.1
  }

  /// `NSDictionary`.
  public static var archiveClassName: String { "NSDictionary" }
  /// True.
  public static var _namesClassOfValues: Bool { true }

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
    isMutable = try coder.classNameOfObject == Self.mutableName
    (keys, values) = try coder.pairs({ try coder.makeListed($0) }, { try coder.makeListed($0) })
  }
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
