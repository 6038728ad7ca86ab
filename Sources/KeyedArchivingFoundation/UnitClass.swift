// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat

/// The kinds of units that Foundation has, by their names in archives.
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

  /// A unit of the kind.
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
