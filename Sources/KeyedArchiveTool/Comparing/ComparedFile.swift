// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveTools
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// A file to compare: an archive, or another property list as an archive of its values.
struct ComparedFile {
  let archive: KeyedArchive
  /// The reason why the property list is not an archive; nil for an archive.
  let otherList: Failure?
  /// The top-level value of a property list that is neither an archive nor a dictionary.
  private let topValue: ArchiveDifference.Value?

  /// Reads a file. An archive is checked as `validate` does.
  init(_ file: String, _ input: Input, on console: Console) throws(Failure) {
    let data = try input.data(file, on: console)
    do throws(Failure) {
      archive = try input.archive(data)
      otherList = nil
      topValue = nil
    } catch {
      guard error.code == KeyedArchiveError.Code.notAnArchive.name, let list = try? PropertyList(data) else {
        throw error
      }
      otherList = error
      do throws(KeyedArchiveError) {
        archive = try KeyedArchive(valuesOf: list)
        // Values beyond a limit are an error of this file, and not of the comparison.
        let top = try archive.top
        topValue = list.isDictionary ? nil : top.first.map(\.value.topLevel)
      } catch let problem {
        var failure = Failure(problem)
        // The library's remedies are for archives.
        if problem.code == .limitReached { failure.remedy = "Compare the files as XML text" }
        throw failure
      }
      return
    }
    try Failure.convertingArchiveError(try archive.validate())
  }

  /// Returns the differences from an older file.
  func differences(
    from old: ComparedFile, ignoring ignored: Set<ArchiveDifference.Kind>
  ) throws(Failure) -> [ArchiveDifference] {
    guard (topValue == nil) == (old.topValue == nil) else {
      return ignored.contains(.changed) ? [] : [ArchiveDifference(ofTopLevel: try old.topLevel, try topLevel)]
    }
    return try Failure.convertingArchiveError(try archive.differences(from: old.archive, ignoring: ignored))
  }

  private var topLevel: ArchiveDifference.Value {
    get throws(Failure) {
      if let topValue { return topValue }
      return .dictionary(count: try Failure.convertingArchiveError(try archive.top).count)
    }
  }

  /// A line that says what the file has.
  var summary: String {
    switch topValue {
    case .array(let count): return "a property list of \(CountText.text(count, "element"))"
    case .primitive(let value, _): return "the property list \(ValueText(.plain).text(value))"
    default: break
    }
    if otherList != nil { return "a property list of \(CountText.text(archive.topKeys.count, "key"))" }
    let classes = archive.classNames
    let names = classes.prefix(8).map { ValueText.name($0) }.joined(separator: ", ") + (classes.count > 8 ? ", …" : "")
    return "an archive of \(CountText.text(archive.objectCount, "object"))" + (names.isEmpty ? "" : ": \(names)")
  }
}

extension KeyedArchive.StoredValue {
  /// The description of a top-level value for a difference.
  fileprivate var topLevel: ArchiveDifference.Value {
    switch self {
    case .array(let values): .array(count: values.count)
    case .dictionary(let entries): .dictionary(count: entries.count)
    default: .primitive(self, nil)
    }
  }
}

extension PropertyList {
  /// Whether the top-level value is a dictionary.
  var isDictionary: Bool { if case .dictionary? = try? object(top) { true } else { false } }
}

extension KeyedArchive {
  /// The top-level key of a property list that is not a dictionary.
  static let listKey = "list"
  /// The keys of the dictionaries that represent values that archives do not have.
  private static let uidKey = "CF$UID", setKey = "CF$set"

  /// Creates an archive without objects that has the values of a property list as its top-level values. Commands for
  /// archives then work on the list.
  ///
  /// UIDs become dictionaries with the key `CF$UID`, and sets become dictionaries with the key `CF$set`, because archives have
  /// no such values. If the list has one of these keys, possibly with further `$` before it, the key gets another `$`. So
  /// different values stay different.
  init(valuesOf list: PropertyList) throws(KeyedArchiveError) {
    var list = list
    do throws(PropertyListError) {
      let top = try Self.replaceOtherValues(in: &list)
      let null = list.append(.string("$null"))
      let members: [(String, ObjectRef)] = [
        ("$version", list.append(.integer(100_000))), ("$archiver", list.append(.string("NSKeyedArchiver"))),
        ("$top", top), ("$objects", list.append(.array([null]))),
      ]
      let keys = members.map { list.append(.string($0.0)) }
      list.setTop(list.append(.dictionary(keys: keys, values: members.map(\.1))))
      list = try PropertyList(list.data(format: .binary), limits: list.limits)
    } catch {
      throw KeyedArchiveError(error)
    }
    try self.init(list, archivers: .any)
  }

  /// Replaces the values that archives do not have, and returns the dictionary of the top-level values.
  private static func replaceOtherValues(in list: inout PropertyList) throws(PropertyListError) -> ObjectRef {
    var keys: [BytewiseString: ObjectRef] = [:]
    func key(_ text: String) -> ObjectRef {
      let row = keys[BytewiseString(text)] ?? list.append(.string(text))
      keys[BytewiseString(text)] = row
      return row
    }
    var escaped: [ObjectRef: ObjectRef] = [:]
    let rows = (0..<UInt32(list.objectCount)).map(ObjectRef.init(rawValue:))
    for row in rows {
      switch try list.object(row) {
      case .uid(let number):
        let value = Int64(exactly: number).map(PropertyListObject.integer) ?? .wideInteger(high: 0, low: number)
        list.replace(row, with: .dictionary(keys: [key(uidKey)], values: [list.append(value)]))
      case .set(let elements):
        list.replace(row, with: .dictionary(keys: [key(setKey)], values: [list.append(.array(elements))]))
      case .string(let text) where [uidKey, setKey].contains { text.hasSameBytes(as: $0, after: "$") }:
        escaped[row] = list.append(.string("$" + text))
      default: break
      }
    }
    for row in rows where !escaped.isEmpty {
      guard case .dictionary(let names, let values) = try list.object(row),
        names.contains(where: { escaped[$0] != nil })
      else { continue }
      list.replace(row, with: .dictionary(keys: names.map { escaped[$0] ?? $0 }, values: values))
    }
    guard !list.isDictionary else { return list.top }
    return list.append(.dictionary(keys: [key(listKey)], values: [list.top]))
  }
}

extension String {
  /// Returns whether the text is another one, with any number of a character before it.
  fileprivate func hasSameBytes(as other: String, after character: Unicode.Scalar) -> Bool {
    String(String.UnicodeScalarView(unicodeScalars.drop { $0 == character })).hasSameBytes(as: other)
  }
}
