// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import PropertyListFormat

/// The files of a git repository that decide how git shows files.
struct GitRepository {
  /// The file with attributes, at the top of the working tree.
  let attributes: URL
  /// The file with the settings of this clone.
  let config: URL

  /// Finds the repository of a folder, as git does: in the folder and in those above it.
  init(of folder: String) throws(Failure) {
    guard case .folder = FileKind(folder) else {
      throw Failure(.unreadable, "fileAccess", "no such folder", remedy: "Name a folder of a git repository")
    }
    var place = try URL(argument: folder, isFolder: true).resolvingSymlinksInPath().standardizedFileURL
    while true {
      if let common = try Self.commonFolder(of: place.appending(path: ".git")) {
        attributes = place.appending(path: ".gitattributes")
        config = common.appending(path: "config")
        return
      }
      let above = place.deletingLastPathComponent().standardizedFileURL
      guard above.path != place.path, above.path != "/.." else { break }
      place = above
    }
    throw Failure(
      .unreadable, "noRepository", "no git repository: neither the folder nor one above it has '.git'",
      remedy: "Create a repository with 'git init', or name a folder of one")
  }

  /// Returns the folder with the settings, to which the `.git` of a worktree or submodule leads; nil for other entries.
  private static func commonFolder(of git: URL) throws(Failure) -> URL? {
    switch FileKind(git.path) {
    case .folder: return isGitFolder(git) ? git : nil
    case .file:
      guard let target = pointer(in: git)?.rest(after: "gitdir:") else { return nil }
      let folder = try url(trimmed(target), in: git.deletingLastPathComponent())
      guard isGitFolder(folder) else { return nil }
      guard let common = pointer(in: folder.appending(path: "commondir")) else { return folder }
      return try url(common, in: folder)
    case .none, .pipe, .other: return nil
    }
  }

  /// Returns the folder that a path names, seen from another folder.
  private static func url(_ path: String, in folder: URL) throws(Failure) -> URL {
    try URL(argument: path.utf8.first == 0x2F ? path : "\(folder.path)/\(path)", isFolder: true)
  }

  private static func isGitFolder(_ folder: URL) -> Bool {
    if case .file = FileKind(folder.appending(path: "HEAD").path) { true } else { false }
  }

  /// Returns the text of a file that has a path, without its line end.
  private static func pointer(in file: URL) -> String? {
    guard let data = try? Data(contentsOf: file) else { return nil }
    return trimmed(String(decoding: data, as: UTF8.self)[...])
  }

  private static func trimmed(_ text: Substring) -> String {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
    let bytes = Array(text.utf8.drop(while: isBlank))
    let end = bytes.lastIndex { !isBlank($0) } ?? -1
    return String(decoding: bytes[...end], as: UTF8.self)
  }

  /// Reads the lines of a file of settings; a missing file has none.
  static func lines(of file: URL) throws(Failure) -> [String] {
    guard FileKind(file.path) != .none else { return [] }
    guard let data = try? Data(contentsOf: file) else {
      throw Failure(.unreadable, "fileAccess", "cannot read '\(file.path)'")
    }
    guard data.span.firstInvalidUTF8 == nil else {
      throw Failure(.unreadable, "notUTF8", "'\(file.path)' is not UTF-8", remedy: "Edit the file by hand")
    }
    var lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map(String.init)
  }

  /// Replaces the lines of a file of settings. A file without lines is removed.
  static func write(_ lines: [String], to file: URL) throws(Failure) {
    // Git creates this file while it writes the settings.
    guard FileKind(file.path + ".lock") == .none else {
      throw Failure(
        .notWritten, "fileAccess", "'\(file.path).lock' exists: another program changes the settings",
        remedy: "Run the command again when git has ended")
    }
    let text = lines.map { $0 + "\n" }.joined()
    if lines.isEmpty {
      do { return try FileManager.default.removeItem(at: file) } catch {
        throw Failure(.notWritten, "fileAccess", "cannot remove '\(file.path)'", remedy: "Make the folder writable")
      }
    }
    do {
      try DurableFile.write(Data(text.utf8), to: file)
    } catch {
      throw Failure(.notWritten, "fileAccess", error.detail, remedy: "Make the folder writable")
    }
  }
}
