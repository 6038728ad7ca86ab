// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

/// An `NSPredicateOperator`: how a predicate compares.
public struct ArchivedPredicateOperator: SecureKeyedCoding, DynamicArchiveClass, ArchivedClassMatching {
  /// The class and its superclasses, such as `NSEqualityPredicateOperator`, `NSPredicateOperator`, `NSObject`.
  public var classChain: [String]
  /// The kind of comparison, as `NSComparisonPredicate.Operator`: 4 is equal, 5 is not equal.
  public var type: Int
  /// Whether all, or any, of several values must compare, as `NSComparisonPredicate.Modifier`.
  public var modifier: Int
  /// Whether the opposite counts; some classes have no such value.
  public var isNegated: Bool?
  /// Everything, where there is more than the above.
  public private(set) var object: ArchivedObject?

  /// Makes an operator.
  public init(
    className: String = "NSEqualityPredicateOperator", type: Int, modifier: Int = 0, isNegated: Bool? = false
  ) {
    classChain = [className, "NSPredicateOperator", "NSObject"]
    self.type = type
    self.modifier = modifier
    self.isNegated = isNegated
  }

  /// `NSPredicateOperator`.
  public static var archiveClassName: String { "NSPredicateOperator" }
  /// True.
  public static var _hasDynamicClass: Bool { true }

  package static func matches(_ description: ClassDescription) -> Bool {
    description.chain.contains("NSPredicateOperator")
  }

  package var archivedClass: ClassDescription {
    ClassDescription(name: classChain.first ?? Self.archiveClassName, chain: classChain)
  }

  /// Stores kind, modifier and whether the opposite counts.
  public func encode(with coder: KeyedArchiver) throws {
    if let object {
      // Copies of this value share the object.
      let object = object.copy()
      object["NSOperatorType"] = .integer(Int64(type))
      object["NSModifier"] = .integer(Int64(modifier))
      if let isNegated { object["NSNegate"] = .boolean(isNegated) }
      return try object.encode(with: coder)
    }
    coder.encode(type, forKey: "NSOperatorType")
    coder.encode(modifier, forKey: "NSModifier")
    if let isNegated { coder.encode(isNegated, forKey: "NSNegate") }
  }

  /// Reads what is there.
  public init?(coder: KeyedUnarchiver) throws {
    let description = try coder.classOfObject
    classChain = description.chain.isEmpty ? [description.name] : description.chain
    type = try coder.needed(Int.self, "NSOperatorType")
    modifier = try coder.bare(Int.self, "NSModifier") ?? 0
    isNegated = try coder.bare(Bool.self, "NSNegate")
    let all = try ArchivedObject.made(by: coder)
    let known = ["NSOperatorType", "NSModifier", "NSNegate"]
    if all.entries.contains(where: { !known.contains($0.key) }) { object = all }
  }
}
