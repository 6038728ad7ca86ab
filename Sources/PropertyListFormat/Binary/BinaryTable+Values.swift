// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@_spi(Archiving) extension BinaryTable {
  /// The value of an integer item: 1, 2 and 4 bytes are unsigned, 8 and 16 two's complement.
  @inlinable
  public func wideInteger(_ item: BinaryItem, in bytes: Span<UInt8>) -> Int128 {
    guard item.count == 16 else { return Int128(integer(item, in: bytes)) }
    let high = bytes.bigEndian(at: item.content, width: 8)
    let low = bytes.bigEndian(at: item.content &+ 8, width: 8)
    return Int128(truncatingIfNeeded: high) << 64 | Int128(low)
  }

  /// The value of an integer item of at most 8 bytes.
  @inlinable
  public func integer(_ item: BinaryItem, in bytes: Span<UInt8>) -> Int64 {
    Int64(truncatingIfNeeded: bytes.bigEndian(at: item.content, width: item.count))
  }

  /// The value of a 4-byte real.
  @inlinable
  public func float(_ item: BinaryItem, in bytes: Span<UInt8>) -> Float {
    Float(bitPattern: UInt32(truncatingIfNeeded: bytes.bigEndian(at: item.content, width: 4)))
  }

  /// The value of an 8-byte real or a date.
  @inlinable
  public func double(_ item: BinaryItem, in bytes: Span<UInt8>) -> Double {
    Double(bitPattern: bytes.bigEndian(at: item.content, width: 8))
  }

  /// The value of a UID.
  @inlinable
  public func uid(_ item: BinaryItem, in bytes: Span<UInt8>) -> UInt64 {
    bytes.bigEndian(at: item.content, width: item.count)
  }

  /// The text of a string item.
  ///
  /// Text that is not valid is refused, not repaired: two keys that were different in the file stay so.
  public func string(_ item: BinaryItem, in bytes: Span<UInt8>) throws(PropertyListError) -> String {
    if item.kind == .utf16 { return try utf16(item, in: bytes) }
    let text: UTF8Span
    do {
      text = try UTF8Span(validating: bytes.extracting(item.content..<item.content &+ item.count))
    } catch {
      throw notASCII(item, bytes)
    }
    guard text.isKnownASCII || item.count == 0 else { throw notASCII(item, bytes) }
    return String(copying: text)
  }

  private func utf16(_ item: BinaryItem, in bytes: Span<UInt8>) throws(PropertyListError) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(item.count &* 3)
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
    let place = (item.content..<item.content &+ item.count).first { bytes[$0] > 0x7F } ?? item.content
    return PropertyListError(
      .invalidText, at: place, "an ASCII string has bytes up to 0x7F, this one holds 0x\(hex(bytes[place]))")
  }

  @inline(never)
  private func loneSurrogate(_ offset: Int) -> PropertyListError {
    PropertyListError(.invalidText, at: offset, "a UTF-16 string holds half a surrogate pair")
  }

  /// Whether a string item is exactly `text`, which is ASCII, without making a string of it.
  public func isString(_ item: BinaryItem, _ text: String, in bytes: Span<UInt8>) -> Bool {
    guard item.kind == .ascii, item.count == text.utf8.count else { return false }
    let expected = text.utf8.span
    for place in 0..<item.count where bytes[item.content &+ place] != expected[place] { return false }
    return true
  }

  /// Checks a string item without making a string of it.
  public func checkText(_ item: BinaryItem, in bytes: Span<UInt8>) throws(PropertyListError) {
    item.kind == .utf16 ? try checkUTF16(item, in: bytes) : try checkASCII(item, in: bytes)
  }

  /// Checks a text without making a string of it.
  @inline(__always)
  func checkASCII(_ item: BinaryItem, in bytes: Span<UInt8>) throws(PropertyListError) {
    guard bytes.isASCII(in: item.content..<item.content &+ item.count) else { throw notASCII(item, bytes) }
  }

  /// Checks a text without making a string of it.
  func checkUTF16(_ item: BinaryItem, in bytes: Span<UInt8>) throws(PropertyListError) {
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

  /// Checks that a UID is one that CoreFoundation takes: its are 4 bytes wide in memory.
  @inline(__always)
  func checkUID(_ item: BinaryItem, in bytes: Span<UInt8>) throws(PropertyListError) {
    let value = uid(item, in: bytes)
    guard value <= UInt32.max else { throw wideUID(item, value) }
  }

  @inline(never)
  private func wideUID(_ item: BinaryItem, _ value: UInt64) -> PropertyListError {
    PropertyListError(.malformedValue, at: item.content, "a UID is at most \(UInt32.max), this one is \(value)")
  }

  /// Object `ref` with its value.
  public func object(_ ref: ObjectRef, in bytes: Span<UInt8>) throws(PropertyListError) -> PropertyListObject {
    try object(item(ref, in: bytes), in: bytes)
  }

  @inline(__always)
  private func object(_ item: BinaryItem, in bytes: Span<UInt8>) throws(PropertyListError) -> PropertyListObject {
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

  /// The rows of some of the elements of a container.
  public func elements(
    _ range: Range<Int>, of item: BinaryItem, in bytes: Span<UInt8>
  ) throws(PropertyListError) -> [ObjectRef] {
    var refs: [ObjectRef] = []
    refs.reserveCapacity(range.count)
    for i in range { refs.append(try element(i, of: item, in: bytes)) }
    return refs
  }
}
