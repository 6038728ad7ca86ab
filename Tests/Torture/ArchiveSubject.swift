// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchivedClasses
import HarnessSupport
import KeyedArchiving

/// A file that is decoded as a keyed archive.
struct ArchiveSubject {
  private let unarchiver: KeyedUnarchiver

  init(_ bytes: Data, secure: Bool) throws {
    unarchiver = try KeyedUnarchiver(forReadingFrom: bytes)
    unarchiver.requiresSecureCoding = secure
    unarchiver.decodingFailurePolicy = .raiseException
    for (name, type) in Fixture.all { unarchiver.setClass(type, forClassName: name) }
  }

  /// Decodes the object for a key under a list of Apple's names. A name that no type has allows nothing.
  func decode(_ key: String, allow: [String]) throws -> (any KeyedCoding)? {
    guard unarchiver.containsValue(forKey: key) else {
      throw unarchiver.error
        ?? KeyedArchiveError(.valueNotFound, "the archive has no top-level key '\(key)'", keyPath: "$top")
    }
    return try unarchiver.decodeTopLevelObject(of: allow.compactMap { ClassNames.types[$0] }, forKey: key)
  }

  /// What differs from the summary; nil if nothing does.
  static func difference(_ value: (any KeyedCoding)?, _ summary: Summary) -> String? {
    difference(value, summary, root: value as AnyObject?)
  }

  private static func difference(_ value: (any KeyedCoding)?, _ summary: Summary, root: AnyObject?) -> String? {
    func text(_ expected: String, _ found: String) -> String? { expected == found ? nil : "'\(found)'" }
    switch (summary, value) {
    case (.string(let expected), let found as String):
      return expected.utf8.elementsEqual(found.utf8) ? nil : "text '\(found)'"
    case (.bytes(let hex), let found as Data): return text(hex, Hex.text(found))
    case (.real(let expected), let found as Double): return PropertyListSubject.difference(expected, found)
    case (.nothing, is ArchiveNull): return nil
    case (.stringLength(let count), let found as String):
      return found.utf16.count == count ? nil : "\(found.utf16.count) UTF-16 units"
    case (.byteCount(let count), let found as Data): return found.count == count ? nil : "\(found.count) bytes"
    case (.integer(let expected), let found as ArchiveNumber):
      switch found {
      case .integer(let number): return text(expected, "\(number)")
      case .unsigned(let number): return text(expected, "\(number)")
      default: return "\(found)"
      }
    case (.real(let expected), let found as ArchiveNumber):
      return found.real.map { PropertyListSubject.difference(expected, $0) } ?? "\(found)"
    case (.boolean(let expected), let found as ArchiveNumber): return found == .boolean(expected) ? nil : "\(found)"
    case (.date(let expected), let found as Date):
      return PropertyListSubject.difference(expected, found.timeIntervalSinceReferenceDate)
    case (.dictionaryCount(let count, nil), let found as ArchivedDictionary):
      return found.keys.count == count ? nil : "\(found.keys.count) entries"
    case (.dictionary(let items), let found as ArchivedDictionary):
      guard items.count == found.keys.count else { return "\(found.keys.count) entries" }
      return items.lazy.compactMap { key, item in
        found[key].map { difference($0, item, root: root) } ?? "no value for '\(key)'"
      }.first
    case (.uuid(let expected), let found as UUID): return text(expected, found.uuidString)
    case (.url(let expected), let found as URL): return text(expected, found.relativeString)
    case (.absoluteURL(let expected), let found as URL): return text(expected, found.absoluteString)
    case (.array(let items), let found as ArchivedArray):
      guard items.count == found.elements.count else { return "\(found.elements.count) elements" }
      return zip(items, found.elements).lazy.compactMap { difference($1, $0, root: root) }.first
    case (.arrayCount(let count, let depth), let found as ArchivedArray):
      guard found.elements.count == count else { return "\(found.elements.count) elements" }
      return depthDifference(found, depth)
    case (.object("HCreature", let fields), let found as HCreature):
      return fields.lazy.compactMap { name, field in
        difference(name == "title" ? found.title : name == "rating" ? found.rating : nil, field, root: root)
      }.first
    case (.object("HNode", let fields), let found as HNode):
      return fields.lazy.compactMap { name, field in
        difference(name == "name" ? found.name : name == "next" ? found.next : nil, field, root: root)
      }.first
    case (.chain("HNode", let count), let found as HNode): return lengthDifference(found, count, isRing: false)
    case (.ring("HNode", let count), let found as HNode): return lengthDifference(found, count, isRing: true)
    case (.sameAsRoot, let found): return found as AnyObject === root ? nil : "another object than the root"
    case (.indexes(let expected), let found as ArchivedIndexSet):
      let ranges = found.ranges.map { [$0.lowerBound, $0.count] }
      return ranges == expected ? nil : "ranges \(ranges)"
    case (.decimal(let expected), let found as Decimal): return text(expected, "\(found)")
    default: return value.map { "\(type(of: $0))" } ?? "nil"
    }
  }

  private static func depthDifference(_ array: ArchivedArray, _ expected: Int?) -> String? {
    guard let expected else { return nil }
    var depth = 0
    var next: ArchivedArray? = array
    while let array = next, depth <= expected {
      depth += 1
      next = array.elements.first as? ArchivedArray
    }
    return depth == expected ? nil : "a depth of \(depth)"
  }

  private static func lengthDifference(_ first: HNode, _ expected: Int, isRing: Bool) -> String? {
    var count = 1
    var node = first
    while let next = node.next, next !== first, count <= expected {
      node = next
      count += 1
    }
    guard count == expected else { return "\(count) nodes" }
    return (node.next === first) == isRing ? nil : isRing ? "an open chain" : "a ring"
  }
}
