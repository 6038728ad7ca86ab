// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A `CGAffineTransform`: x' = a x + c y + tx, y' = b x + d y + ty.
///
/// It is encoded as a string for a key. An `NSAffineTransform`, which is an object, is an ``ArchivedAffineTransform``.
public struct CoordinateTransform: Hashable, Sendable {
  /// The coefficient of x in x'.
  public var a: Double
  /// The coefficient of x in y'.
  public var b: Double
  /// The coefficient of y in x'.
  public var c: Double
  /// The coefficient of y in y'.
  public var d: Double
  /// The translation in x.
  public var tx: Double
  /// The translation in y.
  public var ty: Double

  /// Creates a transform. The default is the identity.
  /// - Parameters:
  ///   - a: The coefficient of x in x'.
  ///   - b: The coefficient of x in y'.
  ///   - c: The coefficient of y in x'.
  ///   - d: The coefficient of y in y'.
  ///   - tx: The translation in x.
  ///   - ty: The translation in y.
  public init(a: Double = 1, b: Double = 0, c: Double = 0, d: Double = 1, tx: Double = 0, ty: Double = 0) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.tx = tx
    self.ty = ty
  }
}
