// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A keyed archive written down object by object.
package struct ArchiveFile {
  private var table = TableFile()
  private var objects: [Int] = []
  /// By their bytes, because Swift takes long to hash strings with many combining marks.
  private var texts: [[UInt8]: Int] = [:]
  private var uids: [Int: Int] = [:]
  private var classes: [String: Int] = [:]

  /// Makes a file with `$null` for number 0.
  package init() { objects = [text("$null")] }

  /// The row of a string, one for each text.
  package mutating func text(_ text: String) -> Int {
    let bytes = Array(text.utf8)
    if let row = texts[bytes] { return row }
    let row = table.add(.string(text))
    texts[bytes] = row
    return row
  }

  /// The row of a reference to an object.
  package mutating func reference(_ uid: Int) -> Int {
    if let row = uids[uid] { return row }
    let row = table.add(.uid(uid))
    uids[uid] = row
    return row
  }

  /// A row that is no object.
  package mutating func row(_ row: TableFile.Row) -> Int { table.add(row) }

  /// Adds an object in a row and returns its number.
  package mutating func object(row: Int) -> Int {
    objects.append(row)
    return objects.count - 1
  }

  /// The number of a class record, one for each class.
  package mutating func classUID(_ names: String...) -> Int {
    if let uid = classes[names[0]] { return uid }
    let list = row(.array(names.map { text($0) }))
    let uid = object(row: row(.dictionary([(text("$classname"), text(names[0])), (text("$classes"), list)])))
    classes[names[0]] = uid
    return uid
  }

  /// A dictionary of an object's keys and values, with its class.
  package mutating func fields(_ classUID: Int, _ values: [(String, Int)]) -> Int {
    var pairs = values.map { (key: text($0.0), value: $0.1) }
    pairs.append((text("$class"), reference(classUID)))
    return row(.dictionary(pairs))
  }

  /// Ends the file, with the object of a number under `root`.
  package mutating func data(root: Int) -> Data { data(top: [("root", root)]) }

  /// The file with several top-level objects.
  package mutating func data(top objects: [(key: String, uid: Int)], archiver: String = "NSKeyedArchiver") -> Data {
    let top = row(.dictionary(objects.map { (text($0.key), reference($0.uid)) }))
    let list = row(.array(self.objects))
    let whole = row(
      .dictionary([
        (text("$version"), row(.integer(100_000))), (text("$archiver"), text(archiver)),
        (text("$top"), top), (text("$objects"), list),
      ]))
    return table.data(top: whole)
  }
}
