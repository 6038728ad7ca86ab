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
  /// A value of the archive, reached from a top-level key by keys and indexes. Nodes follow references.
  ///
  /// A key path without a value results in a node of kind ``Kind/missing``, whose values are nil. A whole path
  /// therefore needs no optional chaining.
  ///
  /// A node keeps the archive as it was when the node was made. While a node exists, an edit copies the tables of all earlier
  /// edits. In a loop with edits, read what you need from the node and release it before the edit.
  public struct Node: Sendable {
    /// The archive that the node belongs to.
    public var archive: KeyedArchive { whole.archive }
    /// The archive, shared by all nodes reached from one, so that copying a node retains one reference.
    fileprivate let whole: Whole
    /// The UID of the object; nil for an inline value.
    public let uid: ArchiveUID?
    /// The row of the value; nil for a missing value and for a damaged one of the file.
    let row: ObjectRef?
    /// The value in the file, because each property needs it; nil if an edit added the value.
    private let item: BinaryItem?
    /// The object itself or the object that contains the inline value; nil for an inline top-level value.
    let owner: ArchiveUID?

    fileprivate final class Whole: Sendable {
      let archive: KeyedArchive

      init(_ archive: KeyedArchive) { self.archive = archive }

      var missing: Node { Node(self, uid: nil, row: nil, nil) }

      /// Returns the node for a row, or for the object that a reference in the row refers to.
      func node(_ row: ObjectRef, _ owner: ArchiveUID?) -> Node {
        let item = try? archive.storedItem(row)
        guard let number = archive.reference(in: row, item) else {
          return Node(self, uid: nil, row: row, item, owner: owner)
        }
        return number < UInt64(UInt32.max) ? object(ArchiveUID(rawValue: UInt32(number))) : missing
      }

      func object(_ uid: ArchiveUID) -> Node {
        // The error of a reference to nothing is a long text, and there can be many of these references.
        guard uid.index < archive.objectCount, let row = try? archive.row(of: uid) else { return missing }
        return Node(self, uid: uid, row: row, try? archive.storedItem(row))
      }
    }

    private init(
      _ whole: Whole, uid: ArchiveUID?, row: ObjectRef?, _ item: BinaryItem?, owner: ArchiveUID? = nil
    ) {
      self.whole = whole
      self.uid = uid
      // A damaged value is read once and not for each property.
      self.row = item == nil && !whole.archive.list.isEdited ? nil : row
      self.item = item
      self.owner = uid ?? owner
    }

    /// The kind of a node's value.
    public enum Kind: Sendable, Hashable {
      /// No value.
      case missing
      /// The value nil.
      case null
      /// A primitive, boxed or inline.
      case primitive(PrimitiveKind)
      /// An inline array.
      case array
      /// An inline dictionary.
      case dictionary
      /// An object with a class.
      case object
      /// A class record.
      case classRecord
    }
  }

  /// The node for the top-level key `root`.
  public var root: Node { self[KeyedArchiver.rootKey] }

  /// Returns the node for a top-level key.
  /// - Parameter key: The key.
  public subscript(key: String) -> Node {
    let whole = Node.Whole(self)
    guard let row = try? value(forKey: key, in: topRow) else { return whole.missing }
    return whole.node(row, nil)
  }

  /// Returns the node for an object.
  /// - Parameter uid: The UID of the object.
  public subscript(uid: ArchiveUID) -> Node { Node.Whole(self).object(uid) }

  /// The top-level keys, in stored order. A key that occurs twice is returned once, because its first value counts.
  public var topKeys: [String] {
    // A damaged archive can have one long text as thousands of keys.
    var seen: Set<BytewiseString> = []
    return ((try? top) ?? []).map(\.key).filter { seen.insert($0) }
  }

  /// The sorted names of all class records. Names may be missing if ``check(allowing:)`` reaches a limit.
  public var classNames: [String] {
    var names: Set<BytewiseString> = []
    var budget = budget
    // Many elements of `$objects` may share a row, and many records a name. A text can be an object and a name.
    var isSeenObject = [Bool](repeating: false, count: list.table.objectCount)
    var isSeenName = isSeenObject
    func isNew(_ row: ObjectRef, _ isSeen: inout [Bool]) -> Bool {
      guard isSeen.indices.contains(row.index) else { return true }
      defer { isSeen[row.index] = true }
      return !isSeen[row.index]
    }
    for index in 0..<objectCount where !budget.isExhausted {
      guard let row = try? row(of: ArchiveUID(rawValue: UInt32(index))), isNew(row, &isSeenObject),
        let nameRow = try? nameRow(ofRecordIn: row, budget: &budget), isNew(nameRow, &isSeenName),
        let name = try? name(nameRow, budget: &budget)
      else { continue }
      names.insert(name)
    }
    return names.sorted().texts
  }
}

