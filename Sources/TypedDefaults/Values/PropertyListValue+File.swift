// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

@_spi(Archiving) public import PropertyListFormat

extension PropertyListValue {
  /// How deep containers may nest in a file, as in `ReadLimits`.
  private static let maximumDepth = 512
  private static var tooDeep: PropertyListError {
    PropertyListError(.limitReached, "containers nest deeper than the stack of this thread allows")
  }

  /// Reads a property list in either format.
  /// - Throws: `PropertyListError`, also for the null objects and sets that only binary files can have.
  public init(propertyList data: Data, limits: ReadLimits = .default) throws(PropertyListError) {
    let list = try PropertyList(data, limits: limits)
    // Whatever follows can neither meet a circle nor a level too deep.
    try list.validate()
    var reader = try ValueReader(list.tree(), ExpansionBudget(byteCount: data.count, limits: limits))
    self = try reader.value(reader.tree.top)
  }

  /// Makes values of rows.
  private struct ValueReader {
    let tree: PropertyListTree
    /// What may yet be made of rows that share their content many times over. Nobody who writes property lists has
    /// containers shared, only texts, numbers and the like.
    private var room: ExpansionBudget
    /// Texts and data, each of which is made once for all that refer to it.
    private var shared: [ObjectRef: PropertyListValue] = [:]
    private var stack = StackGuard()

    init(_ tree: PropertyListTree, _ room: ExpansionBudget) {
      self.tree = tree
      self.room = room
    }

    /// Allows for the elements of one more container.
    private mutating func take(_ count: Int, _ stride: Int) throws(PropertyListError) {
      guard stack.hasSpace() else { throw PropertyListValue.tooDeep }
      guard room.take((count + 1) * stride) else {
        throw PropertyListError(
          .limitReached,
          "the values of the list would take many times its bytes, for containers are in it many times "
            + "over (maximumExpansion)")
      }
    }

    mutating func value(_ row: ObjectRef) throws(PropertyListError) -> PropertyListValue {
      switch tree.kind(of: row) {
      case .string, .data:
        if let value = shared[row] { return value }
      default: break
      }
      switch tree[row] {
      case .boolean(let value): return .boolean(value)
      case .integer(let value): return .integer(value)
      case .wideInteger(let value): return PropertyListValue(value)
      case .float(let value): return .float(value)
      case .double(let value): return .double(value)
      case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
      case .data(let value):
        // A copy, which does not keep the whole file in memory.
        shared[row] = .data(Data(value))
        return shared[row] ?? .data(Data())
      case .string(let value):
        shared[row] = .string(value)
        return .string(value)
      case .uid(let value): return .uid(value)
      case .array(let elements):
        try take(elements.count, MemoryLayout<PropertyListValue>.stride)
        var values: [PropertyListValue] = []
        values.reserveCapacity(elements.count)
        for element in elements { values.append(try value(element)) }
        return .array(values)
      case .dictionary(let keys, let values):
        try take(keys.count, MemoryLayout<PropertyListDictionary.Element>.stride)
        var entries: [PropertyListDictionary.Element] = []
        entries.reserveCapacity(keys.count)
        for (key, row) in zip(keys, values) {
          guard case .string(let key) = try value(key) else { continue }
          entries.append(.init(key: key, value: try value(row)))
        }
        return .dictionary(PropertyListDictionary(sorting: entries))
      case let other:
        throw PropertyListError(
          .notRepresentable, "expected what programs keep in property lists, found a \(other.kindName) in \(row)")
      }
    }
  }

  /// The value as a property list's file. Equal strings, numbers, dates and data stand in a binary one once, dictionaries
  /// are in the order of their keys' bytes: equal values give equal bytes.
  ///
  /// An XML file holds dates in whole seconds and does not tell 4-byte from 8-byte reals.
  /// - Throws: `PropertyListError` for containers that nest deeper than 512 levels, or a value that the format cannot
  ///   hold.
  public func propertyList(_ format: PropertyList.Format = .binary) throws(PropertyListError) -> Data {
    var table = ValueTable()
    try table.add(self, depth: Self.maximumDepth)
    switch format {
    case .binary: return table.binary()
    case .xml:
      return try PropertyList(table: table.rows, top: ObjectRef(rawValue: 0), limits: .none).rewritten(as: .xml)
    }
  }

