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

/// Writes an archive's graph as JSON: an object for each line that `tree` prints.
///
/// The content of an object is written at its first occurrence; later ones have `seen`. The writer does not recurse: each
/// level of depth costs one open container.
struct TreeRows {
  /// The number of levels below a first row.
  var depth = Int.max
  /// The number of elements of a container.
  var width = Int.max

  private var reader: GraphReader
  private let console: Console
  private let file: String
  private let input: Input
  private let limit: OutputLimit
  private var byteCount = 0
  /// The objects whose content was written, and those whose content is too deep.
  private var shown: [ArchiveUID: Head] = [:]
  private var tooDeep: [ArchiveUID: Head] = [:]
  private var open = OpenContainers()
  private var damage: KeyedArchiveError?

  init(_ reader: GraphReader, of file: String, _ input: Input, on console: Console) {
    self.reader = reader
    self.file = file
    self.input = input
    self.console = console
    limit = OutputLimit(reader.archive)
  }

  /// Writes a value and its contents.
  mutating func write(_ label: String?, _ value: KeyedArchive.StoredValue) throws(Failure) {
    open.closeAll()
    try writeRow(label, value)
    while open.count > 0, console.output.isOpen, !reader.isExhausted {
      if let line = open.next(in: &reader) {
        try writeRow(line.label.text, line.value)
      } else {
        let hidden = open.hidden
        if hidden > 0 { try write { $0.field("omitted", hidden) } }
        open.close()
      }
    }
  }

  /// Throws the first error of a damaged value.
  func checkDamage() throws(Failure) {
    if let damage { throw Failure(reading: damage) }
    if reader.isExhausted { throw Failure(reading: GraphReader.tooMuch) }
  }

  private mutating func write(_ fields: (inout JSONWriter) -> Void) throws(Failure) {
    var line = JSONWriter()
    line.beginObject()
    if let schema = console.tool.schema { line.field("schema", schema) }
    line.source(file, input)
    let start = line.bytes.count
    line.field("level", open.count)
    fields(&line)
    line.endObject()
    line.newline()
    // The limit is for the archive, not for the name of the file in each line.
    byteCount += line.bytes.count - start
    guard byteCount <= limit.byteCount else {
      throw limit.failure("JSON", remedy: "To show less, use --depth, --width or --path")
    }
    console.output.write(line.bytes)
  }

  private mutating func writeRow(_ label: String?, _ value: KeyedArchive.StoredValue) throws(Failure) {
    var uid: ArchiveUID?
    if case .reference(let reference) = value, reference != .null { uid = reference }
    // Many references may share an object, which is read once.
    if let uid, let head = shown[uid] {
      return try write { $0.row(label, uid, head) { $0.field("seen", true) } }
    }
    if let uid, open.count >= depth, let head = tooDeep[uid] {
      return try write { $0.row(label, uid, head) { $0.field("cut", true) } }
    }
    let shape = reader.shape(of: value)
    let values = GraphReader.Values(shape, width: width)
    let isContainer = values.count > 0 || values.hidden > 0
    let head = Head(shape, reader.meaning(of: shape))
    let isTooDeep = open.count >= depth && isContainer
    if let uid {
      if isTooDeep { tooDeep[uid] = head } else { shown[uid] = head }
    }
    try write { row in
      row.row(label, uid, head) { row in
        row.value(shape)
        if isTooDeep { row.field("cut", true) }
      }
    }
    if case .damaged(let error) = shape, damage == nil { damage = error }
    if isContainer, !isTooDeep { open.open(values, in: &reader) }
  }
}

/// The type of a value, with the class and the number of elements of an object.
private struct Head {
  let type: String
  var className: String?
  var count: Int?
  let meaning: String?

  init(_ shape: GraphReader.Shape, _ meaning: Meaning?) {
    self.meaning = meaning?.text
    className = shape.className?.stored
    switch shape {
    case .null, .nullObject: type = "null"
    case .scalar(let value, _): type = value.jsonType
    case .url: type = "url"
    case .uuid: type = "uuid"
    case .object(_, let contents):
      type = "object"
      count = contents.pairs?.count ?? contents.elements?.count
    case .array(let values):
      type = "array"
      count = values.count
    case .dictionary(let entries):
      type = "dictionary"
      count = entries.count
    case .classRecord: type = "class"
    case .damaged: type = "damaged"
    }
  }
}

extension JSONWriter {
  fileprivate mutating func row(
    _ label: String?, _ uid: ArchiveUID?, _ head: Head, _ rest: (inout JSONWriter) -> Void
  ) {
    if let label { field("label", label) }
    if let uid { field("object", uid.rawValue) }
    field("type", head.type)
    if let name = head.className { field("class", name) }
    if let count = head.count { field("count", count) }
    if let meaning = head.meaning { field("meaning", meaning) }
    rest(&self)
  }

  /// Writes the single value of a shape, if it has one.
  fileprivate mutating func value(_ shape: GraphReader.Shape) {
    switch shape {
    case .scalar(let value, _): self.value(value)
    case .url(let text, _): field("value", text)
    case .uuid(let uuid, _): field("value", uuid.uuidString)
    case .classRecord(let description): field("name", description.name)
    case .damaged(let error): field("value", EscapedText.plain("\(error)"))
    case .null, .nullObject, .object, .array, .dictionary: break
    }
  }
}
