// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A creature as a gallery shows it.
///
/// The pictures are asked for when it is this creature's turn, and let go before the next one's:
///
/// ```swift
/// GalleryItem(number: 7, title: "Yeti", rating: 3, fullImage: try Data(contentsOf: url))
/// ```
public struct GalleryItem {
  /// The creature's number in its library. Pictures are named after it.
  public var number: Int
  /// What the creature is called: any text, shown as text.
  public var title: String
  /// How scary it is, from 0, not rated, to 5. Whatever else was in a file is shown as no valid rating.
  public var rating: Float
  /// When it was changed last, if that is known.
  public var modified: Date?
  /// Reads the file with the small picture; nil where there is none.
  public var thumbnail: () throws -> Data?
  /// Reads the file with the full picture; nil where there is none.
  public var fullImage: () throws -> Data?

  /// Describes a creature. Nothing is read yet.
  /// - Parameters:
  ///   - number: its number.
  ///   - title: its title.
  ///   - rating: its rating, unchecked.
  ///   - modified: when it was changed last.
  ///   - thumbnail: the small picture's file, of any format; evaluated once, late.
  ///   - fullImage: the full picture's file, of any format; evaluated once, late.
  public init(
    number: Int, title: String, rating: Float, modified: Date? = nil,
    thumbnail: @autoclosure @escaping () throws -> Data? = nil,
    fullImage: @autoclosure @escaping () throws -> Data? = nil
  ) {
    self.number = number
    self.title = title
    self.rating = rating
    self.modified = modified
    self.thumbnail = thumbnail
    self.fullImage = fullImage
  }
}
