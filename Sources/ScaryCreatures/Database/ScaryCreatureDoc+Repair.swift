// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import DocumentLibraries
import PNGImages

extension Document where Model == ScaryCreatureData {
  /// Whether the small picture is missing or damaged while the large one is a sound PNG that it can be made from.
  /// - Throws: `LibraryError` if a picture cannot be read.
  public var needsThumb: Bool {
    get throws {
      guard let full = try fullImage, try CreatureImage.check(full, .full, "") == .png else { return false }
      guard let thumb = try thumbImage else { return true }
      return (try? CreatureImage.check(thumb, .thumb, "")) == nil
    }
  }

  /// Makes the small picture anew from the large one and saves it.
  /// - Throws: `LibraryError`; what was stored before is intact then.
  public func remakeThumb() throws {
    guard let full = try fullImage, let thumb = try CreatureImage.thumbnail(for: full) else { return }
    try setThumbImage(thumb)
    try saveImages()
  }
}
