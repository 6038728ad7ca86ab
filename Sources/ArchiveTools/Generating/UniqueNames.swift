// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// Names of which none is given twice.
struct UniqueNames {
  private var taken: Set<BytewiseString>
  /// The next number behind a name that was wanted often: a file may want one a million times.
  private var numbers: [BytewiseString: Int] = [:]

  init(taken: Set<BytewiseString>) { self.taken = taken }

  /// The first of some names that is free; if none is, another name, with a number if that is not free either.
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
