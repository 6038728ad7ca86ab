// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// An `NSUnitConverter`: how a measure becomes one in the base unit.
public enum ArchivedUnitConverter: SecureKeyedCoding, DynamicArchiveClass, ArchivedClassMatching, Hashable, Sendable {
  /// By a factor and a summand.
  case linear(coefficient: Double, constant: Double)
  /// By dividing a number by it.
  case reciprocal(Double)

  /// `NSUnitConverterLinear`.
  public static var archiveClassName: String { "NSUnitConverterLinear" }
  /// True.
  public static var _hasDynamicClass: Bool { true }

  /// `NSUnitConverterReciprocal`.
  public static var archiveClassAliases: [String] { ["NSUnitConverterReciprocal"] }

  package static func matches(_ description: ClassDescription) -> Bool {
    description.chain.contains { $0 == archiveClassName || archiveClassAliases.contains($0) }
  }

  package var archivedClass: ClassDescription {
    switch self {
    case .linear: ClassDescription(name: "NSUnitConverterLinear", chain: Self.chain("NSUnitConverterLinear"))
    case .reciprocal:
      ClassDescription(name: "NSUnitConverterReciprocal", chain: Self.chain("NSUnitConverterReciprocal"))
    }
  }

  private static func chain(_ name: String) -> [String] { [name, "NSUnitConverter", "NSObject"] }

  /// Stores the numbers.
  public func encode(with coder: KeyedArchiver) {
    switch self {
    case .linear(let coefficient, let constant):
      coder.encode(coefficient, forKey: "NS.coefficient")
      coder.encode(constant, forKey: "NS.constant")
    case .reciprocal(let number): coder.encode(number, forKey: "NS.reciprocal")
    }
  }

  /// Reads the numbers.
  public init?(coder: KeyedUnarchiver) throws {
    if try coder.classOfObject.chain.contains("NSUnitConverterReciprocal")
      || coder.containsValue(forKey: "NS.reciprocal")
    {
      self = .reciprocal(try coder.finite("NS.reciprocal"))
    } else {
      self = .linear(coefficient: try coder.finite("NS.coefficient"), constant: try coder.finite("NS.constant"))
    }
  }
}
