// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
public import Foundation
public import KeyedArchiving

extension CGPoint: SecureKeyedCoding {
  /// `NSValue`.
  public static var archiveClassName: String { ArchivedPoint.archiveClassName }

  /// Stores the point as text.
  public func encode(with coder: KeyedArchiver) { ArchivedPoint(x: x, y: y).encode(with: coder) }

  /// Reads a value that must be a point.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedPoint(coder: coder) else { return nil }
    self.init(x: archived.x, y: archived.y)
  }
}

extension CGSize: SecureKeyedCoding {
  /// `NSValue`.
  public static var archiveClassName: String { ArchivedSize.archiveClassName }

  /// Stores the size as text.
  public func encode(with coder: KeyedArchiver) { ArchivedSize(width: width, height: height).encode(with: coder) }

  /// Reads a value that must be a size.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedSize(coder: coder) else { return nil }
    self.init(width: archived.width, height: archived.height)
  }
}

extension CGRect: SecureKeyedCoding {
  /// `NSValue`.
  public static var archiveClassName: String { ArchivedRect.archiveClassName }

  /// Stores the rectangle as text.
  public func encode(with coder: KeyedArchiver) {
    ArchivedRect(x: origin.x, y: origin.y, width: size.width, height: size.height).encode(with: coder)
  }

  /// Reads a value that must be a rectangle.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedRect(coder: coder) else { return nil }
    self.init(
      x: archived.origin.x, y: archived.origin.y, width: archived.size.width, height: archived.size.height)
  }
}
