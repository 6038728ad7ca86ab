// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

import DeflateCoding

extension PNGImage {
  /// Checks a PNG file without decoding its pixels: signature, chunks and their order, every CRC-32, header, palette
  /// and transparency, and the limits.
  ///
  /// What it cannot see is damage inside the compressed data that the file's own checksums cover; ``init(_:limits:)``
  /// sees that as well.
  /// - Parameters:
  ///   - data: a whole file.
  ///   - limits: how large an image to accept.
  /// - Returns: what the file's header says.
  /// - Throws: ``PNGError``; for JPEG and other bytes under a wrong name its code is `notPNG` and its format says what
  ///   they are.
  @discardableResult
  public static func check(_ data: Data, limits: PNGLimits = .default) throws(PNGError) -> PNGHeader {
    try PNGLayout(data.bytes, limits: limits).header
  }

  /// Decodes a PNG file of any colour type, depth and interlacing.
  ///
  /// Samples of 16 bits keep their high byte. The file must be sound as a whole: a checksum that does not match, a row
  /// too few or too many, or a colour outside the palette is an error, also where some viewers would show something.
  /// - Parameters:
  ///   - data: a whole file.
  ///   - limits: how large an image to accept.
  /// - Throws: ``PNGError``.
  public init(_ data: Data, limits: PNGLimits = .default) throws(PNGError) {
    let file = data.bytes
    let layout = try PNGLayout(file, limits: limits)
    let header = layout.header
    var rows = try Self.inflate(layout, in: file)
    // The rows are really there now, so the pixels are backed by bytes and not by a claim.
    var pixels = [UInt8](repeating: 0, count: 4 * header.width * header.height)
    try rows.withMutableBytes { rows throws(PNGError) in
      try pixels.withMutableBytes { pixels throws(PNGError) in
        try Self.decode(layout, in: file, &rows, into: &pixels)
      }
    }
    self.init(unchecked: pixels, width: header.width, height: header.height)
  }

  /// Inflates the image data, all chunks of it.
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

  /// Unfilters the rows, in place, and writes their pixels.
  private static func decode(
    _ layout: PNGLayout, in file: RawSpan, _ rows: inout MutableRawSpan, into pixels: inout MutableRawSpan
  ) throws(PNGError) {
    let header = layout.header
    let expander = RowExpander(layout, in: file)
    var row = 0
    for pass in header.passes {
      // The size of all rows was found countable, so that of one is.
      let count = header.byteCount(ofRowOf: pass.width) ?? 0
      for i in 0..<pass.height {
        let y = pass.firstY + i * pass.stepY
        guard let filter = RowFilter(rawValue: rows.byte(at: row)) else {
          throw PNGError(
            .badImageData, at: layout.firstImageChunk,
            "Row \(y) has filter \(rows.byte(at: row)), but the filters are 0 to 4")
        }
        rows.unfilter(
          filter, row: row + 1, previous: i == 0 ? nil : row - count, count: count, distance: header.filterDistance)
        let isKnown = expander.expand(
          rows.bytes, at: row + 1, count: pass.width, into: &pixels, at: 4 * (y * header.width + pass.firstX),
          step: 4 * pass.stepX)
        guard isKnown else {
          throw PNGError(
            .badImageData, at: layout.firstImageChunk, "Row \(y) uses a colour that the palette does not have")
        }
        row += count + 1
      }
    }
  }
}

extension PNGError {
  /// What is wrong with the compressed rows.
  /// - Parameters:
  ///   - error: why they could not be inflated.
  ///   - byteOffset: where in the file that is.
  fileprivate init(_ error: DeflateError, at byteOffset: Int) {
    let code: Code =
      switch error.code {
      case .truncated: .truncated
      case .checksumMismatch: .checksumMismatch
      case .wrongSize: .badImageData
      default: .badCompressedData
      }
    self.init(code, at: byteOffset, "The rows of the image could not be inflated. \(error.detail)")
  }
}

extension PNGLayout {
  /// The image data as one piece.
  func imageData(in file: RawSpan) -> [UInt8] {
    var data: [UInt8] = []
    data.reserveCapacity(imageByteCount)
    forEachImageChunk(in: file) { content in
      data.append(contentsOf: file.extracting(content).array())
      return true
    }
    return data
  }

  /// Where in the file a byte of the image data stands.
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
