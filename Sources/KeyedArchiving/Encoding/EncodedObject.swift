// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The kind of container that an encoder was asked for.
enum EncodingForm {
  case undecided, keyed, unkeyed, single

  static var remedy: String { "Request one kind of container per encoder" }

  /// Sets an undecided kind. Returns the present one if it is another one.
  mutating func set(_ form: EncodingForm) -> EncodingForm? {
    if self == .undecided { self = form }
    return self == form ? nil : self
  }
}

/// The object whose `encode(to:)` is running.
///
/// A container of an object can be kept. The identity tells whether it is used for another object.
struct EncodedObject {
  /// A serial number. It is 0 while no `encode(to:)` is running.
  typealias ID = UInt64

  var id: ID = 0
  var form = EncodingForm.undecided
}

/// A wrapper for an `Encodable` value that is not `KeyedCoding`. It is never passed to a delegate, and nothing is
/// decoded as one.
protocol EncodableBox: SecureKeyedCoding {}

extension EncodableBox {
  init?(coder: KeyedUnarchiver) throws { nil }
}

/// A wrapper that archives an object as another class. A delegate is passed the object, and nothing is decoded as one.
package protocol ObjectWrapper: SecureKeyedCoding {
  var wrappedObject: any KeyedCoding & AnyObject { get }
}
