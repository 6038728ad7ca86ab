// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchivedClasses
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// The Swift types that represent the classes of an audit: a type of this package, or else a generated one.
struct ClassTypes {
  /// The type for objects of any class.
  static let anything = "\(ArchivedObject.self)"

  private var names: [BytewiseString: String] = [:]
  /// The positions of this package's types in `ValueTypeNames.types`, by which lists are sorted.
  private let positions: [BytewiseString: Int]
  private var taken: UniqueNames
  private let contents: ContentClasses
  /// The types of the objects inside of values, by the class of the value, so that classes of one type count once.
  private var contentTypes: [BytewiseString: Set<BytewiseString>] = [:]

  /// Names that generated source uses, which must not become names of generated types.
  static let taken = words.union(ValueTypeNames.types.map { BytewiseString("\($0)") })

  /// The types of mutable classes that types of immutable classes also match.
  private static let mutableTypes: [BytewiseString: String] = [
    "NSMutableString": "\(ArchivedMutableString.self)", "NSMutableData": "\(ArchivedMutableData.self)",
  ]

  private static let primitiveTypes: [BytewiseString: String] = [
    "NSString": "String", "NSNumber": "\(ArchiveNumber.self)", "NSData": "Data",
  ]

  private static let words: Set<BytewiseString> = [
    "AcceptedArchivers", "Any", "AnyObject", "Array", "Bool", "BoxedPrimitive", "Character", "Data", "Dictionary",
    "Double", "Error", "Float", "Foundation", "FoundationEssentials", "Int", "KeyedArchive", "KeyedArchiveError",
    "KeyedArchiver", "KeyedArchives", "KeyedArchiving", "KeyedCoding", "KeyedUnarchiver", "Never", "Optional",
    "SecureKeyedCoding", "Set", "Swift", "UInt64", "Void",
    // A generated type of this name would hide the one of Foundation.
    "NSDateComponents",
    // The generated test.
    "ArchiveContentsTests", "ArchiveDifference", "ArchiveTools", "Suite", "Test", "Testing",
  ]

  /// Assigns a type to each class.
  /// - Parameters:
  ///   - audit: The audit.
  ///   - names: The names of other types.
  init(_ audit: ArchiveAudit, reserving names: [String]) {
    let types = ValueTypeNames.types.map { BytewiseString("\($0)") }
    positions = Dictionary(types.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    taken = UniqueNames(taken: Self.taken.union(names.exact))
    contents = ContentClasses(audit)
    let known = ValueTypeNames()
    for use in audit.classes {
      if let type = Self.mutableTypes[BytewiseString(use.name)] {
        self.names[BytewiseString(use.name)] = type
        continue
      }
      if let type = known.type(of: use), !Self.loses(type, of: use, known) {
        self.names[BytewiseString(use.name)] = "\(type)"
      } else {
        self.names[BytewiseString(use.name)] = newName(for: use.name)
        generated.append(use)
      }
    }
    setContentTypes()
  }

  private mutating func setContentTypes() {
    contentTypes = contents.contents.mapValues { names in Set(names.map { BytewiseString(name(ofClass: $0.text)) }) }
  }

  /// The keys of archived date components, which an archiver also writes for unset values.
  private static let keysOfDateComponents: Set<BytewiseString> = {
    let data = try? KeyedArchiver.archivedData(withRootObject: DateComponents(), requiringSecureCoding: true)
    let use = data.flatMap { try? ArchiveAudit(of: KeyedArchive($0)) }?.classes.first
    return Set((use?.keys ?? []).map { BytewiseString($0.key) })
  }()

  /// Returns whether a type would lose or add values. A type that matches only a class hint has no values other than a text
  /// or elements. Date components and converters have no unusual keys.
  private static func loses(_ type: any KeyedCoding.Type, of use: ArchiveAudit.ClassUse, _ known: ValueTypeNames)
    -> Bool
  {
    let keys = Set(use.keys.map { BytewiseString($0.key) })
    if type == DateComponents.self {
      let isMissing = use.keys.contains { keysOfDateComponents.contains($0.key) && $0.use.count < use.count }
      return isMissing || !keys.isSuperset(of: keysOfDateComponents)
        || !keys.subtracting(keysOfDateComponents).isSubset(of: ["NS.calendar", "NS.dayOfYear", "NS.timezone"])
    }
    if type == ArchivedUnitConverter.self {
      return !keys.isSubset(of: ["NS.coefficient", "NS.constant", "NS.reciprocal"])
    }
    if type == URL.self { return !keys.isSubset(of: URL.archiveKeys.exact) }
    guard known.type(named: use.name) == nil else { return false }
    return PrimitiveValueClass.includes(type) || TypeInference.collections.contains("\(type)")
  }

  /// The classes with generated types.
  private(set) var generated: [ArchiveAudit.ClassUse] = []

  /// Uses `ArchivedObject` for classes whose objects contain values that no method of the decoder decodes.
  mutating func useArchivedObject(for classes: Set<BytewiseString>) {
    for name in classes { names[name] = Self.anything }
    generated.removeAll { classes.contains(BytewiseString($0.name)) }
    setContentTypes()
  }

  /// Returns the name of the type for a class.
  func name(ofClass name: String) -> String {
    // The audit does not count inline primitives as objects.
    names[BytewiseString(name)] ?? Self.primitiveTypes[BytewiseString(name)] ?? Self.anything
  }

  /// Returns whether values of a class contain objects that the allow list for the value must include.
  func holdsOthers(_ name: String) -> Bool { !contents.classes(in: name).isEmpty }

  /// Returns the allow list for classes: types of mutable classes first, then others of this package, and
  /// `ArchivedObject` last. The first type with a name decodes it. Returns nil for a list of more than `limit` types, which
  /// is not sorted.
  func list(ofClasses names: Set<BytewiseString>, atMost limit: Int = .max) -> [String]? {
    var types: Set<BytewiseString> = []
    for name in names {
      types.insert(self.name(ofClass: name.text))
      for type in contentTypes[name] ?? [] where types.count <= limit { types.insert(type) }
      if types.count > limit { return nil }
    }
    return types.sorted { (rank($0), $0) < (rank($1), $1) }.texts
  }

  private func rank(_ type: BytewiseString) -> Int {
    if Self.mutableTypes.values.contains(where: { $0.hasSameBytes(as: type.text) }) { return -1 }
    return type.text == Self.anything ? positions.count + 1 : positions[type] ?? positions.count
  }

  /// Returns a new type name for a class: the name of the class, without its module unless that name is taken.
  private mutating func newName(for className: String) -> String {
    let short = SwiftName.type(forClass: className)
    let long = SwiftName.identifier(of: className).map { $0.prefix(1).uppercased() + $0.dropFirst() }
    let names = [short, long].compactMap(\.self)
    let usable = names.filter { SwiftName.isType($0) && $0.utf8.count <= SwiftName.maximumByteCount }
    return taken.add(usable, or: (long ?? "Class") + "Object")
  }
}
