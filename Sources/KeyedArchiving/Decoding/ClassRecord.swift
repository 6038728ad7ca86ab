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

  /// The same as outsiders see it.
  var description: ClassDescription { ClassDescription(name: name, chain: chain, hints: hints) }

  init(_ uid: UInt32, in state: inout UnarchiverState) throws(KeyedArchiveError) {
    let source = state.source
    let entry = try source.entry(uid)
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
      return try source.string(item)
    }
    func names(_ item: BinaryItem) throws(KeyedArchiveError) -> [String]? {
      guard item.kind == .array else { return nil }
      var names: [String] = []
      for place in 0..<item.count {
        let name = try source.element(place, of: item)
        guard name.kind == .ascii || name.kind == .utf16 else { return nil }
        names.append(try text(name))
      }
      return names
    }
    var name: String?
    var seen: Set<String> = []
    for place in 0..<entry.count {
      let key = try source.element(place, of: entry)
      guard key.kind == .ascii || key.kind == .utf16 else { continue }
      let value = try source.element(entry.count + place, of: entry)
      let word = try text(key)
      // Of a key that is there twice the first counts, for whoever looks at the record.
      guard seen.insert(word).inserted else { continue }
      switch word {
      case "$classname":
        guard value.kind == .ascii || value.kind == .utf16 else { throw refuse("its '$classname' is no string") }
        name = try text(value)
      case "$classes":
        guard let names = try names(value) else {
          throw refuse("its '$classes' is no list of names")
        }
        chain = names
      case "$classhints":
        guard let names = try names(value) else {
          throw refuse("its '$classhints' is no list of names")
        }
        hints = names
      default: break
      }
    }
    guard let name else { throw refuse("it has no '$classname'") }
    self.name = name
    self.uid = uid
  }
}
