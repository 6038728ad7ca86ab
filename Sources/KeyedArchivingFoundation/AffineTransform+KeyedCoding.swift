// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
public import Foundation
public import KeyedArchiving

extension AffineTransform: SecureKeyedCoding {
  /// `NSAffineTransform`.
  public static var archiveClassName: String { ArchivedAffineTransform.archiveClassName }

  /// Stores the transform. The format has 4-byte reals, so digits beyond those are lost.
  public func encode(with coder: KeyedArchiver) {
    ArchivedAffineTransform(
      ArchivedAffineTransform.Matrix(
        m11: Float(m11), m12: Float(m12), m21: Float(m21), m22: Float(m22), tX: Float(tX), tY: Float(tY))
    ).encode(with: coder)
  }

  /// Reads a transform of a form that is known.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedAffineTransform(coder: coder) else { return nil }
    guard let matrix = archived.matrix else {
      throw KeyedArchiveError(
        .malformedValue, "'NSTransformStruct' of a transform has \(archived.bytes.count) bytes of a form not known",
        remedy: "Ask for ArchivedAffineTransform, which holds the bytes")
    }
    self.init(
      m11: CGFloat(matrix.m11), m12: CGFloat(matrix.m12), m21: CGFloat(matrix.m21), m22: CGFloat(matrix.m22),
      tX: CGFloat(matrix.tX), tY: CGFloat(matrix.tY))
  }
}
