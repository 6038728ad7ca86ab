// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

/// An `NSPredicate` as the tree it is. Nothing in it can be evaluated, and so nothing in it can do harm.
public indirect enum ArchivedPredicate: SecureKeyedCoding, DynamicArchiveClass, ArchivedClassMatching {
  /// A comparison of two expressions.
  case comparison(left: ArchivedExpression, right: ArchivedExpression, ArchivedPredicateOperator)
  /// Several predicates together: type 0 is the opposite of one, 1 all, 2 any of them.
  case compound(type: Int, [ArchivedPredicate])
  /// One that is true, or false, of everything.
  case constant(Bool)
  /// Any other.
  case other(ArchivedObject)

  /// `NSComparisonPredicate`.
  public static var archiveClassName: String { "NSComparisonPredicate" }
  /// True.
  public static var _hasDynamicClass: Bool { true }

  /// The classes of the other predicates.
  public static var archiveClassAliases: [String] { ["NSCompoundPredicate", "NSTruePredicate", "NSFalsePredicate"] }

  package static func matches(_ description: ClassDescription) -> Bool { description.chain.contains("NSPredicate") }

  package var archivedClass: ClassDescription {
    func description(_ name: String) -> ClassDescription {
      ClassDescription(name: name, chain: [name, "NSPredicate", "NSObject"])
    }
    return switch self {
    case .comparison: description("NSComparisonPredicate")
    case .compound: description("NSCompoundPredicate")
    case .constant(true): description("NSTruePredicate")
    case .constant(false): description("NSFalsePredicate")
    case .other(let object): object.archivedClass
    }
  }

  /// Stores the parts.
  public func encode(with coder: KeyedArchiver) throws {
    switch self {
    case .comparison(let left, let right, let comparison):
      coder.encode(left, forKey: "NSLeftExpression")
      coder.encode(right, forKey: "NSRightExpression")
      coder.encode(comparison, forKey: "NSPredicateOperator")
    case .compound(let type, let predicates):
      coder.encode(type, forKey: "NSCompoundPredicateType")
      coder.encode(predicates, forKey: "NSSubpredicates")
    case .constant: break
    case .other(let object): try object.encode(with: coder)
    }
  }

  /// Reads the parts.
  public init?(coder: KeyedUnarchiver) throws {
    switch try coder.classNameOfObject {
    case "NSComparisonPredicate":
      self = .comparison(
        left: try coder.decode(ArchivedExpression.self, forKey: "NSLeftExpression"),
        right: try coder.decode(ArchivedExpression.self, forKey: "NSRightExpression"),
        try coder.decode(ArchivedPredicateOperator.self, forKey: "NSPredicateOperator"))
    case "NSCompoundPredicate":
      let type = try coder.needed(Int.self, "NSCompoundPredicateType")
      guard 0...2 ~= type else { throw coder.malformed("'NSCompoundPredicateType' of a predicate is \(type)") }
      self = .compound(type: type, try coder.decode([ArchivedPredicate].self, forKey: "NSSubpredicates"))
    case "NSTruePredicate": self = .constant(true)
    case "NSFalsePredicate": self = .constant(false)
    default: self = .other(try ArchivedObject.made(by: coder))
    }
  }
}
