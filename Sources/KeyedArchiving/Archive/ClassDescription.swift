// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What an archive says of a class.
public struct ClassDescription: Hashable, Sendable {
  /// `$classname`.
  public var name: String
  /// `$classes`: the class and its superclasses, up to `NSObject`. Empty where the record has no such list.
  public var chain: [String]
  /// `$classhints`: classes to make where this one is not known. Empty where the record has no such list.
  public var hints: [String]

  /// Makes a description.
  public init(name: String, chain: [String], hints: [String] = []) {
    self.name = name
    self.chain = chain
    self.hints = hints
  }
}
