// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

/// Where everything in a PNG file lies, every chunk checked: once this exists, what reads the pixels need not ask again.
///
/// Chunk rules are those of the PNG specification, 5.6 (order) and 11.2 (critical chunks). Bytes behind the last chunk
/// are ignored, as all common readers do.
struct PNGLayout {
  let header: PNGHeader
  /// The bytes of the palette, three a colour.
  private(set) var palette: Range<Int>?
  /// The bytes of the transparency chunk.
  private(set) var transparency: Range<Int>?
  /// Where the first chunk of image data begins; the others follow it without a gap.
  private(set) var firstImageChunk = 0
  private(set) var imageChunkCount = 0
  /// How many compressed bytes the image chunks hold together.
  private(set) var imageByteCount = 0
  /// How many bytes the rows have once inflated.
  let inflatedByteCount: Int

  /// Checks all of `file` but the compressed stream.
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

  /// Tells a PNG file that was damaged on its way from one that never was one.
  private static func checkSignature(_ file: RawSpan) throws(PNGError) {
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    let common = signature.indices.prefix { $0 < file.byteCount && file.byte(at: $0) == signature[$0] }.count
    if common == signature.count { return }
    if common == file.byteCount {
      throw PNGError(
        .truncated, at: common, "A PNG file starts with 8 bytes of signature, but there are only \(common) bytes")
    }
    if let format = ImageFormat.sniff(file) {
      throw PNGError(
        .notPNG, at: 0, format: format,
        "Expected a PNG file, found \(format); rename it to .\(format.fileExtension) or convert it to PNG")
    }
    let letters = (0..<min(4, file.byteCount)).filter { file.byte(at: $0) == signature[$0] }.count
    if letters >= 3 {
      throw PNGError(
        .damagedSignature, at: common,
        "The PNG signature is damaged, as by a transfer in text mode; fetch the file again in binary mode")
    }
    throw PNGError(.notPNG, at: 0, "Expected a PNG file, found bytes of no known image format")
  }

  /// The size of the rows, within the limits.
  private static func inflatedByteCount(_ header: PNGHeader, limits: PNGLimits) throws(PNGError) -> Int {
    guard let count = header.inflatedByteCount, count <= limits.maximumInflatedByteCount else {
      throw PNGError(
        .limitReached, at: 16,
        "The rows of \(header.width) x \(header.height) pixels of \(header.bitsPerPixel) bits take more than the "
          + "\(limits.maximumInflatedByteCount) bytes that are allowed; raise PNGLimits.maximumInflatedByteCount")
    }
    return count
  }

  /// Notes one chunk behind the header.
  private mutating func take(_ chunk: PNGChunk, in file: RawSpan) throws(PNGError) {
    switch chunk.type {
    case .imageHeader:
      throw PNGError(.badChunkOrder, at: chunk.offset, "A second IHDR chunk; there may be only one")
    case .palette:
      try takePalette(chunk)
    case .transparency:
      try takeTransparency(chunk)
    case .imageData:
      try takeImageData(chunk)
    case .imageEnd:
      guard chunk.content.isEmpty else {
        throw PNGError(.badChunk, at: chunk.offset, "IEND must be empty, but holds \(chunk.content.count) bytes")
      }
    default:
      guard !chunk.type.isCritical else {
        throw PNGError(
          .unknownCriticalChunk, at: chunk.offset,
          "Chunk \(chunk.type) says that it must be understood, and PNG has no such chunk")
      }
    }
  }

  private mutating func takePalette(_ chunk: PNGChunk) throws(PNGError) {
    guard palette == nil, transparency == nil, imageChunkCount == 0 else {
      throw PNGError(
        .badChunkOrder, at: chunk.offset, "PLTE may stand only once, and only before tRNS and IDAT")
    }
    guard header.colorType != .gray, header.colorType != .grayAlpha else {
      throw PNGError(.badPalette, at: chunk.offset, "A grey image may not have a palette")
    }
    let most = header.colorType == .palette ? 1 << header.bitDepth : 256
    let (count, rest) = chunk.content.count.quotientAndRemainder(dividingBy: 3)
    guard rest == 0, count >= 1, count <= most else {
      throw PNGError(
        .badPalette, at: chunk.offset,
        "Expected a palette of 1 to \(most) colours of 3 bytes, found \(chunk.content.count) bytes")
    }
    palette = chunk.content
  }

  private mutating func takeTransparency(_ chunk: PNGChunk) throws(PNGError) {
    guard transparency == nil, imageChunkCount == 0 else {
      throw PNGError(.badChunkOrder, at: chunk.offset, "tRNS may stand only once, and only before IDAT")
    }
    let allowed: ClosedRange<Int>
    switch header.colorType {
    case .gray: allowed = 2...2
    case .rgb: allowed = 6...6
    case .palette:
      guard let palette else {
        throw PNGError(.badChunkOrder, at: chunk.offset, "tRNS of a palette image must stand behind PLTE")
      }
      allowed = 1...palette.count / 3
    case .grayAlpha, .rgba:
      throw PNGError(.badTransparency, at: chunk.offset, "An image with an alpha channel may not have tRNS")
    }
    guard allowed.contains(chunk.content.count) else {
      throw PNGError(
        .badTransparency, at: chunk.offset,
        "tRNS must hold \(allowed.lowerBound) to \(allowed.upperBound) bytes here, found \(chunk.content.count)")
    }
    transparency = chunk.content
  }

