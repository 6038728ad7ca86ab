// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

import DeflateCoding

extension PNGImage {
  /// Returns the image as a lossless PNG file.
  ///
  /// The file has the smallest suitable color type: a palette for few colors, gray for gray images, no alpha channel
  /// for opaque images. Equal pixels always give the same bytes.
  /// - Returns: The file's bytes.
  public func pngData() -> Data {
    let storage = PNGStorage(for: self)
    var file = PNGFileWriter()
    var header = PNGChunkContent()
    header.append(UInt32(truncatingIfNeeded: width))
    header.append(UInt32(truncatingIfNeeded: height))
    header.bytes += [UInt8(storage.bitDepth), storage.colorType.rawValue, 0, 0, 0]
    file.append(.imageHeader, header.bytes)
    if storage.colorType == .palette {
      file.append(.palette, storage.palette.flatMap { color in [0, 8, 16].map { UInt8(color >> $0 & 0xFF) } })
      let alphas = storage.palette.map { UInt8($0 >> 24) }.prefix { $0 != 255 }
      if !alphas.isEmpty { file.append(.transparency, Array(alphas)) }
    }
    let content: Deflater.Content = storage.colorType == .palette ? .plain : .filtered
    file.appendImageData(rows(storage).withBytes { ZlibStream.compress($0, content) })
    file.append(.imageEnd, [])
    return Data(file.bytes)
  }

  /// Returns the filtered rows. Palette rows are not filtered, because differences of indexes have no meaning.
  private func rows(_ storage: PNGStorage) -> [UInt8] {
    let byteCount = storage.byteCount(ofRowOf: width)
    let distance = storage.colorType.samplesPerPixel
    var rows = [UInt8](repeating: 0, count: (byteCount + 1) * height)
    var filterer = RowFilterer(byteCount: byteCount, distance: distance)
    pixels.withBytes { image in
      rows.withMutableBytes { rows in
        for y in 0..<height {
          let pixels = 4 * y * width..<4 * (y + 1) * width
          if storage.colorType == .palette {
            storage.pack(image, pixels, into: &rows, at: y * (byteCount + 1) + 1)
          } else {
            filterer.filter(into: &rows, at: y * (byteCount + 1)) { row, target in
              storage.pack(image, pixels, into: &row, at: target)
            }
          }
        }
      }
    }
    return rows
  }
}

/// A chunk's content, with numbers in big-endian order.
private struct PNGChunkContent {
  var bytes: [UInt8] = []

  mutating func append(_ number: UInt32) {
    for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}

/// Writes the chunks of a PNG file.
private struct PNGFileWriter {
  /// The maximum content of a chunk; the format allows 2^31 - 1 bytes.
  private static let largestChunk = 1 << 30

  private(set) var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Appends a chunk with its length and CRC.
  mutating func append(_ type: PNGChunkType, _ content: some Collection<UInt8>) {
    var chunk = PNGChunkContent()
    chunk.append(UInt32(truncatingIfNeeded: content.count))
    chunk.append(type.rawValue)
    let start = bytes.count + 4
    bytes += chunk.bytes
    bytes.append(contentsOf: content)
    var crc = CRC32()
    bytes.withBytes { crc.add($0, in: start..<$0.byteCount) }
    var checksum = PNGChunkContent()
    checksum.append(crc.value)
    bytes += checksum.bytes
  }

  /// Appends compressed rows, usually in one chunk.
  mutating func appendImageData(_ data: [UInt8]) {
    var start = 0
    repeat {
      let end = min(start + Self.largestChunk, data.count)
      append(.imageData, data[start..<end])
      start = end
    } while start < data.count
  }
}
