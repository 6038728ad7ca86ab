// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

extension KeyedArchive {
  /// A value of the archive, reached from the top by keys and indexes; references are followed on the way.
  ///
  /// A way that leads nowhere ends in a node that does not exist, all of whose values are nil; so a whole path is written
  /// without a question mark.
  public struct Node: Sendable {
    /// The archive it belongs to.
    public var archive: KeyedArchive { whole.archive }
    /// All nodes that are reached from one share it, so to copy a node is to count one reference.
    fileprivate let whole: Whole
    /// Its object's number; nil for what is stored inside another object.
    public let uid: ArchiveUID?
    let row: ObjectRef?
    /// The object that it is, or that it is stored inside of; nil for what is stored at the top level.
    let owner: ArchiveUID?

    fileprivate final class Whole: Sendable {
      let archive: KeyedArchive

      init(_ archive: KeyedArchive) { self.archive = archive }

      var missing: Node { Node(self, uid: nil, row: nil) }

      /// The node for a row, or for the object that a reference in it leads to.
      func node(_ row: ObjectRef, _ owner: ArchiveUID?) -> Node {
        guard let number = archive.reference(in: row) else { return Node(self, uid: nil, row: row, owner: owner) }
        return number < UInt64(UInt32.max) ? object(ArchiveUID(rawValue: UInt32(number))) : missing
      }

      func object(_ uid: ArchiveUID) -> Node {
        guard let row = try? archive.row(of: uid) else { return missing }
        return Node(self, uid: uid, row: row)
      }
    }

    private init(_ whole: Whole, uid: ArchiveUID?, row: ObjectRef?, owner: ArchiveUID? = nil) {
      self.whole = whole
      self.uid = uid
      self.row = row
      self.owner = uid ?? owner
    }

    /// What a node is.
    public enum Kind: String, Sendable, Hashable {
      /// There is nothing there.
      case missing
      /// It is nil.
      case null
      /// A boolean.
      case boolean
      /// An integer.
      case integer
      /// A real.
      case real
      /// A string that stands as it is.
      case string
      /// Data that stands as it is.
      case data
      /// A date that stands as it is.
      case date
      /// An array inside an object.
      case array
      /// A dictionary inside an object.
      case dictionary
      /// An object with a class.
      case object
      /// A class record.
      case classRecord
    }
  }

  /// The object under the top-level key `root`.
  public var root: Node { self[KeyedArchiver.rootKey] }

  /// The value under a top-level key.
  public subscript(key: String) -> Node {
    let whole = Node.Whole(self)
    guard let row = try? value(forKey: key, in: topRow) else { return whole.missing }
    return whole.node(row, nil)
  }

  /// The object with a number.
  public subscript(uid: ArchiveUID) -> Node { Node.Whole(self).object(uid) }

  /// The top-level keys, in the order in which they are stored.
  public var topKeys: [String] { ((try? top) ?? []).map(\.key) }

  /// The names of all classes that the archive has records of, sorted. Records in an archive for which
  /// ``check(allowing:)`` reaches a limit may be missing.
  public var classNames: [String] {
    var names: Set<BytewiseString> = []
    var room = room
    var isSeen = [Bool](repeating: false, count: list.table.objectCount)
    for index in 0..<objectCount where !room.isExhausted {
      guard let row = try? row(of: ArchiveUID(rawValue: UInt32(index))) else { continue }
      // Many elements of `$objects` may be one row.
      if isSeen.indices.contains(row.index) {
        guard !isSeen[row.index] else { continue }
        isSeen[row.index] = true
      }
      if let name = try? className(ofRecordIn: row, room: &room) { names.insert(name) }
    }
    return names.sorted().texts
  }

  /// The number of the object that the value in a row refers to; nil if it is no reference.
  func reference(in row: ObjectRef) -> UInt64? {
    // Nothing else is read for this: it may be long.
    if let item = try? storedItem(row) {
      return item.kind == .uid ? list.table.uid(item, in: list.bytes.span) : nil
    }
    guard case .uid(let number)? = try? stored(row) else { return nil }
    return number
  }

  /// The kind of the value in a row, which is not read for this: it may be long.
  fileprivate func itemKind(_ row: ObjectRef) throws(KeyedArchiveError) -> BinaryItem.Kind {
    if let item = try storedItem(row) { return item.kind }
    return try stored(row).itemKind
  }

  /// The row of a value in a dictionary. No more of the dictionary is read than its keys of the same length.
  func value(forKey key: String, in row: ObjectRef) throws(KeyedArchiveError) -> ObjectRef? {
    guard let item = try storedItem(row) else {
      guard case .dictionary(let keys, let values) = try stored(row) else { return nil }
      for (place, keyRow) in keys.enumerated() where try isText(keyRow, key) { return values[place] }
      return nil
    }
    guard item.kind == .dictionary else { return nil }
    var place = 0
    while let next = try nextKey(ofByteCount: key.utf8.count, from: place, in: item) {
      if try isText(next.key, key) { return next.value }
      place = next.place + 1
    }
    return nil
  }

