// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A piece of JSON with its place in the text. Numbers keep their digits, objects the order of their keys.
package struct JSONValue {
  /// What it is.
  package enum Kind {
    case null
    case boolean(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([(key: String, value: JSONValue)])
  }

  /// What it is.
  package let kind: Kind
  /// Where it starts, in bytes counted from 0.
  package let offset: Int

  /// The value under a key of an object.
  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = kind else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The text of a string.
  package var string: String? { if case .string(let text) = kind { text } else { nil } }

  /// The elements of an array.
  package var array: [JSONValue]? { if case .array(let values) = kind { values } else { nil } }

  /// A whole number, written as a number or, since many programs read numbers as doubles, as a string.
  package func integer<Value: FixedWidthInteger>(as type: Value.Type = Value.self) -> Value? {
    switch kind {
    case .number(let digits), .string(let digits): Value(digits)
    default: nil
    }
  }
}
