// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
public import Foundation
public import KeyedArchiving

extension Measurement: KeyedCoding, SecureKeyedCoding {
  /// `NSMeasurement`.
  public static var archiveClassName: String { ArchivedMeasurement.archiveClassName }

  /// Stores number and unit.
  public func encode(with coder: KeyedArchiver) throws {
    ArchivedMeasurement(value: value, unit: try ArchivedUnit(unit)).encode(with: coder)
  }

  /// Reads number and unit, which must be of the kind that was asked for.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedMeasurement(coder: coder) else { return nil }
    guard let unit = archived.unit.unit as? UnitType else {
      throw KeyedArchiveError(
        .typeMismatch, "expected a measurement in \(UnitType.self), found one in \(archived.unit.classChain[0])",
        className: archived.unit.classChain.first, remedy: "Ask for Measurement<Unit>, or for ArchivedMeasurement")
    }
    self.init(value: archived.value, unit: unit)
  }
}
