// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat
import RuntimeNames

/// The default class names of types.
package enum TypeName {
  /// Returns the name that Apple's runtime gives to a class, and `Module.Outer.Type` for other types and for a class whose
  /// name there cannot be known.
  package static func archived(_ type: Any.Type) -> String {
    #if canImport(ObjectiveC)
      return (type as? AnyClass).map { RuntimeClassName(of: $0, fileID: nil).name } ?? spelled(type)
    #else
      let memory = ThreadMemory.current
      if let known = memory.state.typeNames[ObjectIdentifier(type)] { return known }
      let name = made(type)
      memory.state.typeNames[ObjectIdentifier(type)] = name
      return name
    #endif
  }

  private static func made(_ type: Any.Type) -> String {
    let name = String(reflecting: type)
    let isPlain = isPlain(name)
    if isPlain || !(type is AnyClass) { return isPlain && !name.hasPrefix("Foundation") ? name : spelled(name) }
    return runtimeName(of: type, fileID: nil) ?? spelled(name)
  }

  /// Returns the name of a class by Swift's own name for it, or nil if that does not suffice.
  static func runtimeName(of type: Any.Type, fileID: String?) -> String? {
    _mangledTypeName(type).flatMap { RuntimeName.name(ofMangled: $0, fileID: fileID) }
  }

  /// Returns whether a name is `Module.Type`.
  private static func isPlain(_ name: String) -> Bool {
    var dots = 0
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "."): dots += 1
      case UInt8(ascii: "<"), UInt8(ascii: "("): return false
      default: break
      }
    }
    return dots == 1
  }

  /// Returns the name `Module.Outer.Type`.
  static func spelled(_ type: Any.Type) -> String { spelled(String(reflecting: type)) }

  /// Returns a name by `String(reflecting:)` without the address in Swift's name of a private or local type, which
  /// differs between runs.
  private static func spelled(_ reflected: String) -> String {
    var name = reflected
    let hasParentheses = name.utf8.contains(UInt8(ascii: "("))
    // Only the arguments of a generic type, and Foundation's own types, can belong to these modules.
    if hasParentheses || name.utf8.contains(UInt8(ascii: "<")) || name.utf8.starts(with: "Foundation".utf8) {
      for module in partsOfFoundation where name.contains(module) { name = replacing(module, in: name) }
    }
    guard hasParentheses else { return name }
    var parts: [Substring] = []
    for part in name.split(separator: ".") where !part.hasPrefix("(unknown context at ") { parts.append(part) }
    return parts.joined(separator: ".")
  }

  /// Returns the name of the module that declares a type; nil for a class of Objective-C, which has no module.
  static func module(of type: Any.Type) -> String? {
    var name = String(reflecting: type).utf8[...]
    let mark = "(extension in ".utf8
    let isInExtension = name.starts(with: mark)
    if isInExtension { name = name.dropFirst(mark.count) }
    let end = name.firstIndex(of: isInExtension ? UInt8(ascii: ")") : UInt8(ascii: "."))
    return end.map { String(Substring(name[..<$0])) }
  }

  /// The names that a type matches.
  ///
  /// One of two names may be mangled, and the other the name in Swift. Earlier versions of this library archived classes
  /// by their names in Swift, and only Apple's systems know the complete names of private and local classes.
  struct Matcher {
    let type: any KeyedCoding.Type
    private let own: String
    private let aliases: [String]
    /// The names in Swift of those that are mangled.
    private let swiftNames: [String]

    init(_ type: any KeyedCoding.Type) {
      self.type = type
      own = type.archiveClassName
      aliases = type.archiveClassAliases
      swiftNames = ([own] + aliases).compactMap { RuntimeName.swiftName(of: $0) }
    }

    /// Returns whether the class name of an archive is one of the names.
    /// - Parameters:
    ///   - name: The name in the archive.
    ///   - swiftName: Its name in Swift if it is mangled; see ``TypeName/swiftName(of:)``.
    /// - Returns: Whether they match.
    func matches(_ name: String, _ swiftName: String?) -> Bool {
      if own == name || aliases.contains(name) { return true }
      if let swiftName { return own == swiftName || aliases.contains(swiftName) }
      return swiftNames.contains(name)
    }
  }

  /// Returns the name in Swift of a mangled class name; nil for another name.
  static func swiftName(of name: String) -> String? { RuntimeName.swiftName(of: name) }

  /// Returns the cost of the name in Swift of a class name, in the unit of a byte that is compared.
  package static func swiftNameCost(of name: String) -> Int64 { RuntimeName.swiftNameCost(of: name) }

  /// Returns a class name for a message: in quotation marks, followed by the name in Swift if it is mangled.
  static func shown(_ name: String) -> String {
    swiftName(of: name).map { "'\(name)' (\($0))" } ?? "'\(name)'"
  }

  /// Modules whose types belong to `Foundation` on Apple's platforms. There, a name does not mention that these modules
  /// extend the types of each other.
  private static let partsOfFoundation = [
    "FoundationEssentials.", "FoundationInternationalization.",
    "(extension in FoundationInternationalization):Foundation.", "(extension in Foundation):Foundation.",
  ]

  /// Replaces a module's name with Foundation's wherever it begins a qualified name.
  private static func replacing(_ module: String, in name: String) -> String {
    var result = ""
    var rest = Substring(name)
    while let range = rest.firstRange(of: module) {
      let before = rest[..<range.lowerBound]
      let isWhole = (before.last ?? result.last).map { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") } ?? true
      result += before + (isWhole ? "Foundation." : module)
      rest = rest[range.upperBound...]
    }
    return result + rest
  }

  /// Returns the archived names of a class and of its archivable superclasses, and `NSObject`.
  static func chain(of type: any (KeyedCoding & AnyObject).Type) -> [String] {
    var names: [String] = []
    names.reserveCapacity(2)
    names.append(type.archiveClassName)
    var current: AnyClass = type
    while let superclass = _getSuperclass(current) {
      if let coding = TypeFacts.archivable(superclass) { names.append(coding.archiveClassName) }
      current = superclass
    }
    names.append("NSObject")
    return names
  }
}
