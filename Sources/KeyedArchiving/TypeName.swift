// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The default class names of types.
enum TypeName {
  /// Returns the name `Module.Outer.Type`, without the address in Swift's name of a private or local type, which
  /// differs between runs.
  static func archived(_ type: Any.Type) -> String {
    var name = String(reflecting: type)
    // Only the arguments of a generic type, and Foundation's own types, can belong to these modules.
    if name.utf8.contains(UInt8(ascii: "<")) || name.utf8.starts(with: "Foundation".utf8) {
      for module in partsOfFoundation where name.contains(module) { name = replacing(module, in: name) }
    }
    guard name.utf8.contains(UInt8(ascii: "(")) else { return name }
    var parts: [Substring] = []
    for part in name.split(separator: ".") where !part.hasPrefix("(unknown context at ") { parts.append(part) }
    return parts.joined(separator: ".")
  }

  /// Modules whose types belong to `Foundation` on Apple's platforms.
  private static let partsOfFoundation = ["FoundationEssentials.", "FoundationInternationalization."]

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
      if let coding = superclass as? any KeyedCoding.Type { names.append(coding.archiveClassName) }
      current = superclass
    }
    names.append("NSObject")
    return names
  }
}
