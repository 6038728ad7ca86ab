// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// An `NSSortDescriptor`.
public struct ArchivedSortDescriptor: SecureKeyedCoding, Hashable, Sendable {
  /// The key path whose values are compared.
  public var key: String?
  /// Whether smaller ones come first.
  public var isAscending: Bool
  /// The name of the method that compares.
  public var selector: String?

  /// Makes a descriptor.
  public init(key: String?, isAscending: Bool = true, selector: String? = "compare:") {
    self.key = key
    self.isAscending = isAscending
    self.selector = selector
  }

  /// Equal if all properties are; texts are compared by their bytes.
  public static func == (a: Self, b: Self) -> Bool {
    a.key == b.key && a.isAscending == b.isAscending && a.selector == b.selector
  }

  /// Hashes all properties.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    hasher.combine(isAscending)
    hasher.combine(selector)
  }

  /// `NSSortDescriptor`.
  public static var archiveClassName: String { "NSSortDescriptor" }

  /// Stores key, direction and method.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(key, forKey: "NSKey")
    coder.encode(isAscending, forKey: "NSAscending")
    coder.encode(selector, forKey: "NSSelector")
  }

  /// Reads key, direction and method.
  public init?(coder: KeyedUnarchiver) throws {
    key = try coder.decodeIfPresent(String.self, forKey: "NSKey")
    isAscending = try coder.needed(Bool.self, "NSAscending")
    selector = try coder.decodeIfPresent(String.self, forKey: "NSSelector")
  }
}
