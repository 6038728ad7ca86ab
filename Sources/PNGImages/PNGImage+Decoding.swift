// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

import DeflateCoding

extension PNGImage {
  /// Checks a PNG file without decoding its pixels.
  ///
  /// The check covers the signature, the chunks with their order and CRC-32, the header, the palette, the transparency
  /// and the limits. It does not cover errors in the compressed data that match the file's checksums;
  /// ``init(_:limits:)`` finds those too.
  /// - Parameters:
  ///   - data: A whole file.
  ///   - limits: The limits for the image.
  /// - Returns: The file's header.
  /// - Throws: ``PNGError``. For other formats such as JPEG, its code is `notPNG` and it names the format.
  @discardableResult
  public static func check(_ data: Data, limits: PNGLimits = .default) throws(PNGError) -> PNGHeader {
    try PNGLayout(data.bytes, limits: limits).header
  }

  /// Decodes a PNG file of any color type, depth and interlace.
  ///
  /// Samples of 16 bits keep their high byte. The whole file must be valid. For example, a wrong checksum, a wrong
  /// number of rows and a color outside the palette are errors. Some viewers show such files.
  /// - Parameters:
  ///   - data: A whole file.
  ///   - limits: The limits for the image.
  /// - Throws: ``PNGError``.
  public init(_ data: Data, limits: PNGLimits = .default) throws(PNGError) {
    let file = data.bytes
    let layout = try PNGLayout(file, limits: limits)
    let header = layout.header
    var rows = try Self.inflate(layout, in: file)
    // The rows exist now, so their size is not just a claim of the header.
    var pixels = [UInt8](repeating: 0, count: 4 * header.width * header.height)
    try rows.withMutableBytes { rows throws(PNGError) in
      try pixels.withMutableBytes { pixels throws(PNGError) in
        try Self.decode(layout, in: file, &rows, into: &pixels)
      }
    }
    self.init(unchecked: pixels, width: header.width, height: header.height)
  }

  /// Decompresses the image data of all chunks.
  private static func inflate(_ layout: PNGLayout, in file: RawSpan) throws(PNGError) -> [UInt8] {
    var rows = [UInt8](repeating: 0, count: layout.inflatedByteCount)
    do throws(DeflateError) {
      try rows.withMutableBytes { room throws(DeflateError) in
        if layout.imageChunkCount == 1 {
          let chunk = PNGChunk(knownIn: file, at: layout.firstImageChunk)
          try ZlibStream.inflate(file.extracting(chunk.content), into: &room)
        } else {
          try layout.imageData(in: file).withBytes { data throws(DeflateError) in
            try ZlibStream.inflate(data, into: &room)
          }
        }
      }
    } catch {
      throw PNGError(error, at: layout.fileOffset(ofImageByte: error.byteOffset, in: file))
    }
    return rows
  }

  /// Unfilters the rows in place and writes their pixels.
  private static func decode(
    _ layout: PNGLayout, in file: RawSpan, _ rows: inout MutableRawSpan, into pixels: inout MutableRawSpan
  ) throws(PNGError) {
    let header = layout.header
    let expander = RowExpander(layout, in: file)
    var row = 0
    for pass in header.passes {
      // The size of all rows did not overflow, so neither does that of one.
      let count = header.byteCount(ofRowOf: pass.width) ?? 0
      for i in 0..<pass.height {
        let y = pass.firstY + i * pass.stepY
        guard let filter = RowFilter(rawValue: rows.byte(at: row)) else {
          throw PNGError(
            .badImageData, at: layout.firstImageChunk,
            "Invalid filter in row \(y): found \(rows.byte(at: row)); expected 0 to 4")
        }
        rows.unfilter(
          filter, row: row + 1, previous: i == 0 ? nil : row - count, count: count, distance: header.filterDistance)
        let isKnown = expander.expand(
          rows.bytes, at: row + 1, count: pass.width, into: &pixels, at: 4 * (y * header.width + pass.firstX),
          step: 4 * pass.stepX)
        guard isKnown else {
          throw PNGError(.badImageData, at: layout.firstImageChunk, "Row \(y) has a color outside the palette")
        }
        row += count + 1
      }
    }
  }
}

extension PNGError {
  /// Creates an error for the compressed rows.
  /// - Parameters:
  ///   - error: The decompression error.
  ///   - byteOffset: Its byte offset in the file.
  fileprivate init(_ error: DeflateError, at byteOffset: Int) {
    let code: Code =
      switch error.code {
      case .truncated: .truncated
      case .checksumMismatch: .checksumMismatch
      case .wrongSize: .badImageData
      default: .badCompressedData
      }
    self.init(code, at: byteOffset, "Invalid image data: \(error.detail)")
  }
}

extension PNGLayout {
  /// Returns the image data of all chunks.
  func imageData(in file: RawSpan) -> [UInt8] {
    var data: [UInt8] = []
    data.reserveCapacity(imageByteCount)
    forEachImageChunk(in: file) { content in
      data.append(contentsOf: file.extracting(content).array())
      return true
    }
    return data
  }

  /// Returns the offset in the file of a byte of the image data.
  func fileOffset(ofImageByte offset: Int, in file: RawSpan) -> Int {
    var left = offset
    var place = firstImageChunk
    forEachImageChunk(in: file) { content in
      place = content.lowerBound + min(left, content.count)
      left -= content.count
      return left >= 0
    }
    return place
  }

  /// Calls `body` with the content of each image chunk, until it returns false.
  private func forEachImageChunk(in file: RawSpan, _ body: (Range<Int>) -> Bool) {
    var offset = firstImageChunk
    for _ in 0..<imageChunkCount {
      let chunk = PNGChunk(knownIn: file, at: offset)
      if !body(chunk.content) { return }
      offset = chunk.end
    }
  }
}
