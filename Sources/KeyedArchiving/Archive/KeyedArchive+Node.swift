// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
@_spi(Archiving) import PropertyListFormat

extension KeyedArchive {
  /// A value of the archive, reached from the top by keys and indexes; references are followed on the way.
  ///
  /// A way that leads nowhere ends in a node that does not exist, all of whose values are nil; so a whole path is written
  /// without a question mark.
  public struct Node: Sendable {
    /// The archive it belongs to.
    public let archive: KeyedArchive
    /// Its object's number; nil for what is stored inside another object.
    public let uid: ArchiveUID?
    let row: ObjectRef?
    /// The object that it is, or that it is stored inside of; nil for what is stored at the top level.
    let owner: ArchiveUID?

    fileprivate init(archive: KeyedArchive, uid: ArchiveUID?, row: ObjectRef?, owner: ArchiveUID? = nil) {
      self.archive = archive
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
  public var root: Node { self[KeyedArchive.rootKey] }

  /// The value under a top-level key.
  public subscript(key: String) -> Node {
    guard let row = try? value(forKey: key, in: topRow) else { return missing }
    return node(row, nil)
  }

  /// The object with a number.
  public subscript(uid: ArchiveUID) -> Node {
    guard let row = try? row(of: uid) else { return missing }
    return Node(archive: self, uid: uid, row: row)
  }

  /// The top-level keys, in the order in which they are stored.
  public var topKeys: [String] { ((try? top) ?? []).map(\.key) }

  /// The names of all classes that the archive has records of, sorted. Records in an archive for which
  /// ``check(allowing:)`` reaches a limit may be missing.
  public var classNames: [String] {
    var names: Set<ExactText> = []
    var room = room
    for index in 0..<objectCount where !room.isExhausted {
      if case .classRecord(let description)? = try? object(ArchiveUID(rawValue: UInt32(index)), room: &room) {
        names.insert(description.name)
      }
    }
    return names.sorted().texts
  }

  fileprivate var missing: Node { Node(archive: self, uid: nil, row: nil) }

  /// The node for a row, or for the object that a reference in it leads to.
  fileprivate func node(_ row: ObjectRef, _ owner: ArchiveUID?) -> Node {
    guard let number = reference(in: row) else { return Node(archive: self, uid: nil, row: row, owner: owner) }
    guard number < UInt64(objectCount) else { return missing }
    return self[ArchiveUID(rawValue: UInt32(number))]
  }

  /// The number of the object that the value in a row refers to; nil if it is no reference.
  fileprivate func reference(in row: ObjectRef) -> UInt64? {
    // Most other values are not read for this: they may be long.
    if let item = try? storedItem(row), item.kind != .uid { return nil }
    guard case .uid(let number)? = try? stored(row) else { return nil }
    return number
  }

  /// The row of a value in a dictionary. No more of the dictionary is read than its keys of the same length.
  fileprivate func value(forKey key: String, in row: ObjectRef) throws(KeyedArchiveError) -> ObjectRef? {
    guard let item = try storedItem(row) else {
      guard case .dictionary(let keys, let values) = try stored(row) else { return nil }
      for (place, keyRow) in keys.enumerated() where try isText(keyRow, key) { return values[place] }
      return nil
    }
    guard item.kind == .dictionary else { return nil }
    for place in 0..<item.count where try isText(element(place, of: item), key) {
      return try element(item.count + place, of: item)
    }
    return nil
  }

  private func element(_ place: Int, of item: BinaryItem) throws(KeyedArchiveError) -> ObjectRef {
    do {
      return try list.table.element(place, of: item, in: list.bytes.span)
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  /// Whether the string in a row is a text, which is compared with it only if it may have as many bytes.
  fileprivate func isText(_ row: ObjectRef, _ text: String) throws(KeyedArchiveError) -> Bool {
    let count = text.utf8.count
    if let item = try storedItem(row) {
      if item.kind == .ascii, item.count != count { return false }
      if item.kind == .utf16, count < item.count || count > 3 * item.count { return false }
      guard reading.mayCompare(byteCount: item.count) else { return false }
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

  /// What it is. A damaged value counts as missing; ``KeyedArchive/check(allowing:)`` finds those.
  public var kind: Kind {
    switch stored {
    case nil, .null, .uid, .set: .missing
    case .string("$null"): uid == nil ? .string : .null
    case .string: .string
    case .boolean: .boolean
    case .integer, .wideInteger: .integer
    case .float, .double: .real
    case .data: .data
    case .date: .date
    case .array: .array
    case .dictionary where uid == nil: .dictionary
    case .dictionary: value("$classname") != nil ? .classRecord : value("$class") != nil ? .object : .missing
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
    let uid = ArchiveUID(rawValue: UInt32(number))
    guard !archive.list.isEdited else { return try? archive.classDescription(uid) }
    return archive.reading.classDescription(uid) { try? archive.classDescription(uid) }
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
  public subscript(key: String) -> Self {
    if let row = value(key) { return node(row) }
    if let pairs = dictionary {
      for (name, value) in pairs where name.isText(key) { return value }
    }
    return archive.missing
  }

  private func node(_ row: ObjectRef) -> Self { archive.node(row, owner) }

  /// Whether it is a string, bare or mutable, of a text.
  private func isText(_ text: String) -> Bool {
    guard let row else { return false }
    if let item = try? archive.storedItem(row), item.kind == .ascii || item.kind == .utf16 {
      // As an object of its own this text is nil.
      guard uid == nil || !text.hasSameBytes(as: "$null") else { return false }
      return (try? archive.isText(row, text)) ?? false
    }
    return string?.hasSameBytes(as: text) ?? false
  }

  /// The element at a place, of an array inside an object or of a collection object.
  public subscript(index: Int) -> Self {
    for list in [row, value("NS.objects")] {
      guard let list else { continue }
      switch try? archive.list.element(index, ofArray: list) {
      case .row(let element)?: return node(element)
      case .absent?, nil: return archive.missing
      case .notAnArray?: continue
      }
    }
    return value("NS.object.\(index)").map { node($0) } ?? archive.missing
  }

  /// The elements of an array inside an object or of a collection object; nil for anything else.
  public var array: [Self]? { elements("NS.objects", numbered: "NS.object.") }

  /// The pairs of a dictionary object, in the order in which they are stored; nil for anything else.
  public var dictionary: [(key: Self, value: Self)]? {
    guard kind == .object, let keys = elements("NS.keys", numbered: "NS.key."), let values = array,
      keys.count == values.count
    else { return nil }
    return Array(zip(keys, values)).map { ($0.0, $0.1) }
  }

  private func elements(_ key: String, numbered: String) -> [Self]? {
    if case .array(let rows)? = stored { return rows.map { node($0) } }
    if let row = value(key) {
      guard mayRead(row), case .array(let rows)? = try? archive.stored(row) else { return nil }
      return rows.map { node($0) }
    }
    guard case .dictionary(let keys, let values)? = stored, uid != nil else { return nil }
    // The numbered form, `NS.object.0` and so on. One pass, for there may be many.
    var places: [Int: ObjectRef] = [:]
    for (keyRow, valueRow) in zip(keys, values) {
      if let place = (try? archive.name(keyRow))?.number(after: numbered) { places[place] = valueRow }
    }
    guard !places.isEmpty else { return nil }
    var nodes: [Self] = []
    while let row = places[nodes.count] { nodes.append(node(row)) }
    return nodes
  }

  private func value(_ key: String) -> ObjectRef? {
    guard let row, mayRead(row) else { return nil }
    return try? archive.value(forKey: key, in: row)
  }

  /// The text of a string, bare or mutable.
  public var string: String? {
    switch kind {
    case .string: if case .string(let text)? = stored { text } else { nil }
    case .object: isObject(of: ["NSString", "NSMutableString"]) ? self["NS.string"].string : nil
    default: nil
    }
  }

  private func isObject(of classNames: [String]) -> Bool { className.map { classNames.contains($0) } ?? false }

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
    if case .data(let bytes)? = stored { return bytes }
    guard isObject(of: ["NSData", "NSMutableData"]) else { return nil }
    return self["NS.data"].data ?? self["NS.bytes"].data
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
