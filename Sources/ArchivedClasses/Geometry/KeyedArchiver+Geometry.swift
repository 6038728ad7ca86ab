// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

extension KeyedArchiver {
  /// Archives a point under a key: a string, as `encodePoint:forKey:` does.
  public func encodePoint(_ point: ArchivedPoint, forKey key: String) { encode(point.text, forKey: key) }

  /// Archives a size under a key: a string, as `encodeSize:forKey:` does.
  public func encodeSize(_ size: ArchivedSize, forKey key: String) { encode(size.text, forKey: key) }

  /// Archives a rectangle under a key: a string, as `encodeRect:forKey:` does. To archive an `NSValue` that holds one
  /// encode it with `encode(_:forKey:)`.
  public func encodeRect(_ rect: ArchivedRect, forKey key: String) { encode(rect.text, forKey: key) }
}

extension KeyedUnarchiver {
  /// The point for a key, stored as a string; that of zeros if there is none. Other text is an error.
  public func decodePoint(forKey key: String) -> ArchivedPoint {
    kept(nil) { try geometry(key, isNested: false).map { ArchivedPoint($0) } } ?? ArchivedPoint(x: 0, y: 0)
  }

  /// The size for a key, stored as a string; that of zeros if there is none. Other text is an error.
  public func decodeSize(forKey key: String) -> ArchivedSize {
    kept(nil) { try geometry(key, isNested: false).map { ArchivedSize($0) } } ?? ArchivedSize(width: 0, height: 0)
  }

  /// The rectangle for a key, stored as a string; that of zeros if there is none. Other text is an error.
  public func decodeRect(forKey key: String) -> ArchivedRect {
    kept(nil) { try geometry(key, isNested: true).map { ArchivedRect($0) } }
      ?? ArchivedRect(x: 0, y: 0, width: 0, height: 0)
  }
}
