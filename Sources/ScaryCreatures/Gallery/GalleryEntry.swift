// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A creature, read and ready for the page.
struct GalleryEntry {
  /// Its number, made unique.
  let name: String
  let number: Int
  let title: String
  let rating: GalleryRating
  let modified: GalleryDate?
  let thumbnail: GalleryPicture?
  let fullImage: GalleryPicture?

  /// What the card shows: the small picture, else the full one.
  var cardPicture: GalleryPicture? {
    [thumbnail, fullImage].compactMap { $0 }.first(where: \.isShown)
  }

  /// What is shown when the card is opened.
  var viewerPicture: GalleryPicture? {
    [fullImage, thumbnail].compactMap { $0 }.first(where: \.isShown)
  }

  /// Pictures that no browser shows, to be downloaded.
  var downloads: [GalleryPicture] {
    [fullImage, thumbnail].compactMap { $0 }.filter { !$0.isShown }
  }
}
