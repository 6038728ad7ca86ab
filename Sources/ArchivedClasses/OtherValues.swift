// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving

/// The values of a decoded object for keys that its type does not know, such as keys of a newer system.
///
/// They are archived again after the values of the properties, so that nothing is lost. Objects among them are data, and
/// their classes need not be allowed.
///
/// A newer key can repeat in another form what a property says. For example, newer systems store a descriptor with each
/// `UIFont`, and it takes precedence over the name. When you change such a value, remove the other values:
/// ```swift
/// font.name = "Courier"
/// font.otherValues = OtherValues()
/// ```
public struct OtherValues: Hashable, Sendable {
  private var kept: KeptValues?

  /// Creates an empty collection of values.
  public init() {}

  fileprivate init(_ kept: KeptValues?) { self.kept = kept }

  /// The keys as they are stored.
  public var keys: [String] { kept?.keys ?? [] }

  /// The string, number or data for a key; nil if the key is absent or its value is another object.
  /// - Parameter key: The key as it is stored.
  public subscript(key: String) -> ArchivePrimitive? { kept?.primitive(forKey: key) }

  /// Returns whether the values have the same keys and the same archived form.
  /// - Parameters:
  ///   - a: A collection of values.
  ///   - b: Another collection of values.
  /// - Returns: Whether the values have the same keys and the same archived form.
  public static func == (a: Self, b: Self) -> Bool {
    guard let first = a.kept, let second = b.kept else { return a.isEmpty && b.isEmpty }
    return first.hasSameContents(as: second)
  }

  /// Hashes the number of values.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(keys.count) }

  /// Whether no values exist.
  var isEmpty: Bool { kept == nil }

  /// The identity of the object that the values were decoded from, while a copy of the values exists.
  var identity: ObjectIdentifier? { kept.map { ObjectIdentifier($0) } }

  /// Encodes the values in the current object.
  func encode(with coder: KeyedArchiver) {
    do { try kept?.encode(with: coder) } catch { coder.failWithError(error) }
  }
}

extension KeyedUnarchiver {
  /// Decodes the values of the current object for all keys except those that its type knows.
  func otherValues(except known: [String]) throws -> OtherValues { OtherValues(try keptValues(except: known)) }
}

/// A type with a list of fields that archives the values for other keys again.
protocol OtherValuesKeeping {
  /// The values for keys that the type does not know.
  var otherValues: OtherValues { get set }
}
