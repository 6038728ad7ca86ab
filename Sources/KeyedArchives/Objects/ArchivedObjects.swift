// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// The archived objects that a decoder created, one for each requested object of the archive.
final class ArchivedObjects {
  var values: [UInt32: ArchivedObject.Value] = [:]
  fileprivate var layouts: [LayoutKey: ArchivedLayout] = [:]
  fileprivate var lastLayout: (key: LayoutKey, layout: ArchivedLayout)?
  fileprivate var nameRows: [UInt32: [UInt32]] = [:]
  var encodingOrder: EncodingOrder?
  /// Whether `encodingOrder` covers the whole archive.
  fileprivate var knowsWholeOrder = false
  fileprivate var budget: ExpansionBudget?
  /// The types to decode values as; any other object becomes an `ArchivedObject`.
  fileprivate var valueTypes: AllowList?
  /// The allow list for the contents of such values.
  fileprivate var contentTypes: AllowList?
  /// Lazy, because most decoders create no archived objects.
  private(set) lazy var origin = SourceArchive()

  /// Types that always become archived objects: collections may be shared and may contain themselves.
  fileprivate static let graphTypes: Set<ObjectIdentifier> = [
    ObjectIdentifier(ArchivedArray.self), ObjectIdentifier(ArchivedDictionary.self), ObjectIdentifier(ArchivedSet.self),
    ObjectIdentifier(ArchivedObject.self),
  ]

  fileprivate struct LayoutKey: Hashable {
    var shape: Int
    var classUID: UInt32
    var encodingOrder: [Int]
  }
}

extension KeyedUnarchiver {
  /// The archived objects of this decoder.
  fileprivate var graph: ArchivedObjects { companions.object(ArchivedObjects()) }

  /// Returns an object as data, and decodes all objects reachable from it. Iterative, because graphs may be deep.
  func graphValue(_ uid: UInt32) throws -> ArchivedObject.Value {
    let graph = graph
    var unfilled: [(object: ArchivedObject, uid: UInt32)] = []
    let value = try graphValue(uid, graph, &unfilled)
    do {
      if !unfilled.isEmpty {
        var order = graph.encodingOrder ?? EncodingOrder(storage.state)
        graph.encodingOrder = nil
        defer { graph.encodingOrder = order }
        if !graph.knowsWholeOrder { try order.follow(uid, &storage.state) }
      }
      while let next = unfilled.popLast() { try fill(next.object, next.uid, graph, &unfilled) }
    } catch {
      // Some objects are incomplete.
      forgetValues(of: graph)
      throw error
    }
    return value
  }

  // Releasing a value can run a `deinit` that uses this decoder, so values are released after the access.

  private func forgetValues(of graph: ArchivedObjects) {
    let released = graph.values
    graph.values = [:]
    withExtendedLifetime(released) {}
  }

  private func replaceGraph() {
    let released = companions[ArchivedObjects.self]
    companions[ArchivedObjects.self] = nil
    withExtendedLifetime(released) {}
  }

  private func graphValue(
    _ uid: UInt32, _ graph: ArchivedObjects, _ unfilled: inout [(object: ArchivedObject, uid: UInt32)]
  ) throws -> ArchivedObject.Value {
    guard uid != 0 else { return .null }
    if let known = graph.values[uid] { return known }
    let entry = try storage.state.source.checkedEntry(uid)
    let value: ArchivedObject.Value
    if entry.kind == .dictionary {
      guard let classUID = try storage.state.classUID(of: uid) else { return .null }
      let record = try classRecord(classUID)
      if let decoded = try decodedValue(uid, record, graph) {
        value = .value(decoded)
      } else {
        let object = ArchivedObject(record.description)
        unfilled.append((object, uid))
        value = .object(object)
      }
    } else if storage.state.source.isNull(entry) {
      let placeholder = ArchivedObject(ClassDescription(name: "NSObject", chain: ["NSObject"]))
      placeholder.isPlaceholder = true
      value = .conditionalObject(placeholder)
    } else {
      let row = try storage.state.source.row(Int(uid), of: storage.state.source.envelope.objects)
      value = .boxed(BoxedPrimitive(try primitive(entry, uid, graph), from: graph.origin, row: row))
    }
    graph.values[uid] = value
    return value
  }

  /// Decodes an object as the first of the requested types that matches its class; returns nil if none does.
  private func decodedValue(_ uid: UInt32, _ record: ClassRecord, _ graph: ArchivedObjects) throws -> (any KeyedCoding)?
  {
    guard let type = try graph.valueTypes?.type(for: record) else { return nil }
    if type == URL.self, try hasOtherKeys(than: URL.archiveKeys, uid) { return nil }
    // The last requested key does not lead to this object, so paths in errors are searched.
    let former = storage.state.detachedUID
    storage.state.detachedUID = uid
    defer { storage.state.detachedUID = former }
    let decoded = try complete {
      try withAllowList(graph.contentTypes) { try type.decode(ArchiveUID(rawValue: uid), in: self) }
    }
    guard let value = decoded as? any SecureKeyedCoding else { return nil }
    // Equal values of these types are one object in every archive.
    if value is any SharedByValue { return value }
    return ArchivedInstance(value)
  }

