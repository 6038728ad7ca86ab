// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The order in which the objects of a property list are written, and the index of each object in the written file.
///
/// Writers traverse a list from its top object: parents before children, the keys of a dictionary before its values.
/// They differ for objects that they visit again. CoreFoundation's writer finds strings, numbers, dates and data by
/// identity and writes them once. A process has one object for each value of Booleans and UIDs. The writer appends
/// these again at each visit, but all references name the first copy. The later copies are the unreferenced duplicates
/// in Apple's files. The oldest Apple writers and other writers write each object once.
package struct Flattening {
  /// How to write a Boolean or UID that was visited before.
  enum Repeats {
    /// Append an unreferenced duplicate.
    case appended
    /// Write it once.
    case uniqued
  }

  /// The objects in the order of writing, with duplicates.
  var order: [ObjectRef] = []
  /// The index of each object in the written file; -1 for objects that are not written.
  var numbers: [Int32]

  /// Writes a list in this order.
  func write(_ list: PropertyList) throws(PropertyListError) -> Data {
    let file = list.bytes
    var writer = BinaryWriter(objectCount: order.count, byteCount: file.count)
    // Objects that overlap in the input are written separately.
    var budget = list.expansionBudget
    let bytes = file.span
    for ref in order {
      guard let item = try list.storedItem(ref) else {
        writer.put(try list.object(ref), index: number)
        continue
      }
      guard budget.take(item.weight) else { throw list.tooLarge() }
      let table = list.table
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
      case .array: try writeContainer(BinaryLayout.array, item, references: item.count, table, bytes, to: &writer)
      case .set: try writeContainer(BinaryLayout.set, item, references: item.count, table, bytes, to: &writer)
      case .dictionary:
        try writeContainer(BinaryLayout.dictionary, item, references: 2 * item.count, table, bytes, to: &writer)
      }
    }
    return writer.finish(top: number(list.top))
  }

  private func number(_ ref: ObjectRef) -> UInt32 { UInt32(bitPattern: numbers[ref.index]) }

  private func writeContainer(
    _ marker: UInt8, _ item: BinaryItem, references: Int, _ table: BinaryTable, _ bytes: Span<UInt8>,
    to writer: inout BinaryWriter
  ) throws(PropertyListError) {
    writer.beginContainer(marker, count: item.count)
    for i in 0..<references { writer.put(reference: number(try table.element(i, of: item, in: bytes))) }
  }
}

extension PropertyList {
  /// Returns the order in which to write the list. Without edits it is the order of the input. Otherwise it is from the
  /// top object down, with the duplicates of the input's writer.
  func flattened() throws(PropertyListError) -> Flattening {
    guard objectCount <= Int32.max else { throw .tooManyObjects }
    guard isEdited else {
      return Flattening(
        order: (0..<UInt32(objectCount)).map(ObjectRef.init(rawValue:)), numbers: Array(0..<Int32(objectCount)))
    }
    if format == .xml { return try flattened(repeats: .appended) }
    return try flattened(repeats: hasUnreferencedObjects() ? .appended : .uniqued)
  }

  /// Returns whether the input has an object without references to it.
  private func hasUnreferencedObjects() throws(PropertyListError) -> Bool {
    var isReferenced = [Bool](repeating: false, count: table.objectCount)
    isReferenced[table.top.index] = true
    let file = self.bytes
    let bytes = file.span
    var budget = expansionBudget
    for row in 0..<UInt32(table.objectCount) {
      let item = try table.item(ObjectRef(rawValue: row), in: bytes)
      guard budget.take(item.weight) else { throw tooLarge() }
      let references = item.kind == .dictionary ? 2 * item.count : item.count
      guard item.kind.isContainer else { continue }
      for i in 0..<references { isReferenced[try table.element(i, of: item, in: bytes).index] = true }
    }
    return isReferenced.contains(false)
  }

  /// Returns the order from the top object down.
  func flattened(repeats: Flattening.Repeats) throws(PropertyListError) -> Flattening {
    var flat = Flattening(numbers: [Int32](repeating: -1, count: objectCount))
    // An edited Boolean or UID has no identity, so it is a duplicate of the first one with its value.
    var firstOfUID: [UInt64: Int32] = [:]
    var firstOfBoolean: [Bool: Int32] = [:]
    var stack = [top]
    var budget = expansionBudget
    while let ref = stack.popLast() {
      // Strings and data are not read, because many references can lead to a long one.
      let item = try storedItem(ref)
      let edited = item == nil ? try object(ref) : nil
      let next = Int32(truncatingIfNeeded: flat.order.count)
      var isRepeat = flat.numbers[ref.index] >= 0
      var number = isRepeat ? flat.numbers[ref.index] : next
      if let value = uid(item, edited) {
        try PropertyListError.check(uid: value)
        if !isRepeat, edited != nil, let first = firstOfUID[value] { (isRepeat, number) = (true, first) }
        if firstOfUID[value] == nil { firstOfUID[value] = number }
      } else if let value = boolean(item, edited) {
        if !isRepeat, edited != nil, let first = firstOfBoolean[value] { (isRepeat, number) = (true, first) }
        if firstOfBoolean[value] == nil { firstOfBoolean[value] = number }
      } else if isRepeat {
        continue
      }
      if !isRepeat { guard budget.take(item?.weight ?? edited?.weight ?? 0) else { throw tooLarge() } }
      flat.numbers[ref.index] = number
      if isRepeat, repeats == .uniqued { continue }
      flat.order.append(ref)
      guard flat.order.count < Int32.max else { throw .tooManyObjects }
      if let item, item.kind.isContainer {
        let count = item.kind == .dictionary ? 2 * item.count : item.count
        for index in (0..<count).reversed() { stack.append(try element(index, of: item)) }
      }
      switch edited {
      case .array(let refs), .set(let refs): stack.append(contentsOf: refs.reversed())
      case .dictionary(let keys, let values):
        guard keys.count == values.count else { throw .unequalCounts(keys.count, values.count) }
        stack.append(contentsOf: values.reversed())
        stack.append(contentsOf: keys.reversed())
      default: break
      }
    }
    return flat
  }

  /// Returns the UID that an object is, or nil. The object is in the file, or was edited.
  private func uid(_ item: BinaryItem?, _ edited: PropertyListObject?) -> UInt64? {
    if let item { return item.kind == .uid ? file.withSpan { table.uid(item, in: $0) } : nil }
    guard case .uid(let value) = edited else { return nil }
    return value
  }

  /// Returns the Boolean that an object is, or nil. The object is in the file, or was edited.
  private func boolean(_ item: BinaryItem?, _ edited: PropertyListObject?) -> Bool? {
    if let item { return item.kind == .true ? true : item.kind == .false ? false : nil }
    guard case .boolean(let value) = edited else { return nil }
    return value
  }
}
