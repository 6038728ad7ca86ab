// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// The archived form of points, sizes and other structures: numbers in braces, as in `{x, y}` and
/// `{{x, y}, {width, height}}`.
enum GeometryText {
  /// The braces and the number of numbers.
  enum Form {
    /// This number of numbers in one pair of braces: `{x, y}`.
    case list(Int)
    /// Four numbers: `{{x, y}, {width, height}}`.
    case pairs

    var description: String {
      switch self {
      case .list(2): "{x, y}"
      case .list(4): "{top, left, bottom, right}"
      case .list: "{a, b, c, d, tx, ty}"
      case .pairs: "{{x, y}, {width, height}}"
      }
    }
  }

  /// Returns the text of some numbers, in the notation of C's `%.17g`: that of Apple's archives. Whole numbers have no
  /// fraction, and infinity is `inf`.
  static func text(_ numbers: [Double], _ form: Form) -> String {
    func list(_ numbers: some Collection<Double>) -> String {
      "{\(numbers.map { $0.isInfinite ? ($0 < 0 ? "-inf" : "inf") : RealText.text($0) }.joined(separator: ", "))}"
    }
    return switch form {
    case .list: list(numbers)
    case .pairs: "{\(list(numbers.prefix(2))), \(list(numbers.dropFirst(2)))}"
    }
  }

  /// Returns the numbers of a text in the order of the text, as many as the form has, or nil if the text is malformed.
  /// Ignores spaces around numbers and braces.
  static func numbers(_ text: String, _ form: Form) -> [Double]? {
    // A number needs at most about 25 bytes. A longer text is not copied.
    guard text.utf8.count <= 512 else { return nil }
    var rest = ArraySlice(text.utf8)
    func take(_ sign: Unicode.Scalar, from rest: inout ArraySlice<UInt8>) -> Bool {
      rest = rest.drop { $0 == UInt8(ascii: " ") }
      guard rest.first == UInt8(ascii: sign) else { return false }
      rest.removeFirst()
      return true
    }
    func number(from rest: inout ArraySlice<UInt8>) -> Double? {
      rest = rest.drop { $0 == UInt8(ascii: " ") }
      // `NSStringFromCGRect` writes `CGRect.null` as `{{inf, inf}, {0, 0}}`.
      for (name, value) in [("inf", Double.infinity), ("-inf", -.infinity)] where rest.starts(with: name.utf8) {
        rest = rest.dropFirst(name.utf8.count)
        return value
      }
      // Swift also reads hexadecimal numbers and other names, which C does not write for `%.17g`.
      let digits = rest.prefix { "+-.0123456789Ee".utf8.contains($0) }
      rest = rest.dropFirst(digits.count)
      guard let value = Double(String(decoding: digits, as: UTF8.self)), value.isFinite else { return nil }
      return value
    }
    func list(_ count: Int, _ open: Unicode.Scalar, _ close: Unicode.Scalar, from rest: inout ArraySlice<UInt8>)
      -> [Double]?
    {
      guard take(open, from: &rest) else { return nil }
      var numbers: [Double] = []
      for index in 0..<count {
        guard index == 0 || take(",", from: &rest), let number = number(from: &rest) else { return nil }
        numbers.append(number)
      }
      return take(close, from: &rest) ? numbers : nil
    }
    let numbers: [Double]?
    switch form {
    // The text of a transform that UIKit prints has brackets.
    case .list(6) where rest.first { $0 != UInt8(ascii: " ") } == UInt8(ascii: "["):
      numbers = list(6, "[", "]", from: &rest)
    case .list(let count): numbers = list(count, "{", "}", from: &rest)
    case .pairs:
      guard take("{", from: &rest), let first = list(2, "{", "}", from: &rest), take(",", from: &rest),
        let second = list(2, "{", "}", from: &rest), take("}", from: &rest)
      else { return nil }
      numbers = first + second
    }
    return rest.allSatisfy { $0 == UInt8(ascii: " ") } ? numbers : nil
  }
}

extension KeyedUnarchiver {
  /// Decodes the numbers of a structure, if the key is present.
  func geometry(_ key: String, _ form: GeometryText.Form) throws -> [Double]? {
    guard let text = try object(String.self, key) else { return nil }
    guard let numbers = GeometryText.numbers(text, form) else {
      let found = MessageText.plain(MessageText.shortened(text, to: 60))
      throw malformed("invalid '\(key)': found '\(found)'; expected \(form.description) with numbers")
    }
    return numbers
  }

  /// Checks the kind of an `NSValue`.
  func special(_ wanted: Int, _ name: String) throws {
    let found = try needed(Int.self, "NS.special")
    guard found == wanted else {
      throw malformed("'NS.special' is \(found); expected \(wanted) for \(name)")
    }
  }

  func neededGeometry(_ key: String, _ form: GeometryText.Form) throws -> [Double] {
    guard let numbers = try geometry(key, form) else {
      throw missing("missing value for '\(key)'; expected a string", key: key)
    }
    return numbers
  }
}

extension KeyedArchiver {
  /// Encodes the text of a structure. NaN has no text that a decoder reads.
  func encodeGeometry(_ numbers: [Double], _ form: GeometryText.Form, _ key: String) {
    let text = GeometryText.text(numbers, form)
    guard !numbers.contains(where: \.isNaN) else {
      return failWithError(
        KeyedArchiveError(
          .notEncodable, "invalid value for '\(key)': \(text) contains NaN", keyPath: keyPath(to: key),
          remedy: "Set a number, or encode nil or a flag in its place"))
    }
    encode(text, forKey: key)
  }