  private func primitive(_ item: BinaryItem, _ uid: UInt32, _ graph: ArchivedObjects) throws -> ArchivePrimitive {
    try spend(item, graph)
    switch item.kind {
    case .ascii, .utf16: return .string(try storage.state.source.string(item))
    case .data: return .data(try Data.read(item, storage.state.source))
    case .true, .false, .integer, .float, .double:
      return .number(try ArchiveNumber.read(item, storage.state.source))
    default:
      throw KeyedArchiveError(
        .damagedArchive, "invalid object #\(uid): found a value of kind \(item.kind)", uid: ArchiveUID(rawValue: uid),
        byteOffset: storage.state.source.offset(of: item))
    }
  }

  func fill(
    _ object: ArchivedObject, _ uid: UInt32, _ graph: ArchivedObjects,
    _ unfilled: inout [(object: ArchivedObject, uid: UInt32)]
  ) throws {
    let item = try storage.state.source.entry(uid)
    (object.entries, object.layout) = try entries(of: item, uid, graph, &unfilled)
  }

  /// Returns the top-level values as data, with all objects reachable from them.
  func graphTopLevel(makingValues types: [any KeyedCoding.Type]) throws -> ArchivedTopLevel {
    let wanted = types.filter {
      !ArchivedObjects.graphTypes.contains(ObjectIdentifier($0)) && !($0 is any PrimitiveValue.Type)
    }
    // Objects of other calls cannot be reused: they were decoded as other types, and the caller can have changed or
    // dismantled them.
    replaceGraph()
    defer { replaceGraph() }
    if !wanted.isEmpty {
      self.graph.valueTypes = list(of: wanted)
      self.graph.contentTypes = list(of: types)
    }
    storage.state.beginCallOfMany()
    defer { storage.state.endCallOfMany() }
    let graph = graph
    graph.encodingOrder = try EncodingOrder(wholeOf: &storage.state)
    graph.knowsWholeOrder = true
    var unfilled: [(object: ArchivedObject, uid: UInt32)] = []
    var top = ArchivedTopLevel([])
    do {
      // If one of the values is damaged, the objects of the others are incomplete.
      (top.entries, top.layout) = try entries(of: storage.state.source.envelope.top, 0, graph, &unfilled)
      while let next = unfilled.popLast() { try fill(next.object, next.uid, graph, &unfilled) }
    } catch {
      forgetValues(of: graph)
      throw error
    }
    if !wanted.isEmpty { for value in graph.values.values { value.collectObjects(into: &top.heldObjects) } }
    return top
  }

  /// Returns the entries of an object, or of the top level for UID 0.
  private func entries(
    of item: BinaryItem, _ uid: UInt32, _ graph: ArchivedObjects,
    _ unfilled: inout [(object: ArchivedObject, uid: UInt32)]
  ) throws -> ([ArchivedObject.Entry], ArchivedLayout) {
    let shape = try storage.state.layout(of: item)
    try spend(item, graph)
    let classPosition = uid == 0 ? -1 : storage.state.classPosition(ofLayout: shape)
    var entries: [ArchivedObject.Entry] = []
    entries.reserveCapacity(item.count)
    var numbers: [UInt32] = []
    numbers.reserveCapacity(item.count)
    var isInOrder = true
    for place in 0..<item.count where place != classPosition {
      let stored = try storage.state.storedEntry(place, of: item, layout: shape)
      var last: UInt32 = 0
      // The call is the argument, because a variable between them would be copied.
      entries.append(try entry(stored, EncodingOrder.Place(uid: uid, place: place), graph, &last, &unfilled))
      if let before = numbers.last, before > last { isInOrder = false }
      numbers.append(last)
    }
    var order = Array(numbers.indices)
    if !isInOrder { order.sort { (numbers[$0], $0) < (numbers[$1], $1) } }
    if let found = graph.encodingOrder?.orders[uid] {
      // Primitives may come last, because they have no UIDs.
      let places = found.map { classPosition >= 0 && $0 > classPosition ? $0 - 1 : $0 }
      let known = Set(places)
      order = places + order.filter { !known.contains($0) }
    }
    let classUID = uid == 0 ? 0 : try storage.state.classUID(of: uid) ?? 0
    return (entries, try layout(shape, item, classUID, order, graph))
  }

  /// Returns a stored entry at a place. Sets `last` to the greatest UID that its value refers to.
  func entry(
    _ stored: (key: String, row: UInt32, value: BinaryItem), _ place: EncodingOrder.Place, _ graph: ArchivedObjects,
    _ last: inout UInt32, _ unfilled: inout [(object: ArchivedObject, uid: UInt32)]
  ) throws -> ArchivedObject.Entry {
    var content = try self.stored(stored.value, stored.key, place.uid, graph, &last, &unfilled)
    if case .object(let target) = content, graph.encodingOrder?.isConditional(place) ?? false {
      content = .conditionalObject(target)
    }
    return ArchivedObject.Entry(stored.key, content, from: graph.origin, row: stored.row)
  }

