// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The zlib format (RFC 1950): a header of two bytes, deflate blocks, and an Adler-32.
package enum ZlibStream {
  /// Decompresses a whole stream that fills `output` exactly.
  /// - Throws: ``DeflateError`` with an offset relative to the start of the stream.
  package static func inflate(_ input: RawSpan, into output: inout MutableRawSpan) throws(DeflateError) {
    try checkHeader(input)
    let end = try Inflater.inflate(input, from: 2, into: &output)
    guard input.byteCount - end >= 4 else { throw BitReader.truncated(input) }
    let expected = input.bigEndian32(at: end)
    let found = Adler32.checksum(of: output.bytes)
    guard found == expected else {
      throw DeflateError(
        .checksumMismatch, at: end,
        "The compressed data is damaged: found checksum \(String(expected, radix: 16)); expected "
          + "\(String(found, radix: 16))")
    }
    guard input.byteCount == end + 4 else {
      throw DeflateError(
        .badData, at: end + 4, "Unexpected data after the compressed data: found \(input.byteCount - end - 4) bytes")
    }
  }

  /// Checks the header (RFC 1950, 2.2): method 8, a window of at most 32768 bytes, and check bits that make it a
  /// multiple of 31.
  private static func checkHeader(_ input: RawSpan) throws(DeflateError) {
    guard input.byteCount >= 2 else { throw BitReader.truncated(input) }
    let method = input.byte(at: 0)
    let flags = input.byte(at: 1)
    guard method & 0x0F == 8, method >> 4 <= 7, (Int(method) << 8 | Int(flags)) % 31 == 0, flags & 0x20 == 0 else {
      throw DeflateError(
        .badData, at: 0,
        "Invalid zlib header: found \(String(method, radix: 16)) \(String(flags, radix: 16)); expected deflate without "
          + "a dictionary")
    }
  }

  package static func compress(_ bytes: RawSpan, _ content: Deflater.Content) -> [UInt8] {
    // A window of 32768 bytes and the default level; a multiple of 31.
    var stream = Deflater.compress(bytes, content, behind: [0x78, 0x9C])
    let checksum = Adler32.checksum(of: bytes)
    for shift in [24, 16, 8, 0] as [UInt32] { stream.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
    return stream
  }
}
