// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import ArchivePages
import CommandLineTools
import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Reads the outline of an archive, which pages and drawings show.
///
/// Its rows are the lines of `tree`. Data that is an archive or a property list contains rows. The reader does not
/// recurse: each level of depth costs one open container.
struct OutlineReader {
  /// The default limit of rows.
  static let defaultRows = 400_000
  /// The maximum nesting of archives.
  static let maximumLevels = 4
  /// The limit of rows for a property list in data.
  static let maximumListRows = 2000
  /// The maximum length of a string in its row, in repetitions, and in a preview.
  private static let rowText = 200, againText = 80, wholeText = 20_000

  private(set) var outline: Outline
  /// The number of damaged values, and the first failure.
  private(set) var damage: (count: Int, first: Failure)?
  /// Whether the limit of rows was reached.
  private(set) var isCut = false
  private let limit: OutputLimit
  private let maximumRows: Int
  private let text = ValueText(.plain)
  private var previews: DataPreviews
  /// The archive and the open archives nested in it.
  private var levels: [Level]
  /// The budget for all nested archives together, because there may be many small ones.
  private var nestedBudget: ExpansionBudget
  private var containers = OpenContainers()
  /// The open containers of a property list in data, which are inside of all others.
  private var lists: [ListContainer] = []
  /// The depth of the current start.
  private var base = 0

  private struct Level {
    var reader: GraphReader
    /// The rows of its objects by UID; -1 for those without one.
    private var homes: ContiguousArray<Int32>
    /// The rows of references to objects that the archive does not have.
    private var dangling: [ArchiveUID: Int] = [:]
    /// The texts for later occurrences of objects, where they differ from that of the first.
    var againTexts: [ArchiveUID: String] = [:]
    /// The previews of texts; other values have none.
    let textPreviews: SharedContents<Preview?>
    /// The number of containers that were open before it.
    let floor: Int

    init(reader: GraphReader, floor: Int) {
      self.reader = reader
      self.floor = floor
      textPreviews = SharedContents(of: reader.archive) {
        if case .string(let text) = $0 { OutlineReader.preview(of: text) } else { nil }
      }
      homes = ContiguousArray(repeating: -1, count: reader.archive.objectCount)
    }

    /// The row of an object.
    func home(of uid: ArchiveUID) -> Int? {
      let index = Int(clamping: uid.rawValue)
      guard index < homes.count else { return dangling[uid] }
      return homes[index] < 0 ? nil : Int(homes[index])
    }

    mutating func setHome(of uid: ArchiveUID, to row: Int) {
      let index = Int(clamping: uid.rawValue)
      if index < homes.count { homes[index] = Int32(clamping: row) } else { dangling[uid] = row }
    }
  }

  /// A container of a property list whose rows are being added.
  private struct ListContainer {
    let list: PropertyList
    let items: [(label: Outline.Label, row: ObjectRef)]
    var next = 0
    /// The last row that the list may use.
    let last: Int
  }

  init(_ outline: Outline, of reader: GraphReader, maximumRows: Int = defaultRows) {
    self.outline = outline
    self.maximumRows = maximumRows
    // Memory that is reserved and not used costs nothing, but an array that grows is in memory twice.
    self.outline.reserveRows(min(maximumRows, reader.archive.propertyList.byteCount))
    levels = [Level(reader: reader, floor: 0)]
    limit = OutputLimit(reader.archive)
    previews = DataPreviews(of: reader.archive)
    nestedBudget = ExpansionBudget(byteCount: 2 * Int64(reader.archive.propertyList.byteCount), limits: .default)
  }

  /// The error for an outline that exceeds the output limit.
  var excess: Failure? {
    guard outline.weight > limit.byteCount else { return nil }
    return limit.failure("the picture", remedy: "To show a part of the archive, use --path")
  }

  /// The number of rows that enclose the next one.
  private var depth: Int { base + containers.count + lists.count }

  private var isFull: Bool { outline.rows.count >= maximumRows }

  private var isEnded: Bool { isFull || outline.weight > limit.byteCount || levels[0].reader.isExhausted }

  /// Adds a value and its contents.
  mutating func read(_ label: Outline.Label, _ value: KeyedArchive.StoredValue) {
    guard !isEnded else {
      isCut = isCut || isFull
      return
    }
    add(label, value)
    while depth > base, !isEnded {
      if lists.isEmpty { readLine() } else { readItem() }
    }
    if isFull, containers.hasLines || lists.contains(where: { $0.next < $0.items.count }) { isCut = true }
    containers.closeAll()
    lists.removeAll()
    while levels.count > 1 { closeArchive() }
  }

