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
/// Apple stores the shortest of five forms: nothing for the identity; a translation; a scale; a scale with a translation;
/// or all six numbers.
public struct ArchivedAffineTransform: SecureKeyedCoding, Hashable, Sendable {
  /// The bytes of `NSTransformStruct`; empty if the key is absent.
  public var bytes: Data
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

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
    let scale = [matrix.m11, matrix.m22]
    let translation = [matrix.tX, matrix.tY]
    let (isScale, isTranslation) = (scale != [1, 1], translation != [0, 0])
    var bytes: [UInt8] = []
    var numbers: [Float] = []
    if matrix.m12 != 0 || matrix.m21 != 0 {
      numbers = [matrix.m11, matrix.m12, matrix.m21, matrix.m22] + translation
    } else if isScale, isTranslation {
      numbers = scale + translation
    } else if isScale {
      (bytes, numbers) = ([Self.markOfScale], scale)
    } else if isTranslation {
      (bytes, numbers) = ([Self.markOfTranslation], translation)
    }
    for number in numbers { appendBigEndian(number, to: &bytes) }
    self.bytes = Data(bytes)
  }

  // The first byte of the forms with two numbers.
  private static let markOfTranslation: UInt8 = 1
  private static let markOfScale: UInt8 = 2

  /// The six numbers, or nil for an unknown form of the bytes. Empty bytes represent the identity. The other known forms are
  /// four 4-byte reals, six reals, and two reals after a byte. The byte is 1 for a translation, and 2 for a scale.
  public var matrix: Matrix? {
    let bytes = [UInt8](bytes)
    if bytes.isEmpty { return Matrix() }
    let skipped = bytes.count == 9 ? 1 : 0
    guard [9, 16, 24].contains(bytes.count) else { return nil }
    let n = stride(from: skipped, to: bytes.count, by: 4).map { place in
      Float(bitPattern: bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    return switch n.count {
    case 2 where bytes[0] == Self.markOfTranslation: Matrix(tX: n[0], tY: n[1])
    case 2 where bytes[0] == Self.markOfScale: Matrix(m11: n[0], m22: n[1])
    case 2: nil
    case 4: Matrix(m11: n[0], m22: n[1], tX: n[2], tY: n[3])
    default: Matrix(m11: n[0], m12: n[1], m21: n[2], m22: n[3], tX: n[4], tY: n[5])
    }
  }

  /// The archived class name, `NSAffineTransform`.
  public static var archiveClassName: String { "NSAffineTransform" }

  /// Encodes the bytes, if any. Their numbers must be finite.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    guard isFinite else {
      return coder.failWithError(
        KeyedArchiveError(
          .notEncodable, "invalid transform: its matrix contains NaN or infinity", remedy: "Set finite numbers"))
    }
    if !bytes.isEmpty { coder.encodeBytes(bytes, forKey: "NSTransformStruct") }
    otherValues.encode(with: coder)
  }

  /// Whether all numbers of a known form are finite.
  private var isFinite: Bool {
    guard let matrix else { return true }
    return [matrix.m11, matrix.m12, matrix.m21, matrix.m22, matrix.tX, matrix.tY].allSatisfy(\.isFinite)
  }

  /// Decodes the bytes.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is malformed.
  public init?(coder: KeyedUnarchiver) throws {
    bytes = try coder.primitive(Data.self, "NSTransformStruct") ?? Data()
    otherValues = try coder.otherValues(except: ["NSTransformStruct"])
    guard isFinite else { throw coder.malformed("invalid transform: 'NSTransformStruct' contains NaN or infinity") }
  }
}

private func appendBigEndian(_ number: Float, to bytes: inout [UInt8]) {
  for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: number.bitPattern >> shift)) }
}
