// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// Names for the properties of a type, each once.
struct PropertyNames {
  /// What the source of a type uses or declares, and words that are no names even in backticks.
  private static let reserved: Set<BytewiseString> = [
    "coder", "encode", "init", "self", "data", "value", "archivers", "archivedData",
  ]

  private var taken = UniqueNames(taken: reserved)

  /// A name for a key: its letters and digits, with a small letter in front.
  mutating func add(_ key: String) -> String {
    let name = Self.small(SwiftName.identifier(of: key) ?? "value")
    return SwiftName.quotedIfNeeded(taken.add([name], or: name == "value" ? name : name + "Value"))
  }

  /// With a small letter in front, or several: capitals there are an abbreviation, as in `NSWindow`, but for the last.
  private static func small(_ name: String) -> String {
    func isCapital(_ unit: UInt8) -> Bool { unit >= UInt8(ascii: "A") && unit <= UInt8(ascii: "Z") }
    func isSmall(_ unit: UInt8) -> Bool { unit >= UInt8(ascii: "a") && unit <= UInt8(ascii: "z") }
    let capitals = name.utf8.prefix(while: isCapital).count
    let goesOn = name.utf8.dropFirst(capitals).first.map(isSmall) ?? false
    let count = capitals > 1 && goesOn ? capitals - 1 : capitals
    return name.prefix(count).lowercased() + name.dropFirst(count)
  }
}
