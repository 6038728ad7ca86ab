// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Hears of what an archiver does, and may put other objects in the place of those it archives.
///
/// Every requirement has a default that does nothing.
public protocol KeyedArchiverDelegate: AnyObject {
  /// Called once before an object is archived, not for bare values such as strings and numbers nor for nil. Return the
  /// object, another one to archive in its place, or nil to archive nil.
  func archiver(_ archiver: KeyedArchiver, willEncode object: any KeyedCoding) -> (any KeyedCoding)?

  /// Called when an object has been archived, its children included.
  func archiver(_ archiver: KeyedArchiver, didEncode object: any KeyedCoding)

  /// Called when another object takes an object's place.
  func archiver(_ archiver: KeyedArchiver, willReplace object: any KeyedCoding, with replacement: (any KeyedCoding)?)

  /// Called before the archive is written.
  func archiverWillFinish(_ archiver: KeyedArchiver)

  /// Called when the archive is written.
  func archiverDidFinish(_ archiver: KeyedArchiver)
}

extension KeyedArchiverDelegate {
  /// Keeps the object.
  public func archiver(_ archiver: KeyedArchiver, willEncode object: any KeyedCoding) -> (any KeyedCoding)? { object }

  /// Does nothing.
  public func archiver(_ archiver: KeyedArchiver, didEncode object: any KeyedCoding) {}

  /// Does nothing.
  public func archiver(
    _ archiver: KeyedArchiver, willReplace object: any KeyedCoding, with replacement: (any KeyedCoding)?
  ) {}

  /// Does nothing.
  public func archiverWillFinish(_ archiver: KeyedArchiver) {}

  /// Does nothing.
  public func archiverDidFinish(_ archiver: KeyedArchiver) {}
}
