// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Hears of what a decoder does, and may put other objects in the place of those it makes.
///
/// Every requirement has a default that does nothing.
public protocol KeyedUnarchiverDelegate: AnyObject {
  /// Called when no type that was asked for answers to a class name. Return one of them to have it made all the same.
  func unarchiver(
    _ unarchiver: KeyedUnarchiver, cannotDecodeObjectOfClassName name: String, originalClasses: [String]
  ) -> (any KeyedCoding.Type)?

  /// Called when an object was decoded. Return it, or one of a fitting type to put in its place.
  func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: any KeyedCoding) -> (any KeyedCoding)?

  /// Called when another object takes an object's place.
  func unarchiver(
    _ unarchiver: KeyedUnarchiver, willReplace object: any KeyedCoding, with newObject: (any KeyedCoding)?)

  /// Called when ``KeyedUnarchiver/finishDecoding()`` begins.
  func unarchiverWillFinish(_ unarchiver: KeyedUnarchiver)

  /// Called when ``KeyedUnarchiver/finishDecoding()`` ends.
  func unarchiverDidFinish(_ unarchiver: KeyedUnarchiver)
}

extension KeyedUnarchiverDelegate {
  /// None.
  public func unarchiver(
    _ unarchiver: KeyedUnarchiver, cannotDecodeObjectOfClassName name: String, originalClasses: [String]
  ) -> (any KeyedCoding.Type)? { nil }

  /// Keeps the object.
  public func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: any KeyedCoding) -> (any KeyedCoding)? {
    object
  }

  /// Does nothing.
  public func unarchiver(
    _ unarchiver: KeyedUnarchiver, willReplace object: any KeyedCoding, with newObject: (any KeyedCoding)?
  ) {}

  /// Does nothing.
  public func unarchiverWillFinish(_ unarchiver: KeyedUnarchiver) {}

  /// Does nothing.
  public func unarchiverDidFinish(_ unarchiver: KeyedUnarchiver) {}
}
