// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

extension ArchiveAudit {
  /// Returns the first type of this package that matches a class, or nil if only `ArchivedObject` does.
  package static func valueType(of archivedClass: ClassDescription) -> (any KeyedCoding.Type)? {
    ValueTypeNames().type(of: archivedClass)
  }

  /// The allow list for decoding the top-level values, for example with
  /// `KeyedUnarchiver.unarchivedObject(ofClasses:from:limits:)`, and the names of classes without a type of this
  /// package.
  public var topTypes: (types: [any KeyedCoding.Type], others: [String]) {
    let (types, others) = types(of: topClassNames)
    return (types.map(\.type), others)
  }

  /// Returns the types for classes, each with the classes that it represents, and the classes without a type.
  private func types(of names: [String]) -> (types: [(type: any KeyedCoding.Type, names: [String])], others: [String]) {
    var types: [(type: any KeyedCoding.Type, names: [String])] = []
    var others: [String] = []
    let known = ValueTypeNames()
    for name in names {
      guard let type = type(ofClass: name, known) else {
        others.append(name)
        continue
      }
      if let place = types.firstIndex(where: { $0.type == type }) {
        types[place].names.append(name)
      } else {
        types.append((type, [name]))
      }
    }
    return (types, others)
  }

  /// Returns the allow lists as Swift source: one for decoding the top-level values and, if the objects have more
  /// classes, one with all classes. Another one lists the classes of the top-level values of nested archives, if any.
  ///
  /// A collection whose members have one type is in the first list with that type, such as `[Creature].self`. The list allows
  /// no other members then. If such a list would not decode another value, it has `ArchivedArray` and the types of the members.
  ///
  /// A class without a type of this package is assumed to be a type of yours with the name of the class, without its
  /// module. A class whose name is not a valid type name appears in a comment, as does a class whose type name another
  /// type has.
  /// - Parameter name: The name of the list.
  /// - Returns: The source, which compiles at the top of a file after you declare the missing types.
  public func swiftAllowList(named name: String = "allowedClasses") -> String {
    var text =
      "/// The types of the top-level values and of members of top-level collections.\n"
    text += "/// Pass them to unarchivedObject(ofClasses:from:). Other objects request the types of their parts.\n"
    if !types(of: classNames).others.isEmpty {
      text += "///\n"
      text += "/// Your types adopt KeyedCoding or KeyedCodable. A type that is only Codable cannot be on a list:\n"
      text += "/// request it by itself, with KeyedArchiveDecoder().decode(_:from:).\n"
    }
    let typed = typedCollections(in: topUses)
    text += swiftList(named: name, typed?.others ?? topClassNames, typed?.lines ?? [])
    if typed != nil || classNames != topClassNames {
      text += "\n/// The types of all objects.\n"
      text += swiftList(named: "all" + name.prefix(1).uppercased() + name.dropFirst(), classNames)
    }
    if !nestedTopUses.isEmpty {
      text += "\n/// The types of the top-level values of nested archives.\n"
      let typed = typedCollections(in: nestedTopUses)
      let names = typed?.others ?? nestedTopClassNames
      text += swiftList(named: "nested" + name.prefix(1).uppercased() + name.dropFirst(), names, typed?.lines ?? [])
    }
    let imports = SwiftImports.lines(for: text.split(separator: "\n").map(String.init))
    return imports.joined(separator: "\n") + "\n\n" + text
  }

  private func type(ofClass name: String, _ known: ValueTypeNames) -> (any KeyedCoding.Type)? {
    guard let use = classTable[BytewiseString(name)] else {
      return known.type(of: ClassDescription(name: name, chain: []))
    }
    return known.type(of: use)
  }

  /// The classes of collections whose members can have one type, by the kind of their Swift type.
  private static let typedCollectionNames: [Set<BytewiseString>] = [
    ["NSArray", "NSMutableArray"], ["NSSet"], ["NSDictionary"],
  ]

  /// Returns lines with the types of the collections among top-level values, and the names of the other classes of these
  /// values. Returns nil if a list of these types would not decode all values. The first type of a list with a class name
  /// decodes all objects of that class.
  private func typedCollections(in uses: [BytewiseString: ValueUse]) -> (lines: [String], others: [String])? {
    var rest = ValueUse()
    for use in uses.values { rest.merge(use) }
    guard !rest.kinds.keys.contains(where: { [.array, .dictionary].contains($0) }), !hasValuesWithCollections else {
      return nil
    }
    let inference = TypeInference(types: ClassTypes(self, reserving: []))
    let known = ValueTypeNames()
    func isNamed(_ name: BytewiseString) -> Bool {
      let type = type(ofClass: name.text, known).map { "\($0)" } ?? SwiftName.type(forClass: name.text)
      return type?.hasSameBytes(as: inference.types.name(ofClass: name.text)) ?? false
    }
    var lines: [String] = []
    for classes in Self.typedCollectionNames {
      var use = rest
      use.kinds = rest.kinds.filter { $0.key.className.map { classes.contains($0) } ?? false }
      guard !use.kinds.isEmpty else { continue }
      var members: Set<BytewiseString> = []
      use.collectClassNames(into: &members)
      members.subtract(AuditWalk.collectionNames)
      guard let type = inference.collection(use), members.allSatisfy(isNamed) else { return nil }
      func list(_ names: [String]) -> String { names.map(SwiftName.comment).joined(separator: ", ") }
      let yours = members.contains { self.type(ofClass: $0.text, known) == nil } ? ", your type" : ""
      let collections = list(use.kinds.keys.compactMap(\.className).sorted())
      lines.append("\(type).self,  // \(collections) with \(list(members.sorted().texts))\(yours)")
      rest.kinds = rest.kinds.filter { use.kinds[$0.key] == nil }
    }
    let others = Set(rest.kinds.keys.compactMap { $0.className.map { BytewiseString($0) } })
    guard !lines.isEmpty, others.isDisjoint(with: AuditWalk.collectionNames), others.allSatisfy(isNamed) else {
      return nil
    }
    return (lines, others.sorted().texts)
  }

  /// Whether a value of this package's types has collections in it, such as an error's user info. They are decoded with the
  /// list of the caller.
  private var hasValuesWithCollections: Bool {
    let known = ValueTypeNames()
    return classTable.values.contains { use in
      guard !AuditWalk.collectionNames.contains(use.name), known.type(of: use) != nil else { return false }
      var names: Set<BytewiseString> = []
      for key in use.uses.values { key.collectClassNames(into: &names) }
      return !names.isDisjoint(with: AuditWalk.collectionNames)
    }
  }

  private func swiftList(named name: String, _ names: [String], _ first: [String] = []) -> String {
    let (types, others) = types(of: names)
    var lines = first
    var used = Set(types.map { BytewiseString("\($0.type)") })
    for (type, names) in types {
      lines.append("\(type).self,  // \(names.map(SwiftName.comment).joined(separator: ", "))")
    }
    for name in others {
      let type = SwiftName.type(forClass: name)
      guard let type else {
        lines.append("// The class name \"\(SwiftName.comment(name))\" is not a valid type name.")
        continue
      }
      if !ClassTypes.taken.contains(type), used.insert(type) {
        lines.append("\(type).self,  // \(SwiftName.comment(name)), your type")
      } else {
        lines.append(
          "// \"\(SwiftName.comment(name))\": the name \(type) is taken. Declare a type of another name, and add it.")
      }
    }
    // A computed property, because a stored list of types is not Sendable.
    return "var \(name): [any KeyedCoding.Type] {\n  [\n" + lines.map { "    \($0)\n" }.joined() + "  ]\n}\n"
  }
}
