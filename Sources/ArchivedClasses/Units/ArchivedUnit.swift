// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

/// An `NSUnit` of any class. `KeyedArchivingFoundation` converts Foundation's units to and from this type.
public struct ArchivedUnit: SecureKeyedCoding, DynamicArchiveClass, ArchivedClassMatching, Hashable, Sendable {
  /// The class and its superclasses, such as `NSUnitFrequency`, `NSDimension`, `NSUnit`, `NSObject`.
  public var classChain: [String]
  /// The symbol, such as `MHz`.
  public var symbol: String
  /// The conversion to the base unit of a dimension; nil for other units.
  public var converter: ArchivedUnitConverter?
  /// The identifier of a unit that Apple defines.
  public var specifier: Int?
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates a unit of a dimension.
  /// - Parameters:
  ///   - className: The name of the class.
  ///   - symbol: The symbol, such as `MHz`.
  ///   - converter: The conversion to the base unit of a dimension; nil for other units.
  ///   - specifier: The identifier of a unit that Apple defines.
  public init(dimension className: String, symbol: String, converter: ArchivedUnitConverter, specifier: Int? = nil) {
    classChain = [className, "NSDimension", "NSUnit", "NSObject"]
    self.symbol = symbol
    self.converter = converter
    self.specifier = specifier
  }

  /// Creates a unit without a dimension.
  /// - Parameter symbol: The symbol, such as `MHz`.
  public init(symbol: String) {
    classChain = ["NSUnit", "NSObject"]
    self.symbol = symbol
  }

  /// Returns whether all properties are equal. Compares strings by their bytes.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether all properties are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.classChain == b.classChain && a.symbol == b.symbol && a.converter == b.converter
      && a.specifier == b.specifier && a.otherValues == b.otherValues
  }

  /// Hashes all properties.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(classChain)
    hasher.combine(symbol)
    hasher.combine(converter)
    hasher.combine(specifier)
  }

  /// The cost of comparing the name of a class with those of all units.
  private static let costOfName: Int64 = 64

  /// The archived class name, `NSUnit`.
  public static var archiveClassName: String { "NSUnit" }
  package static func matches(_ description: ClassDescription) -> Bool { description.chain.contains("NSUnit") }

  package var archivedClass: ClassDescription {
    ClassDescription(name: classChain.first ?? Self.archiveClassName, chain: classChain)
  }

  /// Encodes the symbol, and the converter and specifier if they are not nil. A dimension requires a converter.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    guard coder.isValid(fault) else { return }
    coder.encode(symbol, forKey: "NS.symbol")
    if let converter { coder.encode(converter, forKey: "NS.converter") }
    if let specifier { coder.encode(specifier, forKey: "NS.specifier") }
    otherValues.encode(with: coder)
  }

  /// Decodes the symbol. A dimension also has a converter, which is required.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    let description = try coder.classOfObject
    classChain = description.chain.isEmpty ? [description.name] : description.chain
    // The names are compared for each unit, and many units can share a long chain.
    try coder.storage.state.charge(work: Self.costOfName * Int64(classChain.count))
    symbol = try coder.decode(String.self, forKey: "NS.symbol")
    converter = try coder.decodeIfPresent(ArchivedUnitConverter.self, forKey: "NS.converter")
    specifier = try coder.primitive(Int.self, "NS.specifier")
    otherValues = try coder.otherValues(except: ["NS.symbol", "NS.converter", "NS.specifier"])
    try coder.check(fault)
  }

  private var fault: Fault? {
    converter != nil || !classChain.contains("NSDimension")
      ? nil : Fault("invalid dimension: 'NS.converter' is missing", code: .valueNotFound, key: "NS.converter")
  }
}

