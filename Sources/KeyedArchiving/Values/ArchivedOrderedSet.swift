// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// An ordered set whose elements are of any of the types on the list it was decoded under, as an `NSOrderedSet` may hold
/// them.
public struct ArchivedOrderedSet: SecureKeyedCoding, MutableClassPair {
  /// The elements.
  public var elements: [any KeyedCoding]

  /// Whether it is archived as an `NSMutableOrderedSet`.
  public var isMutable: Bool

  /// Makes an ordered set. Keeping its elements distinct is up to you.
  public init(_ elements: [any KeyedCoding], isMutable: Bool = false) {
    self.elements = elements
    self.isMutable = isMutable
  }

  /// `NSOrderedSet`.
  public static var archiveClassName: String { "NSOrderedSet" }
  /// True.
  public static var _namesClassOfValues: Bool { true }

  /// `NSMutableOrderedSet`.
  public static var archiveClassAliases: [String] { ["NSMutableOrderedSet"] }

  package static var mutableName: String { "NSMutableOrderedSet" }

  /// Stores a reference to each element, under `NS.object.0` and so on.
  public func encode(with coder: KeyedArchiver) {
    for (place, element) in elements.enumerated() { coder.encode(element, forKey: "NS.object.\(place)") }
  }

  /// Reads the elements under the list in force.
  public init?(coder: KeyedUnarchiver) throws {
    isMutable = try coder.classNameOfObject == Self.mutableName
    elements = try coder.elements(.objects, path: .elements) { try coder.makeListed($0) }
  }
}
