// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A web page of creatures, for a browser and a disk and nothing else: no scripts, no server, no network.
///
/// The page is `index.html`; small pictures are in `thumbs`, full ones in `images`. It filters by rating, sorts, has a
/// light and a dark theme and can be used with the keyboard alone. The same creatures always give the same bytes.
///
/// ```swift
/// try Gallery(title: "My Creatures").write(items) { path, data in
///   try writeDurably(data, to: folder.appending(path: path))
/// }
/// ```
public struct Gallery: Sendable {
  /// The heading of the page: any text, shown as text.
  public var title: String

  /// Describes a gallery.
  public init(title: String = "Scary Creatures") {
    self.title = title
  }

  /// Writes the page and its pictures.
  ///
  /// Pictures are read and written one at a time, in the order of `items`. The page comes last, so that it never refers
  /// to a picture that was not written. A picture that cannot be read is left out of the page and reported.
  /// - Parameters:
  ///   - items: the creatures; the page shows them by number at first.
  ///   - write: writes a file. The path is relative, has `/` between its parts, at most one folder, and consists of ASCII
  ///     letters, digits, `-` and `.`.
  /// - Returns: the pictures that could not be read.
  /// - Throws: what `write` throws, at once.
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
        // A file without content is no picture to look at or to download.
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
    // Equal numbers keep the order they came in.
    let sorted = entries.enumerated().sorted { ($0.element.number, $0.offset) < ($1.element.number, $1.offset) }
    let page = GalleryPage(title: title, entries: sorted.map(\.element))
    try write("index.html", Data(page.html.utf8))
    return problems
  }
}
