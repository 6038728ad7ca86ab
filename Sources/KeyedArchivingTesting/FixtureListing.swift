// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// The files of a folder of fixtures and of its subfolders. An entry that a check would not examine is a problem: otherwise a
/// version that no longer decodes could be overlooked.
struct FixtureListing {
  /// The names of the fixtures, sorted, without their extension.
  private(set) var fixtures: [String] = []
  /// The names of the texts, sorted, without their extension.
  private(set) var texts: [String] = []
  private(set) var problems: [FixtureFailure.Problem] = []
  private let fileExtension: String

  /// Lists a folder, which may be a symbolic link. A folder that does not exist has no files.
  init(_ folder: URL, fileExtension: String) {
    self.fileExtension = fileExtension
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    var subfolders = [""]
    while let subfolder = subfolders.popLast() {
      do {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.path(folder, subfolder))
        for name in names where name.utf8.first != UInt8(ascii: ".") {
          let path = subfolder.isEmpty ? name : subfolder + "/" + name
          if try isFolder(path, in: folder) { subfolders.append(path) }
        }
      } catch {
        add(.unreadable, subfolder.isEmpty ? folder.lastPathComponent : subfolder, "could not be listed: \(error)")
      }
    }
    fixtures.sort { $0 < $1 }
    texts.sort { $0 < $1 }
    problems.sort { $0.fixture < $1.fixture }
  }

  private static func path(_ folder: URL, _ path: String) -> String {
    path.isEmpty ? folder.path : folder.appending(path: path).path
  }

  private mutating func add(_ kind: FixtureFailure.Problem.Kind, _ path: String, _ detail: String) {
    problems.append(FixtureFailure.Problem(kind: kind, fixture: path, detail: detail))
  }

  /// Adds an entry to the list that it belongs to, and returns whether it is a folder.
  private mutating func isFolder(_ path: String, in folder: URL) throws -> Bool {
    // The attributes of a link are its own.
    let type = try FileManager.default.attributesOfItem(atPath: Self.path(folder, path))[.type] as? FileAttributeType
    let (fixture, text) = (stem(path, fileExtension), stem(path, "txt"))
    switch type {
    case .typeRegular?:
      if let text { texts.append(text) } else if let fixture { fixtures.append(fixture) } else { addUnknownFile(path) }
    case .typeDirectory?:
      if fileExtension.isEmpty || fixture == nil { return true }
      add(.unexpectedFile, path, "a folder has the name of a fixture. Give it a name without the extension")
    case .typeSymbolicLink?:
      add(
        .unexpectedFile, path,
        "a symbolic link, which checks do not follow. Replace it by what it refers to, or pass that folder to "
          + "ArchiveFixtures")
    default:
      add(.unexpectedFile, path, "neither a file nor a folder. Remove it from the folder of the fixtures")
    }
    return false
  }

  private mutating func addUnknownFile(_ path: String) {
    add(
      .unexpectedFile, path,
      """
      neither a fixture, whose name ends with .\(fileExtension), nor the text of one. Rename it if it is a fixture; \
      otherwise move it out of the folder
      """)
  }

  /// Returns a path without an extension; nil if it has another one.
  private func stem(_ path: String, _ fileExtension: String) -> String? {
    if fileExtension.isEmpty { return path }
    guard let stem = path.rest(before: "." + fileExtension), let last = stem.utf8.last, last != 0x2F else { return nil }
    return String(stem)
  }
}
