// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

extension PropertyListValue {
  /// Returns the value as a file returns it. For example, XML files hold dates in whole seconds. A value that a file cannot
  /// hold would make each later write of a store fail.
  /// - Parameters:
  ///   - format: The format of the file.
  ///   - key: The key of the value.
  ///   - path: The path of the file; nil for a store without one.
  /// - Returns: The value that is read from the file.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/cannotWrite`` if the file cannot hold the value.
  func stored(in format: PropertyList.Format, key: BytewiseString, path: String?) throws(DefaultsError) -> Self {
    guard !alwaysFits(levels: 100) else { return self }
    do {
      let data = try PropertyListValue.array([self]).propertyList(format)
      // The bytes come from this program, so no limit on untrusted input applies. Those on the file count when it is written.
      guard case .array(let elements) = try PropertyListValue(propertyList: data, limits: .none) else { return self }
      return elements.first ?? self
    } catch {
      throw DefaultsError(
        .cannotWrite, key: key.text, path: path, "a file cannot hold the value: \(error.detail)", remedy: error.remedy,
        underlying: error)
    }
  }

  /// Returns whether a quick check proves that each format holds the value as it is.
  private func alwaysFits(levels: Int) -> Bool {
    switch self {
    case .boolean, .integer, .double, .data: true
    case .string(let text): text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    case .array(let elements): levels > 0 && elements.allSatisfy { $0.alwaysFits(levels: levels - 1) }
    case .dictionary(let entries):
      levels > 0
        && entries.allSatisfy {
          Self.string($0.key).alwaysFits(levels: 0) && $0.value.alwaysFits(levels: levels - 1)
        }
    default: false
    }
  }
}
