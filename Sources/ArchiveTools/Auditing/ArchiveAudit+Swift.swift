// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

extension ArchiveAudit {
  /// The type of this package that objects of a class are decoded as where nothing else is asked for, the first of
  /// `KeyedUnarchiver.valueTypes` that answers to it; nil for a class that has none but `ArchivedObject`.
  package static func valueType(of archivedClass: ClassDescription) -> (any KeyedCoding.Type)? {
    ValueTypeNames().type(of: archivedClass)
  }

  /// The types to hand to `KeyedUnarchiver.unarchivedObject(ofClasses:from:limits:)` and its like for what is on top, and
  /// the names of classes that no type of this package stands for but `ArchivedObject`.
  public var topTypes: (types: [any KeyedCoding.Type], others: [String]) {
    let (types, others) = types(of: topClassNames)
    return (types.map(\.type), others)
  }

  /// The types for classes, each with the classes that it stands for, and the classes that have none.
  private func types(of names: [String]) -> (types: [(type: any KeyedCoding.Type, names: [String])], others: [String]) {
    var types: [(type: any KeyedCoding.Type, names: [String])] = []
    var others: [String] = []
    let known = ValueTypeNames()
    for name in names {
      guard let type = known.type(of: description(ofClass: name)) else {
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

  /// The lists of allowed classes as Swift source: one for what is on top, which a call that decodes it needs; one with all
  /// classes, if there are more.
  ///
  /// Classes of which this package knows no type are taken for types of yours, named as the class is without its module.
  /// One whose name cannot be a type's stands in a comment.
  /// - Parameter name: what the list is called.
  /// - Returns: the source, which compiles at the top of a file once there are types for the names.
  public func swiftAllowList(named name: String = "allowedClasses") -> String {
    var text =
      "/// What stands on top of the archive, and in collections there: for unarchivedObject(ofClasses:from:).\n"
    text += "/// Other objects ask for their parts themselves.\n"
    text += swiftList(named: name, topClassNames)
    if classNames != topClassNames {
      text += "\n/// All classes of which there are objects, those in other objects too.\n"
      text += swiftList(named: "all" + name.prefix(1).uppercased() + name.dropFirst(), classNames)
    }
    if !nestedTopUses.isEmpty {
      text += "\n/// What stands on top of archives that are in data.\n"
      text += swiftList(named: "nested" + name.prefix(1).uppercased() + name.dropFirst(), nestedTopClassNames)
    }
    let imports = SwiftImports.lines(for: text.split(separator: "\n").map(String.init))
    return imports.joined(separator: "\n") + "\n\n" + text
  }

  private func description(ofClass name: String) -> ClassDescription {
    classTable[BytewiseString(name)]?.descriptions.first ?? ClassDescription(name: name, chain: [])
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
      if let type, !ClassTypes.taken.contains(type), used.insert(type) {
        lines.append("\(type).self,  // \(SwiftName.comment(name)), of yours")
      } else {
        lines.append("// no type can be named after the class \"\(SwiftName.comment(name))\"")
      }
    }
    // Computed, for a list of types that is kept cannot be shared between threads.
    return "var \(name): [any KeyedCoding.Type] {\n  [\n" + lines.map { "    \($0)\n" }.joined() + "  ]\n}\n"
  }
}
