// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

/// An `NSExpression` as a tree, which cannot be evaluated.
public indirect enum ArchivedExpression: SecureKeyedCoding, DynamicArchiveClass, ArchivedClassMatching {
  /// A method call on an operand.
  public struct Call {
    /// The operand.
    public var operand: ArchivedExpression?
    /// The name of the method, such as `valueForKeyPath:`.
    public var selector: String
    /// The arguments.
    public var arguments: [ArchivedExpression]
    /// Whether the arguments are stored as a mutable array.
    fileprivate var isArrayMutable = true

    /// Creates a call.
    /// - Parameters:
    ///   - operand: The operand.
    ///   - selector: The name of the method, such as `valueForKeyPath:`.
    ///   - arguments: The arguments.
    public init(operand: ArchivedExpression?, selector: String, arguments: [ArchivedExpression]) {
      self.operand = operand
      self.selector = selector
      self.arguments = arguments
    }
  }

  /// A constant; an `ArchivedObject` if its class was not requested.
  case constant((any KeyedCoding)?)
  /// A constant that is a class, by its name. It is the operand of the functions of the predicate language, such as
  /// `sum:` and `now`, whose class is `_NSPredicateUtilities`.
  case constantClass(String)
  /// The object that the predicate is evaluated with.
  case evaluatedObject
  /// A variable.
  case variable(String)
  /// The value for a key path: a call with a ``keyPathSpecifier(_:)`` as its argument.
  case keyPath(Call)
  /// The result of a method call.
  case function(Call)
  /// A key path.
  case keyPathSpecifier(String)
  /// An expression of any other class, or one with keys that this type does not know. They can change its meaning.
  case other(ArchivedObject)

  /// The archived class name, `NSConstantValueExpression`.
  public static var archiveClassName: String { "NSConstantValueExpression" }
  /// Other matching class names, those of the other expressions.
  public static var archiveClassAliases: [String] {
    [
      "NSSelfExpression", "NSVariableExpression", "NSKeyPathExpression", "NSFunctionExpression",
      "NSKeyPathSpecifierExpression",
    ]
  }

  package static func matches(_ description: ClassDescription) -> Bool { description.chain.contains("NSExpression") }

  package var archivedClass: ClassDescription {
    func description(_ names: String...) -> ClassDescription {
      ClassDescription(name: names[0], chain: names + ["NSExpression", "NSObject"])
    }
    return switch self {
    case .constant, .constantClass: description("NSConstantValueExpression")
    case .evaluatedObject: description("NSSelfExpression")
    case .variable: description("NSVariableExpression")
    case .keyPath: description("NSKeyPathExpression", "NSFunctionExpression")
    case .function: description("NSFunctionExpression")
    case .keyPathSpecifier: description("NSKeyPathSpecifierExpression")
    case .other(let object): object.archivedClass
    }
  }

  /// Encodes the kind and the parts.
  /// - Parameter coder: The archiver.
  /// - Throws: `KeyedArchiveError` if a value cannot be encoded.
  public func encode(with coder: KeyedArchiver) throws {
    switch self {
    case .constant(let value):
      coder.encode(0, forKey: "NSExpressionType")
      coder.encode(value, forKey: "NSConstantValue")
    case .constantClass(let name):
      coder.encode(0, forKey: "NSExpressionType")
      coder.encode(name, forKey: "NSConstantValueClassName")
    case .evaluatedObject: coder.encode(1, forKey: "NSExpressionType")
    case .variable(let name):
      coder.encode(2, forKey: "NSExpressionType")
      coder.encode(name, forKey: "NSVariable")
    case .keyPath(let call): encode(call, type: 3, coder)
    case .function(let call): encode(call, type: 4, coder)
    case .keyPathSpecifier(let path):
      coder.encode(10, forKey: "NSExpressionType")
      coder.encode(path, forKey: "NSKeyPath")
    case .other(let object): try object.encode(with: coder)
    }
  }

  private func encode(_ call: Call, type: Int, _ coder: KeyedArchiver) {
    coder.encode(type, forKey: "NSExpressionType")
    coder.encode(call.selector, forKey: "NSSelectorName")
    coder.encode(call.operand, forKey: "NSOperand")
    coder.encode(ArchivedArray(call.arguments, isMutable: call.isArrayMutable), forKey: "NSArguments")
  }

  /// Decodes the parts. The kind must match the class.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    let name = try coder.classNameOfObject
    guard let (type, keys) = Self.classes[name], try !coder.hasOtherKeys(than: keys + ["NSExpressionType"]) else {
      self = .other(try ArchivedObject.made(by: coder))
      return
    }
    let found = try coder.needed(Int.self, "NSExpressionType")
    guard found == type else { throw coder.malformed("'NSExpressionType' of \(name) is \(found); expected \(type)") }
    switch type {
    case 0:
      if let name = try coder.decodeIfPresent(String.self, forKey: "NSConstantValueClassName") {
        // The cases have one constant each.
        self =
          coder.containsValue(forKey: "NSConstantValue")
          ? .other(try ArchivedObject.made(by: coder)) : .constantClass(name)
      } else {
        self = .constant(try coder.content(forKey: "NSConstantValue"))
      }
    case 1: self = .evaluatedObject
    case 2: self = .variable(try coder.decode(String.self, forKey: "NSVariable"))
    case 3: self = .keyPath(try Call(coder))
    case 4: self = .function(try Call(coder))
    default: self = .keyPathSpecifier(try coder.decode(String.self, forKey: "NSKeyPath"))
    }
  }

  /// The type and the keys of each known class.
  private static let classes: [BytewiseString: (type: Int, keys: [String])] = [
    "NSConstantValueExpression": (0, ["NSConstantValue", "NSConstantValueClassName"]), "NSSelfExpression": (1, []),
    "NSVariableExpression": (2, ["NSVariable"]), "NSKeyPathExpression": (3, keysOfCalls),
    "NSFunctionExpression": (4, keysOfCalls), "NSKeyPathSpecifierExpression": (10, ["NSKeyPath"]),
  ]
  private static let keysOfCalls = ["NSOperand", "NSSelectorName", "NSArguments"]
}

extension ArchivedExpression.Call {
  fileprivate init(_ coder: KeyedUnarchiver) throws {
    operand = try coder.decodeIfPresent(ArchivedExpression.self, forKey: "NSOperand")
    selector = try coder.decode(String.self, forKey: "NSSelectorName")
    arguments = try coder.decodeIfPresent([ArchivedExpression].self, forKey: "NSArguments") ?? []
    isArrayMutable = try coder.isArrayMutable(forKey: "NSArguments") ?? true
  }
}
