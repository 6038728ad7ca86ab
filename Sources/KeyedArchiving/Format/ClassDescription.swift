// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// What an archive says of a class.
public struct ClassDescription: Hashable, Sendable {
  /// `$classname`.
  public var name: String
  /// `$classes`: the class and its superclasses, up to `NSObject`. Empty where the record has no such list.
  public var chain: [String]
  /// `$classhints`: classes to make where this one is not known. Empty where the record has no such list.
  public var hints: [String]

  /// Equal if all properties are; texts are compared by their bytes.
  public static func == (a: Self, b: Self) -> Bool { a.name == b.name && a.chain == b.chain && a.hints == b.hints }

  /// Hashes all properties.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(chain)
    hasher.combine(hints)
  }

  /// Makes a description.
  public init(name: String, chain: [String], hints: [String] = []) {
    self.name = name
    self.chain = chain
    self.hints = hints
  }
}
