// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension EncodedValues {
  /// Returns a value as a binary file, with its objects in CoreFoundation's order: a container, its keys, then its values
  /// with their contents. Equal strings, numbers, dates and data have one object.
  /// - Parameter top: The value at the top level.
  /// - Returns: The bytes of the file.
  /// - Throws: ``PropertyListError`` if containers nest too deeply, or the file would have too many objects.
  func binary(top: Cell) throws(PropertyListError) -> Data {
    var objects = ObjectOrder(self)
    _ = try objects.add(top, of: self)
    // A number takes at most nine bytes, and so does the head of another object.
    var writer = BinaryWriter(
      objectCount: objects.cells.count,
      byteCount: contentByteCount &+ 9 &* objects.cells.count &+ 2 &* objects.references.count)
    var reference = 0
    for cell in objects.cells {
      switch cell.kind {
      case .false: writer.put(false)
      case .true: writer.put(true)
      case .integer: writer.put(cell.integer)
      case .float: writer.put(cell.float)
      case .double: writer.put(cell.double)
      case .date: writer.put(date: cell.double)
      case .uid: writer.put(uid: cell.bits)
      case .content:
        switch contents[cell.content] {
        case .string(let text): writer.put(text)
        case .data(let data): writer.put(data: data)
        case .wideInteger(let high, let low): writer.put(wide: WideInteger(high: high, low: low))
        default: writer.putNull()
        }
      case .array, .dictionary:
        let isArray = cell.kind == .array
        writer.beginContainer(isArray ? BinaryLayout.array : BinaryLayout.dictionary, count: Int(cell.count))
        let start = objects.firstReferences[reference]
        reference &+= 1
        let count = isArray ? Int(cell.count) : 2 &* Int(cell.count)
        for index in start..<start &+ count { writer.put(reference: objects.references[index]) }
      }
    }
    return writer.finish(top: 0)
  }
}

/// The objects of a binary file in the order of writing.
private struct ObjectOrder {
  var cells: ContiguousArray<EncodedValues.Cell> = []
  /// The references of the containers. Those of a dictionary to its values follow those to its keys.
  var references: ContiguousArray<UInt32> = []
  /// The index of the first reference of each container, in the order of the containers.
  var firstReferences: ContiguousArray<Int> = []
  /// The index of the object of each content; `UInt32.max` if it has none yet.
  private var contentNumbers: ContiguousArray<UInt32>
  private var numbers = HashIndex()
  private var stack = StackGuard()

  init(_ values: borrowing EncodedValues) {
    contentNumbers = ContiguousArray(repeating: .max, count: values.contents.count)
    cells.reserveCapacity(values.cells.count)
    references.reserveCapacity(2 * values.cells.count)
  }

  /// Adds a value with its contents, and returns the index of its object.
  mutating func add(
    _ cell: EncodedValues.Cell, of values: borrowing EncodedValues, depth: Int = 0
  ) throws(PropertyListError) -> UInt32 {
    guard cells.count < Int32.max else { throw .tooManyObjects }
    switch cell.kind {
    case .content: return add(content: cell.content)
    case .array:
      let (object, start) = try addContainer(cell, references: cell.elements.count, depth)
      var reference = start
      for index in cell.elements {
        references[reference] = try add(values.cells[index], of: values, depth: depth &+ 1)
        reference &+= 1
      }
      return object
    case .dictionary:
      let count = cell.elements.count
      let (object, start) = try addContainer(cell, references: 2 &* count, depth)
      let key = cell.firstKey
      for index in 0..<count { references[start &+ index] = add(content: Int(values.keys[key &+ index])) }
      var reference = start &+ count
      for index in cell.elements {
        references[reference] = try add(values.cells[index], of: values, depth: depth &+ 1)
        reference &+= 1
      }
      return object
    default:
      var search = numbers.search(values.hash.of(cell.bits, kind: cell.kind.rawValue))
      while let found = numbers.next(&search) {
        let other = cells[Int(found)]
        if other.kind == cell.kind, other.bits == cell.bits { return found }
      }
      let object = append(cell)
      numbers.add(object, at: search)
      return object
    }
  }

  @inline(__always)
  private mutating func append(_ cell: EncodedValues.Cell) -> UInt32 {
    cells.append(cell)
    return UInt32(truncatingIfNeeded: cells.count &- 1)
  }

  @inline(__always)
  private mutating func add(content: Int) -> UInt32 {
    let known = contentNumbers[content]
    if known != .max { return known }
    let object = append(EncodedValues.Cell(.content, bits: UInt64(content)))
    contentNumbers[content] = object
    return object
  }

  private mutating func addContainer(
    _ cell: EncodedValues.Cell, references count: Int, _ depth: Int
  ) throws(PropertyListError) -> (object: UInt32, start: Int) {
    try PropertyListValue.check(depth: depth, &stack)
    let start = references.count
    for _ in 0..<count { references.append(0) }
    firstReferences.append(start)
    return (append(cell), start)
  }
}
