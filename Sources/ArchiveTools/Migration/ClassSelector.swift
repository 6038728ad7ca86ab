// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// A selection of the objects that a migration rule applies to: the objects of classes, or `$top`.
///
/// Names are compared with `$classname` byte by byte. A name that begins with `*.` selects classes of any module, or
/// without one: `*.Creature` matches `Creature`, `Zoo.Creature` and `Old.Zoo.Creature`. The name of a nested class has
/// dots, as in `*.Zoo.Creature`, which matches `Zoo.Creature` and `Old.Zoo.Creature`.
public struct ClassSelector: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  /// The names of the selected classes.
  public let names: [String]
  /// A Boolean value that indicates whether the selection includes objects of subclasses.
  public let includesSubclasses: Bool
  /// A Boolean value that indicates whether the selection is `$top`.
  public let isTop: Bool

  /// The selected names that have no `*.`.
  let exact: Set<BytewiseString>
  private let anyModule: Set<BytewiseString>
  /// The greatest number of dots in the names after `*.`.
  private let dotCount: Int

  /// Selects the objects of classes.
  /// - Parameters:
  ///   - names: The names of the classes.
  ///   - includingSubclasses: Whether to include objects of subclasses.
  public init(_ names: [String], includingSubclasses: Bool = false) {
    self.init(names, includingSubclasses, isTop: false)
  }

  private init(_ names: [String], _ includesSubclasses: Bool, isTop: Bool) {
    self.names = names
    self.includesSubclasses = includesSubclasses
    self.isTop = isTop
    exact = Set(names.lazy.filter { !$0.hasPrefix("*.") }.map { BytewiseString($0) })
    let anyModule = names.compactMap { $0.rest(after: "*.") }
    self.anyModule = Set(anyModule.map { BytewiseString(String($0)) })
    dotCount = anyModule.map { $0.utf8.count { $0 == UInt8(ascii: ".") } }.max() ?? 0
  }

  /// Selects the objects of one class.
  /// - Parameter name: The name of the class.
  public init(stringLiteral name: String) { self.init([name]) }

  /// Selects the objects of classes.
  /// - Parameter names: The names of the classes.
  public init(arrayLiteral names: String...) { self.init(names) }

  /// The top-level values.
  public static let top = ClassSelector([], false, isTop: true)

  /// Whether a name selects classes of any module.
  var hasPatterns: Bool { !anyModule.isEmpty }

  /// Returns whether the selection contains a class.
  /// - Parameter name: The name of the class.
  /// - Returns: Whether the name is selected.
  public func matches(_ name: String) -> Bool {
    if exact.contains(BytewiseString(name)) { return true }
    guard !anyModule.isEmpty else { return false }
    var rest = name.utf8[...]
    for _ in 0...dotCount {
      guard let dot = rest.lastIndex(of: UInt8(ascii: ".")) else { return anyModule.contains(BytewiseString(name)) }
      if anyModule.contains(BytewiseString(String(name[name.utf8.index(after: dot)...]))) { return true }
      rest = rest[..<dot]
    }
    return false
  }

  /// Returns whether the selection contains the objects of a class.
  func matches(_ description: ClassDescription) -> Bool {
    matches(description.name) || (includesSubclasses && description.chain.contains { matches($0) })
  }
}

extension ClassSelector: CustomStringConvertible {
  /// The names of the selected classes.
  public var description: String { isTop ? "$top" : names.joined(separator: ", ") }
}
