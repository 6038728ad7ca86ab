// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension PropertyListValue {
  /// The maximum depth of nested containers in a file, as in ``ReadLimits``.
  private static let maximumDepth = 512

  /// Throws an error if a container is nested too deeply to be written.
  /// - Parameters:
  ///   - depth: The number of containers around it.
  ///   - stack: The guard of the recursion.
  /// - Throws: ``PropertyListError`` with code ``PropertyListError/Code/limitReached``.
  @inline(__always)
  static func check(depth: Int, _ stack: inout StackGuard) throws(PropertyListError) {
    try stack.check(depth: depth)
    if depth >= maximumDepth { throw .tooDeep(maximumDepth) }
  }

  /// Reads a property list in either format.
  /// - Parameters:
  ///   - data: The bytes of the file.
  ///   - limits: The limits on the input and on the values read from it.
  /// - Throws: ``PropertyListError`` if the bytes are not a valid property list, exceed a limit, or contain null or set
  ///   objects. Only binary files can hold such objects.
  public init(propertyList data: Data, limits: ReadLimits = .default) throws(PropertyListError) {
    let list = try PropertyList(data, limits: limits)
    self = try list.withBytes { bytes throws(PropertyListError) in
      var reader = ValueReader(list)
      let value = try reader.value(list.top, in: bytes)
      // No value depends on the objects without a reference to them, but the file is damaged if one of them is.
      if reader.readCount < list.objectCount { _ = try list.tree() }
      return value
    }
  }

  /// Returns the property list as the bytes of a file.
  ///
  /// Equal values give equal bytes. In a binary file equal strings, numbers, dates and data share one object, and
  /// dictionaries are in the order of their keys' bytes. An XML file holds dates in whole seconds, and does not
  /// distinguish 4-byte from 8-byte reals. A dictionary with the only key `CF$UID` and a 32-bit integer is read from XML
  /// as a UID.
  ///
  /// An XML file has a string or data again at each use. The bytes of all uses must not exceed the memory of the value by more
  /// than ``ReadLimits/maximumExpansion`` times.
  /// - Parameters:
  ///   - format: The format to write.
  ///   - limits: The limits, of which only `maximumExpansion` is used.
  /// - Returns: The bytes of the file.
  /// - Throws: ``PropertyListError`` if containers nest more than 512 levels deep, the format cannot hold a value, or the
  ///   limit is reached.
  public func propertyList(
    _ format: PropertyList.Format = .binary, limits: ReadLimits = .default
  ) throws(PropertyListError) -> Data {
    var values = EncodedValues(sharesContents: format == .binary)
    var stack = StackGuard()
    let top = try values.add(self, &stack)
    return try values.data(top: top, format, limits)
  }
}

extension EncodedValues {
  /// Returns a value as the bytes of a file.
  /// - Parameters:
  ///   - top: The value at the top level.
  ///   - format: The format to write. Only values with shared contents can be written as a binary file.
  ///   - limits: The limits, of which only `maximumExpansion` is used.
  /// - Returns: The bytes of the file.
  /// - Throws: ``PropertyListError`` if containers nest too deeply, or the format cannot hold a value.
  func data(
    top: Cell, _ format: PropertyList.Format, _ limits: ReadLimits
  ) throws(PropertyListError) -> Data {
    switch format {
    case .binary: try binary(top: top)
    case .xml: try xml(top: top, limits)
    }
  }
}
