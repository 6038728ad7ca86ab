// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// What an archive says of a class: its name, its ancestry, and names to fall back on.
struct ClassRecord: Sendable {
  /// Its number in the archive.
  let uid: UInt32
  var name: String
  /// The class and its superclasses; empty where the record lists none, as records of renamed classes do.
  var chain: [String] = []
  /// Other classes that may be made where the class is not known.
  var hints: [String] = []

  private enum Part: String {
    case name = "$classname"
    case chain = "$classes"
    case hints = "$classhints"
  }

  /// The same as outsiders see it.
  var description: ClassDescription { ClassDescription(name: name, chain: chain, hints: hints) }

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
    func text(_ item: BinaryItem) throws(KeyedArchiveError) -> String {
      try state.spend(item.weight)
      return try state.source.string(item)
    }
    func names(_ item: BinaryItem) throws(KeyedArchiveError) -> [String]? {
      guard item.kind == .array else { return nil }
      var names: [String] = []
      names.reserveCapacity(min(item.count, 4))
      for place in 0..<item.count {
        let name = try state.source.element(place, of: item)
        guard name.kind == .ascii || name.kind == .utf16 else { return nil }
        names.append(try text(name))
      }
      return names
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
      return try Part(rawValue: state.source.string(key))
    }
    var name: String?
    var chain: [String]?
    var hints: [String]?
    for place in 0..<entry.count {
      let key = try state.source.element(place, of: entry)
      guard key.kind == .ascii || key.kind == .utf16 else { continue }
      let value = try state.source.element(entry.count + place, of: entry)
      // Of a key that is there twice the first counts, for whoever looks at the record.
      switch try part(key) {
      case .name where name == nil:
        guard value.kind == .ascii || value.kind == .utf16 else { throw refuse("its '$classname' is no string") }
        name = try text(value)
      case .chain where chain == nil:
        chain = try names(value)
        if chain == nil { throw refuse("its '$classes' is no list of names") }
      case .hints where hints == nil:
        hints = try names(value)
        if hints == nil { throw refuse("its '$classhints' is no list of names") }
      default: break
      }
    }
    self.chain = chain ?? []
    self.hints = hints ?? []
    guard let name else { throw refuse("it has no '$classname'") }
    self.name = name
    self.uid = uid
  }
}
