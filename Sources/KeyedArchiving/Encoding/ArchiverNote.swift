// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What one encoding call left behind: how to store a value, and the value or where it is kept.
///
/// Opaque outside the module; it is public because a protocol requirement returns it.
public struct _ArchiverNote {
  enum Kind: UInt8 {
    // Stored inside the object that encodes it.
    case boolean, int32, int64, float, double
    /// Bytes, by their place among the state's data.
    case bytes
    /// A string that is no object, by its place among the state's strings.
    case text
    /// The head of an array of references; as many object notes as the payload says follow.
    case array

    // An object of its own, to which a reference is stored.
    case null
    /// An object that has its number already.
    case uid
    case string, booleanObject, int8Object, int16Object, int32Object, int64Object, uint64Object, floatObject,
      doubleObject, dataObject
    /// An instance of a class, by its number among those met.
    case reference
    /// The same, but only if something else archives it too.
    case conditional
    /// A struct or enum, by its place among the values in waiting.
    case value
    /// The object that stands for null inside collections.
    case nullObject
  }

  var kind: Kind
  var payload: UInt64

  @inline(__always)
  init(_ kind: Kind, _ payload: UInt64 = 0) {
    self.kind = kind
    self.payload = payload
  }
}
