// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// An untyped collection whose content is its elements, and whether it is mutable.
package protocol ElementCollection: IdentifiedValue, MutableClassPair, ListGoverned where Content == MixedElements {
  init(_ elements: [any KeyedCoding], isMutable: Bool)
}

extension ElementCollection {
  /// Encodes references to the elements for the key `NS.objects`.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encodeReferences(toMixed: content.elements, forKey: "NS.objects")
  }

  /// The class name and the number of elements, followed by at most eight elements: primitives by their values, others
  /// by their types.
  public var description: String {
    CollectionText.text(content.isMutable ? Self.mutableName : Self.archiveClassName, content.elements)
  }

  /// Decodes the elements under the current allow list.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged, or if an element is nil or not allowed, and any error
  ///   that decoding an element throws.
  public init?(coder: KeyedUnarchiver) throws {
    coder.cacheImmediately()
    let isMutable = try coder.classNameOfObject == Self.mutableName
    self.init(try coder.untypedElements(), isMutable: isMutable)
  }
}

/// The content of a collection with elements of any types.
package struct MixedElements {
  package var elements: [any KeyedCoding]
  package var isMutable: Bool

  package init(_ elements: [any KeyedCoding], isMutable: Bool) {
    self.elements = elements
    self.isMutable = isMutable
  }
}

/// An array with elements of any types on the allow list, as an `NSArray` may have.
///
/// ```swift
/// unarchiver.decodeObject(of: [ArchivedArray.self, String.self, Creature.self], forKey: "mixed")
/// ```
///
/// Copies are archived as one object until one of them changes. The other untyped collections behave alike.
public struct ArchivedArray: ElementCollection {
  /// The elements. ``ArchiveNull`` represents nil.
  public var elements: [any KeyedCoding] {
    get { storage.content.elements }
    _modify { yield &content.elements }
  }

  /// A Boolean value that indicates whether the array is archived as an `NSMutableArray`.
  public var isMutable: Bool {
    get { storage.content.isMutable }
    _modify { yield &content.isMutable }
  }

  package var storage: IdentifiedStorage<Self>

  package init(storage: IdentifiedStorage<Self>) { self.storage = storage }

  /// Creates an array.
  /// - Parameters:
  ///   - elements: The elements.
  ///   - isMutable: Whether the array is archived as an `NSMutableArray`.
  public init(_ elements: [any KeyedCoding], isMutable: Bool = false) {
    storage = IdentifiedStorage(MixedElements(elements, isMutable: isMutable))
  }

  /// The archived class name, `NSArray`.
  public static var archiveClassName: String { "NSArray" }
  /// The archived class name of mutable arrays, `NSMutableArray`.
  public static var archiveClassAliases: [String] { ["NSMutableArray"] }
  package static var mutableName: String { "NSMutableArray" }
}

/// A set with elements of any types on the allow list, as an `NSSet` may have.
public struct ArchivedSet: ElementCollection {
  /// The elements, in the order of the archive.
  public var elements: [any KeyedCoding] {
    get { storage.content.elements }
    _modify { yield &content.elements }
  }

  /// A Boolean value that indicates whether the set is archived as an `NSMutableSet`.
  public var isMutable: Bool {
    get { storage.content.isMutable }
    _modify { yield &content.isMutable }
  }

  package var storage: IdentifiedStorage<Self>

  package init(storage: IdentifiedStorage<Self>) { self.storage = storage }

  /// Creates a set. The caller must ensure that the elements are distinct.
  /// - Parameters:
  ///   - elements: The elements, in the order in which they are archived.
  ///   - isMutable: Whether the set is archived as an `NSMutableSet`.
  public init(_ elements: [any KeyedCoding], isMutable: Bool = false) {
    storage = IdentifiedStorage(MixedElements(elements, isMutable: isMutable))
  }

  /// The archived class name, `NSSet`.
  public static var archiveClassName: String { "NSSet" }
  /// The archived class name of mutable sets, `NSMutableSet`.
  public static var archiveClassAliases: [String] { ["NSMutableSet"] }
  package static var mutableName: String { "NSMutableSet" }
}

/// A dictionary with keys and values of any types on the allow list, as an `NSDictionary` may have.
public struct ArchivedDictionary: IdentifiedValue {
  /// The keys, in the order of the archive.
  public var keys: [any KeyedCoding] {
    get { storage.content.keys }
    _modify { yield &content.keys }
  }

  /// The values, in the order of their keys.
  public var values: [any KeyedCoding] {
    get { storage.content.values }
    _modify { yield &content.values }
  }

