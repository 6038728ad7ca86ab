// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Hands out a name for each creature's pictures and places on the page, never the same twice.
struct GalleryNames {
  private var uses: [Int: Int] = [:]

  /// The number, or with `-2`, `-3` behind it where a number comes again.
  mutating func name(for number: Int) -> String {
    let use = (uses[number] ?? 0) + 1
    uses[number] = use
    return use == 1 ? String(number) : "\(number)-\(use)"
  }
}