  /// Adds the next line of the innermost container of an archive, or closes the container.
  private mutating func readLine() {
    let level = levels.count - 1
    if let line = containers.next(in: &levels[level].reader) {
      guard level > 0, levels[level].reader.isExhausted else { return add(Outline.Label(line.label), line.value) }
      addNote("… more of the archive, which exceeds the expansion limit")
    }
    containers.close()
    if level > 0, containers.count == levels[level].floor { closeArchive() }
  }

  /// Adds the next item of the innermost container of a property list, or closes the container.
  private mutating func readItem() {
    let open = lists[lists.count - 1]
    guard open.next < open.items.count else {
      lists.removeLast()
      return
    }
    if outline.rows.count < open.last {
      lists[lists.count - 1].next += 1
      add(open.items[open.next].label, open.items[open.next].row, of: open.list, open.last)
    } else {
      addNote("… more of the property list")
      lists[lists.count - 1].next = open.items.count
    }
  }

  /// Adds the unreferenced objects.
  mutating func readUnreferenced(_ uids: [ArchiveUID]) {
    let left = uids.filter { levels[0].home(of: $0) == nil }
    guard !left.isEmpty else { return }
    guard !isEnded else {
      isCut = isCut || isFull
      return
    }
    let text = CountText.text(left.count, "unreferenced object")
    outline.add(.init(depth: 0, label: .none, kind: .group, text: text))
    base = 1
    for uid in left { read(.none, .reference(uid)) }
    base = 0
  }

  private mutating func addNote(_ text: String) {
    outline.add(.init(depth: depth, label: .none, kind: .note, text: text))
  }

  // MARK: Archives

  private mutating func add(_ label: Outline.Label, _ value: KeyedArchive.StoredValue) {
    let level = levels.count - 1
    var row = Outline.Row(depth: depth, label: label, kind: .null)
    var uid: ArchiveUID?
    if case .reference(let target) = value, target != .null {
      uid = target
      row.number = target.rawValue
    }
    if let home = uid.flatMap({ levels[level].home(of: $0) }) {
      let text = uid.flatMap { levels[level].againTexts[$0] }
      outline.add(again(outline.rows[home], home, text, as: row), color(of: outline.previews[home]))
      return
    }
    let shape = levels[level].reader.shape(of: value)
    let meaning = levels[level].reader.meaning(of: shape)
    describe(shape, &row, meaning)
    if let uid, row.kind == .object {
      let again = meaning.map { text.text($0, limit: Self.againText) } ?? ""
      if !again.hasSameBytes(as: row.text) { levels[level].againTexts[uid] = again }
    }
    if let uid { levels[level].setHome(of: uid, to: outline.rows.count) }
    if case .damaged(let error) = shape, level == 0 {
      damage = ((damage?.count ?? 0) + 1, damage?.first ?? Failure(reading: error))
    }
    var inside: DataPreviews.Inside?
    var preview: Preview?
    if let data = shape.data {
      let found = previews.preview(of: data, mayOpen: levels.count < Self.maximumLevels && !nestedBudget.isExhausted)
      (preview, inside) = (found.preview, found.inside)
    } else {
      preview = self.preview(of: shape, meaning)
    }
    outline.add(row, preview)
    switch inside {
    case .archive(let archive, let top):
      let budget = level > 0 ? levels[level].reader.budget : nestedBudget
      levels.append(Level(reader: GraphReader(archive, budget: budget), floor: containers.count))
      containers.open(GraphReader.Values(top), in: &levels[level + 1].reader)
    case .list(let list):
      openList(list.top, of: list, last: outline.rows.count + Self.maximumListRows)
    case nil:
      let values = GraphReader.Values(shape)
      if values.count > 0 { containers.open(values, in: &levels[level].reader) }
    }
  }

  /// Returns to the enclosing archive with the remaining budget.
  private mutating func closeArchive() {
    guard let inner = levels.popLast() else { return }
    if levels.count > 1 {
      levels[levels.count - 1].reader.budget = inner.reader.budget
    } else {
      nestedBudget = inner.reader.budget
    }
  }

  /// Returns the row for a later occurrence of an object.
  private func again(_ first: Outline.Row, _ home: Int, _ text: String?, as row: Outline.Row) -> Outline.Row {
    var row = row
    row.home = home
    row.kind = first.kind
    row.classIndex = first.classIndex
    switch first.kind {
    case .object: row.text = text ?? first.text
    case .array, .dictionary, .data: break
    default:
      let start = first.text.unicodeScalars.prefix(Self.againText)
      row.text = start.endIndex < first.text.endIndex ? String(start) + "…" : first.text
    }
    return row
  }