  /// Returns a value of an object. Sets `last` to the greatest UID that the value refers to, because objects encoded
  /// first by this value have greater UIDs than all objects before.
  private func stored(
    _ item: BinaryItem, _ key: String, _ uid: UInt32, _ graph: ArchivedObjects, _ last: inout UInt32,
    _ unfilled: inout [(object: ArchivedObject, uid: UInt32)]
  ) throws -> ArchivedObject.Value {
    switch item.kind {
    // A long text or data is read once, however many objects contain it.
    case .data where item.count >= 256: return .data(try content(Data.self, item))
    case .ascii where item.count >= 256, .utf16 where item.count >= 256: return .string(try content(String.self, item))
    default: break
    }
    // The object was charged for the storage of its values.
    try spend(item.weight - ExpansionBudget.element, graph)
    switch item.kind {
    case .uid:
      last = try storage.state.source.uid(item)
      return try graphValue(last, graph, &unfilled)
    case .true, .false, .integer, .float, .double:
      return .number(try ArchiveNumber.read(item, storage.state.source))
    case .data: return .data(try Data.read(item, storage.state.source))
    case .ascii, .utf16: return .string(try storage.state.source.string(item))
    case .array:
      var values: [ArchivedObject.Value] = []
      values.reserveCapacity(item.count)
      for place in 0..<item.count {
        let element = try storage.state.source.element(place, of: item)
        guard element.kind == .uid else {
          throw KeyedArchiveError(
            .typeMismatch,
            "element \(place) of '\(key)' is a value of kind \(element.kind.name); expected a reference",
            at: valuePlace(key, of: uid), uid: ArchiveUID(rawValue: uid),
            byteOffset: storage.state.source.offset(of: element), remedy: "Read the archive with KeyedArchive")
        }
        let number = try storage.state.source.uid(element)
        if number > last { last = number }
        values.append(try graphValue(number, graph, &unfilled))
      }
      return .references(values)
    case .null, .date, .set, .dictionary:
      throw KeyedArchiveError(
        .malformedValue, "'\(key)' is a value of kind \(item.kind), which no archiver stores",
        at: valuePlace(key, of: uid), uid: ArchiveUID(rawValue: uid), byteOffset: storage.state.source.offset(of: item),
        remedy: "Read the archive with KeyedArchive")
    }
  }

  /// Returns the place of a value, or that of the current object if the value belongs to another one.
  private func valuePlace(_ key: String, of uid: UInt32) -> ArchivePlace {
    if uid == storage.state.objectUID { return storage.state.place(to: key) }
    guard uid != 0, storage.state.objectUID == nil else { return storage.state.place() }
    // No open scope leads to the object.
    let former = storage.state.detachedUID
    storage.state.detachedUID = uid
    defer { storage.state.detachedUID = former }
    return storage.state.place(to: key)
  }

  /// Charges the budget for an item, because objects may share their contents.
  func spend(_ item: BinaryItem, _ graph: ArchivedObjects) throws { try spend(item.weight, graph) }

  private func spend(_ weight: Int64, _ graph: ArchivedObjects) throws {
    guard weight > 0 else { return }
    var budget = graph.budget ?? storage.state.source.budget
    guard budget.take(weight) else { throw storage.state.source.tooLarge() }
    graph.budget = budget
  }

  /// Returns the layout of an object. Its values were encoded in the order in which their objects got UIDs.
  private func layout(
    _ shape: Int, _ item: BinaryItem, _ classUID: UInt32, _ order: [Int], _ graph: ArchivedObjects
  ) throws -> ArchivedLayout {
    let key = ArchivedObjects.LayoutKey(shape: shape, classUID: classUID, encodingOrder: order)
    // Objects of one class often follow each other, so the last layout is compared before an order is hashed.
    if let last = graph.lastLayout, last.key == key { return last.layout }
    if let known = graph.layouts[key] {
      graph.lastLayout = (key, known)
      return known
    }
    var rows = graph.nameRows[classUID] ?? []
    if rows.isEmpty, classUID != 0 {
      rows = try ClassRecord.nameRows(classUID, in: storage.state.source)
      // Many records can share one long list.
      try spend(ExpansionBudget.element * Int64(rows.count), graph)
    }
    graph.nameRows[classUID] = rows
    let layout = ArchivedLayout(
      writtenKeys: (0..<item.count).map { storage.state.storedKey($0, ofLayout: shape) }, encodingOrder: order,
      origin: graph.origin, nameRows: rows,
      keyRows: try (0..<item.count).map { try storage.state.source.row($0, of: item) })
    graph.layouts[key] = layout
    graph.lastLayout = (key, layout)
    return layout
  }
}
