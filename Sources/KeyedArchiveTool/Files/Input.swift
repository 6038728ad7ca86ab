// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchiving
import PropertyListFormat

/// Reading what a file argument names.
enum Input {
  /// The bytes of a file; of standard input for `-`.
  static func read(_ path: String, on console: Console) throws(Failure) -> Data {
    if path == "-" { return try console.standardInput() }
    guard !path.isEmpty, !path.contains("\0") else { throw missing }
    do {
      return try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
    } catch let error as CocoaError {
      throw failure(error, path)
    } catch {
      throw Failure(.unreadable, "fileAccess", "cannot be read: \(error)")
    }
  }

  /// The archive in a file.
  static func archive(_ path: String, _ arguments: Arguments, on console: Console) throws(Failure) -> KeyedArchive {
    try archive(read(path, on: console), arguments)
  }

  /// The archive that bytes are.
  static func archive(_ data: Data, _ arguments: Arguments) throws(Failure) -> KeyedArchive {
    try archive(list(data), arguments)
  }

  /// The property list that bytes are.
  static func list(_ data: Data) throws(Failure) -> PropertyList {
    do {
      return try PropertyList(data)
    } catch {
      throw Failure(error)
    }
  }

  /// The archive that a property list is.
  static func archive(_ list: PropertyList, _ arguments: Arguments) throws(Failure) -> KeyedArchive {
    do {
      return try KeyedArchive(list, archivers: archivers(arguments))
    } catch {
      var error = error
      // An XML file is held in binary form; a place in that is none in the file.
      if list.format == .xml { error.byteOffset = nil }
      throw Failure(error)
    }
  }

  private static func archivers(_ arguments: Arguments) -> ArchiverNames {
    arguments.has(Option.anyArchiver.long) ? .any : .known
  }

  private static let missing = Failure(.unreadable, "fileAccess", "no such file")

  private static func failure(_ error: CocoaError, _ path: String) -> Failure {
    switch error.code {
    case .fileReadNoSuchFile, .fileNoSuchFile, .fileReadInvalidFileName: return missing
    case .fileReadNoPermission: return Failure(.unreadable, "fileAccess", "no permission to read it")
    default:
      if FileKind(path) == .folder { return Failure(.unreadable, "fileAccess", "is a folder, not a file") }
      return Failure(.unreadable, "fileAccess", "cannot be read: \(error)")
    }
  }
}

/// What is at a path.
enum FileKind {
  case none, file, folder
  /// A device, pipe or socket.
  case other

  init(_ path: String) {
    guard let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType else {
      self = .none
      return
    }
    switch type {
    case .typeRegular: self = .file
    case .typeDirectory: self = .folder
    case .typeSymbolicLink:
      let url = URL(filePath: path).resolvingSymlinksInPath()
      // What cannot be resolved, such as a link that leads in a circle, stays itself.
      self = url.path == path ? .other : FileKind(resolved: url)
    default: self = .other
    }
  }

  private init(resolved url: URL) {
    switch try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType {
    case .typeRegular?: self = .file
    case .typeDirectory?: self = .folder
    case nil: self = .none
    default: self = .other
    }
  }
}
