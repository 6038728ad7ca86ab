// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@_spi(Archiving) extension BinaryTable {
  /// Returns the value of an integer: unsigned in 1, 2 and 4 bytes, two's complement in 8 and 16.
  /// - Parameters:
  ///   - item: The item of an integer.
  ///   - bytes: The bytes of the file.
  /// - Returns: The value.
  @inlinable
  package func wideInteger(_ item: BinaryItem, in bytes: Span<UInt8>) -> WideInteger {
    guard item.count == 16 else { return WideInteger(integer(item, in: bytes)) }
    let high = bytes.bigEndian(at: item.content, width: 8)
    let low = bytes.bigEndian(at: item.content &+ 8, width: 8)
    return WideInteger(high: Int64(bitPattern: high), low: low)
  }

  /// Returns the value of an integer of at most 8 bytes.
  /// - Parameters:
  ///   - item: The item of an integer of at most 8 bytes.
  ///   - bytes: The bytes of the file.
  /// - Returns: The value.
  @inlinable
  public func integer(_ item: BinaryItem, in bytes: Span<UInt8>) -> Int64 {
    Int64(truncatingIfNeeded: bytes.bigEndian(at: item.content, width: item.count))
  }

  /// Returns the value of a 4-byte real.
  /// - Parameters:
  ///   - item: The item of a 4-byte real.
  ///   - bytes: The bytes of the file.
  /// - Returns: The value.
  @inlinable
  public func float(_ item: BinaryItem, in bytes: Span<UInt8>) -> Float {
    Float(bitPattern: UInt32(truncatingIfNeeded: bytes.bigEndian(at: item.content, width: 4)))
  }

  /// Returns the value of an 8-byte real or a date.
  /// - Parameters:
  ///   - item: The item of an 8-byte real or a date.
  ///   - bytes: The bytes of the file.
  /// - Returns: The value; of a date, the seconds since 2001.
  @inlinable
  public func double(_ item: BinaryItem, in bytes: Span<UInt8>) -> Double {
    Double(bitPattern: bytes.bigEndian(at: item.content, width: 8))
  }

  /// Returns the value of a UID.
  /// - Parameters:
  ///   - item: The item of a UID.
  ///   - bytes: The bytes of the file.
  /// - Returns: The value.
  @inlinable
  public func uid(_ item: BinaryItem, in bytes: Span<UInt8>) -> UInt64 {
    bytes.bigEndian(at: item.content, width: item.count)
  }

  /// Returns the text of a string.
  ///
  /// Invalid text is rejected and not repaired, because a repair could make different keys equal.
  /// - Parameters:
  ///   - item: The item of a string.
  ///   - bytes: The bytes of the file.
  /// - Returns: The text.
  /// - Throws: ``PropertyListError`` with code ``PropertyListError/Code/invalidText`` if the text is not valid in its
  ///   encoding.
  public func string(_ item: BinaryItem, in bytes: Span<UInt8>) throws(PropertyListError) -> String {
    if item.kind == .utf16 { return try utf16(item, in: bytes) }
    guard let text = bytes.extracting(item.content..<item.content &+ item.count).validASCII else {
      throw notASCII(item, bytes)
    }
    return text
  }

  /// Decodes UTF-16. The standard library's `String(validating:as:)` takes ten times as long.
  private func utf16(_ item: BinaryItem, in bytes: Span<UInt8>) throws(PropertyListError) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(min(item.count, .max / 3) &* 3)
    var at = item.content
    let end = item.content &+ 2 &* item.count
    while at < end {
      let unit = UInt32(bytes[at]) << 8 | UInt32(bytes[at &+ 1])
      at &+= 2
      switch unit {
      case ..<0x80: text.append(UInt8(truncatingIfNeeded: unit))
      case ..<0x800:
        text.append(UInt8(truncatingIfNeeded: 0xC0 | unit >> 6))
        text.append(UInt8(truncatingIfNeeded: 0x80 | unit & 0x3F))
      case 0xD800..<0xE000:
        guard unit < 0xDC00, at < end else { throw loneSurrogate(at &- 2) }
        let low = UInt32(bytes[at]) << 8 | UInt32(bytes[at &+ 1])
        guard 0xDC00..<0xE000 ~= low else { throw loneSurrogate(at &- 2) }
        at &+= 2
        let scalar = 0x1_0000 &+ (unit & 0x3FF) << 10 &+ low & 0x3FF
        text.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
        text.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 12 & 0x3F))
        text.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
        text.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
      default:
        text.append(UInt8(truncatingIfNeeded: 0xE0 | unit >> 12))
        text.append(UInt8(truncatingIfNeeded: 0x80 | unit >> 6 & 0x3F))
        text.append(UInt8(truncatingIfNeeded: 0x80 | unit & 0x3F))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  @inline(never)
  private func notASCII(_ item: BinaryItem, _ bytes: Span<UInt8>) -> PropertyListError {
    let offset = (item.content..<item.content &+ item.count).first { bytes[$0] > 0x7F } ?? item.content
    return PropertyListError(
      .invalidText, at: offset, "invalid ASCII string: found byte 0x\(hex(bytes[offset])); expected at most 0x7F")
  }

  @inline(never)
  private func loneSurrogate(_ offset: Int) -> PropertyListError {
    PropertyListError(.invalidText, at: offset, "invalid UTF-16 string: found a lone surrogate")
  }

  /// Returns whether a string equals an ASCII text, without decoding it.
  /// - Parameters:
  ///   - item: The item of any kind.
  ///   - text: The ASCII text.
  ///   - bytes: The bytes of the file.
  /// - Returns: Whether the item is an ASCII string with this text.
  public func isString(_ item: BinaryItem, _ text: String, in bytes: Span<UInt8>) -> Bool {
    guard item.kind == .ascii, item.count == text.utf8.count else { return false }
    return text.withBytes { bytes.extracting(item.content..<item.content &+ item.count).hasSameBytes(as: $0) }
  }

  /// Validates a string without decoding it.
  /// - Parameters:
  ///   - item: The item of a string.
  ///   - bytes: The bytes of the file.
  /// - Throws: ``PropertyListError`` with code ``PropertyListError/Code/invalidText`` if the text is not valid in its
  ///   encoding.
  public func checkText(_ item: BinaryItem, in bytes: Span<UInt8>) throws(PropertyListError) {
    guard item.kind == .utf16 else {
      guard bytes.extracting(item.content..<item.content &+ item.count).isASCII else { throw notASCII(item, bytes) }
      return
    }
    var at = item.content
    let end = at &+ 2 &* item.count
    while at < end {
      let unit = bytes.bigEndian(at: at, width: 2)
      at &+= 2
      guard unit & 0xF800 == 0xD800 else { continue }
      guard unit < 0xDC00, at < end, 0xDC00..<0xE000 ~= bytes.bigEndian(at: at, width: 2) else {
        throw loneSurrogate(at &- 2)
      }
      at &+= 2
    }
  }

  /// Validates a UID. CoreFoundation accepts UIDs of at most 32 bits.
  @inline(__always)
  func checkUID(_ item: BinaryItem, in bytes: Span<UInt8>) throws(PropertyListError) {
    let value = uid(item, in: bytes)
    guard value <= UInt32.max else { throw wideUID(item, value) }
  }

  @inline(never)
  private func wideUID(_ item: BinaryItem, _ value: UInt64) -> PropertyListError {
    PropertyListError(.malformedValue, at: item.content, "invalid UID: found \(value); expected at most \(UInt32.max)")
  }

  /// Returns an object with its value.
  /// - Parameters:
  ///   - ref: The reference to the object.
  ///   - bytes: The bytes of the file.
  /// - Returns: The object.
  /// - Throws: ``PropertyListError`` if the reference is dangling, or the object is damaged or exceeds a limit.
  public func object(_ ref: ObjectRef, in bytes: Span<UInt8>) throws(PropertyListError) -> PropertyListObject {
    try object(item(ref, in: bytes), in: bytes)
  }

  @inline(__always)
  func object(_ item: BinaryItem, in bytes: Span<UInt8>) throws(PropertyListError) -> PropertyListObject {
    switch item.kind {
    case .null: return .null
    case .false: return .boolean(false)
    case .true: return .boolean(true)
    case .integer where item.count == 16: return .wideInteger(wideInteger(item, in: bytes))
    case .integer: return .integer(integer(item, in: bytes))
    case .float: return .float(float(item, in: bytes))
    case .double: return .double(double(item, in: bytes))
    case .date: return .date(double(item, in: bytes))
    case .data: return .data(bytes.data(in: item.content..<item.content + item.count))
    case .ascii, .utf16: return .string(try string(item, in: bytes))
    case .uid:
      try checkUID(item, in: bytes)
      return .uid(uid(item, in: bytes))
    case .array: return .array(try elements(0..<item.count, of: item, in: bytes))
    case .set: return .set(try elements(0..<item.count, of: item, in: bytes))
    case .dictionary:
      return .dictionary(
        keys: try elements(0..<item.count, of: item, in: bytes),
        values: try elements(item.count..<2 * item.count, of: item, in: bytes))
    }
  }

  /// Returns a range of the elements of a container.
  /// - Parameters:
  ///   - range: The indexes of the elements. The values of a dictionary follow its keys.
  ///   - item: The item of a container.
  ///   - bytes: The bytes of the file.
  /// - Returns: The references to the elements.
  /// - Throws: ``PropertyListError`` with code ``PropertyListError/Code/badReference`` if a reference is dangling.
  public func elements(
    _ range: Range<Int>, of item: BinaryItem, in bytes: Span<UInt8>
  ) throws(PropertyListError) -> [ObjectRef] {
    var refs: [ObjectRef] = []
    refs.reserveCapacity(range.count)
    for i in range { refs.append(try element(i, of: item, in: bytes)) }
    return refs
  }
}