  /// The rows of a file that is about to be written, in the order of CoreFoundation: a container, then its keys, then its
  /// values with what is in them.
  private struct ValueTable {
    private(set) var rows: [PropertyListObject] = []
    private var texts: [BytewiseString: ObjectRef] = [:]
    private var others: [PropertyListValue: ObjectRef] = [:]
    private var stack = StackGuard()

    private mutating func append(_ row: PropertyListObject) -> ObjectRef {
      rows.append(row)
      return ObjectRef(rawValue: UInt32(truncatingIfNeeded: rows.count - 1))
    }

    private mutating func add(text: String) -> ObjectRef {
      if let row = texts[BytewiseString(text)] { return row }
      let row = append(.string(text))
      texts[BytewiseString(text)] = row
      return row
    }

    @discardableResult
    mutating func add(_ value: PropertyListValue, depth: Int) throws(PropertyListError) -> ObjectRef {
      guard rows.count < Int32.max else {
        throw PropertyListError(.limitReached, "the list would have more than \(Int32.max) objects")
      }
      switch value {
      case .string(let text): return add(text: text)
      case .array(let elements):
        try check(depth)
        let row = append(.array([]))
        var refs: [ObjectRef] = []
        refs.reserveCapacity(elements.count)
        for element in elements { refs.append(try add(element, depth: depth - 1)) }
        rows[row.index] = .array(refs)
        return row
      case .dictionary(let entries):
        try check(depth)
        let row = append(.dictionary(keys: [], values: []))
        let keys = entries.map { add(text: $0.key) }
        var values: [ObjectRef] = []
        values.reserveCapacity(entries.count)
        for entry in entries { values.append(try add(entry.value, depth: depth - 1)) }
        rows[row.index] = .dictionary(keys: keys, values: values)
        return row
      default: break
      }
      if let row = others[value] { return row }
      let row = append(Self.row(value))
      others[value] = row
      return row
    }

    private static func row(_ value: PropertyListValue) -> PropertyListObject {
      switch value {
      case .boolean(let value): .boolean(value)
      case .integer(let value): .integer(value)
      case .wideInteger(let value): .wideInteger(value)
      case .float(let value): .float(value)
      case .double(let value): .double(value)
      case .date(let value): .date(value.timeIntervalSinceReferenceDate)
      case .data(let value): .data(value)
      case .string(let value): .string(value)
      case .uid(let value): .uid(value)
      case .array: .array([])
      case .dictionary: .dictionary(keys: [], values: [])
      }
    }

    private mutating func check(_ depth: Int) throws(PropertyListError) {
      guard stack.hasSpace() else { throw PropertyListValue.tooDeep }
      guard depth <= 0 else { return }
      throw PropertyListError(
        .limitReached, "containers nest deeper than \(PropertyListValue.maximumDepth) levels, and no file may do so")
    }

    func binary() -> Data {
      var writer = BinaryWriter(objectCount: rows.count, byteCount: 16 * rows.count)
      for row in rows {
        switch row {
        case .boolean(let value): writer.put(value)
        case .integer(let value): writer.put(value)
        case .wideInteger(let value): writer.put(wide: value)
        case .float(let value): writer.put(value)
        case .double(let value): writer.put(value)
        case .date(let seconds): writer.put(date: seconds)
        case .data(let value): writer.put(data: value)
        case .string(let value): writer.put(value)
        case .uid(let value): writer.put(uid: value)
        case .array(let refs):
          writer.beginContainer(BinaryLayout.array, count: refs.count)
          for ref in refs { writer.put(reference: ref.rawValue) }
        case .dictionary(let keys, let values):
          writer.beginContainer(BinaryLayout.dictionary, count: keys.count)
          for ref in keys { writer.put(reference: ref.rawValue) }
          for ref in values { writer.put(reference: ref.rawValue) }
        case .null, .set: writer.putNull()
        }
      }
      return writer.finish(top: 0)
    }
  }
}
