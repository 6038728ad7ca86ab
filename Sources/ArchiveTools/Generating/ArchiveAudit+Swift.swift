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
    text += swiftList(named: name, topClassNames)
    if classNames != topClassNames {
      text += "\n/// The types of all objects.\n"
      text += swiftList(named: "all" + name.prefix(1).uppercased() + name.dropFirst(), classNames)
    }
    if !nestedTopUses.isEmpty {
      text += "\n/// The types of the top-level values of nested archives.\n"
      text += swiftList(named: "nested" + name.prefix(1).uppercased() + name.dropFirst(), nestedTopClassNames)
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

  private func swiftList(named name: String, _ names: [String]) -> String {
    let (types, others) = types(of: names)
    var lines: [String] = []
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
