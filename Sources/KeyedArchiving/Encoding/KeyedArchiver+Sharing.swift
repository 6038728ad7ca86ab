// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

extension KeyedArchiver {
  /// The note of an object that stands for all values with a name, as the system's cache of time zones has one for each.
  func note(sharedAs name: String, _ make: () -> any KeyedCoding & AnyObject) -> _RecordedValue {
    let exact = BytewiseString(name)
    if let known = storage.state.sharedObjects[exact] { return note(known, conditional: false) }
    let object = make()
    storage.state.sharedObjects[exact] = object
    return note(object, conditional: false)
  }

  /// Archives a string that is a constant of a framework, such as the name of a font: one object for each text.
  func encodeConstant(_ text: String, forKey key: String) {
    guard layout != .compact, SharedStrings.tagged(text) == nil else { return encode(text, forKey: key) }
    record(note(sharedAs: "NSString \(text)") { ArchivedScalar(.string(text)) }, key)
  }
}
