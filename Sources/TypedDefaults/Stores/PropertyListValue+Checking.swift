// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

extension PropertyListValue {
  /// Rejects a value that a file cannot hold. In the memory of a store, such a value would make each later write fail.
  /// - Parameters:
  ///   - format: The format of the file.
  ///   - key: The key of the value.
  ///   - path: The path of the file; nil for a store without one.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/cannotWrite``.
  func checkFits(_ format: PropertyList.Format, key: BytewiseString, path: String?) throws(DefaultsError) {
    guard !alwaysFits(levels: 100) else { return }
    do {
      _ = try PropertyListValue.array([self]).propertyList(format)
    } catch {
      throw DefaultsError(
        .cannotWrite, key: key.text, path: path, "a file cannot hold the value: \(error.detail)", remedy: error.remedy,
        underlying: error)
    }
  }

  /// Returns whether a quick check proves that each format can hold the value.
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