  private mutating func takeImageData(_ chunk: PNGChunk) throws(PNGError) {
    if imageChunkCount == 0 {
      guard header.colorType != .palette || palette != nil else {
        throw PNGError(.badPalette, at: chunk.offset, "A palette image needs PLTE before IDAT, and has none")
      }
      firstImageChunk = chunk.offset
      nextImageChunk = chunk.offset
    }
    guard chunk.offset == nextImageChunk else {
      throw PNGError(.badChunkOrder, at: chunk.offset, "IDAT chunks must follow each other without a gap")
    }
    nextImageChunk = chunk.end
    imageChunkCount += 1
    imageByteCount += chunk.content.count
  }

  /// Where the next chunk of image data must begin, if there is one.
  private var nextImageChunk = 0

  /// Refuses rows that the compressed bytes cannot hold, so that nothing is reserved on a mere claim.
  private func checkImageData(at end: Int, limits: PNGLimits) throws(PNGError) {
    guard imageChunkCount > 0 else {
      throw PNGError(.badChunkOrder, at: end, "The file ends without any IDAT chunk: there are no pixels")
    }
    // Two bits are the least that deflate spends on a copy, and 258 bytes the most that one copy makes.
    let most = imageByteCount.multipliedReportingOverflow(by: 1032)
    guard most.overflow || inflatedByteCount <= most.partialValue else {
      throw PNGError(
        .truncated, at: firstImageChunk,
        "\(header.width) x \(header.height) pixels need \(inflatedByteCount) bytes of rows, which \(imageByteCount) "
          + "compressed bytes cannot hold")
    }
    let allowed = imageByteCount.multipliedReportingOverflow(by: max(0, limits.maximumExpansion))
    guard allowed.overflow || inflatedByteCount <= allowed.partialValue else {
      throw PNGError(
        .limitReached, at: firstImageChunk,
        "\(imageByteCount) compressed bytes would become \(inflatedByteCount), more than "
          + "\(limits.maximumExpansion) times as many; raise PNGLimits.maximumExpansion to accept it")
    }
  }
}

extension PNGHeader {
  /// Reads the header chunk (PNG specification, 11.2.1).
  init(_ file: RawSpan, _ chunk: PNGChunk, limits: PNGLimits) throws(PNGError) {
    guard chunk.type != .appleOptimized else {
      throw PNGError(
        .appleOptimized, at: chunk.offset,
        "This is Xcode's private variant of PNG (CgBI), which only Apple's systems show; take the original image, or "
          + "convert it back with: xcrun pngcrush -revert-iphone-optimizations IN OUT")
    }
    guard chunk.type == .imageHeader else {
      throw PNGError(.badChunkOrder, at: chunk.offset, "Expected IHDR as the first chunk, found \(chunk.type)")
    }
    let start = chunk.content.lowerBound
    guard chunk.content.count == 13 else {
      throw PNGError(.badHeader, at: start, "IHDR must hold 13 bytes, found \(chunk.content.count)")
    }
    let width = file.bigEndian32(at: start)
    let height = file.bigEndian32(at: start + 4)
    guard 1...0x7FFF_FFFF ~= width, 1...0x7FFF_FFFF ~= height else {
      throw PNGError(
        .badHeader, at: start, "Width and height must be 1 to 2^31 - 1, found \(width) x \(height)")
    }
    let depth = Int(file.byte(at: start + 8))
    guard let colorType = PNGColorType(rawValue: file.byte(at: start + 9)) else {
      throw PNGError(
        .badHeader, at: start + 9, "The colour type must be 0, 2, 3, 4 or 6, found \(file.byte(at: start + 9))")
    }
    guard colorType.allows(bitDepth: depth) else {
      throw PNGError(.badHeader, at: start + 8, "Colour type \(colorType) has no depth of \(depth) bits")
    }
    guard file.byte(at: start + 10) == 0, file.byte(at: start + 11) == 0, file.byte(at: start + 12) <= 1 else {
      throw PNGError(
        .badHeader, at: start + 10,
        "Expected compression 0, filter 0 and interlace 0 or 1, found \(file.byte(at: start + 10)), "
          + "\(file.byte(at: start + 11)) and \(file.byte(at: start + 12))")
    }
    self.width = Int(width)
    self.height = Int(height)
    bitDepth = depth
    self.colorType = colorType
    isInterlaced = file.byte(at: start + 12) == 1
    _ = try limits.pixelCount(width: Int(width), height: Int(height), at: start)
  }
}
