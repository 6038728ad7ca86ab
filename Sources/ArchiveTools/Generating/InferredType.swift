// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// The Swift type that holds all values seen in one place, and how they are asked for.
struct InferredType {
  /// How values get out of an archive and into one.
  enum Way: Equatable {
    /// By their type, which says all that may come out.
    case typed
    /// By a list of types, for there is more than one kind of object.
    case listed([String])
  }

  /// How they are stored.
  enum Form {
    /// As numbers inside their object.
    case inlineNumber
    /// As bytes inside their object.
    case inlineData
    /// As objects of their own.
    case object
  }

  /// The type's name in source.
  var name: String
  var way = Way.typed
  var form = Form.object
  /// Whether it is a number, which is an object of its own only if that is said.
  var isNumber = false
  /// Whether there is no value somewhere.
  var isOptional = false
  /// Whether nil was stored, and not just nothing.
  var storesNil = false
  /// What the property holds until its value is there, if that is not nil.
  var empty: String?

  /// The type with its question mark.
  var fullName: String {
    guard isOptional else { return name }
    return name == Self.anyObject ? "(\(name))?" : "\(name)?"
  }

  static let anyObject = "any KeyedCoding"
}
