// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

/// An `NSPredicate` as a tree. It cannot be evaluated, so decoding it is safe.
public indirect enum ArchivedPredicate: SecureKeyedCoding, DynamicArchiveClass, ArchivedClassMatching {
  /// A comparison of two expressions.
  case comparison(left: ArchivedExpression, right: ArchivedExpression, ArchivedPredicateOperator)
  /// A combination of predicates: type 0 is "not", 1 is "and", 2 is "or".
  case compound(type: Int, [ArchivedPredicate])
  /// A predicate that is always true or always false.
  case constant(Bool)
  /// Any other class.
  case other(ArchivedObject)

  /// The archived class name, `NSComparisonPredicate`.
  public static var archiveClassName: String { "NSComparisonPredicate" }
  /// Other matching class names, those of the other predicates.
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

  /// Encodes the parts.
  /// - Parameter coder: The archiver.
  /// - Throws: `KeyedArchiveError` if a value cannot be encoded.
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

  /// Decodes the parts.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    switch try coder.classNameOfObject {
    case "NSComparisonPredicate":
      self = .comparison(
        left: try coder.decode(ArchivedExpression.self, forKey: "NSLeftExpression"),
        right: try coder.decode(ArchivedExpression.self, forKey: "NSRightExpression"),
        try coder.decode(ArchivedPredicateOperator.self, forKey: "NSPredicateOperator"))
    case "NSCompoundPredicate":
      let type = try coder.needed(Int.self, "NSCompoundPredicateType")
      guard 0...2 ~= type else {
        throw coder.malformed("invalid predicate: 'NSCompoundPredicateType' is \(type); expected 0 to 2")
      }
      self = .compound(type: type, try coder.decode([ArchivedPredicate].self, forKey: "NSSubpredicates"))
    case "NSTruePredicate": self = .constant(true)
    case "NSFalsePredicate": self = .constant(false)
    default: self = .other(try ArchivedObject.made(by: coder))
    }
  }
}

/// An `NSPredicateOperator`: the comparison of a predicate.
public struct ArchivedPredicateOperator: SecureKeyedCoding, DynamicArchiveClass, ArchivedClassMatching {
  /// The class and its superclasses, such as `NSEqualityPredicateOperator`, `NSPredicateOperator`, `NSObject`.
  public var classChain: [String]
  /// The kind of comparison, an `NSComparisonPredicate.Operator`: 4 is equal, 5 is not equal.
  public var type: Int
  /// The quantifier for several values, an `NSComparisonPredicate.Modifier`.
  public var modifier: Int
  /// A Boolean value that indicates whether the comparison is negated; nil for classes without this setting.
  public var isNegated: Bool?
  /// The whole object, if it has more values than those above.
  public private(set) var object: ArchivedObject?

  /// Creates an operator.
  /// - Parameters:
  ///   - className: The name of the class.
  ///   - type: The kind of comparison, an `NSComparisonPredicate.Operator`: 4 is equal, 5 is not equal.
  ///   - modifier: The quantifier for several values, an `NSComparisonPredicate.Modifier`.
  ///   - isNegated: Whether the comparison is negated; nil for classes without this setting.
  public init(
    className: String = "NSEqualityPredicateOperator", type: Int, modifier: Int = 0, isNegated: Bool? = false
  ) {
    classChain = [className, "NSPredicateOperator", "NSObject"]
    self.type = type
    self.modifier = modifier
    self.isNegated = isNegated
  }

  /// The archived class name, `NSPredicateOperator`.
  public static var archiveClassName: String { "NSPredicateOperator" }
  package static func matches(_ description: ClassDescription) -> Bool {
    description.chain.contains("NSPredicateOperator")
  }

  package var archivedClass: ClassDescription {
    ClassDescription(name: classChain.first ?? Self.archiveClassName, chain: classChain)
  }

  /// Encodes the kind, modifier and negation.
  /// - Parameter coder: The archiver.
  /// - Throws: `KeyedArchiveError` if a value cannot be encoded.
  public func encode(with coder: KeyedArchiver) throws {
    if let object {
      // Copies of this value share the object.
      let object = object.copy()
      object["NSOperatorType"] = .number(.integer(Int64(type)))
      object["NSModifier"] = .number(.integer(Int64(modifier)))
      if let isNegated { object["NSNegate"] = .number(.boolean(isNegated)) }
      return try object.encode(with: coder)
    }
    coder.encode(type, forKey: "NSOperatorType")
    coder.encode(modifier, forKey: "NSModifier")
    if let isNegated { coder.encode(isNegated, forKey: "NSNegate") }
  }

  /// Decodes the stored values.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    let description = try coder.classOfObject
    classChain = description.chain.isEmpty ? [description.name] : description.chain
    type = try coder.needed(Int.self, "NSOperatorType")
    modifier = try coder.primitive(Int.self, "NSModifier") ?? 0
    isNegated = try coder.primitive(Bool.self, "NSNegate")
    let all = try ArchivedObject.made(by: coder)
    let known = ["NSOperatorType", "NSModifier", "NSNegate"]
    if all.entries.contains(where: { !known.contains($0.key) }) { object = all }
  }
}

/// An `NSSortDescriptor`.
public struct ArchivedSortDescriptor: SecureKeyedCoding, Hashable, Sendable {
  /// The key path of the compared values.
  public var key: String?
  /// A Boolean value that indicates whether the order is ascending.
  public var isAscending: Bool
  /// The name of the comparison method.
  public var selector: String?

  /// Creates a descriptor.
  /// - Parameters:
  ///   - key: The key path of the compared values.
  ///   - isAscending: Whether the order is ascending.
  ///   - selector: The name of the comparison method.
  public init(key: String?, isAscending: Bool = true, selector: String? = "compare:") {
    self.key = key
    self.isAscending = isAscending
    self.selector = selector
  }

  /// Returns whether all properties are equal. Compares strings by their bytes.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether all properties are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.key == b.key && a.isAscending == b.isAscending && a.selector == b.selector
  }

  /// Hashes all properties.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    hasher.combine(isAscending)
    hasher.combine(selector)
  }

  /// The archived class name, `NSSortDescriptor`.
  public static var archiveClassName: String { "NSSortDescriptor" }

  /// Encodes the key, direction and method.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(key, forKey: "NSKey")
    coder.encode(isAscending, forKey: "NSAscending")
    coder.encode(selector, forKey: "NSSelector")
  }

  /// Decodes the key, direction and method.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    key = try coder.decodeIfPresent(String.self, forKey: "NSKey")
    isAscending = try coder.needed(Bool.self, "NSAscending")
    selector = try coder.decodeIfPresent(String.self, forKey: "NSSelector")
  }
}
