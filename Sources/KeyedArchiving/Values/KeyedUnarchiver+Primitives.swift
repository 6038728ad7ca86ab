// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Primitives. They may be inline or boxed, so one reader reads the archives of coders with and without secure coding.
extension KeyedUnarchiver {
  /// Decodes the Boolean for a key. A value of another type is an error.
  /// - Parameter key: The key of the value.
  /// - Returns: The value, or `false` if the key is absent or the call fails.
  public func decodeBool(forKey key: String) -> Bool {
    recordingErrors(false) { try primitive(Bool.self, key) } ?? fallback(false, for: key)
  }

  /// Decodes the integer for a key. A value of another type, or out of range, is an error.
  /// - Parameter key: The key of the value.
  /// - Returns: The value, or 0 if the key is absent or the call fails.
  public func decodeInteger(forKey key: String) -> Int {
    recordingErrors(0) { try primitive(Int.self, key) } ?? fallback(0, for: key)
  }

  /// Decodes the integer for a key. A value of another type, or out of range, is an error.
  /// - Parameter key: The key of the value.
  /// - Returns: The value, or 0 if the key is absent or the call fails.
  public func decodeInt32(forKey key: String) -> Int32 {
    recordingErrors(0) { try primitive(Int32.self, key) } ?? fallback(0, for: key)
  }

  /// Decodes the integer for a key. A value of another type, or out of range, is an error.
  /// - Parameter key: The key of the value.
  /// - Returns: The value, or 0 if the key is absent or the call fails.
  public func decodeInt64(forKey key: String) -> Int64 {
    recordingErrors(0) { try primitive(Int64.self, key) } ?? fallback(0, for: key)
  }

  /// Decodes the real for a key. A value of another type, or beyond the range of a 4-byte real, is an error.
  /// - Parameter key: The key of the value.
  /// - Returns: The value, or 0 if the key is absent or the call fails.
  public func decodeFloat(forKey key: String) -> Float {
    recordingErrors(0) { try primitive(Float.self, key) } ?? fallback(0, for: key)
  }

  /// Decodes the real for a key. A value of another type is an error.
  /// - Parameter key: The key of the value.
  /// - Returns: The value, or 0 if the key is absent or the call fails.
  public func decodeDouble(forKey key: String) -> Double {
    recordingErrors(0) { try primitive(Double.self, key) } ?? fallback(0, for: key)
  }

  /// Decodes the inline or boxed data for a key.
  /// - Parameter key: The key of the value.
  /// - Returns: The data, or nil if the key is absent, stores nil, or the call fails.
  public func decodeBytes(forKey key: String) -> Data? {
    recordingErrors(nil) { try primitive(Data.self, key) } ?? fallback(nil, for: key)
  }

  /// Decodes the data for a key, which must have a minimum length.
  /// - Parameters:
  ///   - key: The key of the value.
  ///   - length: The minimum number of bytes. Shorter data is an error.
  /// - Returns: The data, or nil if the key is absent, stores nil, or the call fails.
  public func decodeBytes(forKey key: String, minimumLength length: Int) -> Data? {
    recordingErrors(nil) {
      guard let bytes = try primitive(Data.self, key) else { return nil }
      guard bytes.count >= length else {
        throw malformed("data too short: '\(key)' has \(bytes.count) bytes; expected at least \(length)")
      }
      return bytes
    } ?? fallback(nil, for: key)
  }

  /// Decodes the string for a key.
  /// - Parameter key: The key of the value.
  /// - Returns: The string, or nil if the key is absent, stores nil, or the call fails.
  public func decodeString(forKey key: String) -> String? {
    recordingErrors(nil) { try object(String.self, key) } ?? fallback(nil, for: key)
  }
}
