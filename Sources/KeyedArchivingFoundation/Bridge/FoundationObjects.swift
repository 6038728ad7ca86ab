// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if !canImport(Darwin)
  import ArchivedClasses
  import Foundation
  import KeyedArchiving
  import PropertyListFormat

  /// The objects of Foundation that an archiver has recorded. Each is archived once, whatever refers to it.
  final class FoundationObjects {
    private struct Known {
      /// Keeps the object, so that no other gets its address.
      let object: NSObject
      let recorded: any KeyedCoding & AnyObject
    }

    private var known: [ObjectIdentifier: Known] = [:]
    private var isClassOfFoundation: [ObjectIdentifier: Bool] = [:]
    /// The archiver, which owns this object; nil for a conversion without an archiver.
    private weak var archiver: KeyedArchiver?
    /// Whether the archiver's layout shares equal values. A value can be made while the archiver's state is being changed,
    /// so the layout is not read then.
    private let isCompact: Bool
    /// Whether objects become values at once, because no archiver will ask for them later.
    private let isImmediate: Bool
    /// The values of objects that were converted at once.
    private var converted: [ObjectIdentifier: (object: NSObject, value: any KeyedCoding)] = [:]
    /// The nested calls of ``archivable(_:)``.
    private var nesting = NestedConversions()

    /// Creates objects for a conversion without an archiver.
    init() {
      isCompact = false
      isImmediate = true
    }

    private init(_ archiver: KeyedArchiver) {
      self.archiver = archiver
      isCompact = archiver.layout == .compact
      isImmediate = false
    }

    deinit {
      // A nested collection that released its contents would use the stack once for each level.
      for entry in known.values { (entry.recorded as? FoundationReference)?.releaseValue() }
    }

    static func of(_ archiver: KeyedArchiver) -> FoundationObjects {
      archiver.companions.object(FoundationObjects(archiver))
    }

    /// Returns the value to archive for a value of any type, or nil for an optional that is nil.
    func archivable(orNil value: Any) throws -> (any KeyedCoding)? {
      guard let optional = value as? any UntypedOptional else { return try archivable(value) }
      return try optional.content.flatMap { try archivable(orNil: $0) }
    }

    /// Returns the value to archive for a value of any type. Nil inside of a collection is archived as `NSNull`.
    func archivable(_ value: Any) throws -> any KeyedCoding {
      try nesting.begin()
      defer { nesting.end() }
      if type(of: value) is AnyClass {
        // For an element of an array of errors, Swift's runtime returns its box as the object, and a cast to a class crashes.
        if let error = value as? any Error { return try archivable(error: error) }
        return try archivable(object: value as AnyObject)
      }
      if let optional = value as? any UntypedOptional {
        return try optional.content.map { try archivable($0) } ?? ArchiveNull()
      }
      if type(of: value) == AnyHashable.self, let value = value as? AnyHashable { return try archivable(value.base) }
      if let zone = value as? TimeZone { return try archivable(object: zone as NSTimeZone) }
      if let value = value as? any KeyedCoding { return value }
      switch value {
      case let value as CGFloat: return Double(value)
      case let value as [Any]: return ArchivedArray(try elements(value))
      case let value as [AnyHashable: Any]: return try dictionary(value.map { ($0.key.base, $0.value) })
      case let value as Set<AnyHashable>: return UnorderedSet(elements: try elements(value.map(\.base)))
      // Foundation stores the underlying errors of its errors as Swift values.
      case let error as any Error: return try archivable(error: error)
      default: throw notArchivable(type(of: value))
      }
    }

    private func archivable(object: AnyObject) throws -> any KeyedCoding {
      if let known = known[ObjectIdentifier(object)] { return known.recorded }
      if let coding = object as? any KeyedCoding & AnyObject { return coding }
      guard let object = object as? NSObject, belongsToFoundation(type(of: object)) else {
        throw notArchivable(type(of: object))
      }
      switch object {
      case is NSMutableString, is NSMutableData, is NSDecimalNumber: return try reference(to: object)
      case let text as NSString: return primitive(object, .string(String(text)), String(text))
      case let data as NSData: return primitive(object, .data(Data(data)), Data(data))
      case let number as NSNumber: return archivable(number)
      // Foundation has one object for each of these, and so has an archive.
      case is NSNull: return ArchiveNull()
      case let zone as NSTimeZone: return ArchivedTimeZone(name: zone.name, rules: zone.data)
      default: return try reference(to: object)
      }
    }

    private func archivable(error: any Error) throws -> any KeyedCoding {
      // An error that is an object of Foundation stays this object.
      try error as? any KeyedCoding & AnyObject ?? archivable(object: error as NSError)
    }

    private func archivable(_ number: NSNumber) -> any KeyedCoding {
      if number === NSNumber(value: true) { return true }
      if number === NSNumber(value: false) { return false }
      return switch number.typeText {
      case "f": primitive(number, .number(.float(number.floatValue)), number.floatValue)
      case "d": primitive(number, .number(.double(number.doubleValue)), number.doubleValue)
      case "Q": primitive(number, .number(.unsigned(number.uint64Value)), number.uint64Value)
      default: number.int64Value
      }
    }

    /// Returns an object whose UID all references to a primitive get, or the value where equal values are shared.
    private func primitive(_ object: NSObject, _ value: ArchivePrimitive, _ plain: some KeyedCoding) -> any KeyedCoding
    {
      guard let archiver, !isCompact else { return plain }
      if case .string(let text) = value, archiver.isTagged(text) { return plain }
      return remember(object, as: FoundationPrimitive(value))
    }

    /// Returns what is archived for an object: a reference to it, or in a conversion without an archiver, its value.
    private func reference(to object: NSObject) throws -> any KeyedCoding {
      guard isImmediate else { return remember(object, as: FoundationReference(object, self)) }
      if let known = converted[ObjectIdentifier(object)] { return known.value }
      let value = try content(of: object)
      converted[ObjectIdentifier(object)] = (object, value)
      return value
    }

    private func remember(_ object: NSObject, as recorded: any KeyedCoding & AnyObject) -> any KeyedCoding {
      known[ObjectIdentifier(object)] = Known(object: object, recorded: recorded)
      return recorded
    }

    /// Returns whether a class is Foundation's. The superclass of another class does not encode all of its values.
    private func belongsToFoundation(_ type: AnyClass) -> Bool {
      if let known = isClassOfFoundation[ObjectIdentifier(type)] { return known }
      let belongs = String(reflecting: type).utf8.starts(with: "Foundation.".utf8)
      isClassOfFoundation[ObjectIdentifier(type)] = belongs
      return belongs
    }

    private func notArchivable(_ type: Any.Type) -> KeyedArchiveError {
      let name = (type as? AnyClass).map { FoundationClassName.of($0) } ?? "\(type)"
      guard let type = type as? AnyClass, !belongsToFoundation(type) else {
        return KeyedArchiveError(
          .notEncodable, "a value of type '\(name)' has no archived form", className: name,
          remedy: "Encode values that are in the table of NSCoderMethods, and create the object from them")
      }
      let bridge = type is any NSSecureCoding.Type ? "FoundationCoding" : "InsecureFoundationCoding"
      return KeyedArchiveError(
        .notEncodable, "class '\(name)' has no bridge to keyed coding", className: name,
        remedy: type is any NSCoding.Type
          ? "Declare 'extension \(type): \(bridge) {}'" : "Conform it to NSSecureCoding and to FoundationCoding")
    }

    // MARK: Contents

    /// Returns the value of an object of Foundation, when it is archived.
    func content(of object: NSObject) throws -> any KeyedCoding {
      switch object {
      case let array as NSArray:
        return ArchivedArray(try elements(array.storedElements), isMutable: array is NSMutableArray)
      case let dictionary as NSDictionary:
        return try self.dictionary(dictionary.storedPairs, isMutable: dictionary is NSMutableDictionary)
      case let set as NSCountedSet:
        return ArchivedCountedSet(try set.storedElements.map { (try archivable($0), set.count(for: $0)) })
      case let set as NSSet:
        return UnorderedSet(elements: try elements(set.storedElements), isMutable: set is NSMutableSet)
      case let set as NSOrderedSet:
        return ArchivedOrderedSet(try set.map { try archivable($0) }, isMutable: set is NSMutableOrderedSet)
      case let text as NSMutableString: return ArchivedMutableString(String(text))
      case let data as NSMutableData: return ArchivedMutableData(Data(data))
      case let text as NSAttributedString: return try attributedString(text)
      case let error as NSError: return try self.error(error)
      case let set as NSIndexSet:
        return ArchivedIndexSet((set as IndexSet).rangeView.map { $0 }, isMutable: set is NSMutableIndexSet)
      case let set as NSCharacterSet:
        return ArchivedCharacterSet(.bitmap(set.bitmapRepresentation), isMutable: set is NSMutableCharacterSet)
      case let number as NSDecimalNumber: return number.decimalValue
      case let value as NSValue: return try self.value(value)
      case let date as NSDate: return date as Date
      // A cast loses the base on Linux.
      case let url as NSURL: return URL(string: url.relativeString, relativeTo: url.baseURL) ?? url as URL
      case let uuid as NSUUID: return uuid as UUID
      case let path as NSIndexPath: return path as IndexPath
      case let locale as NSLocale: return locale as Locale
      case let calendar as NSCalendar: return calendar as Calendar
      case let components as NSDateComponents: return components as DateComponents
      case let interval as NSDateInterval: return interval as DateInterval
      case let name as NSPersonNameComponents: return name as PersonNameComponents
      case let transform as NSAffineTransform: return transform as AffineTransform
      case let expression as NSRegularExpression: return ArchivedRegularExpression(expression)
      case let unit as Unit: return try ArchivedUnit(unit)
      case let measurement as NSMeasurement:
        return ArchivedMeasurement(value: measurement.doubleValue, unit: try ArchivedUnit(measurement.unit))
      default: throw notArchivable(type(of: object))
      }
    }

    private func dictionary(_ pairs: [(Any, Any)], isMutable: Bool = false) throws -> any KeyedCoding {
      var (keys, values): ([any KeyedCoding], [any KeyedCoding]) = ([], [])
      for (key, value) in pairs {
        keys.append(try archivable(key: key))
        values.append(
          try at((key as? String).map { DictionaryStep.text($0) } ?? ".NS.objects") { try archivable(value) })
      }
      // A caller reads the values of a conversion, and their order must not depend on the process.
      if isImmediate, let texts = keys as? [String] {
        let pairs = zip(texts, values).sorted { $0.0.bytesPrecede($1.0) }
        return ArchivedDictionary(pairs.map { ($0.0, $0.1) }, isMutable: isMutable)
      }
      return UnorderedDictionary(keys: keys, values: values, isMutable: isMutable)
    }

    private func elements(_ values: [Any]) throws -> [any KeyedCoding] {
      try values.enumerated().map { index, value in try at("[\(index)]") { try archivable(value) } }
    }

    /// Runs a step of a conversion, whose error gets the place in the collection.
    private func at<Value>(_ place: @autoclosure () -> String, _ body: () throws -> Value) throws -> Value {
      do {
        return try body()
      } catch var error as KeyedArchiveError {
        // A path that reaches the limit of nesting would take longer to write than to find.
        if error.code == .limitReached { throw error }
        error.keyPath = place() + (error.keyPath ?? "")
        throw error
      }
    }

    /// Returns the value for a key. Strings are the usual keys, and can be ordered at once.
    private func archivable(key: Any) throws -> any KeyedCoding {
      if let text = key as? String { return text }
      return try archivable(key)
    }

    func attributedString(_ string: NSAttributedString) throws -> ArchivedAttributedString {
      var archived = ArchivedAttributedString(string.string, isMutable: string is NSMutableAttributedString)
      var sets: [[AttributePart]: Int] = [:]
      for (attributes, length) in string.attributeRuns {
        let attributes = Dictionary(uniqueKeysWithValues: attributes.map { ($0.key.rawValue, $0.value) })
        let names = attributes.keys.sorted { $0.bytesPrecede($1) }
        let values = try names.map { name in
          try at(DictionaryStep.text(name)) { try archivable(attributes[name] ?? NSNull()) }
        }
        var parts: [AttributePart] = []
        for (name, value) in zip(names, values) {
          parts += [.primitive(.string(name)), AttributePart(value, number: archived.runs.count)]
        }
        if sets[parts] == nil {
          sets[parts] = archived.attributeSets.count
          archived.attributeSets.append(ArchivedDictionary(zip(names, values).map { ($0, $1) }))
        }
        archived.runs.append(.init(length: length, attributes: sets[parts] ?? 0))
      }
      // A text without attributes has no attribute set.
      if archived.attributeSets.count == 1, archived.attributeSets[0].keys.isEmpty {
        archived.attributeSets = []
        archived.runs = []
      }
      return archived
    }

    private func error(_ error: NSError) throws -> ArchivedError {
      let names = error.userInfo.keys.sorted { $0.bytesPrecede($1) }
      let pairs = try names.map { name in
        let value = try at(".NSUserInfo" + DictionaryStep.text(name)) {
          try archivable(error.userInfo[name] ?? NSNull())
        }
        return (key: name as any KeyedCoding, value: value)
      }
      return ArchivedError(
        domain: error.domain, code: error.code, userInfo: pairs.isEmpty ? nil : ArchivedDictionary(pairs))
    }

    private func value(_ value: NSValue) throws -> any KeyedCoding {
      switch value.typeText {
      case NSValue(point: .zero).typeText: return value.pointValue
      case NSValue(size: .zero).typeText: return value.sizeValue
      case NSValue(rect: .zero).typeText: return value.rectValue
      case NSValue(range: NSRange()).typeText: return value.rangeValue
      case NSValue(edgeInsets: NSEdgeInsets()).typeText:
        let insets = value.edgeInsetsValue
        return ArchivedEdgeInsets(
          top: insets.top, left: insets.left, bottom: insets.bottom, right: insets.right)
      case let type:
        throw KeyedArchiveError(
          .notEncodable, "an NSValue of the type '\(type)' has no archived form", className: "NSValue",
          remedy: "Encode points, sizes, rectangles, ranges and edge insets, or the fields of the structure")
      }
    }
  }

  // The methods of Foundation's collections convert elements that are collections, strings or dates to new values of Swift,
  // with all that they contain. Their mirrors have the objects that are stored, except that of an ordered set.

  extension NSArray {
    var storedElements: [Any] { StoredObjects.elements(of: self, count) ?? Array(self) }
  }

  extension NSSet {
    fileprivate var storedElements: [Any] { StoredObjects.elements(of: self, count) ?? Array(self) }
  }

  extension NSDictionary {
    var storedPairs: [(Any, Any)] {
      var pairs: [(Any, Any)] = []
      for child in Mirror(reflecting: self).children {
        guard let pair = child.value as? (key: NSObject, value: AnyObject) else { break }
        pairs.append((StoredObjects.unwrapped(pair.key), StoredObjects.unwrapped(pair.value)))
      }
      return pairs.count == count ? pairs : map { ($0.key, $0.value) }
    }
  }

  private enum StoredObjects {
    /// The class whose objects wrap values of Swift. It is not public.
    private static let wrapperClass: Any.Type? = {
      struct Wrapped {}
      return Mirror(reflecting: NSArray(object: Wrapped())).children.first.map { type(of: $0.value) }
    }()

    static func elements(of collection: NSObject, _ count: Int) -> [Any]? {
      let children = Mirror(reflecting: collection).children
      return children.count == count ? children.map { unwrapped($0.value) } : nil
    }

    /// Returns the value of Swift that an object of Foundation wraps, or the object.
    static func unwrapped(_ value: Any) -> Any {
      type(of: value) == wrapperClass ? NSArray(object: value)[0] : value
    }
  }

  /// An object of Foundation, which is archived as its value.
  private final class FoundationReference: SecureKeyedCoding, DynamicArchiveClass, ValueStorage {
    private let object: NSObject
    /// The archiver's objects, which own this one.
    private weak var objects: FoundationObjects?
    /// The value, made when it is archived, because collections can contain themselves.
    private(set) lazy var value: any KeyedCoding = {
      do {
        return try objects?.content(of: object) ?? ArchiveNull()
      } catch {
        return UnarchivableValue(error: error)
      }
    }()

    init(_ object: NSObject, _ objects: FoundationObjects) {
      self.object = object
      self.objects = objects
    }

    func releaseValue() { value = ArchiveNull() }

    var archivedClass: ClassDescription {
      let type = type(of: value)
      return (value as? any DynamicArchiveClass)?.archivedClass
        ?? ClassDescription(name: type.archiveClassName, chain: type.archiveClassChain)
    }

    func encode(with coder: KeyedArchiver) throws { try value.encode(with: coder) }

    init?(coder: KeyedUnarchiver) throws { nil }
  }

  /// The name or the value of an attribute. Runs with equal parts share a set of attributes.
  ///
  /// Foundation's comparison is not used: on Linux, dictionaries with different keys can be equal, and so are numbers of
  /// different kinds.
  private enum AttributePart: Hashable {
    case primitive(ArchivePrimitive)
    case object(ObjectIdentifier)
    /// A value that cannot be compared, of the run with this number.
    case other(Int)

    init(_ value: any KeyedCoding, number: Int) {
      self =
        switch value {
        case let text as String: .primitive(.string(text))
        case let bytes as Data: .primitive(.data(bytes))
        case let value as Bool: .primitive(.number(.boolean(value)))
        case let value as Int: .primitive(.number(.integer(Int64(value))))
        case let value as Int64: .primitive(.number(.integer(value)))
        case let value as UInt64: .primitive(.number(.unsigned(value)))
        case let value as Float: .primitive(.number(.float(value)))
        case let value as Double: .primitive(.number(.double(value)))
        case let value as FoundationPrimitive: .primitive(value.value)
        case let value as any KeyedCoding & AnyObject: .object(ObjectIdentifier(value))
        default: .other(number)
        }
    }
  }

  /// A value whose archiving fails.
  private struct UnarchivableValue: SecureKeyedCoding {
    let error: any Error

    init(error: any Error) { self.error = error }

    func encode(with coder: KeyedArchiver) throws {
      guard var failure = error as? KeyedArchiveError, let rest = failure.keyPath else { throw error }
      failure.keyPath = coder.keyPath() + rest
      throw failure
    }

    init?(coder: KeyedUnarchiver) throws { nil }
  }

  /// A string, number or data of Foundation that several references share.
  private final class FoundationPrimitive: SecureKeyedCoding, IdentifiedPrimitive {
    let value: ArchivePrimitive
    var origin: SourceArchive? { nil }
    var row: UInt32 { 0 }

    init(_ value: ArchivePrimitive) { self.value = value }

    func encode(with coder: KeyedArchiver) {}

    init?(coder: KeyedUnarchiver) throws { nil }
  }
#endif
