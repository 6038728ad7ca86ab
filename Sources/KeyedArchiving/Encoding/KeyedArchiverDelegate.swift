// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Methods that observe an archiver and can replace the objects it archives.
///
/// Every requirement has a default implementation, which changes nothing.
public protocol KeyedArchiverDelegate: AnyObject {
  /// Tells the delegate that an object will be archived. Called once for each object. Primitives such as strings and
  /// numbers, nil, and the null objects that represent nil in collections do not count.
  /// - Parameters:
  ///   - archiver: The archiver.
  ///   - object: The object.
  /// - Returns: The object, a replacement to archive instead, or nil to archive nil.
  func archiver(_ archiver: KeyedArchiver, willEncode object: any KeyedCoding) -> (any KeyedCoding)?

  /// Tells the delegate that an object and its children have been archived. Called for objects that were begun while a
  /// delegate was set.
  ///
  /// A value that encodes a single value instead of keys, such as an enumeration with raw values, is archived as that
  /// value. The call for it precedes the calls for the objects in it.
  /// - Parameters:
  ///   - archiver: The archiver.
  ///   - object: The object.
  func archiver(_ archiver: KeyedArchiver, didEncode object: any KeyedCoding)

  /// Tells the delegate which value will be archived for an object: a replacement, or the object itself.
  /// - Parameters:
  ///   - archiver: The archiver.
  ///   - object: The object.
  ///   - replacement: The replacement, or nil.
  func archiver(_ archiver: KeyedArchiver, willReplace object: any KeyedCoding, with replacement: (any KeyedCoding)?)

  /// Tells the delegate that the archive will be written. Not called if encoding failed before.
  /// - Parameter archiver: The archiver.
  func archiverWillFinish(_ archiver: KeyedArchiver)

  /// Tells the delegate that the archive has been written.
  /// - Parameter archiver: The archiver.
  func archiverDidFinish(_ archiver: KeyedArchiver)
}

extension KeyedArchiverDelegate {
  /// The default implementation returns the object.
  /// - Parameters:
  ///   - archiver: The archiver.
  ///   - object: The object.
  /// - Returns: The object.
  public func archiver(_ archiver: KeyedArchiver, willEncode object: any KeyedCoding) -> (any KeyedCoding)? { object }

  /// The default implementation ignores the call.
  /// - Parameters:
  ///   - archiver: The archiver.
  ///   - object: The object.
  public func archiver(_ archiver: KeyedArchiver, didEncode object: any KeyedCoding) {}

  /// The default implementation ignores the call.
  /// - Parameters:
  ///   - archiver: The archiver.
  ///   - object: The object.
  ///   - replacement: The replacement, or nil.
  public func archiver(
    _ archiver: KeyedArchiver, willReplace object: any KeyedCoding, with replacement: (any KeyedCoding)?
  ) {}

  /// The default implementation ignores the call.
  /// - Parameter archiver: The archiver.
  public func archiverWillFinish(_ archiver: KeyedArchiver) {}

  /// The default implementation ignores the call.
  /// - Parameter archiver: The archiver.
  public func archiverDidFinish(_ archiver: KeyedArchiver) {}
}
