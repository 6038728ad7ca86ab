// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The order in which the members of Swift's sets and dictionaries are archived.
///
/// Swift enumerates them differently in each process. Strings are put in the order of their bytes, numbers of their
/// values, and anything else in the order of the bytes of an archive of its own.
enum StableOrder {
  static func sorted<Element, Key: KeyedCoding>(
    _ elements: [Element], by key: KeyPath<Element, Key>
  ) throws -> [Element] {
    guard elements.count > 1 else { return elements }
    if Key.self == String.self {
      return elements.sorted { precedes($0[keyPath: key] as? String, $1[keyPath: key] as? String) }
    }
    if let comparable = Key.self as? any (BareValue & Comparable).Type {
      return sort(elements, key, comparable)
    }
    let keyed = try elements.map {
      (
        bytes: try KeyedArchiver.archivedData(
          withRootObject: $0[keyPath: key], requiringSecureCoding: false, layout: .compact), element: $0
      )
    }
    return keyed.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map(\.element)
  }

  private static func precedes(_ a: String?, _ b: String?) -> Bool {
    guard let a, let b else { return false }
    return a.utf8.lexicographicallyPrecedes(b.utf8)
  }

  private static func sort<Element, Key, Comparand: Comparable>(
    _ elements: [Element], _ key: KeyPath<Element, Key>, _ type: Comparand.Type
  ) -> [Element] {
    elements.sorted {
      guard let a = $0[keyPath: key] as? Comparand, let b = $1[keyPath: key] as? Comparand else { return false }
      return a < b
    }
  }
}
