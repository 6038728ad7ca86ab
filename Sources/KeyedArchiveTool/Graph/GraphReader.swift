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
@_spi(Archiving) import PropertyListFormat

/// An archive's objects as people think of them: a class, named values, elements or pairs, instead of dictionaries with
/// `$class` and `NS.objects`.
struct GraphReader {
  let archive: KeyedArchive
  private var classNames: [ArchiveUID: Result<String, KeyedArchiveError>] = [:]
  /// What may yet be looked at. Objects may share what they hold, so a small file may hold any number of values; and an
  /// object is looked at twice where it is a dictionary's key, or holds the text of another.
  var room: ExpansionBudget
  /// Labels of keys that many dictionaries share.
  var keyLabels: [ArchiveUID: String?] = [:]

  /// Looks at an archive; `room` is what several that are looked at one after the other have together.
  init(_ archive: KeyedArchive, room: ExpansionBudget? = nil) {
    self.archive = archive
    self.room = room ?? ExpansionBudget(byteCount: 2 * archive.propertyList.bytes.count, limits: .default)
  }

  /// Whether nothing more can be looked at.
  var isExhausted: Bool { room.isExhausted }

  /// What a stored value is.
  enum Shape {
    case null
    /// A number, string or data, inside an object or an object by itself.
    case scalar(KeyedArchive.StoredValue)
    /// An object of a class that stands for a single value.
    case value(className: String, Value)
    case object(className: String, Contents)
    /// An array that is no object.
    case array([KeyedArchive.StoredValue])
    /// A dictionary that is no object.
    case dictionary([KeyedArchive.Entry])
    case classRecord(ClassDescription)
    case damaged(Failure)
  }

  /// A single value that a Foundation class stands for.
  enum Value {
    case date(Double)
    case url(String)
    case uuid(UUID)
    case string(String)
    case data(Data)
    case null
  }

  typealias Contents = ObjectContents

  /// Looks at a value; a reference is followed.
  mutating func shape(of stored: KeyedArchive.StoredValue) -> Shape {
    switch stored {
    case .reference(.null): return .null
    case .reference(let uid):
      do {
        return try shape(of: archive.object(uid, room: &room))
      } catch {
        return .damaged(room.isExhausted ? Self.tooMuch : Failure(error))
      }
    case .array(let values): return .array(values)
    case .dictionary(let entries): return .dictionary(entries)
    default: return .scalar(stored)
    }
  }

  private mutating func shape(of object: KeyedArchive.Object) throws(KeyedArchiveError) -> Shape {
    switch object {
    case .null: return .null
    case .bare(let value): return .scalar(value)
    case .classRecord(let description): return .classRecord(description)
    case .instance(let classUID, let entries):
      let name = try className(classUID)
      if let value = singleValue(name, entries) { return .value(className: name, value) }
      return .object(className: name, Contents(entries))
    }
  }

  private mutating func className(_ uid: ArchiveUID) throws(KeyedArchiveError) -> String {
    if let known = classNames[uid] { return try known.get() }
    let name: Result<String, KeyedArchiveError>
    do {
      // Records may share their lists of superclasses.
      if case .classRecord(let description) = try archive.object(uid, room: &room) {
        name = .success(description.name)
      } else {
        name = .success(try archive.classDescription(uid).name)
      }
    } catch {
      name = .failure(error)
    }
    classNames[uid] = name
    return try name.get()
  }

  /// The class name of an object; nil for bare values and what is no object.
  /// - Throws: ``Failure`` if no more can be looked at.
  mutating func className(of uid: ArchiveUID) throws(Failure) -> String? {
    var name: String?
    if case .instance(let classUID, _)? = try? archive.object(uid, room: &room) { name = try? className(classUID) }
    guard !room.isExhausted else { throw Self.tooMuch }
    return name
  }

  /// The error for an archive of which too much would be looked at.
  private static let tooMuch = Failure(
    .limitReached, "limitReached",
    "the archive's objects hold so much that is shared that they are not all looked at",
    remedy: "Ask for a part of it, such as 'tree --path \'#1\''")

  /// The value of an object that is stored just as Foundation stores it; one with anything more is shown with its keys.
  private mutating func singleValue(_ className: String, _ entries: [KeyedArchive.Entry]) -> Value? {
    func entry(_ key: String) -> KeyedArchive.StoredValue? { entries.first { $0.key == key }?.value }
    switch (className, entries.count) {
    case ("NSNull", 0): return .null
    case ("NSDate", 1):
      switch entry("NS.time") {
      case .double(let seconds)?: return .date(seconds)
      case .float(let seconds)?: return .date(Double(seconds))
      case .integer(let seconds)?: return .date(Double(seconds))
      default: return nil
      }
    case ("NSURL", 2):
      guard case .reference(.null)? = entry("NS.base"), case .string(let text)? = bare(entry("NS.relative")) else {
        return nil
      }
      return .url(text)
    case ("NSUUID", 1):
      guard case .data(let bytes)? = entry("NS.uuidbytes"), let uuid = Self.uuid(bytes) else { return nil }
      return .uuid(uuid)
    case ("NSMutableString", 1), ("NSString", 1):
      guard case .string(let text)? = bare(entry("NS.string")) else { return nil }
      return .string(text)
    case ("NSMutableData", 1), ("NSData", 1):
      guard case .data(let bytes)? = bare(entry("NS.data")) else { return nil }
      return .data(bytes)
    default: return nil
    }
  }

  /// A value, or the bare object that it refers to.
  private mutating func bare(_ stored: KeyedArchive.StoredValue?) -> KeyedArchive.StoredValue? {
    guard case .reference(let uid)? = stored else { return stored }
    guard case .bare(let value)? = try? archive.object(uid, room: &room) else { return nil }
    return value
  }

  private static func uuid(_ bytes: Data) -> UUID? {
    let b = [UInt8](bytes)
    guard b.count == 16 else { return nil }
    return UUID(
      uuid: (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]))
  }
}
