// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if !canImport(Darwin)
  import ArchivedClasses
  import Foundation
  import KeyedArchiving
  import PropertyListFormat

  /// A request for objects of some classes: the types to decode, and the classes that the results must have.
  final class ClassRequest {
    /// The allow list.
    private(set) var types: [any KeyedCoding.Type] = []
    /// The class that only its own objects and those of its subclasses satisfy; nil for a list, or a class of Foundation.
    private(set) var single: (any (KeyedCoding & AnyObject).Type)?
    private let classes: [AnyClass]
    /// Whether each type decodes no objects of Foundation but those of the classes, so that contents need no check.
    private let isExact: Bool
    /// The storages whose contents have the classes. Their owner is the coder, which also keeps this request.
    private var checkedStorages: Set<ObjectIdentifier> = []
    /// The errors of storages that contain an object of another class.
    private var refusals: [ObjectIdentifier: any Error] = [:]
    /// How errors speak of the request.
    let wording: RequestWording

    init(_ classes: [AnyClass], _ known: FoundationClasses) {
      self.classes = classes
      isExact = classes.allSatisfy(known.isExact)
      var unknown: [AnyClass] = []
      var seen: Set<ObjectIdentifier> = []
      for requested in classes {
        let found = known.types(for: requested)
        if found.isEmpty { unknown.append(requested) }
        for type in found where seen.insert(ObjectIdentifier(type)).inserted { types.append(type) }
      }
      if classes.count == 1, unknown.isEmpty { single = classes[0] as? any (KeyedCoding & AnyObject).Type }
      let isSingle = single != nil
      wording = RequestWording(
        of: types, allowed: { Self.names(of: classes) },
        remedy: { [unknown] found in
          if let first = unknown.first { return Self.remedy(forUnknown: first) }
          // Only the program knows whether another of its classes is a subclass, or the same class with another name.
          if isSingle, !FoundationClassName.isOfFoundation(found) { return nil }
          return Self.remedy(adding: found, to: classes)
        })
    }

    /// Returns whether an object has one of the classes. A mutable class does not admit an immutable object.
    func admits(_ object: Any) -> Bool {
      type(of: object) is AnyClass ? admits(class: type(of: object as AnyObject)) : true
    }

    private func admits(class found: AnyClass) -> Bool {
      var current: AnyClass? = found
      while let type = current {
        if classes.contains(where: { $0 == type }) { return true }
        current = _getSuperclass(type)
      }
      return false
    }

    /// Throws an error unless an object has one of the classes, and so have the objects of Foundation in it.
    /// - Parameters:
    ///   - object: The object.
    ///   - value: The decoded value that the object was made of.
    /// - Throws: `KeyedArchiveError` if the class of an object is not allowed.
    func check(_ object: Any, _ value: any KeyedCoding) throws {
      guard admits(object) else { throw refusal(of: type(of: object as AnyObject)) }
      guard !isExact else { return }
      // Each nil ends the contents of the last open storage.
      var values: [(any KeyedCoding)?] = [value]
      var open: [ObjectIdentifier] = []
      do {
        while let value = values.popLast() {
          guard let value else {
            checkedStorages.insert(open.removeLast())
            continue
          }
          guard let content = DecodedContent(value) else { continue }
          if let storage = content.storage.map({ ObjectIdentifier($0) }) {
            // Many objects can refer to one collection.
            if checkedStorages.contains(storage) { continue }
            if let known = refusals[storage] { throw known }
            open.append(storage)
            values.append(nil)
          }
          guard admits(class: content.type) else { throw refusal(of: content.type) }
          values += content.values
        }
      } catch {
        for storage in open { refusals[storage] = error }
        throw error
      }
    }

    private func refusal(of type: AnyClass) -> KeyedArchiveError {
      let found = FoundationClassName.of(type)
      return KeyedArchiveError(
        .classNotAllowed, "class '\(found)' is not allowed here; allowed: \(Self.names(of: classes))", className: found,
        remedy: "Request the class that the archive contains here, and make a mutable copy")
    }

    private static func names(of classes: [AnyClass]) -> String {
      classes.isEmpty ? "nothing" : classes.map { String(describing: $0) }.joined(separator: ", ")
    }

    /// Returns the remedy for a class of the list that has no bridge.
    private static func remedy(forUnknown requested: AnyClass) -> String {
      if requested == NSObject.self { return "NSObject does not name the classes to allow; list them" }
      let name = FoundationClassName.of(requested)
      guard requested is any NSCoding.Type, !String(reflecting: requested).utf8.starts(with: "Foundation.".utf8) else {
        return "The class '\(name)' of the request cannot be decoded; the page NSCoderMethods lists those that can"
      }
      return "The class '\(name)' of the request has no bridge: declare "
        + "'extension \(requested): \(requested is any NSSecureCoding.Type ? "" : "Insecure")FoundationCoding {}'"
    }

    /// Returns the remedy for a class that is not on the list.
    private static func remedy(adding found: String, to classes: [AnyClass]) -> String {
      if found.hasSameBytes(as: "NSObject") { return FoundationClassName.remedyForRootClass }
      let condition = found.hasSameBytes(as: "NSNull") ? "If a value may be nil" : "If you trust it"
      guard let name = FoundationClassName.inSwift(found) else { return "\(condition), add its class to the list" }
      let list = (classes.map { String(describing: $0) } + [name]).map { "\($0).self" }.joined(separator: ", ")
      return "\(condition), add it to the list of the request: [\(list)]"
    }
  }

  /// The types that represent Foundation's classes in archives.
  struct FoundationClasses {
    private var typesOfClass: [ObjectIdentifier: [any KeyedCoding.Type]] = [:]
    /// The classes whose types also decode objects of a superclass: the first class of each row.
    private var inexactClasses: Set<ObjectIdentifier> = []
    /// The types of plain values, which run no code of the program: those that an untyped request allows.
    private(set) var plainTypes: [any KeyedCoding.Type] = []
    /// The types of property lists.
    private(set) var propertyListTypes: [any KeyedCoding.Type] = []

    init() {
      for (classes, types) in FoundationClasses.rows {
        for type in classes { typesOfClass[ObjectIdentifier(type)] = types }
        inexactClasses.formUnion(classes.dropFirst().map { ObjectIdentifier($0) })
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

    /// Returns whether the types of a class decode no other objects of Foundation.
    func isExact(_ requested: AnyClass) -> Bool { !inexactClasses.contains(ObjectIdentifier(requested)) }

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
