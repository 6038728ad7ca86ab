// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// The Swift types that stand for the classes of an audit: this package's where it has one, else one that is made up.
struct ClassTypes {
  /// The type for whatever nothing is known of.
  static let anything = "\(ArchivedObject.self)"

  private var names: [BytewiseString: String] = [:]
  /// Where a type of the package stands in `KeyedUnarchiver.valueTypes`: lists are in that order.
  private let places: [BytewiseString: Int]
  private var taken: UniqueNames
  private let contents: ContentClasses

  /// Names that mean something in source that uses this package, so that no class of anybody's is named so there.
  static let taken = words.union(KeyedUnarchiver.valueTypes.map { BytewiseString("\($0)") })

  private static let words: Set<BytewiseString> = [
    "Any", "AnyObject", "ArchivedScalar", "AcceptedArchivers", "Array", "Bool", "Character", "Data", "Dictionary",
    "Double",
    "Error", "Float", "Foundation", "FoundationEssentials", "Int", "KeyedArchive", "KeyedArchiveError", "KeyedArchiver",
    "KeyedArchiving", "KeyedCoding", "KeyedUnarchiver", "Never", "Optional", "SecureKeyedCoding", "Set", "Swift",
    "UInt64", "Void",
  ]

  /// - Parameters:
  ///   - audit: the classes.
  ///   - names: names that are for other types.
  init(_ audit: ArchiveAudit, reserving names: [String]) {
    let types = KeyedUnarchiver.valueTypes.map { BytewiseString("\($0)") }
    places = Dictionary(types.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    taken = UniqueNames(taken: Self.taken.union(names.exact))
    contents = ContentClasses(audit)
    let known = ValueTypeNames()
    for use in audit.classes {
      let description = use.descriptions.first ?? ClassDescription(name: use.name, chain: [])
      if let type = known.type(of: description), !Self.loses(type, of: use, known) {
        self.names[BytewiseString(use.name)] = "\(type)"
      } else {
        self.names[BytewiseString(use.name)] = newName(for: use.name)
        made.append(use)
      }
    }
  }

  /// Whether a type that only a hint leads to would lose what objects hold beside a text or elements.
  private static func loses(_ type: any KeyedCoding.Type, of use: ArchiveAudit.ClassUse, _ known: ValueTypeNames)
    -> Bool
  {
    guard known.type(named: use.name) == nil else { return false }
    return PrimitiveValueClass.includes(type) || TypeInference.collections.contains("\(type)")
  }

  /// The classes that get types of their own.
  private(set) var made: [ArchiveAudit.ClassUse] = []

  /// Takes objects of some classes for data, for there is something in them that no call decodes.
  mutating func takeForData(_ classes: Set<BytewiseString>) {
    for name in classes { names[name] = Self.anything }
    made.removeAll { classes.contains(BytewiseString($0.name)) }
  }

  /// The name of the type for a class.
  func name(ofClass name: String) -> String { names[BytewiseString(name)] ?? Self.anything }

  /// Whether values of a class hold objects that come out only if they are allowed where the value is.
  func holdsOthers(_ name: String) -> Bool { !contents.classes(in: name).isEmpty }

  /// The types for classes, as a list of what is allowed: this package's first, and last the one that any class fits.
  func list(ofClasses names: Set<BytewiseString>) -> [String] {
    let all = names.reduce(into: names) { $0.formUnion(contents.classes(in: $1.text)) }
    return Set(all.map { BytewiseString(name(ofClass: $0.text)) }).sorted { (rank($0), $0) < (rank($1), $1) }.texts
  }

  private func rank(_ type: BytewiseString) -> Int {
    type.text == Self.anything ? places.count + 1 : places[type] ?? places.count
  }

  /// A name for a type: the class's, without its module unless another class has that name.
  private mutating func newName(for className: String) -> String {
    let short = SwiftName.type(forClass: className)
    let long = SwiftName.identifier(of: className).map { $0.prefix(1).uppercased() + $0.dropFirst() }
    let names = [short, long].compactMap(\.self)
    return taken.add(names.filter(SwiftName.isType), or: (long ?? "Class") + "Object")
  }
}