  /// Encodes a point as a string, like `encodePoint:forKey:` of Apple's `NSCoder`.
  ///
  /// The text of a vector, `{dx, dy}`, and of an offset, `{horizontal, vertical}`, is the same.
  /// - Parameters:
  ///   - point: The point. Its coordinates must not be NaN.
  ///   - key: The key.
  public func encodePoint(_ point: ArchivedPoint, forKey key: String) {
    encodeGeometry(point.numbers, .list(2), key)
  }

  /// Encodes a size as a string, like `encodeSize:forKey:` of Apple's `NSCoder`.
  /// - Parameters:
  ///   - size: The size. Its width and height must not be NaN.
  ///   - key: The key.
  public func encodeSize(_ size: ArchivedSize, forKey key: String) { encodeGeometry(size.numbers, .list(2), key) }

  /// Encodes a rectangle as a string, like `encodeRect:forKey:` of Apple's `NSCoder`.
  ///
  /// To encode an `NSValue` with a rectangle, use `encode(_:forKey:)`.
  /// - Parameters:
  ///   - rect: The rectangle. Its numbers must not be NaN.
  ///   - key: The key.
  public func encodeRect(_ rect: ArchivedRect, forKey key: String) {
    encodeGeometry(rect.origin.numbers + rect.size.numbers, .pairs, key)
  }

  /// Encodes edge insets as a string, like `encodeUIEdgeInsets:forKey:` of UIKit.
  ///
  /// UIKit documents the text, `{top, left, bottom, right}`. That of directional insets is
  /// `{top, leading, bottom, trailing}`. No archive of the test corpus has either. To encode an `NSValue` with
  /// insets, use `encode(_:forKey:)`.
  /// - Parameters:
  ///   - insets: The insets, which must not be NaN.
  ///   - key: The key.
  public func encodeEdgeInsets(_ insets: ArchivedEdgeInsets, forKey key: String) {
    encodeGeometry([insets.top, insets.left, insets.bottom, insets.right], .list(4), key)
  }

  /// Encodes a transform as a string, like `encodeCGAffineTransform:forKey:` of UIKit.
  ///
  /// UIKit documents the text `{a, b, c, d, tx, ty}`. No archive of the test corpus has one, and other programs write
  /// brackets in place of the braces.
  /// - Parameters:
  ///   - transform: The transform, whose numbers must not be NaN.
  ///   - key: The key.
  public func encodeTransform(_ transform: CoordinateTransform, forKey key: String) {
    let t = transform
    encodeGeometry([t.a, t.b, t.c, t.d, t.tx, t.ty], .list(6), key)
  }
}

extension KeyedUnarchiver {
  /// Decodes a point that was encoded as a string.
  ///
  /// The text of a vector and of an offset is the same. A string of another form is recorded as an error.
  /// - Parameter key: The key.
  /// - Returns: The point; zeros if the key is absent.
  public func decodePoint(forKey key: String) -> ArchivedPoint {
    recordingErrors(nil) { try geometry(key, .list(2)).map { ArchivedPoint($0) } }
      ?? fallback(ArchivedPoint(x: 0, y: 0), for: key)
  }

  /// Decodes a size that was encoded as a string.
  ///
  /// A string of another form is recorded as an error.
  /// - Parameter key: The key.
  /// - Returns: The size; zeros if the key is absent.
  public func decodeSize(forKey key: String) -> ArchivedSize {
    recordingErrors(nil) { try geometry(key, .list(2)).map { ArchivedSize($0) } }
      ?? fallback(ArchivedSize(width: 0, height: 0), for: key)
  }

  /// Decodes a rectangle that was encoded as a string.
  ///
  /// A string of another form is recorded as an error.
  /// - Parameter key: The key.
  /// - Returns: The rectangle; zeros if the key is absent.
  public func decodeRect(forKey key: String) -> ArchivedRect {
    recordingErrors(nil) { try geometry(key, .pairs).map { ArchivedRect($0) } }
      ?? fallback(ArchivedRect(x: 0, y: 0, width: 0, height: 0), for: key)
  }

  /// Decodes edge insets that were encoded as a string, `{top, left, bottom, right}`.
  ///
  /// A string of another form is recorded as an error.
  /// - Parameter key: The key.
  /// - Returns: The insets; zeros if the key is absent.
  public func decodeEdgeInsets(forKey key: String) -> ArchivedEdgeInsets {
    let numbers = recordingErrors(nil) { try geometry(key, .list(4)) } ?? fallback([0, 0, 0, 0], for: key)
    return ArchivedEdgeInsets(top: numbers[0], left: numbers[1], bottom: numbers[2], right: numbers[3])
  }

  /// Decodes a transform that was encoded as a string, `{a, b, c, d, tx, ty}` or `[a, b, c, d, tx, ty]`.
  ///
  /// A string of another form is recorded as an error.
  /// - Parameter key: The key.
  /// - Returns: The transform; the identity if the key is absent.
  public func decodeTransform(forKey key: String) -> CoordinateTransform {
    guard let n = recordingErrors(nil, { try geometry(key, .list(6)) }) else {
      return fallback(CoordinateTransform(), for: key)
    }
    return CoordinateTransform(a: n[0], b: n[1], c: n[2], d: n[3], tx: n[4], ty: n[5])
  }
}
