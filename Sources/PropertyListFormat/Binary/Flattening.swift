// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The order in which a property list's objects are written, and the number each is referred to by.
///
/// Writers walk from the top object, parents before children, a dictionary's keys before its values. They differ in what
/// they do with an object they meet again. CoreFoundation's writer looks strings, numbers, dates and data up by identity
/// and writes them once; booleans and UIDs, of which a process holds one object for each value, it appends again each
/// time, while all references go to the first copy. Those later copies are the orphans in Apple's files. The oldest Apple
/// writers, and other people's, write every object once.
package struct Flattening {
  /// What happens to a boolean or UID that was met before.
  enum Repeats {
    /// It is appended again, as an orphan.
    case appended
    /// It is written once.
    case uniqued
  }

  /// Rows in the order of writing; a row may stand here more than once.
  var order: [ObjectRef] = []
  /// The number of each row, by row; -1 for rows that are not written.
  var numbers: [Int32]

  /// Writes `list` in this order.
  func write(_ list: PropertyList) throws(PropertyListError) -> Data {
    var writer = BinaryWriter(objectCount: order.count, byteCount: list.bytes.count)
    // Rows that share their bytes do so no more when they are written.
    var room = ExpansionBudget(byteCount: list.bytes.count, limits: list.limits)
    for ref in order {
      guard let item = try list.storedItem(ref) else {
        write(try list.object(ref), to: &writer)
        continue
      }
      guard room.take(item.weight) else { throw list.tooLarge() }
      let table = list.table
      let bytes = list.bytes.span
      switch item.kind {
      case .null: writer.putNull()
      case .false: writer.put(false)
      case .true: writer.put(true)
      case .integer where item.count == 16: writer.put(wide: table.wideInteger(item, in: bytes))
      case .integer: writer.put(table.integer(item, in: bytes))
      case .float: writer.put(table.float(item, in: bytes))
      case .double: writer.put(table.double(item, in: bytes))
      case .date: writer.put(date: table.double(item, in: bytes))
      case .uid: writer.put(uid: table.uid(item, in: bytes))
      case .data: writer.copy(BinaryLayout.data, item, byteCount: item.count, in: bytes)
      case .ascii: writer.copy(BinaryLayout.ascii, item, byteCount: item.count, in: bytes)
      case .utf16: writer.copy(BinaryLayout.utf16, item, byteCount: 2 * item.count, in: bytes)
      case .array: try writeContainer(BinaryLayout.array, item, references: item.count, list, to: &writer)
      case .set: try writeContainer(BinaryLayout.set, item, references: item.count, list, to: &writer)
      case .dictionary:
        try writeContainer(BinaryLayout.dictionary, item, references: 2 * item.count, list, to: &writer)
      }
    }
    return writer.finish(top: number(list.top))
  }

  private func number(_ ref: ObjectRef) -> UInt32 { UInt32(bitPattern: numbers[ref.index]) }

  private func writeContainer(
    _ marker: UInt8, _ item: BinaryItem, references: Int, _ list: PropertyList, to writer: inout BinaryWriter
  ) throws(PropertyListError) {
    writer.beginContainer(marker, count: item.count)
    let bytes = list.bytes.span
    for i in 0..<references { writer.put(reference: number(try list.table.element(i, of: item, in: bytes))) }
  }

  private func write(_ object: PropertyListObject, to writer: inout BinaryWriter) {
    switch object {
    case .null: writer.putNull()
    case .boolean(let value): writer.put(value)
    case .integer(let value): writer.put(value)
    case .wideInteger(let value): writer.put(wide: value)
    case .float(let value): writer.put(value)
    case .double(let value): writer.put(value)
    case .date(let value): writer.put(date: value)
    case .data(let value): writer.put(data: value)
    case .string(let value): writer.put(value)
    case .uid(let value): writer.put(uid: value)
    case .array(let refs): write(BinaryLayout.array, count: refs.count, refs, to: &writer)
    case .set(let refs): write(BinaryLayout.set, count: refs.count, refs, to: &writer)
    case .dictionary(let keys, let values):
      write(BinaryLayout.dictionary, count: keys.count, keys + values, to: &writer)
    }
  }

  private func write(_ marker: UInt8, count: Int, _ refs: [ObjectRef], to writer: inout BinaryWriter) {
    writer.beginContainer(marker, count: count)
    for ref in refs { writer.put(reference: number(ref)) }
  }
}

extension PropertyList {
  /// The order in which to write this list: rows as they were read if nothing was changed, else from the top down, with
  /// repeats treated as the file that was read treats them.
  func flattened() throws(PropertyListError) -> Flattening {
    guard isEdited else {
      return Flattening(
        order: (0..<UInt32(objectCount)).map(ObjectRef.init(rawValue:)), numbers: Array(0..<Int32(objectCount)))
    }
    if format == .xml { return try flattened(repeats: .appended) }
    return try flattened(repeats: hasOrphans() ? .appended : .uniqued)
  }

  /// Whether some row of the table as it was read is referred to by no other.
  private func hasOrphans() throws(PropertyListError) -> Bool {
    var isReferenced = [Bool](repeating: false, count: table.objectCount)
    isReferenced[table.top.index] = true
    let bytes = bytes.span
    for row in 0..<UInt32(table.objectCount) {
      let item = try table.item(ObjectRef(rawValue: row), in: bytes)
      let references = item.kind == .dictionary ? 2 * item.count : item.count
      guard item.kind == .dictionary || item.kind == .array || item.kind == .set else { continue }
      for i in 0..<references { isReferenced[try table.element(i, of: item, in: bytes).index] = true }
    }
    return isReferenced.contains(false)
  }

  /// The order of writing from the top down.
  func flattened(repeats: Flattening.Repeats) throws(PropertyListError) -> Flattening {
    var flat = Flattening(numbers: [Int32](repeating: -1, count: objectCount))
    // A boolean or UID that an edit put in has no identity of its own: it stands for the first one of its value.
    var firstOfUID: [UInt64: Int32] = [:]
    var firstOfBoolean: [Bool: Int32] = [:]
    var stack = [top]
    while let ref = stack.popLast() {
      let object = try object(ref)
      let next = Int32(truncatingIfNeeded: flat.order.count)
      var isRepeat = flat.numbers[ref.index] >= 0
      var number = isRepeat ? flat.numbers[ref.index] : next
      let isStored = !isEdited || (ref.index < table.objectCount && replaced[ref] == nil)
      switch object {
      case .uid(let value):
        if !isRepeat, !isStored, let first = firstOfUID[value] { (isRepeat, number) = (true, first) }
        if firstOfUID[value] == nil { firstOfUID[value] = number }
      case .boolean(let value):
        if !isRepeat, !isStored, let first = firstOfBoolean[value] { (isRepeat, number) = (true, first) }
        if firstOfBoolean[value] == nil { firstOfBoolean[value] = number }
      default:
        if isRepeat { continue }
      }
      flat.numbers[ref.index] = number
      if isRepeat, repeats == .uniqued { continue }
      flat.order.append(ref)
      guard flat.order.count < Int32.max else {
        throw PropertyListError(.limitReached, "the list would have more than \(Int32.max) objects")
      }
      switch object {
      case .array(let refs), .set(let refs): stack.append(contentsOf: refs.reversed())
      case .dictionary(let keys, let values):
        guard keys.count == values.count else {
          throw PropertyListError(.badCount, "a dictionary has \(keys.count) keys and \(values.count) values")
        }
        stack.append(contentsOf: values.reversed())
        stack.append(contentsOf: keys.reversed())
      default: break
      }
    }
    return flat
  }
}
