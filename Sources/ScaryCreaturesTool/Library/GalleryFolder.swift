// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import PropertyListFormat
import SystemFiles

/// The files of a gallery in a folder that can have other files.
///
/// A gallery can be made again, so its files are not flushed one by one. A hidden list names the images that the command
/// wrote, and only those are ever removed.
///
/// Up to 512 images, or 16 MiB, wait in memory. Then the list that names them is flushed, and after that they are written.
/// The next gallery therefore also removes what a killed command or a power loss left of this one.
///
/// Nothing is written through a symbolic link in the folder, because the target is a file of another place.
struct GalleryFolder {
  static let listName = ".gallery-files"
  private static let pageName = "index.html"
  static let imageFolders = ["thumbs", "images"]
  /// The list has a line for each image; a larger file is not one of this command.
  private static let maximumListByteCount = 1 << 28

  private let folder: URL
  /// The bytes and the number of images from which on they are written.
  private let batch: (byteCount: Int, count: Int)
  private var waiting: [(path: String, bytes: Data)] = []
  private var waitingByteCount = 0
  /// The images of an earlier gallery that this one has not written.
  private var old: Set<[UInt8]>
  private var new: Set<[UInt8]> = []
  /// The images in the list on the disk.
  private var listed: Set<[UInt8]>
  private var list: URL { folder.appending(path: Self.listName) }

  init(_ folder: URL, batch: (byteCount: Int, count: Int) = (1 << 24, 512)) {
    self.folder = folder
    self.batch = batch
    old = Self.images(on: folder.appending(path: Self.listName))
    listed = old
  }

  /// Reads a list. Lines that no gallery can have written are ignored.
  private static func images(on list: URL) -> Set<[UInt8]> {
    guard type(of: list) == .typeRegular, InputFile.byteCount(list.path) ?? .max <= maximumListByteCount,
      let bytes = try? Data(contentsOf: list)
    else { return [] }
    return Set(bytes.split(separator: 0x0A).map { [UInt8]($0) }.filter(isImage))
  }

