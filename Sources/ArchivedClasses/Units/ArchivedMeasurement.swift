// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

/// An `NSMeasurement`. `Measurement` of Foundation is archived as one of these too, where `KeyedArchivingFoundation` is
/// imported.
public struct ArchivedMeasurement: SecureKeyedCoding, Hashable, Sendable {
  /// The number.
  public var value: Double
  /// The unit.
  public var unit: ArchivedUnit

  /// Makes a measurement.
  public init(value: Double, unit: ArchivedUnit) {
    self.value = value
    self.unit = unit
  }

  /// `NSMeasurement`.
  public static var archiveClassName: String { "NSMeasurement" }

  /// Stores number and unit.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(value, forKey: "NS.value")
    coder.encode(unit, forKey: "NS.unit")
  }

  /// Reads number and unit.
  public init?(coder: KeyedUnarchiver) throws {
    value = try coder.finite("NS.value")
    unit = try coder.decode(ArchivedUnit.self, forKey: "NS.unit")
  }
}
