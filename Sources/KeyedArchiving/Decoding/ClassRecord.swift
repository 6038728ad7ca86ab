// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// An archived class record: the class name, the superclass chain and the class hints.
package struct ClassRecord: Sendable {
  let uid: UInt32
  package var name: String
  /// The class and its superclasses; empty if the record has no chain, as for a renamed class.
  var chain: [String] = []
  /// The substitute classes for readers that lack the class.
  var hints: [String] = []

  /// The cost of the names in Swift of mangled names, which the search for a type needs.
  var swiftNameCost: Int64 { hints.reduce(TypeName.swiftNameCost(of: name)) { $0 + TypeName.swiftNameCost(of: $1) } }

  package var description: ClassDescription { ClassDescription(name: name, chain: chain, hints: hints) }

  /// The checked parts of a record, which are not yet decoded.
  struct Parts {
    let uid: UInt32
    var name: BinaryItem
    var chain: BinaryItem?
    var hints: BinaryItem?
  }

  /// Decodes the names of a record.
  init(_ parts: Parts, in source: borrowing ArchiveSource) throws(KeyedArchiveError) {
    uid = parts.uid
    name = try source.string(parts.name)
    if let chain = parts.chain { self.chain = try Self.names(chain, in: source) }
    if let hints = parts.hints { self.hints = try Self.names(hints, in: source) }
  }

  private static func names(
    _ list: BinaryItem, in source: borrowing ArchiveSource
  ) throws(KeyedArchiveError) -> [String] {
    var names: [String] = []
    names.reserveCapacity(min(list.count, 4))
    for index in 0..<list.count { names.append(try source.string(source.element(index, of: list))) }
    return names
  }
}

/// The keys of a class record.
package enum ClassRecordKey: String, CaseIterable, Sendable {
  case name = "$classname"
  case chain = "$classes"
  case hints = "$classhints"

  /// The length of the longest key.
  fileprivate static let maximumCount = 11

  /// Creates the key whose text an ASCII string is. The texts are compared as big-endian integers.
  fileprivate init?(_ item: BinaryItem, in bytes: Span<UInt8>) {
    guard item.kind == .ascii, 8...11 ~= item.count else { return nil }
    let first = bytes.bigEndian(at: item.content, width: 8)
    let last = bytes.bigEndian(at: item.content &+ item.count &- 8, width: 8)
    switch (item.count, first, last) {
    case (10, 0x2463_6C61_7373_6E61, 0x6C61_7373_6E61_6D65): self = .name
    case (8, 0x2463_6C61_7373_6573, _): self = .chain
    case (11, 0x2463_6C61_7373_6869, 0x6173_7368_696E_7473): self = .hints
    default: return nil
    }
  }
}

extension ClassRecord.Parts {
  /// Finds and checks the parts of a record.
  init(_ uid: UInt32, in state: inout UnarchiverState) throws(KeyedArchiveError) {
    let entry = try state.source.entry(uid)
    func invalid(_ detail: String) -> KeyedArchiveError {
      KeyedArchiveError(
        .damagedArchive, "invalid class record #\(uid): \(detail)", uid: ArchiveUID(rawValue: uid),
        byteOffset: state.source.offset(of: entry))
    }
    guard entry.kind == .dictionary else {
      throw invalid("found a value of kind \(entry.kind.name); expected a dictionary")
    }
    // Overlapping records can share lists, and lists can share names.
    try state.charge(entry.weight)
    /// Checks a list of names, and returns `false` if the item is not one.
    func isList(_ item: BinaryItem) throws(KeyedArchiveError) -> Bool {
      guard item.kind == .array else { return false }
      for index in 0..<item.count {
        let name = try state.source.element(index, of: item)
        guard name.kind == .ascii || name.kind == .utf16 else { return false }
        try state.charge(name.weight)
        try state.source.checkText(name)
      }
      return true
    }
    /// Returns the part that a key names.
    func part(_ key: BinaryItem) throws(KeyedArchiveError) -> ClassRecordKey? {
      try state.charge(key.weight)
      if let part = ClassRecordKey(key, in: state.source.bytes.span) { return part }
      return try ClassRecordKey(exactly: state.source.string(key))
    }
    var name: BinaryItem?
    var chain: BinaryItem?
    var hints: BinaryItem?
    for position in 0..<entry.count {
      let key = try state.source.element(position, of: entry)
      guard key.kind == .ascii || key.kind == .utf16 else { continue }
      let value = try state.source.element(entry.count + position, of: entry)
      // All readers of the record use the first of duplicate keys.
      switch try part(key) {
      case .name where name == nil:
        guard value.kind == .ascii || value.kind == .utf16 else { throw invalid("'$classname' is not a string") }
        try state.charge(value.weight)
        try state.source.checkText(value)
        name = value
      case .chain where chain == nil:
        guard try isList(value) else { throw invalid("'$classes' is not an array of strings") }
        chain = value
      case .hints where hints == nil:
        guard try isList(value) else { throw invalid("'$classhints' is not an array of strings") }
        hints = value
      default: break
      }
    }
    guard let name else { throw invalid("'$classname' is missing") }
    self.init(uid: uid, name: name, chain: chain, hints: hints)
  }
}

extension ClassRecord {
  /// Returns the object indexes of the strings in a class record: of the name, the chain and the hints.
  package static func nameRows(
    _ uid: UInt32, in source: borrowing ArchiveSource
  ) throws(KeyedArchiveError) -> [UInt32] {
    let record = try source.entry(uid)
    var parts: [ClassRecordKey: [UInt32]] = [:]
    for position in 0..<record.count {
      let key = try source.element(position, of: record)
      guard key.kind == .ascii || key.kind == .utf16, key.count <= ClassRecordKey.maximumCount,
        let part = ClassRecordKey(exactly: try source.string(key)), parts[part] == nil
      else { continue }
      let value = try source.element(record.count + position, of: record)
      parts[part] =
        try value.kind == .array ? rows(of: value, in: source) : [source.row(record.count + position, of: record)]
    }
    return ClassRecordKey.allCases.flatMap { parts[$0] ?? [] }
  }

  private static func rows(
    of list: BinaryItem, in source: borrowing ArchiveSource
  ) throws(KeyedArchiveError) -> [UInt32] {
    // Many records can share a list of thousands of names.
    let bytes = source.bytes.span
    var rows: [UInt32] = []
    rows.reserveCapacity(list.count)
    do {
      for index in 0..<list.count { rows.append(try source.table.element(index, of: list, in: bytes).rawValue) }
    } catch {
      throw KeyedArchiveError(error)
    }
    return rows
  }
}