extension KeyedArchive.Node {
  private var stored: PropertyListObject? {
    guard let row, mayRead(row, item) else { return nil }
    // Many objects can refer to one long string.
    guard let item, item.isLongContent, item.kind != .data else { return try? archive.stored(row) }
    if case .string(let text)? = archive.reading.sharedContent(row) { return .string(text) }
    let object = try? archive.stored(row)
    if case .string(let text)? = object { archive.reading.cacheIfShared(.string(text), row) }
    return object
  }

  /// Returns whether the value in a row may be read once more for the object that contains it.
  private func mayRead(_ row: ObjectRef) -> Bool { mayRead(row, try? archive.storedItem(row)) }

  private func mayRead(_ row: ObjectRef, _ item: BinaryItem?) -> Bool {
    guard let item else { return true }
    return archive.reading.mayRead(row, of: owner, weight: item.weight)
  }

  /// Returns whether the value can be of a kind. The result is `true` if an edit added the value.
  private func mayBe(_ kind: BinaryItem.Kind) -> Bool { item.map { $0.kind == kind } ?? (row != nil) }

  /// The kind of the value, determined without reading its contents, which may be long.
  ///
  /// A damaged text or container therefore has a kind but no value; ``KeyedArchive/check(allowing:)`` finds it.
  public var kind: Kind {
    guard let row else { return .missing }
    let (kind, isWide): (BinaryItem.Kind, Bool)
    if let item {
      (kind, isWide) = (item.kind, item.count == 16)
    } else {
      guard let stored = try? archive.stored(row) else { return .missing }
      kind = stored.itemKind
      isWide = if case .wideInteger = stored { true } else { false }
    }
    switch kind {
    case .null, .uid, .set: return .missing
    case .ascii, .utf16:
      // A boxed '$null' is nil.
      let isNull = uid != nil && item?.mayBeText(ofByteCount: 5) ?? true && (try? archive.isNull(row)) ?? false
      return isNull ? .null : .primitive(.string)
    case .false, .true: return .primitive(.boolean)
    case .integer: return .primitive(isWide ? .unsigned : .integer)
    case .float: return .primitive(.float)
    case .double: return .primitive(.double)
    case .data: return .primitive(.data)
    case .date: return .primitive(.date)
    case .array: return .array
    case .dictionary:
      guard uid != nil else { return .dictionary }
      let role = role
      return role.isClassRecord ? .classRecord : role.classRow != nil ? .object : .missing
    }
  }

  /// A Boolean value that indicates whether the archive stores a value here, including nil.
  public var exists: Bool { kind != .missing }

  /// A Boolean value that indicates whether the value is nil.
  public var isNull: Bool { kind == .null }

  /// The description of the object's class; nil for primitives.
  public var classDescription: ClassDescription? {
    role.classUID.flatMap { archive.knownDescription($0) }
  }

  /// The name of the object's class; for primitives other than dates, Foundation's class.
  public var className: String? {
    switch kind {
    case .object: classDescription?.name
    case .primitive(let kind) where kind != .date: kind.className
    default: nil
    }
  }

