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

/// Writes a graph as JSON that is easy to read: references are followed, and Foundation's collections are arrays and
/// objects. Dates, URLs and other objects that represent one value, such as colors, are strings. The JSON has less
/// information than the archive and cannot be converted back.
///
/// An object is written at its first occurrence; later ones are `{"$seen": 12}`, which also ends cycles. A key of the archive
/// that is one of the writer's own, such as `$seen`, has one more `$` before it. Of equal keys, only the first is written, the
/// one that readers use.
struct PlainJSON {
  private var reader: GraphReader
  private var json: JSONWriter
  private let isContinued: Bool
  private let limit: OutputLimit
  private var shown: Set<ArchiveUID> = []
  private var work = PartedStack<Work>()

  private enum Work {
    case value(KeyedArchive.StoredValue)
    case key(String)
    case endArray
    case endObject
  }

  /// Creates a writer of a separate text, or of a member of an object.
  init(_ archive: KeyedArchive, continuing line: JSONWriter? = nil) {
    reader = GraphReader(archive)
    json = line ?? JSONWriter(isPretty: true)
    isContinued = line != nil
    limit = OutputLimit(archive)
  }

  /// Returns all top-level values as one object.
  mutating func write(top: [KeyedArchive.Entry]) throws(Failure) -> Data { try write(.dictionary(top)) }

  /// Returns one value.
  mutating func write(_ value: KeyedArchive.StoredValue) throws(Failure) -> Data {
    try putAll(value)
    json.newline()
    return json.takeData()
  }

  /// Returns the object of which the writer continues a line, with a value for a key.
  mutating func write(_ key: String, _ value: KeyedArchive.StoredValue) throws(Failure) -> JSONWriter {
    json.key(key)
    try putAll(value)
    return json
  }

  private mutating func putAll(_ value: KeyedArchive.StoredValue) throws(Failure) {
    work.removeAll()
    work.append(.value(value))
    while let next = work.popLast() {
      switch next {
      case .value(let stored): try put(stored)
      case .key(let key): json.key(key)
      case .endArray: json.endArray()
      case .endObject: json.endObject()
      }
      if !isContinued { json.collect() }
      guard json.byteCount <= limit.byteCount else {
        throw limit.failure("plain JSON", remedy: "Remove --plain, or show a part of the archive with 'get --json'")
      }
    }
  }

  private mutating func put(_ stored: KeyedArchive.StoredValue) throws(Failure) {
    if case .reference(let uid) = stored, shown.contains(uid) { return json.raw("{\"$seen\": \(uid.rawValue)}") }
    switch reader.shape(of: stored) {
    case .null, .nullObject: json.raw("null")
    case .scalar(let value, _): put(scalar: value)
    case .url(let text, _): json.string(text)
    case .uuid(let uuid, _): json.string(uuid.uuidString)
    case .classRecord(let description): json.string("class \(description.name)")
    case .array(let values): putArray(values)
    case .dictionary(let entries):
      beginObject()
      push(entries)
    case .damaged(let error): throw Failure(reading: error)
    case .object(let name, let contents):
      let meaning = reader.meaning(of: .object(className: name, contents))
      if let meaning, meaning.kind == .value, contents.elements == nil, contents.pairs == nil {
        return meaning.notation == .number ? json.raw(meaning.text) : json.string(meaning.text)
      }
      if case .reference(let uid) = stored { shown.insert(uid) }
      put(name.stored, contents, stored, meaning?.kind == .summary ? meaning : nil)
    }
  }

  private mutating func put(
    _ name: String, _ contents: GraphReader.Contents, _ stored: KeyedArchive.StoredValue, _ summary: Meaning?
  ) {
    let isCollection = contents.entries.isEmpty
    if isCollection, let elements = contents.elements { return putArray(elements) }
    if isCollection, let pairs = contents.pairs, let entries = entries(pairs) {
      beginObject()
      return push(entries)
    }
    beginObject()
    json.field("$class", name)
    if case .reference(let uid) = stored { json.field("$uid", uid.rawValue) }
    if let summary { json.field("$meaning", summary.text) }
    if let pairs = contents.pairs { push("$pairs", .array(pairs.map { .array([$0.key, $0.value]) })) }
    if let elements = contents.elements { push("$elements", .array(elements)) }
    push(contents.entries)
  }

  /// Returns pairs as members of a JSON object, if the keys are distinct strings.
  private mutating func entries(
    _ pairs: [(key: KeyedArchive.StoredValue, value: KeyedArchive.StoredValue)]
  ) -> [KeyedArchive.Entry]? {
    var entries: [KeyedArchive.Entry] = []
    var names: Set<BytewiseString> = []
    for pair in pairs {
      guard case .scalar(.string(let text), _) = reader.shape(of: pair.key), names.insert(text) else { return nil }
      entries.append(.init(text, pair.value))
    }
    return entries
  }

  private mutating func beginObject() {
    json.beginObject()
    work.append(.endObject)
  }

  private mutating func push(_ entries: [KeyedArchive.Entry]) {
    var keys: Set<BytewiseString> = []
    // The first of equal keys, in the reverse order of the work.
    for entry in entries.filter({ keys.insert($0.key) }).reversed() {
      push(reader.shared(Self.isReserved(entry.key) ? "$\(entry.key)" : entry.key), entry.value)
    }
  }

  private mutating func push(_ key: String, _ value: KeyedArchive.StoredValue) {
    work.append(.value(value))
    work.append(.key(key))
  }

  /// Returns whether a key is one of the writer's own, or such a key with more `$` before it. Different keys therefore stay
  /// different.
  private static func isReserved(_ key: String) -> Bool {
    let name = key.utf8.drop { $0 == UInt8(ascii: "$") }
    guard name.startIndex > key.startIndex else { return false }
    return ["class", "data", "elements", "meaning", "pairs", "seen", "uid"].contains { name.elementsEqual($0.utf8) }
  }

  private mutating func putArray(_ values: [KeyedArchive.StoredValue]) {
    json.beginArray()
    work.append(.endArray)
    for value in values.reversed() { work.append(.value(value)) }
  }

  private mutating func put(scalar: KeyedArchive.StoredValue) {
    switch scalar {
    case .boolean(let value): json.raw(value ? "true" : "false")
    case .integer(let value): json.raw("\(value)")
    case .wideInteger(let high, let low): json.raw("\(WideInteger(high: high, low: low))")
    case .float(let value): json.number(value)
    case .double(let value): json.number(value)
    case .date(let seconds): json.string(DateText.iso8601(seconds))
    case .string(let text): json.string(text)
    case .data(let bytes): put(bytes)
    case .reference, .array, .dictionary: json.raw("null")
    }
  }

  private mutating func put(_ bytes: Data) {
    json.beginObject()
    if let picture = DataSummary.picture(bytes) { json.field("$meaning", picture) }
    json.field("$data", bytes.base64EncodedString())
    json.endObject()
  }
}
