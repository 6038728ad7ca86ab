// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// The archived form of points, sizes and rectangles: `{x, y}` and `{{x, y}, {width, height}}`.
enum GeometryText {
  static func text(_ a: Double, _ b: Double) -> String { "{\(RealText.text(a)), \(RealText.text(b))}" }

  /// Returns the numbers in a text, or nil if the text is malformed. Ignores spaces.
  static func numbers(_ text: String, isNested: Bool) -> [Double]? {
    var rest = text.utf8.filter { $0 != UInt8(ascii: " ") }[...]
    func take(_ sign: Unicode.Scalar, from rest: inout ArraySlice<UInt8>) -> Bool {
      guard rest.first == UInt8(ascii: sign) else { return false }
      rest.removeFirst()
      return true
    }
    func number(from rest: inout ArraySlice<UInt8>) -> Double? {
      let digits = rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") && $0 != UInt8(ascii: "{") }
      rest = rest.dropFirst(digits.count)
      guard let value = Double(String(decoding: digits, as: UTF8.self)), value.isFinite else { return nil }
      return value
    }
    func pair(from rest: inout ArraySlice<UInt8>) -> [Double]? {
      guard take("{", from: &rest), let a = number(from: &rest), take(",", from: &rest),
        let b = number(from: &rest), take("}", from: &rest)
      else { return nil }
      return [a, b]
    }
    guard isNested else {
      guard let pair = pair(from: &rest), rest.isEmpty else { return nil }
      return pair
    }
    guard take("{", from: &rest), let first = pair(from: &rest), take(",", from: &rest),
      let second = pair(from: &rest), take("}", from: &rest), rest.isEmpty
    else { return nil }
    return first + second
  }
}

extension KeyedUnarchiver {
  /// Decodes the numbers of a point, size or rectangle, if the key is present.
  func geometry(_ key: String, isNested: Bool) throws -> [Double]? {
    guard let text = try object(String.self, key) else { return nil }
    guard let numbers = GeometryText.numbers(text, isNested: isNested) else {
      let form = isNested ? "{{x, y}, {width, height}}" : "{x, y}"
      throw malformed("invalid '\(key)': found \(text.debugDescription); expected \(form)")
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

  func neededGeometry(_ key: String, isNested: Bool) throws -> [Double] {
    guard let numbers = try geometry(key, isNested: isNested) else {
      throw KeyedArchiveError(
        .valueNotFound, "missing value for '\(key)'; expected a string",
        keyPath: keyPath(to: key))
    }
    return numbers
  }
}

extension KeyedArchiver {
  /// Encodes a point as a string, like `encodePoint:forKey:`.
  /// - Parameters:
  ///   - point: The point.
  ///   - key: The key.
  public func encodePoint(_ point: ArchivedPoint, forKey key: String) { encode(point.text, forKey: key) }

  /// Encodes a size as a string, like `encodeSize:forKey:`.
  /// - Parameters:
  ///   - size: The size.
  ///   - key: The key.
  public func encodeSize(_ size: ArchivedSize, forKey key: String) { encode(size.text, forKey: key) }

  /// Encodes a rectangle as a string, like `encodeRect:forKey:`.
  ///
  /// To encode an `NSValue` with a rectangle, use `encode(_:forKey:)`.
  /// - Parameters:
  ///   - rect: The rectangle.
  ///   - key: The key.
  public func encodeRect(_ rect: ArchivedRect, forKey key: String) { encode(rect.text, forKey: key) }
}

extension KeyedUnarchiver {
  /// Decodes a point that was encoded as a string.
  ///
  /// A string of another form is recorded as an error.
  /// - Parameter key: The key.
  /// - Returns: The point; zeros if the key is absent.
  public func decodePoint(forKey key: String) -> ArchivedPoint {
    recordingErrors(nil) { try geometry(key, isNested: false).map { ArchivedPoint($0) } }
      ?? nothing(ArchivedPoint(x: 0, y: 0), key)
  }

  /// Decodes a size that was encoded as a string.
  ///
  /// A string of another form is recorded as an error.
  /// - Parameter key: The key.
  /// - Returns: The size; zeros if the key is absent.
  public func decodeSize(forKey key: String) -> ArchivedSize {
    recordingErrors(nil) { try geometry(key, isNested: false).map { ArchivedSize($0) } }
      ?? nothing(ArchivedSize(width: 0, height: 0), key)
  }

  /// Decodes a rectangle that was encoded as a string.
  ///
  /// A string of another form is recorded as an error.
  /// - Parameter key: The key.
  /// - Returns: The rectangle; zeros if the key is absent.
  public func decodeRect(forKey key: String) -> ArchivedRect {
    recordingErrors(nil) { try geometry(key, isNested: true).map { ArchivedRect($0) } }
      ?? nothing(ArchivedRect(x: 0, y: 0, width: 0, height: 0), key)
  }
}
