// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

extension KeyedArchiver {
  /// Encodes an untyped value, such as a `[String: Any]` or an `[Any]`, as an object.
  ///
  /// Arrays, sets and dictionaries may contain each other, and values that conform to `KeyedCoding`, such as strings,
  /// numbers, dates and data. Numbers keep their kind: `true`, 1 and 1.0 are three different values. Nil inside of a
  /// collection is archived as `ArchiveNull`, which is `NSNull` on Apple's systems. Pairs and elements of a set are
  /// archived in an order that depends on their contents only.
  ///
  /// ```swift
  /// let settings: [String: Any] = ["name": "Yeti", "isTall": true, "sightings": [1951, 1986.5]]
  /// try coder.encodeAny(settings, forKey: "settings")
  /// ```
  ///
  /// Objects of Foundation, such as `NSNumber`, have no archived form here. On Linux, `encodeFoundationObject(_:forKey:)`
  /// of `KeyedArchivingFoundation` encodes them too.
  /// - Parameters:
  ///   - value: The value, or nil.
  ///   - key: The key, which the object uses once.
  /// - Throws: `KeyedArchiveError` with the code `notEncodable`, the key path and the type of the first value without an
  ///   archived form. Then nothing is encoded.
  public func encodeAny(_ value: Any?, forKey key: String) throws {
    func encode(_ value: some KeyedCoding) { encodeObject(value, forKey: key) }
    var values = ArchivableValues()
    do {
      guard let value, let archivable = try values.archivable(orNil: value) else {
        return encodeObject(String?.none, forKey: key)
      }
      encode(archivable)
    } catch var error {
      error.keyPath = keyPath(to: key) + (error.keyPath ?? "")
      throw error
    }
  }
}

/// Converts values of any type to values that can be archived.
private struct ArchivableValues {
  private var stack = StackGuard()

  /// Returns nil for an optional that is nil.
  mutating func archivable(orNil value: Any) throws(KeyedArchiveError) -> (any KeyedCoding)? {
    guard let optional = value as? any UntypedOptional else { return try archivable(value) }
    guard let content = optional.content else { return nil }
    return try archivable(orNil: content)
  }

  private mutating func archivable(_ value: Any) throws(KeyedArchiveError) -> any KeyedCoding {
    try stack.checkNestedCollection()
    if let optional = value as? any UntypedOptional {
      guard let content = optional.content else { return ArchiveNull() }
      return try archivable(content)
    }
    if let value = value as? any KeyedCoding { return value }
    // A dictionary or set of hashable values of any types.
    if type(of: value) == AnyHashable.self, let value = value as? AnyHashable { return try archivable(value.base) }
    switch value {
    case let value as [Any]: return ArchivedArray(try elements(value))
    case let value as [AnyHashable: Any]:
      var (keys, values): ([any KeyedCoding], [any KeyedCoding]) = ([], [])
      for (key, value) in value {
        // A path does not lead to keys.
        keys.append(try archivable(key.base))
        let place = (key.base as? String).map { DictionaryStep.text($0) } ?? ".NS.objects"
        values.append(try archivable(value, at: place))
      }
      return UnorderedDictionary(keys: keys, values: values)
    case let value as Set<AnyHashable>: return UnorderedSet(elements: try elements(value.map(\.base)))
    default:
      let name = "\(type(of: value))"
      throw KeyedArchiveError(
        .notEncodable, "a value of type '\(name)' has no archived form", className: name,
        remedy: "Conform the type to SecureKeyedCoding, or encode a string, number, date, data or collection instead")
    }
  }

  private mutating func elements(_ values: [Any]) throws(KeyedArchiveError) -> [any KeyedCoding] {
    var elements: [any KeyedCoding] = []
    elements.reserveCapacity(values.count)
    for (index, value) in values.enumerated() { elements.append(try archivable(value, at: "[\(index)]")) }
    return elements
  }

  private mutating func archivable(
    _ value: Any, at place: @autoclosure () -> String
  ) throws(KeyedArchiveError) -> any KeyedCoding {
    do {
      return try archivable(value)
    } catch var error {
      // A path that reaches the limit of nesting would take longer to write than to find.
      if error.code == .limitReached { throw error }
      error.keyPath = place() + (error.keyPath ?? "")
      throw error
    }
  }
}

/// An optional of any type.
package protocol UntypedOptional {
  /// The wrapped value, or nil.
  var content: Any? { get }
}

extension Optional: UntypedOptional {
  package var content: Any? { self }
}
