// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import ScaryCreatures

/// A gallery in memory.
struct WrittenGallery {
  /// The paths in the order of writing.
  let paths: [String]
  let files: [String: Data]
  let problems: [GalleryProblem]

  init(_ items: [GalleryItem], title: String = "Scary Creatures") throws {
    var paths: [String] = []
    var files: [String: Data] = [:]
    problems = try Gallery(title: title).write(items) { path, data in
      paths.append(path)
      files[path] = data
    }
    self.paths = paths
    self.files = files
  }

  /// The page's text.
  var html: String { String(decoding: files["index.html"] ?? Data(), as: UTF8.self) }

  /// Writes the files to a folder, with a page that `patch` changes.
  func write(to folder: URL, patch: (String) -> String = { $0 }) throws {
    for (path, data) in files {
      let url = folder.appending(path: path)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try (path == "index.html" ? Data(patch(html).utf8) : data).write(to: url)
    }
  }
}
