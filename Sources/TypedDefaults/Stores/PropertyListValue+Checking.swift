// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

extension PropertyListValue {
  /// Returns the value as a file returns it. For example, XML files hold dates in whole seconds. A value that a file cannot
  /// hold would make each later write of a store fail.
  /// - Parameters:
  ///   - format: The format of the file.
  ///   - key: The key of the value.
  ///   - path: The path of the file; nil for a store without one.
  ///   - limits: The limits on the value alone. By default none apply, because the bytes come from this program. Those on a
  ///     file count when it is written.
  /// - Returns: The value that is read from the file.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/cannotWrite`` if the file cannot hold the value.
  func stored(
    in format: PropertyList.Format, key: BytewiseString, path: String?, limits: ReadLimits = .none
  ) throws(DefaultsError) -> Self {
    // The array around the value stands for the dictionary of the file.
    guard !alwaysFits(levels: min(100, limits.maximumDepth - 1), limits) || exceeds(limits, in: format) else {
      return self
    }
    do {
      let data = try PropertyListValue.array([self]).propertyList(format, limits: limits)
      guard case .array(let elements) = try PropertyListValue(propertyList: data, limits: limits) else { return self }
      return elements.first ?? self
    } catch {
      throw DefaultsError(
        .cannotWrite, key: key.text, path: path, "a file cannot hold the value: \(error.detail)",
        remedy: path == nil ? error.remedy : error.remedyOfFile, underlying: error)
    }
  }

  /// Returns whether a quick check proves that each format holds the value as it is.
  private func alwaysFits(levels: Int, _ limits: ReadLimits) -> Bool {
    switch self {
    case .boolean, .integer: true
    case .data(let data): data.count <= limits.maximumDataByteCount
    // XML files have one value that is not a number, and the bits of others change.
    case .double(let value): !value.isNaN
    case .string(let text):
      text.utf8.count <= limits.maximumStringByteCount && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    case .array(let elements): levels > 0 && elements.allSatisfy { $0.alwaysFits(levels: levels - 1, limits) }
    case .dictionary(let entries):
      levels > 0
        && entries.allSatisfy {
          Self.string($0.key).alwaysFits(levels: 0, limits) && $0.value.alwaysFits(levels: levels - 1, limits)
        }
    default: false
    }
  }

  /// Returns whether the value alone may exceed the maximum expansion, because a file has equal texts and data once.
  private func exceeds(_ limits: ReadLimits, in format: PropertyList.Format) -> Bool {
    limits.maximumExpansion != .max
      && byteBound(in: format) / Int(ExpansionBudget.leastByteCount) >= limits.maximumExpansion
  }

  /// Returns an upper bound of the number of bytes that the value takes in a file, and of the memory that it takes.
  func byteBound(in format: PropertyList.Format) -> Int {
    var bound = 0
    // Not recursive: values of this program nest as deep as its limits allow.
    var rest = [(value: self, level: 2)]
    while let (value, level) = rest.popLast() {
      // Tags and indentation, or an object's header, its offset and the references to it.
      bound += 128 + 4 * level
      switch value {
      case .string(let text): bound += Self.byteBound(of: text, in: format)
      // Lines of Base64 with indentation have at most 21 bytes for 9.
      case .data(let data): bound += 3 * data.count
      case .array(let elements): for element in elements { rest.append((element, level + 1)) }
      case .dictionary(let entries):
        for entry in entries {
          bound += 64 + level + Self.byteBound(of: entry.key, in: format)
          rest.append((entry.value, level + 1))
        }
      default: break
      }
    }
    return bound
  }

  /// Binary files have UTF-16 for some texts, and XML files have `&amp;`.
  private static func byteBound(of text: String, in format: PropertyList.Format) -> Int {
    text.utf8.count * (format == .binary ? 2 : 6)
  }
}

extension StoreCore.Values {
  /// Returns an upper bound of the number of bytes of a file with the values.
  func byteBound(in format: PropertyList.Format) -> Int {
    reduce(1024) { $0 + PropertyListValue.array([.string($1.key.text), $1.value]).byteBound(in: format) }
  }
}

extension PropertyListError {
  /// The remedy for a value that the file of a store cannot hold.
  var remedyOfFile: String? {
    code == .limitReached ? "Store fewer or shorter values, or raise FileStore.Options.limits" : remedy
  }
}
