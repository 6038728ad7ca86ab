// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// An `NSUnit` of any kind, by the name of its class. Foundation's units are archived as these too, where
/// `KeyedArchivingFoundation` is imported.
public struct ArchivedUnit: SecureKeyedCoding, DynamicArchiveClass, ArchivedClassMatching, Hashable, Sendable {
  /// The class and its superclasses, such as `NSUnitFrequency`, `NSDimension`, `NSUnit`, `NSObject`.
  public var classChain: [String]
  /// The symbol, such as `MHz`.
  public var symbol: String
  /// For a dimension, how a measure becomes one in the base unit.
  public var converter: ArchivedUnitConverter?
  /// For Apple's own units, their number.
  public var specifier: Int?

  /// Makes a unit of a dimension.
  public init(dimension className: String, symbol: String, converter: ArchivedUnitConverter, specifier: Int? = nil) {
    classChain = [className, "NSDimension", "NSUnit", "NSObject"]
    self.symbol = symbol
    self.converter = converter
    self.specifier = specifier
  }

  /// Makes a unit that belongs to no dimension.
  public init(symbol: String) {
    classChain = ["NSUnit", "NSObject"]
    self.symbol = symbol
  }

  /// Equal if all properties are; texts are compared by their bytes.
  public static func == (a: Self, b: Self) -> Bool {
    a.classChain == b.classChain && a.symbol == b.symbol && a.converter == b.converter
      && a.specifier == b.specifier
  }

  /// Hashes all properties.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(classChain)
    hasher.combine(symbol)
    hasher.combine(converter)
    hasher.combine(specifier)
  }

  /// `NSUnit`.
  public static var archiveClassName: String { "NSUnit" }
  /// True.
  public static var _hasDynamicClass: Bool { true }

  package static func matches(_ description: ClassDescription) -> Bool { description.chain.contains("NSUnit") }

  package var archivedClass: ClassDescription {
    ClassDescription(name: classChain.first ?? Self.archiveClassName, chain: classChain)
  }

  /// Stores the symbol; for a dimension the converter and, if there is one, the number.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(symbol, forKey: "NS.symbol")
    if let converter { coder.encode(converter, forKey: "NS.converter") }
    if let specifier { coder.encode(specifier, forKey: "NS.specifier") }
  }

  /// Reads the symbol; for a dimension the converter, which it must have.
  public init?(coder: KeyedUnarchiver) throws {
    let description = try coder.classOfObject
    classChain = description.chain.isEmpty ? [description.name] : description.chain
    symbol = try coder.decode(String.self, forKey: "NS.symbol")
    converter = try coder.decodeIfPresent(ArchivedUnitConverter.self, forKey: "NS.converter")
    specifier = try coder.bare(Int.self, "NS.specifier")
    guard converter != nil || !classChain.contains("NSDimension") else {
      throw KeyedArchiveError(
        .valueNotFound, "a unit of a dimension has no 'NS.converter'",
        keyPath: coder.keyPath(to: "NS.converter"))
    }
  }
}
