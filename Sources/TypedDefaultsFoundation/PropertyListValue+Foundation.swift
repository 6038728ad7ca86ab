// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
public import PropertyListFormat
import TypedDefaults

extension PropertyListValue {
  /// Creates a property-list value from an object of Foundation, as `UserDefaults` returns it.
  ///
  /// A `Float` becomes a double, because the files of `UserDefaults` do not keep the difference on all platforms.
  /// Otherwise the value would change as soon as the file is read again.
  /// - Parameter object: The object. If a property list cannot hold it, the result is nil.
  public init?(foundation object: Any) {
    guard let value = SharedDefaults.value(of: object) else { return nil }
    self = value
  }
}
