// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving

/// An `NSAffineTransform`.
///
/// Apple stores the shortest of three forms: a translation; a scale with a translation; or all six numbers.
public struct ArchivedAffineTransform: SecureKeyedCoding, Hashable, Sendable {
  /// The bytes of `NSTransformStruct`.
  public var bytes: Data

  /// The six numbers of a transform: x' = m11 x + m21 y + tX, y' = m12 x + m22 y + tY.
  public struct Matrix: Hashable, Sendable {
    /// The coefficient of x in x'.
    public var m11: Float
    /// The coefficient of x in y'.
    public var m12: Float
    /// The coefficient of y in x'.
    public var m21: Float
    /// The coefficient of y in y'.
    public var m22: Float
    /// The translation in x.
    public var tX: Float
    /// The translation in y.
    public var tY: Float

    /// Creates a matrix. The default is the identity.
    /// - Parameters:
    ///   - m11: The coefficient of x in x'.
    ///   - m12: The coefficient of x in y'.
    ///   - m21: The coefficient of y in x'.
    ///   - m22: The coefficient of y in y'.
    ///   - tX: The translation in x.
    ///   - tY: The translation in y.
    public init(m11: Float = 1, m12: Float = 0, m21: Float = 0, m22: Float = 1, tX: Float = 0, tY: Float = 0) {
      self.m11 = m11
      self.m12 = m12
      self.m21 = m21
      self.m22 = m22
      self.tX = tX
      self.tY = tY
    }
  }

  /// Creates a transform, in the shortest form for its matrix.
  /// - Parameter matrix: The matrix.
  public init(_ matrix: Matrix) {
    var bytes: [UInt8] = []
    var numbers = [matrix.tX, matrix.tY]
    if matrix.m12 != 0 || matrix.m21 != 0 {
      numbers = [matrix.m11, matrix.m12, matrix.m21, matrix.m22] + numbers
    } else if matrix.m11 != 1 || matrix.m22 != 1 {
      numbers = [matrix.m11, matrix.m22] + numbers
    } else {
      bytes = [2]
    }
    for number in numbers { appendBigEndian(number, to: &bytes) }
    self.bytes = Data(bytes)
  }

  /// The six numbers, or nil for an unknown form of the bytes. The known forms are a byte 2 with two 4-byte reals, four
  /// reals, and six reals.
  public var matrix: Matrix? {
    let bytes = [UInt8](bytes)
    let skipped = bytes.count == 9 ? 1 : 0
    guard [9, 16, 24].contains(bytes.count), skipped == 0 || bytes[0] == 2 else { return nil }
    let n = stride(from: skipped, to: bytes.count, by: 4).map { place in
      Float(bitPattern: bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    return switch n.count {
    case 2: Matrix(tX: n[0], tY: n[1])
    case 4: Matrix(m11: n[0], m22: n[1], tX: n[2], tY: n[3])
    default: Matrix(m11: n[0], m12: n[1], m21: n[2], m22: n[3], tX: n[4], tY: n[5])
    }
  }

  /// The archived class name, `NSAffineTransform`.
  public static var archiveClassName: String { "NSAffineTransform" }

  /// Encodes the bytes. Their numbers must be finite.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    guard isFinite else {
      return coder.failWithError(
        KeyedArchiveError(
          .notEncodable, "invalid transform: its matrix contains NaN or infinity", remedy: "Set finite numbers"))
    }
    coder.encodeBytes(bytes, forKey: "NSTransformStruct")
  }

  /// Whether all numbers of a known form are finite.
  private var isFinite: Bool {
    guard let matrix else { return true }
    return [matrix.m11, matrix.m12, matrix.m21, matrix.m22, matrix.tX, matrix.tY].allSatisfy(\.isFinite)
  }

  /// Decodes the bytes.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    bytes = try coder.needed(Data.self, "NSTransformStruct")
    guard !bytes.isEmpty else { throw coder.malformed("invalid transform: 'NSTransformStruct' is empty") }
    guard isFinite else { throw coder.malformed("invalid transform: 'NSTransformStruct' contains NaN or infinity") }
  }
}

private func appendBigEndian(_ number: Float, to bytes: inout [UInt8]) {
  for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: number.bitPattern >> shift)) }
}
