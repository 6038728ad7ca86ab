// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The methods with which a delegate observes decoding and replaces decoded objects.
///
/// Every requirement has a default implementation that changes nothing.
public protocol KeyedUnarchiverDelegate: AnyObject {
  /// Returns the type to decode for a class name that none of the requested types matches.
  /// - Parameters:
  ///   - unarchiver: The unarchiver that found the class.
  ///   - name: The archived class name.
  ///   - originalClasses: The archived superclass chain.
  /// - Returns: One of the requested types, or nil to reject the object.
  func unarchiver(
    _ unarchiver: KeyedUnarchiver, cannotDecodeObjectOfClassName name: String, originalClasses: [String]
  ) -> (any KeyedCoding.Type)?

  /// Returns the object to use instead of a decoded one.
  /// - Parameters:
  ///   - unarchiver: The unarchiver that decoded the object.
  ///   - object: The decoded object.
  /// - Returns: The object itself, or a replacement that has the requested type. Nil makes the decoding fail.
  func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: any KeyedCoding) -> (any KeyedCoding)?

  /// Called before the delegate's answer takes the place of a decoded object, also if the answer is the object itself.
  /// - Parameters:
  ///   - unarchiver: The unarchiver that decoded the object.
  ///   - object: The decoded object.
  ///   - newObject: The object that the delegate returned.
  func unarchiver(
    _ unarchiver: KeyedUnarchiver, willReplace object: any KeyedCoding, with newObject: (any KeyedCoding)?)

  /// Called at the beginning of ``KeyedUnarchiver/finishDecoding()``.
  /// - Parameter unarchiver: The unarchiver that finishes.
  func unarchiverWillFinish(_ unarchiver: KeyedUnarchiver)

  /// Called at the end of ``KeyedUnarchiver/finishDecoding()``.
  /// - Parameter unarchiver: The finished unarchiver.
  func unarchiverDidFinish(_ unarchiver: KeyedUnarchiver)
}

extension KeyedUnarchiverDelegate {
  /// The default implementation returns nil.
  /// - Parameters:
  ///   - unarchiver: The unarchiver.
  ///   - name: The archived class name.
  ///   - originalClasses: The archived superclass chain.
  /// - Returns: Nil, which rejects the object.
  public func unarchiver(
    _ unarchiver: KeyedUnarchiver, cannotDecodeObjectOfClassName name: String, originalClasses: [String]
  ) -> (any KeyedCoding.Type)? { nil }

  /// The default implementation returns the object.
  /// - Parameters:
  ///   - unarchiver: The unarchiver.
  ///   - object: The decoded object.
  /// - Returns: The object.
  public func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: any KeyedCoding) -> (any KeyedCoding)? {
    object
  }

  /// The default implementation does nothing.
  /// - Parameters:
  ///   - unarchiver: The unarchiver.
  ///   - object: The decoded object.
  ///   - newObject: The object that the delegate returned.
  public func unarchiver(
    _ unarchiver: KeyedUnarchiver, willReplace object: any KeyedCoding, with newObject: (any KeyedCoding)?
  ) {}

  /// The default implementation does nothing.
  /// - Parameter unarchiver: The unarchiver.
  public func unarchiverWillFinish(_ unarchiver: KeyedUnarchiver) {}

  /// The default implementation does nothing.
  /// - Parameter unarchiver: The unarchiver.
  public func unarchiverDidFinish(_ unarchiver: KeyedUnarchiver) {}
}