  /// The object's keys in stored order, without `$class`.
  public var keys: [String] {
    guard mayBe(.dictionary), case .dictionary(let keys, _)? = stored else { return [] }
    return keys.compactMap { mayRead($0) ? try? archive.name($0) : nil }.filter { !$0.hasSameBytes(as: "$class") }
  }

  /// Returns the node for a stored key. For a dictionary object without such a key, returns the node for a string key
  /// of the dictionary.
  ///
  /// The search is linear. To access many values of a large dictionary, iterate over ``dictionary`` once.
  /// - Parameter name: The key.
  public subscript(name: String) -> Self {
    if let row = value(name) { return node(row) }
    if let pairs {
      var search = KeySearch(text: name, owner: owner)
      var place = 0
      while let next = archive.place(ofTextWithByteCount: name.utf8.count, in: pairs.keys, from: place) {
        if node(pairs.keys[next]).isFound(by: &search) { return node(pairs.values[next]) }
        place = next + 1
      }
    }
    return whole.missing
  }

  private func node(_ row: ObjectRef) -> Self { whole.node(row, owner) }

  /// Returns whether the value is a string, primitive or mutable, with the text of a search.
  private func isFound(by search: inout KeySearch) -> Bool {
    let text = search.text
    guard let row else { return false }
    let isString = item.map { $0.kind == .ascii || $0.kind == .utf16 } ?? archive.isEditedString(row)
    if isString {
      // A boxed '$null' is nil.
      guard uid == nil || !text.hasSameBytes(as: "$null") else { return false }
      return (try? archive.finds(&search, row, item)) ?? false
    }
    // To find one key takes less than to find the class.
    guard search.isNew(row), let content = value("NS.string"), isObject(of: ["NSString", "NSMutableString"]) else {
      return false
    }
    return node(content).primitiveString?.hasSameBytes(as: text) ?? false
  }

  /// Returns the node for an element of an inline array or of a collection object.
  /// - Parameter index: The index of the element.
  public subscript(index: Int) -> Self {
    for list in [row, value(MemberKind.objects.arrayKey)] {
      guard let list else { continue }
      switch try? archive.list.element(index, ofArray: list) {
      case .row(let element)?: return node(element)
      case .absent?, nil: return whole.missing
      case .notAnArray?: continue
      }
    }
    return value("\(MemberKind.objects.numberedKey)\(index)").map { node($0) } ?? whole.missing
  }

  /// The elements of an inline array or of a collection object; nil for other values.
  ///
  /// The value is nil for an `NSCountedSet`: an array would omit the counts. Its elements and counts have the keys
  /// `NS.object0`, `NS.count0`, `NS.object1` and so on.
  public var array: [Self]? { members(.objects)?.map { node($0) } }

  /// The pairs of a dictionary object, in stored order; nil for other values.
  public var dictionary: [(key: Self, value: Self)]? {
    pairs.map { pairs in zip(pairs.keys, pairs.values).map { (node($0), node($1)) } }
  }

  /// The rows of a dictionary object's keys and values.
  private var pairs: (keys: [ObjectRef], values: [ObjectRef])? {
    guard kind == .object, let keys = members(.keys), let values = members(.objects), keys.count == values.count
    else { return nil }
    return (keys, values)
  }

  private typealias MemberKind = KeyedUnarchiver.ElementKind

  /// The rows of the elements of an inline array, or of the members of a collection object.
  private func members(_ kind: MemberKind) -> [ObjectRef]? {
    // To read all keys of an object takes longer than to find one.
    if mayBe(.array), case .array(let rows)? = stored { return rows }
    guard mayBe(.dictionary) else { return nil }
    let found = CollectionMembers(kind, first: { value($0) }) { () -> [(String, ObjectRef)] in
      guard uid != nil, value("\(kind.numberedKey)0") != nil, case .dictionary(let keys, let values)? = stored else {
        return []
      }
      return zip(keys, values).compactMap { key, value in (try? archive.name(key)).map { ($0, value) } }
    }
    switch found {
    case .array(let row):
      guard mayRead(row), case .array(let rows)? = try? archive.stored(row) else { return nil }
      return rows
    case .numbered(let rows): return rows
    case nil: return nil
    }
  }

