// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport

/// Writes PNG files simply and directly by the specification: a reference for the decoder, and a way to create files
/// that break one rule.
struct ReferencePNG {
  var width: Int
  var height: Int
  var depth: Int
  var colorType: UInt8
  var isInterlaced = false
  /// Returns the samples of a pixel at their own depth.
  var samples: (_ x: Int, _ y: Int) -> [Int]
  /// Returns the filter of a row, counted through all passes.
  var filter: (_ row: Int) -> UInt8 = { _ in 0 }
  var palette: [UInt8] = []
  var transparency: [UInt8] = []

  private var samplesPerPixel: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType] ?? 1 }

  /// The whole file.
  func data() -> Data {
    Data(Self.signature + Self.chunk("IHDR", header) + colors + Self.chunk("IDAT", zlib) + Self.chunk("IEND", []))
  }

  static let signature: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]

  var header: [UInt8] {
    Self.number(width) + Self.number(height) + [UInt8(depth), colorType, 0, 0, isInterlaced ? 1 : 0]
  }

  var colors: [UInt8] {
    (palette.isEmpty ? [] : Self.chunk("PLTE", palette))
      + (transparency.isEmpty ? [] : Self.chunk("tRNS", transparency))
  }

  var zlib: [UInt8] { ReferenceZlib.stream(stored: rows()) }

  /// The filtered rows of all passes.
  func rows() -> [UInt8] {
    // The pass of each pixel, as in the specification's figure.
    let pattern = ["16462646", "77777777", "56565656", "77777777", "36463646", "77777777", "56565656", "77777777"]
      .map { Array($0) }
    var result: [UInt8] = []
    var rowNumber = 0
    let pixelBytes = max(1, depth * samplesPerPixel / 8)
    for pass in isInterlaced ? Array("1234567") : ["1"] {
      var above: [UInt8]?
      for y in 0..<height {
        let columns = (0..<width).filter { !isInterlaced || pattern[y % 8][$0 % 8] == pass }
        if columns.isEmpty { continue }
        let row = packed(columns.flatMap { samples($0, y) })
        let kind = filter(rowNumber)
        result.append(kind)
        for i in row.indices {
          let left = i >= pixelBytes ? Int(row[i - pixelBytes]) : 0
          let up = Int(above?[i] ?? 0)
          let upLeft = i >= pixelBytes ? Int(above?[i - pixelBytes] ?? 0) : 0
          let guess = [0, left, up, (left + up) / 2, Self.paeth(left, up, upLeft)][min(4, Int(kind))]
          result.append(row[i] &- UInt8(guess))
        }
        above = row
        rowNumber += 1
      }
    }
    return result
  }

  private func packed(_ samples: [Int]) -> [UInt8] {
    var bits = samples.flatMap { sample in (0..<depth).reversed().map { sample >> $0 & 1 } }
    while bits.count % 8 != 0 { bits.append(1) }
    return stride(from: 0, to: bits.count, by: 8).map { at in
      UInt8(bits[at..<at + 8].reduce(0) { $0 << 1 | $1 })
    }
  }

  private static func paeth(_ a: Int, _ b: Int, _ c: Int) -> Int {
    let p = a + b - c
    let (pa, pb, pc) = (abs(p - a), abs(p - b), abs(p - c))
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c
  }

  static func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 0xFF) } }

  static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + content
    return number(content.count) + body + number(Int(ReferenceZlib.crc(body)))
  }
}

extension ReferencePNG {
  /// One gray pixel.
  static var dot: ReferencePNG {
    ReferencePNG(width: 1, height: 1, depth: 8, colorType: 0, samples: { _, _ in [7] })
  }

  /// Returns a file of chunks.
  static func file(_ chunks: [(String, [UInt8])]) -> Data {
    Data(signature + chunks.flatMap { chunk($0.0, $0.1) })
  }
}
