// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What one encoding call left behind: how to store a value, and the value or where it is kept.
///
/// Opaque outside the module; it is public because a protocol requirement returns it.
public struct _RecordedValue: BitwiseCopyable {
  // Storing the kind and the payload is all that code of other modules does with a note.
  enum Kind: UInt8 {
    // StoredValue inside the object that encodes it.
    case boolean, int32, int64, uint64, float, double
    /// Bytes, by their place among the state's data.
    case bytes
    /// A string that is no object, by its place among the state's strings.
    case text
    /// A value that was read, by its place among those that the state keeps with where they came from.
    case readValue
    /// The head of an array of references; its payload is an ``_RecordedValue/ArrayHead``, and its object notes follow.
    case array

    // An object of its own, to which a reference is stored.
    case null
    /// An object that has its number already.
    case uid
    /// The same, by a conditional reference.
    case conditionalUID
    /// Arrays in slots whose order is being decided: of a set, of a dictionary's keys, and of its values.
    case set, keys, values
    case string, booleanObject, int8Object, int16Object, int32Object, int64Object, uint64Object, floatObject,
      doubleObject, dataObject
    /// An instance of a class, by its number among those met.
    case reference
    /// The same, but only if something else archives it too.
    case conditional
    /// A struct or enum, by its place among the values in waiting.
    case value
    /// The same, where a number cannot be stored inline: as an element of an array, or because an object is wanted.
    case elementValue
    /// The object that stands for null inside collections.
    case nullObject
    /// An array whose elements are noted already, by its place among the collections in waiting.
    case collection
  }

  /// What the order of an array's references means.
  enum ArrayOrder: UInt8 {
    /// The caller's order is archived.
    case given
    /// Nothing, as in a set: ``ArchiverState/orderSets()`` decides.
    case any
    /// Nothing, and reference number n of the array that the object encodes next belongs to number n of this one, as
    /// the values of a dictionary belong to its keys.
    case anyWithNext
  }

  /// The payload of an array's head: how many references follow, and what their order means.
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

  /// The head of an array of references.
  @inline(__always)
  init(_ head: ArrayHead) { self.init(.array, head.bits) }

  @inline(__always)
  init(_ kind: Kind, _ payload: UInt64 = 0) {
    self.kind = kind
    self.payload = payload
  }

  /// A number's note as what is stored inside the object that encodes it; any other note as it is.
  var inlined: _RecordedValue {
    switch kind {
    case .booleanObject: _RecordedValue(.boolean, payload)
    case .int8Object, .int16Object, .int32Object: _RecordedValue(.int32, payload)
    case .int64Object: _RecordedValue(.int64, payload)
    case .uint64Object: payload <= UInt64(Int64.max) ? _RecordedValue(.int64, payload) : self
    case .floatObject: _RecordedValue(.float, payload)
    case .doubleObject: _RecordedValue(.double, payload)
    default: self
    }
  }

  /// The note as that of an array's element, where nil and inline numbers cannot stand.
  @inline(__always)
  var asElement: _RecordedValue {
    switch kind {
    case .null: _RecordedValue(.nullObject)
    case .value: _RecordedValue(.elementValue, payload)
    default: self
    }
  }
}
