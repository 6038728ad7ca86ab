// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

extension KeyedArchiver {
  /// The note of an object that stands for all values with a name, as the system's cache of time zones has one for each.
  package func note(sharedAs name: String, _ make: () -> any KeyedCoding & AnyObject) -> _RecordedValue {
    let exact = BytewiseString(name)
    if let known = storage.state.sharedObjects[exact] { return note(known, conditional: false) }
    let object = make()
    storage.state.sharedObjects[exact] = object
    return note(object, conditional: false)
  }

  /// Whether an Apple process holds a text in a pointer, so that equal ones are one object in any case.
  package func isTagged(_ text: String) -> Bool { SharedStrings.tagged(text) != nil }
}

/// A value of which a program has one object, as of the null and of each time zone: equal ones are archived once.
package protocol SharedByValue: KeyedCoding {}
