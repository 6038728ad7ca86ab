// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import Foundation
import PNGImages
import TestSupport
import Testing

@Suite("PNG encoding")
struct EncodingTests {
  @Test("What is written is read again, every pixel, hidden colours too", arguments: try SampleImage.all())
  func roundTrip(_ sample: SampleImage) throws {
    let data = sample.image.pngData()
    #expect(try PNGImage(data) == sample.image)
  }

  @Test("The same image gives the same bytes", arguments: try SampleImage.all())
  func deterministic(_ sample: SampleImage) throws {
    let copy = try PNGImage(width: sample.image.width, height: sample.image.height, pixels: sample.image.pixels)
    #expect(copy.pngData() == sample.image.pngData())
  }

  @Test(
    "uses the smallest color type for the pixels",
    arguments: [
      ("plain", .palette, 1), ("two colours", .palette, 1), ("four colours, three transparent", .palette, 2),
      ("sixteen colours", .palette, 4), ("256 colours", .palette, 8), ("257 colours", .rgb, 8), ("grey", .gray, 8),
      ("grey with alpha", .grayAlpha, 8), ("photo", .rgb, 8), ("noise", .rgba, 8), ("one opaque pixel", .rgb, 8),
    ] as [(String, PNGColorType, Int)])
  func colorType(_ name: String, _ colorType: PNGColorType, _ depth: Int) throws {
    let sample = try #require(try SampleImage.all().first { $0.testDescription == name })
    let header = try PNGImage.check(sample.image.pngData())
    #expect(header.colorType == colorType)
    #expect(header.bitDepth == depth)
    #expect(!header.isInterlaced)
  }

  @Test("Random sizes and kinds survive the way there and back", arguments: 0..<60 as Range<UInt64>)
  func randomRoundTrips(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let width = Int.random(in: 1...40, using: &random)
    let height = Int.random(in: 1...40, using: &random)
    let colors = [1, 2, 3, 5, 17, 200, 1000][Int(seed % 7)]
    let palette = (0..<colors).map { _ in
      random.bytes(3) + [seed % 2 == 0 ? 255 : UInt8.random(in: 0...255, using: &random)]
    }
    let pixels = (0..<width * height).flatMap { _ in palette[Int.random(in: 0..<colors, using: &random)] }
    let image = try PNGImage(width: width, height: height, pixels: pixels)
    #expect(try PNGImage(image.pngData()) == image)
  }

  /// Writes all samples as files next to their pixels, for a decoder in another language.
  private func export(to folder: URL) throws {
    for (i, sample) in try SampleImage.all().enumerated() {
      try sample.image.pngData().write(to: folder.appendingPathComponent("\(i).png"))
      try Data(sample.image.pixels).write(to: folder.appendingPathComponent("\(i).rgba"))
    }
  }

  @Test(
    "Python's zlib and crc32 read the same pixels, at about zlib's size",
    .enabled(if: Python.isPresent, "python3 is not installed"))
  func independentReader() throws {
    let folder = try ScratchFolder()
    try export(to: folder.url)
    #expect(try Python.run(Self.plainReader, in: folder.url) == Data("17 files agree\n".utf8))
  }

  @Test(
    "Pillow, which uses libpng, reads the same pixels",
    .enabled(if: Python.hasPillow, "python3 has no Pillow"))
  func pillow() throws {
    let folder = try ScratchFolder()
    try export(to: folder.url)
    let output = try Python.run(
      """
      import glob
      from PIL import Image
      names = glob.glob("*.png")
      for name in names:
          with Image.open(name) as image:
              assert image.convert("RGBA").tobytes() == open(name[:-3] + "rgba", "rb").read(), name
      print(len(names), "files agree")
      """, in: folder.url)
    #expect(output == Data("17 files agree\n".utf8))
  }

  private static let plainReader = """
    import glob, struct, zlib

    def pixels(name):
        data = open(name, "rb").read()
        assert data[:8] == bytes([137, 80, 78, 71, 13, 10, 26, 10])
        at, chunks = 8, []
        while at < len(data):
            length, = struct.unpack(">I", data[at:at + 4])
            body = data[at + 4:at + 8 + length]
            assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(body)
            chunks.append((body[:4], body[4:]))
            at += 12 + length
        assert chunks[0][0] == b"IHDR" and chunks[-1] == (b"IEND", b"")
        width, height, depth, color, *rest = struct.unpack(">IIBBBBB", chunks[0][1])
        assert rest == [0, 0, 0]
        packed = b"".join(c for k, c in chunks if k == b"IDAT")
        reader = zlib.decompressobj()
        rows = reader.decompress(packed)
        assert reader.eof and not reader.unused_data
        assert len(packed) <= 1.3 * len(zlib.compress(rows, 6)) + 16, (name, len(packed), len(zlib.compress(rows, 6)))
        palette = dict(chunks).get(b"PLTE", b"")
        alphas = dict(chunks).get(b"tRNS", b"")
        samples = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
        size = (width * samples * depth + 7) // 8
        assert len(rows) == (size + 1) * height
        bpp = max(1, samples * depth // 8)
        above, out = bytearray(size), bytearray()
        for y in range(height):
            kind, *row = rows[y * (size + 1):(y + 1) * (size + 1)]
            for i in range(size):
                a = row[i - bpp] if i >= bpp else 0
                b = above[i]
                c = above[i - bpp] if i >= bpp else 0
                p = a + b - c
                nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                row[i] = (row[i] + (0, a, b, (a + b) // 2, nearest)[kind]) & 255
            above = row
            for x in range(width):
                if color == 3:
                    index = row[x * depth // 8] >> (8 - depth - x * depth % 8) & ((1 << depth) - 1)
                    out += palette[3 * index:3 * index + 3]
                    out.append(alphas[index] if index < len(alphas) else 255)
                else:
                    s = row[x * samples:(x + 1) * samples]
                    out += bytes({0: s * 3 + [255], 2: s + [255], 4: s[:1] * 3 + s[1:], 6: s}[color])
        return out

    names = glob.glob("*.png")
    for name in names:
        assert pixels(name) == open(name[:-3] + "rgba", "rb").read(), name
    print(len(names), "files agree")
    """
}