/// An `NSUnitConverter`: a conversion to a base unit.
public enum ArchivedUnitConverter: SecureKeyedCoding, DynamicArchiveClass, ArchivedClassMatching, Hashable, Sendable {
  /// A multiplication by a coefficient and an addition of a constant.
  case linear(coefficient: Double, constant: Double)
  /// A division of a number by the value.
  case reciprocal(Double)
  /// A conversion of any other class, such as one of a program, or one with keys that this type does not know.
  case other(classChain: [String], values: OtherValues)

  /// The archived class name, `NSUnitConverterLinear`.
  public static var archiveClassName: String { "NSUnitConverterLinear" }
  /// Other matching class names: `NSUnitConverterReciprocal`.
  public static var archiveClassAliases: [String] { ["NSUnitConverterReciprocal"] }

  package static func matches(_ description: ClassDescription) -> Bool {
    description.name == archiveClassName || archiveClassAliases.contains(description.name)
      || description.chain.contains("NSUnitConverter")
  }

  package var archivedClass: ClassDescription {
    switch self {
    case .linear: Self.description("NSUnitConverterLinear")
    case .reciprocal: Self.description("NSUnitConverterReciprocal")
    case .other(let chain, _): ClassDescription(name: chain.first ?? "NSUnitConverter", chain: chain)
    }
  }

  private static func description(_ name: String) -> ClassDescription {
    ClassDescription(name: name, chain: [name, "NSUnitConverter", "NSObject"])
  }

  /// Encodes the numbers of the conversion, which must be finite, or the values of another class.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    switch self {
    case .linear(let coefficient, let constant):
      coder.encode(finite: coefficient, forKey: "NS.coefficient")
      coder.encode(finite: constant, forKey: "NS.constant")
    case .reciprocal(let number): coder.encode(finite: number, forKey: "NS.reciprocal")
    case .other(_, let values): values.encode(with: coder)
    }
  }

  /// Decodes the numbers of the conversion, or the values of another class.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    let description = try coder.classOfObject
    let isReciprocal = description.name == "NSUnitConverterReciprocal"
    let keys = isReciprocal ? ["NS.reciprocal"] : ["NS.coefficient", "NS.constant"]
    // A subclass can convert in another way.
    guard isReciprocal || description.name == Self.archiveClassName, try !coder.hasOtherKeys(than: keys) else {
      // A damaged record can have a name that its chain lacks.
      let isInChain = description.chain.first?.hasSameBytes(as: description.name) ?? false
      let chain = isInChain ? description.chain : [description.name] + description.chain
      self = .other(classChain: chain, values: try coder.otherValues(except: []))
      return
    }
    self =
      isReciprocal
      ? .reciprocal(try coder.finite("NS.reciprocal"))
      : .linear(coefficient: try coder.finite("NS.coefficient"), constant: try coder.finite("NS.constant"))
  }
}

/// An `NSMeasurement`. With `KeyedArchivingFoundation`, Foundation's `Measurement` has the same archived form.
public struct ArchivedMeasurement: SecureKeyedCoding, Hashable, Sendable {
  /// The value, in the unit.
  public var value: Double {
    get { storedValue.value ?? 0 }
    set { storedValue.value = newValue }
  }
  private var storedValue: StoredReal
  /// The unit.
  public var unit: ArchivedUnit
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates a measurement.
  /// - Parameters:
  ///   - value: The value, in the unit.
  ///   - unit: The unit.
  public init(value: Double, unit: ArchivedUnit) {
    storedValue = StoredReal(value)
    self.unit = unit
  }

  /// The archived class name, `NSMeasurement`.
  public static var archiveClassName: String { "NSMeasurement" }

  /// Encodes the value, which must be finite, and the unit.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    storedValue.encode(with: coder, "NS.value")
    coder.encode(unit, forKey: "NS.unit")
    otherValues.encode(with: coder)
  }

  /// Decodes the value and the unit.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    storedValue = try StoredReal(needed: "NS.value", coder)
    unit = try coder.decode(ArchivedUnit.self, forKey: "NS.unit")
    otherValues = try coder.otherValues(except: ["NS.value", "NS.unit"])
  }
}
