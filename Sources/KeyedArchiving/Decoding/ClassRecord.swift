// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// What an archive says of a class: its name, its ancestry, and names to fall back on.
struct ClassRecord: Sendable {
  var name: String
  /// The class and its superclasses; empty where the record lists none, as records of renamed classes do.
  var chain: [String] = []
  /// Other classes that may be made where the class is not known.
  var hints: [String] = []

  /// The same as outsiders see it.
  var description: ClassDescription { ClassDescription(name: name, chain: chain, hints: hints) }

  init(_ uid: UInt32, in source: ArchiveSource) throws(KeyedArchiveError) {
    let entry = try source.entry(uid)
    func refuse(_ detail: String) -> KeyedArchiveError {
      KeyedArchiveError(
        .damagedArchive, "object #\(uid) stands for a class, but \(detail)", uid: ArchiveUID(rawValue: uid),
        byteOffset: entry.content - 1)
    }
    guard entry.kind == .dictionary else { throw refuse("it is of kind \(entry.kind.name) and no dictionary") }
    var name: String?
    for place in 0..<entry.count {
      let key = try source.element(place, of: entry)
      guard key.kind == .ascii else { continue }
      let value = try source.element(entry.count + place, of: entry)
      switch try source.string(key) {
      case "$classname" where name == nil:
        guard value.kind == .ascii || value.kind == .utf16 else { throw refuse("its '$classname' is no string") }
        name = try source.string(value)
      case "$classes":
        guard let names = try ClassRecord.names(value, in: source) else {
          throw refuse("its '$classes' is no list of names")
        }
        chain = names
      case "$classhints":
        guard let names = try ClassRecord.names(value, in: source) else {
          throw refuse("its '$classhints' is no list of names")
        }
        hints = names
      default: break
      }
    }
    guard let name else { throw refuse("it has no '$classname'") }
    self.name = name
  }

  private static func names(
    _ item: BinaryItem, in source: ArchiveSource
  ) throws(KeyedArchiveError) -> [String]? {
    guard item.kind == .array else { return nil }
    var names: [String] = []
    for place in 0..<item.count {
      let name = try source.element(place, of: item)
      guard name.kind == .ascii || name.kind == .utf16 else { return nil }
      names.append(try source.string(name))
    }
    return names
  }
}