  /// The next key of a dictionary that may have so many bytes, with its value. No key is read for this: there may be
  /// many.
  private func nextKey(
    ofByteCount count: Int, from start: Int, in item: BinaryItem
  ) throws(KeyedArchiveError) -> (place: Int, key: ObjectRef, value: ObjectRef)? {
    do {
      let bytes = list.bytes.span
      for place in start..<item.count {
        let row = try list.table.element(place, of: item, in: bytes)
        guard try list.table.item(row, in: bytes).mayBeText(ofByteCount: count) else { continue }
        return (place, row, try list.table.element(item.count + place, of: item, in: bytes))
      }
      return nil
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  /// The next of some values, or of the objects that they refer to, that may be a text of so many bytes. None is read for
  /// this: there may be many.
  fileprivate func place(ofTextWithByteCount count: Int, in rows: [ObjectRef], from start: Int) -> Int? {
    guard !list.isEdited, editedRows == nil else { return start < rows.count ? start : nil }
    let bytes = list.bytes.span
    return rows.indices[start...].first { place in
      guard let item = try? list.table.item(rows[place], in: bytes) else { return false }
      guard item.kind == .uid else { return item.mayBeText(ofByteCount: count) }
      guard let uid = Int(exactly: list.table.uid(item, in: bytes)), uid < envelope.objects.count,
        let row = try? list.table.element(uid, of: envelope.objects, in: bytes),
        let object = try? list.table.item(row, in: bytes)
      else { return false }
      return object.mayBeText(ofByteCount: count)
    }
  }

  /// Whether the string in a row is a text, which is compared with it only if it may have as many bytes.
  func isText(_ row: ObjectRef, _ text: String) throws(KeyedArchiveError) -> Bool {
    if let item = try storedItem(row) {
      guard item.mayBeText(ofByteCount: text.utf8.count), reading.mayCompare(byteCount: item.count) else {
        return false
      }
      // Of most texts no string is made.
      if item.kind == .ascii, !list.table.isString(item, text, in: list.bytes.span) { return false }
    }
    return try name(row).hasSameBytes(as: text)
  }
}

extension KeyedArchive.Node {
  private var stored: PropertyListObject? {
    guard let row, mayRead(row) else { return nil }
    return try? archive.stored(row)
  }

  /// Whether the value in a row may be read once more for the object that holds it.
  private func mayRead(_ row: ObjectRef) -> Bool {
    guard let item = try? archive.storedItem(row) else { return true }
    return archive.reading.mayRead(row, of: owner, weight: item.weight)
  }

  /// What it is, told without reading what it holds: a damaged text or container has a kind and no value.
  /// ``KeyedArchive/check(allowing:)`` finds those.
  public var kind: Kind {
    guard let row else { return .missing }
    // What it holds is not read for this: it may be long.
    switch try? archive.itemKind(row) {
    case nil, .null, .uid, .set: return .missing
    case .ascii, .utf16: return uid != nil && (try? archive.isNull(row)) ?? false ? .null : .string
    case .false, .true: return .boolean
    case .integer: return .integer
    case .float, .double: return .real
    case .data: return .data
    case .date: return .date
    case .array: return .array
    case .dictionary:
      guard uid != nil else { return .dictionary }
      return value("$classname") != nil ? .classRecord : value("$class") != nil ? .object : .missing
    }
  }

  /// Whether there is something there, be it nil.
  public var exists: Bool { kind != .missing }

  /// Whether it is nil.
  public var isNull: Bool { kind == .null }

  /// What the archive says of its class; nil for bare values.
  public var classDescription: ClassDescription? {
    guard let row = value("$class"), let number = archive.reference(in: row), number < UInt64(UInt32.max) else {
      return nil
    }
    return try? archive.classDescription(ArchiveUID(rawValue: UInt32(number)))
  }

  /// The name of its class; for bare values, what Foundation calls theirs.
  public var className: String? {
    switch kind {
    case .object: classDescription?.name
    case .string: "NSString"
    case .boolean, .integer, .real: "NSNumber"
    case .data: "NSData"
    default: nil
    }
  }

  /// Its keys as they are stored, in their order, without `$class`.
  public var keys: [String] {
    guard case .dictionary(let keys, _)? = stored else { return [] }
    return keys.compactMap { mayRead($0) ? try? archive.name($0) : nil }.filter { !$0.hasSameBytes(as: "$class") }
  }

  /// The value for a key as it is stored. For a dictionary object, the value that it holds under a string, if it has no
  /// such key of its own.
  ///
  /// It looks through the keys from the first one on. For many values of a large dictionary, go through ``dictionary`` once.
  public subscript(name: String) -> Self {
    if let row = value(name) { return node(row) }
    if let pairs {
      var place = 0
      while let next = archive.place(ofTextWithByteCount: name.utf8.count, in: pairs.keys, from: place) {
        if node(pairs.keys[next]).isText(name) { return node(pairs.values[next]) }
        place = next + 1
      }
    }
    return whole.missing
  }

  private func node(_ row: ObjectRef) -> Self { whole.node(row, owner) }

  /// Whether it is a string, bare or mutable, of a text.
  private func isText(_ text: String) -> Bool {
    guard let row else { return false }
    if let item = try? archive.storedItem(row), item.kind == .ascii || item.kind == .utf16 {
      // As an object of its own this text is nil.
      guard uid == nil || !text.hasSameBytes(as: "$null") else { return false }
      return (try? archive.isText(row, text)) ?? false
    }
    return isObject(of: ["NSString", "NSMutableString"])
      && self["NS.string"].bareString?.hasSameBytes(as: text) ?? false
  }

  /// The element at a place, of an array inside an object or of a collection object.
  public subscript(index: Int) -> Self {
    for list in [row, value("NS.objects")] {
      guard let list else { continue }
      switch try? archive.list.element(index, ofArray: list) {
      case .row(let element)?: return node(element)
      case .absent?, nil: return whole.missing
      case .notAnArray?: continue
      }
    }
    return value("NS.object.\(index)").map { node($0) } ?? whole.missing
  }

  /// The elements of an array inside an object or of a collection object; nil for anything else.
  public var array: [Self]? { elements("NS.objects", numbered: "NS.object.")?.map { node($0) } }

  /// The pairs of a dictionary object, in the order in which they are stored; nil for anything else.
  public var dictionary: [(key: Self, value: Self)]? {
    pairs.map { pairs in zip(pairs.keys, pairs.values).map { (node($0), node($1)) } }
  }

  /// The rows of a dictionary object's keys and values.
  private var pairs: (keys: [ObjectRef], values: [ObjectRef])? {
    guard kind == .object, let keys = elements("NS.keys", numbered: "NS.key."),
      let values = elements("NS.objects", numbered: "NS.object."), keys.count == values.count
    else { return nil }
    return (keys, values)
  }

  private func elements(_ key: String, numbered: String) -> [ObjectRef]? {
    if case .array(let rows)? = stored { return rows }
    if let row = value(key) {
      guard mayRead(row), case .array(let rows)? = try? archive.stored(row) else { return nil }
      return rows
    }
    guard case .dictionary(let keys, let values)? = stored, uid != nil else { return nil }
    // The numbered form, `NS.object.0` and so on. One pass, for there may be many.
    var places: [Int: ObjectRef] = [:]
    for (keyRow, valueRow) in zip(keys, values) {
      if let place = (try? archive.name(keyRow))?.number(after: numbered) { places[place] = valueRow }
    }
    guard !places.isEmpty else { return nil }
    var rows: [ObjectRef] = []
    while let row = places[rows.count] { rows.append(row) }
    return rows
  }

  private func value(_ key: String) -> ObjectRef? {
    guard let row, mayRead(row) else { return nil }
    return try? archive.value(forKey: key, in: row)
  }

  /// The text of a string, bare or mutable.
  public var string: String? {
    switch kind {
    case .string: bareString
    case .object: isObject(of: ["NSString", "NSMutableString"]) ? self["NS.string"].bareString : nil
    default: nil
    }
  }

  private var bareString: String? {
    guard kind == .string, case .string(let text)? = stored else { return nil }
    return text
  }

  private var bareData: Data? {
    guard case .data(let bytes)? = stored else { return nil }
    return bytes
  }

  private func isObject(of classNames: [String]) -> Bool {
    guard uid != nil, let name = classDescription?.name else { return false }
    return classNames.contains(name)
  }

  /// The value of a number or boolean, with its kind.
  public var number: ArchiveNumber? {
    switch stored {
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .wideInteger(let value): UInt64(exactly: value).map { .unsigned($0) }
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    default: nil
    }
  }

  /// The bytes of data, bare or mutable.
  public var data: Data? {
    if kind == .data { return bareData }
    guard isObject(of: ["NSData", "NSMutableData"]) else { return nil }
    return self["NS.data"].bareData ?? self["NS.bytes"].bareData
  }

  /// The value of a date object.
  public var date: Date? { decoded("NSDate", Date.self) }

  /// The value of a URL object.
  public var url: URL? { decoded("NSURL", URL.self) }

  /// The value of a UUID object.
  public var uuid: UUID? { decoded("NSUUID", UUID.self) }

  /// The value of a date, URL or UUID, read from its keys.
  private func decoded<Value>(_ name: String, _ type: Value.Type) -> Value? {
    guard className == name else { return nil }
    switch name {
    case "NSDate": return self["NS.time"].number?.real.map { Date(timeIntervalSinceReferenceDate: $0) } as? Value
    case "NSUUID":
      guard let b = self["NS.uuidbytes"].data.map([UInt8].init), b.count == 16 else { return nil }
      return UUID(
        uuid: (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]))
        as? Value
    default: return url(depth: 0) as? Value
    }
  }

  private func url(depth: Int) -> URL? {
    guard depth < 16, let text = self["NS.relative"].string else { return nil }
    return URL(string: text, relativeTo: self["NS.base"].url(depth: depth + 1))
  }
}
