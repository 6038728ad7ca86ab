// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// Which objects a migration rule is about: those of classes with certain names, or the top of the archive.
///
/// A name is that in `$classname`, letter for letter. A name that begins with `*.` stands for a class of any module, and
/// of none: `*.Creature` is `Creature`, `Zoo.Creature` and `Old.Zoo.Creature`.
public struct ClassSelector: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  /// The names.
  public let names: [String]
  /// Whether objects are meant too whose class says that it descends from one of these.
  public let includesSubclasses: Bool
  /// Whether `$top` is meant, and no object.
  public let isTop: Bool

  private let exact: Set<BytewiseString>
  private let anyModule: Set<BytewiseString>

  /// Selects objects by the names of their classes.
  public init(_ names: [String], includingSubclasses: Bool = false) {
    self.init(names, includingSubclasses, isTop: false)
  }

  private init(_ names: [String], _ includesSubclasses: Bool, isTop: Bool) {
    self.names = names
    self.includesSubclasses = includesSubclasses
    self.isTop = isTop
    exact = Set(names.lazy.filter { !$0.hasPrefix("*.") }.map { BytewiseString($0) })
    anyModule = Set(names.lazy.compactMap { $0.rest(after: "*.") }.map { BytewiseString(String($0)) })
  }

  /// Selects the objects of one class.
  public init(stringLiteral name: String) { self.init([name]) }

  /// Selects the objects of classes.
  public init(arrayLiteral names: String...) { self.init(names) }

  /// The top of the archive: the values under its top-level keys.
  public static let top = ClassSelector([], false, isTop: true)

  /// Whether a class of this name is meant.
  public func matches(_ name: String) -> Bool {
    if exact.contains(BytewiseString(name)) { return true }
    guard !anyModule.isEmpty else { return false }
    let start = name.utf8.lastIndex(of: UInt8(ascii: ".")).map { name.utf8.index(after: $0) } ?? name.startIndex
    return anyModule.contains(BytewiseString(String(name[start...])))
  }

  /// Whether objects of a class are meant.
  func matches(_ description: ClassDescription) -> Bool {
    matches(description.name) || (includesSubclasses && description.chain.contains { matches($0) })
  }
}

extension ClassSelector: CustomStringConvertible {
  /// The names.
  public var description: String { isTop ? "$top" : names.joined(separator: ", ") }
}
