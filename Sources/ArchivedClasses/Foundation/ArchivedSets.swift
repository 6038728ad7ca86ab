// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// An `NSOrderedSet`, whose elements may have any type of the allow list that it was decoded with.
public struct ArchivedOrderedSet: ElementCollection {
  /// The elements.
  public var elements: [any KeyedCoding] {
    get { storage.content.elements }
    _modify { yield &content.elements }
  }

  /// A Boolean value that indicates whether the class is `NSMutableOrderedSet`.
  public var isMutable: Bool {
    get { storage.content.isMutable }
    _modify { yield &content.isMutable }
  }

  package var storage: IdentifiedStorage<Self>

  package init(storage: IdentifiedStorage<Self>) { self.storage = storage }

  /// Creates an ordered set. You must ensure that the elements are distinct.
  /// - Parameters:
  ///   - elements: The elements.
  ///   - isMutable: Whether the class is `NSMutableOrderedSet`.
  public init(_ elements: [any KeyedCoding], isMutable: Bool = false) {
    storage = IdentifiedStorage(MixedElements(elements, isMutable: isMutable))
  }

  /// The archived class name, `NSOrderedSet`.
  public static var archiveClassName: String { "NSOrderedSet" }
  /// Other matching class names: `NSMutableOrderedSet`.
  public static var archiveClassAliases: [String] { ["NSMutableOrderedSet"] }

  package static var mutableName: String { "NSMutableOrderedSet" }

  /// Encodes a reference to each element under the keys `NS.object.0` and so on.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    for (place, element) in elements.enumerated() { coder.encode(element, forKey: "NS.object.\(place)") }
  }
}

/// An `NSCountedSet`, whose elements may have any type of the allow list that it was decoded with.
public struct ArchivedCountedSet: IdentifiedValue {
  /// The elements, in the order of the archive.
  public var elements: [any KeyedCoding] {
    get { storage.content.elements }
    _modify { yield &content.elements }
  }

  /// The number of occurrences of each element, in the same order.
  public var counts: [Int] {
    get { storage.content.counts }
    _modify { yield &content.counts }
  }

  package struct Content {
    var elements: [any KeyedCoding]
    var counts: [Int]
  }

  package var storage: IdentifiedStorage<Self>

  package init(storage: IdentifiedStorage<Self>) { self.storage = storage }

  /// Creates a counted set. You must ensure that the elements are distinct.
  /// - Parameter elements: The elements.
  public init(_ elements: [(element: any KeyedCoding, count: Int)]) {
    storage = IdentifiedStorage(Content(elements: elements.map(\.element), counts: elements.map(\.count)))
  }

  /// The archived class name, `NSCountedSet`.
  public static var archiveClassName: String { "NSCountedSet" }

  /// The class and its superclasses.
  public static var archiveClassChain: [String] { ["NSCountedSet", "NSMutableSet", "NSSet", "NSObject"] }

  /// Encodes the number of elements, and each element with its count.
  /// - Parameter coder: The archiver.
  /// - Throws: `KeyedArchiveError` if a value cannot be encoded.
  public func encode(with coder: KeyedArchiver) throws {
    guard elements.count == counts.count else {
      throw KeyedArchiveError(
        .notEncodable, "invalid counted set: \(elements.count) elements and \(counts.count) counts")
    }
    if let count = counts.first(where: { $0 < 1 }) {
      throw KeyedArchiveError(.notEncodable, "invalid counted set: the count \(count); expected 1 or more")
    }
    coder.encode(elements.count, forKey: "NS.count")
    for (place, element) in elements.enumerated() {
      coder.encode(element, forKey: "NS.object\(place)")
      coder.encode(counts[place], forKey: "NS.count\(place)")
    }
  }

  /// Decodes the elements with the current allow list.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    coder.cacheImmediately()
    let count = try coder.count("NS.count")
    var elements: [any KeyedCoding] = []
    var counts: [Int] = []
    // Reserves no memory for the count, which may be wrong. Decoding ends at the first missing element.
    for place in 0..<count {
      let key = "NS.object\(place)"
      guard let element = try coder.decodeAllowed(forKey: key) else {
        throw coder.malformed("invalid counted set of \(count) elements: '\(key)' is missing")
      }
      let times = try coder.needed(Int.self, "NS.count\(place)")
      guard times > 0 else { throw coder.malformed("invalid counted set: 'NS.count\(place)' is \(times)") }
      elements.append(element)
      counts.append(times)
    }
    storage = IdentifiedStorage(Content(elements: elements, counts: counts))
  }
}
