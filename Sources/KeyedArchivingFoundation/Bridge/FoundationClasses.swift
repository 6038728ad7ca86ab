// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if !canImport(Darwin)
  import ArchivedClasses
  import Foundation
  import KeyedArchiving

  /// A request for objects of some classes: the types to decode, and the classes that the results must have.
  struct ClassRequest {
    /// The allow list.
    private(set) var types: [any KeyedCoding.Type] = []
    /// The class that only its own objects and those of its subclasses satisfy; nil for a list, or a class of Foundation.
    private(set) var single: (any (KeyedCoding & AnyObject).Type)?
    private let classes: [AnyClass]
    /// The requested classes without a type.
    private var unknown: [AnyClass] = []

    init(_ classes: [AnyClass], _ known: FoundationClasses) {
      self.classes = classes
      var seen: Set<ObjectIdentifier> = []
      for requested in classes {
        let found = known.types(for: requested)
        if found.isEmpty { unknown.append(requested) }
        for type in found where seen.insert(ObjectIdentifier(type)).inserted { types.append(type) }
      }
      if classes.count == 1, unknown.isEmpty { single = classes[0] as? any (KeyedCoding & AnyObject).Type }
    }

    /// Returns whether an object has one of the classes. A mutable class does not admit an immutable object.
    func admits(_ object: Any) -> Bool {
      guard type(of: object) is AnyClass else { return true }
      var current: AnyClass? = type(of: object as AnyObject)
      while let type = current {
        if classes.contains(where: { $0 == type }) { return true }
        current = _getSuperclass(type)
      }
      return false
    }

    var names: String { classes.map { FoundationClassName.of($0) }.joined(separator: ", ") }

    /// Returns an error with the remedy for a class of the list that has no bridge.
    func mended(_ error: KeyedArchiveError) -> KeyedArchiveError {
      guard error.code == .classNotAllowed, let first = unknown.first else { return error }
      var error = error
      error.remedy =
        if first == NSObject.self {
          "NSObject does not name the classes to allow; list them"
        } else if first is any NSCoding.Type, !String(reflecting: first).utf8.starts(with: "Foundation.".utf8) {
          "The class '\(FoundationClassName.of(first))' of the request has no bridge: declare "
            + "'extension \(first): \(first is any NSSecureCoding.Type ? "" : "Insecure")FoundationCoding {}'"
        } else {
          "The class '\(FoundationClassName.of(first))' of the request cannot be decoded; the page NSCoderMethods lists "
            + "those that can"
        }
      return error
    }
  }

  /// The types that represent Foundation's classes in archives.
  struct FoundationClasses {
    private var typesOfClass: [ObjectIdentifier: [any KeyedCoding.Type]] = [:]
    /// The types of plain values, which run no code of the program: those that an untyped request allows.
    private(set) var plainTypes: [any KeyedCoding.Type] = []
    /// The types of property lists.
    private(set) var propertyListTypes: [any KeyedCoding.Type] = []

    init() {
      for (classes, types) in FoundationClasses.rows {
        for type in classes { typesOfClass[ObjectIdentifier(type)] = types }
      }
      let propertyLists: [AnyClass] = [
        NSString.self, NSNumber.self, NSData.self, NSDate.self, NSArray.self, NSDictionary.self,
      ]
      let others: [AnyClass] = [
        NSURL.self, NSUUID.self, NSNull.self, NSSet.self, NSOrderedSet.self, NSIndexSet.self, NSIndexPath.self,
        NSTimeZone.self, NSLocale.self, NSCalendar.self, NSDateComponents.self, NSAttributedString.self,
      ]
      propertyListTypes = propertyLists.flatMap { types(for: $0) }
      plainTypes = propertyListTypes + others.flatMap { types(for: $0) }
    }

    /// Returns the types to decode for a class; empty for a class without one.
    func types(for requested: AnyClass) -> [any KeyedCoding.Type] {
      if let coding = requested as? any KeyedCoding.Type { return [coding] }
      return typesOfClass[ObjectIdentifier(requested)] ?? []
    }

    private static var unitClasses: [AnyClass] {
      [
        UnitAcceleration.self, UnitAngle.self, UnitArea.self, UnitConcentrationMass.self, UnitDispersion.self,
        UnitDuration.self, UnitElectricCharge.self, UnitElectricCurrent.self, UnitElectricPotentialDifference.self,
        UnitElectricResistance.self, UnitEnergy.self, UnitFrequency.self, UnitFuelEfficiency.self,
        UnitIlluminance.self, UnitInformationStorage.self, UnitLength.self, UnitMass.self, UnitPower.self,
        UnitPressure.self, UnitSpeed.self, UnitTemperature.self, UnitVolume.self,
      ]
    }

    private static var rows: [([AnyClass], [any KeyedCoding.Type])] {
      [
        ([NSString.self], [DecodedLeaf<ArchivedMutableString>.self, String.self]),
        ([NSMutableString.self], [DecodedLeaf<ArchivedMutableString>.self]),
        ([NSData.self], [DecodedLeaf<ArchivedMutableData>.self, Data.self]),
        ([NSMutableData.self], [DecodedLeaf<ArchivedMutableData>.self]),
        ([NSNumber.self], [ArchiveNumber.self, DecodedLeaf<Decimal>.self]),
        ([NSDecimalNumber.self], [DecodedLeaf<Decimal>.self]),
        ([NSValue.self], [DecodedLeaf<ArchivedValue>.self, ArchiveNumber.self, DecodedLeaf<Decimal>.self]),
        ([NSNull.self], [ArchiveNull.self]),
        ([NSArray.self, NSMutableArray.self], [ArchivedArray.self]),
        ([NSDictionary.self, NSMutableDictionary.self], [ArchivedDictionary.self]),
        ([NSSet.self, NSMutableSet.self], [ArchivedSet.self, ArchivedCountedSet.self]),
        ([NSCountedSet.self], [ArchivedCountedSet.self]),
        ([NSOrderedSet.self, NSMutableOrderedSet.self], [ArchivedOrderedSet.self]),
        ([NSAttributedString.self, NSMutableAttributedString.self], [ArchivedAttributedString.self]),
        ([NSError.self], [ArchivedError.self]),
        ([NSIndexSet.self, NSMutableIndexSet.self], [DecodedLeaf<ArchivedIndexSet>.self]),
        ([NSCharacterSet.self, NSMutableCharacterSet.self], [DecodedLeaf<CharacterSet>.self]),
        ([NSDate.self], [DecodedLeaf<Date>.self]),
        ([NSURL.self], [DecodedLeaf<URL>.self]),
        ([NSUUID.self], [DecodedLeaf<UUID>.self]),
        ([NSIndexPath.self], [DecodedLeaf<IndexPath>.self]),
        ([NSTimeZone.self], [DecodedLeaf<TimeZone>.self]),
        ([NSLocale.self], [DecodedLeaf<Locale>.self]),
        ([NSCalendar.self], [DecodedLeaf<Calendar>.self]),
        ([NSDateComponents.self], [DecodedLeaf<DateComponents>.self]),
        ([NSDateInterval.self], [DecodedLeaf<DateInterval>.self]),
        ([NSPersonNameComponents.self], [DecodedLeaf<PersonNameComponents>.self]),
        ([NSAffineTransform.self], [DecodedLeaf<AffineTransform>.self]),
        ([NSRegularExpression.self], [DecodedLeaf<ArchivedRegularExpression>.self]),
        ([NSMeasurement.self], [DecodedLeaf<ArchivedMeasurement>.self]),
        ([Unit.self, Dimension.self] + unitClasses, [DecodedLeaf<ArchivedUnit>.self]),
      ]
    }
  }
#endif
