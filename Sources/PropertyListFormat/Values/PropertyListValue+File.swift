// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension PropertyListValue {
  /// The maximum depth of nested containers in a file, as in ``ReadLimits``.
  private static let maximumDepth = 512

  /// Reads a property list in either format.
  /// - Parameters:
  ///   - data: The bytes of the file.
  ///   - limits: The limits on the input and on the values read from it.
  /// - Throws: ``PropertyListError`` if the bytes are not a valid property list, exceed a limit, or contain null or set
  ///   objects. Only binary files can hold such objects.
  public init(propertyList data: Data, limits: ReadLimits = .default) throws(PropertyListError) {
    let list = try PropertyList(data, limits: limits)
    // After this check, no reference cycle and no container beyond the maximum depth is left.
    try list.validate()
    var reader = try Reader(list.tree(), ExpansionBudget(byteCount: Int64(data.count), limits: limits))
    self = try reader.value(reader.tree.top)
  }

  /// Creates values from the objects of a file.
  private struct Reader {
    let tree: PropertyListTree
    /// The remaining expansion budget. Writers of property lists share strings and numbers, but not containers.
    private var budget: ExpansionBudget
    /// Strings and data, each created once for all references to it.
    private var shared: [ObjectRef: PropertyListValue] = [:]
    private var stack = StackGuard()

    init(_ tree: PropertyListTree, _ budget: ExpansionBudget) {
      self.tree = tree
      self.budget = budget
    }

    /// Charges the elements of one container.
    private mutating func charge(_ count: Int, _ stride: Int) throws(PropertyListError) {
      try stack.check()
      guard budget.take((Int64(count) + 1) * Int64(stride)) else {
        throw PropertyListError(
          .limitReached,
          "expansion limit reached: containers that the file contains once are referenced many times",
          remedy: PropertyListError.raise("maximumExpansion"))
      }
    }

    mutating func value(_ ref: ObjectRef) throws(PropertyListError) -> PropertyListValue {
      if tree.isTextOrData(ref), let value = shared[ref] { return value }
      switch tree[ref] {
      case .boolean(let value): return .boolean(value)
      case .integer(let value): return .integer(value)
      case .wideInteger(let high, let low): return PropertyListValue(WideInteger(high: high, low: low))
      case .float(let value): return .float(value)
      case .double(let value): return .double(value)
      case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
      case .data(let value):
        // A copy, because a slice would keep the whole file in memory.
        let value = PropertyListValue.data(Data(value))
        shared[ref] = value
        return value
      case .string(let value):
        shared[ref] = .string(value)
        return .string(value)
      case .uid(let value): return .uid(value)
      case .array(let elements):
        try charge(elements.count, MemoryLayout<PropertyListValue>.stride)
        var values: [PropertyListValue] = []
        values.reserveCapacity(elements.count)
        for element in elements { values.append(try value(element)) }
        return .array(values)
      case .dictionary(let keys, let values):
        try charge(keys.count, MemoryLayout<PropertyListDictionary.Element>.stride)
        var entries: [PropertyListDictionary.Element] = []
        entries.reserveCapacity(keys.count)
        for (key, ref) in zip(keys, values) {
          guard case .string(let key) = try value(key) else { continue }
          entries.append(.init(key: key, value: try value(ref)))
        }
        return .dictionary(PropertyListDictionary(sorting: entries))
      case .null, .set:
        throw PropertyListError(
          .notRepresentable,
          "unsupported kind: \(ref) is a \(tree[ref].kindName); expected a kind that XML property lists have",
          remedy: "Read the file with PropertyList")
      }
    }
  }

  /// Returns the property list as the bytes of a file.
  ///
  /// Equal values give equal bytes. In a binary file equal strings, numbers, dates and data share one object, and
  /// dictionaries are in the order of their keys' bytes. An XML file holds dates in whole seconds, and does not
  /// distinguish 4-byte from 8-byte reals.
  /// - Parameter format: The format to write.
  /// - Returns: The bytes of the file.
  /// - Throws: ``PropertyListError`` if containers nest more than 512 levels deep, or the format cannot hold a value.
  public func propertyList(_ format: PropertyList.Format = .binary) throws(PropertyListError) -> Data {
    var table = ObjectTable()
    try table.add(self, depth: Self.maximumDepth)
    switch format {
    case .binary: return table.binary()
    case .xml:
      return try PropertyList(table: table.objects, top: ObjectRef(rawValue: 0), limits: .none).rewritten(as: .xml)
    }
  }

  /// The objects of a file to write, in CoreFoundation's order: a container, its keys, then its values with their
  /// contents.
  private struct ObjectTable {
    private(set) var objects: [PropertyListObject] = []
    private var texts: [BytewiseString: ObjectRef] = [:]
    private var others: [PropertyListValue: ObjectRef] = [:]
    /// The objects of long texts and long data by the memory that their bytes are in. To find equal ones elsewhere, all
    /// bytes must be read.
    private var longObjects: [MemoryRange: ObjectRef] = [:]
    private var stack = StackGuard()

    private mutating func append(_ object: PropertyListObject) -> ObjectRef {
      objects.append(object)
      return ObjectRef(rawValue: UInt32(truncatingIfNeeded: objects.count - 1))
    }

    private mutating func add(text: String) -> ObjectRef {
      guard let range = MemoryRange(text) else { return add(anyText: text) }
      // Comparing a text with itself takes no time.
      if let ref = longObjects[range], case .string(text) = objects[ref.index] { return ref }
      let ref = add(anyText: text)
      longObjects[range] = ref
      return ref
    }

    private mutating func add(anyText text: String) -> ObjectRef {
      if let ref = texts[BytewiseString(text)] { return ref }
      let ref = append(.string(text))
      texts[BytewiseString(text)] = ref
      return ref
    }

    @discardableResult
    mutating func add(_ value: PropertyListValue, depth: Int) throws(PropertyListError) -> ObjectRef {
      guard objects.count < Int32.max else { throw .tooManyObjects }
      switch value {
      case .string(let text): return add(text: text)
      case .array(let elements):
        try check(depth)
        let ref = append(.array([]))
        var refs: [ObjectRef] = []
        refs.reserveCapacity(elements.count)
        for element in elements { refs.append(try add(element, depth: depth - 1)) }
        objects[ref.index] = .array(refs)
        return ref
      case .dictionary(let entries):
        try check(depth)
        let ref = append(.dictionary(keys: [], values: []))
        let keys = entries.map { add(text: $0.key) }
        var values: [ObjectRef] = []
        values.reserveCapacity(entries.count)
        for entry in entries { values.append(try add(entry.value, depth: depth - 1)) }
        objects[ref.index] = .dictionary(keys: keys, values: values)
        return ref
      case .boolean(let flag): return add(value, .boolean(flag))
      case .integer(let number): return add(value, .integer(number))
      case .wideInteger(let high, let low): return add(value, .wideInteger(high: high, low: low))
      case .float(let number): return add(value, .float(number))
      case .double(let number): return add(value, .double(number))
      case .date(let date): return add(value, .date(date.timeIntervalSinceReferenceDate))
      case .data(let data):
        guard let range = MemoryRange(data) else { return add(value, .data(data)) }
        // Comparing data with itself takes no time.
        if let ref = longObjects[range], case .data(data) = objects[ref.index] { return ref }
        let ref = add(value, .data(data))
        longObjects[range] = ref
        return ref
      case .uid(let number): return add(value, .uid(number))
      }
    }

    /// Adds an object for a value that is neither a string nor a container, unless an equal value has one.
    private mutating func add(_ value: PropertyListValue, _ object: PropertyListObject) -> ObjectRef {
      if let ref = others[value] { return ref }
      let ref = append(object)
      others[value] = ref
      return ref
    }

    /// The memory that the bytes of a value are in. The values to write keep it until the end.
    private struct MemoryRange: Hashable {
      let address: UInt
      let count: Int
      /// The maximum number of bytes of values that are found by their bytes, because that takes less time.
      private static let shortLength = 64

      /// Returns nil if the data is short.
      init?(_ data: Data) {
        guard data.count > Self.shortLength, let address = data.address else { return nil }
        self.address = address
        count = data.count
      }

      /// Returns nil if the text is short.
      init?(_ text: String) {
        guard text.utf8.count > Self.shortLength, let address = text.address else { return nil }
        self.address = address
        count = text.utf8.count
      }
    }

    private mutating func check(_ depth: Int) throws(PropertyListError) {
      try stack.check()
      if depth <= 0 { throw .tooDeep(PropertyListValue.maximumDepth) }
    }

    func binary() -> Data {
      var writer = BinaryWriter(objectCount: objects.count, byteCount: 16 * objects.count)
      for object in objects { writer.put(object) { $0.rawValue } }
      return writer.finish(top: 0)
    }
  }
}
