// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The result of one encoding call: the form in which a value is stored, and the value or its index.
///
/// It is opaque outside the module, and public only because a protocol requirement returns it.
public struct RecordedValue: BitwiseCopyable {
  // Code of other modules only copies the kind and the payload.
  enum Kind: UInt8 {
    // Inline values.
    case boolean, int32, int64, uint64, float, double
    /// Bytes, by their index in the state's data.
    case bytes
    /// An inline string, by its index in the state's strings.
    case text
    /// A decoded primitive, by its index in the state's decoded primitives.
    case decoded
    /// The head of an array of references. Its payload is a ``RecordedValue/ArrayHead``, and its elements follow.
    case array

    // Objects, to which a reference is stored.
    case null
    /// An object with a UID.
    case uid
    /// A conditional reference to an object with a UID.
    case conditionalUID
    /// Arrays whose order is being decided: the elements of a set, a dictionary's keys, and its values.
    case set, keys, values
    case string, booleanObject, int8Object, int16Object, int32Object, int64Object, uint64Object, floatObject,
      doubleObject, dataObject
    /// An instance of a class, by its index in the state's references.
    case reference
    /// A conditional reference to an instance of a class.
    case conditional
    /// A struct or enum, by its index in the pending values.
    case value
    /// A struct or enum that cannot collapse into an inline number: an element of an array, or the caller requests an
    /// object.
    case elementValue
    /// The null object of collections.
    case nullObject
    /// An array whose elements are recorded, by its index in the pending collections.
    case collection

    var isUID: Bool { self == .uid || self == .conditionalUID }
  }

  /// The meaning of the order of an array's references.
  enum ArrayOrder: UInt8 {
    /// The caller's order, which is archived.
    case given
    /// None, as in a set. ``ArchiverState/orderSets()`` decides.
    case any
    /// None, as for the keys of a dictionary. Element n of the array that the object encodes next is the value of
    /// element n of this one.
    case anyWithNext
  }

  /// The payload of an array's head: the number of references, and the meaning of their order.
  struct ArrayHead {
    let bits: UInt64

    @inline(__always)
    init(count: Int, order: ArrayOrder = .given) {
      bits = UInt64(order.rawValue) << 32 | UInt64(truncatingIfNeeded: count)
    }

    @inline(__always)
    init(bits: UInt64) { self.bits = bits }

    @inline(__always)
    var count: Int { Int(truncatingIfNeeded: bits & 0xFFFF_FFFF) }
    @inline(__always)
    var isInGivenOrder: Bool { bits >> 32 == 0 }

    var order: ArrayOrder { ArrayOrder(rawValue: UInt8(truncatingIfNeeded: bits >> 32)) ?? .given }
  }

  var kind: Kind
  var payload: UInt64

  /// Creates the head of an array of references.
  @inline(__always)
  init(_ head: ArrayHead) { self.init(.array, head.bits) }

  @inline(__always)
  init(_ kind: Kind, _ payload: UInt64 = 0) {
    self.kind = kind
    self.payload = payload
  }

  /// The inline form of a number; other values are unchanged.
  package var inlined: RecordedValue {
    switch kind {
    case .booleanObject: RecordedValue(.boolean, payload)
    case .int8Object, .int16Object, .int32Object: RecordedValue(.int32, payload)
    case .int64Object: RecordedValue(.int64, payload)
    case .uint64Object: payload <= UInt64(Int64.max) ? RecordedValue(.int64, payload) : self
    case .floatObject: RecordedValue(.float, payload)
    case .doubleObject: RecordedValue(.double, payload)
    default: self
    }
  }

  /// The value as an element of an array, where neither nil nor inline numbers are possible.
  @inline(__always)
  var asElement: RecordedValue {
    switch kind {
    case .null: RecordedValue(.nullObject)
    case .value: RecordedValue(.elementValue, payload)
    default: self
    }
  }
}
