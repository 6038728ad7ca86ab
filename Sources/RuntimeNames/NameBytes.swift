// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The bytes of a mangled name, and the position to which they are read.
struct NameBytes {
  private let bytes: [UInt8]
  private var position = 0

  /// The longest name that is read. The names of programs have some hundred bytes.
  static let limit = 4096

  init(_ bytes: [UInt8]) throws(UnsupportedName) {
    guard bytes.count <= NameBytes.limit else { throw UnsupportedName() }
    self.bytes = bytes
  }

  var isAtEnd: Bool { position == bytes.count }

  /// The next byte; 0 at the end, which no name contains.
  var peek: UInt8 { isAtEnd ? 0 : bytes[position] }

  mutating func next() throws(UnsupportedName) -> UInt8 {
    guard !isAtEnd else { throw UnsupportedName() }
    defer { position += 1 }
    return bytes[position]
  }

  /// Reads a letter if it is next, and returns whether it was.
  mutating func skip(_ letter: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: letter) else { return false }
    position += 1
    return true
  }

  /// Reads a decimal number, which no name needs to be larger than the longest name.
  mutating func natural() throws(UnsupportedName) -> Int {
    guard peek.isDigit else { throw UnsupportedName() }
    var value = 0
    while peek.isDigit {
      value = value * 10 + Int(peek - UInt8(ascii: "0"))
      position += 1
      guard value <= NameBytes.limit else { throw UnsupportedName() }
    }
    return value
  }

  /// Reads a number that ends with an underscore: `_` is 0, `0_` is 1.
  mutating func index() throws(UnsupportedName) -> Int {
    if skip("_") { return 0 }
    let value = try natural()
    guard skip("_") else { throw UnsupportedName() }
    return value + 1
  }

  mutating func slice(_ count: Int) throws(UnsupportedName) -> ArraySlice<UInt8> {
    guard count > 0, count <= bytes.count - position else { throw UnsupportedName() }
    defer { position += count }
    return bytes[position..<position + count]
  }
}

extension UInt8 {
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  var isLowercase: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
  var isUppercase: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
}
