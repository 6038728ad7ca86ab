// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The names that types have in archives.
enum TypeName {
  /// `Module.Outer.Type`. For a private or local type, Swift's own name holds an address, which would differ from run to
  /// run; that part is left out.
  static func archived(_ type: Any.Type) -> String {
    let name = String(reflecting: type)
    guard name.utf8.contains(UInt8(ascii: "(")) else { return name }
    var parts: [Substring] = []
    for part in name.split(separator: ".") where !part.hasPrefix("(unknown context at ") { parts.append(part) }
    return parts.joined(separator: ".")
  }

  /// The archived names of a class and of those of its superclasses that can be archived, and `NSObject`.
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
