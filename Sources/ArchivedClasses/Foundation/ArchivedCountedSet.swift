// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

/// A set that counts how often it holds each element. The elements are of any of the types on the list it was decoded
/// under, as an `NSCountedSet` may hold them.
public struct ArchivedCountedSet: IdentifiedValue {
  /// The elements, in the order in which they are archived.
  public var elements: [any KeyedCoding] {
    get { storage.content.elements }
    _modify {
      Self.makeUnique(&storage)
      yield &storage.content.elements
    }
  }

  /// How often it holds each, in the same order.
  public var counts: [Int] {
    get { storage.content.counts }
    _modify {
      Self.makeUnique(&storage)
      yield &storage.content.counts
    }
  }

  package struct Content {
    var elements: [any KeyedCoding]
    var counts: [Int]
  }

  package private(set) var storage: IdentifiedStorage<Self>

  package init(storage: IdentifiedStorage<Self>) { self.storage = storage }

  /// Makes a counted set. Keeping its elements distinct is up to you.
  public init(_ elements: [(element: any KeyedCoding, count: Int)]) {
    storage = IdentifiedStorage(Content(elements: elements.map(\.element), counts: elements.map(\.count)))
  }

  /// `NSCountedSet`.
  public static var archiveClassName: String { "NSCountedSet" }

  /// Down to `NSMutableSet` and `NSSet`.
  public static var archiveClassChain: [String] { ["NSCountedSet", "NSMutableSet", "NSSet", "NSObject"] }

  /// Stores how many elements there are, then each with its count.
  public func encode(with coder: KeyedArchiver) throws {
    guard elements.count == counts.count else {
      throw KeyedArchiveError(.notEncodable, "a counted set has \(elements.count) elements and \(counts.count) counts")
    }
    coder.encode(elements.count, forKey: "NS.count")
    for (place, element) in elements.enumerated() {
      coder.encode(element, forKey: "NS.object\(place)")
      coder.encode(counts[place], forKey: "NS.count\(place)")
    }
  }

  /// Reads the elements under the list in force, as many as the archive says there are.
  public init?(coder: KeyedUnarchiver) throws {
    coder.keepIdentity()
    let count = try coder.count("NS.count")
    var elements: [any KeyedCoding] = []
    var counts: [Int] = []
    // Nothing is reserved: a count that is a lie ends at the first element that is not there.
    for place in 0..<count {
      let key = "NS.object\(place)"
      guard let element = try coder.decodeAllowed(forKey: key) else {
        throw coder.malformed("a counted set of \(count) elements has no '\(key)'")
      }
      let times = try coder.needed(Int.self, "NS.count\(place)")
      guard times > 0 else { throw coder.malformed("'NS.count\(place)' of a counted set is \(times)") }
      elements.append(element)
      counts.append(times)
    }
    storage = IdentifiedStorage(Content(elements: elements, counts: counts))
  }

  /// The note of the content, which copies share.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue { coder.note(storage, conditional: false) }
}
