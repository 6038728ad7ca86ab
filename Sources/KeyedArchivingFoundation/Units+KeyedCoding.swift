// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import ArchivedClasses
public import Foundation
public import KeyedArchiving
import PropertyListFormat

extension Measurement: KeyedCoding, SecureKeyedCoding {
  /// The archived class name, `NSMeasurement`.
  public static var archiveClassName: String { ArchivedMeasurement.archiveClassName }

  /// Encodes the value and the unit.
  /// - Parameter coder: The archiver.
  /// - Throws: `KeyedArchiveError` if a value cannot be encoded.
  public func encode(with coder: KeyedArchiver) throws {
    ArchivedMeasurement(value: value, unit: try ArchivedUnit(unit)).encode(with: coder)
  }

  /// Decodes the value and the unit, which must be a `UnitType`.
  ///
  /// If `UnitType` is a dimension of the program, its `init(symbol:converter:)` creates the unit. On Apple's systems, such a
  /// measurement is decoded as `Measurement<Unit>` or `ArchivedMeasurement`.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedMeasurement(coder: coder) else { return nil }
    if case .other(let chain, _)? = archived.unit.converter {
      throw KeyedArchiveError(
        .typeMismatch, "the unit \(archived.unit.symbol) has a converter of the class \(chain.first ?? "")",
        className: chain.first, remedy: "Request ArchivedMeasurement, which preserves any converter")
    }
    guard let unit = archived.unit.unit as? UnitType ?? archived.unit.unit(of: UnitType.self) else {
      throw KeyedArchiveError(
        .typeMismatch, "found a measurement in \(archived.unit.classChain[0]); expected \(UnitType.self)",
        className: archived.unit.classChain.first, remedy: "Request Measurement<Unit> or ArchivedMeasurement")
    }
    self.init(value: archived.value, unit: unit)
  }
}

extension ArchivedUnit {
  /// Converts a unit of Foundation.
  /// - Parameter unit: The unit.
  /// - Throws: `KeyedArchiveError` if the converter of a dimension is neither linear nor reciprocal.
  public init(_ unit: Unit) throws {
    guard let dimension = unit as? Dimension else {
      self.init(symbol: unit.symbol)
      return
    }
    if let unknown = dimension as? UnknownDimension, let converter = ArchivedUnitConverter(dimension.converter) {
      self.init(dimension: "NSDimension", symbol: unit.symbol, converter: converter)
      if !unknown.classChain.isEmpty { classChain = unknown.classChain }
      return
    }
    // Only Foundation's classes have a prefix in archives.
    let name = String(describing: type(of: dimension))
    let isFoundations =
      UnitClass(rawValue: "NS" + name) != nil
      && String(reflecting: type(of: dimension)).utf8.starts(with: "Foundation.".utf8)
    guard let converter = ArchivedUnitConverter(dimension.converter) else {
      throw KeyedArchiveError(
        .notEncodable,
        "the unit \(unit.symbol) has a converter without an archived form: \(type(of: dimension.converter))",
        remedy: "Use a linear converter or Foundation's reciprocal converter")
    }
    self.init(
      dimension: isFoundations ? "NS" + name : TypeName.archived(type(of: dimension)), symbol: unit.symbol,
      converter: converter)
  }

  /// Returns the unit as an instance of a dimension of the program, or nil if the archive has another class.
  fileprivate func unit<UnitType: Unit>(of type: UnitType.Type) -> UnitType? {
    #if canImport(Darwin)
      // Classes of Objective-C have no required initializer that a unit of any class could be created with.
      return nil
    #else
      // Earlier versions of this library archived nested classes by their names in Swift.
      let names = [classChain.first ?? "", TypeName.archived(type)].map { RuntimeClassName($0).swiftName }
      guard let converter, names[0].hasSameBytes(as: names[1]) else { return nil }
      return (type as? Dimension.Type)?.init(symbol: symbol, converter: converter.converter) as? UnitType
    #endif
  }

  /// The unit of Foundation; a plain `Dimension` if Foundation lacks its class. If Foundation lacks the class of the converter,
  /// each conversion results in NaN.
  public var unit: Unit {
    guard let converter else { return Unit(symbol: symbol) }
    guard let kind = classChain.lazy.compactMap({ UnitClass(exactly: $0) }).first else {
      return UnknownDimension(classChain, symbol, converter.converter)
    }
    // Foundation's units with a private converter are equal only to themselves.
    let own: [UnitFuelEfficiency] = [.litersPer100Kilometers, .milesPerGallon, .milesPerImperialGallon]
    if kind == .fuelEfficiency, let unit = own.first(where: { ArchivedUnitConverter($0.converter) == converter }),
      unit.symbol == symbol
    {
      return unit
    }
    return kind.unit(symbol, converter.converter)
  }
}

extension ArchivedUnitConverter {
  /// Converts a converter of Foundation. Returns nil if the converter has no archived form.
  /// - Parameter converter: The converter of Foundation.
  public init?(_ converter: UnitConverter) {
    if let unknown = converter as? UnknownConverter {
      self = unknown.archived
      return
    }
    if let linear = converter as? UnitConverterLinear {
      self = .linear(coefficient: linear.coefficient, constant: linear.constant)
      return
    }
    // Foundation's reciprocal converter is private. It divides its number by the value, so the result for 1 is the
    // number.
    let name = String(describing: type(of: converter))
    let isReciprocal = converter is ReciprocalConverter || name.hasSuffix("UnitConverterReciprocal")
    guard isReciprocal else { return nil }
    self = .reciprocal(converter.baseUnitValue(fromValue: 1))
  }

