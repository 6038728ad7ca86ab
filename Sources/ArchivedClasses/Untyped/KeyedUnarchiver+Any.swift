// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

extension KeyedUnarchiver {
  /// The types of property lists, and null: the allow list of ``decodeAny(of:forKey:)``.
  public static var propertyListTypes: [any KeyedCoding.Type] {
    [
      ArchivedDictionary.self, ArchivedArray.self, String.self, ArchiveNumber.self, Date.self, Data.self,
      ArchiveNull.self,
    ]
  }

  /// Decodes a value whose structure is not known in advance, such as a dictionary of settings, as ordinary values of
  /// Swift.
  ///
  /// - A dictionary is a `[String: Any]`, and an array an `[Any]`.
  /// - Strings, dates and data are `String`, `Date` and `Data`. Null is `ArchiveNull`.
  /// - A Boolean is a `Bool`.
  /// - An integer is an `Int`. One that is stored in 16 bytes, as recent systems store unsigned numbers, is a `UInt64`.
  /// - A real is a `Double`. One that is stored in 4 bytes is a `Float`.
  /// - An object of another type of the list is a value of that type.
  ///
  /// Mutable classes are decoded like the others. Numbers keep their kind, so a cast to another one is nil.
  /// `KeyedArchiver.encodeAny(_:forKey:)` archives the result again, as immutable collections.
  ///
  /// ```swift
  /// let settings = try coder.decodeAny(forKey: "settings") as? [String: Any]
  /// let isTall = settings?["isTall"] as? Bool
  /// ```
  /// - Parameters:
  ///   - types: The allow list, which governs all contents. It has the types of property lists by default; to add others,
  ///     pass `KeyedUnarchiver.propertyListTypes + [Creature.self]`.
  ///   - key: The key of the value.
  /// - Returns: The value, or nil if the key is absent or stores nil.
  /// - Throws: `KeyedArchiveError` if an object is damaged or its class is not allowed, or if the keys of a dictionary are
  ///   not different strings.
  public func decodeAny(
    of types: [any KeyedCoding.Type] = KeyedUnarchiver.propertyListTypes, forKey key: String
  ) throws -> Any? {
    try throwing { () throws -> Any? in
      guard let value = try object(types, key) else { return nil }
      var values = PlainValues(self)
      do throws(KeyedArchiveError) {
        return try values.plain(value)
      } catch var error {
        error.keyPath = place().text + (error.keyPath ?? "")
        throw error
      }
    }
  }
}

/// Converts decoded values to those that a program without this package would use.
///
/// Collections of Swift have no identity: a shared one is copied for each reference. All conversions of a decoder have one
/// budget, because many objects can request the same collection.
private struct PlainValues {
  private let coder: KeyedUnarchiver
  private var stack = StackGuard()

  init(_ coder: KeyedUnarchiver) { self.coder = coder }

  mutating func plain(_ value: any KeyedCoding) throws(KeyedArchiveError) -> Any {
    try stack.checkNestedCollection()
    switch value {
    case let number as ArchiveNumber: return plain(number)
    case let array as ArchivedArray:
      try charge(array.elements.count)
      var elements: [Any] = []
      elements.reserveCapacity(array.elements.count)
      for (index, element) in array.elements.enumerated() { elements.append(try plain(element, at: "[\(index)]")) }
      return elements
    case let dictionary as ArchivedDictionary:
      try charge(2 * dictionary.keys.count)
      return try entries(dictionary)
    default: return value
    }
  }

  private mutating func charge(_ count: Int) throws(KeyedArchiveError) {
    try coder.storage.state.charge(converting: ExpansionBudget.element * (Int64(count) + 1))
  }

  private func plain(_ number: ArchiveNumber) -> Any {
    switch number {
    case .boolean(let value): return value
    case .integer(let value):
      // Where Int has 32 bits, a larger integer is an Int64.
      if let value = Int(exactly: value) { return value }
      return value
    case .unsigned(let value): return value
    case .float(let value): return value
    case .double(let value): return value
    }
  }

  private mutating func entries(_ dictionary: ArchivedDictionary) throws(KeyedArchiveError) -> [String: Any] {
    var entries: [String: Any] = [:]
    entries.reserveCapacity(dictionary.keys.count)
    for (key, value) in zip(dictionary.keys, dictionary.values) {
      guard let text = key as? String else {
        throw KeyedArchiveError(
          .typeMismatch, "found a key of type \(type(of: key)); expected a string",
          className: ArchivedDictionary.archiveClassName,
          remedy: "Request ArchivedDictionary, which has keys of any type")
      }
      // Swift hashes strings in a time that grows with the square of a run of marks.
      guard MarkRun.isBounded(text) else {
        throw KeyedArchiveError(
          .limitReached,
          "a key has a run of too many combining marks: expected at most \(MarkRun.longest) in a row",
          className: ArchivedDictionary.archiveClassName, remedy: "Request ArchivedDictionary, which hashes no strings")
      }
      let plain = try plain(value, at: DictionaryStep.text(text))
      guard entries.updateValue(plain, forKey: text) == nil else {
        throw KeyedArchiveError(
          .malformedValue, "duplicate key '\(MessageText.plain(MessageText.shortened(text, to: 60)))' of a dictionary",
          className: ArchivedDictionary.archiveClassName,
          remedy: "Request ArchivedDictionary, which keeps keys that Swift considers equal")
      }
    }
    return entries
  }

  private mutating func plain(
    _ value: any KeyedCoding, at place: @autoclosure () -> String
  ) throws(KeyedArchiveError) -> Any {
    do {
      return try plain(value)
    } catch var error {
      error.keyPath = place() + (error.keyPath ?? "")
      throw error
    }
  }
}
