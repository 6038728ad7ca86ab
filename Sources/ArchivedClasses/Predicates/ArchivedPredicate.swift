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
  /// A predicate of any other class, or one with keys that this type does not know. They can change its meaning.
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
      guard coder.isValid(Self.fault(ofType: type)) else { return }
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
    let name = try coder.classNameOfObject
    guard let keys = Self.classes[name], try !coder.hasOtherKeys(than: keys) else {
      self = .other(try ArchivedObject.made(by: coder))
      return
    }
    switch name {
    case "NSComparisonPredicate":
      self = .comparison(
        left: try coder.decode(ArchivedExpression.self, forKey: "NSLeftExpression"),
        right: try coder.decode(ArchivedExpression.self, forKey: "NSRightExpression"),
        try coder.decode(ArchivedPredicateOperator.self, forKey: "NSPredicateOperator"))
    case "NSCompoundPredicate":
      let type = try coder.needed(Int.self, "NSCompoundPredicateType")
      try coder.check(Self.fault(ofType: type))
      self = .compound(type: type, try coder.decode([ArchivedPredicate].self, forKey: "NSSubpredicates"))
    default: self = .constant(name == "NSTruePredicate")
    }
  }

  /// The keys of each known class.
  private static let classes: [BytewiseString: [String]] = [
    "NSComparisonPredicate": ["NSLeftExpression", "NSRightExpression", "NSPredicateOperator"],
    "NSCompoundPredicate": ["NSCompoundPredicateType", "NSSubpredicates"], "NSTruePredicate": [],
    "NSFalsePredicate": [],
  ]

  private static func fault(ofType type: Int) -> Fault? {
    0...2 ~= type ? nil : Fault("invalid predicate: 'NSCompoundPredicateType' is \(type); expected 0 to 2")
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
  /// Whether the modifier is stored even if it is 0.
  private var storesModifier = true
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

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
  public func encode(with coder: KeyedArchiver) {
    coder.encode(type, forKey: "NSOperatorType")
    if storesModifier || modifier != 0 { coder.encode(modifier, forKey: "NSModifier") }
    if let isNegated { coder.encode(isNegated, forKey: "NSNegate") }
    otherValues.encode(with: coder)
  }

  /// Decodes the stored values.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    let description = try coder.classOfObject
    classChain = description.chain.isEmpty ? [description.name] : description.chain
    type = try coder.needed(Int.self, "NSOperatorType")
    let modifier = try coder.primitive(Int.self, "NSModifier")
    storesModifier = modifier != nil
    self.modifier = modifier ?? 0
    isNegated = try coder.primitive(Bool.self, "NSNegate")
    otherValues = try coder.otherValues(except: ["NSOperatorType", "NSModifier", "NSNegate"])
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
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

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
    a.key == b.key && a.isAscending == b.isAscending && a.selector == b.selector && a.otherValues == b.otherValues
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

  /// Encodes the direction, and the key and method if they are not nil.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    if let key { coder.encode(key, forKey: "NSKey") }
    coder.encode(isAscending, forKey: "NSAscending")
    if let selector { coder.encode(selector, forKey: "NSSelector") }
    otherValues.encode(with: coder)
  }

  /// Decodes the key, direction and method.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    key = try coder.decodeIfPresent(String.self, forKey: "NSKey")
    isAscending = try coder.needed(Bool.self, "NSAscending")
    selector = try coder.decodeIfPresent(String.self, forKey: "NSSelector")
    otherValues = try coder.otherValues(except: ["NSKey", "NSAscending", "NSSelector"])
  }
}
