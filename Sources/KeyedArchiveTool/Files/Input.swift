// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// The archives that the arguments of a command name. All commands read their archives with it.
struct Input: Sendable {
  /// The archivers to accept.
  let archivers: AcceptedArchivers
  /// The paths to an archive inside of each file, from the outside in; none if the files are archives.
  let inside: [GraphPath]

  /// Creates the input of a command with ``Option/anyArchiver`` and ``Option/inside``.
  init(_ arguments: Arguments) throws(UsageError) {
    archivers = arguments.has(.anyArchiver) ? .any : .known
    var paths: [GraphPath] = []
    for text in arguments.values(Option.inside.long) {
      do {
        paths += try GraphPath.nested(text)
      } catch {
        throw UsageError(error.detail, remedy: error.remedy)
      }
    }
    inside = paths
  }

  /// The paths of ``inside`` as text; nil without any.
  var insideText: String? { inside.isEmpty ? nil : NestedData.text(inside) }

  /// Returns the name of a file's archive in messages for people.
  func name(_ file: String) -> String { insideText.map { "\(file) > \($0)" } ?? file }

  /// Reads the bytes of the archive in a file.
  func data(_ file: String, on console: Console) throws(Failure) -> Data {
    try data(in: Self.bytes(of: file, on: console))
  }

  /// The size of files that are only read if their last bytes are those of a property list.
  private static let largeByteCount = 1 << 26

  /// Reads a file. Of a large one, the beginning and the end are checked first.
  static func bytes(of file: String, on console: Console) throws(Failure) -> Data {
    if file != "-", let count = InputFile.byteCount(file), count > largeByteCount {
      try ArchiveFinder.checkEnd(file, byteCount: count)
    }
    return try InputFile.read(file, on: console)
  }

  /// Returns the bytes of the archive in the bytes of a file.
  func data(in file: Data) throws(Failure) -> Data { try nested(in: file).data }

  /// Finds the archive in the bytes of a file.
  func nested(in file: Data) throws(Failure) -> NestedData {
    do {
      return try NestedData(at: inside, in: file)
    } catch {
      throw Failure(error)
    }
  }

  /// Reads the archive in a file.
  func archive(_ file: String, on console: Console) throws(Failure) -> KeyedArchive {
    try archive(data(file, on: console))
  }

  /// Opens an archive.
  func archive(_ data: Data) throws(Failure) -> KeyedArchive {
    do {
      return try archive(Self.list(data))
    } catch {
      guard let insideText else { throw error }
      var failure = error
      failure.place.insert("in the data at \(MessageText.shortened(insideText))", at: 0)
      throw failure
    }
  }

  /// Reads the property list in some bytes.
  /// - Throws: ``Failure``; other known formats are named as in the library's errors.
  static func list(_ data: Data) throws(Failure) -> PropertyList {
    do {
      return try PropertyList(data)
    } catch {
      let named = KeyedArchiveError(error, reading: data)
      throw named.code == .notAnArchive ? Failure(named) : Failure(error)
    }
  }

  /// Opens a property list as an archive.
  func archive(_ list: PropertyList) throws(Failure) -> KeyedArchive {
    do {
      return try KeyedArchive(list, archivers: archivers)
    } catch {
      var failure = Failure(error)
      if error.code == .unknownArchiver { failure.remedy = Self.unknownArchiverRemedy }
      if error.code == .notAnArchive { failure.remedy = Self.remedy(forOtherList: list) }
      throw failure
    }
  }

  /// The number of archives that a message names.
  private static let namedPlaces = 3

  /// Returns the remedy for a property list that is not an archive: it names the archives in the list's data.
  static func remedy(forOtherList list: PropertyList) -> String {
    let places = ArchiveFinder.places(in: list)
    guard !places.isEmpty else { return "Check that the right file was opened; it has no archive in its data" }
    let options = places.prefix(namedPlaces).map { "--inside \(ShellQuote.posix($0))" }
    let found = places.count == 1 ? "an archive" : "\(places.count) archives"
    let more = places.count > namedPlaces ? "; 'scan --nested' lists all of them" : ""
    return "It has \(found) in its data: add \(options.joined(separator: " or "))\(more)"
  }

  /// The remedy for an unknown archiver.
  static let unknownArchiverRemedy = "If you trust the file, add --any-archiver"
}

extension Console {
  /// Prints the warnings about an XML file.
  func warn(about problems: XMLProblems, in file: String, json: Bool = false) {
    for text in problems.descriptions { note("\(file): \(text)", json: json) }
  }

  /// Prints a message that does not change the exit code.
  func note(_ text: String, json: Bool) {
    if json { sayJSON { $0.field("note", EscapedText.plain(text)) } } else { say(text) }
  }
}

extension JSONWriter {
  /// Writes the names of a file and of the archive inside of it.
  mutating func source(_ file: String, _ input: Input) {
    field("file", file)
    if let inside = input.insideText { field("inside", inside) }
  }

  /// Writes names one by one within a limit, because any number of them may share a long text of the archive.
  /// - Parameters:
  ///   - key: The key of the array.
  ///   - names: The names.
  ///   - limit: The limit of the whole JSON.
  ///   - remedy: How to get less output.
  /// - Throws: ``Failure`` if the JSON exceeds the limit.
  mutating func field(
    _ key: String, _ names: [String], within limit: OutputLimit, remedy: String
  ) throws(Failure) {
    self.key(key)
    beginArray()
    for name in names {
      string(name)
      try limit.check(self, remedy: remedy)
    }
    endArray()
  }
}

/// The limit of the output for an archive, whose parts may be shared a million times.
struct OutputLimit {
  /// The maximum number of bytes: the archive's size, at least 256 KiB, times the default expansion limit.
  let byteCount: Int
}

extension OutputLimit {
  init(archiveOf byteCount: Int) {
    let size = min(max(Int64(byteCount), 1 << 18), 1 << 40) * Int64(ReadLimits.default.maximumExpansion)
    // With 32 bits, what is written can exceed the limit without an overflow.
    self.init(byteCount: min(Int(clamping: size), .max / 2))
  }

  init(_ archive: KeyedArchive) { self.init(archiveOf: archive.propertyList.byteCount) }

  /// Throws if JSON exceeds the limit.
  func check(_ json: JSONWriter, remedy: String) throws(Failure) {
    if json.byteCount > byteCount { throw failure("JSON", remedy: remedy) }
  }

  /// Returns the error for a larger output; `form` names it.
  func failure(_ form: String, remedy: String) -> Failure {
    Failure(
      .limitReached, "limitReached",
      "output limit reached: because parts of the archive are shared, \(form) would have more than \(byteCount) bytes",
      remedy: remedy)
  }
}
