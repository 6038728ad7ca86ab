// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivePages
import Foundation
import Testing

@Suite("PreviewImage")
struct PreviewImageTests {
  @Test(
    "rejects empty images and those too large for a browser",
    arguments: [
      (640, 480, true), (1, 1 << 26, true), (1 << 13, 1 << 13, true), (0, 480, false), (640, 0, false),
      (1, 1 << 26 + 1, false), (1 << 13, 1 << 13 + 1, false), (.max, .max, false),
    ])
  func sizes(width: Int, height: Int, isShown: Bool) {
    #expect((PreviewImage(.png, width: width, height: height, bytes: Data([1])) != nil) == isShown)
  }
}
