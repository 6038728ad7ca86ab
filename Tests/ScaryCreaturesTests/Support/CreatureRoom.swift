// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import ScaryCreatures
import Testing

/// A folder on the disk with a library, which tests can also read and change directly. It is removed when it is
/// released.
final class CreatureRoom {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "creatures-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Opens the library. Each call acts as another process.
  func database() throws -> ScaryCreatureDatabase { try ScaryCreatureDatabase(at: folder) }

  /// Creates a file and its parent folders.
  func plant(_ path: String, _ bytes: Data) throws {
    let url = folder.appending(path: path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try bytes.write(to: url)
  }

  /// Creates a folder.
  func plantFolder(_ path: String) throws {
    try FileManager.default.createDirectory(at: folder.appending(path: path), withIntermediateDirectories: true)
  }

  func bytes(_ path: String) throws -> Data { try Data(contentsOf: folder.appending(path: path)) }

  func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: folder.appending(path: path).path) }

  /// The entries of a folder, without the work folder and without what the last save replaced.
  func names(_ path: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path)
      .filter { $0 != ".work" && $0.firstMatch(of: /^\..*\.(previous|absent|earlier)-/) == nil }.sorted()
  }

  func setModified(_ path: String, _ date: Date) throws {
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder.appending(path: path).path)
  }

  /// The content, the identity and the modification date of every file.
  struct File: Equatable {
    var inode: UInt64
    var modified: Date
    var bytes: Data
  }

  /// All files by path, without those that the last save replaced.
  func files() throws -> [String: File] {
    var files: [String: File] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where name.firstMatch(of: /\/\..*\.(previous|absent|earlier)-/) == nil {
      files[name] = try file(name)
    }
    return files
  }

  /// The content of a file; nil for a folder.
  func file(_ path: String) throws -> File? {
    let url = folder.appending(path: path)
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    guard attributes[.type] as? FileAttributeType == .typeRegular else { return nil }
    let inode = try #require((attributes[.systemFileNumber] as? NSNumber)?.uint64Value)
    let modified = try #require(attributes[.modificationDate] as? Date)
    return File(inode: inode, modified: modified, bytes: try Data(contentsOf: url))
  }
}

/// Returns the error of an operation that must fail.
func failure(_ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) -> LibraryError.Code? {
  let error = #expect(throws: LibraryError.self, sourceLocation: sourceLocation) { try body() }
  return error?.code
}
