// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// A file to compare: an archive, or another property list as an archive of its values.
struct ComparedFile {
  let archive: KeyedArchive
  /// The reason why the property list is not an archive; nil for an archive.
  let otherList: Failure?

  /// Reads a file. An archive is checked as `validate` does.
  init(_ file: String, _ input: Input, on console: Console) throws(Failure) {
    let data = try input.data(file, on: console)
    do throws(Failure) {
      archive = try input.archive(data)
      otherList = nil
    } catch {
      guard error.code == KeyedArchiveError.Code.notAnArchive.name, let list = try? PropertyList(data) else {
        throw error
      }
      archive = try Failure.convertingArchiveError(try KeyedArchive(valuesOf: list))
      otherList = error
      return
    }
    try Failure.convertingArchiveError(try archive.validate())
  }

  /// A line that says what the file has.
  var summary: String {
    if otherList != nil { return "a property list of \(CountText.text(archive.topKeys.count, "key"))" }
    let classes = archive.classNames
    let names = classes.prefix(8).map { ValueText.name($0) }.joined(separator: ", ") + (classes.count > 8 ? ", …" : "")
    return "an archive of \(CountText.text(archive.objectCount, "object"))" + (names.isEmpty ? "" : ": \(names)")
  }
}

extension KeyedArchive {
  /// The top-level key of a property list that is not a dictionary.
  static let listKey = "list"

  /// Creates an archive without objects that has the values of a property list as its top-level values. Commands for
  /// archives then work on the list.
  ///
  /// UIDs become dictionaries with the key `CF$UID`, and sets become arrays, because archives have no such values.
  init(valuesOf list: PropertyList) throws(KeyedArchiveError) {
    var list = list
    do throws(PropertyListError) {
      var uidKey: ObjectRef?
      for index in 0..<UInt32(list.objectCount) {
        let row = ObjectRef(rawValue: index)
        switch try list.object(row) {
        case .uid(let number):
          let key = uidKey ?? list.append(.string("CF$UID"))
          uidKey = key
          let value = list.append(.integer(Int64(clamping: number)))
          list.replace(row, with: .dictionary(keys: [key], values: [value]))
        case .set(let elements): list.replace(row, with: .array(elements))
        default: break
        }
      }
      var top = list.top
      if case .dictionary = try list.object(top) {
      } else {
        top = list.append(.dictionary(keys: [list.append(.string(Self.listKey))], values: [top]))
      }
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
}
