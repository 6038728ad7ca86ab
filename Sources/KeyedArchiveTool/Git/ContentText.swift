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

/// The content of a file as lines that programs for text can compare.
///
/// Equal contents give equal lines. The text therefore has no UIDs, counts and indexes of the file. Keys, pairs and the
/// elements of sets are sorted. A checksum stands for bytes that are not shown. The writer does not recurse, except for data in data.
struct ContentText {
  /// The maximum nesting of property lists in data.
  private static let maximumNested = 8
  /// The steps of a path to an object that was written before.
  private static let maximumSteps = 32

  private(set) var bytes: [UInt8] = []
  /// The number of bytes after which writing ends.
  private let limit: Int
  /// The number of bytes of data that may still be opened.
  private var nestedByteCount: Int

  /// Returns the lines of a file. A file that is not a property list is returned unchanged if it is text.
  static func lines(of file: Data) -> [UInt8] {
    var text = ContentText(fileOf: file.count)
    do throws(Failure) {
      try text.write(Input.list(file), file, nesting: 0)
      return text.bytes
    } catch {
      guard !isText(file) else { return [UInt8](file) }
      text.line(0, summary(file))
      if file.starts(with: "bplist".utf8) {
        // A limit does not mean damage.
        let problem = error.exit == .limitReached ? "not shown" : "damaged property list"
        text.line(0, "\(problem): \(EscapedText.plain(error.detail))")
      }
      return text.bytes
    }
  }

  private init(fileOf byteCount: Int) {
    limit = OutputLimit(archiveOf: byteCount).byteCount
    nestedByteCount = Self.maximumNested * max(byteCount, 1 << 16)
  }

  private static func isText(_ data: Data) -> Bool {
    !data.contains(0) && data.span.firstInvalidUTF8 == nil
  }

  /// Returns the size, the likely format and the first bytes, with a checksum for longer data.
  fileprivate static func summary(_ data: Data) -> String {
    guard data.count > 16 else { return "<\(DataSummary.text(data))>" }
    return "<\(DataSummary.text(data)), checksum \(String(FNVHash.of(data.span), radix: 16))>"
  }

