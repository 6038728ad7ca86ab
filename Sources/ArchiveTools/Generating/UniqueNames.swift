// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// A set of unique names.
struct UniqueNames {
  private var taken: Set<BytewiseString>
  /// The next number for a name that is taken, because a file may request a name a million times.
  private var numbers: [BytewiseString: Int] = [:]

  init(taken: Set<BytewiseString>) { self.taken = taken }

  /// Adds the first of some names that is free, or else another name, with a number if that is taken too.
  mutating func add(_ names: [String], or other: String) -> String {
    if let free = (names + [other]).first(where: { !taken.contains(SwiftName.unquoted($0)) }) {
      taken.insert(SwiftName.unquoted(free))
      return free
    }
    while true {
      let number = numbers[other, default: 2]
      numbers[other] = number + 1
      if taken.insert("\(other)\(number)") { return "\(other)\(number)" }
    }
  }
}

/// Unique names for the properties of a type.
struct PropertyNames {
  /// Names that generated source uses or declares, and words that are not valid names even in backticks.
  private static let reserved: Set<BytewiseString> = [
    "coder", "encode", "init", "self", "data", "value", "archivers", "archiverName", "archivedData",
  ]

  private var taken = UniqueNames(taken: reserved)

  /// Adds a name for a key: its letters and digits, beginning with a lowercase letter.
  mutating func add(_ key: String) -> String {
    let name = Self.small(SwiftName.identifier(of: key) ?? "value")
    return SwiftName.quotedIfNeeded(taken.add([name], or: name == "value" ? name : name + "Value"))
  }

  /// Returns a name with lowercase initial letters. Several capitals are an abbreviation, except for the last one, as
  /// in `NSWindow`.
  private static func small(_ name: String) -> String {
    func isCapital(_ unit: UInt8) -> Bool { unit >= UInt8(ascii: "A") && unit <= UInt8(ascii: "Z") }
    func isSmall(_ unit: UInt8) -> Bool { unit >= UInt8(ascii: "a") && unit <= UInt8(ascii: "z") }
    let capitals = name.utf8.prefix(while: isCapital).count
    let goesOn = name.utf8.dropFirst(capitals).first.map(isSmall) ?? false
    let count = capitals > 1 && goesOn ? capitals - 1 : capitals
    return name.prefix(count).lowercased() + name.dropFirst(count)
  }
}
