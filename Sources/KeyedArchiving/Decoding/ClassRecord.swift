// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// What an archive says of a class: its name, its ancestry, and names to fall back on.
package struct ClassRecord: Sendable {
  /// Its number in the archive.
  let uid: UInt32
  package var name: String
  /// The class and its superclasses; empty where the record lists none, as records of renamed classes do.
  var chain: [String] = []
  /// Other classes that may be made where the class is not known.
  var hints: [String] = []

  /// The same as outsiders see it.
  package var description: ClassDescription { ClassDescription(name: name, chain: chain, hints: hints) }

  /// Where the parts of a record lie. Whoever has them knows that they are as they must be; nothing was made of them.
  struct Parts {
    let uid: UInt32
    var name: BinaryItem
    var chain: BinaryItem?
    var hints: BinaryItem?
  }

  /// Makes the names of a record.
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
    for place in 0..<list.count { names.append(try source.string(source.element(place, of: list))) }
    return names
  }
}

extension ClassRecord.Parts {
  private enum Part: String, CaseIterable {
    case name = "$classname"
    case chain = "$classes"
    case hints = "$classhints"
  }

  /// Finds and checks the parts of a record.
  init(_ uid: UInt32, in state: inout UnarchiverState) throws(KeyedArchiveError) {
    let entry = try state.source.entry(uid)
    func refuse(_ detail: String) -> KeyedArchiveError {
      KeyedArchiveError(
        .damagedArchive, "object #\(uid) stands for a class, but \(detail)", uid: ArchiveUID(rawValue: uid),
        byteOffset: entry.content - 1)
    }
    guard entry.kind == .dictionary else { throw refuse("it is of kind \(entry.kind.name) and no dictionary") }
    // Records may share their lists, and lists their names.
    try state.spend(entry.weight)
    /// Checks a list of names; false if it is none.
    func isList(_ item: BinaryItem) throws(KeyedArchiveError) -> Bool {
      guard item.kind == .array else { return false }
      for place in 0..<item.count {
        let name = try state.source.element(place, of: item)
        guard name.kind == .ascii || name.kind == .utf16 else { return false }
        try state.spend(name.weight)
        try state.source.checkText(name)
      }
      return true
    }
    /// Which part a key says. Whoever wrote the record, it is one of three texts nearly always.
    func part(_ key: BinaryItem) throws(KeyedArchiveError) -> Part? {
      try state.spend(key.weight)
      let likely: Part? =
        switch key.count {
        case 10: .name
        case 8: .chain
        case 11: .hints
        default: nil
        }
      if let likely, state.source.isText(key, likely.rawValue) { return likely }
      return try Part(exactly: state.source.string(key))
    }
    var name: BinaryItem?
    var chain: BinaryItem?
    var hints: BinaryItem?
    for place in 0..<entry.count {
      let key = try state.source.element(place, of: entry)
      guard key.kind == .ascii || key.kind == .utf16 else { continue }
      let value = try state.source.element(entry.count + place, of: entry)
      // Of a key that is there twice the first counts, for whoever looks at the record.
      switch try part(key) {
      case .name where name == nil:
        guard value.kind == .ascii || value.kind == .utf16 else { throw refuse("its '$classname' is no string") }
        try state.spend(value.weight)
        try state.source.checkText(value)
        name = value
      case .chain where chain == nil:
        guard try isList(value) else { throw refuse("its '$classes' is no list of names") }
        chain = value
      case .hints where hints == nil:
        guard try isList(value) else { throw refuse("its '$classhints' is no list of names") }
        hints = value
      default: break
      }
    }
    guard let name else { throw refuse("it has no '$classname'") }
    self.init(uid: uid, name: name, chain: chain, hints: hints)
  }
}

extension ClassRecord {
  /// The rows of the strings in a class record: the name, then those in the lists of superclasses and of hints.
  package static func nameRows(_ uid: UInt32, in source: borrowing ArchiveSource) throws(KeyedArchiveError)
    -> [UInt32]
  {
    let record = try source.entry(uid)
    var rows: [BytewiseString: [UInt32]] = [:]
    for place in 0..<record.count {
      let key = try source.element(place, of: record)
      guard key.kind == .ascii else { continue }
      let value = try source.element(record.count + place, of: record)
      var found: [UInt32] = []
      if value.kind == .array {
        for element in 0..<value.count { found.append(try source.row(element, of: value)) }
      } else {
        found = [try source.row(record.count + place, of: record)]
      }
      rows[BytewiseString(try source.string(key))] = found
    }
    return ["$classname", "$classes", "$classhints"].flatMap { name in rows[name] ?? [] }
  }
}