  /// Fills in the kind, class and text of a row.
  private mutating func describe(_ shape: GraphReader.Shape, _ row: inout Outline.Row, _ meaning: Meaning? = nil) {
    row.kind = Outline.Kind(shape)
    row.classIndex = shape.className.map { outline.index(ofClass: ValueText.name($0.shown)) }
    switch shape {
    case .null: row.text = "null"
    case .scalar, .url, .uuid, .nullObject: row.text = text.text(shape, limit: Self.rowText) ?? ""
    case .object(_, let contents):
      let count =
        contents.pairs.map { CountText.text($0.count, "pair") }
        ?? contents.elements.map { CountText.text($0.count, "element") }
      row.text = [meaning.map { text.text($0, limit: Self.rowText) }, count].compactMap(\.self).joined(separator: ", ")
    case .array(let values): row.text = CountText.text(values.count, "element")
    case .dictionary(let entries): row.text = CountText.text(entries.count, "key")
    case .classRecord(let description): row.text = "class " + ValueText.name(description.name)
    case .damaged(let error): row.text = "damaged: " + EscapedText.plain("\(error)")
    }
  }

  /// Returns the color of an object for its later occurrences.
  private func color(of preview: Preview?) -> Preview? { preview?.color.map { Preview(color: $0) } }

  private func preview(of shape: GraphReader.Shape, _ meaning: Meaning?) -> Preview? {
    if let color = meaning?.color {
      return Preview(color: .init(red: color.red, green: color.green, blue: color.blue, alpha: color.alpha))
    }
    let previews = levels[levels.count - 1].textPreviews
    if let meaning, meaning.kind != .name { return previews[.string(meaning.text)] }
    return switch shape {
    case .scalar(.string(let text), _), .url(let text, _): previews[.string(text)]
    case .scalar(.date(let seconds), _): Preview(date: seconds)
    default: nil
    }
  }

  /// Returns a preview of a text that does not fit its row.
  fileprivate static func preview(of text: String) -> Preview? {
    let start = text.unicodeScalars.prefix(wholeText)
    guard start.count > rowText || start.contains("\n") else { return nil }
    return Preview(
      text: EscapedText.plain(String(start), keeping: ["\n", "\t"]), isCut: start.endIndex < text.endIndex,
      byteCount: text.utf8.count)
  }

  // MARK: Property lists

  /// Opens a container of a property list.
  private mutating func openList(_ row: ObjectRef, of list: PropertyList, last: Int) {
    let items: [(Outline.Label, ObjectRef)]
    switch try? list.object(row) {
    case .array(let rows)?, .set(let rows)?:
      items = rows.prefix(Self.maximumListRows).enumerated().map { (.element($0), $1) }
    case .dictionary(let keys, let values)?:
      items = zip(keys, values).prefix(Self.maximumListRows).map { key, value in
        guard case .string(let name)? = try? list.object(key) else { return (.none, value) }
        return (.key(ValueText.name(name)), value)
      }
    default: items = [(.none, row)]
    }
    guard !items.isEmpty else { return }
    lists.append(ListContainer(list: list, items: items, last: last))
  }

  private mutating func add(_ label: Outline.Label, _ item: ObjectRef, of list: PropertyList, _ last: Int) {
    var row = Outline.Row(depth: depth, label: label, kind: .damaged)
    guard let object = try? list.object(item) else {
      row.text = "damaged"
      outline.add(row)
      return
    }
    var preview: Preview?
    var isContainer = false
    switch object {
    case .array(let rows), .set(let rows):
      row.kind = .array
      row.text = CountText.text(rows.count, "element")
      isContainer = true
    case .dictionary(let keys, _):
      row.kind = .dictionary
      row.text = CountText.text(keys.count, "key")
      isContainer = true
    case .null:
      row.kind = .null
      row.text = "null"
    case .uid(let number):
      row.kind = .number
      row.text = "UID \(number)"
    case .boolean(let value): describe(.scalar(.boolean(value)), &row)
    case .integer(let value): describe(.scalar(.integer(value)), &row)
    case .wideInteger(let high, let low): describe(.scalar(.wideInteger(high: high, low: low)), &row)
    case .float(let value): describe(.scalar(.float(value)), &row)
    case .double(let value): describe(.scalar(.double(value)), &row)
    case .date(let value): describe(.scalar(.date(value)), &row)
    case .string(let value):
      describe(.scalar(.string(value)), &row)
      preview = Self.preview(of: value)
    case .data(let value):
      describe(.scalar(.data(value)), &row)
      preview = previews.preview(of: value, mayOpen: false).preview
    }
    outline.add(row, preview)
    if isContainer { openList(item, of: list, last: last) }
  }
}

extension Outline.Label {
  /// Converts the label of a line.
  init(_ label: GraphReader.Label) {
    switch label {
    case .key(let text): self = .key(text)
    case .element(let index): self = .element(index)
    case .pair(let text): self = .pair(text)
    case .pairKey(let index): self = .pairKey(index)
    case .pairValue(let index): self = .pairValue(index)
    }
  }
}
