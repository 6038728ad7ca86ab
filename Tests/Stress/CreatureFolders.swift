// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import PNGImages

/// Makes libraries of creatures for the command.
enum CreatureFolders {
  /// Makes a library of equal creatures, each with a picture of about 160 kB and a small one.
  static func make(_ count: Int, in library: URL, by tool: String) throws {
    var random = SeededRandom(seed: 7)
    // Noise, which cannot be compressed.
    let pixels = random.bytes(4 * 200 * 200)
    let picture = URL(filePath: library.path + ".png")
    try PNGImage(width: 200, height: 200, pixels: pixels).pngData().write(to: picture)
    let process = try Child(["add", "Ghost", "-i", picture.path, "--library", library.path], of: tool)
    process.drain()
    guard process.end() == 0 else { throw Breach("cannot add a creature") }
    guard count > 1 else { return }
    for number in 2...count {
      try FileManager.default.copyItem(
        at: library.appending(path: "1.scarycreature"), to: library.appending(path: "\(number).scarycreature"))
    }
  }
}