  /// A Boolean value that indicates whether the dictionary is archived as an `NSMutableDictionary`.
  public var isMutable: Bool {
    get { storage.content.isMutable }
    _modify { yield &content.isMutable }
  }

  package struct Content {
    var keys: [any KeyedCoding]
    var values: [any KeyedCoding]
    var isMutable: Bool
  }

  package var storage: IdentifiedStorage<Self>

  package init(storage: IdentifiedStorage<Self>) { self.storage = storage }

  /// Creates a dictionary.
  /// - Parameters:
  ///   - pairs: The keys and values, in the order in which they are archived.
  ///   - isMutable: Whether the dictionary is archived as an `NSMutableDictionary`.
  public init(_ pairs: [(key: any KeyedCoding, value: any KeyedCoding)], isMutable: Bool = false) {
    storage = IdentifiedStorage(
      Content(keys: pairs.map(\.key), values: pairs.map(\.value), isMutable: isMutable))
  }

  /// The value for a string key; nil if the key is absent.
  /// - Parameter key: The key.
  /// - Returns: The value for the first key that is a string with the same bytes.
  public subscript(key: String) -> (any KeyedCoding)? {
    zip(keys, values).first { ($0.0 as? String)?.hasSameBytes(as: key) ?? false }?.1
  }

  /// The archived class name, `NSDictionary`.
  public static var archiveClassName: String { "NSDictionary" }
  /// The archived class name of mutable dictionaries, `NSMutableDictionary`.
  public static var archiveClassAliases: [String] { ["NSMutableDictionary"] }

  /// Encodes references to the keys and values for the keys `NS.keys` and `NS.objects`.
  /// - Parameter coder: The archiver.
  /// - Throws: ``KeyedArchiveError`` with code ``KeyedArchiveError/Code/notEncodable`` if the numbers of keys and
  ///   values differ.
  public func encode(with coder: KeyedArchiver) throws {
    guard keys.count == values.count else {
      throw KeyedArchiveError(
        .notEncodable,
        "inconsistent dictionary: found \(keys.count) keys and \(values.count) values; expected equal numbers")
    }
    coder.encodeReferences(toMixed: keys, forKey: "NS.keys")
    coder.encodeReferences(toMixed: values, forKey: "NS.objects")
  }

  /// Decodes the keys and values under the current allow list.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged, or if a key or value is nil or not allowed, and any
  ///   error that decoding one throws.
  public init?(coder: KeyedUnarchiver) throws {
    coder.cacheImmediately()
    let isMutable = try coder.classNameOfObject == Self.mutableName
    let (keys, values) = try coder.pairs({ try coder.decodeAllowed($0) }, { try coder.decodeAllowed($0) })
    storage = IdentifiedStorage(Content(keys: keys, values: values, isMutable: isMutable))
  }
}

extension ArchivedDictionary: MutableClassPair, ListGoverned {
  package static var mutableName: String { "NSMutableDictionary" }
}

// Elements can be objects with references back to the collection, so descriptions name their types only.
extension ArchivedArray: CustomStringConvertible {}
extension ArchivedSet: CustomStringConvertible {}

extension ArchivedDictionary: CustomStringConvertible {
  /// The class name and the number of pairs, followed by at most eight keys, as the elements of an ``ArchivedArray``.
  public var description: String {
    CollectionText.text(isMutable ? Self.mutableName : Self.archiveClassName, keys, "key")
  }
}

/// Descriptions of untyped collections.
private enum CollectionText {
  static func text(_ name: String, _ elements: [any KeyedCoding], _ noun: String = "element") -> String {
    let start = "\(name) of \(elements.count) \(noun)\(elements.count == 1 ? "" : "s")"
    guard !elements.isEmpty else { return start }
    let rest = elements.count > 8 ? " and \(elements.count - 8) more" : ""
    return "\(start): " + elements.prefix(8).map(text).joined(separator: ", ") + rest
  }

  private static func text(_ element: any KeyedCoding) -> String {
    switch element {
    case let text as String: "\"\(MessageText.plain(MessageText.shortened(text, to: 60)))\""
    case let data as Data: "\(data.count) bytes"
    case ArchiveNumber.boolean(let value): "\(value)"
    case ArchiveNumber.integer(let value): "\(value)"
    case ArchiveNumber.unsigned(let value): "\(value)"
    case ArchiveNumber.float(let value): "\(value)"
    case ArchiveNumber.double(let value): "\(value)"
    case is Bool, is any BinaryInteger, is any BinaryFloatingPoint, is Date, is ArchiveNull: "\(element)"
    default: "\(type(of: element))"
    }
  }
}
