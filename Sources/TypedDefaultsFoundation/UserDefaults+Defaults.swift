// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Foundation
import PropertyListFormat
public import TypedDefaults

extension UserDefaults {
  /// Stores the value of a key, or removes it if it is nil. An error is written to the standard error;
  /// `Defaults.store(in:)` throws it.
  ///
  /// ```swift
  /// UserDefaults.standard.set(with: Defaults(key: "launches", value: 1))
  /// ```
  /// - Parameter defaults: The key with its value.
  public func set<Value>(with defaults: Defaults<Value>) {
    do {
      if let object = try defaults.defaultsKey.object(defaults.value) {
        set(try SharedDefaults.object(for: object, defaults.key), forKey: defaults.key)
      } else {
        removeObject(forKey: defaults.key)
      }
    } catch {
      DefaultsReports.standardError(DefaultsError(error, key: defaults.key))
    }
  }

  /// Returns the value that is stored for a key. An error is written to the standard error; `Defaults.load(from:)`
  /// throws it.
  /// - Parameter defaults: The key. Its value is not used.
  /// - Returns: The value, or nil if none is stored or it cannot be decoded.
  public func value<Value>(with defaults: Defaults<Value>) -> Value? {
    defaults.defaultsKey.valueOrDefault(
      object(forKey: defaults.key).flatMap(PropertyListValue.init(foundation:)), DefaultsReports.standardError)
  }
}