  private mutating func line(_ level: Int, _ text: String) {
    let deepest = ArchiveTree.maximumIndent
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * min(level, deepest)))
    if level > deepest { bytes.append(contentsOf: "(\(level)) ".utf8) }
    bytes.append(contentsOf: text.utf8)
    bytes.append(UInt8(ascii: "\n"))
  }

  private var isTooLong: Bool { bytes.count > limit }

  // MARK: Property lists

  /// Writes a property list in the file or in data of it.
  /// - Throws: ``Failure`` if it cannot be written as values.
  private mutating func write(
    _ list: PropertyList, _ data: Data, nesting: Int, label: String = "", level: Int = 0
  ) throws(Failure) {
    let format = list.format == .xml ? "XML" : "binary"
    var archive: KeyedArchive
    var kind: String
    var isWithoutKeys = false
    do throws(KeyedArchiveError) {
      archive = try KeyedArchive(list, archivers: .any)
      kind = "keyed archive by \(ValueText.name(archive.archiverName)), \(format)"
    } catch let failure {
      archive = try Failure.convertingArchiveError(try KeyedArchive(valuesOf: list))
      isWithoutKeys = !list.isDictionary
      kind = "property list, \(format)"
      if failure.code != .notAnArchive {
        kind = "damaged keyed archive, \(format): \(EscapedText.plain(failure.detail))"
      }
    }
    let top = try Failure.convertingArchiveError(try archive.top)
    line(level, label + kind)
    let first = nesting == 0 ? 0 : level + 1
    var graph = Graph(archive)
    if isWithoutKeys, let entry = top.first {
      write(Graph.Line(entry.value), &graph, nesting: nesting, level: first)
    } else {
      for entry in top.sorted(by: { $0.key.bytesPrecede($1.key) }) {
        write(Graph.Line(key: entry.key, entry.value), &graph, nesting: nesting, level: first)
      }
    }
    if graph.hasDamage { line(first, "not all values are shown: \(Self.summary(data))") }
    writeClasses(of: archive, level: first)
    if list.format == .xml { writeComments(in: data, level: first) }
    if isTooLong {
      line(first, "… the rest exceeds the output limit")
    } else if graph.reader.isExhausted {
      line(first, "… the rest exceeds the expansion limit")
    }
  }

  /// Writes the superclasses of all classes, which the lines of objects do not have.
  private mutating func writeClasses(of archive: KeyedArchive, level: Int) {
    var graph = Graph(archive)
    var records: Set<BytewiseString> = []
    for index in 0..<UInt32(archive.objectCount) {
      guard !graph.reader.isExhausted else { break }
      let uid = ArchiveUID(rawValue: index)
      if case .classRecord(let description)? = try? archive.object(uid, budget: &graph.reader.budget) {
        records.insert(ValueText(.plain).text(description))
      }
    }
    for record in records.sorted() where !isTooLong { line(level, "class \(record.text)") }
  }

  /// Writes the comments of an XML file, because a change of one is a change of the file.
  private mutating func writeComments(in xml: Data, level: Int) {
    guard let text = try? XMLEncoding.utf8(xml) else { return }
    // In a CDATA section or a processing instruction, the marks of a comment are text.
    let sections = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")].map { (Array($0.utf8), Array($1.utf8)) }
    var rest = text.bytes[...]
    while !isTooLong, let mark = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[mark...]
      guard let kind = sections.firstIndex(where: { rest.starts(with: $0.0) }) else {
        rest = rest.dropFirst()
        continue
      }
      let (start, end) = sections[kind]
      rest = rest.dropFirst(start.count)
      guard let close = rest.firstRange(of: end) else { break }
      if kind == 0 {
        line(level, "comment \(EscapedText.quoted(String(decoding: rest[..<close.lowerBound], as: UTF8.self)))")
      }
      rest = rest[close.upperBound...]
    }
  }

  // MARK: Values

  /// Writes a value and its contents.
  private mutating func write(_ first: Graph.Line, _ graph: inout Graph, nesting: Int, level: Int) {
    var open = [(lines: [first], next: 0, node: -1)]
    while let last = open.indices.last, !isTooLong, !graph.reader.isExhausted {
      guard open[last].next < open[last].lines.count else {
        open.removeLast()
        continue
      }
      let next = open[last].lines[open[last].next]
      open[last].next += 1
      let indent = level + last
      if case .reference(let uid) = next.value, let node = graph.nodes[uid] {
        line(indent, "\(next.label)↑ \(graph.path(to: node, maximumSteps: Self.maximumSteps))")
        continue
      }
      let shape = graph.reader.shape(of: next.value)
      if let data = shape.data {
        write(data, graph, label: next.label, nesting: nesting, level: indent)
        continue
      }
      if case .damaged = shape { graph.hasDamage = true }
      line(indent, next.label + Graph.head(shape))
      let lines = graph.lines(of: shape)
      guard !lines.isEmpty || Graph.isObject(shape) else { continue }
      let node = graph.add(next, below: open[last].node)
      if !lines.isEmpty { open.append((lines, 0, node)) }
    }
  }

  private mutating func write(_ data: Data, _ graph: Graph, label: String, nesting: Int, level: Int) {
    let start = bytes.count
    if nesting < Self.maximumNested, data.count <= nestedByteCount, ArchiveBytes.mayBePropertyList(data) {
      nestedByteCount -= data.count
      do {
        let list = try PropertyList(data)
        return try write(list, data, nesting: nesting + 1, label: "\(label)data, ", level: level)
      } catch {
        bytes.removeSubrange(start...)
      }
    }
    line(level, label + graph.summaries[.data(data)])
  }
}

/// The lines of an archive's values, and the places of objects that were written.
private struct Graph {
  struct Line {
    /// The text before the value.
    let label: String
    /// The step of a path.
    let step: String
    let value: KeyedArchive.StoredValue

    /// Creates the line of a key. A key that could be read as another one is in quotes, so that different keys have different
    /// labels.
    init(key: String, _ value: KeyedArchive.StoredValue) {
      self.value = value
      if Self.isPlain(key) {
        (label, step) = ("\(key): ", ".\(key)")
      } else {
        let name = EscapedText.quoted(key, limit: ValueText.maximumLength)
        (label, step) = ("\(name): ", "[\(name)]")
      }
    }

    private static func isPlain(_ key: String) -> Bool {
      let scalars = key.unicodeScalars
      guard let first = scalars.first, let last = scalars.last, !KeyPathText.isBlank(first), !KeyPathText.isBlank(last),
        scalars.prefix(ValueText.maximumLength).endIndex == scalars.endIndex
      else { return false }
      return !scalars.contains { $0 == ":" || $0 == "\"" || $0 == "\\" || EscapedText.isHostile($0) }
    }

    /// Creates the line of a top-level value without a key.
    init(_ value: KeyedArchive.StoredValue) { (label, step, self.value) = ("", "", value) }

    init(label: String, step: String, _ value: KeyedArchive.StoredValue) {
      (self.label, self.step, self.value) = (label, step, value)
    }
  }

  var reader: GraphReader
  /// The summaries of data; other values have none.
  let summaries: SharedContents<String>
  /// Whether a value was damaged, or beyond a limit. A checksum then stands for all values.
  var hasDamage = false
  /// The places of the objects that were written.
  private(set) var nodes: [ArchiveUID: Int] = [:]
  private var places: [(above: Int, step: String)] = []
  /// Computed when the lines of values do not give an order.
  private var digests: ContentDigests?

