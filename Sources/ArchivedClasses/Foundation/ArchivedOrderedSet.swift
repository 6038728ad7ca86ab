// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// An ordered set whose elements are of any of the types on the list it was decoded under, as an `NSOrderedSet` may hold
/// them.
public struct ArchivedOrderedSet: IdentifiedValue, MutableClassPair {
  /// The elements.
  public var elements: [any KeyedCoding] {
    get { storage.content.elements }
    _modify {
      Self.makeUnique(&storage)
      yield &storage.content.elements
    }
  }

  /// Whether it is archived as an `NSMutableOrderedSet`.
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

  /// Makes an ordered set. Keeping its elements distinct is up to you.
  public init(_ elements: [any KeyedCoding], isMutable: Bool = false) {
    storage = IdentifiedStorage(Content(elements: elements, isMutable: isMutable))
  }

  /// `NSOrderedSet`.
  public static var archiveClassName: String { "NSOrderedSet" }
  /// True.
  public static var _hasDynamicClass: Bool { true }

  /// `NSMutableOrderedSet`.
  public static var archiveClassAliases: [String] { ["NSMutableOrderedSet"] }

  package static var mutableName: String { "NSMutableOrderedSet" }

  /// Stores a reference to each element, under `NS.object.0` and so on.
  public func encode(with coder: KeyedArchiver) {
    for (place, element) in elements.enumerated() { coder.encode(element, forKey: "NS.object.\(place)") }
  }

  /// Reads the elements under the list in force.
  public init?(coder: KeyedUnarchiver) throws {
    coder.keepIdentity()
    let isMutable = try coder.classNameOfObject == Self.mutableName
    self.init(try coder.untypedElements(), isMutable: isMutable)
  }

  /// The note of the content, which copies share.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue { coder.note(storage, conditional: false) }
}
