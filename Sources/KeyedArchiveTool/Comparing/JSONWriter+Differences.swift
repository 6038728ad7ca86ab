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

extension JSONWriter {
  /// Writes a difference as an object.
  /// - Parameters:
  ///   - difference: The difference.
  ///   - limit: The limit of the whole JSON, tested after each superclass.
  ///   - remedy: How to get less output.
  /// - Throws: ``Failure`` if the JSON exceeds the limit.
  mutating func difference(
    _ difference: ArchiveDifference, within limit: OutputLimit, remedy: String
  ) throws(Failure) {
    beginObject()
    field("kind", difference.kind.rawValue)
    field("path", difference.path)
    if let path = difference.oldPath { field("oldPath", path) }
    if let value = difference.old { try field("old", value, limit, remedy) }
    if let value = difference.new { try field("new", value, limit, remedy) }
    if difference.count > 1 { field("objects", difference.count) }
    endObject()
  }

  private mutating func field(
    _ key: String, _ value: ArchiveDifference.Value, _ limit: OutputLimit, _ remedy: String
  ) throws(Failure) {
    self.key(key)
    beginObject()
    switch value {
    case .null: field("type", "null")
    case .primitive(let value, let uid):
      plain(value)
      if let uid { field("object", uid.rawValue) }
    case .object(let name, let uid):
      field("type", "object")
      field("class", name)
      field("object", uid.rawValue)
    case .array(let count):
      field("type", "array")
      field("count", count)
    case .dictionary(let count):
      field("type", "dictionary")
      field("count", count)
    case .classRecord(let description):
      field("type", "class")
      field("name", description.name)
      try field("classes", description.chain, within: limit, remedy: remedy)
      if !description.hints.isEmpty { try field("hints", description.hints, within: limit, remedy: remedy) }
    case .shared(let uid, let path):
      field("type", "shared")
      field("object", uid.rawValue)
      if let path { field("path", path) }
    case .unshared(let uid):
      field("type", "own")
      field("object", uid.rawValue)
    case .name(let name):
      field("type", "name")
      field("value", name)
    }
    endObject()
  }

  /// Writes a primitive value and its type.
  private mutating func plain(_ value: KeyedArchive.StoredValue) {
    field("type", value.jsonType)
    self.value(value)
  }

  /// Writes a primitive value. Integers that some JSON readers would round are strings.
  mutating func value(_ value: KeyedArchive.StoredValue) {
    switch value {
    case .boolean(let value): field("value", value)
    case .integer(let value):
      if value.magnitude <= 1 << 53 { field("value", value) } else { field("value", "\(value)") }
    case .wideInteger(let high, let low): field("value", "\(WideInteger(high: high, low: low))")
    case .float(let value): field("value", value)
    case .double(let value), .date(let value): field("value", value)
    case .string(let text): field("value", text)
    case .data(let bytes): field("value", bytes.base64EncodedString())
    case .reference, .array, .dictionary: break
    }
  }
}

extension KeyedArchive.StoredValue {
  /// The type of a primitive value in JSON.
  var jsonType: String {
    switch self {
    case .boolean: "boolean"
    case .integer: "integer"
    case .wideInteger: "integer16"
    case .float: "float"
    case .double: "double"
    case .date: "date"
    case .string: "string"
    case .data: "data"
    case .reference, .array, .dictionary: "other"
    }
  }
}
