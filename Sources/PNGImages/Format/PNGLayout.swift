// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

/// The validated structure of a PNG file.
///
/// Chunks follow the rules of the PNG specification, 5.6 (order) and 11.2 (critical chunks). Bytes after the last chunk
/// are ignored, as in all common decoders.
struct PNGLayout {
  let header: PNGHeader
  /// The range of the palette, three bytes per color.
  private(set) var palette: Range<Int>?
  /// The range of the transparency chunk's content.
  private(set) var transparency: Range<Int>?
  /// The offset of the first image chunk; the others follow directly.
  private(set) var firstImageChunk = 0
  private(set) var imageChunkCount = 0
  /// The total size of the compressed data.
  private(set) var imageByteCount = 0
  /// The size of the decompressed rows.
  let inflatedByteCount: Int

  /// Validates all of `file` except the compressed data.
  init(_ file: RawSpan, limits: PNGLimits) throws(PNGError) {
    try Self.checkSignature(file)
    let first = try PNGChunk(file, at: 8, limits: limits)
    header = try PNGHeader(file, first, limits: limits)
    inflatedByteCount = try Self.inflatedByteCount(header, limits: limits)
    var offset = first.end
    var last = first
    repeat {
      last = try PNGChunk(file, at: offset, limits: limits)
      try take(last, in: file)
      offset = last.end
    } while last.type != .imageEnd
    try checkImageData(at: last.offset, limits: limits)
  }

  /// Checks the signature, and distinguishes damaged PNG files from other files.
  private static func checkSignature(_ file: RawSpan) throws(PNGError) {
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    let common = signature.indices.prefix { $0 < file.byteCount && file.byte(at: $0) == signature[$0] }.count
    if common == signature.count { return }
    if common == file.byteCount {
      throw PNGError(.truncated, at: common, "File truncated: found \(common) bytes; expected a signature of 8")
    }
    if let format = ImageFormat.sniff(file) {
      throw PNGError(
        .notPNG, at: 0, format: format,
        "Not a PNG file: found \(format)",
        // Markup can be of several formats, with different names.
        remedy: format == .markup
          ? "Pass an image, not text" : "Rename the file to .\(format.fileExtension) or convert it to PNG")
    }
    let letters = (0..<min(4, file.byteCount)).filter { file.byte(at: $0) == signature[$0] }.count
    if letters >= 3 {
      throw PNGError(
        .damagedSignature, at: common,
        "Damaged PNG signature, probably by a text-mode transfer")
    }
    throw PNGError(.notPNG, at: 0, "Not a PNG file: found an unknown format")
  }

  /// Returns the size of the rows, within the limits.
  private static func inflatedByteCount(_ header: PNGHeader, limits: PNGLimits) throws(PNGError) -> Int {
    guard let count = header.inflatedByteCount, count <= limits.maximumInflatedByteCount else {
      throw PNGError(
        .limitReached, at: 16,
        "Rows too large: found \(header.width) x \(header.height) pixels of \(header.bitsPerPixel) bits; expected at "
          + "most \(limits.maximumInflatedByteCount) bytes",
        remedy: "If you trust the file, raise PNGLimits.maximumInflatedByteCount")
    }
    return count
  }

  /// Records a chunk after the header.
  private mutating func take(_ chunk: PNGChunk, in file: RawSpan) throws(PNGError) {
    switch chunk.type {
    case .imageHeader:
      throw PNGError(.badChunkOrder, at: chunk.offset, "Duplicate IHDR chunk")
    case .palette: try takePalette(chunk)
    case .transparency: try takeTransparency(chunk)
    case .imageData: try takeImageData(chunk)
    case .imageEnd:
      guard chunk.content.isEmpty else {
        throw PNGError(.badChunk, at: chunk.offset, "IEND is not empty: found \(chunk.content.count) bytes")
      }
    default:
      guard !chunk.type.isCritical else {
        throw PNGError(
          .unknownCriticalChunk, at: chunk.offset,
          "Unknown critical chunk \(chunk.type)")
      }
    }
  }

  private mutating func takePalette(_ chunk: PNGChunk) throws(PNGError) {
    guard palette == nil, transparency == nil, imageChunkCount == 0 else {
      throw PNGError(
        .badChunkOrder, at: chunk.offset, "Misplaced or duplicate PLTE chunk: expected one, before tRNS and IDAT")
    }
    guard header.colorType != .gray, header.colorType != .grayAlpha else {
      throw PNGError(.badPalette, at: chunk.offset, "Unexpected palette in a gray image")
    }
    let most = header.colorType == .palette ? 1 << header.bitDepth : 256
    let (count, rest) = chunk.content.count.quotientAndRemainder(dividingBy: 3)
    guard rest == 0, count >= 1, count <= most else {
      throw PNGError(
        .badPalette, at: chunk.offset,
        "Invalid palette: found \(chunk.content.count) bytes; expected 1 to \(most) colors of 3 bytes")
    }
    palette = chunk.content
  }