  /// Whether a path is `thumbs/NAME` or `images/NAME`, with a name that a gallery gives to an image.
  private static func isImage(_ path: [UInt8]) -> Bool {
    guard imageFolders.contains(where: { path.starts(with: "\($0)/".utf8) }) else { return false }
    // The number of the creature, perhaps with another number, and the extension.
    let parts = path.dropFirst(7).split(separator: 0x2E, omittingEmptySubsequences: false)
    guard parts.count == 2, let first = parts[0].first, 0x30...0x39 ~= first, !parts[1].isEmpty else { return false }
    return parts[0].allSatisfy { 0x30...0x39 ~= $0 || $0 == 0x2D }
      && parts[1].allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 }
  }

  /// Writes a file of the gallery. An image is written with those after it.
  mutating func write(_ bytes: Data, to path: String) throws(Failure) {
    guard Self.isImage(Array(path.utf8)) else {
      // The page comes last, and never refers to a missing image.
      try writeWaiting()
      return try writeFile(bytes, to: path)
    }
    waiting.append((path, bytes))
    waitingByteCount += bytes.count
    if waiting.count >= batch.count || waitingByteCount >= batch.byteCount { try writeWaiting() }
  }

  /// Lists the waiting images, and writes them.
  private mutating func writeWaiting() throws(Failure) {
    guard !waiting.isEmpty else { return }
    for (path, _) in waiting { new.insert(Array(path.utf8)) }
    if !new.isSubset(of: listed) { try writeList() }
    for (path, bytes) in waiting {
      try writeFile(bytes, to: path)
      old.remove(Array(path.utf8))
    }
    waiting = []
    waitingByteCount = 0
  }

  /// Returns those of the gallery's files that exist, and are not images that an earlier gallery wrote. The caller asks before
  /// they are replaced. `paths` returns the paths of all files of the gallery. It takes time, and is called only if a folder has
  /// such images.
  func foreignFiles(among paths: () throws -> [String]) rethrows -> [String] {
    let page = exists(Self.pageName) ? [Self.pageName] : []
    guard hasForeignImages else { return page }
    return try page
      + paths().filter { path in
        Self.isImage(Array(path.utf8)) && !old.contains(Array(path.utf8)) && exists(path)
      }
  }

  private func exists(_ path: String) -> Bool {
    if case nil = Self.type(of: folder.appending(path: path)) { false } else { true }
  }

  /// Whether a folder of images has one that no earlier gallery wrote. Some disks ignore case.
  private var hasForeignImages: Bool {
    Self.imageFolders.contains { name in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: name).path)) ?? []
      return names.contains { file in
        let path = Array("\(name)/\(file)".utf8)
        return !old.contains(path) && Self.isImage(path.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 })
      }
    }
  }

  private func writeFile(_ bytes: Data, to path: String) throws(Failure) {
    let file = folder.appending(path: path)
    let parent = file.deletingLastPathComponent()
    if path != Self.pageName { try Self.check(parent, is: .typeDirectory) }
    try makeFolder(parent)
    try Self.check(file, is: .typeRegular)
    try attempt(file) { try DurableFile.write(bytes, to: file, durably: false) }
  }

  /// Removes the images of an earlier gallery that this one does not have, and writes the list of the others.
  mutating func finish() throws(Failure) {
    try writeWaiting()
    for path in old.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let file = folder.appending(path: String(decoding: path, as: UTF8.self))
      // A link, or a file in a linked folder, is not of a gallery.
      let parent = file.deletingLastPathComponent()
      guard Self.type(of: parent) == .typeDirectory else { continue }
      // A killed command may have left a part of the image.
      TemporaryFiles.sweep(beside: file.path)
      guard Self.type(of: file) == .typeRegular else { continue }
      try attempt(file) { try FileManager.default.removeItem(at: file) }
    }
    old = []
    try writeList()
  }

  /// Writes the list of all images that the folder may have, and flushes it.
  private mutating func writeList() throws(Failure) {
    let images = old.union(new)
    var text = Data()
    for path in images.sorted(by: { $0.lexicographicallyPrecedes($1) }) { text += path + [0x0A] }
    guard !text.isEmpty || Self.type(of: list) != nil else { return }
    try Self.check(list, is: .typeRegular)
    try makeFolder(folder)
    try attempt(list) { try DurableFile.write(text, to: list) }
    listed = images
  }

  /// Throws an error if an entry of the folder exists and is of another type, for example a link.
  private static func check(_ entry: URL, is expected: FileAttributeType) throws(Failure) {
    guard let found = type(of: entry), found != expected else { return }
    let words: [FileAttributeType: String] = [
      .typeRegular: "a file", .typeDirectory: "a folder", .typeSymbolicLink: "a symbolic link",
    ]
    throw Failure(
      .notWritten, "cannotWrite",
      "found \(words[found] ?? "a device, a pipe or a socket"); expected \(words[expected] ?? "another entry")",
      place: [entry.path], remedy: "Remove \(entry.lastPathComponent), or pass -o with another folder")
  }

  /// The type of an entry; links are not followed.
  private static func type(of file: URL) -> FileAttributeType? {
    (try? FileManager.default.attributesOfItem(atPath: file.path))?[.type] as? FileAttributeType
  }

  private func makeFolder(_ folder: URL) throws(Failure) {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      // Foundation's text does not say what is wrong.
      let type = Self.type(of: folder)
      let reason =
        switch type {
        case nil, .typeDirectory?: "could not create the folder"
        case .typeSymbolicLink?: "found a symbolic link that leads to no folder; expected a folder"
        default: "found a file; expected a folder"
        }
      throw Failure(
        .notWritten, "cannotWrite", reason, place: [folder.path], remedy: "Pass -o with a folder in which you may write"
      )
    }
  }

  private func attempt(_ file: URL, _ body: () throws -> Void) throws(Failure) {
    do {
      try body()
    } catch {
      throw Failure(.notWritten, "cannotWrite", "\(error)", place: [file.path])
    }
  }
}