  private var role: ArchiveReading.ObjectRole {
    guard let row, mayBe(.dictionary) else { return ArchiveReading.ObjectRole() }
    if archive.list.isEdited { return readRole() }
    if let known = archive.reading.lastRole(of: row, owner) { return known }
    let role = readRole()
    archive.reading.keepLast(role, of: row, owner)
    return role
  }

  private func readRole() -> ArchiveReading.ObjectRole {
    let isClassRecord = value(ClassRecordKey.name.rawValue) != nil
    let classRow = value("$class")
    let number = classRow.flatMap { archive.reference(in: $0) }.flatMap { UInt32(exactly: $0) }
    let classUID = number.flatMap { $0 < .max ? ArchiveUID(rawValue: $0) : nil }
    return ArchiveReading.ObjectRole(isClassRecord: isClassRecord, classRow: classRow, classUID: classUID)
  }

  private func value(_ key: String) -> ObjectRef? {
    guard let row, mayBe(.dictionary), mayRead(row, item) else { return nil }
    return try? archive.value(forKey: key, in: row, item, of: owner)
  }

  /// The text of a string, primitive or mutable.
  public var string: String? {
    switch kind {
    case .primitive(.string): primitiveString
    case .object: isObject(of: ["NSString", "NSMutableString"]) ? self["NS.string"].primitiveString : nil
    default: nil
    }
  }

  private var primitiveString: String? {
    guard kind == .primitive(.string), case .string(let text)? = stored else { return nil }
    return text
  }

  private var primitiveData: Data? {
    guard case .data(let bytes)? = stored else { return nil }
    return bytes
  }

  private func isObject(of classNames: [String]) -> Bool {
    guard uid != nil, mayBe(.dictionary), let name = classDescription?.name else { return false }
    return classNames.contains(name)
  }

  /// The value of a number or Boolean; nil also for an integer that neither `Int64` nor `UInt64` represents.
  public var number: ArchiveNumber? {
    switch stored {
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .wideInteger(let high, let low):
      high == 0 ? .unsigned(low) : Int64(exactly: WideInteger(high: high, low: low)).map { .integer($0) }
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    default: nil
    }
  }

  /// The bytes of data, primitive or mutable.
  public var data: Data? {
    if kind == .primitive(.data) { return primitiveData }
    guard isObject(of: ["NSData", "NSMutableData"]) else { return nil }
    return self["NS.data"].primitiveData ?? self["NS.bytes"].primitiveData
  }

  /// The value of a date object.
  public var date: Date? { decoded("NSDate", Date.self) }

  /// The value of a URL object.
  public var url: URL? { decoded("NSURL", URL.self) }

  /// The value of a UUID object.
  public var uuid: UUID? { decoded("NSUUID", UUID.self) }

  /// Returns the value of a date, URL or UUID object.
  private func decoded<Value>(_ name: String, _ type: Value.Type) -> Value? {
    guard className == name else { return nil }
    switch name {
    case "NSDate":
      // Some programs store whole seconds as integers.
      let time = self["NS.time"].number.flatMap { number in number.real ?? number.integer.map { Double($0) } }
      return time.map { Date(timeIntervalSinceReferenceDate: $0) } as? Value
    case "NSUUID": return self["NS.uuidbytes"].data.flatMap { UUIDCoding.uuid($0) } as? Value
    default: return url(depth: 0) as? Value
    }
  }

  private func url(depth: Int) -> URL? {
    guard depth < 16, let text = self["NS.relative"].string else { return nil }
    return URL(string: text, relativeTo: self["NS.base"].url(depth: depth + 1))
  }
}