  private mutating func takeTransparency(_ chunk: PNGChunk) throws(PNGError) {
    guard transparency == nil, imageChunkCount == 0 else {
      throw PNGError(.badChunkOrder, at: chunk.offset, "Misplaced or duplicate tRNS chunk: expected one, before IDAT")
    }
    let allowed: ClosedRange<Int>
    switch header.colorType {
    case .gray: allowed = 2...2
    case .rgb: allowed = 6...6
    case .palette:
      guard let palette else {
        throw PNGError(.badChunkOrder, at: chunk.offset, "Misplaced tRNS chunk: expected PLTE before it")
      }
      allowed = 1...palette.count / 3
    case .grayAlpha, .rgba:
      throw PNGError(.badTransparency, at: chunk.offset, "Unexpected tRNS chunk in an image with an alpha channel")
    }
    guard allowed.contains(chunk.content.count) else {
      throw PNGError(
        .badTransparency, at: chunk.offset,
        "Invalid tRNS chunk: found \(chunk.content.count) bytes; expected \(allowed.lowerBound) to \(allowed.upperBound)"
      )
    }
    transparency = chunk.content
  }

  private mutating func takeImageData(_ chunk: PNGChunk) throws(PNGError) {
    if imageChunkCount == 0 {
      guard header.colorType != .palette || palette != nil else {
        throw PNGError(.badPalette, at: chunk.offset, "Missing PLTE chunk: expected it before IDAT in a palette image")
      }
      firstImageChunk = chunk.offset
      nextImageChunk = chunk.offset
    }
    guard chunk.offset == nextImageChunk else {
      throw PNGError(
        .badChunkOrder, at: chunk.offset, "Misplaced IDAT chunk: expected it directly after the previous one")
    }
    nextImageChunk = chunk.end
    imageChunkCount += 1
    imageByteCount += chunk.content.count
  }

  /// The required offset of the next image chunk.
  private var nextImageChunk = 0

  /// Throws if the compressed data is too short or too long for the rows, before memory is allocated for them.
  private func checkImageData(at end: Int, limits: PNGLimits) throws(PNGError) {
    guard imageChunkCount > 0 else {
      throw PNGError(.badChunkOrder, at: end, "Missing IDAT chunk: the image has no pixels")
    }
    // Blocks without content could otherwise take any time. Compressors that flush after each byte write less.
    guard (imageByteCount - 65_536) / 16 <= inflatedByteCount else {
      throw PNGError(
        .badImageData, at: firstImageChunk,
        "Compressed data too long: found \(imageByteCount) bytes for the \(inflatedByteCount) bytes of "
          + "\(header.width) x \(header.height) pixels")
    }
    let most = imageByteCount.multipliedReportingOverflow(by: Inflater.maximumExpansion)
    guard most.overflow || inflatedByteCount <= most.partialValue else {
      throw PNGError(
        .truncated, at: firstImageChunk,
        "File truncated: found \(imageByteCount) compressed bytes, too few for the \(inflatedByteCount) bytes of "
          + "\(header.width) x \(header.height) pixels")
    }
    let allowed = imageByteCount.multipliedReportingOverflow(by: max(0, limits.maximumExpansion))
    guard allowed.overflow || inflatedByteCount <= allowed.partialValue else {
      throw PNGError(
        .limitReached, at: firstImageChunk,
        "Compression ratio too large: found \(imageByteCount) bytes for \(inflatedByteCount); expected a ratio of at "
          + "most \(limits.maximumExpansion)",
        remedy: "If you trust the file, raise PNGLimits.maximumExpansion")
    }
  }
}

extension PNGHeader {
  /// Reads the header chunk (PNG specification, 11.2.1).
  init(_ file: RawSpan, _ chunk: PNGChunk, limits: PNGLimits) throws(PNGError) {
    guard chunk.type != .appleOptimized else {
      throw PNGError(
        .appleOptimized, at: chunk.offset,
        "Xcode's private variant of PNG (CgBI), which only Apple's systems read",
        remedy: "Use the original image, or convert it: xcrun pngcrush -revert-iphone-optimizations IN OUT")
    }
    guard chunk.type == .imageHeader else {
      throw PNGError(.badChunkOrder, at: chunk.offset, "Wrong first chunk: found \(chunk.type); expected IHDR")
    }
    let start = chunk.content.lowerBound
    guard chunk.content.count == 13 else {
      throw PNGError(.badHeader, at: start, "Invalid IHDR: found \(chunk.content.count) bytes; expected 13")
    }
    let width = file.bigEndian32(at: start)
    let height = file.bigEndian32(at: start + 4)
    guard 1...0x7FFF_FFFF ~= width, 1...0x7FFF_FFFF ~= height else {
      throw PNGError(.badHeader, at: start, "Invalid size: found \(width) x \(height); expected 1 to 2^31 - 1")
    }
    let depth = Int(file.byte(at: start + 8))
    guard let colorType = PNGColorType(rawValue: file.byte(at: start + 9)) else {
      throw PNGError(
        .badHeader, at: start + 9,
        "Invalid color type: found \(file.byte(at: start + 9)); expected 0, 2, 3, 4 or 6")
    }
    guard colorType.allows(bitDepth: depth) else {
      throw PNGError(.badHeader, at: start + 8, "Invalid depth for color type \(colorType): found \(depth) bits")
    }
    guard file.byte(at: start + 10) == 0, file.byte(at: start + 11) == 0, file.byte(at: start + 12) <= 1 else {
      throw PNGError(
        .badHeader, at: start + 10,
        "Invalid methods: found compression \(file.byte(at: start + 10)), filter \(file.byte(at: start + 11)) and interlace "
          + "\(file.byte(at: start + 12)); expected 0, 0 and 0 or 1")
    }
    self.width = Int(width)
    self.height = Int(height)
    bitDepth = depth
    self.colorType = colorType
    isInterlaced = file.byte(at: start + 12) == 1
    _ = try limits.pixelCount(width: Int(width), height: Int(height), at: start)
  }
}
