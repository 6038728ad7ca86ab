// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What there is to show of a value besides its row.
package struct Preview: Sendable {
  /// The text of a string or of data.
  package var text: String?
  /// Whether that is only the beginning of the text.
  package var isCut = false
  /// How many bytes the value has, where the text or these are not all of them.
  package var byteCount: Int?
  /// The first bytes of data.
  package var bytes: Data?
  /// The picture that data is.
  package var image: PreviewImage?
  /// Seconds since 2001.
  package var date: Double?
  /// Whether the rows inside of the value are those of an archive of its own, with numbers of its own.
  package var isArchive = false
  /// What is to be said of it.
  package var note: String?

  /// Makes a preview.
  package init(text: String? = nil, isCut: Bool = false, byteCount: Int? = nil, date: Double? = nil) {
    self.text = text
    self.isCut = isCut
    self.byteCount = byteCount
    self.date = date
  }

  var weight: Int {
    160 + (text.map { Outline.weight(of: $0) } ?? 0) + (bytes?.count ?? 0) * 4 / 3 + (image?.bytes.count ?? 0) * 4 / 3
      + (note.map { Outline.weight(of: $0) } ?? 0)
  }
}
