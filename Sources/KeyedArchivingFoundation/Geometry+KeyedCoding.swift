// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
public import Foundation
public import KeyedArchiving

extension CGPoint: SecureKeyedCoding {
  /// The archived class name, `NSValue`.
  public static var archiveClassName: String { ArchivedPoint.archiveClassName }

  /// Encodes the point as a string.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) { ArchivedPoint(x: x, y: y).encode(with: coder) }

  /// Decodes a point.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedPoint(coder: coder) else { return nil }
    self.init(x: archived.x, y: archived.y)
  }
}

extension CGSize: SecureKeyedCoding {
  /// The archived class name, `NSValue`.
  public static var archiveClassName: String { ArchivedSize.archiveClassName }

  /// Encodes the size as a string.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) { ArchivedSize(width: width, height: height).encode(with: coder) }

  /// Decodes a size.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedSize(coder: coder) else { return nil }
    self.init(width: archived.width, height: archived.height)
  }
}

extension CGRect: SecureKeyedCoding {
  /// The archived class name, `NSValue`.
  public static var archiveClassName: String { ArchivedRect.archiveClassName }

  /// Encodes the rectangle as a string.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    ArchivedRect(self).encode(with: coder)
  }

  /// Decodes a rectangle.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedRect(coder: coder) else { return nil }
    self.init(archived)
  }

  init(_ archived: ArchivedRect) {
    self.init(
      x: archived.origin.x, y: archived.origin.y, width: archived.size.width, height: archived.size.height)
  }
}

extension ArchivedRect {
  init(_ rect: CGRect) {
    self.init(x: rect.origin.x, y: rect.origin.y, width: rect.size.width, height: rect.size.height)
  }
}

extension NSRange: SecureKeyedCoding {
  /// The archived class name, `NSValue`.
  public static var archiveClassName: String { ArchivedRange.archiveClassName }

  /// Encodes the location and length.
  /// - Parameter coder: The archiver.
  /// - Throws: `KeyedArchiveError` if a value cannot be encoded.
  public func encode(with coder: KeyedArchiver) throws {
    guard location >= 0, length >= 0 else {
      throw KeyedArchiveError(.notEncodable, "invalid range: \(length) indexes from \(location)")
    }
    ArchivedRange(location: location, length: length).encode(with: coder)
  }

  /// Decodes a range.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedRange(coder: coder) else { return nil }
    self.init(location: archived.location, length: archived.length)
  }
}

extension AffineTransform: SecureKeyedCoding {
  /// The archived class name, `NSAffineTransform`.
  public static var archiveClassName: String { ArchivedAffineTransform.archiveClassName }

  /// Encodes the transform. The format has 4-byte reals, so precision is lost.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    ArchivedAffineTransform(
      ArchivedAffineTransform.Matrix(
        m11: Float(m11), m12: Float(m12), m21: Float(m21), m22: Float(m22), tX: Float(tX), tY: Float(tY))
    ).encode(with: coder)
  }

  /// Decodes a transform in one of the known forms.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedAffineTransform(coder: coder) else { return nil }
    guard let matrix = archived.matrix else {
      throw KeyedArchiveError(
        .malformedValue, "unknown form of a transform: 'NSTransformStruct' has \(archived.bytes.count) bytes",
        remedy: "Request ArchivedAffineTransform, which preserves the bytes")
    }
    self.init(
      m11: CGFloat(matrix.m11), m12: CGFloat(matrix.m12), m21: CGFloat(matrix.m21), m22: CGFloat(matrix.m22),
      tX: CGFloat(matrix.tX), tY: CGFloat(matrix.tY))
  }
}
