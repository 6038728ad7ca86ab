// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import ArchivedClasses
public import Foundation
import KeyedArchiving
import PropertyListFormat

extension ArchivedUnit {
  /// The same unit as an archive holds it.
  /// - Throws: `KeyedArchiveError` for a dimension whose converter is neither linear nor reciprocal.
  public init(_ unit: Unit) throws {
    guard let dimension = unit as? Dimension else {
      self.init(symbol: unit.symbol)
      return
    }
    // Foundation's own names have a prefix in archives, those of others have none.
    let name = String(describing: type(of: dimension))
    let isFoundations = UnitClass(rawValue: "NS" + name) != nil
    guard let converter = ArchivedUnitConverter(dimension.converter) else {
      throw KeyedArchiveError(
        .notEncodable, "the unit \(unit.symbol) has a converter of \(type(of: dimension.converter))",
        remedy: "Only linear converters and Foundation's reciprocal one have a form in an archive")
    }
    self.init(
      dimension: isFoundations ? "NS" + name : String(reflecting: type(of: dimension)), symbol: unit.symbol,
      converter: converter)
  }

  /// The unit. One of a dimension that Foundation does not have is made as a `Dimension`.
  public var unit: Unit {
    guard let converter else { return Unit(symbol: symbol) }
    guard let kind = classChain.lazy.compactMap({ UnitClass(exactly: $0) }).first else {
      return Dimension(symbol: symbol, converter: converter.converter)
    }
    // Units that Foundation has itself are equal only to themselves where their converter is not public.
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
  /// The same converter as an archive holds it; nil for a kind that has no form there.
  public init?(_ converter: UnitConverter) {
    if let linear = converter as? UnitConverterLinear {
      self = .linear(coefficient: linear.coefficient, constant: linear.constant)
      return
    }
    // Foundation's reciprocal converter is not public. It divides its number by the value, so it gives it for 1.
    let name = String(describing: type(of: converter))
    let isReciprocal = converter is ReciprocalConverter || name.hasSuffix("UnitConverterReciprocal")
    guard isReciprocal else { return nil }
    self = .reciprocal(converter.baseUnitValue(fromValue: 1))
  }

  /// The converter.
  public var converter: UnitConverter {
    switch self {
    case .linear(let coefficient, let constant): UnitConverterLinear(coefficient: coefficient, constant: constant)
    case .reciprocal(let number): ReciprocalConverter(number)
    }
  }
}

/// Divides a number by a value, as Foundation's own converter for fuel efficiency does, which is not public. Its
/// superclass makes it `Sendable`, which it is without a lock: nothing in it changes.
private final class ReciprocalConverter: UnitConverter, @unchecked Sendable {
  let number: Double

  init(_ number: Double) { self.number = number }

  override func baseUnitValue(fromValue value: Double) -> Double { number / value }

  override func value(fromBaseUnitValue value: Double) -> Double { number / value }
}
