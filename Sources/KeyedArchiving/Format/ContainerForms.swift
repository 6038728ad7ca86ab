// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The kinds of containers whose values an object has, by its keys. An object without any has an empty keyed container.
///
/// A type can try one kind after another, as an enum with a case for a list and one for a structure does. So a container of
/// another kind than the encoded one is an error, as in `JSONDecoder`.
struct ContainerForms: OptionSet {
  let rawValue: UInt8

  static let keyed = ContainerForms(rawValue: 1)
  static let unkeyed = ContainerForms(rawValue: 2)
  static let single = ContainerForms(rawValue: 4)

  /// The key of the value in an instance's single-value container.
  static let singleKey = "$value"
  /// The key of an object with an empty unkeyed container. Its value is 0, the number of values.
  static let emptyKey = "$count"

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Creates the container to which one of the archiver's own keys belongs.
  init(rawKey key: String) {
    let isNumber = key.utf8.dropFirst().first.map { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ?? false
    self =
      if isNumber || key.hasSameBytes(as: Self.emptyKey) {
        .unkeyed
      } else if key.hasSameBytes(as: Self.singleKey) {
        .single
      } else {
        []
      }
  }

  /// The kind as a message names it.
  var description: String {
    switch self {
    case .unkeyed: "unkeyed values"
    case .single: "a single value"
    case []: "no values"
    default: "keyed values"
    }
  }
}
