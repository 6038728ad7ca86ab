// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A web page of creatures that a browser opens from the disk, without a server or network access.
///
/// The page is `index.html`, with thumbnails in `thumbs` and full images in `images`. It filters by rating, sorts, has
/// a light and a dark theme, and can be used with the keyboard. In the viewer, the arrow keys show the next picture and
/// the one before, and Escape closes it. Only these three keys need the page's script. Equal creatures give equal bytes.
///
/// ```swift
/// try Gallery(title: "My Creatures").write(items) { path, data in
///   try writeDurably(data, to: folder.appending(path: path))
/// }
/// ```
public struct Gallery: Sendable {
  /// The heading of the page.
  public var title: String

  /// Creates a gallery.
  /// - Parameter title: The heading of the page.
  public init(title: String = "Scary Creatures") {
    self.title = title
  }

  /// Writes the page and its images.
  ///
  /// Images are read and written one at a time, in the order of `items`. The page is written last, so it never refers
  /// to a missing file. An unreadable image is left out of the page and reported.
  /// - Parameters:
  ///   - items: The creatures. The page initially sorts them by number.
  ///   - write: Writes a file. The path is relative and has at most one folder. It consists of ASCII letters, digits,
  ///     `-`, `.` and `/`.
  /// - Returns: The unreadable images.
  /// - Throws: An error of `write`.
  @discardableResult
  public func write(
    _ items: some Sequence<GalleryItem>, to write: (_ path: String, _ data: Data) throws -> Void
  ) throws -> [GalleryProblem] {
    var problems: [GalleryProblem] = []
    var names = GalleryNames()
    var entries: [GalleryEntry] = []
    for item in items {
      let name = names.name(for: item.number)
      func picture(
        _ kind: GalleryProblem.Picture, _ folder: String, _ read: () throws -> Data?
      ) throws -> GalleryPicture? {
        let data: Data?
        do {
          data = try read()
        } catch {
          problems.append(GalleryProblem(number: item.number, picture: kind, underlyingError: error))
          return nil
        }
        // An empty file is not an image.
        guard let data, !data.isEmpty else { return nil }
        let picture = GalleryPicture(data, path: "\(folder)/\(name)")
        try write(picture.path, data)
        return picture
      }
      entries.append(
        GalleryEntry(
          name: name, number: item.number, title: item.title, rating: GalleryRating(item.rating),
          modified: item.modified.flatMap(GalleryDate.init),
          thumbnail: try picture(.thumbnail, "thumbs", item.thumbnail),
          fullImage: try picture(.fullImage, "images", item.fullImage)))
    }
    // Creatures with equal numbers stay in order.
    let sorted = entries.enumerated().sorted { ($0.element.number, $0.offset) < ($1.element.number, $1.offset) }
    let page = GalleryPage(title: title, entries: sorted.map(\.element))
    try write("index.html", Data(page.html.utf8))
    return problems
  }
}

/// A creature for a gallery.
///
/// Its images are read when the gallery writes them, and are released before those of the next creature:
///
/// ```swift
/// GalleryItem(number: 7, title: "Yeti", rating: 3, fullImage: try Data(contentsOf: url))
/// ```
public struct GalleryItem {
  /// The creature's number in its library. The names of image files contain it.
  public var number: Int
  /// The title.
  public var title: String
  /// The rating, from 0, not rated, to 5. The page displays any other value as not valid.
  public var rating: Float
  /// The modification date, if known.
  public var modified: Date?
  /// Reads the file of the thumbnail; the result is nil if the creature has none.
  public var thumbnail: () throws -> Data?
  /// Reads the file of the full image; the result is nil if the creature has none.
  public var fullImage: () throws -> Data?

  /// Creates an item without reading images.
  /// - Parameters:
  ///   - number: The creature's number.
  ///   - title: The title.
  ///   - rating: The rating, which need not be valid.
  ///   - modified: The modification date.
  ///   - thumbnail: The file of the thumbnail in any format, evaluated once when it is written.
  ///   - fullImage: The file of the full image in any format, evaluated once when it is written.
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

/// An image that a gallery leaves out, because it cannot be read.
public struct GalleryProblem: Error, Sendable, CustomStringConvertible {
  /// The kinds of images.
  public enum Picture: String, Hashable, Sendable {
    /// The thumbnail.
    case thumbnail
    /// The full image.
    case fullImage
  }

  /// The creature's number.
  public let number: Int
  /// The kind of the image.
  public let picture: Picture
  /// The reason.
  public let underlyingError: any Error

  /// The missing image and the reason.
  public var description: String {
    let name = picture == .thumbnail ? "thumbnail" : "full image"
    return "The gallery omits the \(name) of creature \(number): \(underlyingError)"
  }
}
