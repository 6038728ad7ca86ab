// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
public import KeyedArchiving
import PropertyListFormat

extension FoundationCoding {
  /// Returns the class of the program with an archived name, as Foundation's decoders find it.
  ///
  /// Override this method and return nil to allow only the subclasses in `archiveSubclasses`.
  /// - Parameter name: The archived class name.
  /// - Returns: The class, or nil if no class has the name, or the class is private, local or generic.
  public static func archiveSubclass(named name: String) -> (any KeyedCoding.Type)? {
    FoundationSubclasses.find(name, of: Self.self)
  }

  /// Returns the class that `classForKeyedUnarchiver()` selects.
  /// - Returns: The class, which must be bridged too.
  public static func classForUnarchiver() -> AnyClass { classForKeyedUnarchiver() }
}

extension InsecureFoundationCoding {
  /// Returns the class of the program with an archived name, as Foundation's decoders find it.
  ///
  /// Override this method and return nil to allow only the subclasses in `archiveSubclasses`.
  /// - Parameter name: The archived class name.
  /// - Returns: The class, or nil if no class has the name, or the class is private, local or generic.
  public static func archiveSubclass(named name: String) -> (any KeyedCoding.Type)? {
    FoundationSubclasses.find(name, of: Self.self)
  }

  /// Returns the class that `classForKeyedUnarchiver()` selects.
  /// - Returns: The class, which must be bridged too.
  public static func classForUnarchiver() -> AnyClass { classForKeyedUnarchiver() }
}

/// The subclasses of bridged classes. Looking up a class runs no code of the program.
enum FoundationSubclasses {
  /// How many types a class may be nested in, itself included.
  private static let maximumDepth = 8

  /// Returns the subclass of a class with an archived name, or nil.
  static func find(_ name: String, of type: any (KeyedCoding & NSObject).Type) -> (any KeyedCoding.Type)? {
    guard let runtimeName = runtimeName(of: name),
      let found = _typeByName(runtimeName) as? any (KeyedCoding & NSObject).Type,
      AllowList.isSubclass(found, of: type), found.archiveClassName.hasSameBytes(as: name)
    else { return nil }
    return found
  }

  /// Returns the name by which the runtime finds the class: `Module.Class` with letters outside of ASCII, and the mangled
  /// name otherwise.
  private static func runtimeName(of name: String) -> String? {
    if let mangled = mangledName(of: name) { return mangled }
    let identifiers = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard name.utf8.count <= 512, identifiers.count == 2, !name.utf8.starts(with: "_Tt".utf8),
      // Any letter stands for those outside of ASCII.
      identifiers.allSatisfy({ isIdentifier($0.map { $0 < 0x80 ? $0 : UInt8(ascii: "a") }[...]) })
    else { return nil }
    return name
  }

  /// Returns the mangled name for `Module.Class`, or for the `_TtC` name of a nested class; nil for any other name.
  ///
  /// A hostile name must not select a generic type, whose metadata the runtime would create, so each identifier has only
  /// ASCII letters, digits and underscores.
  static func mangledName(of name: String) -> String? {
    let bytes = Array(name.utf8)
    guard bytes.count <= 512 else { return nil }
    var kinds = bytes[...]
    var identifiers: [ArraySlice<UInt8>] = []
    if bytes.starts(with: "_Tt".utf8) {
      kinds = bytes.dropFirst(3).prefix {
        $0 == UInt8(ascii: "C") || $0 == UInt8(ascii: "V") || $0 == UInt8(ascii: "O")
      }
      var rest = bytes[kinds.endIndex...]
      while !rest.isEmpty {
        let digits = rest.prefix { isDigit($0) }
        guard let count = Int(String(decoding: digits, as: UTF8.self)), count <= rest.count - digits.count else {
          return nil
        }
        identifiers.append(rest.dropFirst(digits.count).prefix(count))
        rest = rest.dropFirst(digits.count + count)
      }
    } else {
      kinds = [UInt8(ascii: "C")]
      identifiers = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    }
    // The runtime searches all types of the process for each level, one within the other.
    guard kinds.first == UInt8(ascii: "C"), kinds.count <= maximumDepth, identifiers.count == kinds.count + 1,
      identifiers.allSatisfy({ isIdentifier($0) })
    else { return nil }
    var mangled = ""
    // The kinds begin with that of the innermost type, and the identifiers with the module.
    for (index, identifier) in identifiers.enumerated() {
      mangled += "\(identifier.count)" + String(decoding: identifier, as: UTF8.self)
      if index > 0 { mangled.unicodeScalars.append(Unicode.Scalar(kinds[kinds.endIndex - index])) }
    }
    return mangled
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isIdentifier(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, !isDigit(first) else { return false }
    return bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
      default: isDigit(byte)
      }
    }
  }
}