  init(_ archive: KeyedArchive) {
    reader = GraphReader(archive)
    summaries = SharedContents(of: archive) { if case .data(let bytes) = $0 { ContentText.summary(bytes) } else { "" } }
  }

  /// Registers a value with contents, and returns its place.
  mutating func add(_ line: Line, below above: Int) -> Int {
    places.append((above, line.step))
    if case .reference(let uid) = line.value { nodes[uid] = places.count - 1 }
    return places.count - 1
  }

  /// Returns the path to a place, whose beginning an ellipsis replaces if it is long.
  func path(to place: Int, maximumSteps: Int) -> String {
    var steps: [String] = []
    var place = place
    while place >= 0, steps.count < maximumSteps {
      steps.append(places[place].step)
      place = places[place].above
    }
    let path = steps.reversed().joined()
    return place >= 0 ? "…\(path)" : String(path.rest(after: ".") ?? path[...])
  }

  static func isObject(_ shape: GraphReader.Shape) -> Bool {
    if case .object = shape { true } else { false }
  }

  /// Returns a value in a line, without the number of its elements, which a change of one element would change.
  static func head(_ shape: GraphReader.Shape) -> String {
    switch shape {
    case .array: "array"
    case .dictionary: "dictionary"
    // A change of less than a millisecond is a change of the file.
    case .scalar(.date(let seconds), let name):
      (name.map { ValueText.name($0.shown) + " " } ?? "") + DateText.exact(seconds)
    default: ValueText(.plain).head(shape, limit: .max, counted: false)
    }
  }

  /// Returns the contents of a value, sorted where their order does not count.
  mutating func lines(of shape: GraphReader.Shape) -> [Line] {
    let entries: [KeyedArchive.Entry] =
      switch shape {
      case .object(_, let contents): contents.entries
      case .dictionary(let entries): entries
      default: []
      }
    var keys: [Line] = []
    var elements: [KeyedArchive.StoredValue] = []
    var pairs: [Line] = []
    /// The pairs with a line for the key and one for the value.
    var contentPairs: [(key: KeyedArchive.StoredValue, value: KeyedArchive.StoredValue)] = []
    for line in reader.lines(of: shape) {
      switch line.label {
      // The label of the reader is not in quotes.
      case .key: keys.append(Line(key: entries[keys.count].key, line.value))
      case .element: elements.append(line.value)
      case .pair(let key): pairs.append(Line(label: "\(key): ", step: "[\(key)]", line.value))
      case .pairKey: contentPairs.append((line.value, line.value))
      case .pairValue:
        // It follows its key.
        if let last = contentPairs.indices.last { contentPairs[last].value = line.value }
      }
    }
    if shape.isSet { elements = ordered(elements) { $0 } }
    var lines = Self.sorted(keys) { $0.label }
    // Indexes of the order of the file would change where nothing else does.
    for (index, value) in elements.enumerated() { lines.append(Line(label: "- ", step: "[\(index)]", value)) }
    lines += Self.sorted(pairs) { $0.label }
    for (index, pair) in ordered(contentPairs, by: \.key).enumerated() {
      let step = "[\(pairs.count + index)]"
      lines += [Line(label: "key: ", step: step, pair.key), Line(label: "value: ", step: step, pair.value)]
    }
    return lines
  }

  /// Sorts what has no order by the lines of values, and of equal lines by digests of the contents.
  private mutating func ordered<Element>(
    _ elements: [Element], by value: (Element) -> KeyedArchive.StoredValue
  ) -> [Element] {
    let values = elements.map(value)
    let heads = values.map { Self.head(reader.shape(of: $0)) }
    let order = Self.order(heads)
    let hasTies = zip(order, order.dropFirst()).contains { heads[$0].hasSameBytes(as: heads[$1]) }
    guard hasTies else { return order.map { elements[$0] } }
    let digests =
      self.digests
      ?? ContentDigests(reader.archive) { [summaries] shape in
        shape.data.map { summaries[.data($0)] } ?? Self.head(shape)
      }
    self.digests = digests
    return elements.indices.sorted { a, b in
      let order = heads[a].compareBytes(to: heads[b])
      return order == 0 ? (digests[values[a]], a) < (digests[values[b]], b) : order < 0
    }.map { elements[$0] }
  }

  /// Sorts lines by the bytes of a text; equal ones keep their order.
  private static func sorted(_ lines: [Line], by text: (Line) -> String) -> [Line] {
    order(lines.map(text)).map { lines[$0] }
  }

  /// Returns the indexes of texts in the order of their bytes.
  private static func order(_ texts: [String]) -> [Int] {
    texts.indices.sorted { a, b in
      let order = texts[a].compareBytes(to: texts[b])
      return order == 0 ? a < b : order < 0
    }
  }
}