  /// The converter of Foundation. One of a class that Foundation lacks converts each value to NaN.
  public var converter: UnitConverter {
    switch self {
    case .linear(let coefficient, let constant): UnitConverterLinear(coefficient: coefficient, constant: constant)
    case .reciprocal(let number): ReciprocalConverter(number)
    case .other: UnknownConverter(self)
    }
  }
}

/// A converter that divides a number by a value, like Foundation's private converter for fuel efficiency. Its
/// superclass requires `Sendable`; the class is immutable.
private final class ReciprocalConverter: UnitConverter, @unchecked Sendable {
  let number: Double

  init(_ number: Double) { self.number = number }

  override func baseUnitValue(fromValue value: Double) -> Double { number / value }

  override func value(fromBaseUnitValue value: Double) -> Double { number / value }
}

/// A converter of a class that Foundation lacks. A wrong result must not look like a right one. The superclass requires
/// `Sendable`; the class is immutable.
private final class UnknownConverter: UnitConverter, @unchecked Sendable {
  let archived: ArchivedUnitConverter

  init(_ archived: ArchivedUnitConverter) { self.archived = archived }

  override func baseUnitValue(fromValue value: Double) -> Double { .nan }

  override func value(fromBaseUnitValue value: Double) -> Double { .nan }

  override func isEqual(_ object: Any?) -> Bool { (object as? UnknownConverter)?.archived == archived }

  override var hash: Int { archived.hashValue }
}

/// A unit of a class that Foundation lacks.
///
/// A comparison of two measurements asks for the base unit, and that of a plain `Dimension` ends the process. The superclass
/// requires `Sendable`; nothing changes a unit after its initializer.
private final class UnknownDimension: Dimension, @unchecked Sendable {
  /// The archived names of the class and its superclasses.
  private(set) var classChain: [String] = []

  convenience init(_ classChain: [String], _ symbol: String, _ converter: UnitConverter) {
    self.init(symbol: symbol, converter: converter)
    self.classChain = classChain
  }

  override class func baseUnit() -> UnknownDimension {
    UnknownDimension(symbol: "", converter: UnitConverterLinear(coefficient: 1))
  }
}

/// The unit classes of Foundation by their archived names.
enum UnitClass: String, CaseIterable {
  case acceleration = "NSUnitAcceleration"
  case angle = "NSUnitAngle"
  case area = "NSUnitArea"
  case concentrationMass = "NSUnitConcentrationMass"
  case dispersion = "NSUnitDispersion"
  case duration = "NSUnitDuration"
  case electricCharge = "NSUnitElectricCharge"
  case electricCurrent = "NSUnitElectricCurrent"
  case electricPotentialDifference = "NSUnitElectricPotentialDifference"
  case electricResistance = "NSUnitElectricResistance"
  case energy = "NSUnitEnergy"
  case frequency = "NSUnitFrequency"
  case fuelEfficiency = "NSUnitFuelEfficiency"
  case illuminance = "NSUnitIlluminance"
  case informationStorage = "NSUnitInformationStorage"
  case length = "NSUnitLength"
  case mass = "NSUnitMass"
  case power = "NSUnitPower"
  case pressure = "NSUnitPressure"
  case speed = "NSUnitSpeed"
  case temperature = "NSUnitTemperature"
  case volume = "NSUnitVolume"

  /// Returns a unit of the class.
  func unit(_ symbol: String, _ converter: UnitConverter) -> Dimension {
    switch self {
    case .acceleration: UnitAcceleration(symbol: symbol, converter: converter)
    case .angle: UnitAngle(symbol: symbol, converter: converter)
    case .area: UnitArea(symbol: symbol, converter: converter)
    case .concentrationMass: UnitConcentrationMass(symbol: symbol, converter: converter)
    case .dispersion: UnitDispersion(symbol: symbol, converter: converter)
    case .duration: UnitDuration(symbol: symbol, converter: converter)
    case .electricCharge: UnitElectricCharge(symbol: symbol, converter: converter)
    case .electricCurrent: UnitElectricCurrent(symbol: symbol, converter: converter)
    case .electricPotentialDifference: UnitElectricPotentialDifference(symbol: symbol, converter: converter)
    case .electricResistance: UnitElectricResistance(symbol: symbol, converter: converter)
    case .energy: UnitEnergy(symbol: symbol, converter: converter)
    case .frequency: UnitFrequency(symbol: symbol, converter: converter)
    case .fuelEfficiency: UnitFuelEfficiency(symbol: symbol, converter: converter)
    case .illuminance: UnitIlluminance(symbol: symbol, converter: converter)
    case .informationStorage: UnitInformationStorage(symbol: symbol, converter: converter)
    case .length: UnitLength(symbol: symbol, converter: converter)
    case .mass: UnitMass(symbol: symbol, converter: converter)
    case .power: UnitPower(symbol: symbol, converter: converter)
    case .pressure: UnitPressure(symbol: symbol, converter: converter)
    case .speed: UnitSpeed(symbol: symbol, converter: converter)
    case .temperature: UnitTemperature(symbol: symbol, converter: converter)
    case .volume: UnitVolume(symbol: symbol, converter: converter)
    }
  }
}
